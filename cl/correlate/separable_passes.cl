// Separable correlation with any number of taps, in three launches: rows are extended by the border
// as f32, filtered along x, and then along y. Nothing is guarded in x, and no local memory is used:
// VECTOR is 4 for GPUs, where neighbouring items share what the cache holds, or 16 for CPUs.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/separable_between.clh"

#if !defined(VECTOR) || !defined(GROUP_X)
#error VECTOR or GROUP_X is not defined
#endif
// EXTEND_ITEM: values that an item extends; ROW_ITEM: that it filters along x; COLUMN_Y: rows that it filters
// along y.
#if !defined(EXTEND_ITEM) || !defined(ROW_ITEM) || !defined(COLUMN_Y)
#error EXTEND_ITEM, ROW_ITEM or COLUMN_Y is not defined
#endif

#if VECTOR == 4
#define FLOATS float4
#define LOAD_FLOATS(p) (*(__global const float4 *)(p))
#define STORE_FLOATS(v, p) (*(__global float4 *)(p) = (v))
#elif VECTOR == 16
#define FLOATS float16
#define LOAD_FLOATS(p) vload16(0, p)
#define STORE_FLOATS(v, p) vstore16(v, 0, p)
#else
#error VECTOR must be 4 or 16
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_X, 1, 1)))
void separable_extend(__global const SRC *restrict src, __global float *restrict to,
                      const Geometry g, const Between between) {
    const int batch = get_global_id(2);
    const int y = get_global_id(1);
    __global const SRC *origin = src + src_start(g, batch);
    // Rows in between are rows of the source: only wrapped and mirrored ones are read again.
    const int row = between.first_row + y;
    __global const SRC *from = origin + row * g.src_row;
    to += ((long)batch * between.rows + y) * between.extended_pitch;
    const long first = get_global_id(0) * (long)EXTEND_ITEM;
    const long end = min(first + EXTEND_ITEM, between.extended_pitch);
    for (long i = first; i < end;) {
        const int x = between.begin + (int)i;
#if EXTEND_ITEM > 1
        if (x >= g.valid_left * CHANNELS && x + 16 <= g.valid_right * CHANNELS && i + 16 <= end) {
            vstore16(LOAD16(from + x), 0, to + i);
            i += 16;
            continue;
        }
#endif
        to[i] = i < between.extended ? read_extended(origin, g, row, x) : 0.0f;
        ++i;
    }
}

#if VECTOR == 4
#define BLOCK (CHANNELS == 1 ? 16 : CHANNELS == 2 ? 8 : 4) // taps at a time
#define WINDOW ((ROW_ITEM + (BLOCK - 1) * CHANNELS + 3) / 4)
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_X, 1, 1)))
void separable_rows(__global const float *restrict from, __global float *restrict to,
                    const Between between, __constant float *restrict taps, const int count) {
    const long row = (long)get_global_id(2) * between.rows + get_global_id(1);
    const int x = (int)get_global_id(0) * ROW_ITEM;
    if (x >= between.filtered_pitch)
        return;
    from += row * between.extended_pitch + x;
    to += row * between.filtered_pitch + x;
#if VECTOR == 4
    float sum[ROW_ITEM];
    UNROLL for (int v = 0; v < ROW_ITEM; ++v)
        sum[v] = 0.0f;
    // All whole blocks of taps, and then the rest of them.
    for (int first = 0; first < count; first += BLOCK) {
        float window[4 * WINDOW];
        UNROLL for (int v = 0; v < WINDOW; ++v) {
            const float4 four = LOAD_FLOATS(from + first * CHANNELS + 4 * v);
            window[4 * v] = four.s0;
            window[4 * v + 1] = four.s1;
            window[4 * v + 2] = four.s2;
            window[4 * v + 3] = four.s3;
        }
        if (first + BLOCK <= count) {
            UNROLL for (int i = 0; i < BLOCK; ++i)
                UNROLL for (int v = 0; v < ROW_ITEM; ++v)
                    sum[v] = fma(taps[first + i], window[i * CHANNELS + v], sum[v]);
        } else {
            UNROLL for (int i = 0; i < BLOCK; ++i)
                if (first + i < count)
                    UNROLL for (int v = 0; v < ROW_ITEM; ++v)
                        sum[v] = fma(taps[first + i], window[i * CHANNELS + v], sum[v]);
        }
    }
    STORE_FLOATS((float4)(sum[0], sum[1], sum[2], sum[3]), to);
    STORE_FLOATS((float4)(sum[4], sum[5], sum[6], sum[7]), to + 4);
#else
    float16 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
    for (int i = 0; i < count; ++i) {
        const float16 tap = (float16)(taps[i]);
        sum0 = fma(tap, vload16(0, from + i * CHANNELS), sum0);
        sum1 = fma(tap, vload16(1, from + i * CHANNELS), sum1);
        sum2 = fma(tap, vload16(2, from + i * CHANNELS), sum2);
        sum3 = fma(tap, vload16(3, from + i * CHANNELS), sum3);
    }
    vstore16(sum0, 0, to);
    vstore16(sum1, 1, to);
    vstore16(sum2, 2, to);
    vstore16(sum3, 3, to);
#endif
}


