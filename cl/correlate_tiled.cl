// Correlation by tiles, after AMD's tiled convolution: a group makes a tile of TILE_X values x TILE_Y rows, an item 4 values
// of ITEM_Y rows. The host sorts the groups into four classes, once per group: free or checked on read, free or checked on
// write. Free groups read raw pixels through the cache; checked ones from a tile in local memory that the border has
// extended. Where the taps are separable, rows are filtered along x once and shared through local memory.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"

#if !defined(SEPARABLE) || !defined(BUCKET) || !defined(ALIGNED) || !defined(TAPS_BY_VALUE)
#error SEPARABLE, BUCKET, ALIGNED or TAPS_BY_VALUE is not defined
#endif
#if !defined(GROUP_X) || !defined(GROUP_Y) || !defined(ITEM_Y)
#error GROUP_X, GROUP_Y or ITEM_Y is not defined
#endif

#define TILE_X (GROUP_X * 4)
#define TILE_Y (GROUP_Y * ITEM_Y)

// Taps are stored with BUCKET as the stride: separable, those along x and then those along y; else rows. By value they
// sit where an fma can read them directly, if every index is known when the kernel is compiled.
#if TAPS_BY_VALUE
#define UNROLL _Pragma("unroll")
#define BOUND(n) BUCKET
typedef struct Taps {
    float k[SEPARABLE ? 2 * BUCKET : BUCKET * BUCKET];
} Taps;
#define TAPS_ARGUMENT const Taps taps
#define TAP(i) taps.k[i]
#else
#define UNROLL
#define BOUND(n) (n)
#define TAPS_ARGUMENT __constant float *restrict taps
#define TAP(i) taps[i]
#endif

// Taps along x are taken four at a time; a block of four needs this many values of the row.
#define WINDOW (4 * (CHANNELS + 1))

// A row as free groups see it: from is the first value that the item's first tap needs; last is the index of the last one
// needed. Nothing beyond is read.
static inline void read_window_free(float *window, __global const SRC *from, int begin, int last,
                                    int shift) {
#if ALIGNED
    // from is `shift` values past an aligned address: read whole vectors and shift them by selection.
    __global const SRC *aligned = from - shift;
    const int last_vector = (last + shift) / 4;
    float raw[WINDOW + 4];
    for (int v = 0; v <= WINDOW / 4; ++v) {
        const float4 four = LOAD4(aligned + 4 * min(begin / 4 + v, last_vector));
        raw[4 * v] = four.s0;
        raw[4 * v + 1] = four.s1;
        raw[4 * v + 2] = four.s2;
        raw[4 * v + 3] = four.s3;
    }
    for (int i = 0; i < WINDOW + 2; ++i)
        raw[i] = shift & 1 ? raw[i + 1] : raw[i];
    for (int i = 0; i < WINDOW; ++i)
        window[i] = shift & 2 ? raw[i + 2] : raw[i];
#else
    for (int i = 0; i < WINDOW; ++i)
        window[i] = LOAD(from + min(begin + i, last));
#endif
}

static inline void read_window_local(float *window, __local const float *from, int begin, int last) {
    for (int i = 0; i < WINDOW; ++i)
        window[i] = from[min(begin + i, last)];
}

