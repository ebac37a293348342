// Guided filters of one-channel images for GPUs; the work does not grow with the radius. A group
// marches down a strip, ROWS rows at a time: each of LANES items keeps the sums along y of one
// column, and adds what enters the squares less what leaves them. A step's sums lie in local
// memory, where each of their segments is replaced by its running sums: a square is the difference
// of two of those, and the whole segments between them. Squares of TAPS columns, where that is not
// 0, are added up instead. Pixels of the next step are on their way meanwhile. STAGE 1 makes slopes
// and offsets of the image and the guide, STAGE 2 makes results of these.
#include "lib/inline.clh"
#include "lib/rolled.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/last_use.clh"
#include "lib/border.clh"
#define REAL float
#define AS_REAL as_float
#define AS_BITS as_uint
#include "lib/arithmetic.clh"
#include "lib/guided.clh"
#include "lib/guided_solve.clh"

#if !defined(LANES) || !defined(ROWS) || !defined(SEGMENT) || !defined(TAPS) || !defined(STAGE)
#error LANES, ROWS, SEGMENT, TAPS or STAGE is not defined
#endif
#if CHANNELS != 1 || GUIDES > 1
#error guided_march takes one channel of both images
#endif
#if STAGE == 2 && SRC_TYPE != PIXEL_F32
#error slopes and offsets are of f32
#endif

#define SEGMENTS (LANES / SEGMENT)
#define LINES (FIELDS * ROWS) // rows of sums
// Vectors from a row of sums to the next: an odd number, so that items that each take a row meet
// different banks.
#define PITCH4 (LANES / 4 + 1)
#define PITCH (4 * PITCH4)
#define LISTED (2 * ROWS) // rows of the image whose places are listed
// Differences that are added up before they come to a sum of a column.
#define CHUNK 4
// Rows whose results are made at a time.
#if ROWS < 8
#define SOME ROWS
#else
#define SOME 8
#endif

// The images that sums are of: the image, or slopes; the guide, or offsets.
#if STAGE == 1 && GUIDES == 0
#define INPUTS 1
#else
#define INPUTS 2
#endif
#if STAGE == 1
#define SECOND GUIDE
#define SECOND_TYPE GUIDE_TYPE
#define LOAD_SECOND(p) LOAD_GUIDE(p)
#define SECOND_ROW from.row
#else
#define SECOND float
#define SECOND_TYPE PIXEL_F32
#define LOAD_SECOND(p) (*(p))
#define SECOND_ROW g.src_row
#endif

// Pixels on their way: integers as they are in memory, which are converted when they have arrived.
// A pixel that leaves a square is read for the last time.
#if IS_INTEGER(SRC_TYPE)
#define FIRST_WAITING SRC
#define LOAD_FIRST_WAITING(p) (*(p))
#define LOAD_FIRST_LAST(p) (*(p))
#else
#define FIRST_WAITING float
#define LOAD_FIRST_WAITING(p) LOAD(p)
#define LOAD_FIRST_LAST(p) LOAD_LAST(p)
#endif
#if IS_INTEGER(SECOND_TYPE)
#define SECOND_WAITING SECOND
#define LOAD_SECOND_WAITING(p) (*(p))
#define LOAD_SECOND_LAST(p) (*(p))
#else
#define SECOND_WAITING float
#define LOAD_SECOND_WAITING(p) LOAD_SECOND(p)
#if SECOND_TYPE == SRC_TYPE
#define LOAD_SECOND_LAST(p) LOAD_LAST(p)
#else
#define LOAD_SECOND_LAST(p) LOAD_SECOND(p)
#endif
#endif
#if IS_INTEGER(GUIDE_TYPE)
#define GUIDE_WAITING GUIDE
#define LOAD_GUIDE_WAITING(p) (*(p))
#else
#define GUIDE_WAITING float
#if GUIDE_TYPE == SRC_TYPE
#define LOAD_GUIDE_WAITING(p) LOAD_LAST(p)
#else
#define LOAD_GUIDE_WAITING(p) LOAD_GUIDE(p)
#endif
#endif

