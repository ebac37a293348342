// Ranks of small windows for GPUs, without local memory: an item reads the pixels of a tile of TILE_X x TILE_Y
// results, or of two such tiles side by side where two keys fit a word, and runs a network of minima and maxima
// over them in registers.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#define COMPARES_HALVES 1
#include "lib/rank_words.clh"

#if !defined(GROUP_X) || !defined(GROUP_Y) || !defined(TILE_X) || !defined(TILE_Y)
#error GROUP_X, GROUP_Y, TILE_X or TILE_Y is not defined
#endif
#if !defined(WINDOW_X) || !defined(WINDOW_Y) || !defined(ANCHOR_X) || !defined(VECTORS)
#error WINDOW_X, WINDOW_Y, ANCHOR_X or VECTORS is not defined
#endif

#define ROWS (TILE_Y + WINDOW_Y - 1)
#define RESULTS_X (TILE_X * RESULTS_OF_KEY)
// Pixels are read four at a time: LEAD before the first result, and WORDS words in all.
#define LEAD (ANCHOR_X > 0 ? (ANCHOR_X + 3) / 4 * 4 : 0)
#define BEHIND ((WINDOW_X - 1 - ANCHOR_X + 3) / 4 * 4)
#define PIXELS (LEAD + RESULTS_X + (BEHIND > 0 ? BEHIND : 0))
#define WORDS (PIXELS / PER_WORD)

// VECTORS: 0, or how many pixels of one channel are read and written at a time where they are a tile's own: rows
// start at multiples of so many. Pixels around these are read four at a time.

// The words of four pixels side by side.
INLINE void read_four(__global const SRC *from, uint *words) {
#if VECTORS
    read_words(from, 4 / PER_WORD, words);
#else
    UNROLL for (int i = 0; i < 4; ++i)
        add_bits(words, i, RAW_BITS(from + i * CHANNELS));
#endif
}

// The words of a row of pixels.
INLINE void read_row(__global const SRC *from, uint *words) {
    UNROLL for (int i = 0; i < PIXELS; i += 4) {
#if VECTORS
        if (i >= LEAD && i < LEAD + RESULTS_X) {
            if ((i - LEAD) % VECTORS == 0)
                read_words(from + i, VECTORS / PER_WORD, words + i / PER_WORD);
            continue;
        }
#endif
        read_four(from + i * CHANNELS, words + i / PER_WORD);
    }
}

// The words of a row of pixels that stand at these columns of memory. `outside` has the constant border's bits where
// bits of `masks` are not set.
INLINE void read_folded_words(__global const SRC *row, const int *columns, const uint *masks,
                              uint row_mask, uint outside, uint *words) {
    UNROLL for (int i = 0; i < PIXELS; ++i)
        add_bits(words, i, RAW_BITS(row + columns[i]));
    UNROLL for (int i = 0; i < WORDS; ++i) {
        const uint mask = masks[i] & row_mask;
        words[i] = (words[i] & mask) | (outside & ~mask);
    }
}

// The bits of result i of a tile's row.
#define RESULT_BITS(keys, i) BITS_OF((keys)[(i) % TILE_X], (i) / TILE_X)

// Writes a row of results, apart by CHANNELS values, of which so many lie within the region: all, where they
// are written as vectors.
INLINE void write_results(const T *keys, __global DST *to, bool is_whole, int left_over) {
#if VECTORS && SRC_TYPE == DST_TYPE
    if (is_whole) {
        uint words[RESULTS_X / PER_WORD];
        // Low halves are of the first tile, and high ones of the second.
        UNROLL for (int i = 0; i < RESULTS_X; i += PER_WORD)
            words[i / PER_WORD] = word_of(keys + i % TILE_X, i / TILE_X);
        UNROLL for (int i = 0; i < RESULTS_X; i += VECTORS)
            store_words(words + i / PER_WORD, VECTORS / PER_WORD, to + i);
        return;
    }
#endif
    UNROLL for (int i = 0; i < RESULTS_X; ++i)
        if (i < left_over)
            STORE_BITS(RESULT_BITS(keys, i), to + i * CHANNELS);
}

// Columns and rows of memory that a group's items read, from the first on.
#define GROUP_TILES ((GROUP_X + CHANNELS - 2) / CHANNELS + 1)
#define GROUP_COLUMNS (LEAD + GROUP_TILES * RESULTS_X + PIXELS - LEAD - RESULTS_X)
#define GROUP_ROWS (GROUP_Y * TILE_Y + WINDOW_Y - 1)

