// A stage of a recursive filter on tiles, for GPUs: a chunk of CHUNK samples of a line an item, in
// registers. What its sections leave behind, had they started from 0, is a weighted sum of the
// samples; sums over more than a chunk go by way of local memory. Where a tile is a whole line, or
// little enough is left of what lies before its apron and behind it, recursive_apply does all by
// itself; else recursive_aggregate and recursive_carry come first, and sums over more than a tile
// go by way of global memory.
#include "lib/pixel.clh"
#include "lib/lines.clh"
#include "lib/recursive.clh"
#include "lib/recursive_chunk.clh"

#if !defined(ALONG_ROWS) || !defined(VECTORS) || !defined(HAS_ENDS) || !defined(HAS_CARRIES) || \
    !defined(MIRRORED)
#error ALONG_ROWS, VECTORS, HAS_ENDS, HAS_CARRIES or MIRRORED is not defined
#endif
#if !defined(LANES) || !defined(CHUNKS) || !defined(CARRY_LANES) || !defined(CARRY_PARTS)
#error LANES, CHUNKS, CARRY_LANES or CARRY_PARTS is not defined
#endif

#define TILE (CHUNK * CHUNKS)
#define GROUP (LANES * CHUNKS)
// Chunks whose sums are made one after the other.
#define RUN (CHUNKS < 16 ? CHUNKS : 16)
#define RUNS (CHUNKS / RUN)

#define OF_RUN(i) POWER(run, i)
#define OF_PLACE(i) places[i]
#define OF_TILE(i) tiles[i]
#define IS_NEAR(c) ((c) >= 0 && (c) < CHUNKS)
#define NEIGHBOUR(c) PLACE_OF(c, lane)

// Where an item's state is in local memory: of one state those of a chunk side by side.
#if ALONG_ROWS
#define CHUNK_OF(item) ((item) % CHUNKS)
#define LANE_OF(item) ((item) / CHUNKS)
#define LANE_PLACES (CHUNKS + RUNS) // an odd number for each run: in different banks
#define PLACE_OF(chunk, lane) ((lane) * LANE_PLACES + (chunk) + (chunk) / RUN)
#define STATE_PLACES (LANES * LANE_PLACES)
#else
#define CHUNK_OF(item) ((item) / LANES)
#define LANE_OF(item) ((item) % LANES)
#define PLACE_OF(chunk, lane) ((chunk) * LANES + (lane))
#define STATE_PLACES GROUP
#endif
#define RUN_PLACES (LANES * RUNS)

// A tile of rows in local memory, so that memory is read and written in its own order. Part p of
// chunk c, 4 values, is turned so that neighbouring chunks lie in different banks.
#define PART(row, c, p) ((row) * (TILE / 4) + (c) * 4 + ((p) ^ (((c) >> 1) & 3)))

// x: the item's samples, 0 behind the line's end.
#if ALONG_ROWS
#define READ_CHUNK(x)                                                                              \
    do {                                                                                           \
        read_rows(src, lines, tile, item, first_line, batch, first);                               \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        UNROLL for (int p_ = 0; p_ < CHUNK / 4; ++p_) {                                            \
            const float4 four_ = tile[PART(lane, chunk, p_)];                                      \
            (x)[4 * p_] = four_.s0;                                                                \
            (x)[4 * p_ + 1] = four_.s1;                                                            \
            (x)[4 * p_ + 2] = four_.s2;                                                            \
            (x)[4 * p_ + 3] = four_.s3;                                                            \
        }                                                                                          \
    } while (0)

static inline void read_rows(__global const SRC *restrict src, const Lines lines,
                             __local float4 *restrict tile, int item, int first_line, int batch,
                             int first) {
#if VECTORS
    __global const SRC *origin = src + SRC_LINE(first_line, batch) + first;
    UNROLL for (int k = 0; k < 4; ++k) {
        const int i = item + k * GROUP;
        const int row = i / (TILE / 4);
        const int at = i % (TILE / 4);
        const int n = first + 4 * at;
        float4 four = 0.0f;
        if (first_line + row < lines.lines && n >= 0 && n < lines.length) {
            __global const SRC *from = origin + row * lines.src.line + 4 * at;
            if (n + 4 <= lines.length)
                four = LOAD4(from);
            else {
                four.s0 = LOAD(from);
                if (n + 1 < lines.length)
                    four.s1 = LOAD(from + 1);
                if (n + 2 < lines.length)
                    four.s2 = LOAD(from + 2);
            }
        }
        tile[PART(row, at / 4, at % 4)] = four;
    }
#else
    for (int i = item; i < LANES * TILE; i += GROUP) {
        const int row = i / TILE;
        const int at = i % TILE;
        const int n = first + at;
        float one = 0.0f;
        if (first_line + row < lines.lines && n >= 0 && n < lines.length)
            one = LOAD(src + SRC_LINE(first_line + row, batch) + (long)n * lines.src.step);
        ((__local float *)(tile + PART(row, at / 16, at / 4 % 4)))[at % 4] = one;
    }
#endif
}

