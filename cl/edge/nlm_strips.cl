// Non-local means for CPUs: an item filters a strip of STRIP pixels of BAND rows alone, LANES
// results at a time in vector registers. It brings all pixels that these results see to private
// memory and, for one pair of opposite places of the window after the other, goes down their rows:
// a row of squares of differences, of sums of columns, and of weights. A weight serves both of its
// pixels: those of the last rows are in a ring.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/weight_terms.clh"
#include "lib/patch_terms.clh"
#include "lib/once.clh"
#define LANES 16
#define REAL float16
#define AS_REAL as_float16
#define AS_BITS as_uint16
#define AS_UINT as_uint16
#include "lib/arithmetic.clh"
#include "lib/weights.clh"
#include "lib/patches.clh"
#include "lib/host_compiler.clh"
#include "lib/load_floats.clh"

#if !defined(STRIP) || !defined(BAND) || !defined(MOST_RADIUS) || STRIP % LANES
#error STRIP, BAND or MOST_RADIUS is not defined, or STRIP is no multiple of LANES
#endif

#define HALF (PATCH / 2)
// Rows are whole vectors, FRONT values of them before the strip, and so are the steps that make
// them: vectors that cross lines of the cache are slow.
#define WHOLE(count) (((count) + LANES - 1) / LANES * LANES)
#define FRONT WHOLE(MOST_RADIUS + HALF)
#define PITCH (FRONT + STRIP + WHOLE(MOST_RADIUS + HALF + LANES))
#define ALIGNED __attribute__((aligned(64)))
#define ROWS (BAND + 2 * (MOST_RADIUS + HALF))
#define PLANE (PITCH * ROWS)
// Rings of rows of squares, PATCH of which count, and of weights, of MOST_RADIUS + 1.
#define SQUARE_ROWS (PATCH <= 8 ? 8 : 16)
#define WEIGHT_ROWS (MOST_RADIUS < 8 ? 8 : MOST_RADIUS < 16 ? 16 : 32)

#define LOAD_LANES(p) LOAD_FLOATS16(__private, p)

// Writes PITCH pixels of the row that fold_row gave to a row of the tile, from column x on.
static inline void extend_row(float *to, __global const SRC *origin, const Geometry g, float scale,
                              int row, int x) {
    int i = 0;
    if (row != OUTSIDE) {
        const int inside = clamp(g.valid_left - x, 0, PITCH);
        const int outside = clamp(g.valid_right - x, inside, PITCH);
        __global const SRC *from = origin + row * g.src_row + x * CHANNELS;
        for (; i < inside; ++i)
            for (int c = 0; c < CHANNELS; ++c)
                to[c * PLANE + i] = scale * read_extended(origin, g, row, (x + i) * CHANNELS + c);
        for (int c = 0; c < CHANNELS; ++c)
            for (int k = inside; k < outside; ++k)
                to[c * PLANE + k] = scale * LOAD(from + k * CHANNELS + c);
        i = outside;
    }
    for (; i < PITCH; ++i)
        for (int c = 0; c < CHANNELS; ++c)
            to[c * PLANE + i] = scale * read_extended(origin, g, row, (x + i) * CHANNELS + c);
}

#define LOAD_SUMS(p) as_uint16(LOAD_FLOATS16(__private, p))

// Moves sums of columns of squares of differences on by a row, from column `first` to `last`, where
// `own` and `other` are the lowest rows of both patches. newest: its squares' place in the ring;
// oldest: that of those which leave.
INLINE void sum_columns(uint *sums, uint *newest, const uint *oldest, const float *own,
                        const float *other, int first, int last) {
    for (int x = first & ~(LANES - 1); x < last; x += LANES) {
        REAL square = NO_SQUARE;
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            square = add_square(square, LOAD_LANES(other + c * PLANE + x) -
                                            LOAD_LANES(own + c * PLANE + x));
        const uint16 added = AS_UINT(square);
        vstore16(LOAD_SUMS(sums + x) + added - LOAD_SUMS(oldest + x), 0, sums + x);
        vstore16(added, 0, newest + x);
    }
}

// Writes weights to columns `first` to `last` of `to`. sums: of columns.
INLINE void write_weights(float *to, const uint *sums, const WeightTerms terms,
                          const PatchTerms patches, int first, int last) {
    for (int x = first & ~(LANES - 1); x < last; x += LANES) {
        uint16 sum = NO_DISTANCE;
        UNROLL for (int i = 0; i < PATCH; ++i)
            sum += LOAD_SUMS(sums + x - HALF + i);
        vstore16(weight_of_patch(terms, patches, as_float16(sum)), 0, to + x);
    }
}

