// Summed-area tables of floats in one pass, for large images on GPUs whose groups all go on. A
// group marches down a strip of the image. Of each tile it sums the columns, from the image's first
// row on, and publishes what these sums add up to along each row: the total. The table left of a
// row is the sum of the totals of all strips before. Of the strips of a team, TEAM side by side,
// the last publishes that sum too, so that a group waits for its fellows before it and for one sum
// of the team before. Meanwhile it goes on to the next tile. Strips are given out by tickets: a group
// waits for groups of lower tickets alone, which have started before it; this ends only where a
// device lets all groups that have started go on. Whatever they wait for, sums are made in one
// order.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/sat.clh"
#include "lib/sat_tile.clh"
#include "lib/shared_words.clh"
#include "lib/sat_strips.clh"

#if CHANNELS != 1
#error one channel
#endif

// Makes v sums of the tile, of all rows above but of the tile's columns alone. An item for each row
// adds up what its chunks come to: this total it publishes in `line`, a word for each row, and
// returns; other items return `total` as it was. top: the sums of the columns above the tile, which
// become those above the next.
INLINE SUM sum_tile(SUM *v, float4 *top, const Place place, __local SUM *chunks,
                           __local float4 *stacks, volatile __global uint *line, SUM total) {
    const int item = place.item, lane = place.lane, stack = place.stack;
    UNROLL for (int r = 1; r < ROWS; ++r)
        UNROLL for (int i = 0; i < CHUNK; ++i)
            v[AT(r, i)] += v[AT(r - 1, i)];
    stacks[stack * LANES + lane] = (float4)(v[AT(ROWS - 1, 0)], v[AT(ROWS - 1, 1)],
                                            v[AT(ROWS - 1, 2)], v[AT(ROWS - 1, 3)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 before = *top;
    UNROLL for (int s = 0; s < STACKED; ++s) {
        before = s == stack ? *top : before;
        *top += stacks[s * LANES + lane];
    }
    const SUM above[CHUNK] = {before.s0, before.s1, before.s2, before.s3};
    UNROLL for (int r = 0; r < ROWS; ++r) {
        UNROLL for (int i = 0; i < CHUNK; ++i)
            v[AT(r, i)] += above[i];
        UNROLL for (int i = 1; i < CHUNK; ++i)
            v[AT(r, i)] += v[AT(r, i - 1)];
        chunks[(stack * ROWS + r) * CHUNK_PITCH + lane] = v[AT(r, CHUNK - 1)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < TILE_Y) {
        SUM sum = 0;
        UNROLL for (int k = 0; k < LANES; ++k) {
            const SUM chunk = chunks[item * CHUNK_PITCH + k];
            chunks[item * CHUNK_PITCH + k] = sum;
            sum += chunk;
        }
        total = sum;
        PUBLISH_LINE(line + item, total);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (int r = 0; r < ROWS; ++r) {
        const SUM left = chunks[(stack * ROWS + r) * CHUNK_PITCH + lane];
        UNROLL for (int i = 0; i < CHUNK; ++i)
            v[AT(r, i)] += left;
    }
    return total;
}

// strips, pitch: see Strips. lefts: a value for each row of a tile.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sat_march(__global const SRC *restrict src, __global SUM *restrict dst,
               volatile __global uint *shared, const Geometry g, const int strips, const int pitch,
               __local SUM *chunks, __local SUM *lefts, __local float4 *stacks) {
    __local int given;
    const int item = get_local_id(0);
    if (item == 0)
        given = (int)atomic_inc(shared);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int bands = (SUMMED_ROWS(g) + TILE_Y - 1) / TILE_Y;
    int strip;
    Place place = place_in_strip(g, item, given, strips, &strip);
    const int stack = place.stack, batch = place.batch;
    const Strips all = {(int)get_num_groups(0) / strips, strips, strips / TEAM, pitch};
    volatile __global uint *totals = shared + strip_start(all, batch, strip);
    // The item of a row waits for the sum of the team before, and for the fellows before.
    const int team = strip / TEAM;
    const int fellow = strip & (TEAM - 1);
    volatile __global uint *sums = shared + team_start(all, batch, team) + item;
    const int before = team_start(all, batch, max(team - 1, 0)) + item;
    const int fellows = strip_start(all, batch, team * TEAM) + item;
#define WORD(k) ((k) == 0 ? before : fellows + ((k) - 1) * pitch)
#define IS_WANTED(k) (item < TILE_Y && ((k) == 0 ? team > 0 : (k) <= fellow))

    // The tile that waits, the one after it, whose totals are published, and the next one.
    float4 top = 0.0f;
    SUM v[VALUES], w[VALUES], next[VALUES], total_after = 0;
    place.y = stack * ROWS;
    read_rows(v, src, g, place, false);
    place.y += TILE_Y;
    read_rows(next, src, g, place, false);
    SUM total = sum_tile(v, &top, place, chunks, stacks, totals, 0);
    for (int band = 0; band < bands; ++band) {
        // Before other reads, which it would wait for too.
        uint words[TEAM];
        UNROLL for (int k = 0; k < TEAM; ++k)
            words[k] = IS_WANTED(k) ? POLL(shared + WORD(k) + band * TILE_Y) : ZERO;
        UNROLL for (int i = 0; i < VALUES; ++i)
            w[i] = next[i];
        place.y = (band + 2) * TILE_Y + stack * ROWS;
        read_rows(next, src, g, place, false);
        total_after = sum_tile(w, &top, place, chunks, stacks, totals + (band + 1) * TILE_Y,
                               total_after);

        if (item < TILE_Y) {
            SUM left = 0;
            UNROLL for (int k = 0; k < TEAM; ++k) {
                while (words[k] == UNKNOWN)
                    words[k] = POLL(shared + WORD(k) + band * TILE_Y);
                left += KNOWN(words[k]);
            }
            if (fellow == TEAM - 1)
                PUBLISH_LINE(sums + band * TILE_Y, left + total);
            lefts[item] = left;
            total = total_after;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL for (int r = 0; r < ROWS; ++r) {
            const SUM left = lefts[stack * ROWS + r];
            UNROLL for (int i = 0; i < CHUNK; ++i)
                v[AT(r, i)] += left;
        }
        place.y = band * TILE_Y + stack * ROWS;
        write_table(v, dst, g, place);
        UNROLL for (int i = 0; i < VALUES; ++i)
            v[i] = w[i];
    }
}
