// The image, the guide, and products of both as f32 images, of which guided filters take the means.
// All are less a pivot, the first pixel of the slice. An item makes those of a pixel.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/guided.clh"

#if !defined(GROUP) || !defined(CHANNELS)
#error GROUP or CHANNELS is not defined
#endif

// columns: pixels of a row. The guide is at `from`, what is made of it alone goes to `to`; the rest
// is where the geometry says. guide_squares: of 3 channels the first one's products with all,
// guide_more those of the others.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void guided_products(__global const SRC *restrict src,
#if GUIDES
                     __global const GUIDE *restrict guide, __global float *restrict guide_values,
                     __global float *restrict guide_squares,
#endif
#if GUIDES == 3
                     __global float *restrict guide_more,
#endif
                     __global float *restrict values, __global float *restrict products,
#if GUIDES == 3
                     __global float *restrict products1, __global float *restrict products2,
#endif
                     const Geometry g, const GuidePlaces from, const GuidePlaces to,
                     const GuidedNumbers numbers, const int columns) {
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    if (x >= columns)
        return;
    __global const SRC *origin = src + src_start(g, batch);
    __global const SRC *in = origin + y * g.src_row + x * CHANNELS;
    const long out = dst_start(g, batch) + y * g.dst_row + x * CHANNELS;
#if GUIDES
    __global const GUIDE *first = guide + start_of_places(g, batch, from);
    __global const GUIDE *pixel = first + y * from.row + x * GUIDES;
    const long at = start_of_places(g, batch, to) + y * to.row + x * GUIDES;
    const float i0 = LOAD_GUIDE(pixel) - pivot_of(LOAD_GUIDE(first), numbers);
    guide_values[at] = i0;
    guide_squares[at] = i0 * i0;
#if GUIDES == 3
    const float i1 = LOAD_GUIDE(pixel + 1) - pivot_of(LOAD_GUIDE(first + 1), numbers);
    const float i2 = LOAD_GUIDE(pixel + 2) - pivot_of(LOAD_GUIDE(first + 2), numbers);
    guide_values[at + 1] = i1;
    guide_values[at + 2] = i2;
    guide_squares[at + 1] = i0 * i1;
    guide_squares[at + 2] = i0 * i2;
    guide_more[at] = i1 * i1;
    guide_more[at + 1] = i1 * i2;
    guide_more[at + 2] = i2 * i2;
#endif
#endif
    for (int c = 0; c < CHANNELS; ++c) {
        const float p = LOAD(in + c) - pivot_of(LOAD(origin + c), numbers);
        values[out + c] = p;
#if GUIDES == 0
        products[out + c] = p * p;
#else
        products[out + c] = i0 * p;
#endif
#if GUIDES == 3
        products1[out + c] = i1 * p;
        products2[out + c] = i2 * p;
#endif
    }
}
