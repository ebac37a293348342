// Minima and maxima over boxes for GPUs in one pass over the image. A group marches down a strip of it, STEP rows of
// results at a time, and an item has four words of keys of each row. Along y, of the rows that a step's windows
// begin with and that leave, each sees the last ones, of those that enter the first ones, and all see the rows
// between, kept as extremes of blocks of rows in local memory (after van Herk, 1992, and Gil and Werman, 1993).
// Windows of few rows take them from registers. Along x the same with blocks of COLUMNS pixels.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/rank_words.clh"
#include "lib/extreme_words.clh"

#if !defined(IS_MAXIMUM) || !defined(WINDOW_X) || !defined(WINDOW_Y) || !defined(ANCHOR_X) || \
    !defined(PARTS) || !defined(LEVELS)
#error IS_MAXIMUM, WINDOW_X, WINDOW_Y, ANCHOR_X, PARTS or LEVELS is not defined
#endif

// Where windows are of one column, values are all alike.
#define HAS_ALONG (WINDOW_X > 1)
#if HAS_ALONG
#define PLANES CHANNELS
#else
#define PLANES 1
#endif
// Wide groups have no room for all rows of a step in local memory: PARTS are there one after the other.
#define PART_ROWS (ROWS / PARTS)
#include "lib/extreme_rows.clh"
#if ROWS % PARTS != 0
#error PARTS do not divide the rows of a step
#endif

#define FURTHER(a, b) FURTHER_OF(IS_MAXIMUM, a, b)
#define FURTHER_WORDS(a, b) further_words(IS_MAXIMUM, a, b)
#define NEUTRAL NEUTRAL_OF(IS_MAXIMUM)

// Along y: rows that all windows of a step see are REMAINDER rows and BLOCKS blocks of STEP rows. Or the rows of a
// window but its last are carried in registers.
#define APRON_Y (WINDOW_Y - 1)
#define CARRIES (APRON_Y < STEP)
#if CARRIES
#define BLOCKS 0
#define REMAINDER 0
#else
#define BLOCKS ((APRON_Y - STEP) / STEP)
#define REMAINDER ((APRON_Y - STEP) % STEP)
#endif
#define ENTER_FIRST (BLOCKS + (REMAINDER > 0 ? 1 : 0)) // steps before the first whose windows are wanted

#define LEFT ANCHOR_X
#define RIGHT (WINDOW_X - 1 - ANCHOR_X)
#define BLOCKS_LEFT ((LEFT + COLUMNS - 1) / COLUMNS)
#define BLOCKS_RIGHT ((RIGHT + COLUMNS - 1) / COLUMNS)
// Whole blocks that the windows of all of a block's columns see, relative to their own: from FIRST_WHOLE, and MANY.
#define CEIL_DIV(a) (((a) + 4096 * COLUMNS + COLUMNS - 1) / COLUMNS - 4096)
#define FIRST_WHOLE CEIL_DIV(COLUMNS - 1 - LEFT)
#define END_WHOLE ((RIGHT + 1) / COLUMNS)
#define MANY (END_WHOLE - FIRST_WHOLE)
// LEVELS of extremes in local memory: none where there are no whole blocks, and windows double; those of blocks; and
// those of four blocks each.

