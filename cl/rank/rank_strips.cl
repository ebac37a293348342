// Ranks of small windows for CPUs: a strip of a band of rows per item. The keys of the rows that TILE_Y rows of
// results need are kept in a ring for each of the window's DEPTH slices, where the border is made; a network of
// minima and maxima selects the rank, for LANES results of each of these rows at a time.
#include "lib/geometry.clh"
#include "lib/volume.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/host_compiler.clh"
#include "lib/rank_vectors.clh"
#include "lib/once.clh"

#if !defined(STRIP) || !defined(WINDOW_X) || !defined(WINDOW_Y) || !defined(TILE_Y)
#error STRIP, WINDOW_X, WINDOW_Y or TILE_Y is not defined
#endif
#if !defined(DEPTH) || !defined(IS_FLAT) || !IS_FLAT && TILE_Y > 1
#error DEPTH or IS_FLAT is not defined, or tiles of volumes have more than one row
#endif

#define ROWS (TILE_Y + WINDOW_Y - 1) // of a slice
#define ALL_ROWS (DEPTH * ROWS)      // which the network numbers slice by slice
#define READ (STRIP + (WINDOW_X - 1) * CHANNELS) // values of a row

// The slices of a window: where each starts in the source, and whether it lies outside.
typedef struct Slices {
    __global const SRC *start[DEPTH];
    bool is_outside[DEPTH];
} Slices;

static inline Slices slices_of(__global const SRC *src, const Geometry g, const Volume v, int batch) {
    Slices result;
#if IS_FLAT // windows are of the result's own slice
    result.start[0] = src + src_start(g, batch);
    result.is_outside[0] = false;
#else
    const int own = batch % g.slices;
    for (int z = 0; z < DEPTH; ++z) {
        const int slice = fold(own + z - v.anchor_z, v.valid_front, v.valid_back, g.border_mode);
        result.is_outside[z] = slice == OUTSIDE;
        result.start[z] = src + src_start(g, batch - own) + (slice == OUTSIDE ? 0 : slice * g.src_slice);
    }
#endif
    return result;
}

ONCE void rank_strip(const int3 place, __global const SRC *restrict src, __global DST *restrict dst,
                     const Geometry g, const Volume v, const int band) {
    const int left = place.x * STRIP;
    const int top = place.y * band;
    const int batch = place.z;
    const int width = min(STRIP, g.width - left);
    const int end = min(top + band, g.height);
    const int first = left - g.anchor_x * CHANNELS;
    const int count = width + (WINDOW_X - 1) * CHANNELS;
    const Slices slices = slices_of(src, g, v, batch);
    __global DST *to = dst + dst_start(g, batch) + left;
    KEY ring[ALL_ROWS][READ + LANES];
    KEY *rows[ALL_ROWS]; // of each slice from the first that the tile reads on
    for (int j = 0; j < ALL_ROWS; ++j)
        rows[j] = ring[j];
    // The last vectors of a row reach beyond what is read.
    for (int j = 0; j < ALL_ROWS; ++j)
        WRITE_KEYS((T)(0), ring[j] + count);
    int read = 0; // rows of a slice that are there
    for (int y = top; y < end; y += TILE_Y) {
        for (int z = 0; z < DEPTH; ++z)
            for (int j = read; j < ROWS; ++j) {
                const int row = slices.is_outside[z] ? OUTSIDE : fold_row(g, y + j - g.anchor_y);
                read_keys(slices.start[z], g, row, first, count, rows[z * ROWS + j]);
            }
        read = WINDOW_Y - 1;
        __global const SRC *expected[DEPTH * TILE_Y]; // the rows that the next tile reads
        for (int z = 0; z < DEPTH; ++z)
            for (int j = 0; j < TILE_Y; ++j)
                expected[z * TILE_Y + j] =
                    row_to_expect(slices.start[z], g, y + ROWS + j - g.anchor_y) + first;
        for (int x = 0; x < width; x += LANES) {
            for (int j = 0; j < DEPTH * TILE_Y; ++j)
                EXPECT(expected[j] + x);
#define AT(i, j) READ_KEYS(rows[j] + x + (i)*CHANNELS)
#define RESULTS(j, keys)                                                                           \
    if (y + (j) < end)                                                                             \
        write_keys(keys, width - x, to + (long)(y + (j)) * g.dst_row + x);
#include "generated"
        }
        KEY *next[ALL_ROWS];
        for (int z = 0; z < ALL_ROWS; z += ROWS)
            for (int j = 0; j < ROWS; ++j)
                next[z + j] = rows[z + (j + TILE_Y) % ROWS];
        for (int j = 0; j < ALL_ROWS; ++j)
            rows[j] = next[j];
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void rank_strips(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                 const Volume v, const int band) {
    rank_strip(PLACE, src, dst, g, v, band);
}
