// Several derivatives of one reading: an item makes four values of ROWS rows. It goes down row by
// row, and keeps three rows filtered along x in registers, so that it reads each row once.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#define REAL float4
#define AS_REAL as_float4
#define AS_BITS as_uint4
#include "lib/arithmetic.clh"
#include "lib/root.clh"
#include "lib/stencil.clh"

#if !defined(GROUP_X) || !defined(GROUP_Y) || !defined(ROWS)
#error GROUP_X, GROUP_Y or ROWS is not defined
#endif
// Whether rows of both images start at multiples of four values.
#ifndef ALIGNED
#error ALIGNED is not defined
#endif

#define WINDOW (4 + 2 * CHANNELS) // values of a row that four results need

// Past the caches where that is known to be faster: nothing reads what is written soon.
#if HAS_CACHE_HINTS && DST_TYPE == PIXEL_F32
#define STREAM4(v, p) STREAM_FLOATS4((v).s0, (v).s1, (v).s2, (v).s3, p)
#else
#define STREAM4(v, p) STORE4(v, p)
#endif

#define FOUR(window, i)                                                                            \
    (float4)((window)[i], (window)[(i) + 1], (window)[(i) + 2], (window)[(i) + 3])

INLINE void filter_row(Filtered *to, __constant const float *taps, const float *window) {
    along_x(to, taps, FOUR(window, 0), FOUR(window, CHANNELS), FOUR(window, 2 * CHANNELS));
}

// The values of a row that lie inside, around the four at `from`.
INLINE void read_inside(float *window, __global const SRC *from) {
    UNROLL for (int i = 0; i < CHANNELS; ++i) {
        window[i] = LOAD(from + i - CHANNELS);
        window[4 + CHANNELS + i] = LOAD(from + 4 + i);
    }
#if ALIGNED
    const float4 own = LOAD4(from);
#else
    const float4 own = (float4)(LOAD(from), LOAD(from + 1), LOAD(from + 2), LOAD(from + 3));
#endif
    window[CHANNELS] = own.s0;
    window[CHANNELS + 1] = own.s1;
    window[CHANNELS + 2] = own.s2;
    window[CHANNELS + 3] = own.s3;
}

// Row y of the source filtered along x, for the four values from x on, wherever they lie.
INLINE void read_row(Filtered *to, __constant const float *taps, __global const SRC *origin,
                     const Geometry g, int y, int x) {
    const int row = fold_row(g, y);
    float window[WINDOW];
    UNROLL for (int i = 0; i < WINDOW; ++i)
        window[i] = read_extended(origin, g, row, x + i - CHANNELS);
    filter_row(to, taps, window);
}

// Writes four values, or as many of them as the row has.
INLINE void write(float4 v, __global DST *to, int left_over) {
#if ALIGNED
    if (left_over >= 4) {
        STREAM4(v, to);
        return;
    }
#endif
    const float values[4] = {v.s0, v.s1, v.s2, v.s3};
    UNROLL for (int i = 0; i < 4; ++i)
        if (i < left_over)
            STORE(values[i], to + i);
}

__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void derivative_march(__global const SRC *restrict src, TARGET_PARAMETERS, const Geometry g,
                      __constant const float *restrict taps) {
    const int x = (int)get_global_id(0) * 4;
    const int top = (int)get_global_id(1) * ROWS;
    const int batch = get_global_id(2);
    if (x >= g.width || top >= g.height)
        return;
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *const targets[TARGETS] = {TARGET_LIST};
    const long start = dst_start(g, batch) + x;
    // Where all that an item reads lies inside, it asks for all rows before it needs the first.
    if (x >= (g.valid_left + 1) * CHANNELS && x + 4 + CHANNELS <= g.valid_right * CHANNELS &&
        top > g.valid_top && top + ROWS < g.valid_bottom && top + ROWS <= g.height) {
        float windows[ROWS + 2][WINDOW];
        __global const SRC *from = origin + (top - 1) * g.src_row + x;
        UNROLL for (int i = 0; i < ROWS + 2; ++i)
            read_inside(windows[i], from + i * g.src_row);
        Filtered above, own;
        filter_row(&above, taps, windows[0]);
        filter_row(&own, taps, windows[1]);
        UNROLL for (int i = 0; i < ROWS; ++i) {
            Filtered below;
            filter_row(&below, taps, windows[i + 2]);
            Targets results;
            along_y(&results, taps, &above, &own, &below);
            UNROLL for (int n = 0; n < TARGETS; ++n)
                write(results.v[n], targets[n] + start + (top + i) * g.dst_row, g.width - x);
            above = own;
            own = below;
        }
        return;
    }
    Filtered above, own;
    read_row(&above, taps, origin, g, top - 1, x);
    read_row(&own, taps, origin, g, top, x);
    for (int y = top; y < min(top + ROWS, g.height); ++y) {
        Filtered below;
        read_row(&below, taps, origin, g, y + 1, x);
        Targets results;
        along_y(&results, taps, &above, &own, &below);
        UNROLL for (int n = 0; n < TARGETS; ++n)
            write(results.v[n], targets[n] + start + y * g.dst_row, g.width - x);
        above = own;
        own = below;
    }
}
