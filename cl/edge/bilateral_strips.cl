// The bilateral filter for CPUs: an item filters a strip of STRIP pixels of a band of rows alone,
// LANES results at a time in vector registers. The rows that a row of results needs, extended by
// the border, are in a ring in private memory, each channel by itself.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/weight_terms.clh"
#define LANES 16
#define REAL float16
#define AS_REAL as_float16
#define AS_BITS as_uint16
#include "lib/arithmetic.clh"
#include "lib/weights.clh"

#if !defined(STRIP) || !defined(MOST_X) || !defined(MOST_Y) || STRIP % LANES
#error STRIP, MOST_X or MOST_Y is not defined, or STRIP is no multiple of LANES
#endif

// The ring: MOST_Y rows of CHANNELS lines, with columns for windows of up to MOST_X.
#define PITCH (STRIP + MOST_X - 1 + LANES)
#define ROW (CHANNELS * PITCH)

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

// Adds `count` pixels of a row of the ring, the first of which is at p for the first result.
INLINE void add_pixels(Means *means, const WeightTerms terms, const float *p,
                       __global const float *space, int count) {
    for (int i = 0; i < count; ++i) {
        REAL differences[CHANNELS];
        REAL square = 0.0f;
        UNROLL for (int c = 0; c < CHANNELS; ++c) {
            differences[c] = vload16(0, p + c * PITCH + i) - means->own[c];
            square = fma(differences[c], differences[c], square);
        }
        const REAL weight = weight_of(terms, square, space[i]);
        means->weights += weight;
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            means->sums[c] = fma(weight, differences[c], means->sums[c]);
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

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void bilateral_strips(__global const SRC *restrict src, __global DST *restrict dst,
                      const Geometry g, const WeightTerms terms,
                      __global const float *restrict space, const int band) {
    const int left = (int)get_global_id(0) * STRIP;
    const int top = (int)get_global_id(1) * band;
    const int batch = get_global_id(2);
    const int width = g.width / CHANNELS;
    if (left >= width || top >= g.height)
        return;
    const int count = min(STRIP, width - left);
    const int end = min(top + band, g.height);
    const int columns = count + g.taps_x - 1;
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *to = dst + dst_start(g, batch) + (long)left * CHANNELS;
    float ring[MOST_Y * ROW];
    for (int i = 0; i < MOST_Y; ++i) // what vectors read beyond the columns
        for (int c = 0; c < CHANNELS; ++c)
            vstore16((REAL)(0.0f), 0, ring + i * ROW + c * PITCH + columns);
    const int above = top - g.anchor_y;
    for (int j = 0; j < g.taps_y - 1; ++j)
        extend_row(ring + j * ROW, origin, g, fold_row(g, above + j), left - g.anchor_x, columns);
    int newest = g.taps_y - 1; // the place of a row's last row in the ring
    for (int y = top; y < end; ++y) {
        extend_row(ring + newest * ROW, origin, g, fold_row(g, y - g.anchor_y + g.taps_y - 1),
                   left - g.anchor_x, columns);
        const int oldest = newest == g.taps_y - 1 ? 0 : newest + 1;
        int middle = oldest + g.anchor_y;
        middle -= middle >= g.taps_y ? g.taps_y : 0;
        for (int x = 0; x < count; x += LANES) {
            Means means;
            UNROLL for (int c = 0; c < CHANNELS; ++c) {
                means.own[c] = vload16(0, ring + middle * ROW + c * PITCH + x + g.anchor_x);
                means.sums[c] = 0.0f;
            }
            means.weights = terms.centre;
            int at = oldest;
            for (int j = 0; j < g.taps_y; ++j) {
                const float *row = ring + at * ROW + x;
                __global const float *own = space + j * g.taps_x;
                if (j == g.anchor_y) {
                    add_pixels(&means, terms, row, own, g.anchor_x);
                    add_pixels(&means, terms, row + g.anchor_x + 1, own + g.anchor_x + 1,
                               g.taps_x - 1 - g.anchor_x);
                } else {
                    add_pixels(&means, terms, row, own, g.taps_x);
                }
                at = at == g.taps_y - 1 ? 0 : at + 1;
            }
            store_means(&means, to + (long)y * g.dst_row + x * CHANNELS, count - x);
        }
        newest = oldest;
    }
}
