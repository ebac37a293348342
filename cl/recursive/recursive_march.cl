// A stage of a recursive filter on lines that lie side by side, such as columns, where little is
// left of a sample after NEAR chunks: a group marches along LANES lines, CHUNKS chunks of each at a
// time. The states that the chunks of a tile leave behind stay in local memory until the tiles
// before and behind it are filtered, so that nothing is read twice but at the ends of a segment,
// where a march starts. Two filters on two sources march side by side.
#include "lib/pixel.clh"
#include "lib/lines.clh"
#include "lib/recursive.clh"

#if !defined(LANES) || !defined(CHUNKS) || NEAR < 1 || NEAR > CHUNKS
#error LANES or CHUNKS is not defined, or NEAR is not of 1 to CHUNKS
#endif
#if TARGETS > 1 || (SOURCES > 1 && (SECOND_NEAR < 1 || SECOND_NEAR > CHUNKS))
#error TARGETS are more than one, or SECOND_NEAR is not of 1 to CHUNKS
#endif

#define TILE (CHUNK * CHUNKS)
#define GROUP (LANES * CHUNKS)
// Local memory holds what four tiles leave: the one that is filtered, its neighbours, and what a
// part of the group that is ahead of the others writes.
#define HELD (4 * CHUNKS)
#define STATE_PLACES (HELD * LANES)
#define PLACE_OF(c, lane) (((c) & (HELD - 1)) * LANES + (lane))
#define IS_NEAR(c) true
#include "lib/recursive_chunk.clh"

// segment: tiles that a group filters.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void recursive_march(SOURCES_PARAMETER, TARGETS_PARAMETER,
                     __global const float *restrict ends, const Lines lines, const int segment,
                     SECTIONS_PARAMETER, POWERS_PARAMETER, __local float *carries ENDS_PARAMETER) {
    const int item = get_local_id(0);
    const int lane = (uint)item % LANES;
    const int in_tile = (uint)item / LANES;
    const Tile whole = {get_global_id(2), (int)get_group_id(0) * LANES, 0, 0};
    const int first_tile = (int)get_group_id(1) * segment;
    const int last_tile = min(first_tile + segment, (lines.length + TILE - 1) / TILE);
    if (HAS_ENDS)
        fetch_ends(ends, lines.lines, whole, item, END_STATES);
    float x[SOURCES][CHUNK], next[SOURCES][CHUNK];
    for (int t = first_tile - 1; t <= last_tile; ++t) {
        const Place ahead = place_in(whole, t * CHUNKS + in_tile, lane, lines.lines);
        read_strided(src, lines, ahead, next[0]);
#if SOURCES > 1
        read_strided(second_src, lines, ahead, next[1]);
#endif
        AGGREGATE_ALL(next, ahead, lines.length, END_STATES, carries);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t > first_tile) {
            const Place place = place_in(whole, (t - 1) * CHUNKS + in_tile, lane, lines.lines);
            State states[SECTIONS];
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                states[s] =
                    entering_from_near(s, NEAR_OF(s), MATRIX_AT(POWERS.chunk, s), place, carries);
            if (HAS_ENDS && has_end_in(place, lines.length))
                UNROLL for (int s = 0; s < SECTIONS; ++s)
                    states[s] = start_of(s, states[s], END_STATES, place, lines.length);
            Filter filter;
            READ_FILTER(filter, GIVEN, 0);
            float y[CHUNK];
            filter_chunk(&filter, x[0], y, states, place, lines.length);
#if SOURCES > 1
            Filter second_filter;
            READ_FILTER(second_filter, GIVEN, 1);
            filter_chunk(&second_filter, x[1], y, states + EACH, place, lines.length);
#endif
            if (place.is_there)
                write_strided(dst, lines, place, y, lines.begin, lines.end);
        }
        UNROLL for (int k = 0; k < SOURCES; ++k)
            UNROLL for (int i = 0; i < CHUNK; ++i)
                x[k][i] = next[k][i];
    }
}
