// Guided filters of one-channel images for GPUs, whose work grows little with the radius. A group of
// LANES x SPLIT items keeps the sums along y of 4 columns a lane while it marches down them. In a
// step each of a lane's SPLIT items takes ROWS rows; rows of the next step are on their way while
// those of this one are summed along x. For that a step's rows lie in local memory as what the
// values of each block of 4 come to, and as what they come to before each value: a square is whole
// blocks, whose sums are moved along the row, and the ends of two. STAGE 1 makes slopes and offsets
// of the image and the guide, STAGE 2 makes results of these.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#define REAL float4
#define AS_REAL as_float4
#define AS_BITS as_uint4
#include "lib/arithmetic.clh"
#include "lib/guided.clh"
#include "lib/guided_solve.clh"
#define VALUE float
#define VALUE4 float4
#include "lib/box_blocks.clh"

#if !defined(LANES) || !defined(SPLIT) || !defined(ROWS) || !defined(STAGE)
#error LANES, SPLIT, ROWS or STAGE is not defined
#endif
#if !defined(ALIGNED) || !defined(GUIDE_ALIGNED)
#error ALIGNED or GUIDE_ALIGNED is not defined
#endif
#if CHANNELS != 1 || GUIDES > 1
#error guided_march takes one channel of both images
#endif

#define GROUP (LANES * SPLIT)
#define STEP (ROWS * SPLIT) // rows

// The images that sums are of: the image, or slopes; the guide, or offsets.
#if STAGE == 1 && GUIDES == 0
#define INPUTS 1
#else
#define INPUTS 2
#endif

#if !GUIDE_ALIGNED
#define LOAD_GUIDE4(p)                                                                             \
    (float4)(LOAD_GUIDE(p), LOAD_GUIDE((p) + 1), LOAD_GUIDE((p) + 2), LOAD_GUIDE((p) + 3))
#elif GUIDE_TYPE == PIXEL_F16
#define LOAD_GUIDE4(p) vloada_half4(0, p)
#elif GUIDE_TYPE == PIXEL_F32
#define LOAD_GUIDE4(p) (*(__global const float4 *)(p))
#else
#define LOAD_GUIDE4(p) convert_float4(*(__global const PASTE(GUIDE, 4) *)(p))
#endif

#if STAGE == 1
#define FIRST SRC
#define LOAD_FIRST(p) LOAD(p)
#if ALIGNED
#define LOAD_FIRST4(p) LOAD4(p)
#else
#define LOAD_FIRST4(p) (float4)(LOAD(p), LOAD((p) + 1), LOAD((p) + 2), LOAD((p) + 3))
#endif
#define SECOND GUIDE
#define LOAD_SECOND(p) LOAD_GUIDE(p)
#define LOAD_SECOND4(p) LOAD_GUIDE4(p)
#define SECOND_ROW from.row
#else
#define FIRST float
#define LOAD_FIRST(p) (*(p))
#if ALIGNED
#define LOAD_FIRST4(p) (*(__global const float4 *)(p))
#else
#define LOAD_FIRST4(p) vload4(0, p)
#endif
#define SECOND float
#define LOAD_SECOND(p) LOAD_FIRST(p)
#define LOAD_SECOND4(p) LOAD_FIRST4(p)
#define SECOND_ROW g.src_row
#endif

// Four columns of the inputs.
typedef struct Four {
    float4 v[INPUTS];
} Four;

// The columns of an item.
typedef struct Place {
    int x;
    bool inside;         // all of them are the image's own
    int4 places;         // else where they are read
    int4 outside;        // and which are the border's constant
    float first, second; // the border's constant in both inputs
} Place;

#define READ_OUTSIDE(row, load, constant)                                                          \
    select((float4)(load((row) + place.places.s0), load((row) + place.places.s1),                  \
                    load((row) + place.places.s2), load((row) + place.places.s3)),                 \
           (float4)(constant), place.outside)

