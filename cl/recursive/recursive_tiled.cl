// A stage of a recursive filter on tiles, for GPUs: a chunk of CHUNK samples of a line an item, in
// registers. What its sections leave behind, had they started from 0, is a weighted sum of the
// samples; sums over more than a chunk go by way of local memory. Where a tile is a whole line, or
// little enough is left of what lies before its apron and behind it, recursive_apply does all by
// itself. Else sums over more than a tile go by way of global memory: recursive_aggregate and
// recursive_carry come first; or, where what a few tiles leave matters to a tile, groups exchange
// it: each publishes what its own leaves and waits for those of its neighbours. Tiles are given out
// by tickets, so that these are near; groups of later tickets are waited for too, which ends only
// where enough groups are at work at a time. Elsewhere a launch that publishes comes before one
// that applies. Two filters at once share the samples of rows, or the results of columns.
#include "lib/pixel.clh"
#include "lib/lines.clh"
#include "lib/recursive.clh"

#if !defined(ALONG_ROWS) || !defined(VECTORS) || !defined(HAS_ENDS) || !defined(HAS_CARRIES) ||    \
    !defined(EXCHANGES) || !defined(MIRRORED)
#error ALONG_ROWS, VECTORS, HAS_ENDS, HAS_CARRIES, EXCHANGES or MIRRORED is not defined
#endif
#if !defined(LANES) || !defined(CHUNKS) || !defined(CARRY_LANES) || !defined(CARRY_PARTS)
#error LANES, CHUNKS, CARRY_LANES or CARRY_PARTS is not defined
#endif
#if ALONG_ROWS ? SOURCES > 1 : TARGETS > 1
#error rows have one source, and columns one target
#endif
#if EXCHANGES && (HAS_CARRIES || NEAR > 0)
#error tiles exchange what others carry
#endif
#if EXCHANGES && STATE_FORM != 0
#error tiles exchange words, which are floats
#endif

#define TILE (CHUNK * CHUNKS)
#define GROUP (LANES * CHUNKS)
#if ALONG_ROWS
#define CHUNK_OF(item) ((int)((uint)(item) % CHUNKS))
#define LANE_OF(item) ((int)((uint)(item) / CHUNKS))
#else
#define CHUNK_OF(item) ((int)((uint)(item) / LANES))
#define LANE_OF(item) ((int)((uint)(item) % LANES))
#endif
#if EXCHANGES
#define CARRIES_TO_RUNS 1
#endif
#include "lib/recursive_runs.clh"

// Only rows go by way of local memory.
#if ALONG_ROWS
#include "lib/recursive_rows.clh"
#define ROWS_PARAMETER , __local float4 *rows
#define ROWS rows
#else
#define ROWS_PARAMETER
#define ROWS 0
#endif
#if NEAR == 0
#define RUNS_PARAMETER , __local STATE *runs
#else
#define RUNS_PARAMETER
#endif

// Tile `number` of a strip of LANES lines, with the `lead` samples before it and `trail` behind it.
INLINE Tile tile_at(int batch, int strip, int number, int lead, int trail) {
    return (Tile){batch, strip * LANES, number, number * (TILE - lead - trail) - lead};
}

INLINE bool has_end(Tile tile, int length) {
    return tile.first <= 0 || tile.first + TILE >= length;
}

// An item's samples, 0 outside the line.
INLINE void read_chunk(__global const SRC *src, const Lines lines, Tile tile, int item, Place place,
                       __local float4 *rows, float *x) {
#if ALONG_ROWS
    read_row_chunk(src, lines, tile, item, place, rows, x);
#else
    read_strided(src, lines, place, x);
#endif
}

#if HAS_CARRIES
// Where a tile's states are among those between tiles: [batch][tile][state][line].
INLINE long between_at(int batch, int number, int tile_count, int lines) {
    return ((long)batch * tile_count + number) * STATES * lines;
}

