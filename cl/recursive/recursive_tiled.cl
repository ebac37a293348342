// A stage of a recursive filter on tiles, for GPUs: a chunk of CHUNK samples of a line an item, in
// registers. What its sections leave behind, had they started from 0, is a weighted sum of the
// samples; sums over more than a chunk go by way of local memory. Where a tile is a whole line, or
// little enough is left of what lies before its apron and behind it, recursive_apply does all by
// itself. Else sums over more than a tile go by way of global memory: recursive_aggregate and
// recursive_carry come first; or, where what a few tiles leave matters to a tile, groups exchange it:
// each publishes what its own leaves and waits for those of its neighbours. Tiles are given out by
// tickets, so that these are near; groups of later tickets are waited for too, which ends only where
// enough groups are at work at a time. Elsewhere a launch that publishes comes before one that
// applies. Two filters at once share the samples of rows, or the results of columns.
#include "lib/pixel.clh"
#include "lib/lines.clh"
#include "lib/recursive.clh"
#include "lib/recursive_chunk.clh"

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
#define OF_TILE(i) tiles[i]
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
#define IS_NEAR(c) ((c) >= 0 && (c) < CHUNKS)
#define NEIGHBOUR(c) PLACE_OF(c, lane)

// x[]: the item's samples of every source, 0 outside the line.
#if ALONG_ROWS
#include "lib/recursive_rows.clh"
#define READ_CHUNKS(x) READ_ROWS(src, (x)[0])
#elif SOURCES > 1
#define READ_CHUNKS(x)                                                                             \
    do {                                                                                           \
        READ_STRIDED(src, (x)[0]);                                                                 \
        READ_STRIDED(second_src, (x)[1]);                                                          \
    } while (0)
#else
#define READ_CHUNKS(x) READ_STRIDED(src, (x)[0])
#endif

#if EXCHANGES
#include "lib/shared_words.clh"

#include "lib/recursive_exchange.clh"

// Words that groups share: tickets, and what tiles leave, states of lines side by side.
#define AT_WORDS(batch, strip, number)                                                             \
    (TICKETS + (((batch) * exchange.strips + (strip)) * tile_count + (number)) * STATES * LANES)

// By strips, then tiles, then blocks of strips.
#define PLACE_GROUP                                                                                \
    __local int given_batch, given_strip, given_number;                                            \
    if (get_local_id(0) == 0) {                                                                    \
        const uint ticket_ = atomic_inc(shared + (exchange.doing == APPLIES ? 1 : 0));             \
        const uint batch_ = ticket_ / (uint)(exchange.strips * tile_count);                        \
        const uint in_batch_ = abs_diff(ticket_, batch_ * (exchange.strips * tile_count));         \
        const uint block_ = in_batch_ / (uint)(exchange.together * tile_count);                    \
        const uint in_block_ = abs_diff(in_batch_, block_ * (exchange.together * tile_count));     \
        const int first_ = block_ * exchange.together;                                             \
        const uint width_ = min(exchange.together, exchange.strips - first_);                      \
        given_number = in_block_ / width_;                                                         \
        given_strip = first_ + abs_diff(in_block_, (uint)given_number * width_);                   \
        given_batch = batch_;                                                                      \
    }                                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
    const int strip = given_strip;                                                                 \
    const int first_line = strip * LANES;                                                          \
    const int number = given_number;                                                               \
    const int batch = given_batch;
#else
#define PLACE_GROUP                                                                                \
    const int first_line = (int)get_group_id(0) * LANES;                                           \
    const int number = get_group_id(1);                                                            \
    const int batch = get_global_id(2);
#endif

// Where an item's chunk is, and the states that start or end in it.
#define PLACE_ITEM                                                                                 \
    PLACE_GROUP                                                                                    \
    const int item = get_local_id(0);                                                              \
    const int chunk = CHUNK_OF(item);                                                              \
    const int lane = LANE_OF(item);                                                                \
    const int first = number * (TILE - lead - trail) - lead;                                       \
    const int line = first_line + lane;                                                            \
    const int place = first + chunk * CHUNK;                                                       \
    const bool is_there = line < lines.lines;                                                      \
    if (HAS_ENDS && (first <= 0 || first + TILE >= lines.length))                                  \
        FETCH_ENDS;                                                                                \
    FIND_ENDS