// Reads them in a row of the source.
static inline Four read_row(__global const FIRST *first, __global const SECOND *second,
                            const Place place) {
    Four four;
    if (place.inside) {
        four.v[0] = LOAD_FIRST4(first + place.x);
#if INPUTS == 2
        four.v[1] = LOAD_SECOND4(second + place.x);
#endif
    } else {
        four.v[0] = READ_OUTSIDE(first, LOAD_FIRST, place.first);
#if INPUTS == 2
        four.v[1] = READ_OUTSIDE(second, LOAD_SECOND, place.second);
#endif
    }
    return four;
}

#define READ_ANY(result, y)                                                                        \
    do {                                                                                           \
        const int line_ = fold_row(g, y);                                                          \
        if (line_ == OUTSIDE) {                                                                    \
            result.v[0] = place.first;                                                             \
            result.v[INPUTS - 1] = INPUTS == 2 ? place.second : place.first;                       \
        } else {                                                                                   \
            result = read_row(first + line_ * g.src_row,                                           \
                              second + (long)line_ * SECOND_ROW, place);                           \
        }                                                                                          \
    } while (0)

// The values that are summed. pivots: of the image and of the guide.
INLINE void fields_of(float4 *fields, const Four in, const float2 pivots) {
#if STAGE == 2
    fields[0] = in.v[0];
    fields[1] = in.v[1];
#elif GUIDES == 0
    const float4 value = in.v[0] - pivots.s0;
    fields[0] = value;
    fields[1] = value * value;
#else
    const float4 value = in.v[0] - pivots.s0;
    const float4 other = in.v[1] - pivots.s1;
    fields[0] = other;
    fields[1] = value;
    fields[2] = other * other;
    fields[3] = other * value;
#endif
}

// Kahan's sums of columns: `lost` is what roundings added too much.
typedef struct Columns {
    float4 sum[FIELDS], lost[FIELDS];
} Columns;

INLINE void add_columns(Columns *columns, int f, float4 change) {
    const float4 term = change - columns->lost[f];
    const float4 sum = columns->sum[f] + term;
    columns->lost[f] = (sum - columns->sum[f]) - term;
    columns->sum[f] = sum;
}

// Puts what the sums of a block come to where the group finds it.
INLINE void put_block(const float4 sum, __local float4 *before, __local float *block) {
    const float two = sum.s0 + sum.s1;
    const float three = two + sum.s2;
    *before = (float4)(0.0f, sum.s0, two, three);
    *block = three + sum.s3;
}

static inline void store_slopes(float4 v, __global float *to, int count) {
#if ALIGNED
    if (count >= 4) {
        *(__global float4 *)to = v;
        return;
    }
#endif
    const float values[4] = {v.s0, v.s1, v.s2, v.s3};
    UNROLL for (int i = 0; i < 4; ++i)
        if (i < count)
            to[i] = values[i];
}

