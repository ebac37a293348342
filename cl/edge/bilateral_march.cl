// The bilateral filter for GPUs, where each pair of pixels is weighed once. A group of warps
// marches down a band of rows; a lane owns COLUMNS pixels of a row. At row y it weighs the pairs of
// its pixels with those of rows y to y + RADIUS_Y, and adds them to both ends: first a pixel gets
// what stands above it, row by row, and later what stands below, so that all sums are in the order
// of the other kernels. Weights of pairs whose lower or right pixel another lane owns go there;
// sums of rows y + 1 to y + RADIUS_Y wait in local memory, or in registers. The lanes at a warp's
// ends weigh for the others alone.
#include "lib/inline.clh"
#include "lib/rolled.clh"
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
    !defined(SHUFFLES) || !defined(BY_VALUE) || !defined(ALIGNED)
#error WARPS, COLUMNS, RADIUS_X, RADIUS_Y, SHUFFLES, BY_VALUE or ALIGNED is not defined
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
#define VECTOR_AT(p, i) (float2)((p)[i], (p)[(i) + 1])
#else
#define PART 4
#define VECTOR float4
#define PARTS(v) (v).s0, (v).s1, (v).s2, (v).s3
#define VECTOR_AT(p, i) (float4)((p)[i], (p)[(i) + 1], (p)[(i) + 2], (p)[(i) + 3])
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

// Sums of rows that are not finished yet are in registers where these are few rows. Those of others
// are in local memory, an item's in whole vectors that lie GROUP apart, so that the loop over these
// rows is one text.
#define IN_REGISTERS (RADIUS_Y <= 2)
#if IN_REGISTERS
#define ROWS UNROLL
#else
#define ROWS ROLLED
#endif
#define SUMS (COLUMNS * (CHANNELS + 1) / PART) // vectors of a row

INLINE void put_means(const Means means, __local VECTOR *to) {
    UNROLL for (int i = 0; i < COLUMNS / PART; ++i) {
        to[i * GROUP] = VECTOR_AT(means.weights, i * PART);
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            to[((c + 1) * (COLUMNS / PART) + i) * GROUP] = VECTOR_AT(means.sums[c], i * PART);
    }
}

INLINE Means get_means(__local const VECTOR *from) {
    Means means;
    UNROLL for (int i = 0; i < COLUMNS / PART; ++i)
        UNROLL for (int v = 0; v < CHANNELS + 1; ++v) {
            const VECTOR vector = from[(v * (COLUMNS / PART) + i) * GROUP];
            const float parts[PART] = {PARTS(vector)};
            UNROLL for (int k = 0; k < PART; ++k)
                *(v == 0 ? means.weights + i * PART + k : means.sums[v - 1] + i * PART + k) =
                    parts[k];
        }
    return means;
}

// Reads the item's share of the row that fold_row gave, or of another where there is none.
INLINE void bring(float brought[CHANNELS][SHARE], __global const SRC *origin, const Geometry g,
                  int row, const int *places) {
    __global const SRC *from = origin + (row == OUTSIDE ? g.valid_top : row) * g.src_row;
    UNROLL for (int i = 0; i < SHARE; ++i)
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            brought[c][i] = LOAD(from + places[i] + c);
}

// Writes it to a row of the ring. outside: a bit for each place where the border's constant stands.
INLINE void put(float brought[CHANNELS][SHARE], const Geometry g, int row, uint outside,
                __local float *to, int item) {
    if (g.border_mode == BORDER_CONSTANT)
        UNROLL for (int i = 0; i < SHARE; ++i)
            if (row == OUTSIDE || (outside >> i & 1) != 0)
                UNROLL for (int c = 0; c < CHANNELS; ++c)
                    brought[c][i] = g.border_value;
    UNROLL for (int i = 0; i < SHARE; ++i)
        if ((i + 1) * GROUP <= PITCH || i * GROUP + item < PITCH)
            UNROLL for (int c = 0; c < CHANNELS; ++c)
                to[c * PITCH + i * GROUP + item] = brought[c][i];
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
    return hop > 0 ? shuffle_up(value, hop) : shuffle_down(value, -hop);
}
#define RECEIVED(weights, i, dx, item, exchange)                                                   \
    from_left(weights[i][RADIUS_X + (dx)], HOP_TO((i) + (dx)))
#else
// The place of the pair of a lane's pixel i and the one dx columns right of it among those of which
// another lane owns the latter: those to the right first, in a row alone they are all, and then
// their mirror images.
#define RIGHT_PAIR(i, dx) ((i) * RADIUS_X - (i) * ((i) - 1) / 2 + RADIUS_X - (dx))
#define RIGHT_PAIRS RIGHT_PAIR(min(COLUMNS, RADIUS_X), RADIUS_X)
#define PAIR_OF(i, dx)                                                                             \
    ((i) + (dx) < 0 ? RIGHT_PAIRS + RIGHT_PAIR(i, -(dx)) : RIGHT_PAIR(COLUMNS - 1 - (i), dx))
