// Any rank of large windows for CPUs: an item sorts the pixels that a tile of results needs, and slides the window
// over the tile. It keeps a place in the order and how many of the window's pixels are before it, which each step
// changes by those that leave and enter; the result is then found by walking along the order, 64 pixels at a time,
// most often a few of these. Pixels of one channel at a time.
#include "lib/geometry.clh"
#include "lib/window.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/rank_key.clh"
#include "lib/rank_order.clh"
#include "lib/once.clh"

#if !defined(TILE) || !defined(WINDOW_X) || !defined(WINDOW_Y) || !defined(IS_BOX)
#error TILE, WINDOW_X, WINDOW_Y or IS_BOX is not defined
#endif

// Columns and rows that a tile needs: at most 256, as a pixel's place is two bytes.
#define COLUMNS (TILE + WINDOW_X - 1)
#define ROWS (TILE + WINDOW_Y - 1)
#define BLOCK 64
#define EACH_BYTE 0x0101010101010101UL
#define MOST ((COLUMNS * ROWS + BLOCK - 1) / BLOCK * BLOCK)

// A pixel's number in the order, and its row and column of one byte each below.
#if ORDER_BITS == 32
#define PAIR ulong
#define DIGITS 4
#else
#define PAIR uint
#define DIGITS (ORDER_BITS / 8)
#endif
#define NUMBER_OF_PAIR(pair) ((uint)((pair) >> 16))
#define DIGIT(pair, digit) ((uint)((pair) >> (16 + 8 * (digit))) & 255u)

// A tile's pixels. Host code knows its size.
typedef struct Tile {
    __global PAIR *pairs[2];        // the first of them in order at last
    __global ushort *ranks;         // places in the order, column by column
    __global uchar *columns, *rows; // of pixels in order
} Tile;

#if IS_BOX
#define WINDOW_PARAMETERS
#define WINDOW_ARGUMENTS
#else
#define WINDOW_PARAMETERS                                                                          \
    , __global const WindowRun *window, const int runs, __global const uchar *inside
#define WINDOW_ARGUMENTS , window, runs, inside
#endif

// Where the walk is.
typedef struct Walk {
    int block;  // of the order
    int before; // the window's pixels that come before it
} Walk;

// Reads a tile of so many columns and rows, from a place of the source on, and counts digits.
static inline void read_tile(__global const SRC *origin, const Geometry g, int left, int channel,
                             int top, int columns, int rows, __global PAIR *to, uint *counts) {
    int at[COLUMNS];
    for (int i = 0; i < columns; ++i)
        at[i] = fold_value(g, (left + i) * CHANNELS + channel);
    const uint outside = order_of(g.border_value);
    for (int i = 0; i < DIGITS * 256; ++i)
        counts[i] = 0;
    for (int j = 0; j < rows; ++j) {
        const int row = fold_row(g, top + j);
        __global const SRC *from = origin + (row == OUTSIDE ? 0 : row * g.src_row);
        for (int i = 0; i < columns; ++i) {
            const bool is_outside = row == OUTSIDE || at[i] == OUTSIDE;
            const uint number = is_outside ? outside : ORDER_AT(from + at[i]);
            *to++ = (PAIR)number << 16 | (PAIR)(j << 8 | i);
            for (int digit = 0; digit < DIGITS; ++digit)
                ++counts[digit * 256 + (number >> 8 * digit & 255u)];
        }
    }
}

// Sorts by one digit after the other; pixels with the same number stay in order.
static inline void sort_tile(Tile *tile, int count, uint *counts) {
    for (int digit = 0; digit < DIGITS; ++digit) {
        uint *places = counts + digit * 256;
        __global const PAIR *from = tile->pairs[0];
        __global PAIR *to = tile->pairs[1];
        const bool is_last = digit == DIGITS - 1;
        if (!is_last && places[DIGIT(from[0], digit)] == (uint)count)
            continue;
        uint sum = 0;
        for (int i = 0; i < 256; ++i) {
            const uint own = places[i];
            places[i] = sum;
            sum += own;
        }
        if (is_last)
            for (int i = 0; i < count; ++i) {
                const PAIR pair = from[i];
                const uint rank = places[DIGIT(pair, digit)]++;
                const uint column = (uint)pair & 255u;
                const uint row = (uint)(pair >> 8) & 255u;
                to[rank] = pair;
                tile->columns[rank] = (uchar)column;
                tile->rows[rank] = (uchar)row;
                tile->ranks[column * ROWS + row] = (ushort)rank;
            }
        else
            for (int i = 0; i < count; ++i) {
                const PAIR pair = from[i];
                to[places[DIGIT(pair, digit)]++] = pair;
            }
        tile->pairs[1] = tile->pairs[0];
        tile->pairs[0] = to;
    }
}

