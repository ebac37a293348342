// The bilateral filter for CPUs: an item filters a strip of STRIP pixels of a band of rows alone,
// LANES results at a time in vector registers. The rows that a row of results needs, extended by
// the border, are in a ring in private memory, each channel by itself. A weight serves both of its
// pixels: it is made for the one that comes first, row by row, and kept for the other one if that is
// up to SHARED rows below.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/weight_terms.clh"
#include "lib/once.clh"
#define LANES 16
#define REAL float16
#define AS_REAL as_float16
#define AS_BITS as_uint16
#include "lib/arithmetic.clh"
#include "lib/weights.clh"
#include "lib/host_compiler.clh"
#include "lib/load_floats.clh"

#if !defined(STRIP) || !defined(MOST_X) || !defined(MOST_Y) || !defined(SHARED) || STRIP % LANES
#error STRIP, MOST_X, MOST_Y or SHARED is not defined, or STRIP is no multiple of LANES
#endif

// Rows of pixels and of weights begin LANES columns before the strip, so that vectors of results are
// aligned, and end as many behind it, or twice as many.
#define PITCH (STRIP + 3 * LANES)
#define ROW (CHANNELS * PITCH)
#define WEIGHT_PITCH (STRIP + 2 * LANES)
// Weights of pairs that are j rows apart: those of the last j + 1 rows. Each row has MOST_X lines, one for
// each column of the window. A weight lies in the column of the pixel that comes second, so that reading
// them is aligned: for the next column of the window it is KEPT_STEP further on.
#define KEPT_STEP (WEIGHT_PITCH + 1)
#define LINES_BEFORE(j) (MOST_X * ((j) * ((j) + 1) / 2))
// Vectors of results that are made side by side, so that sums need not wait for each other.
#define TOGETHER (CHANNELS == 1 ? 2 : 1)
#define ALIGNED __attribute__((aligned(64)))
#define LOAD_LANES(p) LOAD_FLOATS16(__private, p)
#define KEEP_LANES(value, p) STORE_FLOATS16(__private, value, p)

// Writes `count` pixels of the row that fold_row gave to a row of the ring, from column x on.
static inline void extend_row(float *to, __global const SRC *origin, const Geometry g, int row,
                              int x, int count) {
    int i = 0;
    if (row != OUTSIDE) {
        const int inside = clamp(g.valid_left - x, 0, count);
        const int outside = clamp(g.valid_right - x, inside, count);
        __global const SRC *from = origin + row * g.src_row + x * CHANNELS;
        for (; i < inside; ++i)
            for (int c = 0; c < CHANNELS; ++c)
                to[c * PITCH + i] = read_extended(origin, g, row, (x + i) * CHANNELS + c);
        for (int c = 0; c < CHANNELS; ++c)
            for (int k = inside; k < outside; ++k)
                to[c * PITCH + k] = LOAD(from + k * CHANNELS + c);
        i = outside;
    }
    for (; i < count; ++i)
        for (int c = 0; c < CHANNELS; ++c)
            to[c * PITCH + i] = read_extended(origin, g, row, (x + i) * CHANNELS + c);
}

// Pixels, and sums over their windows, of a vector of results.
typedef struct Means {
    REAL own[CHANNELS], sums[CHANNELS], weights;
} Means;

// Returns the weights of pixels `other` in the means of `own`. differences: becomes those of the pixels.
INLINE REAL weigh(REAL *differences, const WeightTerms terms, const REAL *own, const float *other,
                  float space) {
    REAL square = 0.0f;
    UNROLL for (int c = 0; c < CHANNELS; ++c) {
        differences[c] = LOAD_LANES(other + c * PITCH) - own[c];
        square = fma(differences[c], differences[c], square);
    }
    return weight_of(terms, square, space);
}

INLINE void add_weighed(Means *means, REAL weight, const REAL *differences) {
    means->weights += weight;
    UNROLL for (int c = 0; c < CHANNELS; ++c)
        means->sums[c] = fma(weight, differences[c], means->sums[c]);
}

// Adds `count` pixels of a row of the ring, the first of which is at p for the first result.
INLINE void add_pixels(Means *means, const WeightTerms terms, const float *p,
                       __global const float *space, int count) {
    for (int i = 0; i < count; ++i) {
        REAL differences[CHANNELS];
        const REAL weight = weigh(differences, terms, means->own, p + i, space[i]);
        add_weighed(means, weight, differences);
    }
}

