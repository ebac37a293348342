// A pixel and means by taps along x and y in one pass: a group brings a tile and its apron into
// local memory, filters the rows of both along x, and then along y, and combines the means with the
// tile's own pixels. An item makes four values of ITEM_Y rows.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#define REAL float4
#define AS_REAL as_float4
#define AS_BITS as_uint4
#include "lib/arithmetic.clh"
#include "lib/root.clh"
#include "lib/local.clh"

#if !defined(GROUP_X) || !defined(GROUP_Y) || !defined(ITEM_Y)
#error GROUP_X, GROUP_Y or ITEM_Y is not defined
#endif
// The most taps along an axis, and whether rows of both images start at multiples of four values.
#if !defined(MOST) || !defined(ALIGNED)
#error MOST or ALIGNED is not defined
#endif

#define TILE_X (GROUP_X * 4)
#define TILE_Y (GROUP_Y * ITEM_Y)
#define ITEMS (GROUP_X * GROUP_Y)
// Whole vectors of a row that four results need, and the values of a row of the tile.
#define VECTORS ((4 + (MOST - 1) * CHANNELS + 3) / 4)
#define PITCH (TILE_X - 4 + 4 * VECTORS)
#define ROWS (TILE_Y + MOST - 1)

// taps: those along x, and from MOST on those along y. filtered: the pixels, then their squares.
__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void local_fused(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                 __constant const float *restrict taps, const Numbers numbers,
                 __local float4 *tile4, __local float4 *filtered) {
    __local float *tile = (__local float *)tile4;
    const int item_x = get_local_id(0);
    const int item_y = get_local_id(1);
    const int item = item_y * GROUP_X + item_x;
    const int batch = get_global_id(2);
    const int left = (int)get_group_id(0) * TILE_X - g.anchor_x * CHANNELS;
    const int top = (int)get_group_id(1) * TILE_Y - g.anchor_y;
    const int rows = TILE_Y + g.taps_y - 1;
    __global const SRC *origin = src + src_start(g, batch);

    const int is_inside = left >= g.valid_left * CHANNELS &&
                          left + PITCH <= g.valid_right * CHANNELS && top >= g.valid_top &&
                          top + rows <= g.valid_bottom;
    for (int at = item; at < PITCH * rows; at += ITEMS) {
        const int row = at / PITCH;
        const int x = left + at - row * PITCH;
        const int y = top + row;
        tile[at] = is_inside ? LOAD(origin + y * g.src_row + x)
                             : read_extended(origin, g, fold_row(g, y), x);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int at = item; at < GROUP_X * rows; at += ITEMS) {
        const int row = at / GROUP_X;
        __local const float4 *from = tile4 + row * (PITCH / 4) + (at - row * GROUP_X);
        float window[4 * VECTORS];
        UNROLL for (int i = 0; i < VECTORS; ++i) {
            const float4 four = from[i];
            window[4 * i] = four.s0;
            window[4 * i + 1] = four.s1;
            window[4 * i + 2] = four.s2;
            window[4 * i + 3] = four.s3;
        }
        float4 sum = (float4)(0.0f);
        float4 sum_of_squares = (float4)(0.0f);
        UNROLL for (int i = 0; i < MOST; ++i)
            if (i < g.taps_x) {
                const float4 in = (float4)(window[i * CHANNELS], window[i * CHANNELS + 1],
                                           window[i * CHANNELS + 2], window[i * CHANNELS + 3]);
                sum = fma((float4)(taps[i]), in, sum);
                sum_of_squares = fma((float4)(taps[i]), in * in, sum_of_squares);
            }
        filtered[at] = sum;
#if SQUARES
        filtered[GROUP_X * ROWS + at] = sum_of_squares;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int x = (int)get_global_id(0) * 4;
    const int left_over = g.width - x;
    if (left_over <= 0)
        return;
    UNROLL for (int q = 0; q < ITEM_Y; ++q) {
        const int row = item_y * ITEM_Y + q;
        const int y = (int)get_group_id(1) * TILE_Y + row;
        if (y >= g.height)
            return;
        __local const float4 *column = filtered + row * GROUP_X + item_x;
        float4 mean = (float4)(0.0f);
        float4 mean_of_squares = (float4)(0.0f);
        for (int j = 0; j < g.taps_y; ++j) {
            const float4 tap = (float4)(taps[MOST + j]);
            mean = fma(tap, column[j * GROUP_X], mean);
#if SQUARES
            mean_of_squares = fma(tap, column[(ROWS + j) * GROUP_X], mean_of_squares);
#endif
        }
        __local const float *own =
            tile + (row + g.anchor_y) * PITCH + item_x * 4 + g.anchor_x * CHANNELS;
        const float4 in = (float4)(own[0], own[1], own[2], own[3]);
        const float4 result = local_result(in, mean, mean_of_squares, numbers);
        __global DST *to = dst + dst_start(g, batch) + y * g.dst_row + x;
#if ALIGNED
        if (left_over >= 4) {
            STORE4(result, to);
            continue;
        }
#endif
        const float values[4] = {result.s0, result.s1, result.s2, result.s3};
        UNROLL for (int i = 0; i < 4; ++i)
            if (i < left_over)
                STORE(values[i], to + i);
    }
}
