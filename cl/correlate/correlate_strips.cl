// Correlation for CPUs: an item filters a strip of STRIP values and `band` rows alone, in vector
// registers, with no barrier. A ring of rows in private memory holds the last source rows, filtered
// along x or, if the taps are not separable, extended by the border. ROWS rows of the target, 4 or
// 1, are made from it at a time: four, so that what is loaded serves four chains, or one for
// compilers that take seconds for four.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"

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

// A compiler for the CPU itself. Others gain nothing from what follows, and Oclgrind takes lanes
// that are moved for uninitialised.
#if defined(__has_builtin) && (defined(__x86_64__) || defined(__aarch64__))
#define HOST_COMPILER
#endif

// Private memory holds f32 as integers of the same bits, and so do the registers whose lanes are
// moved: compilers move the lanes of integers in fewer instructions than those of floats.
//
// The 16 values from index n, 0 to 16, of the two vectors a and b, which lie one after the other
// from p on. A load that crosses cache lines takes two cycles, a move of lanes one.
#ifdef HOST_COMPILER
#if __has_builtin(__builtin_shufflevector)
#define SHIFTED(a, b, n, p)                                                                        \
    __builtin_shufflevector(a, b, (n), (n) + 1, (n) + 2, (n) + 3, (n) + 4, (n) + 5, (n) + 6,       \
                            (n) + 7, (n) + 8, (n) + 9, (n) + 10, (n) + 11, (n) + 12, (n) + 13,     \
                            (n) + 14, (n) + 15)
#endif
#endif
#ifndef SHIFTED
#define SHIFTED(a, b, n, p) LOAD_VECTOR((p) + (n))
#endif

// Asks for a step of a row that is read soon. Only where an address is the same number in all
// address spaces, as the built-in knows one of them.
#ifdef HOST_COMPILER
#if __has_builtin(__builtin_prefetch)
#define EXPECT_STEP(address)                                                                       \
    do {                                                                                           \
        for (size_t b_ = 0; b_ < STEP * sizeof(SRC); b_ += 64)                                     \
            __builtin_prefetch((const void *)((address) + b_));                                    \
    } while (0)
#endif
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

#if SEPARABLE
// Adds a tap to the four chains along x, for the values `shift` after those of the windows.
#define ADD_SHIFTED(tap, shift)                                                                    \
    do {                                                                                           \
        const float16 t_ = (float16)(tap);                                                         \
        sum0 = fma(t_, FLOATS(SHIFTED(window0, window1, shift, p_)), sum0);                        \
        sum1 = fma(t_, FLOATS(SHIFTED(window1, window2, shift, p_ + 16)), sum1);                   \
        sum2 = fma(t_, FLOATS(SHIFTED(window2, window3, shift, p_ + 32)), sum2);                   \
        sum3 = fma(t_, FLOATS(SHIFTED(window3, window4, shift, p_ + 48)), sum3);                   \
    } while (0)

// Filters a step along x, ROWS taps at a time.
#define FILTER_STEP(to, from, pointer)                                                             \
    do {                                                                                           \
        float16 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;                                \
        for (int i = 0; i < g.taps_x; i += ROWS) {                                                 \
            pointer p_ = (from) + i * CHANNELS;                                                    \
            const int16 window0 = LOAD_VECTOR(p_), window1 = LOAD_VECTOR(p_ + 16);                 \
            const int16 window2 = LOAD_VECTOR(p_ + 32), window3 = LOAD_VECTOR(p_ + 48);            \
            const int16 window4 = LOAD_VECTOR(p_ + 64);                                            \
            ADD_SHIFTED(taps[i], 0);                                                               \
            if (ROWS == 4 && i + 1 < g.taps_x)                                                     \
                ADD_SHIFTED(taps[i + 1], CHANNELS);                                                \
            if (ROWS == 4 && i + 2 < g.taps_x)                                                     \
                ADD_SHIFTED(taps[i + 2], 2 * CHANNELS);                                            \
            if (ROWS == 4 && i + 3 < g.taps_x)                                                     \
                ADD_SHIFTED(taps[i + 3], 3 * CHANNELS);                                            \
        }                                                                                          \
        *(int16 *)(to) = as_int16(sum0);                                                           \
        *(int16 *)((to) + 16) = as_int16(sum1);                                                    \
        *(int16 *)((to) + 32) = as_int16(sum2);                                                    \
        *(int16 *)((to) + 48) = as_int16(sum3);                                                    \
    } while (0)
#endif

// Adds a tap to the four chains of a row, o, for the values loaded.
#define ADD(o, tap)                                                                                \
    do {                                                                                           \
        const float16 t_ = (float16)(tap);                                                         \
        sum##o##0 = fma(t_, value0, sum##o##0);                                                    \
        sum##o##1 = fma(t_, value1, sum##o##1);                                                    \
        sum##o##2 = fma(t_, value2, sum##o##2);                                                    \
        sum##o##3 = fma(t_, value3, sum##o##3);                                                    \
    } while (0)
