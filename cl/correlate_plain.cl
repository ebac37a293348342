// Correlation with taps of any size, an item per value, straight from the source.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"

#if !defined(SEPARABLE) || !defined(GROUP_X) || !defined(GROUP_Y)
#error SEPARABLE, GROUP_X or GROUP_Y is not defined
#endif

// taps: separable, those along x and then those along y; else rows of g.taps_x.
__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void correlate_plain(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                     __constant float *restrict taps) {
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    if (x >= g.width || y >= g.height)
        return;
    __global const SRC *origin = src + src_start(g, batch);

    float sum = 0.0f;
    for (int j = 0; j < g.taps_y; ++j) {
        const int row = fold_row(g, y + j - g.anchor_y);
        const int first = x - g.anchor_x * CHANNELS;
#if SEPARABLE
        float filtered = 0.0f;
        for (int i = 0; i < g.taps_x; ++i)
            filtered = fma(taps[i], read_extended(origin, g, row, first + i * CHANNELS), filtered);
        sum = fma(taps[g.taps_x + j], filtered, sum);
#else
        for (int i = 0; i < g.taps_x; ++i)
            sum = fma(taps[j * g.taps_x + i],
                      read_extended(origin, g, row, first + i * CHANNELS), sum);
#endif
    }
    STORE(sum, dst + dst_start(g, batch) + y * g.dst_row + x);
}
