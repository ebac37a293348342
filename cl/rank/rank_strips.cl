// Ranks of small windows for CPUs: a strip of a band of rows per item. The keys of the rows that TILE_Y rows of
// results need are kept in a ring, where the border is made; a network of minima and maxima selects the rank, for
// LANES results of each of these rows at a time.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/rank_vectors.clh"

#if !defined(STRIP) || !defined(WINDOW_X) || !defined(WINDOW_Y) || !defined(TILE_Y)
#error STRIP, WINDOW_X, WINDOW_Y or TILE_Y is not defined
#endif

#define ROWS (TILE_Y + WINDOW_Y - 1)
#define READ (STRIP + (WINDOW_X - 1) * CHANNELS) // values of a row

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void rank_strips(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                 const int band) {
    const int left = (int)get_global_id(0) * STRIP;
    const int top = (int)get_global_id(1) * band;
    const int batch = get_global_id(2);
    const int width = min(STRIP, g.width - left);
    const int end = min(top + band, g.height);
    const int first = left - g.anchor_x * CHANNELS;
    const int count = width + (WINDOW_X - 1) * CHANNELS;
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *to = dst + dst_start(g, batch) + left;
    KEY ring[ROWS][READ + LANES];
    KEY *rows[ROWS]; // from the first that the tile reads on
    for (int j = 0; j < ROWS; ++j)
        rows[j] = ring[j];
    // The last vectors of a row reach beyond what is read.
    for (int j = 0; j < ROWS; ++j)
        WRITE_KEYS((T)(0), ring[j] + count);
    for (int j = 0; j < WINDOW_Y - 1; ++j)
        read_keys(origin, g, fold_row(g, top + j - g.anchor_y), first, count, rows[j]);
    for (int y = top; y < end; y += TILE_Y) {
        for (int j = WINDOW_Y - 1; j < ROWS; ++j)
            read_keys(origin, g, fold_row(g, y + j - g.anchor_y), first, count, rows[j]);
        for (int x = 0; x < width; x += LANES) {
#define AT(i, j) READ_KEYS(rows[j] + x + (i)*CHANNELS)
#define RESULTS(j, keys)                                                                           \
    if (y + (j) < end)                                                                             \
        write_keys(keys, width - x, to + (long)(y + (j)) * g.dst_row + x);
#include "generated"
        }
        KEY *next[ROWS];
        for (int j = 0; j < ROWS; ++j)
            next[j] = rows[(j + TILE_Y) % ROWS];
        for (int j = 0; j < ROWS; ++j)
            rows[j] = next[j];
    }
}
