// Means over boxes axis by axis, in two launches, for GPUs and boxes that are wide beside what a group holds of a row;
// the work does not grow with the radius. Groups march down strips of columns and store the sums of boxes one column wide.
// Then groups march along rows of those sums, ITEMS segments at a time: a segment's running changes, and what the segments
// before it change, are added to the box before.
#include "lib/inline.clh"
#include "lib/rolled.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/last_use.clh"
#include "lib/border.clh"
#include "lib/box.clh"
#include "lib/box_columns.clh"
#include "lib/box_sums.clh"

#if !defined(LANES) || !defined(STACKS) || !defined(ITEMS) || ITEMS % 4 != 0
#error LANES, STACKS or ITEMS is not defined, or ITEMS is no multiple of 4
#endif
#include "lib/box_stacks.clh"

// sums4: [slice][row][column] from columns.first_column on, which is a multiple of 4, as is columns.pitch. changes: what
// the rows of each item change; boxes4: the boxes before a step's first row, which the last stack sums up. Both are of two
// steps in turn, as are lines: see LINES_FROM.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void box_axes_down(__global const SRC *restrict src, __global VALUE4 *restrict sums4,
                   const Geometry g, const BoxColumns columns, const int band,
                   __local VALUE4 *restrict changes, __local VALUE4 *restrict boxes4,
                   __local int *restrict lines) {
    const int item = get_local_id(0);
    const int lane = item & (LANES - 1);
    const int stack = item / LANES;
    const int batch = get_group_id(2);
    const int left = ((int)get_group_id(0) * LANES + lane) * 4;
    const int top = (int)get_group_id(1) * band;
    const int rows = min(band, g.height - top);
    const int height = g.taps_y;
    const bool used = left < columns.count;
    const FourPlaces four = places_of(g, columns.first_column + left);
    __global const SRC *origin = src + src_start(g, batch);
    __global VALUE4 *to = sums4 + (((long)batch * g.height + top) * columns.pitch + left) / 4;
    const long pitch4 = columns.pitch / 4;

    const int first = top - g.anchor_y - 1; // row that leaves the boxes of the band's first row
    FIND_LINES(first);
    FIND_LINES(first + STEP);
    changes[item] = used ? sum_of_first_rows(origin, g, four, first, stack) : EMPTY_COLUMNS.sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    Columns boxes = EMPTY_COLUMNS; // of the last stack
    if (stack == STACKS - 1) {
        UNROLL for (int k = 0; k < STACKS; ++k)
            boxes.sum += changes[k * LANES + lane];
        boxes4[lane] = boxes.sum;
    }

    WAITING enters[ROWS], leaves[ROWS];
    UNROLL for (int i = 0; i < ROWS; ++i)
        enters[i] = leaves[i] = 0;
    if (used)
        BRING_ROWS(first);
    barrier(CLK_LOCAL_MEM_FENCE); // lines are used again
    int turn = 0;
    for (int step = 0; step < rows; step += STEP) {
        VALUE4 change[ROWS]; // from the item's first row on
        ADD_CHANGES(change);
        __local VALUE4 *here = changes + (1 - turn) * GROUP;
        here[item] = change[ROWS - 1];
        if (used && step + STEP < rows)
            BRING_ROWS(first + step + STEP);
        FIND_LINES(first + step + 2 * STEP);
        barrier(CLK_LOCAL_MEM_FENCE);

        VALUE4 above = 0;
        UNROLL for (int k = 0; k < STACKS - 1; ++k)
            if (k < stack)
                above += here[k * LANES + lane];
        const VALUE4 sum = boxes4[turn * LANES + lane] + above;
        turn = 1 - turn;
        if (stack == STACKS - 1) {
            boxes = add_columns(boxes, above + change[ROWS - 1]);
            boxes4[turn * LANES + lane] = boxes.sum;
        }
        UNROLL for (int i = 0; i < ROWS; ++i) {
            const int row = step + stack * ROWS + i;
            if (used && row < rows)
                STORE_WORDS4(sum + change[i], to + row * pitch4);
        }
    }
}

// Values of a segment: whole pixels, and whole vectors. A vector more lies between two of them, so that items that each
// take a segment meet different banks.
#if CHANNELS == 3
#define SEGMENT 12
#else
#define SEGMENT 16
#endif
#define CHUNK (ITEMS * SEGMENT)
#define PLACE(i) ((i) + (i) / SEGMENT * 4)

// The sum of a column's box at value i of the extended row.
INLINE VALUE extended_sum(__global const VALUE *row, const Geometry g, int i) {
    const int x = fold_value(g, i);
    return x == OUTSIDE ? BORDER_VALUE(g) * g.taps_y : row[x];
}

// The sum of the first `count` of ITEMS totals, of which there are more.
#ifdef WIDE
INLINE TOTAL sum_before(__local const TOTAL *totals, int count) {
    TOTAL sum = 0;
    UNROLL for (int k = 0; k < ITEMS; ++k)
        if (k < count)
            sum += totals[k];
    return sum;
}
#else
INLINE TOTAL sum_before(__local const TOTAL *totals, int count) {
    __local const VALUE4 *fours = (__local const VALUE4 *)totals;
    VALUE4 sum = 0;
    UNROLL for (int k = 0; k < ITEMS / 4; ++k)
        if (4 * k + 3 < count)
            sum += fours[k];
    const VALUE4 rest = fours[count >> 2];
    sum.s0 += (count & 3) > 0 ? rest.s0 : 0;
    sum.s1 += (count & 3) > 1 ? rest.s1 : 0;
    sum.s2 += (count & 3) > 2 ? rest.s2 : 0;
    return (sum.s0 + sum.s1) + (sum.s2 + sum.s3);
}
#endif

