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

#if !defined(GROUP) || !defined(STEP) || !defined(VECTORS)
#error GROUP, STEP or VECTORS is not defined
#endif
#if !defined(WINDOW_X) || !defined(WINDOW_Y) || !defined(ANCHOR_X) || !defined(STREAMS)
#error WINDOW_X, WINDOW_Y, ANCHOR_X or STREAMS is not defined
#endif

// The bits of the pixel of NEUTRAL.
#if KEY_KIND == 2
#define NEUTRAL_BITS (IS_MAXIMUM ? 0xff800000u : 0x7fffffffu)
#elif KEY_KIND == 1
#define NEUTRAL_BITS (IS_MAXIMUM ? 0xfc00u : 0x7fffu)
#elif SRC_TYPE == PIXEL_S16
#define NEUTRAL_BITS (IS_MAXIMUM ? 0x8000u : 0x7fffu)
#elif SRC_TYPE == PIXEL_U16
#define NEUTRAL_BITS (IS_MAXIMUM ? 0u : 0xffffu)
#else
#define NEUTRAL_BITS (IS_MAXIMUM ? 0u : 0xffu)
#endif

// An item's values of a row, in four words of keys. COLUMNS of them: four, or eight where a word has two keys,
// which are bytes in the high bytes of its halves: first values 1 and 3, then 0 and 2, 5 and 7, 4 and 6.
#if KEY_KIND == 2
#define COLUMNS 4
#define ROWS STEP
#else
#define COLUMNS 8
#define ROWS (STEP / 2) // words of a column along x: the keys of rows i and i + ROWS
#endif
typedef struct Words {
    T of[4];
} Words;

static inline Words further_words(Words a, Words b) {
    UNROLL for (int i = 0; i < 4; ++i)
        a.of[i] = FURTHER(a.of[i], b.of[i]);
    return a;
}

// Pixels' words as memory has them, to keys.
#define RAW_WORDS (COLUMNS / PER_WORD)
static inline Words words_of(const uint *raw) {
    Words result;
#if KEY_KIND == 2
    UNROLL for (int i = 0; i < 4; ++i)
        result.of[i] = KEY_OF_WORD(raw[i]);
#elif PER_WORD == 4
    UNROLL for (int i = 0; i < 2; ++i) {
        result.of[2 * i] = raw[i];
        result.of[2 * i + 1] = raw[i] << 8;
    }
#else
    UNROLL for (int i = 0; i < 4; ++i)
        result.of[i] = KEYS_OF_WORD(raw[i]);
#endif
    return result;
}

// How an item comes to its values of a row: all are pixels side by side; or each has a place of its own, which is in
// local memory; or each is the one of bits `fixed`.
typedef struct Reader {
    __global const SRC *column; // of row 0, where pixels are side by side; otherwise the row's pixel 0
    bool is_whole, is_fixed;
    uint fixed, outside;
    int valid_left;
    __local int *places; // OUTSIDE where the border's constant stands
} Reader;

// Adds a pixel to a row's words.
static inline void add_bits(uint *raw, int i, uint bits) {
    if (i % PER_WORD == 0)
        raw[i / PER_WORD] = bits;
    else
        raw[i / PER_WORD] |= bits << (i % PER_WORD * (32 / PER_WORD));
}

static inline void read_whole(__global const SRC *from, uint *raw) {
#if VECTORS && PER_WORD == 4
    const uint2 all = *(__global const uint2 *)from;
    raw[0] = all.s0;
    raw[1] = all.s1;
#elif VECTORS
    const uint4 all = *(__global const uint4 *)from;
    raw[0] = all.s0;
    raw[1] = all.s1;
    raw[2] = all.s2;
    raw[3] = all.s3;
#else
    UNROLL for (int i = 0; i < COLUMNS; ++i)
        add_bits(raw, i, RAW_BITS(from + i));
#endif
}

// Without branches, so that many reads are under way at a time.
static inline void read_places(__global const SRC *from, const Reader r, uint *raw) {
    UNROLL for (int i = 0; i < COLUMNS; ++i) {
        const int place = r.places[i * GROUP];
        const uint bits = RAW_BITS(from + max(place, r.valid_left));
        add_bits(raw, i, place == OUTSIDE ? r.outside : bits);
    }
}

