// Means over boxes in one pass, for GPUs; the work does not grow with the radius. A group marches
// down a strip, STACKS * ROWS rows at a time: each of LANES x STACKS items reads ROWS rows of four
// columns, of what enters the boxes and of what leaves them, and what the stacks above it change is
// added to the sums along y. These rows lie in local memory, where each of their segments is
// replaced by its running sums: a box is the difference of two of those, and the whole segments
// between them. Rows of the next step are on their way meanwhile.
#include "lib/inline.clh"
#include "lib/rolled.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/last_use.clh"
#include "lib/border.clh"
#include "lib/group_place.clh"
#include "lib/box.clh"

#if !defined(LANES) || !defined(STACKS) || !defined(SEGMENT) || SEGMENT % 16 != 0
#error LANES, STACKS or SEGMENT is not defined, or SEGMENT is no multiple of 16
#endif
#if SUM_TYPE == SUM_I64
#error box_march keeps sums in 32 bits
#endif
#include "lib/box_sums.clh"
#include "lib/box_stacks.clh"

// Rows of a column that an item makes means of at a time: the whole step where each column has an
// item of its own.
#define MADE (GROUP < 4 * LANES ? ROWS : STEP)
#define NEXT_TASK(task) (MADE == STEP ? wide : (task) + GROUP)
#if CHANNELS == 3
#define VALUES (SEGMENT / 2 * 3) // whole pixels, and whole vectors
#else
#define VALUES SEGMENT
#endif
#define SEGMENTS (4 * LANES / VALUES)
// Vectors from a row to the next: an odd number, so that items that each take a row meet different
// banks.
#define PITCH4 (LANES + 1)