// The same, and keeps the weights in a line for each column of the window.
INLINE void add_and_keep(Means *means, float *kept, const WeightTerms terms, const float *p,
                         __global const float *space, int count) {
    for (int i = 0; i < count; ++i) {
        REAL differences[CHANNELS];
        const REAL weight = weigh(differences, terms, means->own, p + i, space[i]);
        KEEP_LANES(weight, kept + i * KEPT_STEP);
        add_weighed(means, weight, differences);
    }
}

// Adds pixels to the means of TOGETHER vectors side by side, with weights that were kept: the first ones,
// and each next pixel's `step` values on.
INLINE void add_kept(Means *means, const float *kept, int step, const float *p, int count) {
    for (int i = 0; i < count; ++i)
        UNROLL for (int k = 0; k < TOGETHER; ++k) {
            REAL differences[CHANNELS];
            UNROLL for (int c = 0; c < CHANNELS; ++c)
                differences[c] = LOAD_LANES(p + c * PITCH + k * LANES + i) - means[k].own[c];
            add_weighed(means + k, LOAD_LANES(kept + k * LANES + i * step), differences);
        }
}

INLINE void read_own(REAL *own, const float *p) {
    UNROLL for (int c = 0; c < CHANNELS; ++c)
        own[c] = LOAD_LANES(p + c * PITCH);
}

// Keeps the weights that pixels p have in the means of `own`.
INLINE void keep_weights(float *kept, const WeightTerms terms, const REAL *own, const float *p,
                         __global const float *space, int count) {
    for (int i = 0; i < count; ++i) {
        REAL unused[CHANNELS];
        KEEP_LANES(weigh(unused, terms, own, p + i, space[i]), kept + i * KEPT_STEP);
    }
}

// Writes the first `count` results.
INLINE void store_means(const Means *means, __global DST *to, int count) {
    UNROLL for (int c = 0; c < CHANNELS; ++c) {
        const REAL result = means->own[c] + MEAN(means->sums[c], means->weights);
#if CHANNELS == 1
        if (count >= LANES) {
            STORE16(result, to);
            continue;
        }
#endif
        float results[LANES];
        vstore16(result, 0, results);
        for (int i = 0; i < min(count, LANES); ++i)
            STORE(results[i], to + i * CHANNELS + c);
    }
}