// Words of STEP rows from row y on, as memory has them. All calls are inlined, so that the words stay in registers.
INLINE void read_rows(const Reader r, const Geometry g, int y,
                                                            uint (*raw)[RAW_WORDS]) {
    const bool is_inside = y >= g.valid_top && y + STEP <= g.valid_bottom;
    __global const SRC *from = r.column + y * g.src_row;
    if (r.is_fixed) {
        UNROLL for (int i = 0; i < COLUMNS * STEP; ++i)
            add_bits(raw[i / COLUMNS], i % COLUMNS, r.fixed);
    } else if (is_inside && r.is_whole) {
        UNROLL for (int i = 0; i < STEP; ++i)
            read_whole(from + i * g.src_row, raw[i]);
    } else if (is_inside) {
        UNROLL for (int i = 0; i < STEP; ++i)
            read_places(from + i * g.src_row, r, raw[i]);
    } else {
        uint rows[STEP][RAW_WORDS];
        _Pragma("unroll 1") for (int i = 0; i < STEP; ++i) {
            const int row = fold_row(g, y + i);
            if (row == OUTSIDE) {
                UNROLL for (int k = 0; k < COLUMNS; ++k)
                    add_bits(rows[i], k, r.outside);
            } else if (r.is_whole) {
                read_whole(r.column + row * g.src_row, rows[i]);
            } else {
                read_places(r.column + row * g.src_row, r, rows[i]);
            }
        }
        UNROLL for (int i = 0; i < STEP; ++i)
            UNROLL for (int k = 0; k < RAW_WORDS; ++k)
                raw[i][k] = rows[i][k];
    }
}

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

#define POWER_OF(window)                                                                           \
    ((window) >= 16 ? 16 : (window) >= 8 ? 8 : (window) >= 4 ? 4 : (window) >= 2 ? 2 : 1)

// Along x: pixels of a strip lie by channel, in blocks of COLUMNS. Where windows are of one column, values are all
// alike.
#define LEFT ANCHOR_X
#define RIGHT (WINDOW_X - 1 - ANCHOR_X)
#define HAS_ALONG (WINDOW_X > 1)
#if HAS_ALONG
#define PLANES CHANNELS
#else
#define PLANES 1
#endif
#define LANES (GROUP / PLANES) // blocks of a channel
#define BLOCKS_LEFT ((LEFT + COLUMNS - 1) / COLUMNS)
#define BLOCKS_RIGHT ((RIGHT + COLUMNS - 1) / COLUMNS)
// Whole blocks that the windows of all of a block's columns see, relative to their own: from FIRST_WHOLE, and MANY.
#define CEIL_DIV(a) (((a) + 4096 * COLUMNS + COLUMNS - 1) / COLUMNS - 4096)
#define FIRST_WHOLE CEIL_DIV(COLUMNS - 1 - LEFT)
#define END_WHOLE ((RIGHT + 1) / COLUMNS)
#define MANY (END_WHOLE - FIRST_WHOLE)
#define IS_SHORT (MANY <= 0) // windows by doubling
#define HAS_FOURS (MANY > 4) // extremes of four blocks each

// Local memory: a column's words of a row are LANES + 1 apart from the next column's.
#define PITCH (LANES + 1)
#define ROW_WORDS (PLANES * COLUMNS * PITCH)
#define COLUMN_AT(i, plane, column) ((i) * ROW_WORDS + ((plane) * COLUMNS + (column)) * PITCH)
// Key `d` from the first of the item's own block.
#define KEY_AT(i, d)                                                                               \
    along[COLUMN_AT(i, plane, ((d) + 4096 * COLUMNS) % COLUMNS) + lane +                           \
          ((d) + 4096 * COLUMNS) / COLUMNS - 4096]

