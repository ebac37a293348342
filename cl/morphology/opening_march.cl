// Openings and closings by small boxes for GPUs in one pass over the image: erosion and dilation, or the other way
// round. A group marches down a strip of the image, STEP rows of results at a time; the last rows of what the first
// filter made stay in registers, and both filters see a row's neighbours through local memory. Beyond the image the
// second filter sees the border's constant, or keys that change nothing: of a box with its anchor in the middle, a
// border that repeats pixels of the image repeats those that the box covers anyway.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/rank_words.clh"

#if !defined(IS_CLOSING) || !defined(WINDOW_X) || !defined(WINDOW_Y)
#error IS_CLOSING, WINDOW_X or WINDOW_Y is not defined
#endif

#define PLANES CHANNELS
#define PART_ROWS ROWS
#include "lib/extreme_rows.clh"

#define FIRST(a, b) FURTHER_OF(IS_CLOSING, a, b)
#define FIRST_WORDS(a, b) further_words(IS_CLOSING, a, b)
#define SECOND(a, b) FURTHER_OF(!IS_CLOSING, a, b)

// Each filter reads REACH_X pixels on both sides, and REACH_Y rows.
#define REACH_X ((WINDOW_X - 1) / 2)
#define REACH_Y ((WINDOW_Y - 1) / 2)
#define APRON_X (WINDOW_X - 1)
#define APRON_Y (WINDOW_Y - 1)
#define BLOCKS_BESIDE ((REACH_X + COLUMNS - 1) / COLUMNS) // of one filter, on each side

// The word of a column whose row, or rows, lie so many below those of `now`, and above where it is negative: `before`
// has the rows of the step before.
INLINE T word_below(const T *before, const T *now, int rows) {
#if KEY_KIND == 2
    return rows < 0 ? before[max(STEP + rows, 0)] : now[max(rows, 0)];
#else
    if (rows >= 0)
        return now[rows];
    if (rows < -ROWS)
        return before[max(STEP + rows, 0)];
    // The high half of what was there, and the low one of what is there now.
    return permute_bytes(before[ROWS + rows], now[ROWS + rows], 0x5432u);
#endif
}

// Extremes along x of the words of a step's rows in local memory.
#define EXTREMES_ALONG(further, results)                                                           \
    if (plane < PLANES && lane >= BLOCKS_BESIDE && lane < LANES - BLOCKS_BESIDE)                   \
        UNROLL for (int i = 0; i < ROWS; ++i) {                                                    \
            T keys[COLUMNS + APRON_X];                                                             \
            UNROLL for (int k = 0; k < COLUMNS + APRON_X; ++k)                                     \
                keys[k] = KEY_AT(i, k - REACH_X);                                                  \
            EXTREMES(keys, WINDOW_X, COLUMNS, further, results[i])                                 \
        }

// strip: pixels that a group writes of a row. band: rows that it writes, in whole steps.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void opening_march(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                   const int strip, const int band, __local T *along) {
    const int item = get_local_id(0);
    const int plane = PLANES == 1 ? 0 : item / LANES; // of the results
    const int lane = item - plane * LANES;
    const int left = (int)get_group_id(0) * strip;
    const int top = (int)get_group_id(1) * band;
    const int batch = get_group_id(2);
    const int width = g.width / PLANES;
    const int end = min(top + band, g.height);

    // The item reads COLUMNS values, from this one on.
    const int first = (left - 2 * BLOCKS_BESIDE * COLUMNS) * PLANES + item * COLUMNS;
    const int end_value = (min(left + strip, width) + 2 * BLOCKS_BESIDE * COLUMNS) * PLANES;
    const Reader reader =
        reader_of(src + src_start(g, batch), g, first, end_value, IS_CLOSING, 0);

    // It makes results of both filters from this pixel on, and writes those of the second from this value on.
    const int pixel = left + (lane - 2 * BLOCKS_BESIDE) * COLUMNS;
    const bool is_inside = pixel >= g.valid_left && pixel + COLUMNS <= g.valid_right;
    const int value = left * PLANES + (item - 2 * BLOCKS_BESIDE * PLANES) * COLUMNS;
    const bool writes = item >= 2 * BLOCKS_BESIDE * PLANES &&
                        item < (LANES - 2 * BLOCKS_BESIDE) * PLANES &&
                        value < min(left + strip, width) * PLANES;
    const int left_over = width * PLANES - value;
    __global DST *to = dst + dst_start(g, batch) + value;
#if PLANES == 1
    const bool makes = writes;
#else
    const bool makes = plane < PLANES && lane >= 2 * BLOCKS_BESIDE &&
                       lane < LANES - 2 * BLOCKS_BESIDE;