// apron: the radius along x, rounded up to whole blocks. before: of each value of a step, what its
// block's values before it come to; blocks: what all of them do; spans: what the blocks do that are
// whole in the square of a block's first value; totals: what a step changes in the sums of columns,
// by the rows of each of a lane's items. slope, offset: targets of STAGE 1, sources of STAGE 2. The
// guide, which is the image where that guides itself, is at `from`.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void guided_march(STAGE_IMAGES, const Geometry g, const GuidePlaces from,
                  const GuidedNumbers numbers, const int band, const int apron,
                  const float share, __local float4 *restrict before,
                  __local float4 *restrict blocks4, __local float4 *restrict spans4,
                  __local float4 *restrict totals) {
    const int item = get_local_id(0);
    const int lane = item & (LANES - 1);
    const int part = item / LANES;
    const int batch = get_group_id(2);
    const int strip = 4 * LANES - 2 * apron;
    const int left = (int)get_group_id(0) * strip;
    const int top = (int)get_group_id(1) * band;
    const int rows = min(band, g.height - top);
    const int wide = min(strip, g.width - left);
    const int radius = g.anchor_y;
    const int height = 2 * radius + 1;
    const int left_over = wide - 4 * lane; // values of a row that are left for the lane
    const bool used = 4 * lane < wide + 2 * apron + 16; // whole vectors of blocks are read
    __local float *blocks = (__local float *)blocks4;
    __local float *spans = (__local float *)spans4;

    float2 pivots = 0.0f;
    Place place;
#if STAGE == 1
    __global const SRC *first = src + src_start(g, batch);
    pivots.s0 = pivot_of(LOAD(first + (long)top * g.src_row + left), numbers);
#if GUIDES
    __global const GUIDE *second = guide + start_of_places(g, batch, from);
    pivots.s1 = pivot_of(LOAD_GUIDE(second + (long)top * from.row + left), numbers);
#else
    __global const SECOND *second = (__global const SECOND *)first;
#endif
    place.first = pivots.s0;
    place.second = pivots.s1;
    const long out = dst_start(g, batch) + (long)top * g.dst_row + left + 4 * lane;
#else
    __global const float *first = slope + src_start(g, batch);
    __global const float *second = offset + src_start(g, batch);
    place.first = 0.0f;
    place.second = g.border_value;
    __global const GUIDE *pixels =
        guide + start_of_places(g, batch, from) + (long)top * from.row + left + 4 * lane;
    __global DST *out = dst + dst_start(g, batch) + (long)top * g.dst_row + left + 4 * lane;
#endif

    place.x = left - apron + 4 * lane;
    place.inside = place.x >= g.valid_left && place.x + 4 <= g.valid_right;
    place.places = 0;
    place.outside = 0;
    if (!place.inside) {
        const int4 at = (int4)(fold_value(g, place.x), fold_value(g, place.x + 1),
                               fold_value(g, place.x + 2), fold_value(g, place.x + 3));
        place.outside = at == OUTSIDE;
        place.places = select(at, (int4)(g.valid_left), place.outside);
    }
    const int start = top - radius - 1; // row that leaves the square of the band's first
#define IS_FREE(from, count) ((from) >= g.valid_top && (from) + (count) <= g.valid_bottom)
    Columns columns;
    UNROLL for (int f = 0; f < FIELDS; ++f)
        columns.sum[f] = columns.lost[f] = 0.0f;
    if (used)
        for (int y = start + 4 * part; y < start + height; y += 4 * SPLIT) {
            Four some[4];
            UNROLL for (int i = 0; i < 4; ++i)
                READ_ANY(some[i], y + i);
            UNROLL for (int i = 0; i < 4; ++i) {
                float4 change[FIELDS];
                fields_of(change, some[i], pivots);
                if (y + i < start + height)
                    UNROLL for (int f = 0; f < FIELDS; ++f)
                        add_columns(&columns, f, change[f]);
            }
        }
#if SPLIT > 1
    UNROLL for (int f = 0; f < FIELDS; ++f)
        totals[f * GROUP + item] = columns.sum[f];
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (int f = 0; f < FIELDS; ++f) {
        columns.sum[f] = columns.lost[f] = 0.0f;
        UNROLL for (int k = 0; k < SPLIT; ++k)
            columns.sum[f] += totals[f * GROUP + k * LANES + lane];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

    // A square spans `count` whole blocks from that of its first value on, which is value `shift`
    // of it; the value after its last is value (1 - shift) & 3 of the block after them.
    const int shift = apron - g.anchor_x;
    const int count = (apron + g.anchor_x + 1) >> 2;
    Four enters[ROWS], leaves[ROWS];
// Asks for the rows of a step, the first of which to leave is given.
#define BRING(leaving)                                                                             \
    UNROLL for (int i = 0; i < ROWS; ++i) {                                                        \
        leaves[i] = read_row(first + ((leaving) + i) * g.src_row,                                  \
                             second + (long)((leaving) + i) * SECOND_ROW, place);                  \
        enters[i] = read_row(first + ((leaving) + height + i) * g.src_row,                         \
                             second + (long)((leaving) + height + i) * SECOND_ROW, place);         \
    }
    // Before the loop: a first turn that only reads would go past its barriers.
    if (used && IS_FREE(start + part * ROWS, ROWS + height)) {
        BRING(start + part * ROWS)
    }
    for (int step = 0; step < rows; step += STEP) {
        const int leaving = start + step + part * ROWS;
        float4 change[ROWS][FIELDS]; // in the sums of columns, from the item's first row on
        if (used) {
            const bool is_read = IS_FREE(leaving, ROWS + height);
            UNROLL for (int i = 0; i < ROWS; ++i) {
                if (!is_read) {
                    READ_ANY(enters[i], leaving + height + i);
                    READ_ANY(leaves[i], leaving + i);
                }
                float4 in[FIELDS], out[FIELDS];
                fields_of(in, enters[i], pivots);
                fields_of(out, leaves[i], pivots);
                UNROLL for (int f = 0; f < FIELDS; ++f) {
                    change[i][f] = in[f] - out[f];
                    if (i > 0)
                        change[i][f] += change[i > 0 ? i - 1 : 0][f];
                }
            }
#if SPLIT > 1
            UNROLL for (int f = 0; f < FIELDS; ++f)
                totals[f * GROUP + item] = change[ROWS - 1][f];
#endif
        }
        const int next = leaving + STEP;
        if (used && step + STEP < rows && IS_FREE(next, ROWS + height)) {
            BRING(next)
        }
#if SPLIT > 1
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        if (used) {
            UNROLL for (int f = 0; f < FIELDS; ++f) {
                float4 sum = columns.sum[f];
#if SPLIT > 1
                float4 all = 0.0f;
                UNROLL for (int k = 0; k < SPLIT; ++k) {
                    const float4 total = totals[f * GROUP + k * LANES + lane];
                    all += total;
                    if (k < part)
                        sum += total;
                }
#else
                const float4 all = change[ROWS - 1][f];
#endif
                add_columns(&columns, f, all);
                UNROLL for (int i = 0; i < ROWS; ++i) {
                    const int at = (f * STEP + part * ROWS + i) * LANES + lane;
                    put_block(sum + change[i][f], before + at, blocks + at);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int task = item; task < FIELDS * STEP * LANES / 4; task += GROUP) {
            const int line = task / (LANES / 4);
            const int block = (task & (LANES / 4 - 1)) * 4;
            if (4 * block < wide) {
                spans4[line * (LANES / 4) + (block >> 2)] =
                    spans_of(blocks + line * LANES + block, count);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        if (left_over > 0) {
            UNROLL for (int i = 0; i < ROWS; ++i) {
                float4 mean[FIELDS];
                UNROLL for (int f = 0; f < FIELDS; ++f) {
                    const int at = (f * STEP + part * ROWS + i) * LANES + lane;
                    float sums[4];
                    sums_of_boxes(sums, before + at, blocks + at, spans[at], count, shift);
                    mean[f] = share * (float4)(sums[0], sums[1], sums[2], sums[3]);
                }
                const int y = step + part * ROWS + i;
                if (y < rows) {
#if STAGE == 1
#if GUIDES == 0
                    const float4 variance = variance_of(mean[1], mean[0]);
                    const float4 slopes = slope_of(variance, variance, numbers.epsilon);
                    const float4 whole = mean[0] + pivots.s0;
                    const float4 offsets = fma(-slopes, whole, whole);
#else
                    const float4 slopes =
                        slope_of(fma(-mean[0], mean[1], mean[3]), variance_of(mean[2], mean[0]),
                                 numbers.epsilon);
                    const float4 offsets =
                        fma(-slopes, mean[0] + pivots.s1, mean[1] + pivots.s0);
#endif
                    store_slopes(slopes, slope + out + y * g.dst_row, left_over);
                    store_slopes(offsets, offset + out + y * g.dst_row, left_over);
#else
                    __global const GUIDE *pixel = pixels + y * from.row;
                    __global DST *to = out + y * g.dst_row;
                    if (ALIGNED && left_over >= 4) {
                        STORE4(fma(mean[0], LOAD_GUIDE4(pixel), mean[1]), to);
                    } else {
                        const float a[4] = {mean[0].s0, mean[0].s1, mean[0].s2, mean[0].s3};
                        const float b[4] = {mean[1].s0, mean[1].s1, mean[1].s2, mean[1].s3};
                        UNROLL for (int k = 0; k < 4; ++k)
                            if (k < left_over)
                                STORE(fma(a[k], LOAD_GUIDE(pixel + k), b[k]), to + k);
                    }
#endif
                }
            }
        }
#if SPLIT == 1 // else the next step's first barrier comes before its blocks
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}