#if HAS_ALONG
// The results of a block's columns in row i of those in local memory.
INLINE void find_along(__local const T *along, int i, int item, int plane, int lane, T *results) {
#if LEVELS == 0
    T keys[COLUMNS + WINDOW_X - 1];
    UNROLL for (int k = 0; k < COLUMNS + WINDOW_X - 1; ++k)
        keys[k] = KEY_AT(i, k - LEFT);
    EXTREMES(keys, WINDOW_X, COLUMNS, FURTHER, results)
#else
    __local const T *blocks = along + PART_ROWS * ROW_WORDS;
    T all = NEUTRAL;
#if LEVELS > 1
    __local const T *fours = blocks + PART_ROWS * GROUP;
    UNROLL for (int k = 0; k < MANY; k += 4)
        all = FURTHER(all, fours[i * GROUP + item +
                                 (k + 4 <= MANY ? FIRST_WHOLE + k : END_WHOLE - 4)]);
#else
    UNROLL for (int k = FIRST_WHOLE; k < END_WHOLE; ++k)
        all = FURTHER(all, blocks[i * GROUP + item + k]);
#endif
    results[COLUMNS - 1] = all;
    T ends = all;
    UNROLL for (int k = COLUMNS * FIRST_WHOLE - 1; k >= -LEFT; --k) {
        ends = FURTHER(ends, KEY_AT(i, k));
        if (k + LEFT < COLUMNS)
            results[k + LEFT] = ends;
    }
    ends = NEUTRAL;
    UNROLL for (int k = COLUMNS * END_WHOLE; k < COLUMNS + RIGHT; ++k) {
        ends = FURTHER(ends, KEY_AT(i, k));
        if (k >= RIGHT)
            results[k - RIGHT] = FURTHER(results[k - RIGHT], ends);
    }
#endif
}
#endif

#if ENTER_FIRST > 0
// Puts extremes of a step's rows, of all and of the last ones, into local memory.
INLINE void add_block(uint (*raw)[RAW_WORDS], int *at, int *rest_at, int item, __local T *ring,
                      __local T *rests) {
    Words block = words_of(raw[0]), rest = block;
    UNROLL for (int i = 1; i < STEP; ++i) {
        const Words row = words_of(raw[i]);
        block = FURTHER_WORDS(block, row);
        rest = i <= STEP - REMAINDER ? row : FURTHER_WORDS(rest, row);
    }
    UNROLL for (int c = 0; c < 4; ++c) {
#if BLOCKS > 0
        ring[(*at * 4 + c) * GROUP + item] = block.of[c];
#endif
#if REMAINDER > 0
        rests[(*rest_at * 4 + c) * GROUP + item] = rest.of[c];
#endif
    }
    *at = *at >= BLOCKS - 1 ? 0 : *at + 1;
    *rest_at = *rest_at == BLOCKS ? 0 : *rest_at + 1;
}
#endif

// The results of row i of a step, which is row `own` of those in local memory.
#if HAS_ALONG
#define RESULTS_OF(i, own)                                                                         \
    T results[COLUMNS];                                                                            \
    find_along(along, own, item, plane, lane, results);
#else
#define RESULTS_OF(i, own) const T *results = columns[i];
#endif