#define TAPS_AT_A_TIME 8

__kernel __attribute__((reqd_work_group_size(GROUP_X, 1, 1)))
void separable_columns(__global const float *restrict from, __global DST *restrict dst,
                       const Geometry g, const Between between, __constant float *restrict taps,
                       const int count, const float outside) {
    const int x = (int)get_global_id(0) * VECTOR;
    const int y = (int)get_global_id(1) * COLUMN_Y;
    const int batch = get_global_id(2);
    if (x >= g.width)
        return;
    from += (long)batch * between.rows * between.filtered_pitch + x;
    const int first_row = y - g.anchor_y;
    const bool free_read =
        first_row >= between.first_row &&
        first_row + COLUMN_Y + count - 1 <= between.first_row + between.rows;

    FLOATS sum[COLUMN_Y];
    UNROLL for (int o = 0; o < COLUMN_Y; ++o)
        sum[o] = 0.0f;
    for (int first = 0; first < count; first += TAPS_AT_A_TIME) {
        const int some = min(count - first, TAPS_AT_A_TIME);
        const int rows = COLUMN_Y - 1 + some;
        __global const float *next =
            from + (first_row + first - between.first_row) * between.filtered_pitch;
        if (free_read && some == TAPS_AT_A_TIME) {
            UNROLL for (int q = 0; q < COLUMN_Y - 1 + TAPS_AT_A_TIME; ++q) {
                const FLOATS value = LOAD_FLOATS(next + q * between.filtered_pitch);
                UNROLL for (int o = 0; o < COLUMN_Y; ++o)
                    if (q - o >= 0 && q - o < TAPS_AT_A_TIME)
                        sum[o] = fma((FLOATS)(taps[first + q - o]), value, sum[o]);
            }
            continue;
        }
        UNROLL for (int q = 0; q < COLUMN_Y - 1 + TAPS_AT_A_TIME; ++q) {
            if (q >= rows)
                continue;
            // Rows that only rows below the region want may be missing.
            const int row = fold_row(g, first_row + first + q);
            const int kept = clamp((long)row - between.first_row, 0L, between.rows - 1L);
            const FLOATS value = row == OUTSIDE ? (FLOATS)(outside)
                                                : LOAD_FLOATS(from + kept * between.filtered_pitch);
            UNROLL for (int o = 0; o < COLUMN_Y; ++o) {
                const int j = q - o;
                if (j >= 0 && j < TAPS_AT_A_TIME && j < some)
                    sum[o] = fma((FLOATS)(taps[first + j]), value, sum[o]);
            }
        }
    }

    __global DST *to = dst + dst_start(g, batch) + y * g.dst_row + x;
    const bool whole = x + VECTOR <= g.width;
    UNROLL for (int o = 0; o < COLUMN_Y; ++o, to += g.dst_row) {
        if (y + o >= g.height)
            continue;
#if VECTOR == 16
        if (whole) {
            STORE16(sum[o], to);
            continue;
        }
        float rest[16];
        vstore16(sum[o], 0, rest);
#else
        const float rest[4] = {sum[o].s0, sum[o].s1, sum[o].s2, sum[o].s3};
#endif
        for (int v = 0; v < VECTOR; ++v)
            if (whole || x + v < g.width)
                STORE(rest[v], to + v);
    }
}
