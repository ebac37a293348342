// Non-local means for GPUs: a group brings the pixels that a tile of results sees to local memory.
// For one place of the window after the other, an item sums squares of differences down COLUMN rows
// of a column, and makes weights of such sums for RUN results of a row. It does the former for the
// next place before the latter, so that the group waits once for each place. An item keeps the
// results of its run and, where KEPT is 1, the pixels of its column and run, which takes as many
// registers again.
#include "lib/inline.clh"
#include "lib/rolled.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/weight_terms.clh"
#include "lib/patch_terms.clh"
#define REAL float
#define AS_REAL as_float
#define AS_BITS as_uint
#define AS_UINT as_uint
#include "lib/arithmetic.clh"
#include "lib/weights.clh"
#include "lib/patches.clh"

#if !defined(COLUMNS) || !defined(ROWS) || !defined(COLUMN) || !defined(KEPT) ||                   \
    !defined(MOST_RADIUS)
#error COLUMNS, ROWS, COLUMN, KEPT or MOST_RADIUS is not defined
#endif
#if ROWS % COLUMN || COLUMNS % COLUMN
#error the tile does not fit its items
#endif

#define HALF (PATCH / 2)
#define ITEMS (COLUMNS * (ROWS / COLUMN))
#define RUNS (COLUMNS / COLUMN)               // of a row
#define RUN ((COLUMNS - PATCH + 1) / RUNS)    // results
#define TILE_X (RUNS * RUN)
// The pixels in local memory: rows are an odd number of values apart, so that items read runs of
// many rows at once, and as far as the widest window needs, so that the compiler knows it.
#define PITCH ((TILE_X + 2 * (MOST_RADIUS + HALF)) | 1)
// Sums of columns: items read pairs of them at once where runs have whole pairs.
#define SUM_PITCH (COLUMNS + 2)

INLINE void read_tile(__global const SRC *origin, const Geometry g, float scale, int plane,
                      int left, int top, int item, __local float *tile) {
    const int halo = g.anchor_x;
    const int width = TILE_X + 2 * halo, rows = ROWS + 2 * halo;
    for (int i = item; i < width * rows; i += ITEMS) {
        const int line = i / width;
        const int column = (int)abs_diff(i, line * width);
        const int row = fold_row(g, top - halo + line);
        const int x = left - halo + column;
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            tile[c * plane + line * PITCH + column] =
                scale * read_extended(origin, g, row, x * CHANNELS + c);
    }
}

// Pixels of a column that sums of patches take in. Those of one channel are always kept.
#define KEEPS_COLUMN (KEPT || CHANNELS == 1)
typedef struct Column {
    float pixels[CHANNELS][COLUMN + PATCH - 1];
} Column;

// Writes sums of PATCH squares down a column. own: the column's pixels; first: the first of them in
// the tile; offset: of the other patches from these.
INLINE void sum_column(__local uint *sums, const Column own, __local const float *first, int plane,
                       int offset) {
    float squares[COLUMN + PATCH - 1];
    UNROLL for (int c = 0; c < CHANNELS; ++c) {
        __local const float *pixels = first + c * plane;
        __local const float *others = pixels + offset;
        UNROLL for (int k = 0; k < COLUMN + PATCH - 1; ++k)
            squares[k] = add_square(
                c == 0 ? NO_SQUARE : squares[k],
                others[k * PITCH] - (KEEPS_COLUMN ? own.pixels[c][k] : pixels[k * PITCH]));
    }
    uint sum = 0;
    UNROLL for (int k = 0; k < PATCH - 1; ++k)
        sum += AS_UINT(squares[k]);
    UNROLL for (int k = 0; k < COLUMN; ++k) {
        sum += AS_UINT(squares[k + PATCH - 1]);
        sums[k * SUM_PITCH] = sum;
        sum -= AS_UINT(squares[k]);
    }
}

// Sums over the window, for the results of an item.
typedef struct Means {
    float values[CHANNELS][RUN], weights[RUN];
} Means;

// The pixels of an item's run at a place of the window. Where they stay in registers while the
// place moves along x, one is read for each step. Those of several channels would not fit there.
#define KEEPS_PLACES (KEPT && CHANNELS == 1)
typedef struct Place {
    float kept[RUN];
} Place;

INLINE Place read_place(__local const float *pixels) {
    Place place;
    UNROLL for (int k = 0; k < RUN; ++k)
        place.kept[k] = KEEPS_PLACES ? pixels[k] : 0.0f;
    return place;
}

// Three steps at a time take a third of the moves.
#if KEEPS_PLACES
#define STEPS _Pragma("unroll 3")
#else
#define STEPS ROLLED
#endif

// pixels: the first one of the new place.
INLINE void move_right(Place *place, __local const float *pixels) {
    UNROLL for (int k = 0; k < RUN - 1; ++k)
        place->kept[k] = place->kept[k + 1];
    place->kept[RUN - 1] = pixels[RUN - 1];
}

