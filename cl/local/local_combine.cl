// A pixel, the mean of those around it and that of their squares combined, ITEM values an item.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/values.clh"
#include "lib/arithmetic.clh"
#include "lib/root.clh"
#include "lib/local.clh"

#ifndef GROUP
#error GROUP is not defined
#endif

// Images after the first have its pitches, and start at pixel (0, 0).
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void local_combine(__global const SRC *restrict pixels, __global const SRC *restrict means,
#if SQUARES
                   __global const SRC *restrict squares,
#endif
                   __global DST *restrict dst, const Geometry g, const Numbers numbers) {
    const int x = (int)get_global_id(0) * ITEM;
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    const int count = g.width - x;
    if (count <= 0)
        return;
    const long row = y * g.src_row + x;
    const long at = start_of_slice(g, batch, 0, g.src_slice, g.src_volume, g.src_plane) + row;
    const REAL in = load_values(pixels + src_start(g, batch) + row, count);
    const REAL mean = load_values(means + at, count);
#if SQUARES
    const REAL mean_of_squares = load_values(squares + at, count);
#else
    const REAL mean_of_squares = (REAL)(0.0f);
#endif
    store_values(local_result(in, mean, mean_of_squares, numbers),
                 dst + dst_start(g, batch) + y * g.dst_row + x, count);
}
