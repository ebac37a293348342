// Correlation for CPUs: an item filters a strip of STRIP values and `band` rows alone, in vector
// registers, with no barrier. Each source row is first extended by the border into private memory
// as f32, so that nothing is guarded in x after that.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"

#if !defined(SEPARABLE) || !defined(BUCKET) || !defined(ALIGNED) || !defined(STRIP)
#error SEPARABLE, BUCKET, ALIGNED or STRIP is not defined
#endif

// Values filtered at a time: four vectors, so that four chains of fma hide each other's latency.
#define STEP 64
#if STRIP % STEP != 0
#error STRIP must be a multiple of STEP
#endif
// ALIGNED says that every row of the target starts at a multiple of 16 values.
#if ALIGNED
#define STORE_STEP STREAM16
#else
#define STORE_STEP STORE16
#endif
#define EXTENDED (STRIP + (BUCKET - 1) * CHANNELS)

// n values of a row that fold_row gave, from index `first` on, and zeros up to `padded`.
static void extend_row(float *to, __global const SRC *origin, const Geometry g, int row, int first,
                       int n, int padded) {
    int i = 0;
    if (row == OUTSIDE) {
        for (; i < n; ++i)
            to[i] = g.border_value;
    } else {
        __global const SRC *from = origin + row * g.src_row + first;
        const int inside = clamp(g.valid_left * CHANNELS - first, 0, n);
        const int outside = clamp(g.valid_right * CHANNELS - first, inside, n);
        for (; i < inside; ++i)
            to[i] = read_extended(origin, g, row, first + i);
        for (; i + 16 <= outside; i += 16)
            vstore16(LOAD16(from + i), 0, to + i);
        for (; i < outside; ++i)
            to[i] = LOAD(from + i);
        for (; i < n; ++i)
            to[i] = read_extended(origin, g, row, first + i);
    }
    for (; i < padded; ++i)
        to[i] = 0.0f;
}

// Adds tap * from[0 .. STEP) to the four chains.
#define ADD_STEP(tap, from)                                                                        \
    do {                                                                                           \
        const float16 t_ = (float16)(tap);                                                         \
        sum0 = fma(t_, vload16(0, from), sum0);                                                    \
        sum1 = fma(t_, vload16(1, from), sum1);                                                    \
        sum2 = fma(t_, vload16(2, from), sum2);                                                    \
        sum3 = fma(t_, vload16(3, from), sum3);                                                    \
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
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *to = dst + dst_start(g, batch) + top * g.dst_row + left;

    // The last taps_y source rows, extended or, if separable, filtered along x; row r is at slot r
    // % BUCKET.
#if SEPARABLE
    float extended[EXTENDED];
    float ring[BUCKET * STRIP];
    const int pitch = STRIP;
#else
    float ring[BUCKET * EXTENDED];
    const int pitch = EXTENDED;
#endif
    int next = 0; // source rows read so far
    for (int y = 0; y < rows; ++y, to += g.dst_row) {
        for (; next < y + g.taps_y; ++next) {
            float *slot = ring + next % BUCKET * pitch;
            const int row = fold_row(g, top + next - g.anchor_y);
#if SEPARABLE
            float *extend_to = extended;
#else
            float *extend_to = slot;
#endif
            extend_row(extend_to, origin, g, row, left - g.anchor_x * CHANNELS, count + apron,
                       padded + apron);
#if SEPARABLE
            for (int x = 0; x < padded; x += STEP) {
                float16 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
                for (int i = 0; i < g.taps_x; ++i)
                    ADD_STEP(taps[i], extended + x + i * CHANNELS);
                vstore16(sum0, 0, slot + x);
                vstore16(sum1, 1, slot + x);
                vstore16(sum2, 2, slot + x);
                vstore16(sum3, 3, slot + x);
            }
#endif
        }
        for (int x = 0; x < padded; x += STEP) {
            float16 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
            for (int j = 0; j < g.taps_y; ++j) {
                const float *from = ring + (y + j) % BUCKET * pitch + x;
#if SEPARABLE
                ADD_STEP(taps[BUCKET + j], from);
#else
                for (int i = 0; i < g.taps_x; ++i)
                    ADD_STEP(taps[j * BUCKET + i], from + i * CHANNELS);
#endif
            }
            if (x + STEP <= count) {
                STORE_STEP(sum0, to + x);
                STORE_STEP(sum1, to + x + 16);
                STORE_STEP(sum2, to + x + 32);
                STORE_STEP(sum3, to + x + 48);
            } else {
                float rest[STEP];
                vstore16(sum0, 0, rest);
                vstore16(sum1, 1, rest);
                vstore16(sum2, 2, rest);
                vstore16(sum3, 3, rest);
                for (int i = 0; x + i < count; ++i)
                    STORE(rest[i], to + x + i);
            }
        }
    }
}
