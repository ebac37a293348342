// Non-local means for GPUs: a group brings the pixels that a tile of results sees to local memory
// and, for one pair of opposite places of the window after the other, makes sums of columns of
// squares of differences, COLUMN of them in an item, of these sums weights, RUN of a row in an
// item, and adds what the pair has for each result. A weight serves both of its pixels: weights are
// made of the tile, and of what lies before it.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/weight_terms.clh"
#define REAL float
#define AS_REAL as_float
#define AS_BITS as_uint
#include "lib/arithmetic.clh"
#include "lib/weights.clh"
#include "lib/patch_sum.clh"

#if !defined(ITEMS) || !defined(TILE_X) || !defined(TILE_Y) || !defined(COLUMN) || !defined(RUN)
#error ITEMS, TILE_X, TILE_Y, COLUMN or RUN is not defined
#endif
#if COLUMN > TILE_Y || RUN > TILE_X || (TILE_X * TILE_Y) % ITEMS || ITEMS % TILE_X
#error the tile does not fit its items
#endif

#define HALF (PATCH / 2)
#define RESULTS (TILE_X * TILE_Y / ITEMS) // of an item, ITEMS / TILE_X rows apart
#define ROW_STEP (ITEMS / TILE_X)

// Arrays in local memory: rows are an odd number of values apart, so that items read columns at
// once.
typedef struct Layout {
    int radius;
    int pixel_pitch, pixel_plane, sum_pitch, weight_pitch;
} Layout;

INLINE void read_tile(__global const SRC *origin, const Geometry g, const Layout at, int left,
                      int top, int item, __local float *tile) {
    const int halo = at.radius + HALF;
    const int width = TILE_X + 2 * halo, rows = TILE_Y + 2 * halo;
    for (int i = item; i < width * rows; i += ITEMS) {
        const int line = i / width;
        const int column = (int)abs_diff(i, line * width);
        const int row = fold_row(g, top - halo + line);
        const int x = left - halo + column;
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            tile[c * at.pixel_plane + line * at.pixel_pitch + column] =
                read_extended(origin, g, row, x * CHANNELS + c);
    }
}

// Writes sums of PATCH squares down columns, `columns` x `rows` of them. own, other: the first
// pixels of both patches.
INLINE void sum_columns(__local float *sums, __local const float *own, __local const float *other,
                        const Layout at, int columns, int rows, int item) {
    const int units = columns * ((rows + COLUMN - 1) / COLUMN);
    for (int unit = item; unit < units; unit += ITEMS) {
        const int part = unit / columns;
        const int x = (int)abs_diff(unit, part * columns);
        const int wanted = part * COLUMN;
        const int y = min(wanted, rows - COLUMN); // the last ones are made twice, and written once
        float squares[COLUMN + PATCH - 1];
        const int from = y * at.pixel_pitch + x;
        UNROLL for (int k = 0; k < COLUMN + PATCH - 1; ++k) {
            squares[k] = 0.0f;
            UNROLL for (int c = 0; c < CHANNELS; ++c) {
                const int place = from + k * at.pixel_pitch + c * at.pixel_plane;
                const float difference = other[place] - own[place];
                squares[k] = fma(difference, difference, squares[k]);
            }
        }
#define ONE(i) squares[k + (i)]
#define PAIR(i) (squares[k + (i)] + squares[k + (i) + 1])
        UNROLL for (int k = 0; k < COLUMN; ++k)
            if (y + k >= wanted)
                sums[(y + k) * at.sum_pitch + x] = PATCH_SUM(ONE, PAIR);
#undef ONE
#undef PAIR
    }
}

