// Ranks of boxes of middle size for GPUs: a group brings the keys that a tile of results needs to local memory, and
// each item runs a network of minima and maxima over those of its own results. Where two keys fit a word, its
// halves are of two tiles, one below the other. An item's results are of one channel; where there are several, a
// group's results are gathered in local memory too, so that values side by side are read and written together. The
// network of a box of DEPTH slices has the rows of one slice after those of another.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/volume.clh"
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
#ifndef CHANNEL_PITCH
#error CHANNEL_PITCH is not defined
#endif
#if !defined(MIRRORS) || !defined(DEPTH) || !defined(IS_FLAT) || !IS_FLAT && TILE_Y > 1
#error MIRRORS, DEPTH or IS_FLAT is not defined, or tiles of volumes have more than one row
#endif

// Pixels are read four at a time: LEAD before the first result of a row.
#define LEAD (ANCHOR_X > 0 ? (ANCHOR_X + 3) / 4 * 4 : 0)
#define BEHIND (WINDOW_X - 1 > ANCHOR_X ? (WINDOW_X - 1 - ANCHOR_X + 3) / 4 * 4 : 0)
#define TILES (GROUP_X / CHANNELS) // of a channel, side by side; items that are left over make no results
#define COLUMNS (LEAD + TILES * TILE_X + BEHIND)
#define QUADS (COLUMNS / 4)
#define WORDS (4 / PER_WORD) // of four values
#define HEIGHT (GROUP_Y * TILE_Y) // rows of results of a group, in each half of a word
#define ROWS (HEIGHT + WINDOW_Y - 1) // of a slice
#define ALL_ROWS (DEPTH * ROWS)

// Groups within the image have several reads of an item under way at a time, which few registers hold yet.
#define READS_AHEAD (VECTORS && IS_FLAT)
#define READ_WORDS (RESULTS_OF_KEY * CHANNELS * WORDS)
#define READS ((ALL_ROWS * QUADS + GROUP_X * GROUP_Y - 1) / (GROUP_X * GROUP_Y)) // of an item
#define MOST_AHEAD (READ_WORDS > 8 ? 2 : 32 / READ_WORDS)
#define AHEAD (READS < MOST_AHEAD ? READS : MOST_AHEAD)

// Local memory: columns of a channel that items read at a time lie side by side. Column i from the first that an item's
// windows cover is at PLACE(i) from the item's own.
#define PLANE (COLUMNS / TILE_X)
#define PITCH (CHANNELS * CHANNEL_PITCH)
#define COLUMN(i) ((i) % TILE_X * PLANE + (i) / TILE_X)
#define PLACE(i) COLUMN((i) + LEAD - ANCHOR_X)
// Where the network's row j starts.
#if IS_FLAT
#define LINE(j) ((j)*PITCH)
#else
#define LINE(j) (((j) / WINDOW_Y * ROWS + (j) % WINDOW_Y) * PITCH)
#endif

#if VECTORS
// The words of four pixels side by side.
INLINE void read_inside(__global const SRC *from, uint *words) {
    UNROLL for (int c = 0; c < CHANNELS; ++c)
        read_words(from + 4 * c, WORDS, words + c * WORDS);
}
#endif

// The words of four pixels of the row that fold_row gave, from column x on.
INLINE void read_four(__global const SRC *origin, const Geometry g, int folded_row, int x,
                      uint *words) {
#if VECTORS
    if (folded_row != OUTSIDE && x >= g.valid_left && x + 4 <= g.valid_right) {
        read_inside(origin + folded_row * g.src_row + x * CHANNELS, words);
        return;
    }
#endif
    UNROLL for (int i = 0; i < 4; ++i) {
        const int column = fold(x + i, g.valid_left, g.valid_right, g.border_mode);
        const bool is_outside = folded_row == OUTSIDE || column == OUTSIDE;
        __global const SRC *from =
            origin + (is_outside ? 0 : folded_row * g.src_row + column * CHANNELS);
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            add_bits(words, i * CHANNELS + c, bits_of(is_outside ? g.border_value : LOAD(from + c)));
    }
}

// Writes the keys of four pixels to their places in a row of local memory.
INLINE void write_keys(uint *words, __local T *to) {
#if KEY_KIND != 2
    UNROLL for (int k = 0; k < READ_WORDS; ++k)
        words[k] = KEYS_OF_WORD(words[k]);
#endif
    UNROLL for (int c = 0; c < CHANNELS; ++c)
        UNROLL for (int k = 0; k < 4; ++k)
#if KEY_KIND == 2
            to[c * CHANNEL_PITCH + COLUMN(k)] = KEY_OF_WORD(words[k * CHANNELS + c]);
#else
            to[c * CHANNEL_PITCH + COLUMN(k)] =
                SHARE_OF(words, k * CHANNELS + c, (4 + k) * CHANNELS + c);
#endif
}

