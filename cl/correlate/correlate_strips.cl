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

#if !defined(SEPARABLE) || !defined(BUCKET) || !defined(ALIGNED) || !defined(STRIP) ||             \
    !defined(ROWS)
#error SEPARABLE, BUCKET, ALIGNED, STRIP or ROWS is not defined
#endif
#if ROWS != 1 && ROWS != 4
#error ROWS must be 1 or 4
#endif

// Values filtered at a time: four vectors, so that four chains of fma hide each other's latency.
#define STEP 64
#if STRIP % STEP != 0
#error STRIP must be a multiple of STEP
#endif
// ALIGNED says that every row of the target starts at a multiple of 16 values.
#if ALIGNED
#define STORE_VECTOR STREAM16
#else
#define STORE_VECTOR STORE16
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
#if SRC_TYPE == PIXEL_F32
#define PART STEP // most are read where they are: more at a time gain nothing
#else
#define PART (STRIP < 512 ? STRIP : 512)
#endif
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

// Private memory holds f32 as integers of the same bits, and so do the registers whose lanes are
// moved: compilers move the lanes of integers in fewer instructions than those of floats.
//
// The 16 values from index n, 0 to 16, of the two vectors a and b, which lie one after the other
// from p on. A load that crosses cache lines takes two cycles, a move of lanes one.
#ifdef HOST_COMPILER
#define SHIFTED(a, b, n, p)                                                                        \
    __builtin_shufflevector(a, b, (n), (n) + 1, (n) + 2, (n) + 3, (n) + 4, (n) + 5, (n) + 6,       \
                            (n) + 7, (n) + 8, (n) + 9, (n) + 10, (n) + 11, (n) + 12, (n) + 13,     \
                            (n) + 14, (n) + 15)
#else
#define SHIFTED(a, b, n, p) LOAD_VECTOR((p) + (n))
#endif

// Asks for a step of a row that is read soon.
#ifdef HOST_COMPILER
#define CAN_EXPECT
static inline void expect_step(size_t address) {
    for (size_t b = 0; b < STEP * sizeof(SRC); b += 64)
        __builtin_prefetch((const void *)(address + b));
}
#endif

// n values of a row that fold_row gave, from index `first` on, and zeros up to `padded`. `to` is
// aligned to vectors.
static void extend_row(int *to, __global const SRC *origin, const Geometry g, int row, int first,
                       int n, int padded) {
    int i = 0;
    if (row == OUTSIDE) {
        for (; i < n; ++i)
            to[i] = as_int(g.border_value);
    } else {
        __global const SRC *from = origin + row * g.src_row + first;
        const int inside = clamp(g.valid_left * CHANNELS - first, 0, n);
        const int outside = clamp(g.valid_right * CHANNELS - first, inside, n);
        for (; i < inside; ++i)
            to[i] = as_int(read_extended(origin, g, row, first + i));
        for (; i < outside && i % 16 != 0; ++i)
            to[i] = as_int(LOAD(from + i));
        for (; i + 16 <= outside; i += 16)
            *(int16 *)(to + i) = as_int16(LOAD16(from + i));
        for (; i < outside; ++i)
            to[i] = as_int(LOAD(from + i));
        for (; i < n; ++i)
            to[i] = as_int(read_extended(origin, g, row, first + i));
    }
    for (; i < padded; ++i)
        to[i] = 0;
}

// A step of a row: what chains of fma come to, or what is added to them.
typedef struct Step {
    float16 v[STEP / 16];
} Step;

#if SEPARABLE
// Adds a tap to a sum along x, for the values `shift` after those of the windows, which are from p
// on. A macro, as the compiler's function takes constants alone.
#define ADD_SHIFTED(sum, window, p, tap, shift)                                                    \
    do {                                                                                           \
        const float16 tap_ = (float16)(tap);                                                       \
        UNROLL for (int n_ = 0; n_ < STEP / 16; ++n_)                                              \
            (sum).v[n_] = fma(tap_,                                                                \
                              FLOATS(SHIFTED((window)[n_], (window)[n_ + 1], shift,                \
                                             (p) + 16 * n_)),                                      \
                              (sum).v[n_]);                                                        \
    } while (0)

// A function for each place to filter from: filter_extended() from a row that is extended, and
// filter_direct() from the source.
#define FILTER_STEP filter_extended
#define POINTER const int *
#define LOAD_VECTOR(p) vload16(0, p)
#define FLOATS(v) as_float16(v)
#include "lib/filter_step.clh"
#if DIRECT
#define FILTER_STEP filter_direct
#define POINTER __global const SRC *
#if SRC_TYPE == PIXEL_F32
#define LOAD_VECTOR(p) vload16(0, (__global const int *)(p))
#define FLOATS(v) as_float16(v)
#else
#define LOAD_VECTOR(p) convert_int16(vload16(0, p))
#define FLOATS(v) convert_float16(v)
#endif
#include "lib/filter_step.clh"
#endif
#endif

