// A stage of a recursive filter whose sections all run in one direction, on long lines, in one
// pass: groups take tiles in the order of the scan, by tickets, and publish what a tile leaves
// behind as soon as they know it; what enters a tile is found by looking back at what the tiles
// before it have published. A group waits for groups of lower tickets alone, which have started
// before it; this ends only where a device lets all groups that have started go on.
#include "lib/pixel.clh"
#include "lib/lines.clh"
#include "lib/recursive.clh"
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

// Words that are shared between groups: the ticket, then for each state and tile what the tile
// leaves had it started from 0, and then what it leaves.
#define OWN(state, tile) (1 + (long)(state) * tiles + (tile))
#define ALL(state, tile) (1 + (long)(STATES + (state)) * tiles + (tile))

// Tiles looked back at together, an item each.
#define WINDOW 32

// tiles: of all lines. tile_places, run_places: what states become over 0, 1, ... WINDOW tiles, and
// over 0, 1, ... RUNS - 1 runs of chunks.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void recursive_lookback(__global const SRC *restrict src, __global DST *restrict dst,
                        volatile __global uint *shared, __global const float *restrict ends,
                        const Lines lines, const int line_tiles, const long tiles, const int words,
                        SECTIONS_PARAMETER, POWERS_PARAMETER,
                        __global const float *restrict places,
                        __global const float *restrict run_places,
                        __global const float *restrict tile_places, __local float4 *rows,
                        __local float *carries, __local float *runs,
                        __local float *window ENDS_PARAMETER) {
    __local int given;
    __local float entering[STATES], own[STATES];
    __local int is_all[WINDOW], is_done, is_last;
    const int item = get_local_id(0);
    if (item == 0)
        given = (int)atomic_inc(shared);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int ticket = given;
    const int whole = ticket / line_tiles; // lines before this one
    const int batch = whole / lines.lines;
    const int line = abs_diff((uint)whole, (uint)(batch * lines.lines));
    // Tiles of the line that come before in the scan.
    const int in_line = abs_diff((uint)ticket, (uint)(whole * line_tiles));
    const int number = CAUSAL ? in_line : line_tiles - 1 - in_line;
    const Tile tile = {batch, line, number, number * TILE};
    const Place place = {batch, line, 0, item, tile.first + item * CHUNK, true};
    if (HAS_ENDS && (in_line == 0 || in_line == line_tiles - 1))
        fetch_ends(ends, lines.lines, tile, item, END_STATES);
    float x[CHUNK];
    read_row_chunk(src, lines, tile, item, place, rows, x);
    AGGREGATE(0, FILTERS, x, place, lines.length, END_STATES, carries);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < SECTIONS * RUN_PLACES; i += GROUP) {
        const RunPlace run = run_place(i);
        sum_run(run, MATRIX_AT(POWERS.chunk, run.s), AT_REST, carries, runs);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (item < SECTIONS) {
        const State left = sum_tile(item, 0, MATRIX_AT(POWERS.run, item), AT_REST, runs);
        PUBLISH(shared + OWN(item * ORDER, ticket), left.w);
        if (ORDER == 2)
            PUBLISH(shared + OWN(item * ORDER + ORDER - 1, ticket), left.v);
        own[item * ORDER] = left.w;
        own[item * ORDER + ORDER - 1] = ORDER == 2 ? left.v : left.w;
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
                        found[i] = KNOWN(word);
                    }
                    if (!all)
                        UNROLL for (int i = 0; i < STATES; ++i) {
                            const uint word = POLL(shared + OWN(i, from));
                            waits = waits || word == UNKNOWN;
                            found[i] = KNOWN(word);
                        }
                } while (waits);
            }
            // Carried on over the tiles between, of this window.
            UNROLL for (int s = 0; s < SECTIONS; ++s) {
                const State state =
                    carry_on(MATRIX_AT(tile_places, s * (WINDOW + 1) + item),
                             (State){found[s * ORDER], found[s * ORDER + ORDER - 1]});
                window[(s * ORDER) * WINDOW + item] = state.w;
                if (ORDER == 2)
                    window[(s * ORDER + ORDER - 1) * WINDOW + item] = state.v;
            }
            is_all[item] = all;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < SECTIONS) {
            State state = AT_REST;
            bool done = false;
            for (int i = 0; i < WINDOW && !done; ++i) {
                state.w += window[(item * ORDER) * WINDOW + i];
                state.v += window[(item * ORDER + ORDER - 1) * WINDOW + i];
                done = is_all[i];
            }
            // And over the windows between.
            for (int k = 0; k < base / WINDOW; ++k)
                state = carry_on(MATRIX_AT(tile_places, item * (WINDOW + 1) + WINDOW), state);
            entering[item * ORDER] += state.w;
            if (ORDER == 2)
                entering[item * ORDER + ORDER - 1] += state.v;
            if (item == 0)
                is_done = done;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (is_done)
            break;
    }
    if (item < SECTIONS) {
        const State state =
            carry_on(MATRIX_AT(tile_places, item * (WINDOW + 1) + 1),
                     (State){entering[item * ORDER], entering[item * ORDER + ORDER - 1]});
        PUBLISH(shared + ALL(item * ORDER, ticket), state.w + own[item * ORDER]);
        if (ORDER == 2)
            PUBLISH(shared + ALL(item * ORDER + ORDER - 1, ticket),
                    state.v + own[item * ORDER + ORDER - 1]);
        settle_words();
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    count_group(shared, words, &is_last);
    // Carries the states that enter the tile on to each run.
    for (uint i = item; i < SECTIONS * RUNS; i += GROUP) {
        const RunPlace run = run_place(i);
        const int runs_before = CAUSAL ? run.run : RUNS - 1 - run.run;
        add_to_run(run,
                   carry_on(MATRIX_AT(run_places, run.s * RUNS + runs_before),
                            (State){entering[run.s * ORDER], entering[run.s * ORDER + ORDER - 1]}),
                   runs);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    State states[SECTIONS];
    UNROLL for (int s = 0; s < SECTIONS; ++s)
        states[s] = entering_from_run(s, place, places, carries, runs);
    if (HAS_ENDS && has_end_in(place, lines.length))
        UNROLL for (int s = 0; s < SECTIONS; ++s)
            states[s] = start_of(s, states[s], END_STATES, place, lines.length);
    Filter filter;
    READ_FILTER(filter, GIVEN, 0);
    float y[CHUNK];
    filter_chunk(&filter, x, y, states, place, lines.length);
    write_row_chunk(dst, lines, tile, item, place, rows, y, lines.begin, lines.end);
    clear_if_last(shared, words, &is_last);
}
