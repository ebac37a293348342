// One image less another of the same layout, a value an item.
#include "lib/geometry.clh"
#include "lib/pixel.clh"

#ifndef GROUP
#error GROUP is not defined
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void difference_plain(__global const SRC *restrict src, __global const SRC *restrict other,
                      __global DST *restrict dst, const Geometry g) {
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    if (x >= g.width)
        return;
    const long at = src_start(g, batch) + y * g.src_row + x;
    STORE(LOAD(src + at) - LOAD(other + at), dst + dst_start(g, batch) + y * g.dst_row + x);
}
