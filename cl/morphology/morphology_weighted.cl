// Erosion or dilation by weights, an item per value, straight from the source: the least or the largest of the
// window's pixels, each plus its weight. Erosions come with weights of the other sign.
#include "lib/geometry.clh"
#include "lib/volume.clh"
#include "lib/window.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/window_row.clh"
#include "lib/rank_key.clh"
#include "lib/extreme.clh"

#ifndef GROUP_X
#error GROUP_X is not defined
#endif

// weights: one for each pixel of the window.
__kernel __attribute__((reqd_work_group_size(GROUP_X, 1, 1)))
void morphology_weighted(__global const SRC *restrict src, __global DST *restrict dst,
                         const Geometry g, const Volume v, __global const WindowRun *restrict window,
                         const int runs, __global const float *restrict weights) {
    const int batch = get_global_id(2);
    const Place at = {get_global_id(0), get_global_id(1), batch % g.slices};
    if (at.x >= g.width)
        return;
    __global const SRC *volume = src + src_start(g, batch - at.slice);
    int found = NEUTRAL;
    for (int r = 0; r < runs; ++r) {
        const WindowRun run = window[r];
        long slice;
        const int row = row_of_run(g, v, run, at, &slice);
        for (int i = 0; i < run.count; ++i)
            found = further(found, key_of(read_extended(volume + slice, g, row,
                                                        at.x + run.x + i * CHANNELS) +
                                          weights[i]));
        weights += run.count;
    }
    STORE(value_of(found), dst + dst_start(g, batch) + at.y * g.dst_row + at.x);
}