__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void correlate_tiled(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                     const TileClasses classes, TAPS_ARGUMENT, __local float *restrict tile
#if SEPARABLE
                     ,
                     __local float4 *restrict filtered
#endif
) {
    const int item_x = get_local_id(0);
    const int item_y = get_local_id(1);
    const int column = get_group_id(0);
    const int row = get_group_id(1);
    const int batch = get_group_id(2);
    const bool free_read = column >= classes.free_left && column < classes.free_right &&
                           row >= classes.free_top && row < classes.free_bottom;
    const bool free_write = column < classes.whole_columns && row < classes.whole_rows;

    const int left = column * TILE_X;
    const int top = row * TILE_Y;
    const int tile_width = TILE_X + (g.taps_x - 1) * CHANNELS;
    const int tile_rows = TILE_Y + g.taps_y - 1;
    const int last = (g.taps_x - 1) * CHANNELS + 3;
    const int shift = -(g.anchor_x * CHANNELS) & 3;
    __global const SRC *origin = src + src_start(g, batch);

    if (!free_read) {
        for (int y = item_y; y < tile_rows; y += GROUP_Y) {
            const int from = fold_row(g, top + y - g.anchor_y);
            for (int x = item_x; x < tile_width; x += GROUP_X)
                tile[y * tile_width + x] =
                    read_extended(origin, g, from, left + x - g.anchor_x * CHANNELS);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float4 sum[ITEM_Y];
    for (int o = 0; o < ITEM_Y; ++o)
        sum[o] = 0.0f;
    // The first value that the item's first tap needs in the tile's first row.
    __global const SRC *from_source =
        origin + (long)(top - g.anchor_y) * g.src_row + (left + 4 * item_x - g.anchor_x * CHANNELS);
    __local const float *from_tile = tile + 4 * item_x;

#if SEPARABLE
    for (int y = item_y; y < tile_rows; y += GROUP_Y) {
        float4 chain = 0.0f;
        UNROLL for (int block = 0; block < BOUND(g.taps_x); block += 4) {
            if (block >= g.taps_x)
                continue;
            float window[WINDOW];
            if (free_read)
                read_window_free(window, from_source + y * g.src_row, block * CHANNELS, last,
                                 shift);
            else
                read_window_local(window, from_tile + y * tile_width, block * CHANNELS, last);
            UNROLL for (int i = 0; i < 4; ++i) {
                const int w = i * CHANNELS;
                if (block + i < BUCKET && block + i < g.taps_x)
                    chain = fma((float4)(TAP(block + i)),
                                (float4)(window[w], window[w + 1], window[w + 2], window[w + 3]), chain);
            }
        }
        filtered[y * GROUP_X + item_x] = chain;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    UNROLL for (int y = 0; y < ITEM_Y - 1 + BOUND(g.taps_y); ++y) {
        if (y >= ITEM_Y - 1 + g.taps_y)
            continue;
        const float4 value = filtered[(item_y * ITEM_Y + y) * GROUP_X + item_x];
        UNROLL for (int o = 0; o < ITEM_Y; ++o) {
            const int j = y - o;
            if (j >= 0 && j < BUCKET && j < g.taps_y)
                sum[o] = fma((float4)(TAP(BUCKET + j)), value, sum[o]);
        }
    }
#else
    UNROLL for (int y = 0; y < ITEM_Y - 1 + BOUND(g.taps_y); ++y) {
        if (y >= ITEM_Y - 1 + g.taps_y)
            continue;
        const int tile_y = item_y * ITEM_Y + y;
        UNROLL for (int block = 0; block < BOUND(g.taps_x); block += 4) {
            if (block >= g.taps_x)
                continue;
            float window[WINDOW];
            if (free_read)
                read_window_free(window, from_source + tile_y * g.src_row, block * CHANNELS, last,
                                 shift);
            else
                read_window_local(window, from_tile + tile_y * tile_width, block * CHANNELS, last);
            UNROLL for (int i = 0; i < 4; ++i) {
                if (block + i >= BUCKET || block + i >= g.taps_x)
                    continue;
                const int w = i * CHANNELS;
                const float4 value =
                    (float4)(window[w], window[w + 1], window[w + 2], window[w + 3]);
                UNROLL for (int o = 0; o < ITEM_Y; ++o) {
                    const int j = y - o;
                    if (j >= 0 && j < BUCKET && j < g.taps_y)
                        sum[o] = fma((float4)(TAP(j * BUCKET + block + i)), value, sum[o]);
                }
            }
        }
    }
#endif

    const int x = left + 4 * item_x;
    const int y = top + item_y * ITEM_Y;
    __global DST *to = dst + dst_start(g, batch) + y * g.dst_row + x;
    if (free_write) {
        for (int o = 0; o < ITEM_Y; ++o) {
#if ALIGNED
            STORE4(sum[o], to + o * g.dst_row);
#else
            STORE(sum[o].s0, to + o * g.dst_row);
            STORE(sum[o].s1, to + o * g.dst_row + 1);
            STORE(sum[o].s2, to + o * g.dst_row + 2);
            STORE(sum[o].s3, to + o * g.dst_row + 3);
#endif
        }
    } else {
        for (int o = 0; o < ITEM_Y; ++o) {
            __global DST *row_to = to + o * g.dst_row;
            if (y + o < g.height) {
                if (x < g.width)
                    STORE(sum[o].s0, row_to);
                if (x + 1 < g.width)
                    STORE(sum[o].s1, row_to + 1);
                if (x + 2 < g.width)
                    STORE(sum[o].s2, row_to + 2);
                if (x + 3 < g.width)
                    STORE(sum[o].s3, row_to + 3);
            }
        }
    }
}
