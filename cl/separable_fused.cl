// Separable correlation of a tile in two phases, for GPUs. Rows of the tile and of its apron are
// filtered along x, straight from the source, ROW_ITEM values an item, into local memory; what they
// come to is filtered along y, COLUMN_X values x COLUMN_Y rows an item. Groups are short and share
// nothing: some read while others compute.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/separable.clh"

#if !defined(VECTOR) || !defined(SHIFT)
#error VECTOR or SHIFT is not defined
#endif
#if !defined(TILE_X) || !defined(TILE_Y) || !defined(ROW_ITEM) || !defined(COLUMN_X) ||           \
    !defined(COLUMN_Y)
#error TILE_X, TILE_Y, ROW_ITEM, COLUMN_X or COLUMN_Y is not defined
#endif

#define GROUP (TILE_X / COLUMN_X * (TILE_Y / COLUMN_Y))
#define ITEMS_X (TILE_X / ROW_ITEM)
// The source is read in aligned vectors of VECTOR values, or value by value where that is 1. The
// first value that an item needs lies SHIFT values past an aligned address, and with all others in
// WINDOW values.
#define STEP (VECTOR == 1 ? 4 : VECTOR)
#define WINDOW ((SHIFT + ROW_ITEM + (BUCKET_X - 1) * CHANNELS + STEP - 1) / STEP * STEP)
// Vectors of 4 values from a row in local memory to the next.
#define PITCH (TILE_X / 4 + 1)

// Sets values i to i + 3 of an item's window.
#define SET4(i, four)                                                                              \
    do {                                                                                           \
        const float4 four_ = four;                                                                 \
        window[i] = four_.s0;                                                                      \
        window[(i) + 1] = four_.s1;                                                                \
        window[(i) + 2] = four_.s2;                                                                \
        window[(i) + 3] = four_.s3;                                                                \
    } while (0)
#if VECTOR == 16
#define READ(i, p)                                                                                 \
    do {                                                                                           \
        const PASTE(SRC, 16) raw_ = *(__global const PASTE(SRC, 16) *)(p);                         \
        SET4(i, convert_float4(raw_.s0123));                                                       \
        SET4((i) + 4, convert_float4(raw_.s4567));                                                 \
        SET4((i) + 8, convert_float4(raw_.s89ab));                                                 \
        SET4((i) + 12, convert_float4(raw_.scdef));                                                \
    } while (0)
#elif VECTOR == 8
#if SRC_TYPE == PIXEL_F16
#define LOAD8(p) vloada_half8(0, p)
#else
#define LOAD8(p) convert_float8(*(__global const PASTE(SRC, 8) *)(p))
#endif
#define READ(i, p)                                                                                 \
    do {                                                                                           \
        const float8 eight_ = LOAD8(p);                                                            \
        SET4(i, eight_.lo);                                                                        \
        SET4((i) + 4, eight_.hi);                                                                  \
    } while (0)
