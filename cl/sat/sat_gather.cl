// Summed-area tables on tiles in two launches, for GPUs and images of so few tiles that each can add up what it needs of all
// others; the image is read twice. sat_totals sums the columns, the rows and all of each tile. With these, a group of sat_gather
// finds what lies above each column of its tile and left of each row, and adds up its tile as sat_tiled does.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/sat.clh"
#include "lib/sat_tile.clh"
#include "lib/sat_tiles.clh"

// Values that sums of all items of a group are made of.
#define PARTS (GROUP < 16 ? GROUP : 16)

// Totals lie as tiles do, band by band, in a slice and channel.
static inline long totals_start(const Tile tile, int batch, int channel) {
    return ((long)batch * CHANNELS + channel) * tile.bands * tile.columns;
}

// lines: a value for each row and channel of a tile.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sat_totals(__global const SRC *restrict src, __global SUM *restrict columns,
                __global SUM *restrict rows, __global SUM *restrict totals, const Geometry g,
                __local SUM *restrict chunks, __local SUM *restrict runs,
                __local SUM *restrict stacks, __local SUM *restrict lines) {
    const Tile tile = tile_of(g, get_group_id(0));
    write_sums(src, columns, rows, g, tile, chunks, runs, stacks, true, lines);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int channel = get_local_id(0);
    if (channel < CHANNELS) {
        SUM sum = 0;
        UNROLL for (int r = 0; r < TILE_Y; ++r)
            sum += lines[channel * TILE_Y + r];
        totals[totals_start(tile, get_global_id(2), channel) + get_group_id(0)] = sum;
    }
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
    const Place place = place_in(g, tile);
    const int item = place.item, lane = place.lane, stack = place.stack, batch = place.batch;
    SUM v[ROWS * CHUNK];
    read_rows(v, src, g, place, false);

    // The items of a stack take every STACKED-th of the bands above.
    SUM above[CHUNK], left[CHANNELS];
    UNROLL for (int i = 0; i < CHUNK; ++i)
        above[i] = 0;
    const int pitch = COLUMNS_PITCH(tile.columns);
    __global const SUM *band = columns + (long)batch * tile.bands * pitch + tile.column * TILE_X;
    for (int m = stack; m < tile.band; m += STACKED)
        UNROLL for (int i = 0; i < CHUNK; ++i)
            above[i] += band[m * pitch + COLUMN(lane, i)];
    UNROLL for (int i = 0; i < CHUNK; ++i)
        chunks[stack * TILE_X + COLUMN(lane, i)] = above[i];

    const int line = item & (TILE_Y - 1);
    UNROLL for (int c = 0; c < CHANNELS; ++c) {
        // The sum of a row of the tiles to the left, each of which RUNS items share, and that of all tiles above these.
        SUM beside = 0;
        const Tile first = {tile.columns, tile.bands, 0, tile.band};
        __global const SUM *row = rows + rows_start(first, batch, c) + line;
        for (int k = item / TILE_Y; k < tile.column; k += RUNS)
            beside += row[(long)k * (CHANNELS * ROWS_PITCH(tile.bands))];
        runs[item] = beside;
        SUM corner = 0;
        __global const SUM *total = totals + totals_start(tile, batch, c);
        for (int m = stack; m < tile.band; m += STACKED)
            for (int k = lane; k < tile.column; k += LANES)
                corner += total[m * tile.columns + k];
        starts[item] = corner;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < TILE_Y) {
            UNROLL for (int k = 1; k < RUNS; ++k)
                beside += runs[k * TILE_Y + item];
            runs[item] = beside;
        }
        if (item < PARTS) {
            UNROLL for (int k = 1; k < GROUP / PARTS; ++k)
                corner += starts[k * PARTS + item];
            starts[item] = corner;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        SUM sum = 0;
        UNROLL for (int k = 0; k < PARTS; ++k)
            sum += starts[k];
        for (int r = 0; r <= item / RUNS; ++r)
            sum += runs[r];
        left[c] = sum;
        if (c + 1 < CHANNELS)
            barrier(CLK_LOCAL_MEM_FENCE);
    }

    UNROLL for (int i = 0; i < CHUNK; ++i) {
        SUM sum = 0;
        UNROLL for (int s = 0; s < STACKED; ++s)
            sum += chunks[s * TILE_X + COLUMN(lane, i)];
        above[i] = sum;
    }
    write_tile(v, above, left, dst, g, place, chunks, runs, starts, stacks);
}