typedef struct Inputs {
    FIRST_WAITING first;
#if INPUTS == 2
    SECOND_WAITING second;
#endif
} Inputs;

// The values that are summed. pivots: of the image and of the guide.
INLINE void fields_of(float *fields, const Inputs in, const float2 pivots) {
#if STAGE == 2
    fields[0] = in.first;
    fields[1] = in.second;
#elif GUIDES == 0
    const float value = convert_float(in.first) - pivots.s0;
    fields[0] = value;
    fields[1] = value * value;
#else
    const float value = convert_float(in.first) - pivots.s0;
    const float other = convert_float(in.second) - pivots.s1;
    fields[0] = other;
    fields[1] = value;
    fields[2] = other * other;
    fields[3] = other * value;
#endif
}

// The same beyond a border of a constant, which is the pivot of both images.
#define BEYOND(f) (STAGE == 2 && (f) == 1 ? g.border_value : 0.0f)

// Kahan's sums of a column: `lost` is what roundings added too much.
typedef struct Columns {
    float sum[FIELDS], lost[FIELDS];
} Columns;

INLINE void add_to_column(Columns *columns, int f, float change) {
    const float term = change - columns->lost[f];
    const float sum = columns->sum[f] + term;
    columns->lost[f] = (sum - columns->sum[f]) - term;
    columns->sum[f] = sum;
}

// Puts the sums of CHUNK rows where the group finds them.
INLINE void put_sums(Columns *columns, float in[CHUNK][FIELDS], float out[CHUNK][FIELDS],
                     __local float *to) {
    UNROLL for (int f = 0; f < FIELDS; ++f) {
        float change = 0.0f;
        UNROLL for (int i = 0; i < CHUNK; ++i) {
            const float own = in[i][f] - out[i][f];
            change = i == 0 ? own : change + own;
            to[(f * ROWS + i) * PITCH] = columns->sum[f] + change;
        }
        add_to_column(columns, f, change);
    }
}

