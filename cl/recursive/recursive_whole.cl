// A stage of a recursive filter on lines that a group holds whole: CHUNKS chunks of LANES lines, one for each item. Every
// sample is read once, and nothing comes from other groups. What chunks leave behind is summed in runs of RUN chunks, and
// then over the runs. Lines of few samples take as long as a group needs for one after the other of these steps, so that
// there are few of them.
// OWN_STARTS: whether the group computes the states from which its lines start, as recursive_ends does, in place of
// reading them: see recursive_own_starts.clh.
#include "lib/pixel.clh"
#include "lib/lines.clh"
#include "lib/recursive.clh"

#if !defined(LANES) || !defined(CHUNKS) || !defined(RUN) || CHUNKS % RUN != 0
#error LANES, CHUNKS or RUN is not defined, or chunks are not whole runs
#endif
#if !defined(ALONG_ROWS) || !defined(VECTORS) || !defined(OWN_STARTS) || !defined(STAGED)
#error ALONG_ROWS, VECTORS, OWN_STARTS or STAGED is not defined
#endif
#if SOURCES > 1 || TARGETS > 1 || STATE_FORM != 0
#error there is one filter, whose states are floats
#endif

#define TILE (CHUNK * CHUNKS)
#define GROUP (LANES * CHUNKS)
#define RUNS (CHUNKS / RUN)
#define NEAR 0
// Where a chunk's state is in local memory. Items side by side have places side by side; a place is left out between
// runs, so that they begin in different banks.
#define STATE_PLACES (LANES * (CHUNKS + RUNS))
#if ALONG_ROWS
#define CHUNK_OF(item) ((int)((uint)(item) % CHUNKS))
#define LANE_OF(item) ((int)((uint)(item) / CHUNKS))
#define PLACE_OF(chunk, lane) ((lane) * (CHUNKS + RUNS) + (chunk) + (int)((uint)(chunk) / RUN))
#define NEXT_CHUNK 1 // is so many places further on
#else
#define CHUNK_OF(item) ((int)((uint)(item) / LANES))
#define LANE_OF(item) ((int)((uint)(item) % LANES))
#define PLACE_OF(chunk, lane) (((chunk) + (int)((uint)(chunk) / RUN)) * LANES + (lane))
#define NEXT_CHUNK LANES
#endif
#include "lib/recursive_chunk.clh"
#if SECTIONS > CHUNKS
#error a group has fewer items than its lanes have sections
#endif

#if ALONG_ROWS
#include "lib/recursive_rows.clh"
#define ROWS_PARAMETER , __local float4 *rows
#else
#define ROWS_PARAMETER
#endif
#include "lib/recursive_kept.clh"
#include "lib/recursive_read.clh"

// Each of `count` sums of chunks, or of runs, which lie `step` places apart in the section's direction, becomes what enters
// its chunk from those before it; `state`, at rest before, enters the first and becomes what leaves the last. Some are read
// before the first of them is needed, so that a step seldom waits for more than another's arithmetic.
#define AT_ONCE 8
#define CARRY(state, sums, count, step, matrix)                                                    \
    UNROLL for (int base_ = 0; base_ < (count); base_ += AT_ONCE) {                                \
        KEPT own_[AT_ONCE];                                                                        \
        UNROLL for (int k_ = 0; k_ < AT_ONCE; ++k_)                                                \
            if (base_ + k_ < (count))                                                              \
                own_[k_] = (sums)[(base_ + k_) * (step)];                                          \
        UNROLL for (int k_ = 0; k_ < AT_ONCE; ++k_)                                                \
            if (base_ + k_ < (count)) {                                                            \
                (sums)[(base_ + k_) * (step)] = kept_of(state);                                    \
                state = carry_over(matrix, state, KEPT_STATE(own_[k_]));                           \
            }                                                                                      \
    }

// Beside the weights of FROM_SUMS: matrices over a section's last chunk, but for the sample at the line's end.
#define OVER_REST OF_OTHERS

