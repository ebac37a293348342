// Separable correlation in one pass, for GPUs. A group marches down a strip of TILE_X values,
// STEP_Y rows at a time: rows of the source, which were read while the rows before them were
// filtered, are laid down in local memory, filtered along x, ROW_ITEM values an item, into a ring
// of rows, and then along y, COLUMN_X values x COLUMN_Y rows an item. So every row is filtered
// along x once, and the source is read and the target written in whole vectors.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/separable.clh"

#ifndef ALIGNED
#error ALIGNED is not defined
#endif
#if !defined(TILE_X) || !defined(STEP_Y) || !defined(ROW_ITEM) || !defined(COLUMN_X) ||           \
    !defined(COLUMN_Y)
#error TILE_X, STEP_Y, ROW_ITEM, COLUMN_X or COLUMN_Y is not defined
#endif

#define GROUP (TILE_X / COLUMN_X * (STEP_Y / COLUMN_Y))
#define ITEMS_X (TILE_X / ROW_ITEM)
#define TASKS (STEP_Y * ITEMS_X)

// Rows in local memory, in vectors of 4 values, start at an aligned address: the tile's own, and
// the aprons'. They are one vector more than a multiple of 8 apart: then 8 items, some side by side
// and the others below them, meet 8 different banks.
#define TILE_VECTORS (TILE_X / 4)
#define VECTORS ((TILE_X + (BUCKET_X - 1) * CHANNELS + 6) / 4)
#define APRON_VECTORS (VECTORS - TILE_VECTORS)
#define ODD_PITCH(vectors) (((vectors) + 6) / 8 * 8 + 1)
#define RAW_PITCH ODD_PITCH(VECTORS)
#define RING_PITCH ODD_PITCH(TILE_VECTORS)
#define RING_ROWS (STEP_Y + BUCKET_Y - 1)

// The part of a step that an item reads: of the tile, vectors below each other; of the aprons,
// those that follow one another.
#define TILE_ROWS (GROUP / TILE_VECTORS)
#define TILE_READS (STEP_Y / TILE_ROWS)
#define APRON_READS ((STEP_Y * APRON_VECTORS + GROUP - 1) / GROUP)

#if ALIGNED
#define READ4(p) LOAD4(p)
#else
#define READ4(p) (float4)(LOAD(p), LOAD((p) + 1), LOAD((p) + 2), LOAD((p) + 3))
#endif

// Filters ROW_ITEM values along x. from: the vectors in which the item's values start, `shift`
// values in. all: that there are BUCKET taps.
#define WINDOW(shift) (((shift) + ROW_ITEM + (BUCKET_X - 1) * CHANNELS + 3) / 4)
#define FILTER_ROW(shift, all)                                                                     \
    do {                                                                                           \
        float window[4 * WINDOW(shift)];                                                           \
        UNROLL for (int v_ = 0; v_ < WINDOW(shift); ++v_) {                                        \
            const float4 four_ = from[v_];                                                         \
            window[4 * v_] = four_.s0;                                                             \
            window[4 * v_ + 1] = four_.s1;                                                         \
            window[4 * v_ + 2] = four_.s2;                                                         \
            window[4 * v_ + 3] = four_.s3;                                                         \
        }                                                                                          \
        UNROLL for (int i_ = 0; i_ < BUCKET_X; ++i_)                                               \
            if ((all) || i_ < LEAST_X || i_ < g.taps_x)                                            \
                UNROLL for (int v_ = 0; v_ < ROW_ITEM; ++v_)                                       \
                    chain[v_] = fma(TAP_X(i_), window[(shift) + i_ * CHANNELS + v_], chain[v_]);   \
    } while (0)

#if COLUMN_X == 2
#define READ_COLUMNS(value, from)                                                                  \
    const float2 two_ = *(__local const float2 *)(from);                                           \
    value[0] = two_.s0;                                                                            \
    value[1] = two_.s1;
#else
#define READ_COLUMNS(value, from)                                                                  \
    const float4 four_ = *(__local const float4 *)(from);                                          \
    value[0] = four_.s0;                                                                           \
    value[1] = four_.s1;                                                                           \
    value[2] = four_.s2;                                                                           \
    value[3] = four_.s3;