// Whether pixel i in order lies in the window whose first pixel is at (x, y): for 16 of them, 1 or 0 in bytes of words.
// As a vector of bytes the mask would be extended from bits, which Oclgrind does wrongly.
#if IS_BOX
#define FLAGS_OF_16(i)                                                                             \
    (as_ulong2((vload16(0, columns + (i)) - (uchar16)((uchar)x) < (uchar16)(WINDOW_X)) &           \
               (vload16(0, rows + (i)) - (uchar16)((uchar)y) < (uchar16)(WINDOW_Y))) &             \
     (ulong2)(EACH_BYTE))
#else
static inline uchar is_inside(__global const uchar *inside, int column, int row) {
    return column >= 0 && column < WINDOW_X && row >= 0 && row < WINDOW_Y
               ? inside[row * WINDOW_X + column]
               : 0;
}
#define IS_INSIDE(i) is_inside(inside, columns[i] - x, rows[i] - y)
#endif

// The window's pixels of a block.
static inline int count_block(const Tile *tile, int block, int x, int y WINDOW_PARAMETERS) {
    __global const uchar *columns = tile->columns + block * BLOCK;
    __global const uchar *rows = tile->rows + block * BLOCK;
#if IS_BOX
    ulong2 sums = 0; // bytes of up to four
    for (int i = 0; i < BLOCK; i += 16)
        sums += FLAGS_OF_16(i);
    return (int)((sums.s0 + sums.s1) * EACH_BYTE >> 56);
#else
    int found = 0;
    for (int i = 0; i < BLOCK; ++i)
        found += IS_INSIDE(i);
    return found;
#endif
}

// The place in order of a block's pixel with so many of the window before it.
static inline int select_in_block(const Tile *tile, int block, int before, int x,
                                  int y WINDOW_PARAMETERS) {
    __global const uchar *columns = tile->columns + block * BLOCK;
    __global const uchar *rows = tile->rows + block * BLOCK;
#if IS_BOX
    ulong flags[BLOCK / 8]; // a byte each
    for (int i = 0; i < BLOCK / 16; ++i) {
        const ulong2 both = FLAGS_OF_16(16 * i);
        flags[2 * i] = both.s0;
        flags[2 * i + 1] = both.s1;
    }
    for (int i = 0;; ++i) {
#ifdef __ENDIAN_LITTLE__
        const ulong own = flags[i];
#else
        const ulong own = as_ulong(as_uchar8(flags[i]).s76543210);
#endif
        const ulong sums = own * EACH_BYTE; // those up to each byte
        const int all = (int)(sums >> 56);
        if (before < all) {
            // Bytes whose sum is not more than `before` keep their highest bit.
            const ulong kept = (before * EACH_BYTE | 128 * EACH_BYTE) - sums;
            return block * BLOCK + i * 8 + (int)popcount(kept & 128 * EACH_BYTE);
        }
        before -= all;
    }
#else
    for (int i = 0;; ++i) {
        before -= IS_INSIDE(i);
        if (before < 0)
            return block * BLOCK + i;
    }
#endif
}

// Goes to the block that has the pixel of the rank.
static inline Walk walk(const Tile *tile, Walk at, int rank, int x, int y WINDOW_PARAMETERS) {
    while (at.before > rank) {
        --at.block;
        at.before -= count_block(tile, at.block, x, y WINDOW_ARGUMENTS);
    }
    for (;;) {
        const int own = count_block(tile, at.block, x, y WINDOW_ARGUMENTS);
        if (at.before + own > rank)
            return at;
        at.before += own;
        ++at.block;
    }
}

