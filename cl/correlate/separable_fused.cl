// Separable correlation of a tile in two phases, for GPUs. Rows of the tile and of its apron are
// filtered along x, straight from the source, ROW_ITEM values an item, into local memory; what they
// come to is filtered along y, COLUMN_X values x COLUMN_Y rows an item. Groups are short and share
// nothing: some read while others compute.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"

#if !defined(BUCKET_X) || !defined(LEAST_X) || !defined(BUCKET_Y) || !defined(LEAST_Y)
#error BUCKET_X, LEAST_X, BUCKET_Y or LEAST_Y is not defined
#endif
#if !defined(VECTOR) || !defined(SHIFT)
#error VECTOR or SHIFT is not defined
#endif
#if !defined(TILE_X) || !defined(TILE_Y) || !defined(ROW_ITEM) || !defined(COLUMN_X) ||           \
    !defined(COLUMN_Y)
#error TILE_X, TILE_Y, ROW_ITEM, COLUMN_X or COLUMN_Y is not defined
#endif

#define UNROLL _Pragma("unroll")

// There are LEAST to BUCKET taps along an axis: the loops are unrolled, and only the taps after the
// first LEAST ask whether they exist.
#define MOST_X BUCKET_X
#define MOST_Y BUCKET_Y
#include "lib/taps.clh"

#define GROUP (TILE_X / COLUMN_X * (TILE_Y / COLUMN_Y))
#define ITEMS_X (TILE_X / ROW_ITEM)
// The source is read in aligned vectors of VECTOR values, or value by value where that is 1. The
// first value that an item needs lies SHIFT values past an aligned address, up to 3 of which the
// host says how many where SHIFT is -1; it lies with all others in WINDOW values.
#define STEP (VECTOR == 1 ? 4 : VECTOR)
#define MOST_SHIFT (SHIFT == -1 ? 3 : SHIFT)
#define WINDOW ((MOST_SHIFT + ROW_ITEM + (BUCKET_X - 1) * CHANNELS + STEP - 1) / STEP * STEP)
#define TAPS_X (LEAST_X == BUCKET_X ? BUCKET_X : g.taps_x)
#define TAPS_Y (LEAST_Y == BUCKET_Y ? BUCKET_Y : g.taps_y)
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
        const uint4 words_ = *(__global const uint4 *)(p);                                         \
        SET4(i, word_to_float4(words_.s0));                                                        \
        SET4((i) + 4, word_to_float4(words_.s1));                                                  \
        SET4((i) + 8, word_to_float4(words_.s2));                                                  \
        SET4((i) + 12, word_to_float4(words_.s3));                                                 \
    } while (0)
#elif SRC_TYPE == PIXEL_F16 && VECTOR == 8
#define READ(i, p)                                                                                 \
    do {                                                                                           \
        const float8 eight_ = vloada_half8(0, p);                                                  \
        SET4(i, eight_.lo);                                                                        \
        SET4((i) + 4, eight_.hi);                                                                  \
    } while (0)
#elif VECTOR == 8
#define READ(i, p)                                                                                 \
    do {                                                                                           \
        const SRC_WORD_PAIR words_ = *(__global const SRC_WORD_PAIR *)(p);                         \
        SET4(i, word_to_float4(words_.lo));                                                        \
        SET4((i) + 4, word_to_float4(words_.hi));                                                  \
    } while (0)
#elif VECTOR == 4
#define READ(i, p) SET4(i, LOAD4(p))
#else
#define READ(i, p) SET4(i, (float4)(LOAD(p), LOAD((p) + 1), LOAD((p) + 2), LOAD((p) + 3)))
#endif

// Filters ROW_ITEM values along x, from `window` to vectors in local memory.
#define FILTER(shift)                                                                              \
    do {                                                                                           \
        UNROLL for (int i_ = 0; i_ < BUCKET_X; ++i_)                                               \
            if (i_ < LEAST_X || i_ < TAPS_X)                                                       \
                UNROLL for (int v_ = 0; v_ < ROW_ITEM; ++v_)                                       \
                    chain[v_] = fma(TAP_X(i_), window[(shift) + i_ * CHANNELS + v_], chain[v_]);   \
    } while (0)
#if SHIFT >= 0
#define FILTER_SHIFTED FILTER(SHIFT)
#elif CHANNELS == 4
#define FILTER_SHIFTED FILTER(0)
#elif CHANNELS == 2
#define FILTER_SHIFTED                                                                             \
    if (shift == 0)                                                                                \
        FILTER(0);                                                                                 \
    else                                                                                           \
        FILTER(2)
