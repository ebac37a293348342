// Means over boxes of one-channel images in one pass, for GPUs; the work does not grow with the
// radius. An item keeps the sums along y of 4 columns while its group marches down them, ROWS rows
// at a time; rows are on their way while those before them are summed along x. For that a step's
// rows lie in local memory as what the values of each block of 4 come to, and as what they come to
// before each value: a box is whole blocks, whose sums a few items move along the row, and the
// ends of two.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/box.clh"

#if !defined(GROUP) || !defined(ROWS) || !defined(ALIGNED)
#error GROUP, ROWS or ALIGNED is not defined
#endif
#if CHANNELS != 1 || SUM_TYPE == SUM_I64
#error box_columns takes one channel, and keeps sums in 32 bits
#endif

#define UNROLL _Pragma("unroll")

#if SUM_TYPE == SUM_F32
#define VALUE4 float4
#if ALIGNED
#define LOAD_VALUE4(p) LOAD4(p)
#else
#define LOAD_VALUE4(p) (float4)(LOAD(p), LOAD((p) + 1), LOAD((p) + 2), LOAD((p) + 3))
#endif
// Kahan's sum: `lost` is what roundings added too much.
typedef struct Columns {
    float4 sum, lost;
} Columns;
static inline Columns add_columns(Columns s, float4 x) {
    const float4 term = x - s.lost;
    const float4 sum = s.sum + term;
    s.lost = (sum - s.sum) - term;
    s.sum = sum;
    return s;
}
#else
#define VALUE4 int4
#if ALIGNED
#define LOAD_VALUE4(p) convert_int4(*(__global const PASTE(SRC, 4) *)(p))
#else
#define LOAD_VALUE4(p) convert_int4(vload4(0, p))
#endif
typedef struct Columns {
    int4 sum;
} Columns;
static inline Columns add_columns(Columns s, int4 x) {
    s.sum += x;
    return s;
}
#endif

// Four values of a row, which need not be inside: from value x on, which stand at `places` where
// they are not.
static inline VALUE4 read_columns(__global const SRC *origin, const Geometry g, int y, int x,
                                  int4 places, bool inside) {
    const int line = fold_row(g, y);
    if (line == OUTSIDE)
        return (VALUE4)(BORDER_VALUE(g));
    __global const SRC *row = origin + line * g.src_row;
    if (inside)
        return LOAD_VALUE4(row + x);
#define READ_PLACE(i) ((i) == OUTSIDE ? BORDER_VALUE(g) : LOAD_VALUE(row + (i)))
    return (VALUE4)(READ_PLACE(places.s0), READ_PLACE(places.s1), READ_PLACE(places.s2),
                    READ_PLACE(places.s3));
}