INLINE void move_left(Place *place, __local const float *pixels) {
    UNROLL for (int k = RUN - 1; k > 0; --k)
        place->kept[k] = place->kept[k - 1];
    place->kept[0] = *pixels;
}

// Adds the pixels of a place, the first of which is given, with the weights of sums of columns.
INLINE void add_pixels(Means *means, const WeightTerms terms, const PatchTerms patches,
                       __local const uint *sums, const Place *place,
                       __local const float *pixels, int plane) {
    uint row[RUN + PATCH];
#if RUN % 2 == 0
    UNROLL for (int k = 0; k < RUN + PATCH - 1; k += 2) {
        const uint2 pair = *(__local const uint2 *)(sums + k);
        row[k] = pair.s0;
        row[k + 1] = pair.s1;
    }
#else
    UNROLL for (int k = 0; k < RUN + PATCH - 1; ++k)
        row[k] = sums[k];
#endif
    uint sum = NO_DISTANCE;
    UNROLL for (int k = 0; k < PATCH - 1; ++k)
        sum += row[k];
    UNROLL for (int k = 0; k < RUN; ++k) {
        sum += row[k + PATCH - 1];
        const float weight = weight_of_patch(terms, patches, as_float(sum));
        sum -= row[k];
        means->weights[k] += weight;
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            means->values[c][k] =
                fma(weight, KEEPS_PLACES ? place->kept[k] : pixels[c * plane + k],
                    means->values[c][k]);
    }
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void nlm_tiled(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
               const WeightTerms terms, const PatchTerms patches, __local float *tile,
               __local uint2 *sum_pairs) {
    const int item = get_local_id(0);
    const int left = (int)get_group_id(0) * TILE_X;
    const int top = (int)get_group_id(1) * ROWS;
    const int batch = get_global_id(2);
    const int halo = g.anchor_x;
    const int radius = halo - HALF;
    const int plane = PITCH * (ROWS + 2 * halo);
    __local uint *sums = (__local uint *)sum_pairs;
    read_tile(src + src_start(g, batch), g, patches.scale, plane, left, top, item, tile);
    barrier(CLK_LOCAL_MEM_FENCE);

    // The column of the item. Columns past the last patch repeat the last one, and are unused.
    const int column = min(item % COLUMNS, TILE_X + PATCH - 2);
    const int part = item / COLUMNS * COLUMN;
    __local const float *first = tile + (part + radius) * PITCH + column + radius;
    __local uint *before = sums + part * SUM_PITCH + item % COLUMNS;
    __local uint *after = before + ROWS * SUM_PITCH;
    Column own;
    UNROLL for (int c = 0; c < CHANNELS; ++c)
        UNROLL for (int k = 0; k < COLUMN + PATCH - 1; ++k)
            own.pixels[c][k] = first[c * plane + k * PITCH];

    // The item's results.
    const int row = item % ROWS, run = item / ROWS * RUN;
    __local const float *pixels = tile + (row + halo) * PITCH + run + halo;
    __local const uint *row_before = sums + row * SUM_PITCH + run;
    __local const uint *row_after = row_before + ROWS * SUM_PITCH;
    Means means;
    UNROLL for (int k = 0; k < RUN; ++k) {
        means.weights[k] = terms.centre;
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            means.values[c][k] = terms.centre * pixels[c * plane + k];
    }

    // Pairs of opposite places of the window: `offset` after the pixel, and as much before it.
    if (radius > 0)
        sum_column(before, own, first, plane, -1);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j <= radius; ++j) {
        int i = j == 0 ? 1 : -radius;
        // One step from the first places.
        Place place_before = read_place(pixels - (j * PITCH + i - 1));
        Place place_after = read_place(pixels + (j * PITCH + i - 1));
        STEPS for (; i <= radius; ++i) {
            const int offset = j * PITCH + i;
            move_left(&place_before, pixels - offset);
            move_right(&place_after, pixels + offset);
            sum_column(after, own, first, plane, offset);
            add_pixels(&means, terms, patches, row_before, &place_before, pixels - offset, plane);
            barrier(CLK_LOCAL_MEM_FENCE);
            const int next = i < radius ? offset + 1 : (j + 1) * PITCH - radius;
            if (i < radius || j < radius)
                sum_column(before, own, first, plane, -next);
            add_pixels(&means, terms, patches, row_after, &place_after, pixels + offset, plane);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }

    const int y = top + row;
    if (y >= g.height)
        return;
    __global DST *to = dst + dst_start(g, batch) + (long)y * g.dst_row;
    UNROLL for (int k = 0; k < RUN; ++k) {
        const int x = (left + run + k) * CHANNELS;
        if (x < g.width)
            UNROLL for (int c = 0; c < CHANNELS; ++c)
                STORE(patches.unscale * MEAN(means.values[c][k], means.weights[k]), to + x + c);
    }
}