static inline void write_rows(__global DST *restrict dst, const Lines lines,
                              __local const float4 *restrict tile, int item, int first_line,
                              int batch, int first, int begin, int end) {
#if VECTORS
    __global DST *origin = dst + DST_LINE(first_line, batch) + (first - lines.begin);
    UNROLL for (int k = 0; k < 4; ++k) {
        const int i = item + k * GROUP;
        const int row = i / (TILE / 4);
        const int at = i % (TILE / 4);
        const int n = first + 4 * at;
        if (first_line + row < lines.lines && n + 4 > begin && n < end) {
            __global DST *to = origin + row * lines.dst.line + 4 * at;
            const float4 four = tile[PART(row, at / 4, at % 4)];
            if (n >= begin && n + 4 <= end)
                STORE4(four, to);
            else {
                const float values[4] = {four.s0, four.s1, four.s2, four.s3};
                UNROLL for (int v = 0; v < 4; ++v)
                    if (n + v >= begin && n + v < end)
                        STORE(values[v], to + v);
            }
        }
    }
#else
    for (int i = item; i < LANES * TILE; i += GROUP) {
        const int row = i / TILE;
        const int at = i % TILE;
        const int n = first + at;
        if (first_line + row < lines.lines && n >= begin && n < end)
            STORE(((__local const float *)(tile + PART(row, at / 16, at / 4 % 4)))[at % 4],
                  dst + DST_LINE(first_line + row, batch) +
                      (long)(n - lines.begin) * lines.dst.step);
    }
#endif
}
#else
#define READ_CHUNK(x) READ_STRIDED(x)
#endif

// Every chunk's sum becomes what enters it from the chunks of its run; runs: what a run leaves. The
// only run of a tile starts from what enters the tile.
#define SUM_RUNS                                                                                   \
    for (int i_ = item; i_ < SECTIONS * RUN_PLACES; i_ += GROUP) {                                 \
        const int s_ = i_ / RUN_PLACES;                                                            \
        const int lane_ = i_ % LANES;                                                              \
        const int run_ = i_ % RUN_PLACES / LANES;                                                  \
        float w_sum_ = 0.0f, v_sum_ = 0.0f;                                                        \
        if (RUNS == 1)                                                                             \
            READ_ENTERING(s_, lane_, w_sum_, v_sum_);                                              \
        for (int k_ = 0; k_ < RUN; ++k_) {                                                         \
            const int chunk_ = run_ * RUN + (s_ < CAUSAL ? k_ : RUN - 1 - k_);                     \
            __local float *at_ = carries + s_ * ORDER * STATE_PLACES + PLACE_OF(chunk_, lane_);    \
            const float own_w_ = at_[0];                                                           \
            const float own_v_ = at_[(ORDER - 1) * STATE_PLACES];                                  \
            at_[0] = w_sum_;                                                                       \
            if (ORDER == 2)                                                                        \
                at_[(ORDER - 1) * STATE_PLACES] = v_sum_;                                          \
            CARRY_ON(w_sum_, v_sum_, OF_CHUNK, s_ * MATRIX);                                       \
            w_sum_ += own_w_;                                                                      \
            v_sum_ += own_v_;                                                                      \
        }                                                                                          \
        runs[s_ * ORDER * RUN_PLACES + run_ * LANES + lane_] = w_sum_;                             \
        if (ORDER == 2)                                                                            \
            runs[(s_ * ORDER + ORDER - 1) * RUN_PLACES + run_ * LANES + lane_] = v_sum_;           \
    }