#endif
// Filters COLUMN_X values of COLUMN_Y rows along y, from the row at `from` of the ring on.
#define FILTER_COLUMNS(all)                                                                        \
    UNROLL for (int y_ = 0; y_ < COLUMN_Y - 1 + BUCKET_Y; ++y_) {                                  \
        if ((all) || y_ < COLUMN_Y - 1 + LEAST_Y || y_ < COLUMN_Y - 1 + g.taps_y) {                \
            float value[COLUMN_X];                                                                 \
            READ_COLUMNS(value, from)                                                              \
            UNROLL for (int o_ = 0; o_ < COLUMN_Y; ++o_) {                                         \
                const int j_ = y_ - o_;                                                            \
                if (j_ >= 0 && j_ < BUCKET_Y && ((all) || j_ < LEAST_Y || j_ < g.taps_y))          \
                    UNROLL for (int v_ = 0; v_ < COLUMN_X; ++v_)                                   \
                        sum[o_][v_] = fma(TAP_Y(j_), value[v_], sum[o_][v_]);                      \
            }                                                                                      \
            from += 4 * RING_PITCH;                                                                \
            if (from == end)                                                                       \
                from -= 4 * RING_PITCH * RING_ROWS;                                                \
        }                                                                                          \
    }

// shift: how many values before a tile's apron the aligned address lies from which it is read.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void separable_tiled(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                     const TileClasses classes, TAPS_PARAMETER, const int band, const int shift,
                     __local float4 *restrict raw, __local float4 *restrict ring) {
    const int item = get_local_id(0);
    const int column = get_group_id(0);
    const int batch = get_group_id(2);
    const bool free_read = column >= classes.free_left && column < classes.free_right;
    const bool free_write = column < classes.whole_columns;
    const int left = column * TILE_X;
    const int top = get_group_id(1) * band;
    const int height = min(band, g.height - top);
    __global const SRC *origin = src + src_start(g, batch);

    const int apron = g.anchor_x * CHANNELS;
    const int begin = left - apron - shift; // of the rows in `raw`
    const int vectors = (shift + TILE_X + (g.taps_x - 1) * CHANNELS + 3) / 4; // that are needed
    const int rows = height + g.taps_y - 1;                                   // of the source
    const int first_row = top - g.anchor_y;

    const int column_x = (item & (TILE_X / COLUMN_X - 1)) * COLUMN_X;
    const int column_y = item / (TILE_X / COLUMN_X) * COLUMN_Y;
    __global DST *target =
        dst + dst_start(g, batch) + (top + column_y - (g.taps_y - 1)) * g.dst_row + left + column_x;

#if ALIGNED
    // Whether all of a step's rows can be read as they are.
#define IS_FREE(first)                                                                             \
    (free_read && first_row + (first) >= g.valid_top &&                                            \
     first_row + (first) + STEP_Y <= g.valid_bottom)
    // A free step's rows, while they are on their way.
    RAW4 coming_tile[TILE_READS];
    RAW4 coming_apron[APRON_READS + 1];
    const int tile_y = item / TILE_VECTORS;
    const int tile_v = item & (TILE_VECTORS - 1);
    const long tile_step = TILE_ROWS * g.src_row;
#define READ_STEP(first)                                                                           \
    do {                                                                                           \
        __global const SRC *from_ = origin + (first_row + (first)) * g.src_row + begin;            \
        __global const SRC *from_tile_ = from_ + tile_y * g.src_row + 4 * tile_v;                  \
        UNROLL for (int k_ = 0; k_ < TILE_READS; ++k_)                                             \
            coming_tile[k_] = READ_RAW4(from_tile_ + k_ * tile_step);                              \
        UNROLL for (int k_ = 0; k_ < APRON_READS; ++k_) {                                          \
            const int y_ = (item + k_ * GROUP) / APRON_VECTORS;                                    \
            const int v_ = (item + k_ * GROUP) - y_ * APRON_VECTORS + TILE_VECTORS;                \
            if (y_ < STEP_Y && v_ < vectors)                                                       \
                coming_apron[k_] = READ_RAW4(from_ + y_ * g.src_row + 4 * v_);                     \
        }                                                                                          \
    } while (0)
    if (IS_FREE(0))
        READ_STEP(0);
#else
#define IS_FREE(first) false
#endif

    int slot = 0; // of the step's first row in the ring
    for (int first = 0; first < rows; first += STEP_Y) {
        if (IS_FREE(first)) {
#if ALIGNED
            UNROLL for (int k = 0; k < TILE_READS; ++k)
                raw[(tile_y + k * TILE_ROWS) * RAW_PITCH + tile_v] = CONVERT_RAW4(coming_tile[k]);
            UNROLL for (int k = 0; k < APRON_READS; ++k) {
                const int y = (item + k * GROUP) / APRON_VECTORS;
                const int v = (item + k * GROUP) - y * APRON_VECTORS + TILE_VECTORS;
                if (y < STEP_Y && v < vectors)
                    raw[y * RAW_PITCH + v] = CONVERT_RAW4(coming_apron[k]);
            }
#endif
        } else {
            for (int place = item; place < STEP_Y * VECTORS; place += GROUP) {
                const int y = place / VECTORS;
                const int v = place - y * VECTORS;
                if (v >= vectors || first + y >= rows) {
                    raw[y * RAW_PITCH + v] = 0.0f; // of no effect
                } else {
                    const int x = begin + 4 * v;
                    const int row = fold_row(g, first_row + first + y);
                    const bool inside = row != OUTSIDE && x >= g.valid_left * CHANNELS &&
                                        x + 4 <= g.valid_right * CHANNELS;
                    __global const SRC *from = origin + row * g.src_row + x;
                    if (inside)
                        raw[y * RAW_PITCH + v] = READ4(from);
                    else
                        raw[y * RAW_PITCH + v] = read_checked(origin, g, row, x);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if ALIGNED
        if (first + STEP_Y < rows && IS_FREE(first + STEP_Y))
            READ_STEP(first + STEP_Y);
#endif

        for (int task = item; task < TASKS; task += GROUP) {
#if ROW_ITEM == 8
            const int x = (task & 3) + (task >> 3 & (ITEMS_X / 4 - 1)) * 4;
            const int y = (task >> 2 & 1) + (task >> 3) / (ITEMS_X / 4) * 2;
#else
            const int x = (task & 1) + (task >> 3 & (ITEMS_X / 2 - 1)) * 2;
            const int y = (task >> 1 & 3) + (task >> 3) / (ITEMS_X / 2) * 4;
#endif
            float chain[ROW_ITEM];
            UNROLL for (int v = 0; v < ROW_ITEM; ++v)
                chain[v] = 0.0f;
            __local const float4 *from = raw + y * RAW_PITCH + x * (ROW_ITEM / 4);
            // Taps that fill their bucket are mostly anchored in the middle.
            if (g.taps_x == BUCKET_X && shift == (-(BUCKET_X / 2 * CHANNELS) & 3))
                FILTER_ROW(-(BUCKET_X / 2 * CHANNELS) & 3, true);
            else if (shift == 0)
                FILTER_ROW(0, false);
#if CHANNELS != 4
            else if (shift == 2)
                FILTER_ROW(2, false);
#endif
#if CHANNELS % 2 != 0
            else if (shift == 1)
                FILTER_ROW(1, false);
            else
                FILTER_ROW(3, false);
#endif
            const int to_row = slot + y < RING_ROWS ? slot + y : slot + y - RING_ROWS;
            __local float4 *to = ring + to_row * RING_PITCH + x * (ROW_ITEM / 4);
            UNROLL for (int v = 0; v < ROW_ITEM; v += 4)
                to[v / 4] = (float4)(chain[v], chain[v + 1], chain[v + 2], chain[v + 3]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        // The rows whose last tap's row has come.
        float sum[COLUMN_Y][COLUMN_X];
        UNROLL for (int o = 0; o < COLUMN_Y; ++o)
            UNROLL for (int v = 0; v < COLUMN_X; ++v)
                sum[o][v] = 0.0f;
        int from_row = slot - (g.taps_y - 1) + column_y;
        from_row += from_row < 0 ? RING_ROWS : from_row >= RING_ROWS ? -RING_ROWS : 0;
        __local const float *from =
            (__local const float *)(ring + from_row * RING_PITCH) + column_x;
        __local const float *end =
            (__local const float *)(ring + RING_ROWS * RING_PITCH) + column_x;
        if (g.taps_y == BUCKET_Y) {
            FILTER_COLUMNS(true)
        } else {
            FILTER_COLUMNS(false)
        }

        const int out = first - (g.taps_y - 1) + column_y;
        __global DST *to = target + first * g.dst_row;
        if (free_write && out >= 0 && out + COLUMN_Y <= height) {
            UNROLL for (int o = 0; o < COLUMN_Y; ++o) {
#if ALIGNED && COLUMN_X == 2
                STORE2((float2)(sum[o][0], sum[o][1]), to + o * g.dst_row);
#elif ALIGNED
                STORE4((float4)(sum[o][0], sum[o][1], sum[o][2], sum[o][3]), to + o * g.dst_row);
#else
                UNROLL for (int v = 0; v < COLUMN_X; ++v)
                    STORE(sum[o][v], to + o * g.dst_row + v);
#endif
            }
        } else {
            UNROLL for (int o = 0; o < COLUMN_Y; ++o)
                UNROLL for (int v = 0; v < COLUMN_X; ++v)
                    if (out + o >= 0 && out + o < height && left + column_x + v < g.width)
                        STORE(sum[o][v], to + o * g.dst_row + v);
        }
        slot = slot + STEP_Y < RING_ROWS ? slot + STEP_Y : slot + STEP_Y - RING_ROWS;
    }
}