// States between tiles: [batch][tile][state][line].
#define AT_TILE(batch, number) (((long)(batch) * tile_count + (number)) * STATES * lines.lines)

// Local memory that is used.
#if ALONG_ROWS
#define TILE_PARAMETER , __local float4 *tile
#else
#define TILE_PARAMETER
#endif
#if NEAR == 0
#define RUNS_PARAMETER , __local STATE *runs
#else
#define RUNS_PARAMETER
#endif

#if HAS_CARRIES
// Computes the states that every tile leaves behind.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void recursive_aggregate(SOURCES_PARAMETER, __global STATE *restrict between,
                         __global const STATE *restrict ends, const Lines lines,
                         const int tile_count, SECTIONS_PARAMETER, POWERS_PARAMETER
                         TILE_PARAMETER, __local STATE *carries RUNS_PARAMETER ENDS_PARAMETER) {
    const int lead = 0, trail = 0;
    PLACE_ITEM
    float x[SOURCES][CHUNK];
    READ_CHUNKS(x);
    AGGREGATE_ALL(x);
    barrier(CLK_LOCAL_MEM_FENCE);
#undef READ_ENTERING
#define READ_ENTERING(s, lane, w, v)
    SUM_RUNS
#undef READ_ENTERING
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < SECTIONS * LANES; i += GROUP) {
        const int s = i / LANES;
        const int to = first_line + i % LANES;
        STATE w = NOTHING, v = NOTHING;
        SUM_TILE(s, i % LANES, w, v);
        if (to < lines.lines) {
            between[AT_TILE(batch, number) + (long)(s * ORDER) * lines.lines + to] = w;
            if (ORDER == 2)
                between[AT_TILE(batch, number) + (long)(s * ORDER + ORDER - 1) * lines.lines + to] =
                    v;
        }
    }
}

// Replaces the states that each tile leaves by those that enter it. An item takes a part of the tiles of
// a line, for one section; the parts of a line are of one group, and sections lie along y.
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
    __global STATE *from = between + AT_TILE(batch, IS_CAUSAL(s) ? 0 : tile_count - 1) +
                           (long)(s * ORDER) * lines.lines + line;
    const long to_v = (ORDER - 1) * (long)lines.lines;
    tiles += s * MATRIX;
    parts += s * MATRIX;
    STATE w = NOTHING, v = NOTHING;
#if CARRY_PARTS > 1
    // First the states that the part leaves, and then those that enter it.
    if (is_there)
        for (int t = begin; t < end; ++t) {
            CARRY_ON(w, v, OF_TILE, 0);
            w = PLUS(w, from[t * step]);
            v = PLUS(v, from[t * step + to_v]);
        }
    sums[(part * 2) * CARRY_LANES + lane] = w;
    sums[(part * 2 + 1) * CARRY_LANES + lane] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