// The same for runs, which start from (w, v) of section s; w and v become what the tile leaves.
#define SUM_TILE(s, lane, w, v)                                                                    \
    do {                                                                                           \
        for (int k_ = 0; k_ < RUNS; ++k_) {                                                        \
            const int run_ = (s) < CAUSAL ? k_ : RUNS - 1 - k_;                                    \
            __local float *at_ = runs + (s) * ORDER * RUN_PLACES + run_ * LANES + (lane);          \
            const float own_w_ = at_[0];                                                           \
            const float own_v_ = at_[(ORDER - 1) * RUN_PLACES];                                    \
            at_[0] = (w);                                                                          \
            if (ORDER == 2)                                                                        \
                at_[(ORDER - 1) * RUN_PLACES] = (v);                                               \
            CARRY_ON(w, v, OF_RUN, (s) * MATRIX);                                                  \
            (w) += own_w_;                                                                         \
            if (ORDER == 2)                                                                        \
                (v) += own_v_;                                                                     \
        }                                                                                          \
    } while (0)

// Where an item's chunk is, and the states that start or end in it.
#define PLACE_ITEM                                                                                 \
    const int item = get_local_id(0);                                                              \
    const int chunk = CHUNK_OF(item);                                                              \
    const int lane = LANE_OF(item);                                                                \
    const int first_line = (int)get_group_id(0) * LANES;                                           \
    const int number = get_group_id(1);                                                            \
    const int batch = get_global_id(2);                                                            \
    const int first = number * (TILE - lead - trail) - lead;                                       \
    const int line = first_line + lane;                                                            \
    const int place = first + chunk * CHUNK;                                                       \
    const bool is_there = line < lines.lines;                                                      \
    READ_ENDS

// States between tiles: [batch][tile][state][line].
#define AT_TILE(batch, number) (((long)(batch) * tile_count + (number)) * STATES * lines.lines)

// What every tile leaves behind.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void recursive_aggregate(__global const SRC *restrict src, __global float *restrict between,
                         __global const float *restrict ends, const Lines lines,
                         const int tile_count, SECTIONS_PARAMETER, POWERS_PARAMETER,
                         __local float4 *restrict tile, __local float *restrict carries,
                         __local float *restrict runs) {
    const int lead = 0, trail = 0;
    PLACE_ITEM
    float x[CHUNK];
    READ_CHUNK(x);
    AGGREGATE(x);
    barrier(CLK_LOCAL_MEM_FENCE);
#undef READ_ENTERING
#define READ_ENTERING(s, lane, w, v)
    SUM_RUNS
#undef READ_ENTERING
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < SECTIONS * LANES; i += GROUP) {
        const int s = i / LANES;
        const int to = first_line + i % LANES;
        float w = 0.0f, v = 0.0f;
        SUM_TILE(s, i % LANES, w, v);
        if (to < lines.lines) {
            between[AT_TILE(batch, number) + (long)(s * ORDER) * lines.lines + to] = w;
            if (ORDER == 2)
                between[AT_TILE(batch, number) + (long)(s * ORDER + ORDER - 1) * lines.lines + to] =
                    v;
        }
    }
}

// What a tile leaves becomes what enters it. An item takes a part of the tiles of a line, for one
// section; the parts of a line are of one group.
#define AT_ONCE 8
__kernel __attribute__((reqd_work_group_size(CARRY_LANES, CARRY_PARTS, 1)))
void recursive_carry(__global float *restrict between, const Lines lines, const int tile_count,
                     __global const float *restrict tiles, __global const float *restrict parts,
                     __local float *restrict sums) {
    const int lane = get_local_id(0);
    const int part = get_local_id(1);
    const int i = get_global_id(0);
    const int s = i / ((lines.lines + CARRY_LANES - 1) / CARRY_LANES * CARRY_LANES);
    const int line = i % ((lines.lines + CARRY_LANES - 1) / CARRY_LANES * CARRY_LANES);
    const bool is_there = line < lines.lines;
    const int batch = get_global_id(2);
    const int count = (tile_count + CARRY_PARTS - 1) / CARRY_PARTS;
    const int begin = part * count;
    const int end = min(begin + count, tile_count);
    const long step = (s < CAUSAL ? 1L : -1L) * STATES * lines.lines;
    __global float *from = between + AT_TILE(batch, s < CAUSAL ? 0 : tile_count - 1) +
                           (long)(s * ORDER) * lines.lines + line;
    const long to_v = (ORDER - 1) * (long)lines.lines;
    tiles += s * MATRIX;
    parts += s * MATRIX;
    float w = 0.0f, v = 0.0f;
#if CARRY_PARTS > 1
    // What the part leaves, and then what enters it.
    if (is_there)
        for (int t = begin; t < end; ++t) {
            CARRY_ON(w, v, OF_TILE, 0);
            w += from[t * step];
            v += from[t * step + to_v];
        }
    sums[(part * 2) * CARRY_LANES + lane] = w;
    sums[(part * 2 + 1) * CARRY_LANES + lane] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
#define OF_PART(i) parts[i]
    if (part == 0) {
        float w_in = 0.0f, v_in = 0.0f;
        for (int p = 0; p < CARRY_PARTS; ++p) {
            __local float *at = sums + (p * 2) * CARRY_LANES + lane;
            const float own_w = at[0], own_v = at[CARRY_LANES];
            at[0] = w_in;
            at[CARRY_LANES] = v_in;
            CARRY_ON(w_in, v_in, OF_PART, 0);
            w_in += own_w;
            v_in += own_v;
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
        float own_w[AT_ONCE], own_v[AT_ONCE];
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
                w += own_w[k];
                v += own_v[k];
            }
    }
}