// How many more pixels before the block the window has that comes to (x, y) from the left, or from above.
static inline int more_from_left(const Tile *tile, int block, int x, int y WINDOW_PARAMETERS) {
    const ushort limit = (ushort)(block * BLOCK);
#if IS_BOX
    __global const ushort *gone = tile->ranks + (x - 1) * ROWS + y;
    __global const ushort *come = gone + WINDOW_X * ROWS;
    short16 sums = 0;
    int j = 0;
    for (; j + 16 <= WINDOW_Y; j += 16)
        sums += (vload16(0, gone + j) < (ushort16)(limit)) -
                (vload16(0, come + j) < (ushort16)(limit));
    int more = 0;
    for (; j < WINDOW_Y; ++j)
        more += (come[j] < limit) - (gone[j] < limit);
#if WINDOW_Y >= 16
    const short8 eight = sums.lo + sums.hi;
    const short4 four = eight.lo + eight.hi;
    more += four.s0 + four.s1 + four.s2 + four.s3;
#endif
    return more;
#else
    int more = 0;
    for (int i = 0; i < runs; ++i) {
        __global const ushort *gone = tile->ranks + (x - 1 + window[i].x) * ROWS + y + window[i].y;
        more += (gone[window[i].count * ROWS] < limit) - (gone[0] < limit);
    }
    return more;
#endif
}
static inline int more_from_above(const Tile *tile, int block, int y WINDOW_PARAMETERS) {
    const ushort limit = (ushort)(block * BLOCK);
    __global const ushort *ranks = tile->ranks + y - 1;
    int more = 0;
#if IS_BOX
    for (int i = 0; i < WINDOW_X; ++i)
        more += (ranks[i * ROWS + WINDOW_Y] < limit) - (ranks[i * ROWS] < limit);
#else
    for (int i = 0; i < runs; ++i)
        for (int k = 0; k < window[i].count; ++k) {
            __global const ushort *at = ranks + (window[i].x + k) * ROWS + window[i].y;
            more += (at[1] < limit) - (at[0] < limit);
        }
#endif
    return more;
}

// window: from the window's first column and row on, in pixels; inside: 1 for each of its places that counts.
ONCE void rank_tiles(const long item, const long items, __global const SRC *restrict src,
                     __global DST *restrict dst, const Geometry g, __global uchar *workspace,
                     const long item_bytes, const long tiles, const int tiles_x, const int tiles_y,
                     const int rank WINDOW_PARAMETERS) {
    __global uchar *own = workspace + item * item_bytes;
    uint counts[DIGITS * 256];
    for (long i = item * tiles / items; i < (item + 1) * tiles / items; ++i) {
        const long line = i / tiles_x;
        const int left = (int)(i - line * tiles_x) * TILE;
        const long band = line / CHANNELS;
        const int channel = (int)(line - band * CHANNELS);
        const int batch = (int)(band / tiles_y);
        const int top = (int)(band - (long)batch * tiles_y) * TILE;
        const int width = min(TILE, g.width / CHANNELS - left);
        const int height = min(TILE, g.height - top);
        Tile tile;
        tile.pairs[0] = (__global PAIR *)own;
        tile.pairs[1] = tile.pairs[0] + MOST;
        tile.ranks = (__global ushort *)(tile.pairs[1] + MOST);
        tile.columns = (__global uchar *)(tile.ranks + MOST);
        tile.rows = tile.columns + MOST;
        const int count = (width + WINDOW_X - 1) * (height + WINDOW_Y - 1);
        read_tile(src + src_start(g, batch), g, left - g.anchor_x, channel, top - g.anchor_y,
                  width + WINDOW_X - 1, height + WINDOW_Y - 1, tile.pairs[0], counts);
        sort_tile(&tile, count, counts);
        // The last block has pixels that are none, after all that the walk looks for.
        for (int k = count; k < (count + BLOCK - 1) / BLOCK * BLOCK; ++k)
            tile.columns[k] = tile.rows[k] = 0;
        __global DST *to =
            dst + dst_start(g, batch) + top * g.dst_row + (long)left * CHANNELS + channel;
        Walk first = {0, 0};
        for (int y = 0; y < height; ++y, to += g.dst_row) {
            if (y > 0)
                first.before += more_from_above(&tile, first.block, y WINDOW_ARGUMENTS);
            first = walk(&tile, first, rank, 0, y WINDOW_ARGUMENTS);
            Walk at = first;
            for (int x = 0; x < width; ++x) {
                if (x > 0) {
                    at.before += more_from_left(&tile, at.block, x, y WINDOW_ARGUMENTS);
                    at = walk(&tile, at, rank, x, y WINDOW_ARGUMENTS);
                }
                const int found =
                    select_in_block(&tile, at.block, rank - at.before, x, y WINDOW_ARGUMENTS);
                store_order(NUMBER_OF_PAIR(tile.pairs[0][found]), to + x * CHANNELS);
            }
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void rank_slide(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                __global uchar *workspace, const long item_bytes, const long tiles,
                const int tiles_x, const int tiles_y, const int rank WINDOW_PARAMETERS) {
    rank_tiles(get_global_id(0), get_global_size(0), src, dst, g, workspace, item_bytes, tiles,
               tiles_x, tiles_y, rank WINDOW_ARGUMENTS);
}