// Computes the states that every tile leaves behind.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void recursive_aggregate(SOURCES_PARAMETER, __global STATE *restrict between,
                         __global const STATE *restrict ends, const Lines lines,
                         const int tile_count, SECTIONS_PARAMETER, POWERS_PARAMETER
                         ROWS_PARAMETER, __local STATE *carries RUNS_PARAMETER ENDS_PARAMETER) {
    const int item = get_local_id(0);
    const Tile tile = tile_at(get_global_id(2), get_group_id(0), get_group_id(1), 0, 0);
    const Place place = place_in(tile, CHUNK_OF(item), LANE_OF(item), lines.lines);
    if (HAS_ENDS && has_end(tile, lines.length))
        fetch_ends(ends, lines.lines, tile, item, END_STATES);
    float x[SOURCES][CHUNK];
    read_chunk(src, lines, tile, item, place, ROWS, x[0]);
#if SOURCES > 1
    read_chunk(second_src, lines, tile, item, place, ROWS, x[1]);
#endif
    AGGREGATE_ALL(x, place, lines.length, END_STATES, carries);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < SECTIONS * RUN_PLACES; i += GROUP) {
        const RunPlace run = run_place(i);
        sum_run(run, MATRIX_AT(POWERS.chunk, run.s), AT_REST, carries, runs);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < SECTIONS * LANES; i += GROUP) {
        const int s = i / LANES;
        const int line = tile.first_line + i % LANES;
        const State left = sum_tile(s, i % LANES, MATRIX_AT(POWERS.run, s), AT_REST, runs);
        __global STATE *to = between +
                             between_at(tile.batch, tile.number, tile_count, lines.lines) +
                             (long)(s * ORDER) * lines.lines + line;
        if (line < lines.lines) {
            to[0] = left.w;
            if (ORDER == 2)
                to[(ORDER - 1) * (long)lines.lines] = left.v;
        }
    }
}