// apron: values before a strip that the group sums too. sums4: of columns, and then their running
// sums; segments4: what a segment comes to, [segment][field][row]; lines: where rows of the image
// are, see LIST_ROWS. slope, offset: targets of STAGE 1, sources of STAGE 2. The guide, which is
// the image where that guides itself, is at `from`.
__kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void guided_march(STAGE_IMAGES, const Geometry g, const GuidePlaces from,
                  const GuidedNumbers numbers, const int band, const int strip, const int apron,
                  const float share, __local float4 *restrict sums4,
                  __local float4 *restrict segments4, __local int *restrict lines) {
    const int item = get_local_id(0);
    const int batch = get_group_id(2);
    const int left = (int)get_group_id(0) * strip;
    const int top = (int)get_group_id(1) * band;
    const int rows = min(band, g.height - top);
    const int wide = min(strip, g.width - left);
    const int radius = g.anchor_y;
    const int height = 2 * radius + 1;
    __local float *sums = (__local float *)sums4;
    __local float *segments = (__local float *)segments4;

    float2 pivots = 0.0f;
#if STAGE == 1
    __global const SRC *first = src + src_start(g, batch);
    pivots.s0 = pivot_of(LOAD(first + (long)top * g.src_row + left), numbers);
#if GUIDES
    __global const GUIDE *second = guide + start_of_places(g, batch, from);
    pivots.s1 = pivot_of(LOAD_GUIDE(second + (long)top * from.row + left), numbers);
#endif
    const long out = dst_start(g, batch) + (long)top * g.dst_row + left + item;
    __global float *to = slope + out;
    __global float *to_offset = offset + out;
#else
    __global const float *first = slope + src_start(g, batch);
    __global const float *second = offset + src_start(g, batch);
    __global const GUIDE *pixel =
        guide + start_of_places(g, batch, from) + (long)top * from.row + left + item;
    __global DST *to = dst + dst_start(g, batch) + (long)top * g.dst_row + left + item;
#endif
    // Columns after the last that a square reaches are as that.
    const int column = fold_value(g, left + min(item - apron, wide - 1 + radius));
    const bool is_beyond = column == OUTSIDE;
    if (!is_beyond) {
        first += column;
#if INPUTS == 2
        second += column;
#endif
    }

#if INPUTS == 2
#define READ_ROW(in, line)                                                                         \
    (in).first = LOAD_FIRST_WAITING(first + (line) * g.src_row);                                   \
    (in).second = LOAD_SECOND_WAITING(second + (line) * SECOND_ROW)
#else
#define READ_ROW(in, line) (in).first = LOAD_FIRST_WAITING(first + (line) * g.src_row)
#endif
// Reads the fields of a row that is listed.
#define READ_FIELDS(fields, i)                                                                     \
    do {                                                                                           \
        const int line_ = lines[i];                                                                \
        if (is_beyond || line_ == OUTSIDE) {                                                       \
            UNROLL for (int f_ = 0; f_ < FIELDS; ++f_)                                             \
                (fields)[f_] = BEYOND(f_);                                                         \
        } else {                                                                                   \
            Inputs in_;                                                                            \
            READ_ROW(in_, line_);                                                                  \
            fields_of(fields, in_, pivots);                                                        \
        }                                                                                          \
    } while (0)
// Lists ROWS rows from the one given on, and as many that are `distance` below them.
#define LIST_ROWS(from, distance)                                                                  \
    do {                                                                                           \
        if (item < LISTED)                                                                         \
            lines[item] = fold_row(g, (from) + item + (item < ROWS ? 0 : (distance) - ROWS));      \
    } while (0)
#define IS_FREE(from, count) ((from) >= g.valid_top && (from) + (count) <= g.valid_bottom)

    const int start = top - radius - 1; // row that leaves the squares of the band's first row
    Columns columns;
    UNROLL for (int f = 0; f < FIELDS; ++f)
        columns.sum[f] = columns.lost[f] = 0.0f;
    ROLLED for (int y = 0; y < height; y += LISTED) {
        LIST_ROWS(start + y, ROWS);
        barrier(CLK_LOCAL_MEM_FENCE);
        ROLLED for (int k = 0; k < min(height - y, LISTED); k += 8) {
            float some[8][FIELDS];
            UNROLL for (int i = 0; i < 8; ++i)
                READ_FIELDS(some[i], k + i);
            UNROLL for (int i = 0; i < 8; ++i)
                if (y + k + i < height)
                    UNROLL for (int f = 0; f < FIELDS; ++f)
                        add_to_column(&columns, f, some[i][f]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    Inputs enters[ROWS], leaves[ROWS];
// Asks for the rows of a step from the one given on. Columns beyond a border of a constant never
// change: theirs are all 0. So are those of steps that read otherwise, or else registers would keep
// what has been read before.
#if INPUTS == 2
#define CLEAR(to)                                                                                  \
    UNROLL for (int i = 0; i < ROWS; ++i) {                                                        \
        to[i].first = 0;                                                                           \
        to[i].second = 0;                                                                          \
    }
#define BRING(to, how, from_row)                                                                   \
    do {                                                                                           \
        __global const SRC *row_ = first + (from_row) * g.src_row;                                 \
        __global const SECOND *second_row_ = second + (from_row) * SECOND_ROW;                     \
        UNROLL for (int i = 0; i < ROWS; ++i) {                                                    \
            to[i].first = LOAD_FIRST_##how(row_);                                                  \
            to[i].second = LOAD_SECOND_##how(second_row_);                                         \
            row_ += g.src_row;                                                                     \
            second_row_ += SECOND_ROW;                                                             \
        }                                                                                          \
    } while (0)
#else
#define CLEAR(to)                                                                                  \
    UNROLL for (int i = 0; i < ROWS; ++i)                                                          \
        to[i].first = 0;
#define BRING(to, how, from_row)                                                                   \
    do {                                                                                           \
        __global const SRC *row_ = first + (from_row) * g.src_row;                                 \
        UNROLL for (int i = 0; i < ROWS; ++i) {                                                    \
            to[i].first = LOAD_FIRST_##how(row_);                                                  \
            row_ += g.src_row;                                                                     \
        }                                                                                          \
    } while (0)
#endif
#define BRING_STEP(leaving)                                                                        \
    CLEAR(enters)                                                                                  \
    CLEAR(leaves)                                                                                  \
    if (is_free && !is_beyond) {                                                                   \
        BRING(enters, WAITING, (leaving) + height);                                                \
        BRING(leaves, LAST, leaving);                                                              \
    }
    bool is_free = IS_FREE(start, ROWS + height);
    BRING_STEP(start)
    LIST_ROWS(start, height);
    barrier(CLK_LOCAL_MEM_FENCE);

    // A square has the sums to its last column, less those to the column before its first.
    const int before_x = item + apron - g.anchor_x - 1;
    const int last_x = item + apron + g.anchor_x;
    const int first_segment = before_x / SEGMENT;
    const int last_segment = last_x / SEGMENT;
    __local const float *before = sums + before_x;
    __local const float *last = sums + last_x;
    __local float *const own = sums + item;
#if STAGE == 1
#define RESULTS 2
#define PUT(value, p) STREAM_FLOAT(value, p)
#define PUT_ROW(i)                                                                                 \
    {                                                                                              \
        PUT(result[0][i], to);                                                                     \
        PUT(result[1][i], to_offset);                                                              \
        to += g.dst_row;                                                                           \
        to_offset += g.dst_row;                                                                    \
    }
#else
#define RESULTS 1
#define PUT_ROW(i)                                                                                 \
    {                                                                                              \
        STORE(result[0][i], to);                                                                   \
        to += g.dst_row;                                                                           \
    }
    GUIDE_WAITING pixels[ROWS];
// Intel's compilers of 2022 crash over bytes that are not each read on a condition.
#if GUIDE_TYPE == PIXEL_U8 && NEEDS_DETOURS
#define ARE_WHOLE(step) false
#else
#define ARE_WHOLE(step) ((step) + ROWS <= rows)
#endif
#define BRING_PIXELS(step)                                                                         \
    if (item < wide && ARE_WHOLE(step)) {                                                          \
        UNROLL for (int i = 0; i < ROWS; ++i) {                                                    \
            pixels[i] = LOAD_GUIDE_WAITING(pixel);                                                 \
            pixel += from.row;                                                                     \
        }                                                                                          \
    } else if (item < wide) {                                                                      \
        UNROLL for (int i = 0; i < ROWS; ++i) {                                                    \
            if ((step) + i < rows)                                                                 \
                pixels[i] = LOAD_GUIDE_WAITING(pixel);                                             \
            pixel += from.row;                                                                     \
        }                                                                                          \
    }
#endif
    // `lines` are those of a step that is not free.
    for (int step = 0; step < rows; step += ROWS) {
        if (is_free) {
            UNROLL for (int k = 0; k < ROWS; k += CHUNK) {
                float in[CHUNK][FIELDS], gone[CHUNK][FIELDS];
                UNROLL for (int i = 0; i < CHUNK; ++i) {
                    fields_of(in[i], enters[k + i], pivots);
                    fields_of(gone[i], leaves[k + i], pivots);
                }
                put_sums(&columns, in, gone, own + k * PITCH);
            }
        } else {
            ROLLED for (int k = 0; k < ROWS; k += CHUNK) {
                float in[CHUNK][FIELDS], gone[CHUNK][FIELDS];
                UNROLL for (int i = 0; i < CHUNK; ++i) {
                    READ_FIELDS(in[i], ROWS + k + i);
                    READ_FIELDS(gone[i], k + i);
                }
                put_sums(&columns, in, gone, own + k * PITCH);
            }
        }
        const int next = start + step + ROWS;
        is_free = step + ROWS < rows && IS_FREE(next, ROWS + height);
        BRING_STEP(next)
#if STAGE == 2
        BRING_PIXELS(step)
#endif
        barrier(CLK_LOCAL_MEM_FENCE);

#if TAPS == 0
        UNROLL for (int k = 0; k < LINES * SEGMENTS; k += LANES) {
            const int line = (k + item) % LINES;
            const int segment = (k + item) / LINES;
            if (k + item < LINES * SEGMENTS) {
                __local float4 *at = sums4 + line * PITCH4 + segment * (SEGMENT / 4);
                float so_far = 0.0f;
                UNROLL for (int i = 0; i < SEGMENT / 4; ++i) {
                    float4 v = at[i];
                    v.s1 += v.s0;
                    v.s2 += v.s1;
                    v.s3 += v.s2;
                    v += so_far;
                    at[i] = v;
                    so_far = v.s3;
                }
                segments[k + item] = so_far;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#endif

        if (item < wide) {
            UNROLL for (int k = 0; k < ROWS; k += SOME) {
#if TAPS == 0
                float4 whole[FIELDS][SOME / 4];
                UNROLL for (int f = 0; f < FIELDS; ++f)
                    UNROLL for (int i = 0; i < SOME / 4; ++i)
                        whole[f][i] = 0.0f;
                ROLLED for (int s = first_segment; s < last_segment; ++s)
                    UNROLL for (int f = 0; f < FIELDS; ++f)
                        UNROLL for (int i = 0; i < SOME / 4; ++i)
                            whole[f][i] += segments4[(s * LINES + f * ROWS + k) / 4 + i];
#endif
                float result[RESULTS][SOME]; // all of them, so that reads need not wait for writes
                UNROLL for (int i = 0; i < SOME; ++i) {
                    float mean[FIELDS];
                    UNROLL for (int f = 0; f < FIELDS; ++f) {
                        const int line = (f * ROWS + k + i) * PITCH;
#if TAPS > 0
                        float sum = before[line + 1];
                        UNROLL for (int t = 2; t <= TAPS; ++t)
                            sum += before[line + t];
                        mean[f] = share * sum;
#else
                        const float4 four = whole[f][i / 4];
                        const float between[4] = {four.s0, four.s1, four.s2, four.s3};
                        mean[f] = share * (between[i % 4] + (last[line] - before[line]));
#endif
                    }
#if STAGE == 1
#if GUIDES == 0
                    const float variance = variance_of(mean[1], mean[0]);
                    const float slopes = slope_of(variance, variance, numbers.epsilon);
                    const float whole_mean = mean[0] + pivots.s0;
                    result[1][i] = fma(-slopes, whole_mean, whole_mean);
#else
                    const float slopes =
                        slope_of(fma(-mean[0], mean[1], mean[3]),
                                 variance_of(mean[2], mean[0]), numbers.epsilon);
                    result[1][i] = fma(-slopes, mean[0] + pivots.s1, mean[1] + pivots.s0);
#endif
                    result[0][i] = slopes;
#else
                    result[0][i] = fma(mean[0], convert_float(pixels[k + i]), mean[1]);
#endif
                }
                // Compilers move what is used on a condition alone to where it is.
                if (step + ROWS <= rows) {
                    UNROLL for (int i = 0; i < SOME; ++i)
                        PUT_ROW(i)
                } else {
                    UNROLL for (int i = 0; i < SOME; ++i)
                        if (step + k + i < rows)
                            PUT_ROW(i)
                }
            }
        }
        if (!is_free)
            LIST_ROWS(next, height);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
