// Correlation by tiles, after AMD's tiled convolution: a group makes a tile of TILE_X values x
// TILE_Y rows, an item ITEM_X values of ITEM_Y rows. The host sorts the groups into four classes,
// once per group: free or checked on read, free or checked on write. Free groups read raw pixels
// through the cache; checked ones from a tile in local memory that the border has extended. Where
// the taps are separable, each item filters the rows that it needs along x itself, which for few
// taps costs less than to share them.
//
// PART: a launch of all groups, or one of those that are free on read, which takes no local memory, and one of the
// others, one after the other in rows of groups.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"

#define ALL_GROUPS 0
#define FREE_GROUPS 1
#define OTHER_GROUPS 2

#if !defined(SEPARABLE) || !defined(BUCKET) || !defined(ALIGNED) || !defined(EXACT) ||             \
    !defined(BY_VALUE) || !defined(PART)
#error SEPARABLE, BUCKET, ALIGNED, EXACT, BY_VALUE or PART is not defined
#endif
#if !defined(GROUP_X) || !defined(GROUP_Y) || !defined(ITEM_X) || !defined(ITEM_Y)
#error GROUP_X, GROUP_Y, ITEM_X or ITEM_Y is not defined
#endif

#define TILE_X (GROUP_X * ITEM_X)
#define TILE_Y (GROUP_Y * ITEM_Y)
#define PIXEL_STEP CHANNELS // for correlate_tiled_rows.clh

// Taps are stored with BUCKET as the stride: separable, those along x and then those along y; else
// rows. If EXACT, there is a second body for exactly BUCKET x BUCKET taps anchored in the middle:
// its loops are unrolled and its taps come by value where the device takes as many, so that an fma
// reads its tap directly, and nothing stands between the loads of a row and those of the next.
typedef struct Taps {
    float k[SEPARABLE ? 2 * BUCKET : BUCKET * BUCKET];
} Taps;

// Reads `size` values from from[begin] on, none of them beyond from[last]. from is `shift` values
// past an aligned address: whole vectors are read and shifted by selection.
#define READ_FREE_ALIGNED(window, size, from, begin, last, shift)                                  \
    do {                                                                                           \
        float raw_[((size) + 6) / 4 * 4];                                                          \
        UNROLL for (int v_ = 0; v_ < ((size) + 6) / 4; ++v_) {                                     \
            const int vector_ = min((begin) / 4 + v_, ((last) + (shift)) / 4);                     \
            const float4 four_ = LOAD4((from) - (shift) + 4 * vector_);                            \
            raw_[4 * v_] = four_.s0;                                                               \
            raw_[4 * v_ + 1] = four_.s1;                                                           \
            raw_[4 * v_ + 2] = four_.s2;                                                           \
            raw_[4 * v_ + 3] = four_.s3;                                                           \
        }                                                                                          \
        UNROLL for (int i_ = 0; i_ < (size) + 2; ++i_)                                             \
            raw_[i_] = (shift) & 1 ? raw_[i_ + 1] : raw_[i_];                                      \
        UNROLL for (int i_ = 0; i_ < (size); ++i_)                                                 \
            (window)[i_] = (shift) & 2 ? raw_[i_ + 2] : raw_[i_];                                  \
    } while (0)

#define READ_FREE_UNALIGNED(window, size, from, begin, last, shift)                                \
    UNROLL for (int i_ = 0; i_ < (size); ++i_)                                                     \
        (window)[i_] = LOAD((from) + min((begin) + i_, last))

#define READ_TILE(window, size, from, begin, last, shift)                                          \
    UNROLL for (int i_ = 0; i_ < (size); ++i_)                                                     \
        (window)[i_] = (from)[min((begin) + i_, last)]

#if ALIGNED
#define READ_FREE READ_FREE_ALIGNED
#else
#define READ_FREE READ_FREE_UNALIGNED
#endif

