// The bilateral filter for GPUs, where each pair of pixels is weighed once. A group of warps
// marches down a band of rows; a lane owns COLUMNS pixels of a row. At row y it weighs the pairs of
// its pixels with those of rows y to y + RADIUS_Y, and adds them to both ends: first a pixel gets
// what stands above it, row by row, and later what stands below, so that all sums are in the order
// of the other kernels. Weights of pairs whose lower or right pixel another lane owns go there;
// sums of rows y to y + RADIUS_Y stay in registers. The lanes at a warp's ends weigh for the others
// alone.
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

#if !defined(WARPS) || !defined(COLUMNS) || !defined(RADIUS_X) || !defined(RADIUS_Y) ||            \
    !defined(SHUFFLES) || !defined(BY_VALUE)
#error WARPS, COLUMNS, RADIUS_X, RADIUS_Y, SHUFFLES or BY_VALUE is not defined
#endif

#define LANES 32
#define GROUP (LANES * WARPS)
#define WINDOW_X (2 * RADIUS_X + 1)
#define SPAN (COLUMNS + 2 * RADIUS_X)                  // pixels of a row that a lane reads
#define HOPS ((RADIUS_X + COLUMNS - 1) / COLUMNS)      // to the furthest lane that needs a weight
#define RESULTS ((LANES - 2 * HOPS) * COLUMNS)         // pixels of a row that a warp writes
#define RING (RADIUS_Y + 2)                            // rows: one more is written meanwhile
#define LEFTMOST (-HOPS * COLUMNS - RADIUS_X)          // of the group's columns
// Columns of the group, in whole vectors.
#if COLUMNS == 2
#define PART 2
#define VECTOR float2
#define PARTS(v) (v).s0, (v).s1
#else
#define PART 4
#define VECTOR float4
#define PARTS(v) (v).s0, (v).s1, (v).s2, (v).s3
#endif
#define VECTORS ((SPAN + PART - 1) / PART)
#define PITCH ((WARPS * RESULTS + 2 * HOPS * COLUMNS - COLUMNS) + VECTORS * PART)
#define ROW (CHANNELS * PITCH) // of the ring, each channel by itself
#define SHARE ((PITCH + GROUP - 1) / GROUP) // columns of a row that an item brings

// Terms of space by the distances along x and y.
typedef struct Space {
    float terms[(RADIUS_Y + 1) * (RADIUS_X + 1)];
} Space;
#if BY_VALUE
#define SPACE_PARAMETER const Space space
#define SPACE(i) space.terms[i]
#else
#define SPACE_PARAMETER __constant Space *space
#define SPACE(i) space->terms[i]
#endif

typedef struct Means {
    float sums[CHANNELS][COLUMNS], weights[COLUMNS];
} Means;

INLINE Means no_pixels(float centre) {
    Means means;
    UNROLL for (int i = 0; i < COLUMNS; ++i) {
        means.weights[i] = centre;
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            means.sums[c][i] = 0.0f;
    }
    return means;
}

// Reads the item's share of a row.
INLINE void bring(float brought[CHANNELS][SHARE], __global const SRC *origin, const Geometry g,
                  int row, const int *places) {
    UNROLL for (int i = 0; i < SHARE; ++i)
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            brought[c][i] = row == OUTSIDE || places[i] == OUTSIDE
                                ? g.border_value
                                : LOAD(origin + row * g.src_row + places[i] + c);
}

// Writes it to a row of the ring.
INLINE void put(float brought[CHANNELS][SHARE], __local float *row, int item) {
    UNROLL for (int i = 0; i < SHARE; ++i)
        if ((i + 1) * GROUP <= PITCH || i * GROUP + item < PITCH)
            UNROLL for (int c = 0; c < CHANNELS; ++c)
                row[c * PITCH + i * GROUP + item] = brought[c][i];
}

// Reads what a lane needs of a row of the ring: its own pixels and RADIUS_X on either side.
INLINE void read_span(float span[CHANNELS][SPAN], __local const VECTOR *from) {
    UNROLL for (int c = 0; c < CHANNELS; ++c)
        UNROLL for (int i = 0; i < VECTORS; ++i) {
            const VECTOR vector = from[c * (PITCH / PART) + i];
            const float parts[PART] = {PARTS(vector)};
            UNROLL for (int k = 0; k < PART; ++k)
                if (i * PART + k < SPAN)
                    span[c][i * PART + k] = parts[k];
        }
}

