// Minima and maxima over footprints for CPUs. An item filters a strip of a band of rows alone. The
// rows that TILE_Y rows of results need are kept in a ring, where the border is made; of each row
// it has tables of the extremes of 2^k neighbours, by doubling, so that a run of the footprint is
// one or two reads, however long it is.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/host_compiler.clh"
#include "lib/rank_vectors.clh"
#include "lib/extreme_vectors.clh"
#include "lib/footprint.clh"
#include "lib/once.clh"

#if !defined(STRIP) || !defined(PITCH) || !defined(WINDOW_X) || !defined(WINDOW_Y)
#error STRIP, PITCH, WINDOW_X or WINDOW_Y is not defined
#endif
#if !defined(LEVELS) || !defined(TABLES) || !defined(TILE_Y) || !defined(BLOCK)
#error LEVELS, TABLES, TILE_Y or BLOCK is not defined
#endif

#define ROWS (TILE_Y + WINDOW_Y - 1)
#define IS_KEPT(level) (LEVELS >> (level)&1)
// Values that a table has fewer than a row.
#define FEWER_OF(level) (((1 << (level)) - 1) * CHANNELS)

// Clears what vectors read beyond a row's tables, of which the first have `count` values.
static inline void clear_ends(KEY *tables, int count) {
    for (int level = 0; LEVELS >> level; ++level)
        if (IS_KEPT(level)) {
            for (int i = max(count - FEWER_OF(level), 0); i < PITCH; ++i)
                tables[i] = 0;
            tables += PITCH;
        }
}

// Reads a row that fold_row gave, and makes its tables: those of levels that are not kept in
// `other`.
static inline void read_tables(__global const SRC *origin, const Geometry g, int folded_row,
                               int first, int count, KEY *tables, KEY *other) {
    KEY *from = IS_KEPT(0) ? tables : other;
    read_keys(origin, g, folded_row, first, count, from);
    tables += IS_KEPT(0) ? PITCH : 0;
    for (int level = 1; LEVELS >> level; ++level) {
        KEY *to = IS_KEPT(level) ? tables : other;
        const int step = CHANNELS << (level - 1);
        for (int x = 0; x < count - FEWER_OF(level); x += LANES)
            WRITE_KEYS(FURTHER(READ_KEYS(from + x), READ_KEYS(from + x + step)), to + x);
        tables += IS_KEPT(level) ? PITCH : 0;
        from = to;
    }
}

// Results of `vectors` vectors from x on, of a window whose first row is rows[0].
INLINE void write_results(KEY *const *rows, __global const FootprintRead *reads, int count, int x,
                          int vectors, int width, __global DST *to) {
    T found[BLOCK];
    UNROLL for (int k = 0; k < vectors; ++k)
        found[k] = READ_KEYS(rows[reads[0].row] + reads[0].at + x + k * LANES);
    for (int i = 1; i < count; ++i) {
        const KEY *from = rows[reads[i].row] + reads[i].at + x;
        UNROLL for (int k = 0; k < vectors; ++k)
            found[k] = FURTHER(found[k], READ_KEYS(from + k * LANES));
    }
    UNROLL for (int k = 0; k < vectors; ++k)
        stream_keys(found[k], width - x - k * LANES, to + x + k * LANES);
}

ONCE void extremes_of_strip(const int3 place, __global const SRC *restrict src,
                            __global DST *restrict dst, const Geometry g, const int band,
                            __global const FootprintRead *restrict reads, const int count) {
    const int left = place.x * STRIP;
    const int top = place.y * band;
    const int batch = place.z;
    const int width = min(STRIP, g.width - left);
    const int end = min(top + band, g.height);
    const int first = left - g.anchor_x * CHANNELS;
    const int columns = width + (WINDOW_X - 1) * CHANNELS;
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *to = dst + dst_start(g, batch) + left;
    KEY ring[ROWS * TABLES * PITCH], other[PITCH];
    KEY *rows[2 * ROWS]; // twice, so that those from any one on lie behind each other
    for (int j = 0; j < ROWS; ++j) {
        rows[j] = rows[ROWS + j] = ring + j * TABLES * PITCH;
        clear_ends(rows[j], columns);
    }
    for (int i = 0; i < PITCH; ++i)
        other[i] = 0;
    for (int j = 0; j < WINDOW_Y - 1; ++j)
        read_tables(origin, g, fold_row(g, top + j - g.anchor_y), first, columns, rows[j], other);
    KEY *const *from = rows; // the first row that the step reads
    for (int y = top; y < end; y += TILE_Y) {
        for (int j = WINDOW_Y - 1; j < ROWS; ++j)
            read_tables(origin, g, fold_row(g, y + j - g.anchor_y), first, columns, from[j], other);
        const int height = min(TILE_Y, end - y);
        __global const SRC *expected[TILE_Y]; // the rows that the next step reads
        for (int j = 0; j < TILE_Y; ++j)
            expected[j] = row_to_expect(origin, g, y + ROWS + j - g.anchor_y) + first;
        int x = 0;
        for (; x + BLOCK * LANES <= width; x += BLOCK * LANES)
            for (int j = 0; j < height; ++j) {
                for (int i = 0; i < BLOCK * LANES; i += 64 / (int)sizeof(SRC))
                    EXPECT(expected[j] + x + i);
                write_results(from + j, reads, count, x, BLOCK, width, to + (y + j) * g.dst_row);
            }
        for (; x < width; x += LANES)
            for (int j = 0; j < height; ++j)
                write_results(from + j, reads, count, x, 1, width, to + (y + j) * g.dst_row);
        from += TILE_Y;
        if (from >= rows + ROWS)
            from -= ROWS;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void footprint_strips(__global const SRC *restrict src, __global DST *restrict dst,
                      const Geometry g, const int band,
                      __global const FootprintRead *restrict reads, const int count) {
    extremes_of_strip(PLACE, src, dst, g, band, reads, count);
}
