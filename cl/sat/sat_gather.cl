// Summed-area tables on tiles in two launches, for GPUs and images of so few tiles that each can add up what it needs of all
// others; the image is read twice. sat_totals sums the columns, the rows and all of each tile. With these, a group of sat_gather
// finds what lies above each column of its tile and left of each row, and adds up its tile as sat_tiled does.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/sat.clh"
#include "lib/sat_tile.clh"
#include "lib/sat_tiles.clh"
#include "lib/sat_others.clh"

// lines: a value for each row and channel of a tile.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sat_totals(__global const SRC *restrict src, __global SUM *restrict columns,
                __global SUM *restrict rows, __global SUM *restrict totals, const Geometry g,
                __local SUM *restrict chunks, __local SUM *restrict runs,
                __local SUM *restrict stacks, __local SUM *restrict lines) {
    const Tile tile = tile_of(g, get_group_id(0));
    const Place place = place_in(g, tile, get_global_id(2));
    SUM v[ROWS * CHUNK];
    read_rows(v, src, g, place, false);
    write_sums_and_totals(v, columns, rows, totals, tile, place, chunks, runs, stacks, lines);
}

// chunks also holds a value for each value of each item's columns; runs and starts hold one for each item.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sat_gather(__global const SRC *restrict src, __global SUM *restrict dst,
                __global const SUM *restrict columns, __global const SUM *restrict rows,
                __global const SUM *restrict totals, const Geometry g,
                __local SUM *restrict chunks, __local SUM *restrict runs,
                __local SUM *restrict starts, __local SUM *restrict stacks) {
    // In the other order than sat_totals took the tiles: the last ones are in the cache still.
    const Tile tile = tile_of(g, (int)get_num_groups(0) - 1 - (int)get_group_id(0));
    const Place place = place_in(g, tile, get_global_id(2));
    SUM v[ROWS * CHUNK], above[CHUNK], left[CHANNELS];
    read_rows(v, src, g, place, false);
    sum_others(above, left, columns, rows, totals, tile, place, chunks, runs, starts);
    write_tile(v, above, left, dst, g, place, chunks, runs, starts, stacks);
}
