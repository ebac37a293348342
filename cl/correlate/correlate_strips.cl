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
#if SEPARABLE
// A step along x reads its apron and at most 16 values more.
#define SPARE 16
#define PITCH (STRIP + 80) // not a power of 2, so that rows do not share sets of the cache
// Values of a row that are filtered along x before what follows from them is written.
#if SRC_TYPE != PIXEL_F32
#define LONGEST_PART 512
#elif defined(__AVX512F__)
#define LONGEST_PART STEP // most are read where they are: more at a time gain nothing
#else
#define LONGEST_PART 256
#endif
#define PART (STRIP < LONGEST_PART ? STRIP : LONGEST_PART)
// Whether there is code that reads the source where it is.
#define DIRECT (ROWS == 4 && SRC_TYPE != PIXEL_F16)
#define TAPS_INSIDE 1
// Whole vectors, so that choosing a row is choosing one address.
#define LOAD_RING(i, p) ((const int16 *)(p))[i]
#define TAPS_ROW 1
#else
#define PART STRIP
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

// The 16 values from index n, 0 to 16, of the two vectors a and b, which lie one after the other
// from p on. A load that crosses cache lines takes two cycles, a move of lanes one, with AVX one within four lanes.
#if defined(HOST_COMPILER) && SPAN == 16
#define LANE(n, j) ((j) % 4 + (n) % 4 < 4 ? (j) + (n) % 4 : 16 + (j) + (n) % 4 - 4)
#define SHIFTED(a, b, n, p)                                                                        \
    __builtin_shufflevector(LOAD_VECTOR((p) + (n) / 4 * 4), LOAD_VECTOR((p) + (n) / 4 * 4 + 4),    \
                            LANE(n, 0), LANE(n, 1), LANE(n, 2), LANE(n, 3), LANE(n, 4),            \
                            LANE(n, 5), LANE(n, 6), LANE(n, 7), LANE(n, 8), LANE(n, 9),            \
                            LANE(n, 10), LANE(n, 11), LANE(n, 12), LANE(n, 13), LANE(n, 14),       \
                            LANE(n, 15))
// Compilers take vload16() apart when lanes are moved afterwards.
typedef int16 UnalignedInt16 __attribute__((aligned(4)));
#define LOAD_INT16(space, p) (*(space const UnalignedInt16 *)(p))
#elif defined(HOST_COMPILER)
#define SHIFTED(a, b, n, p)                                                                        \
    __builtin_shufflevector(a, b, (n), (n) + 1, (n) + 2, (n) + 3, (n) + 4, (n) + 5, (n) + 6,       \
                            (n) + 7, (n) + 8, (n) + 9, (n) + 10, (n) + 11, (n) + 12, (n) + 13,     \
                            (n) + 14, (n) + 15)
#else
#define SHIFTED(a, b, n, p) LOAD_VECTOR((p) + (n))
#endif
#ifndef LOAD_INT16
#define LOAD_INT16(space, p) vload16(0, (space const int *)(p))
#endif

#if SEPARABLE
typedef struct Run {
    float16 v[RUN / 16];
} Run;

// Adds a tap to a sum along x, for the values `shift` after those of the windows, which are from p
// on. A macro, as the compiler's function takes constants alone.
#define ADD_SHIFTED(sum, window, p, tap, shift)                                                    \
    do {                                                                                           \
        const float16 tap_ = (float16)(tap);                                                       \
        UNROLL for (int n_ = 0; n_ < RUN / 16; ++n_)                                               \
            (sum).v[n_] = fma(tap_,                                                                \
                              FLOATS(SHIFTED((window)[n_], (window)[n_ + 1], shift,                \
                                             (p) + 16 * n_)),                                      \
                              (sum).v[n_]);                                                        \
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
#endif

    int next = 0; // source rows read so far; row r is at slot r % SLOTS of the ring
    for (int y = 0; y < rows;) {
        const int made = min(ROWS, rows - y);
        // Where the rows needed begin in the ring, the oldest first. Looked up, because compilers
        // that see a pointer wrap around prepare all cases of many rows ahead.
        const int needed = made + g.taps_y - 1;
        const int oldest = y % SLOTS;
        int begins[SLOTS];
        for (int i = 0; i < needed; ++i)
            begins[i] = (oldest + i < SLOTS ? oldest + i : oldest + i - SLOTS) * PITCH;
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
            for (int i = next - y; i < needed; ++i) {
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
                extend_row(filled, origin, g, row, first, count + apron, padded + apron);
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
                    add_for_four(&sums, ring + x, begins, g, row_taps);
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
                    add_for(made, &sums, ring + x, begins, g, row_taps);
                    store_part(&sums, to + x, g.dst_row, made, min(last - x, SPAN));
                }
        }
        next = y + needed;
        y += made;
        to += made * g.dst_row;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void correlate_strips(__global const SRC *restrict src, __global DST *restrict dst,
                      const Geometry g, __constant float *restrict taps, const int band) {
    filter_strip(PLACE, src, dst, g, taps, band);
}