#else
#define FILTER_SHIFTED                                                                             \
    if (shift == 0)                                                                                \
        FILTER(0);                                                                                 \
    else if (shift == 1)                                                                           \
        FILTER(1);                                                                                 \
    else if (shift == 2)                                                                           \
        FILTER(2);                                                                                 \
    else                                                                                           \
        FILTER(3)
#endif
#define FILTER_ROW(to)                                                                             \
    do {                                                                                           \
        float chain[ROW_ITEM];                                                                     \
        UNROLL for (int v_ = 0; v_ < ROW_ITEM; ++v_)                                               \
            chain[v_] = 0.0f;                                                                      \
        FILTER_SHIFTED;                                                                            \
        UNROLL for (int v_ = 0; v_ < ROW_ITEM; v_ += 4)                                            \
            (to)[v_ / 4] = (float4)(chain[v_], chain[v_ + 1], chain[v_ + 2], chain[v_ + 3]);       \
    } while (0)

// Rows of a tile, with its apron, that one pass of the group filters along x.
#define ROWS_AT_A_TIME (GROUP / ITEMS_X)
#define COLUMNS (TILE_X - ROW_ITEM + WINDOW) // that the tile's windows cover

// places: where in a row the values stand that a tile at the image's edge reads, or OUTSIDE.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void separable_fused(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                     const TileClasses classes, TAPS_PARAMETER, const int shift,
                     __local float4 *restrict tile, __local int *restrict places) {
    const int item = get_local_id(0);
    const int column = get_group_id(0);
    const int row = get_group_id(1);
    const int batch = get_group_id(2);
    const bool free_x = column >= classes.free_left && column < classes.free_right;
    const bool free_y = row >= classes.free_top && row < classes.free_bottom;
    const int left = column * TILE_X;
    const int top = row * TILE_Y;
    __global const SRC *origin = src + src_start(g, batch);

    const int begin = left - g.anchor_x * CHANNELS - shift;
    if (!free_x) {
        for (int i = item; i < COLUMNS; i += GROUP)
            places[i] = fold_value(g, begin + i);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const int x = (item & (ITEMS_X - 1)) * ROW_ITEM;
    int y = item / ITEMS_X;
    // A loop for each kind of tile: checks beside a loop cost it registers.
    if (free_x && free_y) {
        __global const SRC *from =
            origin + (long)(top - g.anchor_y + y) * g.src_row + (begin + x);
        for (; y < TILE_Y + TAPS_Y - 1; y += ROWS_AT_A_TIME) {
            float window[WINDOW];
            UNROLL for (int i = 0; i < WINDOW; i += STEP)
                READ(i, from + i);
            from += ROWS_AT_A_TIME * g.src_row;
            FILTER_ROW(tile + y * PITCH + x / 4);
        }
    } else {
        const int valid_left = g.valid_left * CHANNELS;
        const int valid_right = g.valid_right * CHANNELS;
        for (; y < TILE_Y + TAPS_Y - 1; y += ROWS_AT_A_TIME) {
            const int line = fold_row(g, top - g.anchor_y + y);
            __global const SRC *from = origin + (line == OUTSIDE ? 0 : line) * g.src_row;
            float window[WINDOW];
            UNROLL for (int i = 0; i < WINDOW; i += STEP) {
                const int at = begin + x + i;
                if (line != OUTSIDE && at >= valid_left && at + STEP <= valid_right)
                    READ(i, from + at);
                else
                    UNROLL for (int v = i; v < i + STEP; ++v) {
                        const int place = free_x || line == OUTSIDE ? OUTSIDE : places[x + v];
                        window[v] = place == OUTSIDE ? g.border_value : LOAD(from + place);
                    }
            }
            FILTER_ROW(tile + y * PITCH + x / 4);
        }
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
        if (y < COLUMN_Y - 1 + LEAST_Y || y < COLUMN_Y - 1 + TAPS_Y) {
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
                if (j >= 0 && j < BUCKET_Y && (j < LEAST_Y || j < TAPS_Y))
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
            STORE2((float2)(sum[o][0], sum[o][1]), to);
#elif VECTOR >= 4 && COLUMN_X == 4
            STORE4((float4)(sum[o][0], sum[o][1], sum[o][2], sum[o][3]), to);
#else
            UNROLL for (int v = 0; v < COLUMN_X; ++v)
                STORE(sum[o][v], to + v);
#endif
            to += g.dst_row;
        }
    } else {
        UNROLL for (int o = 0; o < COLUMN_Y; ++o)
            UNROLL for (int v = 0; v < COLUMN_X; ++v)
                if (out_y + o < g.height && out_x + v < g.width)
                    STORE(sum[o][v], to + o * g.dst_row + v);
    }
}
