// Correlation with taps of any size, an item per value, straight from the source. The taps may
// differ between components, which are the channels of the planes.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/subtract.clh"

#if !defined(GROUP_X) || !defined(GROUP_Y)
#error GROUP_X or GROUP_Y is not defined
#endif

// sets: one for all components, or one for each. taps: of each set those along x and then those
// along y, if it is separable, else rows: more than constant memory holds, if every component has
// many of its own.
__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void correlate_plain(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                     __constant TapPlace *restrict sets, __global const float *restrict taps,
                     const int set_count OTHER_PARAMETER) {
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    if (x >= g.width || y >= g.height)
        return;
    __global const SRC *origin = src + src_start(g, batch);
    const int plane = batch / g.slices / g.volumes;
    const TapPlace set = sets[set_count == 1 ? 0 : plane * CHANNELS + x % CHANNELS];
    __global const float *own = taps + set.first;
    const int first = x - set.anchor_x * CHANNELS;

    float sum = 0.0f;
    for (int j = 0; j < set.taps_y; ++j) {
        const int row = fold_row(g, y + j - set.anchor_y);
        if (set.separable) {
            float filtered = 0.0f;
            for (int i = 0; i < set.taps_x; ++i)
                filtered =
                    fma(own[i], read_extended(origin, g, row, first + i * CHANNELS), filtered);
            sum = fma(own[set.taps_x + j], filtered, sum);
        } else {
            for (int i = 0; i < set.taps_x; ++i)
                sum = fma(own[j * set.taps_x + i],
                          read_extended(origin, g, row, first + i * CHANNELS), sum);
        }
    }
    __global DST *to = dst + dst_start(g, batch) + y * g.dst_row + x;
    STORE(RESULT_OF(sum, OTHER_OF(to)), to);
}