// strip: pixels that a group writes of a row. band: rows that it writes, in whole steps.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void extreme_march(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                   const int strip, const int band, __local T *along, __local T *ring,
                   __local int *places) {
    const int item = get_local_id(0);
    const int plane = PLANES == 1 ? 0 : item / LANES; // of the results
    const int lane = item - plane * LANES;
    const int left = (int)get_group_id(0) * strip;
    const int top = (int)get_group_id(1) * band;
    const int batch = get_group_id(2);
    const int width = g.width / PLANES;
    const int end = min(top + band, g.height);

    // The item reads COLUMNS values, from this one on.
    const int first = (left - BLOCKS_LEFT * COLUMNS) * PLANES + item * COLUMNS;
    const int end_value = (min(left + strip, width) + BLOCKS_RIGHT * COLUMNS) * PLANES;
    const Reader reader = reader_of(src + src_start(g, batch), g, first, end_value, IS_MAXIMUM,
                                    places + item);

    // It writes as many results, from this value on.
    const int value = left * PLANES + (item - BLOCKS_LEFT * PLANES) * COLUMNS;
    const bool writes = item >= BLOCKS_LEFT * PLANES && item < (LANES - BLOCKS_RIGHT) * PLANES &&
                        value < min(left + strip, width) * PLANES;
    const int left_over = width * PLANES - value;
    __global DST *to = dst + dst_start(g, batch) + value;
#if PLANES == 1
    const bool makes = writes;
#else
    const bool makes = plane < PLANES && lane >= BLOCKS_LEFT && lane < LANES - BLOCKS_RIGHT;
#endif
#if HAS_ALONG && PLANES > 1
    int to_column[COLUMNS];
    places_by_channel(item, to_column);
#endif
#if HAS_ALONG && LEVELS > 0
    __local T *blocks = along + PART_ROWS * ROW_WORDS; // extremes of whole blocks
    __local T *fours = blocks + PART_ROWS * GROUP;     // and of four of them
#endif
    const int above = -g.anchor_y; // where the window of row 0 begins
#if CARRIES
    uint carried[STEP][RAW_WORDS], entering_raw[STEP][RAW_WORDS]; // the last APRON_Y of the former
    read_rows(reader, g, top + above + APRON_Y - STEP, false, carried);
    read_rows(reader, g, top + above + APRON_Y, false, entering_raw);
#else
    __local T *rests = ring + BLOCKS * 4 * GROUP;
    int at = 0, rest_at = 0; // which block comes next
    // Before the first step, one block is on its way while another is dealt with.
    uint entering_raw[STEP][RAW_WORDS], leaving_raw[STEP][RAW_WORDS];
    {
        const int first_row = top - STEP * ENTER_FIRST + above + APRON_Y;
#if ENTER_FIRST % 2 == 0
        read_rows(reader, g, first_row, false, entering_raw);
#else
        read_rows(reader, g, first_row, false, leaving_raw);
        read_rows(reader, g, first_row + STEP, false, entering_raw);
        add_block(leaving_raw, &at, &rest_at, item, ring, rests);
#endif
#if ENTER_FIRST > 0
        _Pragma("unroll 1") for (int k = ENTER_FIRST % 2; k < ENTER_FIRST; k += 2) {
            read_rows(reader, g, first_row + (k + 1) * STEP, false, leaving_raw);
            add_block(entering_raw, &at, &rest_at, item, ring, rests);
            read_rows(reader, g, first_row + (k + 2) * STEP, false, entering_raw);
            add_block(leaving_raw, &at, &rest_at, item, ring, rests);
        }
#endif
    }
    read_rows(reader, g, top + above, true, leaving_raw);
#endif

    for (int y = top; y < end; y += STEP) {
        Words found[STEP]; // extremes of windows along y
#if CARRIES
        {
            Words rows[STEP + APRON_Y];
            UNROLL for (int i = 0; i < APRON_Y; ++i)
                rows[i] = words_of(carried[STEP - APRON_Y + i]);
            UNROLL for (int i = 0; i < STEP; ++i)
                rows[APRON_Y + i] = words_of(entering_raw[i]);
            UNROLL for (int i = STEP - APRON_Y; i < STEP; ++i)
                UNROLL for (int k = 0; k < RAW_WORDS; ++k)
                    carried[i][k] = entering_raw[i][k];
            EXTREMES(rows, WINDOW_Y, STEP, FURTHER_WORDS, found)
        }
#else
        Words leaving[STEP], entering[STEP];
        UNROLL for (int i = 0; i < STEP; ++i) {
            leaving[i] = words_of(leaving_raw[i]);
            entering[i] = words_of(entering_raw[i]);
        }
#if REMAINDER > 0
        {
            Words rest = entering[STEP - REMAINDER];
            UNROLL for (int i = STEP - REMAINDER + 1; i < STEP; ++i)
                rest = FURTHER_WORDS(rest, entering[i]);
            UNROLL for (int c = 0; c < 4; ++c) {
                __local T *oldest = rests + (rest_at * 4 + c) * GROUP + item;
                leaving[STEP - 1].of[c] = FURTHER(leaving[STEP - 1].of[c], *oldest);
                *oldest = rest.of[c];
            }
            rest_at = rest_at == BLOCKS ? 0 : rest_at + 1;
        }
#endif
        UNROLL for (int k = 0; k < BLOCKS; ++k)
            UNROLL for (int c = 0; c < 4; ++c)
                leaving[STEP - 1].of[c] =
                    FURTHER(leaving[STEP - 1].of[c], ring[(k * 4 + c) * GROUP + item]);
        UNROLL for (int i = STEP - 2; i >= 0; --i)
            leaving[i] = FURTHER_WORDS(leaving[i], leaving[i + 1]);
        UNROLL for (int i = 1; i < STEP; ++i)
            entering[i] = FURTHER_WORDS(entering[i], entering[i - 1]);
#if BLOCKS > 0
        UNROLL for (int c = 0; c < 4; ++c)
            ring[(at * 4 + c) * GROUP + item] = entering[STEP - 1].of[c];
        at = at >= BLOCKS - 1 ? 0 : at + 1;
#endif
        UNROLL for (int i = 0; i < STEP; ++i)
            found[i] = FURTHER_WORDS(leaving[i], entering[i]);
#endif
        T columns[ROWS][COLUMNS];
        UNROLL for (int i = 0; i < ROWS; ++i)
            columns_of(found, i, columns[i]);
        // The next step's rows are on their way meanwhile.
        if (y + STEP < end) {
            read_rows(reader, g, y + STEP + above + APRON_Y, false, entering_raw);
#if !CARRIES
            read_rows(reader, g, y + STEP + above, true, leaving_raw);
#endif
        }
#if PLANES == 1
        // Whole steps are written without a question for each row.
        const bool is_whole = WRITES_WORDS && y + STEP <= end && left_over >= COLUMNS;
#endif
        UNROLL for (int part = 0; part < ROWS; part += PART_ROWS) {
#if HAS_ALONG
            UNROLL for (int i = 0; i < PART_ROWS; ++i) {
#if PLANES == 1
                const T *row = columns[part + i];
                UNROLL for (int c = 0; c < COLUMNS; ++c)
                    along[COLUMN_AT(i, 0, c) + item] = row[c];
#if LEVELS > 0
                T block = row[0];
                UNROLL for (int c = 1; c < COLUMNS; ++c)
                    block = FURTHER(block, row[c]);
                blocks[i * GROUP + item] = block;
#endif
#else
                UNROLL for (int c = 0; c < COLUMNS; ++c)
                    if (to_column[c] >= 0)
                        along[i * ROW_WORDS + to_column[c]] = columns[part + i][c];
#endif
            }
            barrier(CLK_LOCAL_MEM_FENCE);
#if LEVELS > 0 && PLANES > 1
            if (plane < PLANES)
                UNROLL for (int i = 0; i < PART_ROWS; ++i) {
                    T block = KEY_AT(i, 0);
                    UNROLL for (int c = 1; c < COLUMNS; ++c)
                        block = FURTHER(block, KEY_AT(i, c));
                    blocks[i * GROUP + item] = block;
                }
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if LEVELS > 1
            if (plane < PLANES)
                UNROLL for (int i = 0; i < PART_ROWS; ++i) {
                    T four = blocks[i * GROUP + item];
                    UNROLL for (int k = 1; k < 4; ++k)
                        four = FURTHER(four, blocks[i * GROUP + item + min(k, LANES - 1 - lane)]);
                    fours[i * GROUP + item] = four;
                }
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
#endif
#if PLANES > 1
            T made[PART_ROWS][COLUMNS];
            if (makes)
                UNROLL for (int i = 0; i < PART_ROWS; ++i)
                    find_along(along, i, item, plane, lane, made[i]);
            results_by_item(made, makes, writes, item, plane, lane, along);
            if (writes)
                UNROLL for (int i = 0; i < PART_ROWS; ++i)
                    write_rows(made[i], g, part + i, y, end, to, left_over);
            barrier(CLK_LOCAL_MEM_FENCE);
#else
            if (makes && is_whole) {
                UNROLL for (int i = 0; i < PART_ROWS; ++i) {
                    RESULTS_OF(part + i, i)
                    write_whole_rows(results, g, part + i, y, to);
                }
            } else if (makes) {
                UNROLL for (int i = 0; i < PART_ROWS; ++i) {
                    RESULTS_OF(part + i, i)
                    write_rows(results, g, part + i, y, end, to, left_over);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
#endif
        }
    }
}
