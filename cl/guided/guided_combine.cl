// The linear function of the guide at each pixel, by the means of its slopes and of its offset. An
// item makes a pixel.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/guided.clh"

#if !defined(GROUP) || !defined(CHANNELS)
#error GROUP or CHANNELS is not defined
#endif

// The guide, or where each channel guides itself the image, is at `from`. The means are where the
// geometry says.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void guided_combine(__global const float *restrict slope,
#if GUIDES == 3
                    __global const float *restrict slope1, __global const float *restrict slope2,
#endif
                    __global const float *restrict offset, __global const GUIDE *restrict guide,
                    __global DST *restrict dst, const Geometry g, const GuidePlaces from,
                    const int columns) {
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    if (x >= columns)
        return;
    const long in = src_start(g, batch) + y * g.src_row + x * CHANNELS;
    __global DST *to = dst + dst_start(g, batch) + y * g.dst_row + x * CHANNELS;
    __global const GUIDE *pixel = guide + start_of_places(g, batch, from) + y * from.row;
    for (int c = 0; c < CHANNELS; ++c) {
#if GUIDES == 0
        const float result =
            fma(slope[in + c], LOAD_GUIDE(pixel + x * CHANNELS + c), offset[in + c]);
#elif GUIDES == 1
        const float result = fma(slope[in + c], LOAD_GUIDE(pixel + x), offset[in + c]);
#else
        const float result =
            fma(slope[in + c], LOAD_GUIDE(pixel + x * 3),
                fma(slope1[in + c], LOAD_GUIDE(pixel + x * 3 + 1),
                    fma(slope2[in + c], LOAD_GUIDE(pixel + x * 3 + 2), offset[in + c])));
#endif
        STORE(result, to + c);
    }
}
