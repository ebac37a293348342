// Correlation for CPUs: an item filters a strip of STRIP values and `band` rows alone, in vector
// registers, with no barrier. A ring of rows in private memory holds the last source rows, filtered
// along x or, if the taps are not separable, extended by the border. ROWS rows of the target, 4 or
// 1, are made from it at a time: four, so that what is loaded serves four chains, or one for
// compilers that take seconds for four.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/host_compiler.clh"
#include "lib/once.clh"

#if !defined(SEPARABLE) || !defined(BUCKET) || !defined(ALIGNED) || !defined(STRIP) ||             \
    !defined(ROWS)
#error SEPARABLE, BUCKET, ALIGNED, STRIP or ROWS is not defined
#endif

// Values along x are filtered in such steps.
#define STEP 64
#if STRIP % STEP != 0
#error STRIP must be a multiple of STEP
#endif

// Rows in private memory begin at whole vectors; EXTENDED is the values of one with its apron.
#define VECTORS(values) (((values) + 15) / 16)
#define EXTENDED(values) VECTORS((values) + (BUCKET - 1) * CHANNELS)
#define SLOTS (BUCKET + ROWS - 1)
// Whether rows that are not filtered along x are read where they are in the source, unless the border makes some of their
// values. Of more rows, which may lie whole pages apart, the caches lose some: the ring's do not.
#if defined(__AVX512F__)
#define MOST_IN_PLACE 7 // taps along y
#else
#define MOST_IN_PLACE 5
#endif
#if !SEPARABLE && ROWS == 4 && SRC_TYPE == PIXEL_F32 && defined(HOST_COMPILER) && BUCKET <= MOST_IN_PLACE
#define IN_PLACE 1
#else
#define IN_PLACE 0
#endif
// Values of a row that are read, and filtered along x, before what follows from them is written.
#if SEPARABLE && SRC_TYPE != PIXEL_F32
#define LONGEST_PART 512
#elif SEPARABLE && defined(__AVX512F__)
#define LONGEST_PART STEP // most are read where they are: more at a time gain nothing
#elif SEPARABLE || IN_PLACE
#define LONGEST_PART 128
#else
#define LONGEST_PART STRIP
#endif
#define PART (STRIP < LONGEST_PART ? STRIP : LONGEST_PART)
#if SEPARABLE
// A step along x reads its apron and at most 16 values more.
#define SPARE 16
#define PITCH (STRIP + 80) // not a power of 2, so that rows do not share sets of the cache
// Whether there is code that reads the source where it is.
#define DIRECT (ROWS == 4 && SRC_TYPE != PIXEL_F16)
#define TAPS_INSIDE 1
// Whole vectors, so that choosing a row is choosing one address.
#define LOAD_RING(i, p) ((const int16 *)(p))[i]
#define TAPS_ROW 1
#else
#define PITCH (16 * EXTENDED(STRIP) + 16)
#define TAPS_INSIDE g.taps_x
#define LOAD_RING(i, p) vload16(i, p)
#define TAPS_ROW BUCKET
#endif
#define TAPS_SPACE __constant
#include "lib/strip_rows.clh"

#if defined(BURST) && PART % (16 * BURST) != 0
#error PART must be a multiple of BURST vectors
#endif

// Values filtered along x at a time: chains of fma hide each other's latency while their sums and what is loaded fit in
// the registers.
#define RUN (SPAN < 32 ? 32 : SPAN)

// ROWS taps read WINDOW vectors of a run; vector w begins WINDOW_PLACE(w) values behind the first value that they read.
// SHIFTED(): the 16 values `shift` behind value 16 n of the run, from these. A load that crosses cache lines takes two
// cycles, a move of lanes one, with AVX one within four lanes: there a vector begins at every fourth value.
#if defined(HOST_COMPILER) && SPAN == 16
#define FOURS ((ROWS - 1) * CHANNELS / 4 + 2)
#define WINDOW (RUN / 16 * FOURS)
#define WINDOW_PLACE(w) ((w) / FOURS * 16 + (w) % FOURS * 4)
#define LANE(n, j) ((j) % 4 + (n) % 4 < 4 ? (j) + (n) % 4 : 16 + (j) + (n) % 4 - 4)
#define MOVED(a, b, n)                                                                             \
    __builtin_shufflevector(a, b, LANE(n, 0), LANE(n, 1), LANE(n, 2), LANE(n, 3), LANE(n, 4),      \
                            LANE(n, 5), LANE(n, 6), LANE(n, 7), LANE(n, 8), LANE(n, 9),            \
                            LANE(n, 10), LANE(n, 11), LANE(n, 12), LANE(n, 13), LANE(n, 14),       \
                            LANE(n, 15))
