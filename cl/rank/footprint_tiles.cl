// Minima and maxima over footprints for GPUs. A group brings the keys that a tile of results needs
// of a slice into local memory, and makes a table there of the extremes of 2^k neighbours along x,
// for one k after the other, by doubling. A run of the footprint is one or two reads of the table
// that fits its length, however long it is. An item has several results below each other. Pixels of
// one channel at a time.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/volume.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/rank_words.clh"
#include "lib/extreme_words.clh"
#include "lib/footprint.clh"

#if !defined(GROUP_X) || !defined(GROUP_Y) || !defined(ITEM_Y)
#error GROUP_X, GROUP_Y or ITEM_Y is not defined
#endif
#if !defined(WINDOW_X) || !defined(WINDOW_Y) || !defined(IS_MAXIMUM)
#error WINDOW_X, WINDOW_Y or IS_MAXIMUM is not defined
#endif

#define FURTHER(a, b) FURTHER_OF(IS_MAXIMUM, a, b)

// Where a word has two keys, they are SPLIT rows apart: the lower half of a tile is in the high
// halves of words.
#define SPLIT (GROUP_Y * ITEM_Y)
#define TILE_Y (SPLIT * RESULTS_OF_KEY)
#define PITCH (GROUP_X + WINDOW_X - 1)
#define ROWS (SPLIT + WINDOW_Y - 1)
#define WORDS (PITCH * ROWS)
#define ITEMS (GROUP_X * GROUP_Y)
#define SHARE ((WORDS + ITEMS - 1) / ITEMS) // words of an item
#define ALL_ROWS (TILE_Y + WINDOW_Y - 1)    // of the source
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)

static inline uint read_bits(__global const SRC *origin, const Geometry g, int row, int column,
                             uint outside) {
    if (row == OUTSIDE || column == OUTSIDE)
        return outside;
    return RAW_BITS(origin + row * g.src_row + column);
}

// Brings a slice that fold() gave; rows and columns are those that fold_row and fold_value gave.
static inline void read_tile(__global const SRC *volume, const Geometry g, int folded_slice,
                             __local const int *columns, __local const int *rows, int item,
                             __local T *tile) {
    const uint outside = bits_of(g.border_value);
    __global const SRC *origin =
        volume + (folded_slice == OUTSIDE ? 0 : (long)folded_slice * g.src_slice);
    UNROLL for (int i = 0; i < SHARE; ++i) {
        const int at = i * ITEMS + item;
        if (at < WORDS) {
            const int row = at / PITCH;
            const int column = folded_slice == OUTSIDE ? OUTSIDE : columns[at - row * PITCH];
            uint word = read_bits(origin, g, rows[row], column, outside);
#if RESULTS_OF_KEY == 2
            word |= read_bits(origin, g, rows[row + SPLIT], column, outside) << 16;
            tile[at] = KEYS_OF_WORD(word);
#else
            tile[at] = KEY_OF_WORD(word);
#endif
        }
    }
    BARRIER;
}

// Makes the table of the next level, in place: `step` is the number of neighbours that each key is
// the extreme of.
static inline void double_tile(int step, int item, __local T *tile) {
    T keys[SHARE];
    UNROLL for (int i = 0; i < SHARE; ++i) {
        const int at = i * ITEMS + item;
        keys[i] = FURTHER(tile[min(at, WORDS - 1)], tile[min(at + step, WORDS - 1)]);
    }
    BARRIER;
    UNROLL for (int i = 0; i < SHARE; ++i)
        if (i * ITEMS + item < WORDS)
            tile[i * ITEMS + item] = keys[i];
    BARRIER;
}

// at: places in a table from a result's own on, in fours, of the parts one after the other.
__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void footprint_tiles(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                     const Volume v, __constant const FootprintPart *parts, const int count,
                     __constant const int4 *at, __local T *tile, __local int *folded) {
    const int item_x = get_local_id(0), item_y = get_local_id(1);
    const int item = item_y * GROUP_X + item_x;
    // A tile is of one channel.
    const int place = (int)get_group_id(0) / CHANNELS;
    const int channel = (int)get_group_id(0) - place * CHANNELS;
    const int left = place * GROUP_X;
    const int top = (int)get_group_id(1) * TILE_Y;
    const int batch = get_group_id(2);
    const int slice = g.slices == 1 ? 0 : batch % g.slices;
    __global const SRC *volume = src + src_start(g, batch - slice);
    __local int *rows = folded + PITCH;
    for (int i = item; i < PITCH; i += ITEMS)
        folded[i] = fold_value(g, (left + i - g.anchor_x) * CHANNELS + channel);
    for (int i = item; i < ALL_ROWS; i += ITEMS)
        rows[i] = fold_row(g, top + i - g.anchor_y);
    BARRIER;
    T keys[ITEM_Y];
    UNROLL for (int j = 0; j < ITEM_Y; ++j)
        keys[j] = NEUTRAL_OF(IS_MAXIMUM);
    __local const T *own = tile + item_y * ITEM_Y * PITCH + item_x;
    int fours = 0, z = -1, level = 0;
    for (int p = 0; p < count; ++p) {
        if (parts[p].slice != z) {
            z = parts[p].slice;
            level = 0;
            BARRIER; // others have read the slice before
            const int from =
                fold(slice + z - v.anchor_z, v.valid_front, v.valid_back, g.border_mode);
            read_tile(volume, g, from, folded, rows, item, tile);
        }
        for (; level < parts[p].level; ++level)
            double_tile(1 << level, item, tile);
        for (; fours < parts[p].end; ++fours) {
            const int4 four = at[fours];
            __local const T *from[4] = {own + four.s0, own + four.s1, own + four.s2, own + four.s3};
            UNROLL for (int i = 0; i < 4; ++i)
                UNROLL for (int j = 0; j < ITEM_Y; ++j)
                    keys[j] = FURTHER(keys[j], from[i][j * PITCH]);
        }
    }
    const int x = (left + item_x) * CHANNELS + channel;
    if (x >= g.width)
        return;
    __global DST *to = dst + dst_start(g, batch) + x;
    UNROLL for (int j = 0; j < ITEM_Y; ++j)
        UNROLL for (int half_ = 0; half_ < RESULTS_OF_KEY; ++half_) {
            const int y = top + item_y * ITEM_Y + j + half_ * SPLIT;
            if (y < g.height)
                STORE(number_of_bits(BITS_OF(keys[j], half_)), to + (long)y * g.dst_row);
        }
}
