// Correlation of pixels of several components with dense taps, by tiles, for GPUs. A group reads a tile and
// what lies around it into local memory, each component by itself: an item makes four results of one
// component, for which it reads the values that it needs and hardly any others, where in an image's own order
// two of three would be other components'. Results go back to the image's order by way of local memory.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"

#if !defined(BUCKET) || !defined(ALIGNED) || !defined(EXACT) || !defined(BY_VALUE)
#error BUCKET, ALIGNED, EXACT or BY_VALUE is not defined
#endif
#if !defined(QUADS) || !defined(GROUP_Y) || !defined(ITEM_Y)
#error QUADS, GROUP_Y or ITEM_Y is not defined
#endif

// A quad is four results of a component side by side.
#define ITEM_X 4
#define GROUP_X (QUADS * CHANNELS)
#define GROUP (GROUP_X * GROUP_Y)
#define TILE_X (GROUP_X * ITEM_X) // values
#define TILE_Y (GROUP_Y * ITEM_Y)
#define PIXELS (QUADS * ITEM_X)
#define ROUNDED_UP(n) (((n) + 3) / 4 * 4)

// For correlate_tiled_rows.clh.
#define SEPARABLE 0
#define PIXEL_STEP 1

// Rows of BUCKET taps.
typedef struct Taps {
    float k[BUCKET * BUCKET];
} Taps;

// Whole vectors: what they have beyond from[last] is not used.
#define READ_PLANE(window, size, from, begin, last, shift)                                         \
    do {                                                                                           \
        float raw_[((size) + 3) / 4 * 4];                                                          \
        UNROLL for (int v_ = 0; v_ < ((size) + 3) / 4; ++v_) {                                     \
            const float4 four_ = *(__local const float4 *)((from) + (begin) + 4 * v_);             \
            raw_[4 * v_] = four_.s0;                                                               \
            raw_[4 * v_ + 1] = four_.s1;                                                           \
            raw_[4 * v_ + 2] = four_.s2;                                                           \
            raw_[4 * v_ + 3] = four_.s3;                                                           \
        }                                                                                          \
        UNROLL for (int i_ = 0; i_ < (size); ++i_)                                                 \
            (window)[i_] = raw_[i_];                                                               \
    } while (0)

// The place in local memory of value v of a tile's row, from where the row of the first component begins.
INLINE int place_of(int v, int plane) {
    const int pixel = (uint)v / CHANNELS;
    return (v - pixel * CHANNELS) * plane + pixel;
}

// tile: the components one after the other, of tile_rows rows each; then the results, as in the image.
__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void correlate_planar(__global const SRC *restrict src, __global DST *restrict dst,
                      const Geometry g, const TileClasses classes,
#if BY_VALUE
                      const Taps taps_by_value,
#endif
                      __constant float *restrict taps, __local float4 *restrict tile4) {
    const int item_x = get_local_id(0);
    const int item_y = get_local_id(1);
    const int column = get_group_id(0);
    const int row = get_group_id(1);
    const int batch = get_group_id(2);
    const int left = column * TILE_X;
    const int top = row * TILE_Y;
    const int pitch = PIXELS + ROUNDED_UP(g.taps_x - 1);
    const int tile_rows = TILE_Y + g.taps_y - 1;
    const int plane = pitch * tile_rows;
    const int before = g.anchor_x * CHANNELS; // values before the tile's first one that its results need
    const int values = TILE_X + (g.taps_x - 1) * CHANNELS;
    __global const SRC *origin = src + src_start(g, batch);
    __local float *tile = (__local float *)tile4;

    const bool free_read = column >= classes.free_left && column < classes.free_right &&
                           row >= classes.free_top && row < classes.free_bottom;
#if ALIGNED
    if (free_read) {
        const int skipped = ROUNDED_UP(before) - before; // values of a row's first vector
        const int vectors = (skipped + values + 3) / 4;
        __global const SRC *from = origin + (long)(top - g.anchor_y) * g.src_row + left - before - skipped;
        int y = 0;
        for (int x = item_y * GROUP_X + item_x;; x += GROUP) {
            for (; x >= vectors; x -= vectors)
                ++y;
            if (y >= tile_rows)
                break;
            const float4 four = LOAD4(from + y * g.src_row + 4 * x);
            const float value[4] = {four.s0, four.s1, four.s2, four.s3};
            __local float *to = tile + y * pitch;
            UNROLL for (int k = 0; k < 4; ++k) {
                const int v = 4 * x + k - skipped;
                if (v >= 0 && v < values)
                    to[place_of(v, plane)] = value[k];
            }
        }
    } else
#endif
    {
        for (int y = item_y; y < tile_rows; y += GROUP_Y) {
            const int from = fold_row(g, top + y - g.anchor_y);
            for (int v = item_x; v < values; v += GROUP_X)
                tile[y * pitch + place_of(v, plane)] =
                    read_extended(origin, g, from, left + v - before);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int component = (uint)item_x / QUADS;
    const int quad = (uint)item_x % QUADS;
    __local const float *from_tile = tile + component * plane + item_y * ITEM_Y * pitch + quad * ITEM_X;
    float sum[ITEM_Y][ITEM_X];
    UNROLL for (int o = 0; o < ITEM_Y; ++o)
        UNROLL for (int v = 0; v < ITEM_X; ++v)
            sum[o][v] = 0.0f;
#if EXACT
    if (g.taps_x == BUCKET && g.taps_y == BUCKET && g.anchor_x == BUCKET / 2) {
#define READ READ_PLANE
#define FROM(y) (from_tile + (y)*pitch)
#define UNROLLED 1
#include "lib/correlate_tiled_rows.clh"
    } else
#endif
    {
#define READ READ_PLANE
#define FROM(y) (from_tile + (y)*pitch)
#define UNROLLED 0
#include "lib/correlate_tiled_rows.clh"
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    UNROLL for (int o = 0; o < ITEM_Y; ++o)
        UNROLL for (int v = 0; v < ITEM_X; ++v)
            tile[(item_y * ITEM_Y + o) * TILE_X + (quad * ITEM_X + v) * CHANNELS + component] =
                sum[o][v];
    barrier(CLK_LOCAL_MEM_FENCE);

    const bool free_write = column < classes.whole_columns && row < classes.whole_rows;
    __global DST *to = dst + dst_start(g, batch) + (long)(top + item_y) * g.dst_row + left;
    UNROLL for (int o = 0; o < ITEM_Y; ++o) {
        const int y = item_y + o * GROUP_Y;
#if ALIGNED
        if (free_write)
            STORE4(tile4[y * GROUP_X + item_x], to + 4 * item_x);
        else
#endif
            if (top + y < g.height)
                UNROLL for (int k = 0; k < ITEM_X; ++k) {
                    const int v = item_x + k * GROUP_X;
                    if (left + v < g.width)
                        STORE(tile[y * TILE_X + v], to + v);
                }
        to += GROUP_Y * g.dst_row;
    }
}