// What enters a tile from the others.
#if HAS_CARRIES
#define READ_ENTERING(s, lane, w, v)                                                               \
    do {                                                                                           \
        if (first_line + (lane) < lines.lines) {                                                   \
            __global const float *from_ = entering + AT_TILE(batch, number) +                      \
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
void recursive_apply(__global const SRC *restrict src, __global DST *restrict dst,
                     __global const float *restrict entering, __global const float *restrict ends,
                     const Lines lines, const int tile_count, SECTIONS_PARAMETER, POWERS_PARAMETER,
                     __global const float *restrict places, const int lead, const int trail,
                     __local float4 *restrict tile,
                     __local float *restrict carries, __local float *restrict runs) {
    PLACE_ITEM
    float x[CHUNK];
    READ_CHUNK(x);
    AGGREGATE(x);
    barrier(CLK_LOCAL_MEM_FENCE);
    float w[SECTIONS], v[SECTIONS];
#if NEAR > 0
    UNROLL for (int s = 0; s < SECTIONS; ++s)
        ENTERING_FROM_NEAR(s, w[s], v[s]);
#else
    SUM_RUNS
    barrier(CLK_LOCAL_MEM_FENCE);
#if RUNS > 1
    for (int i = item; i < SECTIONS * LANES; i += GROUP) {
        const int s = i / LANES;
        float sum_w = 0.0f, sum_v = 0.0f;
        READ_ENTERING(s, i % LANES, sum_w, sum_v);
        SUM_TILE(s, i % LANES, sum_w, sum_v);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    UNROLL for (int s = 0; s < SECTIONS; ++s) {
        w[s] = v[s] = 0.0f;
#if RUNS > 1
        // What enters the run, carried on to this chunk.
        __local const float *at = runs + s * ORDER * RUN_PLACES + chunk / RUN * LANES + lane;
        w[s] = at[0];
        v[s] = at[(ORDER - 1) * RUN_PLACES];
        const int k = s < CAUSAL ? chunk % RUN : RUN - 1 - chunk % RUN;
        CARRY_ON(w[s], v[s], OF_PLACE, (s * RUN + k) * MATRIX);
#endif
        __local const float *own = carries + s * ORDER * STATE_PLACES + PLACE_OF(chunk, lane);
        w[s] += own[0];
        v[s] += own[(ORDER - 1) * STATE_PLACES];
    }
#endif
    START_FROM_ENDS(w, v)
    // What of the tile is stored.
    const int begin = max(lines.begin, first + lead);
    const int end = min(lines.end, first + TILE - trail);
    float y[CHUNK];
    FILTER_CHUNK(x, y, w, v);

#if ALONG_ROWS
    // All samples were read before the barriers.
    UNROLL for (int p = 0; p < CHUNK / 4; ++p)
        tile[PART(lane, chunk, p)] =
            (float4)(y[4 * p], y[4 * p + 1], y[4 * p + 2], y[4 * p + 3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    write_rows(dst, lines, tile, item, first_line, batch, first, begin, end);
#else
    if (is_there)
        WRITE_STRIDED(y, begin, end);
#endif
}