// apron: the radius along x, rounded up to whole blocks. before: of each value of a step, what its
// block's values before it come to; blocks: what all of them do; spans: what the blocks do that are
// whole in the box of a block's first value.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void box_columns(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                 const int band, const int apron, const long area, const float share,
                 __local VALUE4 *restrict before, __local VALUE4 *restrict blocks4,
                 __local VALUE4 *restrict spans4) {
    const int item = get_local_id(0);
    const int batch = get_group_id(2);
    const int strip = 4 * GROUP - 2 * apron;
    const int left = (int)get_group_id(0) * strip;
    const int top = (int)get_group_id(1) * band;
    const int wide = min(strip, g.width - left);
    const int rows = min(band, g.height - top);
    const int radius = g.anchor_y;
    const int height = 2 * radius + 1;
    const int x = left - apron + 4 * item;
    const bool used = 4 * item < wide + 2 * apron + 16; // whole vectors of blocks are read
    const bool inside = x >= g.valid_left && x + 4 <= g.valid_right;
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *target = dst + dst_start(g, batch) + top * g.dst_row + left + 4 * item;
    __local VALUE *blocks = (__local VALUE *)blocks4;
    __local VALUE *spans = (__local VALUE *)spans4;

    int4 places = 0;
    if (!inside)
        places = (int4)(fold_value(g, x), fold_value(g, x + 1),
                        fold_value(g, x + 2), fold_value(g, x + 3));
    // Whether the band's rows, with the one that leaves first, are all inside.
    const int first = top - radius - 1;
    const bool free_y = first >= g.valid_top && first + rows + ROWS + height <= g.valid_bottom;
    const bool is_free = inside && free_y;
    __global const SRC *from = origin + first * g.src_row + x;

    Columns columns;
    columns.sum = 0;
#if SUM_TYPE == SUM_F32
    columns.lost = 0;
#endif
    int y = 0;
    if (used && is_free)
        for (; y + 8 <= height; y += 8) {
            VALUE4 some[8];
            UNROLL for (int i = 0; i < 8; ++i)
                some[i] = LOAD_VALUE4(from + (y + i) * g.src_row);
            UNROLL for (int i = 0; i < 8; ++i)
                columns = add_columns(columns, some[i]);
        }
    if (used)
        for (; y < height; ++y)
            columns = add_columns(columns, read_columns(origin, g, first + y, x, places, inside));

    // A box spans `count` whole blocks from that of its first value on, which is value `shift` of
    // it; the value after its last is value (1 - shift) & 3 of the block after them.
    const int shift = apron - g.anchor_x;
    const int count = (apron + g.anchor_x + 1) >> 2;
    const long ahead = height * g.src_row;
    VALUE4 enters[ROWS], leaves[ROWS];
    for (int step = -ROWS; step < rows; step += ROWS) {
        if (used && step >= 0) {
            UNROLL for (int i = 0; i < ROWS; ++i) {
                columns = add_columns(columns, enters[i] - leaves[i]);
                const VALUE4 sum = columns.sum;
                const VALUE two = sum.s0 + sum.s1;
                const VALUE three = two + sum.s2;
                before[i * GROUP + item] = (VALUE4)(0, sum.s0, two, three);
                blocks[i * GROUP + item] = three + sum.s3;
            }
        }
        if (used && step + ROWS < rows) {
            if (is_free) {
                UNROLL for (int i = 0; i < ROWS; ++i) {
                    leaves[i] = LOAD_VALUE4(from + i * g.src_row);
                    enters[i] = LOAD_VALUE4(from + ahead + i * g.src_row);
                }
                from += ROWS * g.src_row;
            } else {
                UNROLL for (int i = 0; i < ROWS; ++i) {
                    const int row = first + step + ROWS + i;
                    leaves[i] = read_columns(origin, g, row, x, places, inside);
                    enters[i] = read_columns(origin, g, row + height, x, places, inside);
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
                __local const VALUE *row = blocks + i * GROUP + block;
                VALUE sum = 0;
                int k = 0;
                for (; k + 4 <= count; k += 4) {
                    const VALUE4 four = *(__local const VALUE4 *)(row + k);
                    sum += (four.s0 + four.s1) + (four.s2 + four.s3);
                }
                for (; k < count; ++k)
                    sum += row[k];
                VALUE4 span;
                span.s0 = sum;
                sum += row[count] - row[0];
                span.s1 = sum;
                sum += row[count + 1] - row[1];
                span.s2 = sum;
                sum += row[count + 2] - row[2];
                span.s3 = sum;
                *(__local VALUE4 *)(spans + i * GROUP + block) = span;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        if (4 * item < wide) {
            UNROLL for (int i = 0; i < ROWS; ++i) {
                const int at = i * GROUP + item;
                const VALUE4 a0 = before[at];
                const VALUE4 a1 = before[at + 1];
                const VALUE4 b0 = before[at + count];
                const VALUE4 b1 = before[at + count + 1];
                const VALUE span = spans[at];
                const VALUE without = span - blocks[at];
                const VALUE next = blocks[at + count];
                VALUE4 total;
                // Values that start in the block after start it without the first, and those that
                // end in the one after end it with one more.
                if (shift == 0)
                    total = (VALUE4)(span, span, span, span + next) +
                            ((VALUE4)(b0.s123, b1.s0) - a0);
                else if (shift == 1)
                    total = (VALUE4)(span, span, span, without) + (b0 - (VALUE4)(a0.s123, a1.s0));
                else if (shift == 2)
                    total = (VALUE4)(span, span + next, without + next, without + next) +
                            ((VALUE4)(b0.s3, b1.s012) - (VALUE4)(a0.s23, a1.s01));
                else
                    total = (VALUE4)(span, without, without + next, without + next) +
                            ((VALUE4)(b0.s23, b1.s01) - (VALUE4)(a0.s3, a1.s012));
                if (step + i < rows) {
                    __global DST *to = target + (step + i) * g.dst_row;
#if SUM_TYPE == SUM_F32
                    const float4 means = total * share;
                    if (ALIGNED && 4 * item + 4 <= wide)
                        STORE4(means, to);
                    else
#else
                    const MEAN4 means = (MEAN4)(
                        mean_of(total.s0, area, share), mean_of(total.s1, area, share),
                        mean_of(total.s2, area, share), mean_of(total.s3, area, share));
                    if (ALIGNED && 4 * item + 4 <= wide)
                        STORE_MEAN4(means, to);
                    else
#endif
                    {
                        const MEAN some[4] = {means.s0, means.s1, means.s2, means.s3};
                        UNROLL for (int v = 0; v < 4; ++v)
                            if (4 * item + v < wide)
                                STORE_MEAN(some[v], to + v);
                    }
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