#define OF_PART(i) parts[i]
    if (part == 0) {
        STATE w_in = NOTHING, v_in = NOTHING;
        for (int p = 0; p < CARRY_PARTS; ++p) {
            __local STATE *at = sums + (p * 2) * CARRY_LANES + lane;
            const STATE own_w = at[0], own_v = at[CARRY_LANES];
            at[0] = w_in;
            at[CARRY_LANES] = v_in;
            CARRY_ON(w_in, v_in, OF_PART, 0);
            w_in = PLUS(w_in, own_w);
            v_in = PLUS(v_in, own_v);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    w = sums[(part * 2) * CARRY_LANES + lane];
    v = sums[(part * 2 + 1) * CARRY_LANES + lane];
#endif
    if (!is_there)
        return;
    // Reads run ahead of the sums.
    for (int base = begin; base < end; base += AT_ONCE) {
        STATE own_w[AT_ONCE], own_v[AT_ONCE];
        UNROLL for (int k = 0; k < AT_ONCE; ++k)
            if (base + k < end) {
                own_w[k] = from[(base + k) * step];
                own_v[k] = from[(base + k) * step + to_v];
            }
        UNROLL for (int k = 0; k < AT_ONCE; ++k)
            if (base + k < end) {
                from[(base + k) * step] = w;
                if (ORDER == 2)
                    from[(base + k) * step + to_v] = v;
                CARRY_ON(w, v, OF_TILE, 0);
                w = PLUS(w, own_w[k]);
                v = PLUS(v, own_v[k]);
            }
    }
}
#endif

#if EXCHANGES
// Publishes the states that the tile leaves behind; then carries those that runs of chunks leave on
// to each run, with those that enter the tile from others. Those furthest away come first, some
// read before the first of them is needed.
#define OF_RUN_PLACE(i) run_places[i]
#define PUBLISH_TILE                                                                               \
    for (uint i_ = item; i_ < SECTIONS * LANES; i_ += GROUP) {                                     \
        const int s_ = i_ / LANES;                                                                 \
        volatile __global uint *to_ =                                                              \
            shared + AT_WORDS(batch, strip, number) + s_ * ORDER * LANES + i_ % LANES;             \
        float w_sum_ = 0.0f, v_sum_ = 0.0f;                                                        \
        SUM_TILE(s_, i_ % LANES, w_sum_, v_sum_);                                                  \
        if (exchange.doing & PUBLISHES) {                                                          \
            PUBLISH(to_, w_sum_);                                                                  \
            if (ORDER == 2)                                                                        \
                PUBLISH(to_ + LANES, v_sum_);                                                      \
        }                                                                                          \
    }
#define FETCH_TILES                                                                                \
    for (uint i_ = item; i_ < SECTIONS * RUN_PLACES; i_ += GROUP) {                                \
        const int s_ = i_ / RUN_PLACES;                                                            \
        const int lane_ = i_ % LANES;                                                              \
        const int run_ = i_ % RUN_PLACES / LANES;                                                  \
        const bool causal_ = IS_CAUSAL(s_);                                                        \
        const int count_ = causal_ ? min(exchange.before, number)                                  \
                                   : min(exchange.behind, tile_count - 1 - number);                \
        const int step_ = (causal_ ? -1 : 1) * STATES * LANES;                                     \
        volatile __global uint *from_ =                                                            \
            shared + AT_WORDS(batch, strip, number) + s_ * ORDER * LANES + lane_;                  \
        float w_sum_ = 0.0f, v_sum_ = 0.0f;                                                        \
        for (int far_ = count_; far_ > 0; far_ -= FETCHED) {                                       \
            uint w_words_[FETCHED], v_words_[FETCHED];                                             \
            UNROLL for (int k_ = 0; k_ < FETCHED; ++k_)                                            \
                if (far_ - k_ > 0) {                                                               \
                    w_words_[k_] = POLL(from_ + (far_ - k_) * step_);                              \
                    v_words_[k_] = POLL(from_ + (far_ - k_) * step_ + (ORDER - 1) * LANES);        \
                }                                                                                  \
            UNROLL for (int k_ = 0; k_ < FETCHED; ++k_)                                            \
                if (far_ - k_ > 0) {                                                               \
                    while (w_words_[k_] == UNKNOWN)                                                \
                        w_words_[k_] = POLL(from_ + (far_ - k_) * step_);                          \
                    while (v_words_[k_] == UNKNOWN)                                                \
                        v_words_[k_] = POLL(from_ + (far_ - k_) * step_ + (ORDER - 1) * LANES);    \
                    CARRY_ON(w_sum_, v_sum_, OF_TILE, s_ * MATRIX);                                \
                    w_sum_ += as_float(w_words_[k_]);                                              \
                    v_sum_ += as_float(v_words_[k_]);                                              \
                }                                                                                  \
        }                                                                                          \
        CARRY_ON(w_sum_, v_sum_, OF_RUN_PLACE,                                                     \
                 (s_ * RUNS + (causal_ ? run_ : RUNS - 1 - run_)) * MATRIX);                       \
        runs[s_ * ORDER * RUN_PLACES + run_ * LANES + lane_] += w_sum_;                            \
        if (ORDER == 2)                                                                            \
            runs[(s_ * ORDER + ORDER - 1) * RUN_PLACES + run_ * LANES + lane_] += v_sum_;          \
    }
#define FETCHED 4
// tiles, run_places: what states become over a tile, and over 0, 1, ... RUNS - 1 runs.
#define ENTERING_PARAMETER                                                                         \
    volatile __global uint *shared, const Exchange exchange, __global const float *restrict tiles, \
        __global const float *restrict run_places
#else
#define ENTERING_PARAMETER __global const STATE *restrict entering
#endif

// The states that enter a tile from the others.
#if HAS_CARRIES
#define READ_ENTERING(s, lane, w, v)                                                               \
    do {                                                                                           \
        if (first_line + (lane) < lines.lines) {                                                   \
            __global const STATE *from_ = entering + AT_TILE(batch, number) +                      \
                                          (long)((s) * ORDER) * lines.lines + first_line + (lane); \
            (w) = from_[0];                                                                        \
            (v) = from_[(ORDER - 1) * (long)lines.lines];                                          \
        }                                                                                          \
    } while (0)
#else
#define READ_ENTERING(s, lane, w, v)
#endif

// places: what states become over 0, 1, ... RUN - 1 chunks. lead, trail: samples of the apron, whole
// chunks.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void recursive_apply(SOURCES_PARAMETER, TARGETS_PARAMETER,
                     ENTERING_PARAMETER, __global const STATE *restrict ends,
                     const Lines lines, const int tile_count, SECTIONS_PARAMETER, POWERS_PARAMETER,
                     __global const STATE *restrict places, const int lead, const int trail
                     TILE_PARAMETER, __local STATE *carries RUNS_PARAMETER ENDS_PARAMETER) {
    PLACE_ITEM
    float x[SOURCES][CHUNK];
    READ_CHUNKS(x);
    AGGREGATE_ALL(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    STATE w[SECTIONS], v[SECTIONS];
#if NEAR > 0
    ALL_ENTERING_FROM_NEAR(w, v);
#else
    SUM_RUNS
    barrier(CLK_LOCAL_MEM_FENCE);
#if EXCHANGES
    PUBLISH_TILE
    if (!(exchange.doing & APPLIES))
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
    FETCH_TILES
    barrier(CLK_LOCAL_MEM_FENCE);
#elif RUNS > 1
    for (uint i = item; i < SECTIONS * LANES; i += GROUP) {
        const int s = i / LANES;
        STATE sum_w = NOTHING, sum_v = NOTHING;
        READ_ENTERING(s, i % LANES, sum_w, sum_v);
        SUM_TILE(s, i % LANES, sum_w, sum_v);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    UNROLL for (int s = 0; s < SECTIONS; ++s)
        ENTERING_FROM_RUN(s, w[s], v[s]);
#endif
    START_FROM_ENDS(w, v)
    // The samples of the tile that are stored.
    const int begin = max(lines.begin, first + lead);
    const int end = min(lines.end, first + TILE - trail);
    STATE y[CHUNK];
    FILTER_CHUNK(0, x[0], y, w, v);
#if SOURCES > 1
    FILTER_CHUNK(1, x[1], y, w, v);
#endif

#if ALONG_ROWS
    WRITE_ROWS(dst, y, begin, end);
#if TARGETS > 1
    FILTER_CHUNK(1, x[0], y, w, v);
    barrier(CLK_LOCAL_MEM_FENCE);
    WRITE_ROWS(second_dst, y, begin, end);
#endif
#else
    if (is_there)
        WRITE_STRIDED(y, begin, end);
#endif
}
