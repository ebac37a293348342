// Several derivatives of one reading, for CPUs: an item makes a strip of STRIP values and `band`
// rows alone, in vector registers, with no barrier. It goes down row by row, and keeps three rows
// filtered along x in private memory, so that it reads each row once.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/once.clh"
#define REAL float16
#define AS_REAL as_float16
#define AS_BITS as_uint16
#include "lib/arithmetic.clh"
#include "lib/root.clh"
#include "lib/stencil.clh"

#ifndef STRIP
#error STRIP is not defined
#endif
#if STRIP % 16 != 0
#error STRIP must be a multiple of 16
#endif
// Whether rows of the target start at multiples of 16 values.
#ifndef ALIGNED
#error ALIGNED is not defined
#endif
#if ALIGNED
#define STORE_VECTOR STREAM16
#else
#define STORE_VECTOR STORE16
#endif

// The values from index x on of a row that fold_row gave.
static float16 read_vector(__global const SRC *origin, const Geometry g, int row, int x) {
    float values[16];
    for (int i = 0; i < 16; ++i)
        values[i] = read_extended(origin, g, row, x + i);
    return vload16(0, values);
}

// Those of a row filtered along x, near the edge of the image or beyond.
INLINE void read_edge(Filtered *to, __constant const float *taps, __global const SRC *origin,
                      const Geometry g, int row, int x) {
    along_x(to, taps, read_vector(origin, g, row, x - CHANNELS), read_vector(origin, g, row, x),
            read_vector(origin, g, row, x + CHANNELS));
}

INLINE void read_inside(Filtered *to, __constant const float *taps, __global const SRC *from) {
    along_x(to, taps, LOAD16(from - CHANNELS), LOAD16(from), LOAD16(from + CHANNELS));
}

// The first `count` values.
static void store_part(float16 v, __global DST *to, int count) {
    float values[16];
    vstore16(v, 0, values);
    for (int i = 0; i < min(count, 16); ++i)
        STORE(values[i], to + i);
}

// A strip: `vectors` of values from `left` on. Those from `first` up to `last` need nothing but
// pixels of the image, where their row is one of it.
typedef struct Strip {
    int left, vectors, first, last;
} Strip;

static void filter_row(Filtered *to, __constant const float *taps, __global const SRC *origin,
                       const Geometry g, const Strip strip, int row) {
    for (int v = 0; v < strip.vectors; ++v) {
        const int x = strip.left + 16 * v;
        if (row != OUTSIDE && v >= strip.first && v < strip.last)
            read_inside(&to[v], taps, origin + row * g.src_row + x);
        else
            read_edge(&to[v], taps, origin, g, row, x);
    }
}

// Vectors from `v` up to `end` of a row near the edge, or below the edge.
static void make_edge(const Filtered *above, const Filtered *own, Filtered *below,
                      __constant const float *taps, __global const SRC *origin, const Geometry g,
                      const Strip strip, int row, int v, int end, __global DST *const *to) {
    for (; v < end; ++v) {
        const int x = strip.left + 16 * v;
        read_edge(&below[v], taps, origin, g, row, x);
        Targets results;
        along_y(&results, taps, &above[v], &own[v], &below[v]);
        for (int n = 0; n < TARGETS; ++n)
            store_part(results.v[n], to[n] + x, g.width - x);
    }
}

ONCE void derive_strip(const int3 place, __global const SRC *restrict src, TARGET_PARAMETERS,
                       const Geometry g, __constant const float *restrict taps, const int band) {
    const int top = place.y * band;
    const int batch = place.z;
    const int bottom = min(top + band, g.height);
    __global const SRC *origin = src + src_start(g, batch);
    const long start = dst_start(g, batch);
    __global DST *const targets[TARGETS] = {TARGET_LIST};
    Strip strip;
    strip.left = place.x * STRIP;
    const int count = min(STRIP, g.width - strip.left);
    strip.vectors = (count + 15) / 16;
    const int before = (g.valid_left + 1) * CHANNELS - strip.left;
    const int after = (g.valid_right - 1) * CHANNELS - strip.left;
    strip.first = min((max(before, 0) + 15) / 16, strip.vectors);
    strip.last = max(min(count, after) / 16, strip.first);
    Filtered rows[3][STRIP / 16];
    Filtered *above = rows[0];
    Filtered *own = rows[1];
    Filtered *below = rows[2];
    filter_row(above, taps, origin, g, strip, fold_row(g, top - 1));
    filter_row(own, taps, origin, g, strip, fold_row(g, top));
    for (int y = top; y < bottom; ++y) {
        const int row = fold_row(g, y + 1);
        const int first = row == OUTSIDE ? strip.vectors : strip.first;
        const int last = row == OUTSIDE ? strip.vectors : strip.last;
        __global DST *to[TARGETS];
        UNROLL for (int n = 0; n < TARGETS; ++n)
            to[n] = targets[n] + start + y * g.dst_row;
        make_edge(above, own, below, taps, origin, g, strip, row, 0, first, to);
        __global const SRC *from = origin + (row == OUTSIDE ? 0 : row) * g.src_row + strip.left;
        for (int v = first; v < last; ++v) {
            Filtered next;
            read_inside(&next, taps, from + 16 * v);
            Targets results;
            along_y(&results, taps, &above[v], &own[v], &next);
            UNROLL for (int n = 0; n < TARGETS; ++n)
                STORE_VECTOR(results.v[n], to[n] + strip.left + 16 * v);
            below[v] = next;
        }
        make_edge(above, own, below, taps, origin, g, strip, row, last, strip.vectors, to);
        Filtered *const oldest = above;
        above = own;
        own = below;
        below = oldest;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void derivative_strips(__global const SRC *restrict src, TARGET_PARAMETERS, const Geometry g,
                       __constant const float *restrict taps, const int band) {
    derive_strip(PLACE, src, TARGET_LIST, g, taps, band);
}
