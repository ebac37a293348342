// The squares of pixels, ITEM values an item.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/values.clh"

#ifndef GROUP
#error GROUP is not defined
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void local_square(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g) {
    const int x = (int)get_global_id(0) * ITEM;
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    const int count = g.width - x;
    if (count <= 0)
        return;
    const REAL value = load_values(src + src_start(g, batch) + y * g.src_row + x, count);
    store_values(value * value, dst + dst_start(g, batch) + y * g.dst_row + x, count);
}
