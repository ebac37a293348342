// The bilateral filter for GPUs: a group brings the pixels that a tile of results needs to local
// memory, and an item makes COLUMNS results side by side, whose windows share the pixels that it
// reads of a row.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/volume.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/weight_terms.clh"
#define REAL float
#define AS_REAL as_float
#define AS_BITS as_uint
#include "lib/arithmetic.clh"
#include "lib/weights.clh"

#if !defined(GROUP_X) || !defined(GROUP_Y) || !defined(COLUMNS)
#error GROUP_X, GROUP_Y or COLUMNS is not defined
#endif
#if !defined(WINDOW_X) || !defined(WINDOW_Y) || !defined(WINDOW_Z)
#error WINDOW_X, WINDOW_Y or WINDOW_Z is not defined
#endif

#define ANCHOR_X ((WINDOW_X - 1) / 2)
#define ANCHOR_Y ((WINDOW_Y - 1) / 2)
#define ANCHOR_Z ((WINDOW_Z - 1) / 2)
#define SPAN (COLUMNS + WINDOW_X - 1) // pixels of a row that an item reads
// The tile: rows of slices, each channel by itself.
#define WIDTH (GROUP_X * COLUMNS + WINDOW_X - 1)
#define ROWS (GROUP_Y + WINDOW_Y - 1)
#define PLANE (WIDTH * ROWS * WINDOW_Z)

// Reads the tile of the results from column `left` and row `top` on.
INLINE void read_tile(__global const SRC *volume, const Geometry g, const Volume v, int left,
                      int top, int own_slice, __local float *tile) {
    const int item = get_local_id(1) * GROUP_X + get_local_id(0);
    for (int i = item; i < WIDTH * ROWS * WINDOW_Z; i += GROUP_X * GROUP_Y) {
        const int line = i / WIDTH;
        const int z = line / ROWS;
        const int slice =
            fold(own_slice + z - ANCHOR_Z, v.valid_front, v.valid_back, g.border_mode);
        const int row = slice == OUTSIDE
                            ? OUTSIDE
                            : fold_row(g, top - ANCHOR_Y + (int)abs_diff(line, z * ROWS));
        const int x = left - ANCHOR_X + (int)abs_diff(i, line * WIDTH);
        __global const SRC *origin = volume + (slice == OUTSIDE ? 0 : slice * g.src_slice);
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            tile[c * PLANE + i] = read_extended(origin, g, row, x * CHANNELS + c);
    }
}

// Pixels, and sums over their windows, of an item's results.
typedef struct Means {
    float own[CHANNELS][COLUMNS], sums[CHANNELS][COLUMNS], weights[COLUMNS];
} Means;

// Adds a row of windows. p: its first pixel for the first result. has_middle: whether the results'
// own pixels are in it, which are left out.
INLINE void add_row(Means *means, const WeightTerms terms, __local const float *p,
                    __global const float *space, bool has_middle) {
    float pixels[CHANNELS][SPAN];
    UNROLL for (int c = 0; c < CHANNELS; ++c)
        UNROLL for (int i = 0; i < SPAN; ++i)
            pixels[c][i] = p[c * PLANE + i];
    UNROLL for (int i = 0; i < WINDOW_X; ++i) {
        const float own_space = space[i];
        if (!has_middle || i != ANCHOR_X)
            UNROLL for (int k = 0; k < COLUMNS; ++k) {
                float differences[CHANNELS];
                float square = 0.0f;
                UNROLL for (int c = 0; c < CHANNELS; ++c) {
                    differences[c] = pixels[c][k + i] - means->own[c][k];
                    square = fma(differences[c], differences[c], square);
                }
                const float weight = weight_of(terms, square, own_space);
                means->weights[k] += weight;
                UNROLL for (int c = 0; c < CHANNELS; ++c)
                    means->sums[c][k] = fma(weight, differences[c], means->sums[c][k]);
            }
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void bilateral_tiled(__global const SRC *restrict src, __global DST *restrict dst,
                     const Geometry g, const Volume v, const WeightTerms terms,
                     __global const float *restrict space, __local float *tile) {
    const int left = (int)get_group_id(0) * GROUP_X * COLUMNS;
    const int top = (int)get_group_id(1) * GROUP_Y;
    const int batch = get_global_id(2);
    const int own_slice = batch % g.slices;
    read_tile(src + src_start(g, batch - own_slice), g, v, left, top, own_slice, tile);
    barrier(CLK_LOCAL_MEM_FENCE);

    const int width = g.width / CHANNELS;
    const int x = left + (int)get_local_id(0) * COLUMNS;
    const int y = top + (int)get_local_id(1);
    if (x >= width || y >= g.height)
        return;
    __local const float *own = tile + get_local_id(1) * WIDTH + get_local_id(0) * COLUMNS;
    Means means;
    UNROLL for (int k = 0; k < COLUMNS; ++k) {
        means.weights[k] = terms.centre;
        UNROLL for (int c = 0; c < CHANNELS; ++c) {
            means.own[c][k] =
                own[c * PLANE + (ANCHOR_Z * ROWS + ANCHOR_Y) * WIDTH + ANCHOR_X + k];
            means.sums[c][k] = 0.0f;
        }
    }
    for (int z = 0; z < WINDOW_Z; ++z)
        for (int j = 0; j < WINDOW_Y; ++j) {
            add_row(&means, terms, own + (z * ROWS + j) * WIDTH, space,
                    z == ANCHOR_Z && j == ANCHOR_Y);
            space += WINDOW_X;
        }
    __global DST *to = dst + dst_start(g, batch) + (long)y * g.dst_row + (long)x * CHANNELS;
    UNROLL for (int k = 0; k < COLUMNS; ++k)
        if (x + k < width)
            UNROLL for (int c = 0; c < CHANNELS; ++c)
                STORE(means.own[c][k] + MEAN(means.sums[c][k], means.weights[k]),
                      to + k * CHANNELS + c);
}
