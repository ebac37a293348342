// Separable correlation of rows that stream through local memory once, for GPUs. A group marches
// down a strip of WIDE values, ROWS rows at a time. An item filters ROW_ITEM values of one of these
// rows along x, from local memory to local memory; then it goes down COLUMN_X columns of what all
// come to, and adds each value to the sums of all rows of results that it is part of, which it
// keeps in registers. No row is filtered twice but where bands meet, and the apron along x is small
// beside a strip. The next rows are on their way while the columns are summed.
#include "lib/inline.clh"
#include "lib/rolled.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/asked.clh"
#include "lib/quad.clh"
#include "lib/group_place.clh"
#include "lib/subtract.clh"

#if !defined(BUCKET_X) || !defined(LEAST_X) || !defined(BUCKET_Y) || !defined(LEAST_Y)
#error BUCKET_X, LEAST_X, BUCKET_Y or LEAST_Y is not defined
#endif
#if !defined(ALIGNED) || !defined(SHIFT) || !defined(VECTORS)
#error ALIGNED, SHIFT or VECTORS is not defined
#endif
#if !defined(GROUP) || !defined(ROW_ITEM) || !defined(COLUMN_X)
#error GROUP, ROW_ITEM or COLUMN_X is not defined
#endif

// FRAMES: 1 where groups in rows from `bands` on make the frames of a region, which are other sums: see cl/box/box_frames.cl. The
// others make the pixels between these.
// TOP, BOTTOM: the rows that they make. IS_MADE: whether they make value x of a row; ARE_MADE and ARE_OTHERS: whether all or
// none of an item's values from x on.
#if !defined(FRAMES)
#error FRAMES is not defined
#endif
#if FRAMES
#include "lib/box_frames.clh"
#include "lib/frame_tiles.clh"
#define FRAMES_PARAMETER                                                                           \
    , const BoxFrames frames, const int bands, __global const float *restrict frame_taps_x,        \
        __global const float *restrict frame_taps_y
#define BANDS bands
#define TOP frames.begin_y
#define BOTTOM frames.end_y
#define IS_MADE(x) ((x) >= frames.begin_x * CHANNELS && (x) < frames.end_x * CHANNELS)
#define ARE_MADE(x) (IS_MADE(x) && IS_MADE((x) + COLUMN_X - 1))
#define ARE_OTHERS(x)                                                                              \
    ((x) + COLUMN_X <= frames.begin_x * CHANNELS || (x) >= frames.end_x * CHANNELS)
#else
#define FRAMES_PARAMETER
#define BANDS get_num_groups(1)
#define TOP 0
#define BOTTOM g.height
#define IS_MADE(x) ((x) < g.width)
#define ARE_MADE(x) ((x) + COLUMN_X <= g.width)
#define ARE_OTHERS(x) ((x) >= g.width)
#endif

// There are LEAST to BUCKET taps along an axis: the loops are unrolled, and only the taps after the
// first LEAST ask whether they exist. Those along y are in reverse.
#define MOST_X BUCKET_X
#define MOST_Y BUCKET_Y
#include "lib/taps.clh"

#define WIDE (GROUP * COLUMN_X)
#define ROWS (ROW_ITEM / COLUMN_X)
// Vectors of 4 values from a row in local memory to the next: odd numbers, so that items that each
// take a row meet different banks. VECTORS: those that a strip reads of a row.
#define PITCH (VECTORS | 1)
#define FILTERED_PITCH (WIDE / 4 + 1)

// A vector of a strip's rows: where it starts in the row, and in `places`, which it needs where not
// all of it is inside the source.
typedef struct Vector {
    int x, number;
    bool inside;
} Vector;

static inline Vector vector_of(const Geometry g, const int begin, const int number) {
    Vector result;
    result.number = number;
    result.x = begin + 4 * number;
    result.inside = result.x >= g.valid_left * CHANNELS && result.x + 4 <= g.valid_right * CHANNELS;
    return result;
}

// Asks for a vector of a row that is inside the source.
static inline WAITING ask(__global const SRC *row, const Geometry g, const Vector vector,
                          __local const int4 *places) {
    if (vector.inside)
        return ASK(row + vector.x);
    // Where OUTSIDE is wanted, another value is read that is not used.
    const int4 at = max(places[vector.number], (int4)(g.valid_left * CHANNELS));
    return GATHER(row, at);
}