#elif VECTOR == 4
#define READ(i, p) SET4(i, LOAD4(p))
#else
#define READ(i, p) SET4(i, (float4)(LOAD(p), LOAD((p) + 1), LOAD((p) + 2), LOAD((p) + 3)))
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void separable_fused(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                     const TileClasses classes, TAPS_PARAMETER, __local float4 *restrict tile) {
    const int item = get_local_id(0);
    const int column = get_group_id(0);
    const int row = get_group_id(1);
    const int batch = get_group_id(2);
    const bool free_x = column >= classes.free_left && column < classes.free_right;
    const bool free_y = row >= classes.free_top && row < classes.free_bottom;
    const int left = column * TILE_X;
    const int top = row * TILE_Y;
    __global const SRC *origin = src + src_start(g, batch);

    const int begin = left - g.anchor_x * CHANNELS - SHIFT;
    const int tasks = (TILE_Y + g.taps_y - 1) * ITEMS_X;
    for (int task = item; task < tasks; task += GROUP) {
        const int y = task / ITEMS_X;
        const int x = (task & (ITEMS_X - 1)) * ROW_ITEM;
        const int below = top - g.anchor_y + y;
        const int line = free_y ? below : fold_row(g, below);
        float window[WINDOW];
        if (free_x && line != OUTSIDE) {
            __global const SRC *from = origin + line * g.src_row + (begin + x);
            UNROLL for (int i = 0; i < WINDOW; i += STEP)
                READ(i, from + i);
        } else {
            UNROLL for (int i = 0; i < WINDOW; i += 4)
                SET4(i, read_checked(origin, g, line, begin + x + i));
        }
        float chain[ROW_ITEM];
        UNROLL for (int v = 0; v < ROW_ITEM; ++v)
            chain[v] = 0.0f;
        UNROLL for (int i = 0; i < BUCKET_X; ++i)
            if (i < LEAST_X || i < g.taps_x)
                UNROLL for (int v = 0; v < ROW_ITEM; ++v)
                    chain[v] = fma(TAP_X(i), window[SHIFT + i * CHANNELS + v], chain[v]);
        __local float4 *to = tile + y * PITCH + x / 4;
        UNROLL for (int v = 0; v < ROW_ITEM; v += 4)
            to[v / 4] = (float4)(chain[v], chain[v + 1], chain[v + 2], chain[v + 3]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int column_x = (item & (TILE_X / COLUMN_X - 1)) * COLUMN_X;
    const int column_y = item / (TILE_X / COLUMN_X) * COLUMN_Y;
    __local const float *from = (__local const float *)(tile + column_y * PITCH) + column_x;
    float sum[COLUMN_Y][COLUMN_X];
    UNROLL for (int o = 0; o < COLUMN_Y; ++o)
        UNROLL for (int v = 0; v < COLUMN_X; ++v)
            sum[o][v] = 0.0f;
    UNROLL for (int y = 0; y < COLUMN_Y - 1 + BUCKET_Y; ++y)
        if (y < COLUMN_Y - 1 + LEAST_Y || y < COLUMN_Y - 1 + g.taps_y) {
            float value[COLUMN_X];
#if COLUMN_X == 1
            value[0] = from[4 * PITCH * y];
#elif COLUMN_X == 2
            const float2 two = *(__local const float2 *)(from + 4 * PITCH * y);
            value[0] = two.s0;
            value[1] = two.s1;
#else
            const float4 four = *(__local const float4 *)(from + 4 * PITCH * y);
            value[0] = four.s0;
            value[1] = four.s1;
            value[2] = four.s2;
            value[3] = four.s3;
#endif
            UNROLL for (int o = 0; o < COLUMN_Y; ++o) {
                const int j = y - o;
                if (j >= 0 && j < BUCKET_Y && (j < LEAST_Y || j < g.taps_y))
                    UNROLL for (int v = 0; v < COLUMN_X; ++v)
                        sum[o][v] = fma(TAP_Y(j), value[v], sum[o][v]);
            }
        }

    const int out_x = left + column_x;
    const int out_y = top + column_y;
    __global DST *to = dst + dst_start(g, batch) + out_y * g.dst_row + out_x;
    if (column < classes.whole_columns && row < classes.whole_rows) {
        UNROLL for (int o = 0; o < COLUMN_Y; ++o) {
#if VECTOR >= 2 && COLUMN_X == 2
            STORE2((float2)(sum[o][0], sum[o][1]), to + o * g.dst_row);
#elif VECTOR >= 4 && COLUMN_X == 4
            STORE4((float4)(sum[o][0], sum[o][1], sum[o][2], sum[o][3]), to + o * g.dst_row);
#else
            UNROLL for (int v = 0; v < COLUMN_X; ++v)
                STORE(sum[o][v], to + o * g.dst_row + v);
#endif
        }
    } else {
        UNROLL for (int o = 0; o < COLUMN_Y; ++o)
            UNROLL for (int v = 0; v < COLUMN_X; ++v)
                if (out_y + o < g.height && out_x + v < g.width)
                    STORE(sum[o][v], to + o * g.dst_row + v);
    }
}