// Words of a step's rows by column: keys of rows i and i + ROWS in one.
static inline void columns_of(const Words *rows, int i, T *columns) {
#if KEY_KIND == 2
    UNROLL for (int c = 0; c < 4; ++c)
        columns[c] = rows[i].of[c];
#elif PER_WORD == 4
    UNROLL for (int c = 0; c < 2; ++c) {
        columns[4 * c] = select_bytes(rows[i].of[2 * c + 1], rows[i + ROWS].of[2 * c + 1], 0x5511u);
        columns[4 * c + 1] = select_bytes(rows[i].of[2 * c], rows[i + ROWS].of[2 * c], 0x5511u);
        columns[4 * c + 2] =
            select_bytes(rows[i].of[2 * c + 1], rows[i + ROWS].of[2 * c + 1], 0x7733u);
        columns[4 * c + 3] = select_bytes(rows[i].of[2 * c], rows[i + ROWS].of[2 * c], 0x7733u);
    }
#else
    UNROLL for (int c = 0; c < 4; ++c) {
        columns[2 * c] = select_bytes(rows[i].of[c], rows[i + ROWS].of[c], 0x5410u);
        columns[2 * c + 1] = select_bytes(rows[i].of[c], rows[i + ROWS].of[c], 0x7632u);
    }
#endif
}

// The bits of one result of a column's word: of row i, or of row i + ROWS.
static inline uint result_bits(T word, int half_) {
#if KEY_KIND == 2
#if WINDOW_X == 1 && WINDOW_Y == 1 && defined(__NV_CL_C_VERSION)
    word = MORE(word, word); // NaN of the bits that comparisons make
#endif
    return as_uint(NUMBER_OF(word));
#elif PER_WORD == 4
    return word >> (8 + 16 * half_) & 255u;
#else
    return WORD_OF_KEYS(word) >> 16 * half_ & 65535u;
#endif
}

#if STREAMS && defined(__NV_CL_C_VERSION) // what is written need not stay in the cache
#define STORE_WORD2(a, b, to)                                                                      \
    asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};" : : "l"(to), "r"(a), "r"(b) : "memory")
#define STORE_WORD4(a, b, c, d, to)                                                                \
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"                                     \
                 :                                                                                 \
                 : "l"(to), "r"(a), "r"(b), "r"(c), "r"(d)                                         \
                 : "memory")
#else
#define STORE_WORD2(a, b, to) (*(__global uint2 *)(to) = (uint2)(a, b))
#define STORE_WORD4(a, b, c, d, to) (*(__global uint4 *)(to) = (uint4)(a, b, c, d))
#endif

// Writes a row of results, apart by PLANES values, of which so many lie within the region.
static inline void write_row(const T *columns, int half_, __global DST *to, int left_over) {
#if VECTORS && SRC_TYPE == DST_TYPE && PLANES == 1
    if (left_over >= COLUMNS) {
#if KEY_KIND == 2
        STORE_WORD4(result_bits(columns[0], 0), result_bits(columns[1], 0),
                    result_bits(columns[2], 0), result_bits(columns[3], 0), to);
#else
        uint words[4];
#if PER_WORD == 4
        const uint which = half_ ? 0x73u : 0x51u;
        UNROLL for (int i = 0; i < 2; ++i)
            words[i] = select_bytes(select_bytes(columns[4 * i], columns[4 * i + 1], which),
                                    select_bytes(columns[4 * i + 2], columns[4 * i + 3], which),
                                    0x5410u);
        STORE_WORD2(words[0], words[1], to);
#else
        const uint which = half_ ? 0x7632u : 0x5410u;
        UNROLL for (int i = 0; i < 4; ++i)
            words[i] = WORD_OF_KEYS(select_bytes(columns[2 * i], columns[2 * i + 1], which));
        STORE_WORD4(words[0], words[1], words[2], words[3], to);
#endif
#endif
        return;
    }
#endif
    UNROLL for (int c = 0; c < COLUMNS; ++c)
        if (c < left_over)
            STORE(number_of_bits(result_bits(columns[c], half_)), to + c * PLANES);
}

// Extremes of n rows, or keys, become those of 2 n from the same place on. One call after another, with constants:
// not all compilers unroll a loop whose counter is multiplied.
#if CARRIES
INLINE void double_rows(Words *rows, int n) {
    UNROLL for (int i = 0; i < STEP + APRON_Y; ++i)
        if (i + n < STEP + APRON_Y)
            rows[i] = further_words(rows[i], rows[i + n]);
}
#endif
#if HAS_ALONG && IS_SHORT
INLINE void double_keys(T *keys, int n) {
    UNROLL for (int k = 0; k < COLUMNS + WINDOW_X - 1; ++k)
        if (k + n < COLUMNS + WINDOW_X - 1)
            keys[k] = FURTHER(keys[k], keys[k + n]);
}
#endif