// The weight of the pair of `upper` column i and `lower` column k.
INLINE float weight_of_pair(const WeightTerms terms, float upper[CHANNELS][SPAN],
                            float lower[CHANNELS][SPAN], int i, int k, float space) {
    float square = 0.0f;
    UNROLL for (int c = 0; c < CHANNELS; ++c) {
        const float difference = lower[c][k] - upper[c][i];
        square = fma(difference, difference, square);
    }
    return weight_of(terms, square, space);
}

// Adds the pixel in column k of `others` to the means of a lane's pixel i, which stands in `own`.
INLINE void add_pixel(Means *means, float own[CHANNELS][SPAN], float others[CHANNELS][SPAN], int i,
                      int k, float weight) {
    means->weights[i] += weight;
    UNROLL for (int c = 0; c < CHANNELS; ++c)
        means->sums[c][i] =
            fma(weight, others[c][k] - own[c][RADIUS_X + i], means->sums[c][i]);
}

// The same where the pair was weighed from the other side: the difference is at hand but for its
// sign, which no sum but a zero shows.
INLINE void add_mirrored(Means *means, float own[CHANNELS][SPAN], float others[CHANNELS][SPAN],
                         int i, int k, float weight) {
    means->weights[i] += weight;
    UNROLL for (int c = 0; c < CHANNELS; ++c)
        means->sums[c][i] =
            fma(weight, -(own[c][RADIUS_X + i] - others[c][k]), means->sums[c][i]);
}

// The lane that owns the pixel `at` columns right of a lane's first one, as lanes from there; and
// which of its pixels.
#define PIXEL_AT(at) ((at) & (COLUMNS - 1))
#define HOP_TO(at) (((at) - PIXEL_AT(at)) / COLUMNS)

#if SHUFFLES
// The value of the lane that stands `hop` lanes to the left; all lanes of the warp must ask.
static inline float from_left(float value, int hop) {
    float result;
    if (hop > 0)
        asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, -1;"
                     : "=f"(result)
                     : "f"(value), "r"(hop));
    else
        asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, -1;"
                     : "=f"(result)
                     : "f"(value), "r"(-hop));
    return result;
}
#endif

// Gives each pixel the weights of its pairs with pixels of the upper row, which is its own for
// those left of it. weights: those of a lane's pixels of the upper row, by the other's column from
// `first` on; mirrored: those of its pixels of the lower row, by the column of the upper one. All
// items of the group call this.
INLINE void mirror(float mirrored[COLUMNS][WINDOW_X], float weights[COLUMNS][WINDOW_X], int first,
                   int item, __local float *exchange) {
#if !SHUFFLES
    int sent = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (int i = 0; i < COLUMNS; ++i)
        UNROLL for (int dx = first; dx <= RADIUS_X; ++dx)
            if (HOP_TO(i + dx) != 0)
                exchange[sent++ * GROUP + item] = weights[i][RADIUS_X + dx];
    barrier(CLK_LOCAL_MEM_FENCE);
    int got = 0;
#endif
    UNROLL for (int i = 0; i < COLUMNS; ++i)
        UNROLL for (int dx = first; dx <= RADIUS_X; ++dx) {
            const int hop = HOP_TO(i + dx);
            float weight = weights[i][RADIUS_X + dx];
            if (hop != 0) {
#if SHUFFLES
                weight = from_left(weight, hop);
#else
                // Where there is no such lane, the item makes no results.
                weight = exchange[got++ * GROUP + clamp(item - hop, 0, GROUP - 1)];
#endif
            }
            mirrored[PIXEL_AT(i + dx)][RADIUS_X - dx] = weight;
        }
}

