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

#define TILE_COLUMNS(g) ((SUMMED_VALUES(g) + TILE_X - 1) / TILE_X)
#define TILE_BANDS(g) ((SUMMED_ROWS(g) + TILE_Y - 1) / TILE_Y)

// A tile among the `columns` x `bands` of a slice.
typedef struct Tile {
    int columns, bands;
    int column, band;
} Tile;

static inline Tile tile_of(const Geometry g, int number) {
    Tile tile;
    tile.columns = TILE_COLUMNS(g);
    tile.bands = TILE_BANDS(g);
    tile.band = number / tile.columns;
    tile.column = number - tile.band * tile.columns;
    return tile;
}

// The place of an item whose group has this tile.
static inline Place place_in(const Geometry g, const Tile tile) {
    Place place;
    place.item = get_local_id(0);
    place.lane = place.item & (LANES - 1);
    place.stack = place.item / LANES;
    place.batch = get_global_id(2);
    place.width = SUMMED_VALUES(g);
    place.height = SUMMED_ROWS(g);
    place.x = tile.column * TILE_X + place.lane * CHUNK;
    place.y = tile.band * TILE_Y + place.stack * ROWS;
    return place;
}

// Between the launches, sums of columns have a row for each band, which ends with the last tile;
// sums of rows have, for each column of tiles, a line for each channel, which ends with the last
// tile.
#define COLUMNS_PITCH(tile_columns) ((tile_columns) * TILE_X)
#define ROWS_PITCH(bands) ((bands) * TILE_Y)

// Where the sums of a tile's columns are.
static inline long columns_start(const Tile tile, int batch) {
    return ((long)batch * tile.bands + tile.band) * COLUMNS_PITCH(tile.columns) +
           tile.column * TILE_X;
}

// Where the sums of a channel of its rows are.
static inline long rows_start(const Tile tile, int batch, int channel) {
    return (((long)batch * tile.columns + tile.column) * CHANNELS + channel) *
               ROWS_PITCH(tile.bands) +
           tile.band * TILE_Y;
}

// chunks: a value for each chunk of each row; runs: one for each run of these; stacks: one for each
// value of each item's columns.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sat_sums(__global const SRC *restrict src, __global SUM *restrict columns,
              __global SUM *restrict rows, const Geometry g, __local SUM *restrict chunks,
              __local SUM *restrict runs, __local SUM *restrict stacks) {
    const Tile tile = tile_of(g, get_group_id(0));
    const Place place = place_in(g, tile);
    const int item = place.item, lane = place.lane, stack = place.stack, batch = place.batch;
    SUM v[ROWS * CHUNK];
    read_rows(v, src, g, place);

    UNROLL for (int i = 0; i < CHUNK; ++i) {
        SUM sum = v[i];
        UNROLL for (int r = 1; r < ROWS; ++r)
            sum += v[AT(r, i)];
        stacks[stack * TILE_X + COLUMN(lane, i)] = sum;
    }
    UNROLL for (int channel = 0; channel < CHANNELS; ++channel) {
        UNROLL for (int r = 0; r < ROWS; ++r) {
            SUM sum = 0;
            UNROLL for (int i = channel; i < CHUNK; i += CHANNELS)
                sum += v[AT(r, i)];
            chunks[(stack * ROWS + r) * CHUNK_PITCH + lane] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int row = item / RUNS;
        const int run = item & (RUNS - 1);
        SUM sum = 0;
        UNROLL for (int k = 0; k < RUN; ++k)
            sum += chunks[row * CHUNK_PITCH + run * RUN + k];
        runs[item] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (run == 0) {
            for (int k = 1; k < RUNS; ++k)
                sum += runs[item + k];
            rows[rows_start(tile, batch, channel) + row] = sum;
        }
    }
    for (int i = item; i < TILE_X; i += GROUP) {
        SUM sum = stacks[i];
        for (int s = 1; s < STACKED; ++s)
            sum += stacks[s * TILE_X + i];
        columns[columns_start(tile, batch) + i] = sum;
    }
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

// starts: what lies left of each run.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sat_tiled(__global const SRC *restrict src, __global SUM *restrict dst,
               __global const SUM *restrict columns, __global const SUM *restrict rows,
               const Geometry g, __local SUM *restrict chunks, __local SUM *restrict runs,
               __local SUM *restrict starts, __local SUM *restrict stacks) {
    // In the other order than sat_sums took the tiles: the last ones are in the cache still.
    const Tile tile = tile_of(g, (int)get_num_groups(0) - 1 - (int)get_group_id(0));
    const Place place = place_in(g, tile);
    const int item = place.item, lane = place.lane, stack = place.stack, batch = place.batch;
    const int row = item / RUNS;
    const int run = item & (RUNS - 1);
    SUM v[ROWS * CHUNK];
    read_rows(v, src, g, place);
    SUM above[CHUNK], left[CHANNELS];
    UNROLL for (int i = 0; i < CHUNK; ++i)
        above[i] = columns[columns_start(tile, batch) + COLUMN(lane, i)];
    UNROLL for (int c = 0; c < CHANNELS; ++c)
        left[c] = rows[rows_start(tile, batch, c) + row];

    UNROLL for (int r = 1; r < ROWS; ++r)
        UNROLL for (int i = 0; i < CHUNK; ++i)
            v[AT(r, i)] += v[AT(r - 1, i)];
    UNROLL for (int i = 0; i < CHUNK; ++i)
        stacks[stack * TILE_X + COLUMN(lane, i)] = v[AT(ROWS - 1, i)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 0; s < stack; ++s)
        UNROLL for (int i = 0; i < CHUNK; ++i)
            above[i] += stacks[s * TILE_X + COLUMN(lane, i)];
    UNROLL for (int r = 0; r < ROWS; ++r)
        UNROLL for (int i = 0; i < CHUNK; ++i)
            v[AT(r, i)] += above[i];

    UNROLL for (int r = 0; r < ROWS; ++r)
        UNROLL for (int i = CHANNELS; i < CHUNK; ++i)
            v[AT(r, i)] += v[AT(r, i - CHANNELS)];
    UNROLL for (int c = 0; c < CHANNELS; ++c) {
        UNROLL for (int r = 0; r < ROWS; ++r)
            chunks[(stack * ROWS + r) * CHUNK_PITCH + lane] = v[AT(r, CHUNK - CHANNELS + c)];
        barrier(CLK_LOCAL_MEM_FENCE);
        SUM sum = 0;
        UNROLL for (int k = 0; k < RUN; ++k) {
            const int at = row * CHUNK_PITCH + run * RUN + k;
            const SUM chunk = chunks[at];
            chunks[at] = sum;
            sum += chunk;
        }
        runs[item] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        SUM start = left[c];
        for (int k = row * RUNS; k < item; ++k)
            start += runs[k];
        starts[item] = start;
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL for (int r = 0; r < ROWS; ++r) {
            const int line = stack * ROWS + r;
            const SUM before = starts[line * RUNS + lane / RUN] + chunks[line * CHUNK_PITCH + lane];
            UNROLL for (int i = c; i < CHUNK; i += CHANNELS)
                v[AT(r, i)] += before;
        }
        if (c + 1 < CHANNELS)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    write_table(v, dst, g, place);
}