INLINE void start_sums(Step *sums) {
    UNROLL for (int o = 0; o < ROWS; ++o)
        UNROLL for (int n = 0; n < STEP / 16; ++n)
            sums[o].v[n] = 0.0f;
}

// Adds a step of row q of those needed, the oldest of which is row 0, to the sums of the rows of
// results from `first` to `last`. taps: those of the kernel's rows.
INLINE void add_ring_row(Step *sums, const int *row, const Geometry g, __constant float *taps,
                         int q, int first, int last) {
    for (int i = 0; i < TAPS_INSIDE; ++i) {
        const int *p = row + i * CHANNELS;
        Step values;
        UNROLL for (int n = 0; n < STEP / 16; ++n)
            values.v[n] = as_float16(LOAD_RING(n, p));
        UNROLL for (int o = 0; o < ROWS; ++o)
            if (o >= first && o <= last) {
                const float16 tap = (float16)(taps[(q - o) * TAPS_ROW + i]);
                UNROLL for (int n = 0; n < STEP / 16; ++n)
                    sums[o].v[n] = fma(tap, values.v[n], sums[o].v[n]);
            }
    }
}

// Writes a step, or the first `count` values of it if that is less.
INLINE void store_step(const Step *sum, __global DST *to, int count) {
    if (count >= STEP) {
        UNROLL for (int n = 0; n < STEP / 16; ++n)
            STORE_VECTOR(sum->v[n], to + 16 * n);
    } else {
        float rest[STEP];
        UNROLL for (int n = 0; n < STEP / 16; ++n)
            vstore16(sum->v[n], n, rest);
        for (int i = 0; i < count; ++i)
            STORE(rest[i], to + i);
    }
}

// taps: separable, those along x and then, from BUCKET on, those along y; else rows of BUCKET.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void correlate_strips(__global const SRC *restrict src, __global DST *restrict dst,
                      const Geometry g, __constant float *restrict taps, const int band) {
    const int left = (int)get_global_id(0) * STRIP;
    const int top = (int)get_global_id(1) * band;
    const int batch = get_global_id(2);
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
        const int made = ROWS == 4 && rows - y >= 4 && g.taps_y >= 3 ? 4 : 1;
        // Where the rows needed begin in the ring, the oldest first. Looked up, because compilers
        // that see a pointer wrap around prepare all cases of many rows ahead.
        const int needed = made + g.taps_y - 1;
        const int oldest = y % SLOTS;
        int begins[SLOTS];
        for (int i = 0; i < needed; ++i)
            begins[i] = (oldest + i < SLOTS ? oldest + i : oldest + i - SLOTS) * PITCH;
#ifdef CAN_EXPECT
        // The rows that the next ones of the target need besides; 0 where there is none.
        size_t expected[ROWS];
        for (int i = 0; i < ROWS; ++i) {
            const int next_row = y + needed + i;
            const int row = next_row < rows + g.taps_y - 1
                                ? fold_row(g, top + next_row - g.anchor_y)
                                : OUTSIDE;
            expected[i] = row == OUTSIDE ? 0 : (size_t)(origin + row * g.src_row + left);
        }
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
#if ROWS == 4
            if (made == 4) {
                // The rows' chains begin and end at different rows of the ring.
                for (int x = begin; x < end; x += STEP) {
#ifdef CAN_EXPECT
                    for (int i = 0; i < ROWS; ++i)
                        if (expected[i] != 0)
                            expect_step(expected[i] + x * sizeof(SRC));
#endif
                    Step sums[ROWS];
                    start_sums(sums);
                    const int n = g.taps_y;
                    add_ring_row(sums, ring + begins[0] + x, g, row_taps, 0, 0, 0);
                    add_ring_row(sums, ring + begins[1] + x, g, row_taps, 1, 0, 1);
                    add_ring_row(sums, ring + begins[2] + x, g, row_taps, 2, 0, 2);
                    for (int q = 3; q < n; ++q)
                        add_ring_row(sums, ring + begins[q] + x, g, row_taps, q, 0, 3);
                    add_ring_row(sums, ring + begins[n] + x, g, row_taps, n, 1, 3);
                    add_ring_row(sums, ring + begins[n + 1] + x, g, row_taps, n + 1, 2, 3);
                    add_ring_row(sums, ring + begins[n + 2] + x, g, row_taps, n + 2, 3, 3);
                    UNROLL for (int o = 0; o < ROWS; ++o)
                        store_step(&sums[o], to + o * g.dst_row + x, count - x);
                }
            } else
#endif
            {
                for (int x = begin; x < end; x += STEP) {
                    Step sums[ROWS];
                    start_sums(sums);
                    for (int q = 0; q < g.taps_y; ++q)
                        add_ring_row(sums, ring + begins[q] + x, g, row_taps, q, 0, 0);
                    store_step(&sums[0], to + x, count - x);
                }
            }
        }
        next = y + needed;
        y += made;
        to += made * g.dst_row;
    }
}