// Returns what has arrived of a vector.
static inline float4 arrived(const WAITING waiting, const Geometry g, const Vector vector,
                             __local const int4 *places) {
    const float4 four = ARRIVED(waiting);
    if (vector.inside)
        return four;
    return select(four, (float4)(g.border_value), places[vector.number] == (int4)(OUTSIDE));
}

// Reads a vector of any row.
static inline float4 read_any(__global const SRC *origin, const Geometry g, const int y,
                              const Vector vector, __local const int4 *places) {
    const int line = fold_row(g, y);
    if (line == OUTSIDE)
        return (float4)(g.border_value);
    return arrived(ask(origin + line * g.src_row, g, vector, places), g, vector, places);
}

// Reads an item's columns of a row.
INLINE void read_columns(float *value, __local const float *from) {
#if COLUMN_X == 1
    value[0] = *from;
#elif COLUMN_X == 2
    const float2 two = *(__local const float2 *)from;
    value[0] = two.s0;
    value[1] = two.s1;
#else
    set4(value, *(__local const float4 *)from);
#endif
}

// Adds a row to the sums. sum[m] is of the row of results that m more rows of the source are part
// of, and 0 for the row that none has been added to.
INLINE void add_row(float (*sum)[COLUMN_X], const float *value, const Geometry g, TAPS_PARAMETER) {
    UNROLL for (int m = 0; m < BUCKET_Y; ++m)
        if (m < LEAST_Y || m < g.taps_y)
            UNROLL for (int v = 0; v < COLUMN_X; ++v)
                sum[m][v] = fma(TAP_Y(m), value[v], m + 1 < BUCKET_Y ? sum[m + 1][v] : 0.0f);
}

static inline void store_columns(const float *v, __global DST *to) {
#if ALIGNED && COLUMN_X == 2 && DST_TYPE == PIXEL_U8
    // Where the device packs integers, four are as fast as two.
    *(__global ushort *)to = (ushort)to_word((float4)(v[0], v[1], v[0], v[1]));
#elif ALIGNED && COLUMN_X == 2
    STORE2((float2)(v[0], v[1]), to);
#elif ALIGNED && COLUMN_X == 4
    STORE4((float4)(v[0], v[1], v[2], v[3]), to);
#else
    UNROLL for (int i = 0; i < COLUMN_X; ++i)
        STORE(v[i], to + i);
#endif
}

// Filters ROW_ITEM values of a row, of which `from` has the first tap's value `shift` values on.
INLINE void filter_row(__local float4 *to, __local const float4 *from, const Geometry g,
                       TAPS_PARAMETER, const int shift) {
    float chain[ROW_ITEM];
    UNROLL for (int v = 0; v < ROW_ITEM; ++v)
        chain[v] = 0.0f;
    // Value by value, so that few are in registers: the n-th belongs to every CHANNELS-th result,
    // by one tap less each.
    UNROLL for (int k = 0; 4 * k < shift + ROW_ITEM + (LEAST_X - 1) * CHANNELS; ++k) {
        float four[4];
        set4(four, from[k]);
        UNROLL for (int q = 0; q < 4; ++q) {
            const int n = 4 * k + q - shift;
            UNROLL for (int j = 0; j < (ROW_ITEM + CHANNELS - 1) / CHANNELS; ++j) {
                const int v = n % CHANNELS + j * CHANNELS;
                const int tap = n / CHANNELS - j;
                if (n >= 0 && v < ROW_ITEM && tap >= 0 && tap < LEAST_X)
                    chain[v] = fma(TAP_X(tap), four[q], chain[v]);
            }
        }
    }
#if BUCKET_X > LEAST_X
    // Tap by tap, so that each is asked for once.
    const int first = (shift + LEAST_X * CHANNELS) / 4;
    float window[(3 + ROW_ITEM + (BUCKET_X - 1 - LEAST_X) * CHANNELS + 3) / 4 * 4];
    UNROLL for (int k = first; 4 * k < shift + ROW_ITEM + (BUCKET_X - 1) * CHANNELS; ++k)
        set4(window + 4 * (k - first), from[k]);
    UNROLL for (int i = LEAST_X; i < BUCKET_X; ++i)
        if (i < g.taps_x)
            UNROLL for (int v = 0; v < ROW_ITEM; ++v)
                chain[v] =
                    fma(TAP_X(i), window[shift + i * CHANNELS + v - 4 * first], chain[v]);
#endif
    UNROLL for (int v = 0; v < ROW_ITEM; v += 4)
        to[v / 4] = (float4)(chain[v], chain[v + 1], chain[v + 2], chain[v + 3]);
}

