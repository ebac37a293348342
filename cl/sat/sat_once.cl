// Summed-area tables on tiles in one launch, for GPUs whose groups all go on and images of so few tiles that each can add up what
// it needs of all others; the image is read once. A group writes what the columns, the rows and all of its tile sum up to, and
// raises the tile's flag; then it waits for the flags of all tiles above it and left of it, and adds up its tile as sat_gather
// does. Tiles are given out by tickets, row by row of tiles: a group waits for groups of lower tickets alone, which have started
// before it; this ends only where a device lets all groups that have started go on.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/sat.clh"
#include "lib/sat_tile.clh"
#include "lib/shared_words.clh"
#define SHARES_SUMS 1
#include "lib/sat_tiles.clh"
#include "lib/sat_others.clh"

// shared: `words` words: the ticket, and a flag for each tile of each slice. chunks also holds a value for each value of each
// item's columns; runs and starts hold one for each item; lines one for each row and channel of a tile.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sat_once(__global const SRC *restrict src, __global SUM *restrict dst, BETWEEN SUM *columns,
              BETWEEN SUM *rows, BETWEEN SUM *totals, volatile __global uint *shared,
              const int words, const Geometry g, __local SUM *chunks, __local SUM *runs,
              __local SUM *starts, __local SUM *stacks, __local SUM *lines) {
    __local int given, is_last;
    const int item = get_local_id(0);
    if (item == 0)
        given = (int)atomic_inc(shared);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int tiles = TILE_COLUMNS(g) * TILE_BANDS(g);
    const int batch = given / tiles;
    const int number = given - batch * tiles;
    const Tile tile = tile_of(g, number);
    const Place place = place_in(g, tile, batch);
    SUM v[ROWS * CHUNK], above[CHUNK], left[CHANNELS];
    read_rows(v, src, g, place, false);
    write_sums_and_totals(v, columns, rows, totals, tile, place, chunks, runs, stacks, lines);

    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    volatile __global uint *flags = shared + 1 + batch * tiles;
    if (item == 0) {
        FENCE();
        atomic_xchg(flags + number, 1);
    }
    const int wide = tile.column + 1;
    for (int i = item; i + 1 < wide * (tile.band + 1); i += GROUP) {
        const int band = i / wide;
        while (POLL(flags + band * tile.columns + (i - band * wide)) != 1)
            ;
    }
    FENCE();
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    count_group(shared, words, &is_last);
    sum_others(above, left, columns, rows, totals, tile, place, chunks, runs, starts);
    write_tile(v, above, left, dst, g, place, chunks, runs, starts, stacks);
    clear_if_last(shared, words, &is_last);
}
