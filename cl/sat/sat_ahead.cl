// Summed-area tables of one or two channels of floats in one pass, for large images on GPUs whose groups all go on. A
// group marches down a strip of the image, and reads every tile twice. AHEAD tiles before it makes the
// table of it, it publishes what the tile's pixels add up to along each row, by channel: the totals. Then it reads the tile again,
// mostly from the cache. What lies left of a row is the sum of the totals of all strips before, and is added to the
// row's first pixel: groups seldom wait for it, as totals come so far ahead. Of the strips of a team, TEAM side by side,
// the last publishes what the team adds up to, so that a group asks for the totals of its fellows
// before it and for the sums of the teams before. Strips are given out by tickets: a group
// waits for groups of lower tickets alone, which have started before it; this ends only where a
// device lets all groups that have started go on. Whatever they wait for, sums are made in one
// order.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/last_use.clh"
#include "lib/sat.clh"
#include "lib/sat_tile.clh"
#include "lib/shared_words.clh"
#include "lib/sat_strips.clh"

#ifndef WORDS
#error WORDS is not defined
#endif
#if CHANNELS > 2 || CHANNELS * ROWS > LANES
#error one channel or two, and an item for each row of a tile and channel
#endif

#define AHEAD 4
#define AHEAD_OF_TEAM 2 // tiles before it is wanted, a team's sum is made

// PARTS items ask for the words of one row: each for at most WORDS of those that its strip waits for, and in a team's last
// strip for OF_PART totals of its team, of each channel.
#define PARTS (GROUP / TILE_Y)
#define OF_PART (TEAM / PARTS)
#define EACH_CHANNEL(c) UNROLL for (int c = 0; c < CHANNELS; ++c)

// Where a row's chunks of a channel begin.
#define CHUNK_OF(c, row) (((c)*TILE_Y + (row)) * CHUNK_PITCH)

// Returns the sum of the values of the items before this one, of LANES side by side. Each adds what another item has, 1, 2, 4 and
// so on places before it.
#if HAS_SHUFFLES
INLINE float sum_before(float value, int lane) {
    float sum = value;
    UNROLL for (int by = 1; by < LANES; by *= 2) {
        const float before = as_float(shuffle_up_among(as_uint(sum), by, LANES));
        sum = lane >= by ? sum + before : sum;
    }
    const float before = as_float(shuffle_up_among(as_uint(sum), 1, LANES));
    return lane == 0 ? 0.0f : before;
}
#else
// The same in local memory, for all of LANES values at once.
INLINE void sum_all_before(__local float *values) {
    float sum[LANES];
    for (int i = 0; i < LANES; ++i)
        sum[i] = values[i];
    for (int by = 1; by < LANES; by *= 2)
        for (int i = LANES - 1; i >= by; --i)
            sum[i] += sum[i - by];
    for (int i = 0; i < LANES; ++i)
        values[i] = i == 0 ? 0.0f : sum[i - 1];
}
#endif