// band: rows that a group writes. exchange: for devices whose lanes cannot read each other's
// registers.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void bilateral_march(__global const SRC *restrict src, __global DST *restrict dst,
                     const Geometry g, const WeightTerms terms, SPACE_PARAMETER,
                     const int band, __local VECTOR *ring, __local float *exchange) {
    const int item = get_local_id(0);
    const int warp = item / LANES;
    const int lane = item & (LANES - 1);
    const int left = (int)get_group_id(0) * WARPS * RESULTS;
    const int top = (int)get_group_id(1) * band;
    const int end = min(top + band, g.height);
    const int batch = get_global_id(2);
    const int width = g.width / CHANNELS;
    __global const SRC *origin = src + src_start(g, batch);

    // The lane's first pixel, from the first one of the group's first lane.
    const int column = warp * RESULTS + lane * COLUMNS;
    const int x = left - HOPS * COLUMNS + column;
    const bool writes = lane >= HOPS && lane < LANES - HOPS && x < width;
    __global DST *to = dst + dst_start(g, batch) + (long)x * CHANNELS;
    __local const VECTOR *own = ring + column / PART;

    int places[SHARE];
    UNROLL for (int i = 0; i < SHARE; ++i)
        places[i] = fold_value(g, (left + LEFTMOST + i * GROUP + item) * CHANNELS);
    float brought[CHANNELS][SHARE];
    for (int j = 0; j <= RADIUS_Y; ++j) {
        bring(brought, origin, g, fold_row(g, top - RADIUS_Y + j), places);
        put(brought, (__local float *)ring + j * ROW, item);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    Means means[RADIUS_Y + 1]; // of rows y, y + 1...
    UNROLL for (int j = 0; j <= RADIUS_Y; ++j)
        means[j] = no_pixels(terms.centre);
    int slot = 0; // of row y in the ring
    for (int y = top - RADIUS_Y; y < end; ++y) {
        // The next step's row is on its way meanwhile.
        bring(brought, origin, g, fold_row(g, y + RADIUS_Y + 1), places);
        float upper[CHANNELS][SPAN];
        float weights[COLUMNS][WINDOW_X], mirrored[COLUMNS][WINDOW_X];
        read_span(upper, own + slot * (ROW / PART));
        Means now = means[0];
        UNROLL for (int i = 0; i < COLUMNS; ++i)
            UNROLL for (int dx = 1; dx <= RADIUS_X; ++dx)
                weights[i][RADIUS_X + dx] = weight_of_pair(
                    terms, upper, upper, RADIUS_X + i, RADIUS_X + i + dx, SPACE(dx));
        mirror(mirrored, weights, 1, item, exchange);
        UNROLL for (int i = 0; i < COLUMNS; ++i) {
            UNROLL for (int dx = -RADIUS_X; dx < 0; ++dx)
                add_mirrored(&now, upper, upper, i, RADIUS_X + i + dx, mirrored[i][RADIUS_X + dx]);
            UNROLL for (int dx = 1; dx <= RADIUS_X; ++dx)
                add_pixel(&now, upper, upper, i, RADIUS_X + i + dx, weights[i][RADIUS_X + dx]);
        }
        int at = slot;
        UNROLL for (int dy = 1; dy <= RADIUS_Y; ++dy) {
            float lower[CHANNELS][SPAN];
            at = at == RING - 1 ? 0 : at + 1;
            read_span(lower, own + at * (ROW / PART));
            UNROLL for (int i = 0; i < COLUMNS; ++i)
                UNROLL for (int dx = -RADIUS_X; dx <= RADIUS_X; ++dx) {
                    const float weight = weight_of_pair(
                        terms, upper, lower, RADIUS_X + i, RADIUS_X + i + dx,
                        SPACE(dy * (RADIUS_X + 1) + (dx < 0 ? -dx : dx)));
                    weights[i][RADIUS_X + dx] = weight;
                    add_pixel(&now, upper, lower, i, RADIUS_X + i + dx, weight);
                }
            mirror(mirrored, weights, -RADIUS_X, item, exchange);
            Means below = no_pixels(terms.centre);
            if (dy < RADIUS_Y)
                below = means[dy];
            UNROLL for (int i = 0; i < COLUMNS; ++i)
                UNROLL for (int dx = -RADIUS_X; dx <= RADIUS_X; ++dx)
                    add_mirrored(&below, lower, upper, i, RADIUS_X + i + dx,
                                 mirrored[i][RADIUS_X + dx]);
            means[dy - 1] = below;
        }
        if (RADIUS_Y == 0)
            means[0] = no_pixels(terms.centre);
        if (writes && y >= top)
            UNROLL for (int i = 0; i < COLUMNS; ++i)
                if (x + i < width)
                    UNROLL for (int c = 0; c < CHANNELS; ++c)
                        STORE(upper[c][RADIUS_X + i] + MEAN(now.sums[c][i], now.weights[i]),
                              to + (long)y * g.dst_row + i * CHANNELS + c);
        // Its place is that of the row before the step's, which no item reads any more.
        at = at == RING - 1 ? 0 : at + 1;
        put(brought, (__local float *)ring + at * ROW, item);
        barrier(CLK_LOCAL_MEM_FENCE);
        slot = slot == RING - 1 ? 0 : slot + 1;
    }
}