// strip: values of a row that a group makes; apron: values before them that it reads, a multiple of
// 4. changes: what the rows of each item change; sums4: a step's sums along y, and then their
// running sums; segments4: what a segment comes to, [segment][channel][row]; lines: see
// LINES_FROM.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void box_march(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
               const int band, const int strip, const int apron, const long area, const float share,
               __local VALUE4 *restrict changes, __local VALUE4 *restrict sums4,
               __local VALUE4 *restrict segments4, __local int *restrict lines OTHER_PARAMETER) {
    const int item = get_local_id(0);
    const int lane = item & (LANES - 1);
    const int stack = item / LANES;
    const int batch = get_group_id(2);
    const int2 place = place_of_group(true);
    const int left = place.x * strip;
    const int top = place.y * band;
    const int rows = min(band, g.height - top);
    const int wide = min(strip, g.width - left);
    const int radius = g.anchor_x * CHANNELS; // values
    const int height = g.taps_y;
    const bool used = 4 * lane < wide + apron + radius;
    const FourPlaces four = places_of(g, left - apron + 4 * lane);
    __global const SRC *origin = src + src_start(g, batch);
    __local VALUE *sums = (__local VALUE *)sums4;
    __local VALUE *segments = (__local VALUE *)segments4;

    const int first = top - g.anchor_y - 1; // row that leaves the boxes of the band's first row
    FIND_LINES(first);
    FIND_LINES(first + STEP);
    changes[item] =
        used ? sum_of_first_rows(origin, g, four, first, stack) : EMPTY_COLUMNS.sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    Columns columns = EMPTY_COLUMNS;
    UNROLL for (int k = 0; k < STACKS; ++k)
        columns.sum += changes[k * LANES + lane];
    barrier(CLK_LOCAL_MEM_FENCE);

    WAITING enters[ROWS], leaves[ROWS];
    UNROLL for (int i = 0; i < ROWS; ++i)
        enters[i] = leaves[i] = 0;
    if (used)
        BRING_ROWS(first);
    barrier(CLK_LOCAL_MEM_FENCE); // lines are used again

    // An item scans a segment of a row, and then makes the means of columns: sums to a box's last
    // value, less those to the value before its first.
    const int scanned_row = item & (STEP - 1);
    const int scanned = item / STEP;
    const int before_first = apron - radius - CHANNELS;
    const int until_last = apron + radius;
    __global DST *to = dst + dst_start(g, batch) + top * g.dst_row + left;
    const long source = src_start(g, batch) + top * g.src_row + left;
    for (int step = 0; step < rows; step += STEP) {
        VALUE4 change[ROWS]; // from the item's first row on
        ADD_CHANGES(change);
        changes[item] = change[ROWS - 1];
        if (used && step + STEP < rows)
            BRING_ROWS(first + step + STEP);
        FIND_LINES(first + step + 2 * STEP);
        barrier(CLK_LOCAL_MEM_FENCE);

        VALUE4 sum = columns.sum;
        VALUE4 all = 0;
        UNROLL for (int k = 0; k < STACKS; ++k) {
            const VALUE4 of_stack = changes[k * LANES + lane];
            if (k < stack)
                sum += of_stack;
            all += of_stack;
        }
        columns = add_columns(columns, all);
        UNROLL for (int i = 0; i < ROWS; ++i)
            sums4[(stack * ROWS + i) * PITCH4 + lane] = sum + change[i];
        barrier(CLK_LOCAL_MEM_FENCE);

        if (scanned < SEGMENTS) {
            __local VALUE4 *at = sums4 + scanned_row * PITCH4 + scanned * (VALUES / 4);
            VALUE so_far[CHANNELS];
            UNROLL for (int c = 0; c < CHANNELS; ++c)
                so_far[c] = 0;
            UNROLL for (int k = 0; k < VALUES / 4; ++k) {
                const VALUE4 value = at[k];
                VALUE v[4] = {value.s0, value.s1, value.s2, value.s3};
                UNROLL for (int i = 0; i < 4; ++i) {
                    so_far[(4 * k + i) % CHANNELS] += v[i];
                    v[i] = so_far[(4 * k + i) % CHANNELS];
                }
                at[k] = (VALUE4)(v[0], v[1], v[2], v[3]);
            }
            UNROLL for (int c = 0; c < CHANNELS; ++c)
                segments[(scanned * CHANNELS + c) * STEP + scanned_row] = so_far[c];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        // All columns of the first rows that are made at a time, and then those of the next ones.
        ROLLED for (int task = item; task < wide * (STEP / MADE); task = NEXT_TASK(task)) {
            const int part = MADE == STEP ? 0 : task / wide;
            const int column = task - part * wide;
            const int made = part * MADE; // the first row
            const int before = column + before_first;
            const int last = column + until_last;
            const int last_segment = last / VALUES;
            VALUE4 whole[MADE / 4];
            UNROLL for (int i = 0; i < MADE / 4; ++i)
                whole[i] = 0;
            ROLLED for (int s = before / VALUES; s < last_segment; ++s)
                UNROLL for (int i = 0; i < MADE / 4; ++i)
                    whole[i] += segments4[(s * CHANNELS + before % CHANNELS) * (STEP / 4) +
                                          made / 4 + i];
            MEAN means[MADE]; // all of them, so that reads need not wait for writes
            UNROLL for (int i = 0; i < MADE; ++i) {
                const VALUE4 rows4 = whole[i / 4];
                const VALUE between[4] = {rows4.s0, rows4.s1, rows4.s2, rows4.s3};
                __local const VALUE *row = sums + (made + i) * (4 * PITCH4);
                means[i] = mean_of(between[i % 4] + (row[last] - row[before]), area, share);
            }
            const int first_made = step + made;
            __global DST *next_to = to + (long)first_made * g.dst_row + column;
            UNROLL for (int i = 0; i < MADE; ++i) {
                if (first_made + i < rows)
                    STORE_MEAN(RESULT_OF(means[i], LOAD,
                                         source + (first_made + i) * g.src_row + column),
                               next_to);
                next_to += g.dst_row;
            }
        }
    }
}