// Numbers that the group copies to local memory, and how many of them an item copies.
#define MATRICES (SECTIONS * RUN * MATRIX)
#define MATRICES_OF_ITEM ((MATRICES + GROUP - 1) / GROUP)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void recursive_whole(SOURCES_PARAMETER, TARGETS_PARAMETER, STARTS_PARAMETER, const Lines lines,
                     SECTIONS_PARAMETER, OWN_POWERS_PARAMETER, __global const float *restrict over_chunks,
                     __local KEPT *kept ROWS_PARAMETER) {
    const int item = get_local_id(0);
    const int lane = LANE_OF(item);
    const int chunk = CHUNK_OF(item);
    const int place = PLACE_OF(chunk, lane);
    const int first_line = (int)get_group_id(0) * LANES;
    const int line = first_line + lane;
    const int batch = get_global_id(2);
    const bool is_there = line < lines.lines;
    const int last_chunk = (lines.length - 1) / CHUNK;
    const int first = chunk * CHUNK;

    // By section: what chunks leave behind, and then what enters them, by place; [run][lane], the same of runs; [lane],
    // the states at the line's start and end. matrices: see Matrix, over 0, 1, ... RUN - 1 chunks.
    __local KEPT *const left = kept;
    __local KEPT *const runs = left + SECTIONS * STATE_PLACES;
    __local KEPT *const beyond = runs + SECTIONS * RUNS * LANES;
#if OWN_STARTS == FROM_SUMS
    // [lane]: what a section leaves where it arrives, but for that sample; and what the state at the line's end leaves at
    // the start of its last chunk.
    __local KEPT *const arriving = beyond + SECTIONS * LANES;
    __local KEPT *const ended = arriving + SECTIONS * LANES;
    __local float *const matrices = (__local float *)(ended + SECTIONS * LANES);
#else
    __local float *const matrices = (__local float *)(beyond + SECTIONS * LANES);
#endif

    float x[CHUNK];
#if STAGED
    Carried carried[CARRIED];
    fetch_rows(src, lines, (Tile){batch, first_line, 0, 0}, item, false, carried);
#else
    __global const SRC *const from = src + SRC_LINE(line, batch) + (long)first * lines.src.step;
    READ_CHUNK(x, from, first, false, LOAD);
#endif
    float matrix[MATRICES_OF_ITEM];
    UNROLL for (int k = 0; k < MATRICES_OF_ITEM; ++k)
        if (item + k * GROUP < MATRICES)
            matrix[k] = over_chunks[item + k * GROUP];
#if HAS_ENDS
    // The states at the ends of line `end_lane`, of section `end_section`, are of this item, if there are these.
    const int end_section = (uint)item / LANES;
    const int end_lane = (uint)item % LANES;
    const bool has_end = item < SECTIONS * LANES;
#if OWN_STARTS == FROM_SUMS
    float x_first = 0.0f, x_last = 0.0f;
    if (has_end && first_line + end_lane < lines.lines) {
        __global const SRC *of = src + SRC_LINE(first_line + end_lane, batch);
        x_first = LOAD(of);
        x_last = LOAD(of + (long)(lines.length - 1) * lines.src.step);
    }
#else
    float end_state[ORDER];
    UNROLL for (int o = 0; o < ORDER; ++o)
        end_state[o] = 0.0f;
#if OWN_STARTS
    if (has_end)
        UNROLL for (int o = 0; o < ORDER; ++o)
            end_state[o] = weights[end_section * ORDER + o];
#if OWN_STARTS == FROM_EDGES
    if (has_end && first_line + end_lane < lines.lines) {
        __global const SRC *of = src + SRC_LINE(first_line + end_lane, batch);
        const float x_near = near > 0 ? LOAD(of) : 0.0f;
        const float x_far = far > 0 ? LOAD(of + (long)(lines.length - 1) * lines.src.step) : 0.0f;
        UNROLL for (int o = 0; o < ORDER; ++o) {
            __global const float *weight = weights + STATES + end_section * ORDER + o;
            const float w_near = near > 0 ? weight[0] : 0.0f;
            const float w_far = far > 0 ? weight[near * STATES] : 0.0f;
            end_state[o] = fma(w_far, x_far, fma(w_near, x_near, end_state[o]));
        }
    }
#else
    // Each item sums a part of the samples that matter, [state][chunk][lane]; then some sum these, [state][run][lane].
    __local float *const parts = (__local float *)left;
    __local float *const parts_of_runs = (__local float *)runs;
    {
        float sum[STATES];
        UNROLL for (int s = 0; s < STATES; ++s)
            sum[s] = 0.0f;
        if (is_there)
            ADD_ENDS(sum, src + SRC_LINE(line, batch), lines, chunk, CHUNKS);
        UNROLL for (int s = 0; s < STATES; ++s)
            parts[(s * CHUNKS + chunk) * LANES + lane] = sum[s];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < STATES * RUNS * LANES; i += GROUP) {
        __local const float *of = parts + i / LANES * (RUN * LANES) + i % LANES;
        float sum = 0.0f;
        UNROLL for (int k = 0; k < RUN; ++k)
            sum += of[k * LANES];
        parts_of_runs[i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (has_end)
        UNROLL for (int o = 0; o < ORDER; ++o)
            UNROLL for (int k = 0; k < RUNS; ++k)
                end_state[o] +=
                    parts_of_runs[((end_section * ORDER + o) * RUNS + k) * LANES + end_lane];
#endif
#else
    if (has_end && first_line + end_lane < lines.lines)
        UNROLL for (int o = 0; o < ORDER; ++o)
            end_state[o] = ends[((long)batch * STATES + end_section * ORDER + o) * lines.lines + first_line + end_lane];
#endif
#endif
#endif
    UNROLL for (int k = 0; k < MATRICES_OF_ITEM; ++k)
        if (item + k * GROUP < MATRICES)
            matrices[item + k * GROUP] = matrix[k];
#if STAGED
    put_rows(rows, item, carried);
    barrier(CLK_LOCAL_MEM_FENCE);
    take_chunk(rows, lane, chunk, x);
#endif

#if OWN_STARTS == FROM_SUMS
    if (chunk == 0 || chunk == last_chunk) {
        Filter filter;
        READ_FILTER(filter, GIVEN, 0);
        State own[SECTIONS];
        UNROLL for (int s = 0; s < SECTIONS; ++s)
            own[s] = AT_REST;
        UNROLL for (int i = 0; i < CHUNK; ++i)
            UNROLL for (int s = 0; s < CAUSAL; ++s)
                if (first + i < lines.length - 1)
                    own[s] = take(filter.sections[s], own[s], x[i]);
        UNROLL for (int i = CHUNK - 1; i > 0; --i)
            UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                own[s] = take(filter.sections[s], own[s], x[i]);
        if (chunk == last_chunk)
            UNROLL for (int s = 0; s < CAUSAL; ++s)
                arriving[s * LANES + lane] = kept_of(own[s]);
        if (chunk == 0)
            UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                arriving[s * LANES + lane] = kept_of(own[s]);
    }
#endif
#if SYMMETRY
    float first_left[ONE_WAY], second_left[ONE_WAY]; // from the chunk's first and second half
    float sums[HALVES * PAIRS], differences[HALVES * PAIRS];
    {
        float first_half[ONE_WAY], second_half[ONE_WAY], all[ONE_WAY];
        pair_up(x, sums, differences);
        LEAVE_HALF(POWERS.symmetric, first_left, first_half, sums, differences);
        LEAVE_HALF(POWERS.symmetric, second_half, second_left, sums + PAIRS, differences + PAIRS);
        CARRY_ON_HALF(POWERS.symmetric, all, first_left, second_half);
        UNROLL for (int s = 0; s < CAUSAL; ++s)
            left[s * STATE_PLACES + place] = KEPT_OF(all, s);
        CARRY_ON_HALF(POWERS.symmetric, all, second_left, first_half);
        UNROLL for (int s = 0; s < ANTICAUSAL; ++s)
            left[(CAUSAL + s) * STATE_PLACES + place] = KEPT_OF(all, s);
    }
#else
    {
        float all[STATES];
        WEIGHTED_SUMS(all, 0, 1, x);
        UNROLL for (int s = 0; s < SECTIONS; ++s)
            left[s * STATE_PLACES + place] = KEPT_OF(all, s);
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);

#if HAS_ENDS && OWN_STARTS != FROM_SUMS
    // The states at a line's ends add to the sums of its first and its last chunk.
    if (has_end) {
        const KEPT end = KEPT_OF(end_state, 0);
        const bool is_causal = end_section < CAUSAL;
        __local KEPT *const at =
            left + end_section * STATE_PLACES + PLACE_OF(is_causal ? 0 : last_chunk, end_lane);
        const Matrix over_ended = is_causal ? MATRIX_AT(POWERS.chunk, end_section)
                                            : MATRIX_AT(POWERS.last_chunk, end_section);
        *at = kept_of(carry_over(over_ended, KEPT_STATE(end), KEPT_STATE(*at)));
        beyond[item] = end;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (uint i = item; i < SECTIONS * RUNS * LANES; i += GROUP) {
        const int s = i / (RUNS * LANES);
        const int run = (int)(i / LANES) % RUNS;
        const int of = i % LANES;
        const bool is_causal = s < CAUSAL;
        __local KEPT *const chunks =
            left + s * STATE_PLACES + PLACE_OF(run * RUN + (is_causal ? 0 : RUN - 1), of);
        const int step = is_causal ? NEXT_CHUNK : -NEXT_CHUNK;
        const Matrix over_chunk = MATRIX_AT(POWERS.chunk, s);
        State state = AT_REST;
        CARRY(state, chunks, RUN, step, over_chunk);
        runs[i] = kept_of(state);
    }
#if SYMMETRY
    FILTER_PAIRS(POWERS.symmetric, sums, differences);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    const int last_run = (uint)last_chunk / RUN;
    const int last_of_run = (uint)last_chunk % RUN;
#if OWN_STARTS == FROM_SUMS
    // The states at both ends are made of what sections leave where they arrive.
    if (has_end) {
        const bool is_causal = end_section < CAUSAL;
        __local const KEPT *const all =
            runs + (end_section * RUNS + (is_causal ? 0 : RUNS - 1)) * LANES + end_lane;
        const int step = is_causal ? LANES : -LANES;
        const int before = is_causal ? last_run : RUNS - 1;
        const Matrix over_run = MATRIX_AT(POWERS.run, end_section);
        State state = AT_REST;
        for (int k = 0; k < before; ++k)
            state = carry_over(over_run, state, KEPT_STATE(all[k * step]));
        state = carry_over(
            MATRIX_AT(matrices, end_section * RUN + (is_causal ? last_of_run : RUN - 1)), state,
            KEPT_STATE(left[end_section * STATE_PLACES + PLACE_OF(is_causal ? last_chunk : 0, end_lane)]));
        arriving[item] = kept_of(carry_over(MATRIX_AT(weights + OVER_REST, end_section), state,
                                            KEPT_STATE(arriving[item])));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (has_end) {
        const bool is_causal = end_section < CAUSAL;
        const int pole = is_causal ? end_section : end_section - CAUSAL;
        const State end = state_from_sums(weights, end_section, x_first, x_last,
                                          KEPT_STATE(arriving[(CAUSAL + pole) * LANES + end_lane]),
                                          KEPT_STATE(arriving[pole * LANES + end_lane]));
        beyond[item] = kept_of(end);
        if (!is_causal) {
            // The line's last run ends with it.
            const State left_by_end = carry_over(MATRIX_AT(POWERS.last_chunk, end_section), end, AT_REST);
            ended[item] = kept_of(left_by_end);
            __local KEPT *const of_run = runs + (end_section * RUNS + last_run) * LANES + end_lane;
            *of_run = kept_of(carry_over(MATRIX_AT(matrices, end_section * RUN + last_of_run),
                                         left_by_end, KEPT_STATE(*of_run)));
        }
    }
#endif
#if RUNS > 1 || OWN_STARTS == FROM_SUMS
    if (item < SECTIONS * LANES) {
        const int s = (uint)item / LANES;
        const bool is_causal = s < CAUSAL;
        const Matrix over_run = MATRIX_AT(POWERS.run, s);
        __local KEPT *const all =
            runs + (s * RUNS + (is_causal ? 0 : RUNS - 1)) * LANES + (uint)item % LANES;
        const int step = is_causal ? LANES : -LANES;
        State state = AT_REST;
#if OWN_STARTS == FROM_SUMS
        if (is_causal)
            state = KEPT_STATE(beyond[item]);
#endif
        CARRY(state, all, RUNS, step, over_run);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

    State entering[SECTIONS];
    UNROLL for (int s = 0; s < SECTIONS; ++s) {
        entering[s] = KEPT_STATE(left[s * STATE_PLACES + place]);
#if RUNS > 1 || OWN_STARTS == FROM_SUMS
        const int run = (uint)chunk / RUN;
        const int k = s < CAUSAL ? (uint)chunk % RUN : RUN - 1 - (uint)chunk % RUN;
        entering[s] = carry_over(MATRIX_AT(matrices, s * RUN + k),
                                 KEPT_STATE(runs[(s * RUNS + run) * LANES + lane]), entering[s]);
#endif
#if OWN_STARTS == FROM_SUMS
        if (s >= CAUSAL && run == last_run && chunk < last_chunk)
            entering[s] = carry_over(MATRIX_AT(matrices, s * RUN + last_chunk - 1 - chunk),
                                     KEPT_STATE(ended[s * LANES + lane]), entering[s]);
#endif
    }
    float y[CHUNK];
#if HAS_ENDS
    if (chunk == 0)
        UNROLL for (int s = 0; s < CAUSAL; ++s)
            entering[s] = KEPT_STATE(beyond[s * LANES + lane]);
    // The line may end anywhere in its last chunk: what the end's state adds there comes by itself.
    const bool ends_at_chunk = lines.length % CHUNK == 0;
    if (chunk == last_chunk)
        UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
            entering[s] = ends_at_chunk ? KEPT_STATE(beyond[s * LANES + lane]) : AT_REST;
#endif
#if SYMMETRY
    float causal[ONE_WAY], anticausal[ONE_WAY];
    UNROLL for (int s = 0; s < CAUSAL; ++s) {
        PUT_KEPT(causal, s, kept_of(entering[s]));
        PUT_KEPT(anticausal, s, kept_of(entering[CAUSAL + s]));
    }
    FINISH_CHUNK(POWERS.symmetric, y, sums, differences, causal, anticausal, first_left,
                 second_left);
#else
    Filter filter;
    READ_FILTER(filter, GIVEN, 0);
    UNROLL for (int i = 0; i < CHUNK; ++i)
        filter_causally(&filter, x[i], y + i, entering);
    UNROLL for (int i = CHUNK - 1; i >= 0; --i)
        add_anticausal(&filter, x[i], y + i, entering);
#endif
#if HAS_ENDS && ANTICAUSAL > 0
    if (chunk == last_chunk && !ends_at_chunk)
        ADD_END_STATES(y, first, lines.length, beyond + lane, LANES);
#endif

#if ALONG_ROWS
    put_chunk(rows, lane, chunk, y);
    barrier(CLK_LOCAL_MEM_FENCE);
    write_rows(dst, lines, (Tile){batch, first_line, 0, 0}, item, false, rows, lines.begin, lines.end);
#else
    if (is_there) {
        __global DST *to = dst + DST_LINE(line, batch) + (long)(first - lines.begin) * lines.dst.step;
        if (first >= lines.begin && first + CHUNK <= lines.end) {
            UNROLL for (int i = 0; i < CHUNK; ++i) {
                STORE(y[i], to);
                to += lines.dst.step;
            }
        } else {
            UNROLL for (int i = 0; i < CHUNK; ++i) {
                if (first + i >= lines.begin && first + i < lines.end)
                    STORE(y[i], to);
                to += lines.dst.step;
            }
        }
    }
#endif
}