// Writes weights, `columns` x `rows` of them, of sums of columns.
INLINE void write_weights(__local float *weights, __local const float *sums,
                          const WeightTerms terms, const Layout at, int columns, int rows,
                          int item) {
    const int units = rows * ((columns + RUN - 1) / RUN);
    for (int unit = item; unit < units; unit += ITEMS) {
        const int part = unit / rows;
        const int y = (int)abs_diff(unit, part * rows);
        const int wanted = part * RUN;
        const int x = min(wanted, columns - RUN);
        __local const float *from = sums + y * at.sum_pitch + x;
        float row[RUN + PATCH - 1];
        UNROLL for (int k = 0; k < RUN + PATCH - 1; ++k)
            row[k] = from[k];
#define ONE(i) row[k + (i)]
#define PAIR(i) (row[k + (i)] + row[k + (i) + 1])
        UNROLL for (int k = 0; k < RUN; ++k)
            if (x + k >= wanted)
                weights[y * at.weight_pitch + x + k] =
                    weight_of(terms, PATCH_SUM(ONE, PAIR), NEAREST);
#undef ONE
#undef PAIR
    }
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void nlm_tiled(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
               const WeightTerms terms, __local float *tile, __local float *sums,
               __local float *weights) {
    const int item = get_local_id(0);
    const int left = (int)get_group_id(0) * TILE_X;
    const int top = (int)get_group_id(1) * TILE_Y;
    const int batch = get_global_id(2);
    const int halo = g.anchor_x;
    Layout at;
    at.radius = halo - HALF;
    at.pixel_pitch = (TILE_X + 2 * halo) | 1;
    at.pixel_plane = at.pixel_pitch * (TILE_Y + 2 * halo);
    at.sum_pitch = (TILE_X + at.radius + 2 * HALF) | 1;
    at.weight_pitch = (TILE_X + at.radius) | 1;
    read_tile(src + src_start(g, batch), g, at, left, top, item, tile);
    barrier(CLK_LOCAL_MEM_FENCE);

    const int own_x = item % TILE_X, own_y = item / TILE_X;
    __local const float *own = tile + (own_y + halo) * at.pixel_pitch + own_x + halo;
    float means[CHANNELS][RESULTS], all[RESULTS];
    UNROLL for (int k = 0; k < RESULTS; ++k) {
        all[k] = terms.centre;
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            means[c][k] =
                terms.centre * own[c * at.pixel_plane + k * ROW_STEP * at.pixel_pitch];
    }
    for (int j = 0; j <= at.radius; ++j)
        for (int i = j == 0 ? 1 : -at.radius; i <= at.radius; ++i) {
            // The first weight is that of the pixel (-before, -j) of the tile.
            const int before = max(i, 0);
            const int columns = TILE_X + (int)abs(i), rows = TILE_Y + j;
            const int after = j * at.pixel_pitch + i;
            __local const float *first =
                tile + (at.radius - j) * at.pixel_pitch + at.radius - before;
            sum_columns(sums, first, first + after, at, columns + 2 * HALF, rows, item);
            barrier(CLK_LOCAL_MEM_FENCE);
            write_weights(weights, sums, terms, at, columns, rows, item);
            barrier(CLK_LOCAL_MEM_FENCE);
            __local const float *w_before =
                weights + own_y * at.weight_pitch + own_x + before - i;
            __local const float *w_after = w_before + j * at.weight_pitch + i;
            UNROLL for (int k = 0; k < RESULTS; ++k) {
                const int row = k * ROW_STEP;
                const float one = w_before[row * at.weight_pitch];
                const float other = w_after[row * at.weight_pitch];
                all[k] = (all[k] + one) + other;
                UNROLL for (int c = 0; c < CHANNELS; ++c) {
                    __local const float *pixel =
                        own + c * at.pixel_plane + row * at.pixel_pitch;
                    means[c][k] = fma(other, pixel[after], fma(one, pixel[-after], means[c][k]));
                }
            }
        }

    const int x = left + own_x;
    if (x >= g.width / CHANNELS)
        return;
    __global DST *to = dst + dst_start(g, batch) + (long)(top + own_y) * g.dst_row +
                       (long)x * CHANNELS;
    UNROLL for (int k = 0; k < RESULTS; ++k)
        if (top + own_y + k * ROW_STEP < g.height)
            UNROLL for (int c = 0; c < CHANNELS; ++c)
                STORE(MEAN(means[c][k], all[k]), to + (long)(k * ROW_STEP) * g.dst_row + c);
}
