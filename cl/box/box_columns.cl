// Means over boxes of one-channel images in one pass, for GPUs; the work does not grow with the
// radius. An item keeps the sums along y of 4 columns while its group marches down them, ROWS rows
// at a time; rows are on their way while those before them are summed along x. For that a step's
// rows lie in local memory as what the values of each block of 4 come to, and as what they come to
// before each value: a box is whole blocks, whose sums are moved along the row, and the ends of
// two.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/box.clh"

#ifndef GROUP
#error GROUP is not defined
#endif
#if CHANNELS != 1 || SUM_TYPE == SUM_I64
#error box_columns takes one channel, and keeps sums in 32 bits
#endif

#define ROWS 4
#define SPLIT 4 // groups that share a band of a strip at an edge

#include "lib/box_sums.clh"
#include "lib/box_blocks.clh"

// Moves the boxes of four columns on by a row. before: of each value what its block's values before
// it come to; block: what all four do.
static inline Columns move_columns(Columns columns, VALUE4 change, __local VALUE4 *before,
                                   __local VALUE *block) {
    columns = add_columns(columns, change);
    const VALUE4 sum = columns.sum;
    const VALUE two = sum.s0 + sum.s1;
    const VALUE three = two + sum.s2;
    *before = (VALUE4)(0, sum.s0, two, three);
    *block = three + sum.s3;
    return columns;
}

// apron: the radius along x, rounded up to whole blocks. inner_first to inner_end: the strips that
// read nothing outside the image along x. before: of each value of a step, what its block's values
// before it come to; blocks: what all of them do; spans: what the blocks do that are whole in the
// box of a block's first value.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void box_columns(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                 const int band, const int apron, const int inner_first, const int inner_end,
                 const long area, const float share,
                 __local VALUE4 *restrict before, __local VALUE4 *restrict blocks4,
                 __local VALUE4 *restrict spans4 OTHER_PARAMETER) {
    const int item = get_local_id(0);
    const int batch = get_group_id(2);
    const int strip = 4 * GROUP - 2 * apron;
    // Strips that read values outside the image take longer: more groups share their bands.
    const int inner = inner_end - inner_first;
    int column = get_group_id(0);
    int top = (int)get_group_id(1) * band;
    int rows = band;
    if (column < inner) {
        column += inner_first;
    } else {
        const int outer = (column - inner) / SPLIT;
        rows = band / SPLIT;
        top += (column - inner - outer * SPLIT) * rows;
        column = outer < inner_first ? outer : outer + inner;
    }
    rows = min(rows, g.height - top);
    if (rows <= 0)
        return;
    const int left = column * strip;
    const int wide = min(strip, g.width - left);
    const int radius = g.anchor_y;
    const int height = 2 * radius + 1;
    const bool used = 4 * item < wide + 2 * apron + 16; // whole vectors of blocks are read
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *target = dst + dst_start(g, batch) + top * g.dst_row + left + 4 * item;
    const long source = src_start(g, batch) + top * g.src_row + left + 4 * item;
    __local VALUE *blocks = (__local VALUE *)blocks4;
    __local VALUE *spans = (__local VALUE *)spans4;

    const FourPlaces four = places_of(g, left - apron + 4 * item);
    const int first = top - radius - 1; // row that leaves the box of the band's first
    Columns columns = EMPTY_COLUMNS;
    if (used) {
        int y = first;
        if (four.inside)
            for (; IS_FREE(y, 8) && y + 8 <= first + height; y += 8) {
                VALUE4 some[8];
                UNROLL for (int i = 0; i < 8; ++i)
                    some[i] = READ_INSIDE(origin + (y + i) * g.src_row, four);
                UNROLL for (int i = 0; i < 8; ++i)
                    columns = add_columns(columns, some[i]);
            }
        for (; y < first + height; y += 4) {
            VALUE4 some[4];
            UNROLL for (int i = 0; i < 4; ++i)
                some[i] = read_any(origin, g, four, y + i);
            UNROLL for (int i = 0; i < 4; ++i)
                if (y + i < first + height)
                    columns = add_columns(columns, some[i]);
        }
    }

    // A box spans `count` whole blocks from that of its first value on, which is value `shift` of
    // it; the value after its last is value (1 - shift) & 3 of the block after them.
    const int shift = apron - g.anchor_x;
    const int count = (apron + g.anchor_x + 1) >> 2;
    VALUE4 enters[ROWS], leaves[ROWS];
    for (int step = -ROWS; step < rows; step += ROWS) {
        if (used && step >= 0) {
            const int leaving = first + step;
            if (IS_FREE(leaving, ROWS + height)) {
                UNROLL for (int i = 0; i < ROWS; ++i)
                    columns = move_columns(columns, enters[i] - leaves[i],
                                           before + i * GROUP + item, blocks + i * GROUP + item);
            } else {
                for (int i = 0; i < ROWS; ++i)
                    columns = move_columns(columns,
                                           read_any(origin, g, four, leaving + height + i) -
                                               read_any(origin, g, four, leaving + i),
                                           before + i * GROUP + item, blocks + i * GROUP + item);
            }
        }
        if (used && step + ROWS < rows && IS_FREE(first + step + ROWS, ROWS + height)) {
            __global const SRC *row = origin + (first + step + ROWS) * g.src_row;
            const long ahead = height * g.src_row;
            if (four.inside) {
                UNROLL for (int i = 0; i < ROWS; ++i) {
                    leaves[i] = READ_INSIDE(row + i * g.src_row, four);
                    enters[i] = READ_INSIDE(row + ahead + i * g.src_row, four);
                }
            } else {
                UNROLL for (int i = 0; i < ROWS; ++i) {
                    leaves[i] = read_outside(row + i * g.src_row, g, four);
                    enters[i] = read_outside(row + ahead + i * g.src_row, g, four);
                }
            }
        }
        if (step < 0)
            continue;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int task = item; task < ROWS * GROUP / 4; task += GROUP) {
            const int i = task / (GROUP / 4);
            const int block = (task & (GROUP / 4 - 1)) * 4;
            if (4 * block < wide) {
                *(__local VALUE4 *)(spans + i * GROUP + block) =
                    spans_of(blocks + i * GROUP + block, count);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        if (4 * item < wide) {
            UNROLL for (int i = 0; i < ROWS; ++i) {
                const int at = i * GROUP + item;
                VALUE sums[4];
                sums_of_boxes(sums, before + at, blocks + at, spans[at], count, shift);
                MEAN means[4];
                UNROLL for (int v = 0; v < 4; ++v)
                    means[v] = mean_of(sums[v], area, share);
                if (step + i < rows) {
                    __global DST *to = target + (step + i) * g.dst_row;
                    const long from = source + (step + i) * g.src_row;
                    if (ALIGNED && 4 * item + 4 <= wide)
                        STORE_MEAN4(RESULT_OF((MEAN4)(means[0], means[1], means[2], means[3]),
                                              LOAD4, from),
                                    to);
                    else
                        UNROLL for (int v = 0; v < 4; ++v)
                            if (4 * item + v < wide)
                                STORE_MEAN(RESULT_OF(means[v], LOAD, from + v), to + v);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