ONCE void smooth_strip(const int3 place, __global const SRC *restrict src,
                       __global DST *restrict dst, const Geometry g, const WeightTerms terms,
                       __global const float *restrict space, const int band) {
    const int left = place.x * STRIP;
    const int top = place.y * band;
    const int batch = place.z;
    const int width = g.width / CHANNELS;
    if (left >= width || top >= g.height)
        return;
    const int count = min(STRIP, width - left);
    const int end = min(top + band, g.height);
    const int columns = count + g.taps_x - 1;
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *to = dst + dst_start(g, batch) + (long)left * CHANNELS;
    const int rx = g.anchor_x, ry = g.anchor_y;
    const int shared = min(SHARED, ry);
    const int vectors_end = (count + LANES - 1) / LANES * LANES;
    ALIGNED float ring[MOST_Y * ROW];
    ALIGNED float kept[LINES_BEFORE(SHARED + 1) * WEIGHT_PITCH];
    // Vectors read beyond the columns.
    for (int i = 0; i < MOST_Y * ROW; i += LANES)
        vstore16((REAL)(0.0f), 0, ring + i);
    for (int i = 0; i < LINES_BEFORE(SHARED + 1) * WEIGHT_PITCH; i += LANES)
        vstore16((REAL)(0.0f), 0, kept + i);
    // Rows are counted from the first one that a result sees.
    const int above = top - ry;
    float *rows[MOST_Y]; // from ry rows above the row at hand on
    for (int k = 0; k < g.taps_y; ++k)
        rows[k] = ring + k * ROW + LANES;
    for (int n = 0; n < ry; ++n)
        extend_row(rows[n + ry + 1] - rx, origin, g, fold_row(g, above + n), left - rx, columns);
    for (int n = 0; n < end - above; ++n) {
        float *const free = rows[0];
        for (int k = 0; k < 2 * ry; ++k)
            rows[k] = rows[k + 1];
        rows[2 * ry] = free;
        extend_row(free - rx, origin, g, fold_row(g, above + n + ry), left - rx, columns);
        const float *own_row = rows[ry];
        // By the rows between: lines of weights of this row, and of the oldest one.
        int newest[SHARED + 1], oldest[SHARED + 1];
        for (int j = 0; j <= shared; ++j) {
            newest[j] = (LINES_BEFORE(j) + n % (j + 1) * MOST_X) * WEIGHT_PITCH + LANES;
            oldest[j] = (LINES_BEFORE(j) + (n + 1) % (j + 1) * MOST_X) * WEIGHT_PITCH + LANES;
        }
        // Weights of pixels beside the strip, and of those above the band, with results below.
        for (int j = max(ry - n, 0); j <= shared; ++j) {
            const float *row = rows[ry + j];
            __global const float *places = space + (j + ry) * g.taps_x;
            float *lines = kept + newest[j];
            REAL own[CHANNELS];
            read_own(own, own_row - LANES);
            keep_weights(lines + (rx + 1) * WEIGHT_PITCH - LANES + 1, terms, own, row - LANES + 1,
                         places + rx + 1, rx);
            if (j == 0)
                continue;
            read_own(own, own_row + vectors_end);
            keep_weights(lines + vectors_end - rx, terms, own, row + vectors_end - rx, places, rx);
            if (n < ry)
                for (int x = 0; x < count; x += LANES) {
                    read_own(own, own_row + x);
                    keep_weights(lines + x - rx, terms, own, row + x - rx, places, g.taps_x);
                }
        }
        if (n < ry)
            continue;

        for (int x = 0; x < count; x += TOGETHER * LANES) {
            Means means[TOGETHER];
            UNROLL for (int k = 0; k < TOGETHER; ++k) {
                read_own(means[k].own, own_row + x + k * LANES);
                UNROLL for (int c = 0; c < CHANNELS; ++c)
                    means[k].sums[c] = 0.0f;
                means[k].weights = terms.centre;
            }
            // Pixels to the right in the row are weighed first: some of them are to the left of others.
            const int right = (rx + 1) * WEIGHT_PITCH + x + 1;
            UNROLL for (int k = 0; k < TOGETHER; ++k)
                keep_weights(kept + newest[0] + right + k * LANES, terms, means[k].own,
                             own_row + x + 1 + k * LANES, space + ry * g.taps_x + rx + 1, rx);
            for (int j = ry; j > 0; --j) {
                const float *row = rows[ry - j] + x - rx;
                __global const float *places = space + (ry - j) * g.taps_x;
                if (j > shared)
                    UNROLL for (int k = 0; k < TOGETHER; ++k)
                        add_pixels(means + k, terms, row + k * LANES, places, g.taps_x);
                else
                    add_kept(means, kept + oldest[j] + 2 * rx * WEIGHT_PITCH + x, -WEIGHT_PITCH, row,
                             g.taps_x);
            }
            add_kept(means, kept + newest[0] + 2 * rx * WEIGHT_PITCH + x, -WEIGHT_PITCH,
                     own_row + x - rx, rx);
            add_kept(means, kept + newest[0] + right, KEPT_STEP, own_row + x + 1, rx);
            UNROLL for (int k = 0; k < TOGETHER; ++k) {
                const int at = x + k * LANES;
                if (at >= count)
                    break;
                for (int j = 1; j <= ry; ++j) {
                    const float *row = rows[ry + j] + at - rx;
                    __global const float *places = space + (ry + j) * g.taps_x;
                    if (j > shared)
                        add_pixels(means + k, terms, row, places, g.taps_x);
                    else
                        add_and_keep(means + k, kept + newest[j] + at - rx, terms, row, places,
                                     g.taps_x);
                }
                store_means(means + k, to + (long)(above + n) * g.dst_row + at * CHANNELS,
                            count - at);
            }
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void bilateral_strips(__global const SRC *restrict src, __global DST *restrict dst,
                      const Geometry g, const WeightTerms terms,
                      __global const float *restrict space, const int band) {
    smooth_strip(PLACE, src, dst, g, terms, space, band);
}
