// Non-local means, an item per pixel, straight from the source. Every kernel adds in the order that
// families/edge/nlm.hpp states, and all give the same bits.
#include "lib/inline.clh"
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

#if !defined(GROUP_X) || !defined(MOST)
#error GROUP_X or MOST is not defined
#endif

// The rows and columns of values, MOST of both at most, that a result sees.
typedef struct Seen {
    int rows[MOST], columns[MOST];
} Seen;

static inline float pixel_at(__global const SRC *origin, const Geometry g, const Seen *seen,
                             float scale, int x, int y, int c) {
    const int row = seen->rows[y], column = seen->columns[x];
    if (row == OUTSIDE || column == OUTSIDE)
        return scale * g.border_value;
    return scale * LOAD(origin + row * g.src_row + column + c);
}

// The sum of squares of differences between the patches whose first pixels are (x, y) and
// (other_x, other_y), as weight_of_patch() takes it.
static inline float distance_of(__global const SRC *origin, const Geometry g, const Seen *seen,
                                float scale, int x, int y, int other_x, int other_y) {
    uint sum = NO_DISTANCE;
    for (int j = 0; j < PATCH; ++j)
        for (int i = 0; i < PATCH; ++i) {
            float square = NO_SQUARE;
            for (int c = 0; c < CHANNELS; ++c) {
                const float own = pixel_at(origin, g, seen, scale, x + i, y + j, c);
                square = add_square(
                    square, pixel_at(origin, g, seen, scale, other_x + i, other_y + j, c) - own);
            }
            sum += AS_UINT(square);
        }
    return as_float(sum);
}

__kernel __attribute__((reqd_work_group_size(GROUP_X, 1, 1)))
void nlm_plain(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
               const WeightTerms terms, const PatchTerms patches) {
    const int value = (int)get_global_id(0) * CHANNELS; // of channel 0
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    if (value >= g.width)
        return;
    __global const SRC *origin = src + src_start(g, batch);
    const int halo = g.anchor_x;
    const int radius = halo - PATCH / 2;
    const float scale = patches.scale;
    Seen seen;
    for (int i = 0; i < g.taps_x; ++i) {
        seen.rows[i] = fold_row(g, y - halo + i);
        seen.columns[i] = fold_value(g, value + (i - halo) * CHANNELS);
    }
    float sums[CHANNELS];
    for (int c = 0; c < CHANNELS; ++c)
        sums[c] = terms.centre * pixel_at(origin, g, &seen, scale, halo, halo, c);
    float weights = terms.centre;
    for (int j = 0; j <= radius; ++j)
        for (int i = j == 0 ? 1 : -radius; i <= radius; ++i)
            for (int side = -1; side <= 1; side += 2) {
                const float distance =
                    distance_of(origin, g, &seen, scale, radius, radius, radius + side * i,
                                radius + side * j);
                const float weight = weight_of_patch(terms, patches, distance);
                weights += weight;
                for (int c = 0; c < CHANNELS; ++c)
                    sums[c] = fma(weight,
                                  pixel_at(origin, g, &seen, scale, halo + side * i,
                                           halo + side * j, c),
                                  sums[c]);
            }
    __global DST *to = dst + dst_start(g, batch) + (long)y * g.dst_row + value;
    for (int c = 0; c < CHANNELS; ++c)
        STORE(patches.unscale * MEAN(sums[c], weights), to + c);
}