// strip: pixels that a group writes of a row. band: rows that it writes, in whole steps.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void extreme_march(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                   const int strip, const int band, __local int *places,
                   __local T *along, __local T *ring) {
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
    const int valid_left = g.valid_left * CHANNELS;
    const int valid_right = g.valid_right * CHANNELS;
    Reader reader;
    reader.column = src + src_start(g, batch);
    reader.is_whole = first >= valid_left && first + COLUMNS <= valid_right;
    // Where the border is clamped, windows that reach beyond it see the pixel that it repeats anyway.
    const bool is_constant = g.border_mode == BORDER_CONSTANT;
    const bool is_apart = first >= valid_right || first + COLUMNS <= valid_left;
    reader.is_fixed = is_apart && (is_constant || g.border_mode == BORDER_CLAMP);
    reader.outside = bits_of(g.border_value);
    reader.fixed = is_constant ? reader.outside : NEUTRAL_BITS;
    reader.places = places + item;
    if (reader.is_whole)
        reader.column += first;
    else
        for (int i = 0; i < COLUMNS; ++i)
            reader.places[i * GROUP] = fold_value(g, first + i);
    reader.valid_left = valid_left;

    // It writes as many results, from this pixel on.
    const int pixel = left + (lane - BLOCKS_LEFT) * COLUMNS;
    const bool writes = plane < PLANES && lane >= BLOCKS_LEFT && lane < LANES - BLOCKS_RIGHT &&
                        pixel < min(left + strip, width);
    __global DST *to = dst + dst_start(g, batch) + (long)pixel * PLANES + plane;
#if HAS_ALONG && PLANES > 1
    // Without remainders beside quotients, of which Clang 14 makes what Oclgrind does not know.
    int to_column[COLUMNS]; // places in local memory of the values that it reads
    UNROLL for (int c = 0; c < COLUMNS; ++c) {
        const uint value = (uint)item * COLUMNS + c;
        const uint own = value / PLANES;
        to_column[c] = own >= LANES * COLUMNS ? -1
                                              : COLUMN_AT(0, (int)abs_diff(value, own * PLANES),
                                                          (int)(own % COLUMNS)) +
                                                    (int)(own / COLUMNS);
    }
#endif
#if HAS_ALONG && !IS_SHORT
    __local T *blocks = along + ROWS * ROW_WORDS; // extremes of whole blocks
    __local T *fours = blocks + ROWS * GROUP;     // and of four of them
#endif
    const int above = -g.anchor_y; // where the window of row 0 begins
#if CARRIES
    uint carried[STEP][RAW_WORDS]; // the last APRON_Y of these
    read_rows(reader, g, top + above + APRON_Y - STEP, carried);
#else
    __local T *rests = ring + BLOCKS * 4 * GROUP;
    int at = 0, rest_at = 0; // which block comes next
    for (int y = top - STEP * ENTER_FIRST; y < top; y += STEP) {
        uint raw[STEP][RAW_WORDS];
        read_rows(reader, g, y + above + APRON_Y, raw);
        Words block = words_of(raw[0]), rest = block;
        UNROLL for (int i = 1; i < STEP; ++i) {
            const Words row = words_of(raw[i]);
            block = further_words(block, row);
            rest = i <= STEP - REMAINDER ? row : further_words(rest, row);
        }
        UNROLL for (int c = 0; c < 4; ++c) {
#if BLOCKS > 0
            ring[(at * 4 + c) * GROUP + item] = block.of[c];
#endif
#if REMAINDER > 0
            rests[(rest_at * 4 + c) * GROUP + item] = rest.of[c];
#endif
        }
        at = at >= BLOCKS - 1 ? 0 : at + 1;
        rest_at = rest_at == BLOCKS ? 0 : rest_at + 1;
    }
    uint leaving_raw[STEP][RAW_WORDS];
    read_rows(reader, g, top + above, leaving_raw);
#endif
    uint entering_raw[STEP][RAW_WORDS];
    read_rows(reader, g, top + above + APRON_Y, entering_raw);

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
            if (WINDOW_Y >= 2)
                double_rows(rows, 1);
            if (WINDOW_Y >= 4)
                double_rows(rows, 2);
            if (WINDOW_Y >= 8)
                double_rows(rows, 4);
            UNROLL for (int i = 0; i < STEP; ++i)
                found[i] = POWER_OF(WINDOW_Y) == WINDOW_Y
                               ? rows[i]
                               : further_words(rows[i], rows[i + WINDOW_Y - POWER_OF(WINDOW_Y)]);
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
                rest = further_words(rest, entering[i]);
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
            leaving[i] = further_words(leaving[i], leaving[i + 1]);
        UNROLL for (int i = 1; i < STEP; ++i)
            entering[i] = further_words(entering[i], entering[i - 1]);
#if BLOCKS > 0
        UNROLL for (int c = 0; c < 4; ++c)
            ring[(at * 4 + c) * GROUP + item] = entering[STEP - 1].of[c];
        at = at >= BLOCKS - 1 ? 0 : at + 1;
#endif
        UNROLL for (int i = 0; i < STEP; ++i)
            found[i] = further_words(leaving[i], entering[i]);
#endif
        T columns[ROWS][COLUMNS];
        UNROLL for (int i = 0; i < ROWS; ++i)
            columns_of(found, i, columns[i]);
        // The next step's rows are on their way meanwhile.
        if (y + STEP < end) {
            read_rows(reader, g, y + STEP + above + APRON_Y, entering_raw);
#if !CARRIES
            read_rows(reader, g, y + STEP + above, leaving_raw);
#endif
        }
#if HAS_ALONG
        UNROLL for (int i = 0; i < ROWS; ++i) {
#if PLANES == 1
            UNROLL for (int c = 0; c < COLUMNS; ++c)
                along[COLUMN_AT(i, 0, c) + item] = columns[i][c];
#if !IS_SHORT
            T block = columns[i][0];
            UNROLL for (int c = 1; c < COLUMNS; ++c)
                block = FURTHER(block, columns[i][c]);
            blocks[i * GROUP + item] = block;
#endif
#else
            UNROLL for (int c = 0; c < COLUMNS; ++c)
                if (to_column[c] >= 0)
                    along[i * ROW_WORDS + to_column[c]] = columns[i][c];
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if !IS_SHORT && PLANES > 1
        if (plane < PLANES)
            UNROLL for (int i = 0; i < ROWS; ++i) {
                T block = KEY_AT(i, 0);
                UNROLL for (int c = 1; c < COLUMNS; ++c)
                    block = FURTHER(block, KEY_AT(i, c));
                blocks[i * GROUP + item] = block;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if !IS_SHORT && HAS_FOURS
        if (plane < PLANES)
            UNROLL for (int i = 0; i < ROWS; ++i) {
                T four = blocks[i * GROUP + item];
                UNROLL for (int k = 1; k < 4; ++k)
                    four = FURTHER(four, blocks[i * GROUP + item + min(k, LANES - 1 - lane)]);
                fours[i * GROUP + item] = four;
            }
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
#endif
        if (writes)
            UNROLL for (int i = 0; i < ROWS; ++i) {
                T results[COLUMNS];
#if !HAS_ALONG
                UNROLL for (int c = 0; c < COLUMNS; ++c)
                    results[c] = columns[i][c];
#elif IS_SHORT
                T keys[COLUMNS + WINDOW_X - 1];
                UNROLL for (int k = 0; k < COLUMNS + WINDOW_X - 1; ++k)
                    keys[k] = KEY_AT(i, k - LEFT);
                if (WINDOW_X >= 2)
                    double_keys(keys, 1);
                if (WINDOW_X >= 4)
                    double_keys(keys, 2);
                if (WINDOW_X >= 8)
                    double_keys(keys, 4);
                if (WINDOW_X >= 16)
                    double_keys(keys, 8);
                UNROLL for (int c = 0; c < COLUMNS; ++c)
                    results[c] = FURTHER(keys[c], keys[c + WINDOW_X - POWER_OF(WINDOW_X)]);
#else
                T all = NEUTRAL;
#if HAS_FOURS
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
                write_row(results, 0, to + (long)(y + i) * g.dst_row,
                          y + i < end ? width - pixel : 0);
#if KEY_KIND != 2
                write_row(results, 1, to + (long)(y + i + ROWS) * g.dst_row,
                          y + i + ROWS < end ? width - pixel : 0);
#endif
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