// Replaces the states that each tile leaves by those that enter it. An item takes a part of the
// tiles of a line, for one section; the parts of a line are of one group, and sections lie along y.
#define AT_ONCE 8
__kernel __attribute__((reqd_work_group_size(CARRY_LANES, CARRY_PARTS, 1)))
void recursive_carry(__global STATE *restrict between, const Lines lines, const int tile_count,
                     __global const STATE *restrict tiles, __global const STATE *restrict parts,
                     __local STATE *sums) {
    const int lane = get_local_id(0);
    const int part = get_local_id(1);
    const int s = get_group_id(1);
    const int line = get_global_id(0);
    const bool is_there = line < lines.lines;
    const int batch = get_global_id(2);
    const int count = (tile_count + CARRY_PARTS - 1) / CARRY_PARTS;
    const int begin = part * count;
    const int end = min(begin + count, tile_count);
    const long step = (IS_CAUSAL(s) ? 1L : -1L) * STATES * lines.lines;
    const int first = IS_CAUSAL(s) ? 0 : tile_count - 1;
    __global STATE *from = between + between_at(batch, first, tile_count, lines.lines) +
                           (long)(s * ORDER) * lines.lines + line;
    const long to_v = (ORDER - 1) * (long)lines.lines;
    State state = AT_REST;
#if CARRY_PARTS > 1
    // First the states that the part leaves, and then those that enter it.
    if (is_there)
        for (int t = begin; t < end; ++t) {
            const State own = {from[t * step], from[t * step + to_v]};
            state = plus_state(carry_on(MATRIX_AT(tiles, s), state), own);
        }
    sums[(part * 2) * CARRY_LANES + lane] = state.w;
    sums[(part * 2 + 1) * CARRY_LANES + lane] = state.v;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (part == 0) {
        State entering = AT_REST;
        for (int p = 0; p < CARRY_PARTS; ++p) {
            __local STATE *at = sums + (p * 2) * CARRY_LANES + lane;
            const State own = {at[0], at[CARRY_LANES]};
            at[0] = entering.w;
            at[CARRY_LANES] = entering.v;
            entering = plus_state(carry_on(MATRIX_AT(parts, s), entering), own);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    state.w = sums[(part * 2) * CARRY_LANES + lane];
    state.v = sums[(part * 2 + 1) * CARRY_LANES + lane];
#endif
    if (!is_there)
        return;
    // Reads run ahead of the sums.
    for (int base = begin; base < end; base += AT_ONCE) {
        State own[AT_ONCE];
        UNROLL for (int k = 0; k < AT_ONCE; ++k)
            if (base + k < end) {
                own[k].w = from[(base + k) * step];
                own[k].v = from[(base + k) * step + to_v];
            }
        UNROLL for (int k = 0; k < AT_ONCE; ++k)
            if (base + k < end) {
                from[(base + k) * step] = state.w;
                if (ORDER == 2)
                    from[(base + k) * step + to_v] = state.v;
                state = plus_state(carry_on(MATRIX_AT(tiles, s), state), own[k]);
            }
    }
}

// The state that enters a tile from the others, of section s of a lane's line.
INLINE State read_entering(__global const STATE *entering, Tile tile, int tile_count,
                                  int lines, int s, int lane) {
    const int line = tile.first_line + lane;
    if (line >= lines)
        return AT_REST;
    __global const STATE *from = entering + between_at(tile.batch, tile.number, tile_count, lines) +
                                 (long)(s * ORDER) * lines + line;
    return (State){from[0], from[(ORDER - 1) * (long)lines]};
}
#define READ_ENTERING read_entering
#else
#define READ_ENTERING(entering, tile, tile_count, lines, s, lane) AT_REST
#endif

#if EXCHANGES
#include "lib/shared_words.clh"

#include "lib/recursive_exchange.clh"

// Words that groups share: tickets, and what tiles leave, states of lines side by side.
INLINE int words_at(const Exchange exchange, int batch, int strip, int number,
                           int tile_count) {
    return TICKETS + ((batch * exchange.strips + strip) * tile_count + number) * STATES * LANES;
}

// The tile of the next ticket: by strips, then tiles, then blocks of strips.
typedef struct Ticket {
    int batch, strip, number;
} Ticket;
INLINE Ticket take_ticket(volatile __global uint *shared, const Exchange exchange,
                                 int tile_count) {
    const uint ticket = atomic_inc(shared + (exchange.doing == APPLIES ? 1 : 0));
    const uint batch = ticket / (uint)(exchange.strips * tile_count);
    const uint in_batch = abs_diff(ticket, batch * (exchange.strips * tile_count));
    const uint block = in_batch / (uint)(exchange.together * tile_count);
    const uint in_block = abs_diff(in_batch, block * (exchange.together * tile_count));
    const int first = block * exchange.together;
    const uint width = min(exchange.together, exchange.strips - first);
    const int number = in_block / width;
    return (Ticket){batch, first + abs_diff(in_block, (uint)number * width), number};
}

INLINE void publish_state(volatile __global uint *to, State state) {
    PUBLISH(to, state.w);
    if (ORDER == 2)
        PUBLISH(to + LANES, state.v);
}

// The state that enters a tile from `count` others. What the nearest leaves is `step` words behind
// `own`, what the tile itself does. Those furthest away come first, some read before the first of
// them is needed.
#define FETCHED 4
INLINE State fetch_state(volatile __global uint *own, int count, int step,
                                Matrix over_tile) {
    State state = AT_REST;
    for (int far = count; far > 0; far -= FETCHED) {
        uint w[FETCHED], v[FETCHED];
        UNROLL for (int k = 0; k < FETCHED; ++k)
            if (far - k > 0) {
                w[k] = POLL(own + (far - k) * step);
                v[k] = POLL(own + (far - k) * step + (ORDER - 1) * LANES);
            }
        UNROLL for (int k = 0; k < FETCHED; ++k)
            if (far - k > 0) {
                while (w[k] == UNKNOWN)
                    w[k] = POLL(own + (far - k) * step);
                while (v[k] == UNKNOWN)
                    v[k] = POLL(own + (far - k) * step + (ORDER - 1) * LANES);
                state = plus_state(carry_on(over_tile, state),
                                   (State){KNOWN(w[k]), KNOWN(v[k])});
            }
    }
    return state;
}

// tiles, run_places: what states become over a tile, and over 0, 1, ... RUNS - 1 runs.
#define ENTERING_PARAMETER                                                                         \
    volatile __global uint *shared, const int all_words, const Exchange exchange,                  \
        __global const float *restrict tiles, __global const float *restrict run_places
#else
#define ENTERING_PARAMETER __global const STATE *restrict entering
#endif

// places: what states become over 0, 1, ... RUN - 1 chunks. lead, trail: samples of the apron,
// whole chunks.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void recursive_apply(SOURCES_PARAMETER, TARGETS_PARAMETER,
                     ENTERING_PARAMETER, __global const STATE *restrict ends,
                     const Lines lines, const int tile_count, SECTIONS_PARAMETER, POWERS_PARAMETER,
                     __global const STATE *restrict places, const int lead, const int trail
                     ROWS_PARAMETER, __local STATE *carries RUNS_PARAMETER ENDS_PARAMETER) {
    const int item = get_local_id(0);
#if EXCHANGES
    __local Ticket given;
    __local int is_last;
    if (item == 0)
        given = take_ticket(shared, exchange, tile_count);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int strip = given.strip;
    const Tile tile = tile_at(given.batch, strip, given.number, lead, trail);
#else
    const Tile tile =
        tile_at(get_global_id(2), get_group_id(0), get_group_id(1), lead, trail);
#endif
    const Place place = place_in(tile, CHUNK_OF(item), LANE_OF(item), lines.lines);
    if (HAS_ENDS && has_end(tile, lines.length))
        fetch_ends(ends, lines.lines, tile, item, END_STATES);
    float x[SOURCES][CHUNK];
    read_chunk(src, lines, tile, item, place, ROWS, x[0]);
#if SOURCES > 1
    read_chunk(second_src, lines, tile, item, place, ROWS, x[1]);
#endif
    AGGREGATE_ALL(x, place, lines.length, END_STATES, carries);
    barrier(CLK_LOCAL_MEM_FENCE);
    State states[SECTIONS];
#if NEAR > 0
    UNROLL for (int s = 0; s < SECTIONS; ++s)
        states[s] = entering_from_near(s, NEAR_OF(s), MATRIX_AT(POWERS.chunk, s), place, carries);
#else
    // The only run of a tile starts from what enters the tile.
    for (uint i = item; i < SECTIONS * RUN_PLACES; i += GROUP) {
        const RunPlace run = run_place(i);
        State state = AT_REST;
        if (RUNS == 1)
            state = READ_ENTERING(entering, tile, tile_count, lines.lines, run.s, run.lane);
        sum_run(run, MATRIX_AT(POWERS.chunk, run.s), state, carries, runs);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#if EXCHANGES
    // Publishes what the tile leaves; then carries what enters it from others on to each run.
    volatile __global uint *words =
        shared + words_at(exchange, tile.batch, strip, tile.number, tile_count);
    for (uint i = item; i < SECTIONS * LANES; i += GROUP) {
        const int s = i / LANES;
        const State left = sum_tile(s, i % LANES, MATRIX_AT(POWERS.run, s), AT_REST, runs);
        if (exchange.doing & PUBLISHES)
            publish_state(words + s * ORDER * LANES + i % LANES, left);
    }
    settle_words();
    // A launch that only publishes goes on as well, and stores nothing: PoCL's optimiser breaks kernels
    // that end before a barrier. This one wrote beyond its region.
    const bool applies = exchange.doing & APPLIES;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < SECTIONS * RUN_PLACES; i += GROUP) {
        const RunPlace run = run_place(i);
        const bool causal = IS_CAUSAL(run.s);
        const int neighbours = causal ? min(exchange.before, tile.number)
                                      : min(exchange.behind, tile_count - 1 - tile.number);
        const int count = applies ? neighbours : 0;
        const State fetched =
            fetch_state(words + run.s * ORDER * LANES + run.lane, count,
                        (causal ? -1 : 1) * STATES * LANES, MATRIX_AT(tiles, run.s));
        const int runs_before = causal ? run.run : RUNS - 1 - run.run;
        add_to_run(run, carry_on(MATRIX_AT(run_places, run.s * RUNS + runs_before), fetched), runs);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    count_group(shared, all_words, &is_last);
#elif RUNS > 1
    for (uint i = item; i < SECTIONS * LANES; i += GROUP) {
        const int s = i / LANES;
        const State state =
            READ_ENTERING(entering, tile, tile_count, lines.lines, s, i % LANES);
        sum_tile(s, i % LANES, MATRIX_AT(POWERS.run, s), state, runs);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    UNROLL for (int s = 0; s < SECTIONS; ++s)
        states[s] = entering_from_run(s, place, places, carries, runs);
#endif
    if (HAS_ENDS && has_end_in(place, lines.length))
        UNROLL for (int s = 0; s < SECTIONS; ++s)
            states[s] = start_of(s, states[s], END_STATES, place, lines.length);
    // The samples of the tile that are stored.
    const int begin = max(lines.begin, tile.first + lead);
    int end = min(lines.end, tile.first + TILE - trail);
#if EXCHANGES
    if (!applies)
        end = begin;
#endif
    Filter filter;
    READ_FILTER(filter, GIVEN, 0);
    STATE y[CHUNK];
    filter_chunk(&filter, x[0], y, states, place, lines.length);
#if FILTERS > 1
    Filter second_filter;
    READ_FILTER(second_filter, GIVEN, 1);
#endif
#if SOURCES > 1
    filter_chunk(&second_filter, x[1], y, states + EACH, place, lines.length);
#endif

#if ALONG_ROWS
    write_row_chunk(dst, lines, tile, item, place, rows, y, begin, end);
#if TARGETS > 1
    filter_chunk(&second_filter, x[0], y, states + EACH, place, lines.length);
    barrier(CLK_LOCAL_MEM_FENCE);
    write_row_chunk(second_dst, lines, tile, item, place, rows, y, begin, end);
#endif
#else
    if (place.is_there)
        write_strided(dst, lines, place, y, begin, end);
#endif
#if EXCHANGES && SELF_CLEARS
    barrier(CLK_LOCAL_MEM_FENCE);
    clear_if_last(shared, all_words, &is_last);
#endif
}