// The results of a row that a network makes at a time.
#define MADE_X (MIRRORS ? TILE_X / 2 : TILE_X)

#if CHANNELS == 1
// Writes such results, of which so many lie within the region.
INLINE void write_results(const T *keys, int half_, __global DST *to, int left_over) {
#if VECTORS && SRC_TYPE == DST_TYPE
    if (left_over >= MADE_X) {
#if MADE_X < PER_WORD // two bytes
        *(__global ushort *)to =
            (ushort)permute_bytes(keys[0], keys[MADE_X - 1], half_ ? 0x62u : 0x40u);
#else
        uint words[MADE_X / PER_WORD];
        UNROLL for (int i = 0; i < MADE_X; i += PER_WORD)
            words[i / PER_WORD] = word_of(keys + i, half_);
        store_words(words, MADE_X / PER_WORD, to);
#endif
        return;
    }
#endif
    UNROLL for (int i = 0; i < MADE_X; ++i)
        if (i < left_over)
            STORE_BITS(BITS_OF(keys[i], half_), to + i);
}
#else
#if KEY_KIND == 2
typedef uint Bits;
#elif PER_WORD == 4
typedef uchar Bits;
#else
typedef ushort Bits;
#endif
#define VALUES (TILES * CHANNELS * TILE_X) // results of a group's row

