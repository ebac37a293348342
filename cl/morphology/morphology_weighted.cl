// Erosion or dilation by weights, an item per value, straight from the source: the least or the largest of the
// window's pixels, each plus its weight. Erosions come with weights of the other sign.
#include "lib/geometry.clh"
#include "lib/volume.clh"
#include "lib/window.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
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
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    if (x >= g.width)
        return;
    const int slice = batch % g.slices;
    __global const SRC *volume = src + src_start(g, batch - slice);
    int found = NEUTRAL;
    for (int r = 0; r < runs; ++r) {
        const WindowRun run = window[r];
        const int z = fold(slice + run.z, v.valid_front, v.valid_back, g.border_mode);
        const int row = z == OUTSIDE ? OUTSIDE : fold_row(g, y + run.y);
        __global const SRC *own = volume + (long)(z == OUTSIDE ? 0 : z) * g.src_slice;
        for (int i = 0; i < run.count; ++i)
            found = further(found, key_of(read_extended(own, g, row, x + run.x + i * CHANNELS) +
                                          weights[i]));
        weights += run.count;
    }
    STORE(value_of(found), dst + dst_start(g, batch) + y * g.dst_row + x);
}
