// A stage of a recursive filter whose sections all run in one direction, on long lines, in one pass:
// groups take tiles in the order of the scan, by tickets, and publish what a tile leaves behind as
// soon as they know it; what enters a tile is found by looking back at what the tiles before it have
// published. A group waits for groups of lower tickets alone, which have started before it; this
// ends only where a device lets all groups that have started go on.
#include "lib/pixel.clh"
#include "lib/lines.clh"
#include "lib/recursive.clh"
#include "lib/recursive_chunk.clh"
#include "lib/shared_words.clh"

#if !defined(CHUNKS) || CHUNKS < 32
#error CHUNKS is not defined, or is less than 32
#endif
#define ALONG_ROWS 1
#define LANES 1
#define TILE (CHUNK * CHUNKS)
#define GROUP CHUNKS
#include "lib/recursive_runs.clh"
#include "lib/recursive_rows.clh"

// Words that are shared between groups: the ticket, then for each state and tile what the tile leaves
// had it started from 0, and then what it leaves.
#define OWN(state, tile) (1 + (long)(state) * tiles + (tile))
#define ALL(state, tile) (1 + (long)(STATES + (state)) * tiles + (tile))

// Tiles looked back at together, an item each.
#define WINDOW 32

// tiles: of all lines. tile_places, run_places: what states become over 0, 1, ... WINDOW tiles, and
// over 0, 1, ... RUNS - 1 runs of chunks.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void recursive_lookback(__global const SRC *restrict src, __global DST *restrict dst,
                        volatile __global uint *shared, __global const float *restrict ends,
                        const Lines lines, const int line_tiles, const long tiles,
                        SECTIONS_PARAMETER, POWERS_PARAMETER,
                        __global const float *restrict places,
                        __global const float *restrict run_places,
                        __global const float *restrict tile_places, __local float4 *tile,
                        __local float *carries, __local float *runs,
                        __local float *window ENDS_PARAMETER) {
    __local int given;
    __local float entering[STATES], own[STATES];
    __local int is_all[WINDOW], is_done;
    const int item = get_local_id(0);
    if (item == 0)
        given = (int)atomic_inc(shared);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int ticket = given;
    const int chunk = item;
    const int lane = 0;
    const int whole = ticket / line_tiles; // lines before this one
    const int batch = whole / lines.lines;
    const int line = abs_diff((uint)whole, (uint)(batch * lines.lines));
    const int first_line = line;
    // Tiles of the line that come before in the scan.
    const int in_line = abs_diff((uint)ticket, (uint)(whole * line_tiles));
    const int first = (CAUSAL ? in_line : line_tiles - 1 - in_line) * TILE;
    const int place = first + chunk * CHUNK;
    const bool is_there = true;
    if (HAS_ENDS && (in_line == 0 || in_line == line_tiles - 1))
        FETCH_ENDS;
    FIND_ENDS
    float x[CHUNK];
    READ_ROWS(src, x);
    AGGREGATE(0, FILTERS, x);
    barrier(CLK_LOCAL_MEM_FENCE);
#define READ_ENTERING(s, lane, w, v)
    SUM_RUNS
    barrier(CLK_LOCAL_MEM_FENCE);

    if (item < SECTIONS) {
        float w = 0.0f, v = 0.0f;
        SUM_TILE(item, 0, w, v);
        PUBLISH(shared + OWN(item * ORDER, ticket), w);
        if (ORDER == 2)
            PUBLISH(shared + OWN(item * ORDER + ORDER - 1, ticket), v);
        own[item * ORDER] = w;
        own[item * ORDER + ORDER - 1] = ORDER == 2 ? v : w;
        entering[item * ORDER] = entering[item * ORDER + ORDER - 1] = 0.0f;
    }
    // From the nearest window to those before it; a line's first tile looks at none.
    for (int base = 0; base < in_line; base += WINDOW) {
        if (item < WINDOW) {
            const int back = base + item; // tiles between
            bool all = true;
            float found[STATES];
            UNROLL for (int i = 0; i < STATES; ++i)
                found[i] = 0.0f;
            if (back < in_line) {
                const int from = ticket - 1 - back;
                bool waits;
                do {
                    waits = false;
                    all = true;
                    UNROLL for (int i = 0; i < STATES; ++i) {
                        const uint word = POLL(shared + ALL(i, from));
                        all = all && word != UNKNOWN;
                        found[i] = as_float(word);
                    }
                    if (!all)
                        UNROLL for (int i = 0; i < STATES; ++i) {
                            const uint word = POLL(shared + OWN(i, from));
                            waits = waits || word == UNKNOWN;
                            found[i] = as_float(word);
                        }
                } while (waits);
            }
            // Carried on over the tiles between, of this window.
            UNROLL for (int s = 0; s < SECTIONS; ++s) {
                float w = found[s * ORDER], v = found[s * ORDER + ORDER - 1];
#define OF_WINDOW(i) tile_places[i]
                CARRY_ON(w, v, OF_WINDOW, (s * (WINDOW + 1) + item) * MATRIX);
                window[(s * ORDER) * WINDOW + item] = w;
                if (ORDER == 2)
                    window[(s * ORDER + ORDER - 1) * WINDOW + item] = v;
            }
            is_all[item] = all;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < SECTIONS) {
            float w = 0.0f, v = 0.0f;
            bool done = false;
            for (int i = 0; i < WINDOW && !done; ++i) {
                w += window[(item * ORDER) * WINDOW + i];
                v += window[(item * ORDER + ORDER - 1) * WINDOW + i];
                done = is_all[i];
            }
            // And over the windows between.
            for (int k = 0; k < base / WINDOW; ++k)
                CARRY_ON(w, v, OF_WINDOW, (item * (WINDOW + 1) + WINDOW) * MATRIX);
            entering[item * ORDER] += w;
            if (ORDER == 2)
                entering[item * ORDER + ORDER - 1] += v;
            if (item == 0)
                is_done = done;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (is_done)
            break;
    }
    if (item < SECTIONS) {
        float w = entering[item * ORDER], v = entering[item * ORDER + ORDER - 1];
        CARRY_ON(w, v, OF_WINDOW, (item * (WINDOW + 1) + 1) * MATRIX);
        PUBLISH(shared + ALL(item * ORDER, ticket), w + own[item * ORDER]);
        if (ORDER == 2)
            PUBLISH(shared + ALL(item * ORDER + ORDER - 1, ticket),
                    v + own[item * ORDER + ORDER - 1]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // Carries the states that enter the tile on to each run.
    for (uint i = item; i < SECTIONS * RUNS; i += GROUP) {
        const int s = i / RUNS;
        const int run = i % RUNS;
        float w = entering[s * ORDER], v = entering[s * ORDER + ORDER - 1];
#define OF_RUN_PLACE(i) run_places[i]
        CARRY_ON(w, v, OF_RUN_PLACE, (s * RUNS + (CAUSAL ? run : RUNS - 1 - run)) * MATRIX);
        runs[s * ORDER * RUN_PLACES + run] += w;
        if (ORDER == 2)
            runs[(s * ORDER + ORDER - 1) * RUN_PLACES + run] += v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float w[SECTIONS], v[SECTIONS];
    UNROLL for (int s = 0; s < SECTIONS; ++s)
        ENTERING_FROM_RUN(s, w[s], v[s]);
    START_FROM_ENDS(w, v)
    float y[CHUNK];
    FILTER_CHUNK(0, x, y, w, v);
    WRITE_ROWS(dst, y, lines.begin, lines.end);
}