// Where there is no such lane, the item makes no results.
#define RECEIVED(weights, i, dx, item, exchange)                                                   \
    exchange[PAIR_OF(i, dx) * GROUP + clamp((item) - HOP_TO((i) + (dx)), 0, GROUP - 1)]
#endif

// Sends weights of pairs, whose lower or right pixels other lanes own, to these. All items of the
// group call this. first: the least distance along x.
INLINE void send(float weights[COLUMNS][WINDOW_X], int first, int item,
                 __local float *exchange) {
#if !SHUFFLES
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (int i = 0; i < COLUMNS; ++i)
        UNROLL for (int dx = first; dx <= RADIUS_X; ++dx)
            if (HOP_TO(i + dx) != 0)
                exchange[PAIR_OF(i, dx) * GROUP + item] = weights[i][RADIUS_X + dx];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

// Adds pixels of the upper row, which other lanes own that are `hop` to the left, to the means of
// the lane's own pixels of the lower row.
INLINE void add_received(Means *means, float lower[CHANNELS][SPAN], float upper[CHANNELS][SPAN],
                         float weights[COLUMNS][WINDOW_X], int first, int hop, int item,
                         __local float *exchange) {
    UNROLL for (int i = 0; i < COLUMNS; ++i)
        UNROLL for (int dx = first; dx <= RADIUS_X; ++dx)
            if (HOP_TO(i + dx) == hop)
                add_mirrored(means, lower, upper, PIXEL_AT(i + dx),
                             RADIUS_X + i - hop * COLUMNS,
                             RECEIVED(weights, i, dx, item, exchange));
}

// Writes a lane's results of a row, or as many of them as the row has.
INLINE void store_row(float own[CHANNELS][SPAN], const Means means, __global DST *to,
                      int left_over) {
    float results[CHANNELS][COLUMNS];
    UNROLL for (int i = 0; i < COLUMNS; ++i)
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            results[c][i] = own[c][RADIUS_X + i] + MEAN(means.sums[c][i], means.weights[i]);
#if ALIGNED
    if (left_over >= COLUMNS) {
        UNROLL for (int i = 0; i < COLUMNS; i += 4)
            STORE4(VECTOR_AT(results[0], i), to + i);
        return;
    }
#endif
    UNROLL for (int i = 0; i < COLUMNS; ++i)
        if (i < left_over)
            UNROLL for (int c = 0; c < CHANNELS; ++c)
                STORE(results[c][i], to + i * CHANNELS + c);
}

// band: rows that a group writes. exchange: for devices whose lanes cannot read each other's
// registers.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void bilateral_march(__global const SRC *restrict src, __global DST *restrict dst,
                     const Geometry g, const WeightTerms terms, SPACE_PARAMETER,
                     const int band, __local VECTOR *ring, __local VECTOR *sums,
                     __local float *exchange) {
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
    uint outside = 0;
    UNROLL for (int i = 0; i < SHARE; ++i) {
        const int place = fold_value(g, (left + LEFTMOST + i * GROUP + item) * CHANNELS);
        outside |= (place == OUTSIDE ? 1u : 0u) << i;
        places[i] = place == OUTSIDE ? g.valid_left * CHANNELS : place;
    }
    float brought[CHANNELS][SHARE];
    for (int j = 0; j <= RADIUS_Y; ++j) {
        const int row = fold_row(g, top - RADIUS_Y + j);
        bring(brought, origin, g, row, places);
        put(brought, g, row, outside, (__local float *)ring + j * ROW, item);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // These are of rows y to y + RADIUS_Y - 1.
#if IN_REGISTERS
    Means waiting[RADIUS_Y + 1];
    UNROLL for (int j = 0; j < RADIUS_Y; ++j)
        waiting[j] = no_pixels(terms.centre);
#else
    __local VECTOR *own_sums = sums + item;
    for (int j = 0; j < RADIUS_Y; ++j)
        put_means(no_pixels(terms.centre), own_sums + j * (SUMS * GROUP));
    int row_sums = 0;
#endif
    int slot = 0; // of row y in the ring
    for (int y = top - RADIUS_Y; y < end; ++y) {
        // The next step's row is on its way meanwhile.
        const int next = fold_row(g, y + RADIUS_Y + 1);
        bring(brought, origin, g, next, places);
        float upper[CHANNELS][SPAN];
        float weights[COLUMNS][WINDOW_X];
        read_span(upper, own + slot * (ROW / PART));
#if IN_REGISTERS
        waiting[RADIUS_Y] = no_pixels(terms.centre);
        Means now = waiting[0];
#else
        Means now = get_means(own_sums + row_sums);
        put_means(no_pixels(terms.centre), own_sums + row_sums);
#endif
        UNROLL for (int i = 0; i < COLUMNS; ++i)
            UNROLL for (int dx = 1; dx <= RADIUS_X; ++dx)
                if (i + dx >= COLUMNS)
                    weights[i][RADIUS_X + dx] = weight_of_pair(
                        terms, upper, upper, RADIUS_X + i, RADIUS_X + i + dx, SPACE(dx));
        send(weights, 1, item, exchange);
        UNROLL for (int hop = HOPS; hop > 0; --hop)
            add_received(&now, upper, upper, weights, 1, hop, item, exchange);
        UNROLL for (int i = 0; i < COLUMNS; ++i)
            UNROLL for (int dx = 1; dx <= RADIUS_X; ++dx) {
                if (i + dx < COLUMNS) {
                    const float weight = weight_of_pair(
                        terms, upper, upper, RADIUS_X + i, RADIUS_X + i + dx, SPACE(dx));
                    add_pixel(&now, upper, upper, i, RADIUS_X + i + dx, weight);
                    add_mirrored(&now, upper, upper, i + dx, RADIUS_X + i, weight);
                } else {
                    add_pixel(&now, upper, upper, i, RADIUS_X + i + dx, weights[i][RADIUS_X + dx]);
                }
            }
        int at = slot;
        ROWS for (int dy = 1; dy <= RADIUS_Y; ++dy) {
#if !IN_REGISTERS
            row_sums = row_sums == (RADIUS_Y - 1) * (SUMS * GROUP) ? 0 : row_sums + SUMS * GROUP;
#endif
            float lower[CHANNELS][SPAN];
            at = at == RING - 1 ? 0 : at + 1;
            read_span(lower, own + at * (ROW / PART));
#if IN_REGISTERS
            Means below = waiting[dy];
#else
            Means below = get_means(own_sums + row_sums);
#endif
#define WEIGHT                                                                                     \
    weight_of_pair(terms, upper, lower, RADIUS_X + i, RADIUS_X + i + dx,                           \
                   SPACE(dy * (RADIUS_X + 1) + (dx < 0 ? -dx : dx)))
            // Both ends of a pair take their pixels from left to right: what other lanes need
            // waits.
            UNROLL for (int i = 0; i < COLUMNS; ++i)
                UNROLL for (int dx = -RADIUS_X; dx <= RADIUS_X; ++dx)
                    if (HOP_TO(i + dx) != 0)
                        weights[i][RADIUS_X + dx] = WEIGHT;
            send(weights, -RADIUS_X, item, exchange);
            UNROLL for (int i = 0; i < COLUMNS; ++i)
                UNROLL for (int dx = -RADIUS_X; i + dx < 0; ++dx)
                    add_pixel(&now, upper, lower, i, RADIUS_X + i + dx, weights[i][RADIUS_X + dx]);
            UNROLL for (int hop = HOPS; hop > 0; --hop)
                add_received(&below, lower, upper, weights, -RADIUS_X, hop, item, exchange);
            UNROLL for (int i = 0; i < COLUMNS; ++i)
                UNROLL for (int dx = -RADIUS_X; dx <= RADIUS_X; ++dx)
                    if (HOP_TO(i + dx) == 0) {
                        const float weight = WEIGHT;
                        add_pixel(&now, upper, lower, i, RADIUS_X + i + dx, weight);
                        add_mirrored(&below, lower, upper, i + dx, RADIUS_X + i, weight);
                    } else if (i + dx >= COLUMNS) {
                        add_pixel(&now, upper, lower, i, RADIUS_X + i + dx,
                                  weights[i][RADIUS_X + dx]);
                    }
#undef WEIGHT
            UNROLL for (int hop = -1; hop >= -HOPS; --hop)
                add_received(&below, lower, upper, weights, -RADIUS_X, hop, item, exchange);
#if IN_REGISTERS
            waiting[dy - 1] = below;
#else
            put_means(below, own_sums + row_sums);
#endif
        }
#if !IN_REGISTERS
        row_sums = row_sums == (RADIUS_Y - 1) * (SUMS * GROUP) ? 0 : row_sums + SUMS * GROUP;
#endif
        if (writes && y >= top)
            store_row(upper, now, to + (long)y * g.dst_row, width - x);
        // Its place is that of the row before the step's, which no item reads any more.
        at = at == RING - 1 ? 0 : at + 1;
        put(brought, g, next, outside, (__local float *)ring + at * ROW, item);
        barrier(CLK_LOCAL_MEM_FENCE);
        slot = slot == RING - 1 ? 0 : slot + 1;
    }
}