#define SHIFTED(window, n, shift, p)                                                               \
    MOVED((window)[(n) * FOURS + (shift) / 4], (window)[(n) * FOURS + (shift) / 4 + 1], shift)
// Compilers take vload16() apart when lanes are moved afterwards.
typedef int16 UnalignedInt16 __attribute__((aligned(4)));
#define LOAD_INT16(space, p) (*(space const UnalignedInt16 *)(p))
#else
#define WINDOW (RUN / 16 + 1)
#define WINDOW_PLACE(w) (16 * (w))
#if defined(HOST_COMPILER)
#define MOVED(a, b, n)                                                                             \
    __builtin_shufflevector(a, b, (n), (n) + 1, (n) + 2, (n) + 3, (n) + 4, (n) + 5, (n) + 6,       \
                            (n) + 7, (n) + 8, (n) + 9, (n) + 10, (n) + 11, (n) + 12, (n) + 13,     \
                            (n) + 14, (n) + 15)
#define SHIFTED(window, n, shift, p) MOVED((window)[n], (window)[(n) + 1], shift)
#else
#define SHIFTED(window, n, shift, p) LOAD_VECTOR((p) + 16 * (n) + (shift))
#endif
#endif
#ifndef LOAD_INT16
#define LOAD_INT16(space, p) vload16(0, (space const int *)(p))
#endif

#if SEPARABLE
typedef struct Run {
    float16 v[RUN / 16];
} Run;

// Adds a tap to a sum along x, for the values `shift` after those of the run, which is from p on. A
// macro, as the compiler's function takes constants alone.
#define ADD_SHIFTED(sum, window, p, tap, shift)                                                    \
    do {                                                                                           \
        const float16 tap_ = (float16)(tap);                                                       \
        UNROLL for (int n_ = 0; n_ < RUN / 16; ++n_)                                               \
            (sum).v[n_] = fma(tap_, FLOATS(SHIFTED(window, n_, shift, p)), (sum).v[n_]);           \
    } while (0)

// A function for each place to filter from: filter_extended() from a row that is extended, and
// filter_direct() from the source.
#define FILTER_STEP filter_extended
#define POINTER const int *
#define LOAD_VECTOR(p) LOAD_INT16(__private, p)
#define FLOATS(v) as_float16(v)
#include "lib/filter_step.clh"
#if DIRECT
#define FILTER_STEP filter_direct
#define POINTER __global const SRC *
#if SRC_TYPE == PIXEL_F32
#define LOAD_VECTOR(p) LOAD_INT16(__global, p)
#define FLOATS(v) as_float16(v)
#else
#define LOAD_VECTOR(p) convert_int16(vload16(0, p))
#define FLOATS(v) convert_float16(v)
#endif
#include "lib/filter_step.clh"
#endif
#endif

