// A stage of a recursive filter on lines that lie side by side, such as columns, where little is left
// of a sample after NEAR chunks: a group marches along LANES lines, CHUNKS chunks of each at a time.
// The states that the chunks of a tile leave behind stay in local memory until the tiles before and behind it
// are filtered, so that nothing is read twice but at the ends of a segment, where a march starts. Two
// filters on two sources march side by side.
#include "lib/pixel.clh"
#include "lib/lines.clh"
#include "lib/recursive.clh"
#include "lib/recursive_chunk.clh"

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
#define NEIGHBOUR(c) PLACE_OF(c, lane)

// segment: tiles that a group filters.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void recursive_march(SOURCES_PARAMETER, TARGETS_PARAMETER,
                     __global const float *restrict ends, const Lines lines, const int segment,
                     SECTIONS_PARAMETER, POWERS_PARAMETER, __local float *carries ENDS_PARAMETER) {
    const int item = get_local_id(0);
    const int lane = (uint)item % LANES;
    const int first_line = (int)get_group_id(0) * LANES;
    const int line = first_line + lane;
    const int batch = get_global_id(2);
    const bool is_there = line < lines.lines;
    const int first_tile = (int)get_group_id(1) * segment;
    const int last_tile = min(first_tile + segment, (lines.length + TILE - 1) / TILE);
    if (HAS_ENDS)
        FETCH_ENDS;
    float x[SOURCES][CHUNK], next[SOURCES][CHUNK];
    for (int t = first_tile - 1; t <= last_tile; ++t) {
        {
            const int chunk = t * CHUNKS + (int)((uint)item / LANES);
            const int place = chunk * CHUNK;
            READ_STRIDED(src, next[0]);
#if SOURCES > 1
            READ_STRIDED(second_src, next[1]);
#endif
            FIND_ENDS
            AGGREGATE_ALL(next);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t > first_tile) {
            const int chunk = (t - 1) * CHUNKS + (int)((uint)item / LANES);
            const int place = chunk * CHUNK;
            FIND_ENDS
            float w[SECTIONS], v[SECTIONS];
            ALL_ENTERING_FROM_NEAR(w, v);
            START_FROM_ENDS(w, v)
            float y[CHUNK];
            FILTER_CHUNK(0, x[0], y, w, v);
#if SOURCES > 1
            FILTER_CHUNK(1, x[1], y, w, v);
#endif
            if (is_there)
                WRITE_STRIDED(y, lines.begin, lines.end);
        }
        UNROLL for (int k = 0; k < SOURCES; ++k)
            UNROLL for (int i = 0; i < CHUNK; ++i)
                x[k][i] = next[k][i];
    }
}