// Writes four results, which local memory has by their bits, from this value of a row on.
INLINE void write_four(__local const Bits *bits, const Geometry g, __global DST *row, int value) {
#if VECTORS && SRC_TYPE == DST_TYPE
    if (value + 4 <= g.width) {
        uint words[WORDS];
        UNROLL for (int i = 0; i < WORDS; ++i)
            words[i] = ((__local const uint *)bits)[i];
        store_words(words, WORDS, row + value);
        return;
    }
#endif
    UNROLL for (int i = 0; i < 4; ++i)
        if (value + i < g.width)
            STORE_BITS(bits[i], row + value + i);
}
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void rank_tiled(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                const Volume v, const uint one, const uint minus_one, __local T *keys,
                __local uint *results) {
    const int item_x = get_local_id(0), item_y = get_local_id(1);
    const int left = (int)get_group_id(0) * TILES * TILE_X;
    const int top = (int)get_group_id(1) * HEIGHT * RESULTS_OF_KEY;
    const int batch = get_global_id(2);
#if IS_FLAT // windows are of the result's own slice
    __global const SRC *origin = src + src_start(g, batch);
#else
    const int own_slice = batch % g.slices;
    __global const SRC *volume = src + src_start(g, batch - own_slice);
#endif
    uint begin = item_y * GROUP_X + item_x;
#if READS_AHEAD
    const int above = top - g.anchor_y;
    if (left - LEAD >= g.valid_left && left - LEAD + COLUMNS <= g.valid_right &&
        above >= g.valid_top && above + (RESULTS_OF_KEY - 1) * HEIGHT + ROWS <= g.valid_bottom) {
        __global const SRC *first = origin + above * g.src_row + (left - LEAD) * CHANNELS;
        for (; begin < ALL_ROWS * QUADS; begin += AHEAD * GROUP_X * GROUP_Y) {
            uint words[AHEAD][READ_WORDS];
            UNROLL for (int k = 0; k < AHEAD; ++k) {
                const uint i = min(begin + k * GROUP_X * GROUP_Y, ALL_ROWS * QUADS - 1u);
                const uint row = i / QUADS;
                __global const SRC *from = first + (int)row * g.src_row +
                                           (int)abs_diff(i, row * QUADS) * (4 * CHANNELS);
                UNROLL for (int half_ = 0; half_ < RESULTS_OF_KEY; ++half_)
                    read_inside(from + half_ * HEIGHT * g.src_row,
                                words[k] + half_ * CHANNELS * WORDS);
            }
            UNROLL for (int k = 0; k < AHEAD; ++k) {
                const uint i = begin + k * GROUP_X * GROUP_Y;
                const uint row = i / QUADS;
                if (i < ALL_ROWS * QUADS)
                    write_keys(words[k],
                               keys + row * PITCH + 4 / TILE_X * (int)abs_diff(i, row * QUADS));
            }
        }
    }
#endif
    for (uint i = begin; i < ALL_ROWS * QUADS; i += GROUP_X * GROUP_Y) {
        const uint row = i / QUADS;
        const int four = abs_diff(i, row * QUADS); // no remainder, which Oclgrind does not know
#if IS_FLAT
        const int y = top - g.anchor_y + (int)row;
        const bool is_outside = false;
#else
        const uint z = row / ROWS;
        const int y = top - g.anchor_y + (int)abs_diff(row, z * ROWS);
        const int slice =
            fold(own_slice + (int)z - v.anchor_z, v.valid_front, v.valid_back, g.border_mode);
        const bool is_outside = slice == OUTSIDE;
        __global const SRC *origin = volume + (is_outside ? 0 : slice * g.src_slice);
#endif
        uint words[READ_WORDS];
        UNROLL for (int half_ = 0; half_ < RESULTS_OF_KEY; ++half_)
            read_four(origin, g, is_outside ? OUTSIDE : fold_row(g, y + half_ * HEIGHT),
                      left - LEAD + 4 * four, words + half_ * CHANNELS * WORDS);
        write_keys(words, keys + row * PITCH + 4 / TILE_X * four);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

#if CHANNELS == 1
    const int x = left + item_x * TILE_X;
    const int y = top + item_y * TILE_Y;
    if (x >= g.width)
        return;
    __local const T *own = keys + item_y * TILE_Y * PITCH + item_x;
    __global DST *to = dst + dst_start(g, batch) + x;
#else
    const int tile = item_x / CHANNELS;
    const int channel = (int)abs_diff(item_x, tile * CHANNELS);
    __local const T *own = keys + item_y * TILE_Y * PITCH + channel * CHANNEL_PITCH + tile;
    __local Bits *made = (__local Bits *)results + item_y * TILE_Y * VALUES +
                         tile * TILE_X * CHANNELS + channel;
#endif
#define AT(i, j) own[LINE(j) + PLACE(i)]
#if MIRRORS
#define EACH_HALF _Pragma("unroll 1") for (int is_right = 0; is_right < 2; ++is_right)
#define EACH_QUARTER _Pragma("unroll 1") for (int is_lower = 0; is_lower < 2; ++is_lower)
#define MIRRORED_PLACE(i) (is_right ? PLACE(TILE_X + WINDOW_X - 2 - (i)) : PLACE(i))
#define AT_OF_HALF(i, j) own[(j)*PITCH + MIRRORED_PLACE(i)]
#define AT_OF_QUARTER(i, j)                                                                        \
    own[(is_lower ? TILE_Y + WINDOW_Y - 2 - (j) : (j)) * PITCH + MIRRORED_PLACE(i)]
#define RESULTS(j, a, b)                                                                           \
    {                                                                                              \
        const T row[MADE_X] = {is_right ? b : a, is_right ? a : b};                                \
        STORE_ROW(is_lower ? TILE_Y - 1 - (j) : (j), is_right ? MADE_X : 0, row)                   \
    }
#elif TILE_X == 2
#define RESULTS(j, a, b)                                                                           \
    {                                                                                              \
        const T row[MADE_X] = {a, b};                                                              \
        STORE_ROW(j, 0, row)                                                                       \
    }
#else
#define RESULTS(j, a, b, c, d)                                                                     \
    {                                                                                              \
        const T row[MADE_X] = {a, b, c, d};                                                        \
        STORE_ROW(j, 0, row)                                                                       \
    }
#endif
#if CHANNELS == 1
#define STORE_ROW(j, first, row)                                                                   \
    UNROLL for (int half_ = 0; half_ < RESULTS_OF_KEY; ++half_)                                    \
        if (y + (j) + half_ * HEIGHT < g.height)                                                   \
            write_results(row, half_,                                                              \
                          to + (long)(y + (j) + half_ * HEIGHT) * g.dst_row + (first),             \
                          g.width - x - (first));
#else
#define STORE_ROW(j, first, row)                                                                   \
    UNROLL for (int half_ = 0; half_ < RESULTS_OF_KEY; ++half_)                                    \
        UNROLL for (int i = 0; i < MADE_X; ++i)                                                    \
            made[((j) + half_ * HEIGHT) * VALUES + ((first) + i) * CHANNELS] =                     \
                BITS_OF((row)[i], half_);
#endif
#if CHANNELS == 1
#include "generated"
#else
    if (tile < TILES) {
#include "generated"
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    __global DST *to = dst + dst_start(g, batch);
    for (uint i = item_y * GROUP_X + item_x; i < HEIGHT * RESULTS_OF_KEY * VALUES / 4;
         i += GROUP_X * GROUP_Y) {
        const uint row = i / (VALUES / 4);
        const int y = top + (int)row;
        if (y < g.height)
            write_four((__local const Bits *)results + 4 * i, g, to + (long)y * g.dst_row,
                       left * CHANNELS + 4 * (int)abs_diff(i, row * (VALUES / 4)));
    }
#endif
}