// The taps of row j.
#define TAP(j) row_taps[(j) * TAPS_ROW + i]
// Adds row q of the ring, counted from the oldest that is needed, to the rows that `adds` names.
#define ADD_RING_ROW(q, adds)                                                                      \
    do {                                                                                           \
        for (int i = 0; i < TAPS_INSIDE; ++i) {                                                    \
            const int *p_ = ring + begins[q] + x + i * CHANNELS;                                   \
            const float16 value0 = as_float16(LOAD_RING(0, p_));                                   \
            const float16 value1 = as_float16(LOAD_RING(1, p_));                                   \
            const float16 value2 = as_float16(LOAD_RING(2, p_));                                   \
            const float16 value3 = as_float16(LOAD_RING(3, p_));                                   \
            adds;                                                                                  \
        }                                                                                          \
    } while (0)
#define NEW_SUMS(o) float16 sum##o##0 = 0.0f, sum##o##1 = 0.0f, sum##o##2 = 0.0f, sum##o##3 = 0.0f
#define STORE_SUMS(o)                                                                              \
    do {                                                                                           \
        __global DST *p_ = to + (o)*g.dst_row + x;                                                 \
        if (x + STEP <= count) {                                                                   \
            STORE_VECTOR(sum##o##0, p_);                                                           \
            STORE_VECTOR(sum##o##1, p_ + 16);                                                      \
            STORE_VECTOR(sum##o##2, p_ + 32);                                                      \
            STORE_VECTOR(sum##o##3, p_ + 48);                                                      \
        } else {                                                                                   \
            const float16 rest[4] = {sum##o##0, sum##o##1, sum##o##2, sum##o##3};                  \
            for (int i = 0; x + i < count; ++i)                                                    \
                STORE(((const float *)rest)[i], p_ + i);                                           \
        }                                                                                          \
    } while (0)

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
#ifdef EXPECT_STEP
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
#if SRC_TYPE == PIXEL_F32
#define LOAD_VECTOR(p) vload16(0, (__global const int *)(p))
#define FLOATS(v) as_float16(v)
#else
#define LOAD_VECTOR(p) convert_int16(vload16(0, p))
#define FLOATS(v) convert_float16(v)
#endif
                        for (; x < free_right; x += STEP)
                            FILTER_STEP(filled + x, direct + x, __global const SRC *);
#undef FLOATS
#undef LOAD_VECTOR
                    } else
#endif
                    {
                        const int wide = direct_right > 0 ? STEP : end - x;
                        extend_row(extended, origin, g, row, first + x,
                                   min(wide, count - x) + apron, wide + apron + SPARE);
#define LOAD_VECTOR(p) vload16(0, p)
#define FLOATS(v) as_float16(v)
                        for (int at = 0; at < wide; at += STEP)
                            FILTER_STEP(filled + x + at, extended + at, const int *);
#undef FLOATS
#undef LOAD_VECTOR
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
#ifdef EXPECT_STEP
                    for (int i = 0; i < ROWS; ++i)
                        if (expected[i] != 0)
                            EXPECT_STEP(expected[i] + x * sizeof(SRC));
#endif
                    NEW_SUMS(0);
                    NEW_SUMS(1);
                    NEW_SUMS(2);
                    NEW_SUMS(3);
                    const int n = g.taps_y;
                    ADD_RING_ROW(0, ADD(0, TAP(0)));
                    ADD_RING_ROW(1, ADD(0, TAP(1)); ADD(1, TAP(0)));
                    ADD_RING_ROW(2, ADD(0, TAP(2)); ADD(1, TAP(1)); ADD(2, TAP(0)));
                    for (int j = 3; j < n; ++j)
                        ADD_RING_ROW(j, ADD(0, TAP(j)); ADD(1, TAP(j - 1)); ADD(2, TAP(j - 2));
                                     ADD(3, TAP(j - 3)));
                    ADD_RING_ROW(n, ADD(1, TAP(n - 1)); ADD(2, TAP(n - 2)); ADD(3, TAP(n - 3)));
                    ADD_RING_ROW(n + 1, ADD(2, TAP(n - 1)); ADD(3, TAP(n - 2)));
                    ADD_RING_ROW(n + 2, ADD(3, TAP(n - 1)));
                    STORE_SUMS(0);
                    STORE_SUMS(1);
                    STORE_SUMS(2);
                    STORE_SUMS(3);
                }
            } else
#endif
            {
                for (int x = begin; x < end; x += STEP) {
                    NEW_SUMS(0);
                    for (int j = 0; j < g.taps_y; ++j)
                        ADD_RING_ROW(j, ADD(0, TAP(j)));
                    STORE_SUMS(0);
                }
            }
        }
        next = y + needed;
        y += made;
        to += made * g.dst_row;
    }
}