#if PART == OTHER_GROUPS
// Returns the place of one of the groups that are not free, counted in rows, of which each has `columns` groups.
// Remainders are by multiplication: LLVM freezes the operands of a division and its remainder, which Oclgrind cannot.
INLINE int2 place_of_other(const TileClasses classes, int columns, int index) {
    const int free_columns = classes.free_right - classes.free_left;
    const int free_rows = classes.free_bottom - classes.free_top;
    const int above = columns * classes.free_top;
    const int beside = (columns - free_columns) * free_rows;
    const bool is_beside = index >= above && index < above + beside;
    // Rows from here on have `across` groups.
    const int first_row = index < above ? 0 : is_beside ? classes.free_top : classes.free_bottom;
    const int across = is_beside ? columns - free_columns : columns;
    const int from = index < above ? 0 : is_beside ? above : above + beside;
    const int rows = (index - from) / across;
    const int column = index - from - rows * across;
    return (int2)(is_beside && column >= classes.free_left ? column + free_columns : column,
                  first_row + rows);
}
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void correlate_tiled(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                     const TileClasses classes,
#if BY_VALUE
                     const Taps taps_by_value,
#endif
                     __constant float *restrict taps
#if PART == OTHER_GROUPS
                     ,
                     const int columns
#endif
#if PART != FREE_GROUPS
                     ,
                     __local float *restrict tile
#endif
) {
    const int item_x = get_local_id(0);
    const int item_y = get_local_id(1);
#if PART == FREE_GROUPS
    const int column = classes.free_left + get_group_id(0);
    const int row = classes.free_top + get_group_id(1);
    const int batch = get_group_id(2);
    const bool free_read = true;
#elif PART == OTHER_GROUPS
    const int2 place = place_of_other(classes, columns, get_group_id(0));
    const int column = place.x;
    const int row = place.y;
    const int batch = get_group_id(2);
    const bool free_read = false;
#else
    const int column = get_group_id(0);
    const int row = get_group_id(1);
    const int batch = get_group_id(2);
    const bool free_read = column >= classes.free_left && column < classes.free_right &&
                           row >= classes.free_top && row < classes.free_bottom;
#endif
    const bool free_write = column < classes.whole_columns && row < classes.whole_rows;
    const bool exact =
        EXACT && g.taps_x == BUCKET && g.taps_y == BUCKET && g.anchor_x == BUCKET / 2;

    const int left = column * TILE_X;
    const int top = row * TILE_Y;
#if PART != FREE_GROUPS
    const int tile_width = TILE_X + (g.taps_x - 1) * CHANNELS;
    const int tile_rows = TILE_Y + g.taps_y - 1;
#endif
    __global const SRC *origin = src + src_start(g, batch);

#if PART != FREE_GROUPS
    if (!free_read) {
        for (int y = item_y; y < tile_rows; y += GROUP_Y) {
            const int from = fold_row(g, top + y - g.anchor_y);
            for (int x = item_x; x < tile_width; x += GROUP_X)
                tile[y * tile_width + x] =
                    read_extended(origin, g, from, left + x - g.anchor_x * CHANNELS);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

    float sum[ITEM_Y][ITEM_X];
    UNROLL for (int o = 0; o < ITEM_Y; ++o)
        UNROLL for (int v = 0; v < ITEM_X; ++v)
            sum[o][v] = 0.0f;
    // The first value that the item's first tap needs in its first row.
    __global const SRC *from_source =
        origin + (long)(top + item_y * ITEM_Y - g.anchor_y) * g.src_row +
        (left + item_x * ITEM_X - g.anchor_x * CHANNELS);
#if PART != FREE_GROUPS
    __local const float *from_tile = tile + item_y * ITEM_Y * tile_width + item_x * ITEM_X;
#endif

    // Once for each way to read.
    if (free_read && exact) {
#if EXACT && PART != OTHER_GROUPS
#define UNROLLED 1
#define READ READ_FREE
#define FROM(y) (from_source + (y)*g.src_row)
#include "lib/correlate_tiled_rows.clh"
#endif
    } else if (free_read) {
#if PART != OTHER_GROUPS
#define UNROLLED 0
#define READ READ_FREE
#define FROM(y) (from_source + (y)*g.src_row)
#include "lib/correlate_tiled_rows.clh"
#endif
    } else {
#if PART != FREE_GROUPS
#define UNROLLED 0
#define READ READ_TILE
#define FROM(y) (from_tile + (y)*tile_width)
#include "lib/correlate_tiled_rows.clh"
#endif
    }

    const int x = left + item_x * ITEM_X;
    const int y = top + item_y * ITEM_Y;
    __global DST *to = dst + dst_start(g, batch) + y * g.dst_row + x;
    UNROLL for (int o = 0; o < ITEM_Y; ++o) {
        if (free_write) {
#if ALIGNED
            UNROLL for (int v = 0; v < ITEM_X; v += 4)
                STORE4((float4)(sum[o][v], sum[o][v + 1], sum[o][v + 2], sum[o][v + 3]),
                       to + o * g.dst_row + v);
#else
            UNROLL for (int v = 0; v < ITEM_X; ++v)
                STORE(sum[o][v], to + o * g.dst_row + v);
#endif
        } else if (y + o < g.height) {
            UNROLL for (int v = 0; v < ITEM_X; ++v)
                if (x + v < g.width)
                    STORE(sum[o][v], to + o * g.dst_row + v);
        }
    }
}
