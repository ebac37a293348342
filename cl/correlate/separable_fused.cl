// Separable correlation of a tile in two phases, for GPUs. Rows of the tile and of its apron are
// filtered along x, straight from the source, ROW_ITEM values an item, into local memory; what they
// come to is filtered along y, COLUMN_X values x COLUMN_Y rows an item. Groups are short and share
// nothing: some read while others compute.
#include "lib/inline.clh"
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

static inline void set4(float *window, float4 four) {
    window[0] = four.s0;
    window[1] = four.s1;
    window[2] = four.s2;
    window[3] = four.s3;
}

// Reads STEP values of an item's window.
INLINE void read_step(float *window, __global const SRC *from) {
#if VECTOR == 16
    const uint4 words = *(__global const uint4 *)from;
    set4(window, word_to_float4(words.s0));
    set4(window + 4, word_to_float4(words.s1));
    set4(window + 8, word_to_float4(words.s2));
    set4(window + 12, word_to_float4(words.s3));
#elif SRC_TYPE == PIXEL_F16 && VECTOR == 8
    const float8 eight = vloada_half8(0, from);
    set4(window, eight.lo);
    set4(window + 4, eight.hi);
#elif VECTOR == 8
    const SRC_WORD_PAIR words = *(__global const SRC_WORD_PAIR *)from;
    set4(window, word_to_float4(words.lo));
    set4(window + 4, word_to_float4(words.hi));
#elif VECTOR == 4
    set4(window, LOAD4(from));
#else
    set4(window, (float4)(LOAD(from), LOAD(from + 1), LOAD(from + 2), LOAD(from + 3)));
#endif
}

// Adds to a chain of ROW_ITEM values, filtered along x, what the taps make of values of a window,
// from `shift` after its first on.
INLINE void filter(float *chain, const float *window, const Geometry g, TAPS_PARAMETER,
                   const int shift) {
    UNROLL for (int i = 0; i < BUCKET_X; ++i)
        if (i < LEAST_X || i < TAPS_X)
            UNROLL for (int v = 0; v < ROW_ITEM; ++v)
                chain[v] = fma(TAP_X(i), window[shift + i * CHANNELS + v], chain[v]);
}

// The same, where SHIFT does not say what the shift is: each of those there may be has code of its
// own, so that the window stays in registers. A macro, as compilers join the branches of a function
// before they know that the window is an array.
#define FILTER_SHIFTED(chain, window, g, taps, shift)                                              \
    do {                                                                                           \
        if (SHIFT != -1)                                                                           \
            filter(chain, window, g, taps, SHIFT);                                                 \
        else if (CHANNELS == 4 || (shift) == 0)                                                    \
            filter(chain, window, g, taps, 0);                                                     \
        else if (CHANNELS != 2 && (shift) == 1)                                                    \
            filter(chain, window, g, taps, 1);                                                     \
        else if (CHANNELS == 2 || (shift) == 2)                                                    \
            filter(chain, window, g, taps, 2);                                                     \
        else                                                                                       \
            filter(chain, window, g, taps, 3);                                                     \
    } while (0)

INLINE void start_chain(float *chain) {
    UNROLL for (int v = 0; v < ROW_ITEM; ++v)
        chain[v] = 0.0f;
}

// Writes a chain where the columns are filtered.
INLINE void put_chain(__local float4 *to, const float *chain) {
    UNROLL for (int v = 0; v < ROW_ITEM; v += 4)
        to[v / 4] = (float4)(chain[v], chain[v + 1], chain[v + 2], chain[v + 3]);
}

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
                read_step(window + i, from + i);
            from += ROWS_AT_A_TIME * g.src_row;
            float chain[ROW_ITEM];
            start_chain(chain);
            FILTER_SHIFTED(chain, window, g, taps, shift);
            put_chain(tile + y * PITCH + x / 4, chain);
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
                    read_step(window + i, from + at);
                else
                    UNROLL for (int v = i; v < i + STEP; ++v) {
                        const int place = free_x || line == OUTSIDE ? OUTSIDE : places[x + v];
                        window[v] = place == OUTSIDE ? g.border_value : LOAD(from + place);
                    }
            }
            float chain[ROW_ITEM];
            start_chain(chain);
            FILTER_SHIFTED(chain, window, g, taps, shift);
            put_chain(tile + y * PITCH + x / 4, chain);
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
