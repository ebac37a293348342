// Summed-area tables of floats in one pass, for large images on GPUs whose groups all go on. A group
// marches down a strip of the image. Of each tile it sums the columns, from the image's first row on,
// and publishes what these sums add up to along each row: the total. The table left of a row is the
// sum of the totals of all strips before. Of the strips of a team, FELLOWS side by side, the last
// publishes that sum too, so that a group waits for its fellows before it and for one sum of the team
// before. Meanwhile it goes on to the next tile. Strips are given out by tickets: a group waits for
// groups of lower tickets alone, which have started before it; this ends only where a device lets all
// groups that have started go on. Whatever they wait for, sums are made in one order.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/sat.clh"
#include "lib/sat_tile.clh"
#include "lib/shared_words.clh"

#if CHANNELS != 1 || DST_TYPE != PIXEL_F32
#error one channel of floats
#endif

#ifndef FELLOWS
#error FELLOWS is not defined
#endif

#define VALUES (ROWS * CHUNK)

// Words that are shared between groups: the ticket, then for each slice and strip the totals of its
// rows, and then for each slice and team the sums of those and of all before.
#define TOTALS(batch, strip) (1 + ((batch) * strips + (strip)) * pitch)
#define SUMS(batch, team) (TOTALS(batches, 0) + ((batch) * teams + (team)) * pitch)

// Sums of a tile, of all rows above but of the tile's columns alone. An item for each row adds up what
// its chunks come to, and publishes the row's total.
#define SUM_TILE(v, band, total)                                                                   \
    do {                                                                                           \
        UNROLL for (int r_ = 1; r_ < ROWS; ++r_)                                                   \
            UNROLL for (int i_ = 0; i_ < CHUNK; ++i_)                                              \
                (v)[AT(r_, i_)] += (v)[AT(r_ - 1, i_)];                                            \
        stacks[stack * LANES + lane] = (float4)((v)[AT(ROWS - 1, 0)], (v)[AT(ROWS - 1, 1)],        \
                                                (v)[AT(ROWS - 1, 2)], (v)[AT(ROWS - 1, 3)]);       \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        float4 before_ = top;                                                                      \
        UNROLL for (int s_ = 0; s_ < STACKED; ++s_) {                                              \
            before_ = s_ == stack ? top : before_;                                                 \
            top += stacks[s_ * LANES + lane];                                                      \
        }                                                                                          \
        SUM above_[CHUNK];                                                                         \
        above_[0] = before_.s0;                                                                    \
        above_[1] = before_.s1;                                                                    \
        above_[2] = before_.s2;                                                                    \
        above_[3] = before_.s3;                                                                    \
        UNROLL for (int r_ = 0; r_ < ROWS; ++r_) {                                                 \
            UNROLL for (int i_ = 0; i_ < CHUNK; ++i_)                                              \
                (v)[AT(r_, i_)] += above_[i_];                                                     \
            UNROLL for (int i_ = 1; i_ < CHUNK; ++i_)                                              \
                (v)[AT(r_, i_)] += (v)[AT(r_, i_ - 1)];                                            \
            chunks[(stack * ROWS + r_) * CHUNK_PITCH + lane] = (v)[AT(r_, CHUNK - 1)];             \
        }                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        if (item < TILE_Y) {                                                                       \
            SUM sum_ = 0;                                                                          \
            UNROLL for (int k_ = 0; k_ < LANES; ++k_) {                                            \
                const SUM chunk_ = chunks[item * CHUNK_PITCH + k_];                                \
                chunks[item * CHUNK_PITCH + k_] = sum_;                                            \
                sum_ += chunk_;                                                                    \
            }                                                                                      \
            total = sum_;                                                                          \
            PUBLISH_LINE(shared + TOTALS(batch, strip) + (band) * TILE_Y + item, total);           \
        }                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        UNROLL for (int r_ = 0; r_ < ROWS; ++r_) {                                                 \
            const SUM left_ = chunks[(stack * ROWS + r_) * CHUNK_PITCH + lane];                    \
            UNROLL for (int i_ = 0; i_ < CHUNK; ++i_)                                              \
                (v)[AT(r_, i_)] += left_;                                                          \
        }                                                                                          \
    } while (0)

// strips: of a slice. pitch: rows of a strip, in whole tiles and one more. lefts: a value for each row of
// a tile.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sat_march(__global const SRC *restrict src, __global SUM *restrict dst,
               volatile __global uint *shared, const Geometry g, const int strips, const int pitch,
               __local SUM *chunks, __local SUM *lefts, __local float4 *stacks) {
    __local int given;
    const int item = get_local_id(0);
    if (item == 0)
        given = (int)atomic_inc(shared);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int ticket = given;
    const int batch = ticket / strips;
    const int strip = abs_diff((uint)ticket, (uint)(batch * strips));
    const int lane = item & (LANES - 1);
    const int stack = item / LANES;
    const int width = SUMMED_VALUES(g);
    const int height = SUMMED_ROWS(g);
    const int bands = (height + TILE_Y - 1) / TILE_Y;
    const int x = strip * TILE_X + lane * CHUNK;
    // The item of a row waits for the sum of the team before, and for the fellows before.
    const int team = strip / FELLOWS;
    const int fellow = strip & (FELLOWS - 1);
    const int batches = (int)get_num_groups(0) / strips;
    const int teams = strips / FELLOWS;
    const int before = SUMS(batch, max(team - 1, 0)) + item;
    const int fellows = TOTALS(batch, team * FELLOWS) + item;
#define WORD(k) ((k) == 0 ? before : fellows + ((k) - 1) * pitch)
#define IS_WANTED(k) (item < TILE_Y && ((k) == 0 ? team > 0 : (k) <= fellow))

    // The tile that waits, the one after it, whose totals are published, and the next one.
    float4 top = 0.0f;
    SUM v[VALUES], w[VALUES], next[VALUES], total = 0, total_after = 0;
    {
        const int y = stack * ROWS;
        READ_ROWS(v);
    }
    {
        const int y = TILE_Y + stack * ROWS;
        READ_ROWS(next);
    }
    SUM_TILE(v, 0, total);
    for (int band = 0; band < bands; ++band) {
        // Before other reads, which it would wait for too.
        uint words[FELLOWS];
        UNROLL for (int k = 0; k < FELLOWS; ++k)
            words[k] = IS_WANTED(k) ? POLL(shared + WORD(k) + band * TILE_Y) : 0;
        UNROLL for (int i = 0; i < VALUES; ++i)
            w[i] = next[i];
        {
            const int y = (band + 2) * TILE_Y + stack * ROWS;
            READ_ROWS(next);
        }
        SUM_TILE(w, band + 1, total_after);

        if (item < TILE_Y) {
            SUM left = 0;
            UNROLL for (int k = 0; k < FELLOWS; ++k) {
                while (words[k] == UNKNOWN)
                    words[k] = POLL(shared + WORD(k) + band * TILE_Y);
                left += as_float(words[k]);
            }
            if (fellow == FELLOWS - 1)
                PUBLISH_LINE(shared + SUMS(batch, team) + band * TILE_Y + item, left + total);
            lefts[item] = left;
            total = total_after;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL for (int r = 0; r < ROWS; ++r) {
            const SUM left = lefts[stack * ROWS + r];
            UNROLL for (int i = 0; i < CHUNK; ++i)
                v[AT(r, i)] += left;
        }
        const int y = band * TILE_Y + stack * ROWS;
        WRITE_TABLE(v);
        UNROLL for (int i = 0; i < VALUES; ++i)
            v[i] = w[i];
    }
}