// taps: separable, those along x and then, from BUCKET on, those along y; else rows of BUCKET.
ONCE void filter_strip(const int3 place, __global const SRC *restrict src,
                       __global DST *restrict dst, const Geometry g,
                       __constant float *restrict taps, const int band) {
    const int left = place.x * STRIP;
    const int top = place.y * band;
    const int batch = place.z;
    const int count = min(STRIP, g.width - left);
    const int rows = min(band, g.height - top);
    const int padded = (count + STEP - 1) / STEP * STEP;
    const int apron = (g.taps_x - 1) * CHANNELS;
    const int first = left - g.anchor_x * CHANNELS; // index in the source of what tap 0 reads
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *to = dst + dst_start(g, batch) + top * g.dst_row + left;

    int16 ring_vectors[SLOTS * PITCH / 16];
    int *ring = (int *)ring_vectors;
#if SEPARABLE
    int16 extended_vectors[EXTENDED(PART + SPARE)];
    int *extended = (int *)extended_vectors;
    __constant float *row_taps = taps + BUCKET;
    // Steps from direct_left to direct_right may read the source as it is. Others, and all where
    // converting at each load takes longer, read an extended copy.
    int direct_right = 0;
#if DIRECT
    int direct_left = 0;
    if (SRC_TYPE == PIXEL_F32 || g.taps_x <= 4) {
        const int missing = g.valid_left * CHANNELS - first;
        direct_left = missing <= 0 ? 0 : (missing + STEP - 1) / STEP * STEP;
        const int readable = g.valid_right * CHANNELS - first - apron - SPARE;
        direct_right = min(readable <= 0 ? 0 : readable / STEP * STEP, padded);
    }
#endif
#else
    __constant float *row_taps = taps;
#if IN_PLACE
    int next_inner = 0; // as `next`, of parts in the middle of rows
#endif
#endif

    int next = 0; // source rows read so far; row r is at slot r % SLOTS of the ring
    for (int y = 0; y < rows;) {
        const int made = min(ROWS, rows - y);
        // Where the rows needed begin in the ring, the oldest first. Looked up, because compilers
        // that see a pointer wrap around prepare all cases of many rows ahead.
        const int needed = made + g.taps_y - 1;
        const int oldest = y % SLOTS;
        long begins[SLOTS];
        for (int i = 0; i < needed; ++i)
            begins[i] = (oldest + i < SLOTS ? oldest + i : oldest + i - SLOTS) * PITCH;
#if IN_PLACE
        // The same in the source, if the border's constant is none of them.
        long places[SLOTS];
        bool are_inside = true;
        for (int i = 0; i < needed; ++i) {
            const int row = fold_row(g, top + y + i - g.anchor_y);
            are_inside &= row != OUTSIDE;
            places[i] = row * g.src_row;
        }
#endif
        // The rows that the next ones of the target need besides.
        __global const SRC *expected[ROWS];
        for (int i = 0; i < ROWS; ++i) {
            const int next_row = y + needed + i;
            const int row = next_row < rows + g.taps_y - 1
                                ? fold_row(g, top + next_row - g.anchor_y)
                                : OUTSIDE;
            expected[i] = origin + (row == OUTSIDE ? 0 : row) * g.src_row + left;
        }
#if ROWS == 4
        Burst burst;
        start_burst(&burst);
#endif
        // Part by part, so that reading, computing and writing take turns often enough to overlap.
        for (int begin = 0; begin < padded; begin += PART) {
            const int end = min(begin + PART, padded);
            const int *values = ring;
            const long *starts = begins;
            int filled_rows = next - y; // of those needed
#if IN_PLACE
            if (first + begin >= g.valid_left * CHANNELS &&
                first + end + apron <= g.valid_right * CHANNELS) {
                filled_rows = max(next_inner - y, 0);
                if (are_inside) {
                    filled_rows = needed;
                    values = (const int *)(size_t)(origin + first);
                    starts = places;
                }
            }
#endif
            for (int i = filled_rows; i < needed; ++i) {
                int *filled = ring + begins[i];
                const int row = fold_row(g, top + y + i - g.anchor_y);
#if SEPARABLE
#if DIRECT
                const int free_right = row == OUTSIDE ? 0 : min(direct_right, end);
                __global const SRC *direct =
                    row == OUTSIDE ? origin : origin + row * g.src_row + first;
#endif
                for (int x = begin; x < end;) {
#if DIRECT
                    if (x >= direct_left && x < free_right) {
                        for (; x < free_right; x += STEP)
                            filter_direct(filled + x, direct + x, g, taps);
                    } else
#endif
                    {
                        const int wide = direct_right > 0 ? STEP : end - x;
                        extend_row(extended, origin, g, row, first + x,
                                   min(wide, count - x) + apron, wide + apron + SPARE);
                        for (int at = 0; at < wide; at += STEP)
                            filter_extended(filled + x + at, extended + at, g, taps);
                        x += wide;
                    }
                }
#else
                extend_row(filled + begin, origin, g, row, first + begin,
                           min(count, end) + apron - begin, end + apron - begin);
#endif
            }
            const int last = min(end, count);
#if ROWS == 4
            if (made == 4 && g.taps_y >= 3) {
                int x = begin;
                for (; x < last; x += SPAN) {
                    if (x % EXPECTED == 0)
                        UNROLL for (int i = 0; i < ROWS; ++i)
                            expect(expected[i] + x);
                    Sums sums;
                    start_sums(&sums);
                    add_for_four(&sums, values + x, starts, g, row_taps);
                    if (last - x < SPAN) {
                        store_part(&sums, to + x, g.dst_row, made, last - x);
                        break;
                    }
                    store_span(&burst, &sums, to, g.dst_row, x);
                }
                // Lines that a part leaves unfinished go on in the next one.
#ifdef LINE
                if (x + SPAN > count)
#endif
                    store_rest(&burst, to, g.dst_row, x);
            } else
#endif
                for (int x = begin; x < last; x += SPAN) {
                    Sums sums;
                    start_sums(&sums);
                    add_for(made, &sums, values + x, starts, g, row_taps);
                    store_part(&sums, to + x, g.dst_row, made, min(last - x, SPAN));
                }
        }
        next = y + needed;
#if IN_PLACE
        if (!are_inside)
            next_inner = next;
#endif
        y += made;
        to += made * g.dst_row;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void correlate_strips(__global const SRC *restrict src, __global DST *restrict dst,
                      const Geometry g, __constant float *restrict taps, const int band) {
    filter_strip(PLACE, src, dst, g, taps, band);
}