// Adds the pixels before and after to the means of a row: CHANNELS sums, and then weights, of STRIP
// pixels.
INLINE void add_pair(float *means, const float *weights_before, const float *weights_after,
                     const float *before, const float *after, int count) {
    for (int x = 0; x < count; x += LANES) {
        const REAL w_before = LOAD_LANES(weights_before + x);
        const REAL w_after = LOAD_LANES(weights_after + x);
        UNROLL for (int c = 0; c < CHANNELS; ++c) {
            float *sum = means + c * STRIP + x;
            const REAL first = fma(w_before, LOAD_LANES(before + c * PLANE + x), LOAD_LANES(sum));
            vstore16(fma(w_after, LOAD_LANES(after + c * PLANE + x), first), 0, sum);
        }
        float *weights = means + CHANNELS * STRIP + x;
        vstore16((LOAD_LANES(weights) + w_before) + w_after, 0, weights);
    }
}

// Writes a row's first `count` results.
INLINE void store_means(const float *means, float unscale, __global DST *to, int count) {
    for (int x = 0; x < count; x += LANES) {
        const REAL weights = LOAD_LANES(means + CHANNELS * STRIP + x);
        UNROLL for (int c = 0; c < CHANNELS; ++c) {
            const REAL result = unscale * MEAN(LOAD_LANES(means + c * STRIP + x), weights);
#if CHANNELS == 1
            if (count - x >= LANES) {
                STORE16(result, to + x);
                continue;
            }
#endif
            float results[LANES];
            vstore16(result, 0, results);
            for (int i = 0; i < min(count - x, LANES); ++i)
                STORE(results[i], to + (x + i) * CHANNELS + c);
        }
    }
}

ONCE void smooth_strip(const int3 place, __global const SRC *restrict src,
                       __global DST *restrict dst, const Geometry g, const WeightTerms terms,
                       const PatchTerms patches) {
    const int left = place.x * STRIP;
    const int top = place.y * BAND;
    const int batch = place.z;
    const int width = g.width / CHANNELS;
    if (left >= width || top >= g.height)
        return;
    const int count = min(STRIP, width - left);
    const int rows = min(BAND, g.height - top);
    const int halo = g.anchor_x;
    const int radius = halo - HALF;
    __global const SRC *origin = src + src_start(g, batch);

    ALIGNED float tile[CHANNELS * PLANE];
    for (int y = 0; y < rows + 2 * halo; ++y)
        extend_row(tile + y * PITCH, origin, g, patches.scale, fold_row(g, top - halo + y),
                   left - FRONT);
    const float *middle = tile + halo * PITCH; // the first result's row

    ALIGNED float means[BAND * (CHANNELS + 1) * STRIP];
    for (int y = 0; y < rows; ++y) {
        float *own = means + y * (CHANNELS + 1) * STRIP;
        for (int x = 0; x < STRIP; x += LANES) {
            for (int c = 0; c < CHANNELS; ++c)
                vstore16(terms.centre * LOAD_LANES(middle + c * PLANE + y * PITCH + FRONT + x), 0,
                         own + c * STRIP + x);
            vstore16((REAL)(terms.centre), 0, own + CHANNELS * STRIP + x);
        }
    }

    // Rows of the same columns; weights look at sums before them.
    ALIGNED uint sums[LANES + PITCH], squares[SQUARE_ROWS * PITCH];
    ALIGNED float weights[WEIGHT_ROWS * PITCH];
    for (int x = 0; x < WEIGHT_ROWS * PITCH; ++x)
        weights[x] = 0.0f;

    for (int j = 0; j <= radius; ++j)
        for (int i = j == 0 ? 1 : -radius; i <= radius; ++i) {
            // Weights of the strip's pixels, and of those before them.
            const int first = FRONT - max(i, 0), last = FRONT + count - min(i, 0);
            const int after = j * PITCH + i;
            for (int x = 0; x < LANES + PITCH; ++x)
                sums[x] = 0;
            for (int x = 0; x < SQUARE_ROWS * PITCH; ++x)
                squares[x] = 0;
            for (int y = -j - HALF; y < rows + HALF; ++y) {
                const float *lowest = middle + y * PITCH;
                sum_columns(sums + LANES, squares + (y & (SQUARE_ROWS - 1)) * PITCH,
                            squares + ((y - PATCH) & (SQUARE_ROWS - 1)) * PITCH, lowest,
                            lowest + after, first - HALF, last + HALF);
                const int own = y - HALF;
                if (own < -j)
                    continue;
                float *here = weights + (own & (WEIGHT_ROWS - 1)) * PITCH;
                write_weights(here, sums + LANES, terms, patches, first, last);
                if (own >= 0)
                    add_pair(means + own * (CHANNELS + 1) * STRIP,
                             weights + ((own - j) & (WEIGHT_ROWS - 1)) * PITCH + FRONT - i,
                             here + FRONT, middle + own * PITCH + FRONT - after,
                             middle + own * PITCH + FRONT + after, count);
            }
        }

    __global DST *to = dst + dst_start(g, batch) + (long)top * g.dst_row + (long)left * CHANNELS;
    for (int y = 0; y < rows; ++y)
        store_means(means + y * (CHANNELS + 1) * STRIP, patches.unscale,
                    to + (long)y * g.dst_row, count);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void nlm_strips(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                const WeightTerms terms, const PatchTerms patches) {
    smooth_strip(PLACE, src, dst, g, terms, patches);
}