// length: values of a row that a group makes, a multiple of CHUNK. changes4: a chunk's changes, and then its means.
// totals4: what each segment changes, TOTALs of [channel][segment]. boxes4: of each channel that before a chunk, which the
// last item sums up; TOTALs of two chunks in turn.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void box_axes_along(__global const VALUE *restrict sums, __global DST *restrict dst,
                    const Geometry g, const BoxColumns columns, const int length, const long area,
                    const float share, __local VALUE4 *restrict changes4,
                    __local VALUE4 *restrict totals4,
                    __local VALUE4 *restrict boxes4 OTHER_PARAMETER) {
    const int item = get_local_id(0);
    const int batch = get_group_id(2);
    const int y = get_group_id(0);
    const int left = (int)get_group_id(1) * length;
    const int end = min(left + length, g.width);
    const int behind = g.anchor_x * CHANNELS;       // from a box's middle to its last pixel
    const int before = (g.anchor_x + 1) * CHANNELS; // to the pixel before its first
    __global const VALUE *row =
        sums + ((long)batch * g.height + y) * columns.pitch - columns.first_column;
    __global DST *to = dst + dst_start(g, batch) + (long)y * g.dst_row;
    const long source = src_start(g, batch) + (long)y * g.src_row;
    __local VALUE *changes = (__local VALUE *)changes4;
    __local MEAN *means = (__local MEAN *)changes4;
    __local TOTAL *totals = (__local TOTAL *)totals4;
    __local TOTAL *boxes = (__local TOTAL *)boxes4;

    // The box of the first pixel. The one before it may have columns that are not there.
    UNROLL for (int c = 0; c < CHANNELS; ++c) {
        ROW_TOTAL sum = NOTHING;
        for (int k = item; k < g.taps_x; k += ITEMS)
            ADD_VALUE(sum, extended_sum(row, g, left - behind + k * CHANNELS + c));
        totals[c * ITEMS + item] = VALUE_OF(sum);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    ROW_TOTAL box[CHANNELS]; // of the last item
    UNROLL for (int c = 0; c < CHANNELS; ++c) {
        box[c] = NOTHING;
        if (item == ITEMS - 1) {
            ADD_VALUE(box[c], sum_before(totals + c * ITEMS, item) + totals[c * ITEMS + item]);
            boxes[c] = VALUE_OF(box[c]);
        }
    }
    int turn = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int x = left; x < end; x += CHUNK) {
        const bool is_known = x == left && item < CHANNELS; // the item's first value
        if (x - before >= g.valid_left * CHANNELS &&
            x + CHUNK + behind <= g.valid_right * CHANNELS) {
            UNROLL for (int k = 0; k < SEGMENT; ++k) {
                const int i = item + k * ITEMS;
                changes[PLACE(i)] =
                    k == 0 && is_known ? 0 : row[x + i + behind] - row[x + i - before];
            }
        } else {
            ROLLED for (int k = 0; k < SEGMENT; ++k) {
                const int i = item + k * ITEMS;
                changes[PLACE(i)] = (k == 0 && is_known) || x + i >= end
                                        ? 0
                                        : extended_sum(row, g, x + i + behind) -
                                              extended_sum(row, g, x + i - before);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        __local VALUE4 *own = changes4 + item * (SEGMENT / 4 + 1);
        VALUE values[SEGMENT];
        UNROLL for (int k = 0; k < SEGMENT / 4; ++k) {
            const VALUE4 four = own[k];
            values[4 * k] = four.s0;
            values[4 * k + 1] = four.s1;
            values[4 * k + 2] = four.s2;
            values[4 * k + 3] = four.s3;
        }
        UNROLL for (int i = CHANNELS; i < SEGMENT; ++i)
            values[i] += values[i - CHANNELS];
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            totals[c * ITEMS + item] = values[SEGMENT - CHANNELS + c];
        barrier(CLK_LOCAL_MEM_FENCE);

        MEAN own_means[SEGMENT];
        UNROLL for (int c = 0; c < CHANNELS; ++c) {
            const TOTAL segments = sum_before(totals + c * ITEMS, item);
            const TOTAL start = boxes[turn * CHANNELS + c] + segments;
            if (item == ITEMS - 1) {
                ADD_VALUE(box[c], segments + values[SEGMENT - CHANNELS + c]);
                boxes[(1 - turn) * CHANNELS + c] = VALUE_OF(box[c]);
            }
            UNROLL for (int i = c; i < SEGMENT; i += CHANNELS)
                own_means[i] = mean_of(start + values[i], area, share);
        }
        turn = 1 - turn;
        UNROLL for (int k = 0; k < SEGMENT / 4; ++k)
            ((__local MEAN4 *)own)[k] = (MEAN4)(own_means[4 * k], own_means[4 * k + 1],
                                                own_means[4 * k + 2], own_means[4 * k + 3]);
        barrier(CLK_LOCAL_MEM_FENCE);

        UNROLL for (int k = 0; k < SEGMENT; ++k) {
            const int i = item + k * ITEMS;
            if (x + i < end)
                STORE_MEAN(RESULT_OF(means[PLACE(i)], LOAD, source + x + i), to + x + i);
        }
    }
}