// The vectors that an item reads of a step's rows: one of the first WIDE / 4 of each
// ROWS_AT_ONCE-th row, and some of the others, the apron.
#define ROWS_AT_ONCE (4 / COLUMN_X)
#define MAIN_TURNS (ROWS / ROWS_AT_ONCE)
#define APRON (VECTORS - WIDE / 4)
#define APRON_TURNS ((ROWS * APRON + GROUP - 1) / GROUP)
#define ROWS_TOGETHER 8 // that an item has in registers when it goes down its columns
// Measured on NVIDIA (H200): to wait for the edges at the end costs more than what neighbours share with
// radii of 15 and 31, and less with 7 and 10.
#define EDGES_FIRST (BUCKET_Y > 21)

// band: rows of results that a group makes. shift: SHIFT, where that is not -1.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void separable_stream(__global const SRC *restrict src, __global DST *restrict dst,
                      const Geometry g, TAPS_PARAMETER, const int band, const int shift,
                      __local float4 *restrict entered, __local float4 *restrict filtered,
                      __local int4 *restrict places FRAMES_PARAMETER OTHER_PARAMETER) {
    const int item = get_local_id(0);
    const int batch = get_group_id(2);
#if FRAMES
    if ((int)get_group_id(1) >= bands) {
        const int tile =
            ((int)get_group_id(1) - bands) * (int)get_num_groups(0) + (int)get_group_id(0);
        if (tile < frames.tiles)
            make_tile_of_frames(tile, batch, src, dst, g, frames, frame_taps_x, frame_taps_y,
                                (__local float *)entered OTHER_ARGUMENT);
        return;
    }
#endif
    const int2 place = place_in_rows(EDGES_FIRST, BANDS);
    const int left = place.x * WIDE;
    const int top = TOP + place.y * band;
    const int height = min(band, BOTTOM - top);
    const int rows = height + g.taps_y - 1;
    const int first = top - g.anchor_y;
    const int begin = left - g.anchor_x * CHANNELS - shift;
    __global const SRC *origin = src + src_start(g, batch);
    const bool inside =
        begin >= g.valid_left * CHANNELS && begin + 4 * VECTORS <= g.valid_right * CHANNELS;
    if (!inside) {
        for (int i = item; i < 4 * VECTORS; i += GROUP)
            ((__local int *)places)[i] = fold_value(g, begin + i);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const Vector vector = vector_of(g, begin, item & (WIDE / 4 - 1));
    const int row_of_vector = item / (WIDE / 4);
    __local float4 *const own = entered + row_of_vector * PITCH + vector.number;
// Does `what` for each vector of the apron that the item reads: k-th, row y of the step.
#define FOR_APRON(what)                                                                            \
    UNROLL for (int k = 0; k < APRON_TURNS; ++k) {                                                 \
        const int task = item + k * GROUP;                                                         \
        const int y = task / APRON;                                                                \
        if (ROWS * APRON % GROUP == 0 || k + 1 < APRON_TURNS || y < ROWS) {                        \
            const Vector at = vector_of(g, begin, WIDE / 4 + task - y * APRON);                    \
            what;                                                                                  \
        }                                                                                          \
    }
// Reads the rows of a step whatever the border makes of them.
#define READ_ANY(start)                                                                            \
    do {                                                                                           \
        ROLLED for (int k = 0; k < MAIN_TURNS; ++k)                                                \
            own[k * ROWS_AT_ONCE * PITCH] =                                                        \
                read_any(origin, g, (start) + row_of_vector + k * ROWS_AT_ONCE, vector, places);   \
        FOR_APRON(entered[y * PITCH + at.number] = read_any(origin, g, (start) + y, at, places))   \
    } while (0)

    const int own_row = item & (ROWS - 1);
    const int run = item / ROWS * (ROW_ITEM / 4);
    __local const float4 *const row = entered + own_row * PITCH + run;
    __local float4 *const filtered_row = filtered + own_row * FILTERED_PITCH + run;
    const int x = left + item * COLUMN_X;
    __global DST *to = dst + dst_start(g, batch) + top * g.dst_row + x;
    float sum[BUCKET_Y][COLUMN_X];
    UNROLL for (int m = 0; m < BUCKET_Y; ++m)
        UNROLL for (int v = 0; v < COLUMN_X; ++v)
            sum[m][v] = 0.0f;
    // Before the first step there are only rows to read.
    for (int step = -ROWS; step < rows; step += ROWS) {
        if (step >= 0) {
            if (SHIFT != -1)
                filter_row(filtered_row, row, g, taps, SHIFT);
            else if (CHANNELS == 4 || shift == 0)
                filter_row(filtered_row, row, g, taps, 0);
            else if (CHANNELS != 2 && shift == 1)
                filter_row(filtered_row, row, g, taps, 1);
            else if (CHANNELS == 2 || shift == 2)
                filter_row(filtered_row, row, g, taps, 2);
            else
                filter_row(filtered_row, row, g, taps, 3);
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        const int next = first + step + ROWS;
        const bool more = step + ROWS < rows;
        const bool free = more && next >= g.valid_top && next + ROWS <= g.valid_bottom;
        WAITING coming[MAIN_TURNS], coming_apron[APRON_TURNS];
        // A branch for strips at the edge: checks beside each read keep reads apart.
        if (free && inside) {
            __global const SRC *from = origin + (next + row_of_vector) * g.src_row + vector.x;
            UNROLL for (int k = 0; k < MAIN_TURNS; ++k) {
                coming[k] = ASK(from);
                from += ROWS_AT_ONCE * g.src_row;
            }
            FOR_APRON(coming_apron[k] = ASK(origin + (next + y) * g.src_row + at.x))
        } else if (free) {
            __global const SRC *from = origin + (next + row_of_vector) * g.src_row;
            UNROLL for (int k = 0; k < MAIN_TURNS; ++k) {
                coming[k] = ask(from, g, vector, places);
                from += ROWS_AT_ONCE * g.src_row;
            }
            FOR_APRON(coming_apron[k] = ask(origin + (next + y) * g.src_row, g, at, places))
        }

        __local const float *column = (__local const float *)filtered + item * COLUMN_X;
        const int done = step - (g.taps_y - 1);
        if (done >= 0 && done + ROWS <= height && (ARE_MADE(x) || ARE_OTHERS(x))) {
            ROLLED for (int o = 0; o < ROWS; o += ROWS_TOGETHER) {
                float value[ROWS_TOGETHER][COLUMN_X], theirs[ROWS_TOGETHER][COLUMN_X];
                UNROLL for (int i = 0; i < ROWS_TOGETHER; ++i)
                    UNROLL for (int v = 0; v < COLUMN_X; ++v)
                        theirs[i][v] = ARE_OTHERS(x) ? 0.0f : OTHER_OF(to + i * g.dst_row + v);
                UNROLL for (int i = 0; i < ROWS_TOGETHER; ++i)
                    read_columns(value[i], column + (o + i) * 4 * FILTERED_PITCH);
                UNROLL for (int i = 0; i < ROWS_TOGETHER; ++i) {
                    add_row(sum, value[i], g, taps);
                    if (!ARE_OTHERS(x)) {
                        float made[COLUMN_X];
                        UNROLL for (int v = 0; v < COLUMN_X; ++v)
                            made[v] = RESULT_OF(sum[0][v], theirs[i][v]);
                        store_columns(made, to);
                    }
                    to += g.dst_row;
                }
            }
        } else if (step >= 0) {
            ROLLED for (int o = 0; o < ROWS; ++o) {
                float value[COLUMN_X];
                read_columns(value, column + o * 4 * FILTERED_PITCH);
                add_row(sum, value, g, taps);
                if (done + o >= 0 && done + o < height) {
                    UNROLL for (int v = 0; v < COLUMN_X; ++v)
                        if (IS_MADE(x + v))
                            STORE(RESULT_OF(sum[0][v], OTHER_OF(to + v)), to + v);
                    to += g.dst_row;
                }
            }
        }

        if (free && inside) {
            UNROLL for (int k = 0; k < MAIN_TURNS; ++k)
                own[k * ROWS_AT_ONCE * PITCH] = ARRIVED(coming[k]);
            FOR_APRON(entered[y * PITCH + at.number] = ARRIVED(coming_apron[k]))
        } else if (free) {
            UNROLL for (int k = 0; k < MAIN_TURNS; ++k)
                own[k * ROWS_AT_ONCE * PITCH] = arrived(coming[k], g, vector, places);
            FOR_APRON(entered[y * PITCH + at.number] = arrived(coming_apron[k], g, at, places))
        } else if (more) {
            READ_ANY(next);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
