// Makes a map of what each pixel adds to the weighted error: the sum over scales and channels, where a
// pixel of a smaller scale stands for all pixels that it is the mean of.
#include "lib/ssimulacra2.clh"

#ifndef GROUP
#error GROUP is not defined
#endif

// dst: rows of the image's width, tight.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void ssimulacra2_map(__global const float *restrict planes, __global float *restrict dst,
                     __global const int *restrict scales, const int scale_count) {
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int width = scales[SCALE_WIDTH];
    if (x >= width)
        return;
    float sum = 0.0f;
    for (int scale = 0; scale < scale_count; ++scale) {
        __global const int *places = scales + scale * SCALE_FIELDS;
        const long at = (long)(y >> scale) * places[SCALE_PITCH] + (x >> scale);
        for (int channel = 0; channel < 3; ++channel)
            sum += planes[first_of(places, channel) + at];
    }
    dst[(long)y * width + x] = sum;
}
