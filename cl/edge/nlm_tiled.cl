// Non-local means for GPUs: a group brings the pixels that a tile of results sees to local memory.
// For one place of the window after the other, an item sums squares of differences down COLUMN rows
// of a column, and makes weights of such sums for RUN results of a row. It does the former for the
// next place before the latter, so that the group waits once for each place. An item keeps the
// pixels of its column, and the results of its run.
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

#if !defined(COLUMNS) || !defined(ROWS) || !defined(COLUMN)
#error COLUMNS, ROWS or COLUMN is not defined
#endif
#if ROWS % COLUMN || COLUMNS % COLUMN
#error the tile does not fit its items
#endif

#define HALF (PATCH / 2)
#define ITEMS (COLUMNS * (ROWS / COLUMN))
#define RUNS (COLUMNS / COLUMN)               // of a row
#define RUN ((COLUMNS - PATCH + 1) / RUNS)    // results
#define TILE_X (RUNS * RUN)
#define SUM_PITCH (COLUMNS | 1)

// The pixels in local memory: rows are an odd number of values apart, so that items read columns at
// once.
typedef struct Layout {
    int pitch, plane;
} Layout;

INLINE void read_tile(__global const SRC *origin, const Geometry g, const Layout at, int left,
                      int top, int item, __local float *tile) {
    const int halo = g.anchor_x;
    const int width = TILE_X + 2 * halo, rows = ROWS + 2 * halo;
    for (int i = item; i < width * rows; i += ITEMS) {
        const int line = i / width;
        const int column = (int)abs_diff(i, line * width);
        const int row = fold_row(g, top - halo + line);
        const int x = left - halo + column;
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            tile[c * at.plane + line * at.pitch + column] =
                read_extended(origin, g, row, x * CHANNELS + c);
    }
}

// Pixels of a column that sums of patches take in.
typedef struct Column {
    float pixels[COLUMN + PATCH - 1];
} Column;

// Writes sums of PATCH squares down a column. own: the column's pixels, of one channel; first: the
// first of them in the tile; offset: of the other patches from these.
INLINE void sum_column(__local float *sums, const Column own, __local const float *first,
                       const Layout at, int offset) {
    float squares[COLUMN + PATCH - 1];
    UNROLL for (int k = 0; k < COLUMN + PATCH - 1; ++k) {
        squares[k] = 0.0f;
        UNROLL for (int c = 0; c < CHANNELS; ++c) {
            __local const float *pixel = first + c * at.plane + k * at.pitch;
            const float difference = pixel[offset] - (CHANNELS == 1 ? own.pixels[k] : *pixel);
            squares[k] = fma(difference, difference, squares[k]);
        }
    }
#define ONE(i) squares[k + (i)]
#define PAIR(i) (squares[k + (i)] + squares[k + (i) + 1])
    UNROLL for (int k = 0; k < COLUMN; ++k)
        sums[k * SUM_PITCH] = PATCH_SUM(ONE, PAIR);
#undef ONE
#undef PAIR
}

// Sums over the window, for the results of an item.
typedef struct Means {
    float values[CHANNELS][RUN], weights[RUN];
} Means;

// Adds pixels, the first of which is given, with the weights of sums of columns.
INLINE void add_pixels(Means *means, const WeightTerms terms, __local const float *sums,
                       __local const float *pixels, const Layout at) {
    float row[RUN + PATCH - 1];
    UNROLL for (int k = 0; k < RUN + PATCH - 1; ++k)
        row[k] = sums[k];
#define ONE(i) row[k + (i)]
#define PAIR(i) (row[k + (i)] + row[k + (i) + 1])
    UNROLL for (int k = 0; k < RUN; ++k) {
        const float weight = weight_of(terms, PATCH_SUM(ONE, PAIR), NEAREST);
        means->weights[k] += weight;
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            means->values[c][k] = fma(weight, pixels[c * at.plane + k], means->values[c][k]);
    }
#undef ONE
#undef PAIR
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void nlm_tiled(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
               const WeightTerms terms, __local float *tile, __local float *sums) {
    const int item = get_local_id(0);
    const int left = (int)get_group_id(0) * TILE_X;
    const int top = (int)get_group_id(1) * ROWS;
    const int batch = get_global_id(2);
    const int halo = g.anchor_x;
    const int radius = halo - HALF;
    Layout at;
    at.pitch = (TILE_X + 2 * halo) | 1;
    at.plane = at.pitch * (ROWS + 2 * halo);
    read_tile(src + src_start(g, batch), g, at, left, top, item, tile);
    barrier(CLK_LOCAL_MEM_FENCE);

    // The column of the item. Columns past the last patch repeat the last one, and are unused.
    const int column = min(item % COLUMNS, TILE_X + PATCH - 2);
    const int part = item / COLUMNS * COLUMN;
    __local const float *first = tile + (part + radius) * at.pitch + column + radius;
    __local float *before = sums + part * SUM_PITCH + item % COLUMNS;
    __local float *after = before + ROWS * SUM_PITCH;
    Column own;
    UNROLL for (int k = 0; k < COLUMN + PATCH - 1; ++k)
        own.pixels[k] = first[k * at.pitch];

    // The item's results.
    const int row = item % ROWS, run = item / ROWS * RUN;
    __local const float *pixels = tile + (row + halo) * at.pitch + run + halo;
    __local const float *row_before = sums + row * SUM_PITCH + run;
    __local const float *row_after = row_before + ROWS * SUM_PITCH;
    Means means;
    UNROLL for (int k = 0; k < RUN; ++k) {
        means.weights[k] = terms.centre;
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            means.values[c][k] = terms.centre * pixels[c * at.plane + k];
    }

    // Pairs of opposite places of the window: `offset` after the pixel, and as much before it.
    int i = 1, offset = 1;
    const int pairs = ((2 * radius + 1) * (2 * radius + 1)) / 2;
    if (pairs > 0)
        sum_column(before, own, first, at, -offset);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int pair = 0; pair < pairs; ++pair) {
        sum_column(after, own, first, at, offset);
        add_pixels(&means, terms, row_before, pixels - offset, at);
        barrier(CLK_LOCAL_MEM_FENCE);
        __local const float *pixels_after = pixels + offset;
        const bool is_end = i == radius;
        i = is_end ? -radius : i + 1;
        offset += is_end ? at.pitch - 2 * radius : 1;
        if (pair + 1 < pairs)
            sum_column(before, own, first, at, -offset);
        add_pixels(&means, terms, row_after, pixels_after, at);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const int y = top + row;
    if (y >= g.height)
        return;
    __global DST *to = dst + dst_start(g, batch) + (long)y * g.dst_row;
    UNROLL for (int k = 0; k < RUN; ++k) {
        const int x = (left + run + k) * CHANNELS;
        if (x < g.width)
            UNROLL for (int c = 0; c < CHANNELS; ++c)
                STORE(MEAN(means.values[c][k], means.weights[k]), to + x + c);
    }
}
