// Means over boxes of any size in two launches: sums along y of a column each, and then sums along
// x of parts of rows, both running: what enters the box is added, what leaves it is taken out.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/box.clh"
#include "lib/box_columns.clh"

#ifndef GROUP_X
#error GROUP_X is not defined
#endif

// `length` rows of a column an item.
__kernel __attribute__((reqd_work_group_size(GROUP_X, 1, 1)))
void box_columns(__global const SRC *restrict src, __global VALUE *restrict sums, const Geometry g,
                 const BoxColumns columns, const int length) {
    const int i = get_global_id(0);
    const int batch = get_global_id(2);
    const int top = (int)get_global_id(1) * length;
    if (i >= columns.count)
        return;
    const int radius = g.anchor_y;
    __global const SRC *column = src + src_start(g, batch) + columns.first_column + i;
    sums += (long)batch * g.height * columns.pitch + i;
#define AT(y)                                                                                      \
    (fold_row(g, y) == OUTSIDE ? BORDER_VALUE(g) : LOAD_VALUE(column + fold_row(g, y) * g.src_row))
    Running sum = NOTHING;
    for (int y = top - radius; y < top + radius; ++y)
        ADD_VALUE(sum, AT(y));
    const int end = min(top + length, g.height);
    for (int y = top; y < end; ++y) {
        ADD_VALUE(sum, AT(y + radius));
        sums[y * columns.pitch] = VALUE_OF(sum);
        TAKE_VALUE(sum, AT(y - radius));
    }
}

// `length` pixels of one channel of a row an item.
__kernel __attribute__((reqd_work_group_size(GROUP_X, 1, 1)))
void box_rows(__global const VALUE *restrict sums, __global DST *restrict dst, const Geometry g,
              const BoxColumns columns, const int length, const long area,
              const float share OTHER_PARAMETER) {
    // Items side by side take rows below each other: their parts of rows are far apart either way.
    const int y = get_global_id(0);
    const int part = (int)get_global_id(1) / CHANNELS;
    const int channel = (int)get_global_id(1) - part * CHANNELS;
    const int batch = get_global_id(2);
    const int width = g.width / CHANNELS;
    const int left = part * length;
    if (y >= g.height || left >= width)
        return;
    const int radius = g.anchor_x;
    sums += ((long)batch * g.height + y) * columns.pitch + channel - columns.first_column;
    __global DST *to = dst + dst_start(g, batch) + y * g.dst_row + channel;
    const long from = src_start(g, batch) + y * g.src_row + channel;
    const VALUE outside = BORDER_VALUE(g) * g.taps_y;
#define SUM_AT(x)                                                                                  \
    (fold(x, g.valid_left, g.valid_right, g.border_mode) == OUTSIDE                                \
         ? outside                                                                                 \
         : sums[(long)fold(x, g.valid_left, g.valid_right, g.border_mode) * CHANNELS])
    Running total = NOTHING;
    for (int x = left - radius; x < left + radius; ++x)
        ADD_VALUE(total, SUM_AT(x));
    const int end = min(left + length, width);
    for (int x = left; x < end; ++x) {
        ADD_VALUE(total, SUM_AT(x + radius));
        STORE_MEAN(RESULT_OF(mean_of(VALUE_OF(total), area, share), LOAD,
                             from + (long)x * CHANNELS),
                   to + (long)x * CHANNELS);
        TAKE_VALUE(total, SUM_AT(x - radius));
    }
}
