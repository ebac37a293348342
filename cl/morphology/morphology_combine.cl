// Results of erosions and dilations, and the image that they were made of, subtracted from one another, a value
// an item.
#include "lib/geometry.clh"
#include "lib/pixel.clh"

#ifndef GROUP
#error GROUP is not defined
#endif
// Images that are read: two, of which one is subtracted from the other, or three.
#ifndef IMAGES
#error IMAGES is not defined
#endif
// Whether it is the first of two that is subtracted.
#ifndef SUBTRACTS_FIRST
#error SUBTRACTS_FIRST is not defined
#endif

// Images after the first have its pitches, and start at pixel (0, 0).
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void morphology_combine(__global const SRC *restrict first, __global const SRC *restrict second,
#if IMAGES == 3
                        __global const SRC *restrict third,
#endif
                        __global DST *restrict dst, const Geometry g) {
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    if (x >= g.width)
        return;
    const long row = y * g.src_row + x;
    const long at = start_of_slice(g, batch, 0, g.src_slice, g.src_volume, g.src_plane) + row;
    const float a = LOAD(first + src_start(g, batch) + row);
    const float b = LOAD(second + at);
#if IMAGES == 3
    const float result = (b - a) - (a - LOAD(third + at));
#elif SUBTRACTS_FIRST
    const float result = b - a;
#else
    const float result = a - b;
#endif
    STORE(result, dst + dst_start(g, batch) + y * g.dst_row + x);
}
