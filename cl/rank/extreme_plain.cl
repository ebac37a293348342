// Minima and maxima over boxes in two launches: over the rows of each column, and then along rows.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/rank_key.clh"
#include "lib/extreme.clh"
#include "lib/box_columns.clh"

#ifndef GROUP_X
#error GROUP_X is not defined
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_X, 1, 1)))
void extreme_plain(__global const SRC *restrict src, __global int *restrict between,
                   const Geometry g, const BoxColumns columns) {
    const int i = get_global_id(0);
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    if (i >= columns.count)
        return;
    __global const SRC *column = src + src_start(g, batch) + columns.first_column + i;
    int found = NEUTRAL;
    for (int j = 0; j < g.taps_y; ++j) {
        const int row = fold_row(g, y + j - g.anchor_y);
        found = further(found, key_of(row == OUTSIDE ? g.border_value
                                                     : LOAD(column + row * g.src_row)));
    }
    between[((long)batch * g.height + y) * columns.pitch + i] = found;
}

__kernel __attribute__((reqd_work_group_size(GROUP_X, 1, 1)))
void extreme_rows(__global const int *restrict between, __global DST *restrict dst,
                  const Geometry g, const BoxColumns columns) {
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    if (x >= g.width)
        return;
    between += ((long)batch * g.height + y) * columns.pitch - columns.first_column;
    int found = NEUTRAL;
    for (int i = 0; i < g.taps_x; ++i) {
        const int at = fold_value(g, x + (i - g.anchor_x) * CHANNELS);
        found = further(found, at == OUTSIDE ? key_of(g.border_value) : between[at]);
    }
    STORE(value_of(found), dst + dst_start(g, batch) + y * g.dst_row + x);
}