__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void rank_network(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                  const uint one, const uint minus_one, __local int *folded) {
    // A tile is of one channel.
    const int tile = (int)get_global_id(0) / CHANNELS;
    const int channel = (int)get_global_id(0) - tile * CHANNELS;
    const int x = tile * RESULTS_X;
    const int y = (int)get_global_id(1) * TILE_Y;
    const int batch = get_global_id(2);
    const int width = g.width / CHANNELS;
    const int top = y - g.anchor_y;
    // Where a group reaches beyond what may be read, its items share the columns and rows that stand there.
    const int group_left = (int)get_group_id(0) * GROUP_X / CHANNELS * RESULTS_X - LEAD;
    const int group_top = (int)get_group_id(1) * (GROUP_Y * TILE_Y) - g.anchor_y;
    __local int *const folded_rows = folded + GROUP_COLUMNS;
    if (group_left < g.valid_left || group_left + GROUP_COLUMNS > g.valid_right ||
        group_top < g.valid_top || group_top + GROUP_ROWS > g.valid_bottom) {
        const int item = (int)(get_local_id(1) * GROUP_X + get_local_id(0));
        _Pragma("unroll 1") for (int i = item; i < GROUP_COLUMNS + GROUP_ROWS;
                                 i += GROUP_X * GROUP_Y) {
            const bool is_row = i >= GROUP_COLUMNS;
            folded[i] = fold(is_row ? group_top + i - GROUP_COLUMNS : group_left + i,
                             is_row ? g.valid_top : g.valid_left,
                             is_row ? g.valid_bottom : g.valid_right, g.border_mode);
        }
#if !NEEDS_DETOURS // other groups wait for nothing; PoCL compiles a barrier of some groups for many minutes
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#else
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (x >= width || y >= g.height)
        return;
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *to = dst + dst_start(g, batch) + (long)x * CHANNELS + channel;
    const bool is_whole = x + RESULTS_X <= width && y + TILE_Y <= g.height;
    uint words[ROWS][WORDS];
    if (x - LEAD >= g.valid_left && x - LEAD + PIXELS <= g.valid_right && top >= g.valid_top &&
        top + ROWS <= g.valid_bottom) {
        __global const SRC *first = origin + top * g.src_row + (x - LEAD) * CHANNELS + channel;
        UNROLL for (int j = 0; j < ROWS; ++j) {
            read_row(first, words[j]);
            first += g.src_row;
        }
    } else {
        int columns[PIXELS];
        uint masks[WORDS], outside = 0;
        UNROLL for (int i = 0; i < PIXELS; ++i) {
            const int column = folded[x - LEAD - group_left + i];
            columns[i] = max(column, g.valid_left) * CHANNELS + channel;
            add_bits(masks, i, column == OUTSIDE ? 0 : 0xffffffffu >> (32 - 32 / PER_WORD));
        }
        UNROLL for (int i = 0; i < PER_WORD; ++i)
            add_bits(&outside, i, bits_of(g.border_value));
        UNROLL for (int j = 0; j < ROWS; ++j) {
            const int row = folded_rows[top - group_top + j];
            read_folded_words(origin + max(row, g.valid_top) * g.src_row, columns, masks,
                              row == OUTSIDE ? 0 : 0xffffffffu, outside, words[j]);
        }
    }
#if KEY_KIND != 2
    UNROLL for (int j = 0; j < ROWS; ++j)
        UNROLL for (int i = 0; i < WORDS; ++i)
            words[j][i] = KEYS_OF_WORD(words[j][i]);
#define AT(i, j) SHARE_OF(words[j], LEAD - ANCHOR_X + (i), LEAD - ANCHOR_X + (i) + TILE_X)
#else
#define AT(i, j) KEY_OF_WORD(words[j][LEAD - ANCHOR_X + (i)])
#endif
#if TILE_X == 2
#define RESULTS(j, a, b)                                                                           \
    {                                                                                              \
        const T keys[TILE_X] = {a, b};                                                             \
        STORE_ROW(j, keys)                                                                         \
    }
#elif TILE_X == 4
#define RESULTS(j, a, b, c, d)                                                                     \
    {                                                                                              \
        const T keys[TILE_X] = {a, b, c, d};                                                       \
        STORE_ROW(j, keys)                                                                         \
    }
#else
#define RESULTS(j, a, b, c, d, e, f, h, i)                                                         \
    {                                                                                              \
        const T keys[TILE_X] = {a, b, c, d, e, f, h, i};                                           \
        STORE_ROW(j, keys)                                                                         \
    }
#endif
#define STORE_ROW(j, keys)                                                                         \
    if (is_whole || y + (j) < g.height)                                                            \
        write_results(keys, to + (long)(y + (j)) * g.dst_row, is_whole, width - x);
#include "generated"
}
