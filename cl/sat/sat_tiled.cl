// Summed-area tables on tiles, for GPUs; the image is read twice. sat_sums sums the columns and the
// rows of each tile. sat_before makes of these what lies above each column and left of each row of
// a tile; sat_left sums the latter down the rows: the table's column left of the tile. With both,
// sat_tiled adds up each tile by itself: down its columns in registers, and along its rows by way
// of local memory.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/sat.clh"
#include "lib/sat_tile.clh"
#include "lib/sat_tiles.clh"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sat_sums(__global const SRC *restrict src, __global SUM *restrict columns,
              __global SUM *restrict rows, const Geometry g, __local SUM *restrict chunks,
              __local SUM *restrict runs, __local SUM *restrict stacks) {
    const Tile tile = tile_of(g, get_group_id(0));
    const Place place = place_in(g, tile, get_global_id(2));
    SUM v[ROWS * CHUNK];
    read_rows(v, src, g, place, false);
    write_sums(v, columns, rows, tile, place, chunks, runs, stacks, false, stacks);
}

// Lines that lie side by side, `count` long: in place of each value the sum of those before it.
// First those of columns, which are `column_groups` groups, and then those of rows.
#if !defined(BEFORE_LANES) || !defined(BEFORE_PARTS) || !defined(LEFT_RUN)
#error BEFORE_LANES, BEFORE_PARTS or LEFT_RUN is not defined
#endif
#define BEFORE_EACH 16 // values that an item has at a time
__kernel __attribute__((reqd_work_group_size(BEFORE_LANES, BEFORE_PARTS, 1)))
void sat_before(__global SUM *restrict columns, __global SUM *restrict rows, const Geometry g,
                const int column_groups, __local SUM *restrict parts) {
    const int lane = get_local_id(0);
    const int part = get_local_id(1);
    const int batch = get_global_id(2);
    const int tile_columns = TILE_COLUMNS(g);
    const int bands = TILE_BANDS(g);
    const int group = get_group_id(0);
    const bool is_column = group < column_groups;
    const int count = is_column ? bands : tile_columns;
    const int lines = is_column ? COLUMNS_PITCH(tile_columns) : CHANNELS * ROWS_PITCH(bands);
    const int line = (is_column ? group : group - column_groups) * BEFORE_LANES + lane;
    __global SUM *values = is_column ? columns : rows;
    values += (long)batch * count * lines + line;

    SUM carry = 0;
    for (int first = 0; first < count; first += BEFORE_PARTS * BEFORE_EACH) {
        const int begin = first + part * BEFORE_EACH;
        const int present = line < lines ? min(count - begin, BEFORE_EACH) : 0;
        SUM v[BEFORE_EACH];
        SUM sum = 0;
        UNROLL for (int k = 0; k < BEFORE_EACH; ++k)
            v[k] = k < present ? values[(long)(begin + k) * lines] : (SUM)0;
        UNROLL for (int k = 0; k < BEFORE_EACH; ++k)
            sum += v[k];
        parts[part * BEFORE_LANES + lane] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        SUM before = carry;
        for (int p = 0; p < BEFORE_PARTS; ++p) {
            if (p == part)
                before = carry;
            carry += parts[p * BEFORE_LANES + lane];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL for (int k = 0; k < BEFORE_EACH; ++k) {
            if (k < present)
                values[(long)(begin + k) * lines] = before;
            before += v[k];
        }
    }
}

// Lines one after the other, ROWS_PITCH(bands) long, a group each: in place of each value the sum
// of those up to it.
#define LEFT_EACH 16 // a divisor of TILE_Y
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sat_left(__global SUM *restrict rows, const Geometry g, __local SUM *restrict items,
              __local SUM *restrict runs) {
    const int item = get_local_id(0);
    const int run = item / LEFT_RUN;
    const Tile first_tile = {TILE_COLUMNS(g), TILE_BANDS(g), 0, 0};
    const int length = ROWS_PITCH(first_tile.bands);
    __global SUM *values = rows + rows_start(first_tile, get_global_id(2), get_group_id(0));

    SUM carry = 0;
    for (int first = 0; first < length; first += GROUP * LEFT_EACH) {
        const int begin = first + item * LEFT_EACH;
        __global SUM4 *fours = (__global SUM4 *)(values + begin);
        SUM v[LEFT_EACH];
        if (begin < length) {
            UNROLL for (int k = 0; k < LEFT_EACH / 4; ++k) {
                const SUM4 four = fours[k];
                v[4 * k] = four.s0;
                v[4 * k + 1] = four.s1;
                v[4 * k + 2] = four.s2;
                v[4 * k + 3] = four.s3;
            }
        } else {
            UNROLL for (int k = 0; k < LEFT_EACH; ++k)
                v[k] = 0;
        }
        UNROLL for (int k = 1; k < LEFT_EACH; ++k)
            v[k] += v[k - 1];
        const SUM sum = v[LEFT_EACH - 1];
        items[item] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < GROUP / LEFT_RUN) {
            SUM run_sum = 0;
            for (int k = 0; k < LEFT_RUN; ++k)
                run_sum += items[item * LEFT_RUN + k];
            runs[item] = run_sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        SUM before = carry;
        for (int k = 0; k < GROUP / LEFT_RUN; ++k) {
            if (k == run)
                before = carry;
            carry += runs[k];
        }
        for (int k = run * LEFT_RUN; k < item; ++k)
            before += items[k];
        if (begin < length)
            UNROLL for (int k = 0; k < LEFT_EACH / 4; ++k)
                fours[k] = (SUM4)(v[4 * k] + before, v[4 * k + 1] + before, v[4 * k + 2] + before,
                                  v[4 * k + 3] + before);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sat_tiled(__global const SRC *restrict src, __global SUM *restrict dst,
               __global const SUM *restrict columns, __global const SUM *restrict rows,
               const Geometry g, __local SUM *restrict chunks, __local SUM *restrict runs,
               __local SUM *restrict starts, __local SUM *restrict stacks) {
    // In the other order than sat_sums took the tiles: the last ones are in the cache still.
    const Tile tile = tile_of(g, (int)get_num_groups(0) - 1 - (int)get_group_id(0));
    const Place place = place_in(g, tile, get_global_id(2));
    SUM v[ROWS * CHUNK];
    read_rows(v, src, g, place, false);
    SUM above[CHUNK], left[CHANNELS];
    UNROLL for (int i = 0; i < CHUNK; ++i)
        above[i] = columns[columns_start(tile, place.batch) + COLUMN(place.lane, i)];
    UNROLL for (int c = 0; c < CHANNELS; ++c)
        left[c] = rows[rows_start(tile, place.batch, c) + place.item / RUNS];
    write_tile(v, above, left, dst, g, place, chunks, runs, starts, stacks);
}
