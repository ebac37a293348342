// Summed-area tables in two launches: sums down a column of values each, and then along a row each.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/sat.clh"

#ifndef GROUP
#error GROUP is not defined
#endif

// columns: the sums of all columns, for the rows that are written.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sat_columns(__global const SRC *restrict src, __global SUM *restrict columns,
                 const Geometry g) {
    const int x = get_global_id(0);
    const int batch = get_global_id(2);
    const int width = SUMMED_VALUES(g);
    if (x >= width)
        return;
    __global const SRC *from = src + sums_start(g, batch) + x;
    columns += (long)batch * g.height * width + x;
    SUM sum = 0;
    for (int y = FIRST_ROW(g); y < g.height; ++y, from += g.src_row) {
        sum += LOAD_SUM(from);
        if (y >= 0)
            columns[(long)y * width] = sum;
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sat_rows(__global const SUM *restrict columns, __global SUM *restrict dst, const Geometry g) {
    const int y = get_global_id(0);
    const int channel = get_global_id(1);
    const int batch = get_global_id(2);
    const int width = SUMMED_VALUES(g);
    if (y >= g.height)
        return;
    columns += ((long)batch * g.height + y) * width - FIRST_VALUE(g);
    dst += dst_start(g, batch) + y * g.dst_row;
    SUM sum = 0;
    for (int x = FIRST_VALUE(g) + channel; x < g.width; x += CHANNELS) {
        sum += columns[x];
        if (x >= 0)
            dst[x] = sum;
    }
}