// strips, pitch: see Strips. For each channel, chunks: CHUNK_PITCH for each row of a tile; lefts, team_sums: one for each
// item.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sat_ahead(__global const SRC *restrict src, __global SUM *restrict dst,
               volatile __global uint *shared, const Geometry g, const int strips, const int pitch,
               __local float4 *stacks, __local float *chunks, __local float *lefts,
               __local float *team_sums) {
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
    const int team = strip / TEAM;
    const int fellow = strip & (TEAM - 1);
    const bool is_last_fellow = fellow == TEAM - 1;

    // Whose words the item asks for, of row `row` of a tile.
    const int row = item & (TILE_Y - 1);
    const int part = (uint)item / TILE_Y;
    volatile __global uint *const fellows =
        shared + strip_start(all, batch, team * TEAM) + row;
    volatile __global uint *const teams = shared + team_start(all, batch, 0) + row;
    const int wanted = fellow + team;
#define OTHER(k) ((k)*PARTS + part)
#define WORD_OF(n)                                                                                 \
    ((n) < fellow ? fellows + (n) * CHANNELS * pitch : teams + ((n) - fellow) * CHANNELS * pitch)
#define TOTAL_OF_TEAM(k) (fellows + OTHER(k) * CHANNELS * pitch)
    volatile __global uint *const totals = shared + strip_start(all, batch, strip);
    volatile __global uint *const sums = shared + team_start(all, batch, team);

    // The sums of the columns above the tile; the tile that becomes a part of the table, and the one whose totals come next.
    float4 above = 0.0f;
    SUM v[VALUES], next[VALUES];
    UNROLL for (int i = 0; i < VALUES; ++i)
        v[i] = 0.0f;
    uint words[CHANNELS][WORDS], fellow_words[CHANNELS][OF_PART];
    EACH_CHANNEL(c) {
        UNROLL for (int k = 0; k < WORDS; ++k)
            words[c][k] = ZERO;
        UNROLL for (int k = 0; k < OF_PART; ++k)
            fellow_words[c][k] = ZERO;
    }
    place.y = stack * ROWS;
    read_rows(next, src, g, place, false);
    for (int band = -AHEAD; band < bands; ++band) {
        const int ahead = band + AHEAD;
        const int of_team = band + AHEAD_OF_TEAM;
        EACH_CHANNEL(c)
            UNROLL for (int r = 0; r < ROWS; ++r)
                chunks[CHUNK_OF(c, stack * ROWS + r) + place.lane] =
                    sum_of_channel(next + AT(r, 0), c, place.channel);
        EACH_CHANNEL(c) {
            float sum = 0.0f;
            UNROLL for (int k = 0; k < WORDS; ++k) {
                while (words[c][k] == UNKNOWN)
                    words[c][k] = POLL(WORD_OF(OTHER(k)) + c * pitch + band * TILE_Y);
                sum += KNOWN(words[c][k]);
            }
            lefts[c * GROUP + item] = sum;
        }
        if (is_last_fellow)
            EACH_CHANNEL(c) {
                float sum = 0.0f;
                UNROLL for (int k = 0; k < OF_PART; ++k) {
                    while (fellow_words[c][k] == UNKNOWN)
                        fellow_words[c][k] = POLL(TOTAL_OF_TEAM(k) + c * pitch + of_team * TILE_Y);
                    sum += KNOWN(fellow_words[c][k]);
                }
                team_sums[c * GROUP + item] = sum;
            }
        // Words before other reads, which they would wait for too.
        const int coming = band + 1;
        EACH_CHANNEL(c)
            UNROLL for (int k = 0; k < WORDS; ++k)
                words[c][k] = coming >= 0 && coming < bands && OTHER(k) < wanted
                                  ? POLL(WORD_OF(OTHER(k)) + c * pitch + coming * TILE_Y)
                                  : ZERO;
        if (is_last_fellow)
            EACH_CHANNEL(c)
                UNROLL for (int k = 0; k < OF_PART; ++k)
                    fellow_words[c][k] =
                        of_team + 1 >= 0 && of_team + 1 < bands
                            ? POLL(TOTAL_OF_TEAM(k) + c * pitch + (of_team + 1) * TILE_Y)
                            : ZERO;
        SUM sum[VALUES];
        UNROLL for (int i = 0; i < VALUES; ++i)
            sum[i] = v[i];
        place.y = (ahead + 1) * TILE_Y + stack * ROWS;
        read_rows(next, src, g, place, false);
        place.y = coming >= 0 ? coming * TILE_Y + stack * ROWS : place.height;
        read_rows(v, src, g, place, true);
        barrier(CLK_LOCAL_MEM_FENCE);

        if (item < CHANNELS * TILE_Y && ahead < bands) {
            float total = 0.0f;
            UNROLL for (int k = 0; k < LANES; ++k)
                total += chunks[item * CHUNK_PITCH + k];
            PUBLISH_LINE(totals + (item / TILE_Y) * pitch + ahead * TILE_Y + row, total);
        }
        if (is_last_fellow && part == PARTS - 1 && of_team >= 0 && of_team < bands)
            EACH_CHANNEL(c) {
                float total = 0.0f;
                UNROLL for (int k = 0; k < PARTS; ++k)
                    total += team_sums[c * GROUP + k * TILE_Y + row];
                PUBLISH_LINE(sums + c * pitch + of_team * TILE_Y + row, total);
            }
        if (place.lane == 0)
            EACH_CHANNEL(c)
                UNROLL for (int r = 0; r < ROWS; ++r) {
                    float left = 0.0f;
                    UNROLL for (int k = 0; k < PARTS; ++k)
                        left += lefts[c * GROUP + k * TILE_Y + stack * ROWS + r];
                    sum[AT(r, c)] += left;
                }
        UNROLL for (int r = 1; r < ROWS; ++r)
            UNROLL for (int i = 0; i < CHUNK; ++i)
                sum[AT(r, i)] += sum[AT(r - 1, i)];
        stacks[item] = (float4)(sum[AT(ROWS - 1, 0)], sum[AT(ROWS - 1, 1)], sum[AT(ROWS - 1, 2)],
                                sum[AT(ROWS - 1, 3)]);
        barrier(CLK_LOCAL_MEM_FENCE);

        float4 before = above;
        UNROLL for (int s = 0; s < STACKED; ++s) {
            before = s == stack ? above : before;
            above += stacks[s * LANES + place.lane];
        }
        const SUM over[CHUNK] = {before.s0, before.s1, before.s2, before.s3};
        UNROLL for (int r = 0; r < ROWS; ++r) {
            UNROLL for (int i = 0; i < CHUNK; ++i)
                sum[AT(r, i)] += over[i];
            UNROLL for (int i = CHANNELS; i < CHUNK; ++i)
                sum[AT(r, i)] += sum[AT(r, i - CHANNELS)];
        }
#if HAS_SHUFFLES
        UNROLL for (int r = 0; r < ROWS; ++r)
            EACH_CHANNEL(c) {
                const float left =
                    sum_before(last_of_channel(sum + AT(r, 0), c, place.channel), place.lane);
                add_to_channel(sum + AT(r, 0), c, place.channel, left);
            }
#else
        EACH_CHANNEL(c)
            for (int r = 0; r < ROWS; ++r)
                chunks[CHUNK_OF(c, stack * ROWS + r) + place.lane] =
                    last_of_channel(sum + AT(r, 0), c, place.channel);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < CHANNELS * TILE_Y)
            sum_all_before(chunks + item * CHUNK_PITCH);
        barrier(CLK_LOCAL_MEM_FENCE);
        EACH_CHANNEL(c)
            for (int r = 0; r < ROWS; ++r) {
                const float left = chunks[CHUNK_OF(c, stack * ROWS + r) + place.lane];
                add_to_channel(sum + AT(r, 0), c, place.channel, left);
            }
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        place.y = band * TILE_Y + stack * ROWS;
        if (band >= 0) // before, all is 0
            write_table(sum, dst, g, place);
    }
}