#endif
#if PLANES > 1
    int to_column[COLUMNS];
    places_by_channel(item, to_column);
#endif
    // Both keys of a word beyond the image.
    T outside = NEUTRAL_OF(!IS_CLOSING);
    if (g.border_mode == BORDER_CONSTANT) {
#if KEY_KIND == 2
        outside = KEY_OF_WORD(reader.beyond);
#else
        outside = KEYS_OF_WORD(reader.beyond);
#endif
    }
    // Row y of the second filter's results comes REACH_Y rows after that of the first filter's.
    uint carried[STEP][RAW_WORDS], entering[STEP][RAW_WORDS]; // the last APRON_Y of the former
    read_rows(reader, g, top - 2 * STEP + APRON_Y, false, carried);
    read_rows(reader, g, top - STEP + APRON_Y, false, entering);
    T before[COLUMNS][ROWS]; // words of the step before, by column
    UNROLL for (int c = 0; c < COLUMNS; ++c)
        UNROLL for (int i = 0; i < ROWS; ++i)
            before[c][i] = outside;
    for (int y = top - STEP; y < end; y += STEP) {
        Words found[STEP]; // the first filter's extremes along y: those of rows y + REACH_Y on
        {
            Words rows[STEP + APRON_Y];
            UNROLL for (int i = 0; i < APRON_Y; ++i)
                rows[i] = words_of(carried[STEP - APRON_Y + i]);
            UNROLL for (int i = 0; i < STEP; ++i)
                rows[APRON_Y + i] = words_of(entering[i]);
            UNROLL for (int i = STEP - APRON_Y; i < STEP; ++i)
                UNROLL for (int k = 0; k < RAW_WORDS; ++k)
                    carried[i][k] = entering[i][k];
            EXTREMES(rows, WINDOW_Y, STEP, FIRST_WORDS, found)
        }
        // The next step's rows are on their way meanwhile.
        if (y + STEP < end)
            read_rows(reader, g, y + STEP + APRON_Y, false, entering);
        UNROLL for (int i = 0; i < ROWS; ++i) {
            T columns[COLUMNS];
            columns_of(found, i, columns);
            UNROLL for (int c = 0; c < COLUMNS; ++c)
#if PLANES == 1
                along[COLUMN_AT(i, 0, c) + item] = columns[c];
#else
                if (to_column[c] >= 0)
                    along[i * ROW_WORDS + to_column[c]] = columns[c];
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        T now[ROWS][COLUMNS];
        UNROLL for (int i = 0; i < ROWS; ++i)
            UNROLL for (int c = 0; c < COLUMNS; ++c)
                now[i][c] = outside;
        EXTREMES_ALONG(FIRST, now)
        const int row = y + REACH_Y;
        if (!is_inside || row < g.valid_top || row + STEP > g.valid_bottom)
            UNROLL for (int c = 0; c < COLUMNS; ++c)
                UNROLL for (int i = 0; i < ROWS; ++i) {
                    const bool is_column = pixel + c >= g.valid_left && pixel + c < g.valid_right;
                    const bool is_first = row + i >= g.valid_top && row + i < g.valid_bottom;
#if KEY_KIND == 2
                    now[i][c] = is_column && is_first ? now[i][c] : outside;
#else
                    const bool is_second =
                        row + i + ROWS >= g.valid_top && row + i + ROWS < g.valid_bottom;
                    const uint mask = (is_column && is_first ? 0xffffu : 0u) |
                                      (is_column && is_second ? 0xffff0000u : 0u);
                    now[i][c] = (now[i][c] & mask) | (outside & ~mask);
#endif
                }
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL for (int c = 0; c < COLUMNS; ++c) {
            T own[ROWS], rows[ROWS + APRON_Y], extremes[ROWS];
            UNROLL for (int i = 0; i < ROWS; ++i)
                own[i] = now[i][c];
            UNROLL for (int i = 0; i < ROWS + APRON_Y; ++i)
                rows[i] = word_below(before[c], own, i - APRON_Y);
            UNROLL for (int i = 0; i < ROWS; ++i)
                before[c][i] = own[i];
            EXTREMES(rows, WINDOW_Y, ROWS, SECOND, extremes)
            if (plane < PLANES)
                UNROLL for (int i = 0; i < ROWS; ++i)
                    along[COLUMN_AT(i, plane, c) + lane] = extremes[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (makes && y >= top)
            EXTREMES_ALONG(SECOND, now)
#if PLANES > 1
        results_by_item(now, makes, writes, item, plane, lane, along);
#endif
        if (writes && y >= top)
            UNROLL for (int i = 0; i < ROWS; ++i)
                write_rows(now[i], g, i, y, end, to, left_over);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
