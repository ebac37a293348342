// Several derivatives of one reading, for CPUs: an item makes a strip of STRIP values and `band`
// rows alone, in vector registers, with no barrier. Rows that are needed again are in the caches.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#define REAL float16
#define AS_REAL as_float16
#define AS_BITS as_uint16
#include "lib/arithmetic.clh"
#include "lib/root.clh"
#include "lib/stencil.clh"

#ifndef STRIP
#error STRIP is not defined
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

// A row filtered along x, near the edge of the image or beyond.
static Filtered read_edge(__constant const float *taps, __global const SRC *origin,
                          const Geometry g, int row, int x) {
    return along_x(taps, read_vector(origin, g, row, x - CHANNELS),
                   read_vector(origin, g, row, x), read_vector(origin, g, row, x + CHANNELS));
}

INLINE Filtered read_inside(__constant const float *taps, __global const SRC *from) {
    return along_x(taps, LOAD16(from - CHANNELS), LOAD16(from), LOAD16(from + CHANNELS));
}

// The values of a row from x up to `end`.
static void make_edge(__constant const float *taps, __global const SRC *origin, const Geometry g,
                      const int *rows, int x, int end, __global DST *const *to) {
    for (; x < end; x += 16) {
        const Filtered above = read_edge(taps, origin, g, rows[0], x);
        const Filtered own = read_edge(taps, origin, g, rows[1], x);
        const Filtered below = read_edge(taps, origin, g, rows[2], x);
        const Targets results = along_y(taps, above, own, below);
        const int count = min(16, end - x);
        for (int n = 0; n < TARGETS; ++n) {
            float values[16];
            vstore16(results.v[n], 0, values);
            for (int i = 0; i < count; ++i)
                STORE(values[i], to[n] + x + i);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void derivative_strips(__global const SRC *restrict src, TARGET_PARAMETERS, const Geometry g,
                       __constant const float *restrict taps, const int band) {
    const int left = (int)get_global_id(0) * STRIP;
    const int top = (int)get_global_id(1) * band;
    const int batch = get_global_id(2);
    const int right = min(left + STRIP, g.width);
    const int bottom = min(top + band, g.height);
    __global const SRC *origin = src + src_start(g, batch);
    const long start = dst_start(g, batch);
    __global DST *const targets[TARGETS] = {TARGET_LIST};
    // Whole vectors from `first` up to `last` can be read as they are.
    int first = max(left, (g.valid_left + 1) * CHANNELS);
    first = min((first + 15) / 16 * 16, right);
    int last = min(right, (g.valid_right - 1) * CHANNELS);
    last = first + max(last - first, 0) / 16 * 16;
    for (int y = top; y < bottom; ++y) {
        const int rows[3] = {fold_row(g, y - 1), fold_row(g, y), fold_row(g, y + 1)};
        __global DST *to[TARGETS];
        for (int n = 0; n < TARGETS; ++n)
            to[n] = targets[n] + start + y * g.dst_row;
        if (rows[0] == OUTSIDE || rows[2] == OUTSIDE) {
            make_edge(taps, origin, g, rows, left, right, to);
            continue;
        }
        make_edge(taps, origin, g, rows, left, first, to);
        __global const SRC *above = origin + rows[0] * g.src_row;
        __global const SRC *own = origin + rows[1] * g.src_row;
        __global const SRC *below = origin + rows[2] * g.src_row;
        for (int x = first; x < last; x += 16) {
            const Targets results =
                along_y(taps, read_inside(taps, above + x), read_inside(taps, own + x),
                        read_inside(taps, below + x));
            UNROLL for (int n = 0; n < TARGETS; ++n)
                STORE_VECTOR(results.v[n], to[n] + x);
        }
        make_edge(taps, origin, g, rows, last, right, to);
    }
}
