// A stage of a recursive filter for memories of any length: a group marches along LANES lines from
// their start to their end, CHUNKS chunks of each at a time, so that the states of the causal sections
// are always at hand. What the anticausal ones need comes from `look` tiles ahead: each tile is read
// when it comes that near, for what it leaves, and again, mostly from the cache as all groups are at
// about the same place of their lines, when it is filtered. Nothing is exchanged between groups.
// OWN_STARTS: whether the group computes the states from which its lines start, as recursive_ends does,
// in place of reading them: see recursive_own_starts.clh.
// BODIES: 2 where the loop has a second body, which compares nothing, for tiles that lie inside all lines of the group
// together with the tiles ahead of them; else 1. NVIDIA's compiler keeps more constants in registers in it.
// KEEPS_IN_CACHE: whether the device has reads that say that they come again: see last_use.clh.
// KEEPS: whether `look` is 1, so that the tile ahead stays in registers until it is filtered, and what
// enters its chunks from each other is summed once.
#include "lib/pixel.clh"
#include "lib/last_use.clh"
#include "lib/lines.clh"
#include "lib/recursive.clh"

#if !defined(LANES) || !defined(CHUNKS) || !defined(BODIES) || CHUNKS % 4 != 0
#error LANES, CHUNKS or BODIES is not defined, or CHUNKS is no multiple of 4
#endif
#if !defined(SYMMETRY) || !defined(ALONG_ROWS) || !defined(VECTORS) || !defined(HOLDS) ||           \
    !defined(KEEPS) || !defined(OWN_STARTS) || !defined(STAGED) || !defined(KEEPS_IN_CACHE)
#error SYMMETRY, ALONG_ROWS, VECTORS, HOLDS, KEEPS, OWN_STARTS, STAGED or KEEPS_IN_CACHE is not defined
#endif
#if SOURCES > 1 || TARGETS > 1 || STATE_FORM != 0
#error there is one filter, whose states are floats
#endif

#define TILE (CHUNK * CHUNKS)
#define GROUP (LANES * CHUNKS)
#define NEAR 0
// Where a chunk's state is in local memory: items side by side have places side by side.
#if ALONG_ROWS
#define CHUNK_OF(item) ((int)((uint)(item) % CHUNKS))
#define LANE_OF(item) ((int)((uint)(item) / CHUNKS))
#define PLACE_OF(chunk, lane) ((lane) * (CHUNKS + 1) + (chunk)) // lanes begin in different banks
#define NEXT_CHUNK 1 // is so many places further on
#define STATE_PLACES (LANES * (CHUNKS + 1))
#else
#define CHUNK_OF(item) ((int)((uint)(item) / LANES))
#define LANE_OF(item) ((int)((uint)(item) % LANES))
#define PLACE_OF(chunk, lane) ((chunk) * LANES + (lane))
#define NEXT_CHUNK LANES
#define STATE_PLACES GROUP
#endif
#include "lib/recursive_chunk.clh"

// Rows that are not STAGED are read by chunks: the cache holds what the next vector of a chunk needs of a line.
// STAGED ones, of several components or of no aligned vectors, are read in their own order, by way of local
// memory. All rows are written so, as half-written lines cost more.
#if ALONG_ROWS
#include "lib/recursive_rows.clh"
#if STAGED && ANTICAUSAL > 0
#define ROWS_PARAMETER , __local float4 *rows, __local float4 *rows_ahead
#define FIRST_ROWS rows_ahead
#else
#define ROWS_PARAMETER , __local float4 *rows
#define FIRST_ROWS rows
#endif
#else
#define ROWS_PARAMETER
#endif

#include "lib/recursive_kept.clh"

// A lane's chunks of a tile, for one section: what each leaves becomes what enters it. `state` enters
// the tile. Returns what leaves it. Some are read before the first of them is needed, so that a step
// seldom waits for more than another's arithmetic.
#define AT_ONCE 4
INLINE State carry_causally(__local KEPT *chunks, Matrix over_chunk, State state) {
    UNROLL for (int base = 0; base < CHUNKS; base += AT_ONCE) {
        KEPT own[AT_ONCE];
        UNROLL for (int k = 0; k < AT_ONCE; ++k)
            own[k] = chunks[(base + k) * NEXT_CHUNK];
        UNROLL for (int k = 0; k < AT_ONCE; ++k) {
            chunks[(base + k) * NEXT_CHUNK] = kept_of(state);
            state = carry_over(over_chunk, state, KEPT_STATE(own[k]));
        }
    }
    return state;
}

// The same from the tile's end to its start; `stores` and `has_ends`, constants: whether what enters is
// wanted, and whether the line may end in the tile: in chunk `last`, with the state `end`, which is not
// among what enters it.
INLINE State carry_anticausally(__local KEPT *chunks, Matrix over_chunk, State state, bool stores,
                                bool has_ends, int last, Matrix over_last, State end) {
    UNROLL for (int base = CHUNKS - AT_ONCE; base >= 0; base -= AT_ONCE) {
        KEPT own[AT_ONCE];
        UNROLL for (int k = 0; k < AT_ONCE; ++k)
            own[k] = chunks[(base + k) * NEXT_CHUNK];
        UNROLL for (int k = AT_ONCE - 1; k >= 0; --k) {
            if (stores)
                chunks[(base + k) * NEXT_CHUNK] = kept_of(state);
            state = carry_over(over_chunk, state, KEPT_STATE(own[k]));
            if (has_ends && base + k == last)
                state = carry_over(over_last, end, KEPT_STATE(own[k]));
        }
    }
    return state;
}

#if KEEPS
// Returns what a state becomes over some chunks, less itself.
INLINE Matrix matrix_of_chunks(Matrix over_chunk, int count) {
    State ones[ORDER];
    UNROLL for (int o = 0; o < ORDER; ++o)
        ones[o] = (State){o == 0 ? 1.0f : 0.0f, o == 0 ? 0.0f : 1.0f};
    for (int k = 0; k < count; ++k)
        UNROLL for (int o = 0; o < ORDER; ++o)
            ones[o] = carry_over(over_chunk, ones[o], AT_REST);
#if ORDER == 2
    return (Matrix){ones[0].w - 1.0f, ones[1].w, ones[0].v, ones[1].v - 1.0f};
#else
    return (Matrix){ones[0].w - 1.0f};
#endif
}
#define READ_AHEAD(x, from, at, inside) READ_CHUNK(x, from, at, inside, LOAD_LAST)
#else
#define READ_AHEAD(x, from, at, inside) READ_CHUNK(x, from, at, inside, LOAD_KEPT)
#endif

// Returns the state that enters a tile from the `look` tiles behind it, whose sums are in a ring with that
// of the last of them at `slot`. `state` enters that one.
INLINE State enter_from_ahead(__local const KEPT *ring, int look, int slot, Matrix over_tile,
                              State state) {
    KEPT next = ring[slot * (ANTICAUSAL * LANES)];
    for (int k = 0; k < look; ++k) {
        const KEPT own = next;
        slot = slot == 0 ? look - 1 : slot - 1;
        next = ring[slot * (ANTICAUSAL * LANES)];
        state = carry_over(over_tile, state, KEPT_STATE(own));
    }
    return state;
}

#include "lib/recursive_read.clh"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void recursive_look(SOURCES_PARAMETER, TARGETS_PARAMETER, STARTS_PARAMETER, const Lines lines,
                    const int look, SECTIONS_PARAMETER, OWN_POWERS_PARAMETER,
                    __local KEPT *kept ROWS_PARAMETER) {
    KEEPING;
    const int item = get_local_id(0);
    const int lane = LANE_OF(item);
    const int chunk = CHUNK_OF(item);
    const int place = PLACE_OF(chunk, lane);
    const int first_line = (int)get_group_id(0) * LANES;
    const int line = first_line + lane;
    const int batch = get_global_id(2);
    const bool is_there = line < lines.lines;
    const int tiles = (lines.length + TILE - 1) / TILE;
    const int last_chunk = (lines.length - 1) / CHUNK;

    // By section: what the chunks of a tile leave behind, by place; the same of the tile ahead;
    // [lane], what tiles ahead leave, in a ring; what leaves the tile before, or enters from the line's
    // ends.
    __local KEPT *const left = kept;
    __local KEPT *const left_ahead = left + SECTIONS * STATE_PLACES;
    __local KEPT *const ring = left_ahead + ANTICAUSAL * STATE_PLACES;
    __local KEPT *const beyond = ring + look * (ANTICAUSAL * LANES);
    // The states that would enter the tile ahead if all samples behind it were like its last one.
    __local KEPT *const held = beyond + SECTIONS * LANES;
#if OWN_STARTS
    // Each item sums one in CHUNKS of the samples at its line's ends.
    float sum[STATES];
    UNROLL for (int s = 0; s < STATES; ++s)
        sum[s] = 0.0f;
    if (is_there)
        ADD_ENDS(sum, src + SRC_LINE(line, batch), lines, chunk, CHUNKS);
    __local float *const parts = (__local float *)left;
    UNROLL for (int s = 0; s < STATES; ++s)
        parts[(s * CHUNKS + chunk) * LANES + lane] = sum[s];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < SECTIONS * LANES; i += GROUP) {
        float state[ORDER];
        UNROLL for (int o = 0; o < ORDER; ++o) {
            const int s = i / LANES * ORDER + o;
            state[o] = 0.0f;
            for (int k = 0; k < CHUNKS; ++k)
                state[o] += parts[(s * CHUNKS + k) * LANES + i % LANES];
            state[o] += weights[s];
        }
        beyond[i] = KEPT_OF(state, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    for (uint i = item; i < SECTIONS * LANES; i += GROUP) {
        const int s = i / LANES;
        const int of = first_line + i % LANES;
        State state = AT_REST;
        if (HAS_ENDS && of < lines.lines) {
            __global const float *from =
                ends + ((long)batch * STATES + s * ORDER) * lines.lines + of;
            state = (State){from[0], from[(ORDER - 1) * (long)lines.lines]};
        }
        beyond[i] = kept_of(state);
    }
#endif

#if HOLDS && ANTICAUSAL > 0
    // See steady_w(): divisions take long.
    float steady[ANTICAUSAL];
    {
        Filter filter;
        READ_FILTER(filter, GIVEN, 0);
        UNROLL for (int s = 0; s < ANTICAUSAL; ++s)
            steady[s] = steady_w(filter.sections[CAUSAL + s]);
    }
#endif

#if !STAGED
    __global const SRC *from =
        src + SRC_LINE(line, batch) + (long)(chunk * CHUNK) * lines.src.step;
    const long src_tile = (long)TILE * lines.src.step;
#endif
#if !ALONG_ROWS
    __global DST *to = dst + DST_LINE(line, batch) +
                       (long)(chunk * CHUNK - lines.begin) * lines.dst.step;
    const long dst_tile = (long)TILE * lines.dst.step;
#endif
    float x[CHUNK];
#if STAGED
    Carried carried[CARRIED];
    fetch_rows(src, lines, (Tile){batch, first_line, 0, 0}, item, false, carried);
    put_rows(FIRST_ROWS, item, carried);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if ANTICAUSAL > 0
    float x_ahead[CHUNK];
#if STAGED
    Carried carried_ahead[CARRIED];
#else
    __global const SRC *from_ahead = from;
    READ_AHEAD(x_ahead, from_ahead, chunk * CHUNK, false);
#endif
    UNROLL for (int i = 0; i < CHUNK; ++i)
        x[i] = 0.0f;
#if KEEPS
    // What enters the chunk from others of its tile, and what states that enter the tile become on the way to it.
    State entering[ANTICAUSAL];
    Matrix over_others[ANTICAUSAL];
    UNROLL for (int s = 0; s < ANTICAUSAL; ++s) {
        entering[s] = AT_REST;
        over_others[s] = matrix_of_chunks(MATRIX_AT(POWERS.chunk, CAUSAL + s), CHUNKS - 1 - chunk);
    }
#else
    int slot = 0;
#endif
#elif !STAGED
    READ_CHUNK(x, from, chunk * CHUNK, false, LOAD_LAST);
    from += src_tile;
#endif
    // Tile t is filtered, from tile 0 on; of tile t + look is seen what it leaves. The body for tiles inside runs as long as
    // there are any, the other one tile by tile.
    const int first_inside =
        first_line + LANES <= lines.lines ? (lines.begin + TILE - 1) / TILE : tiles;
    const int end_inside = min(lines.length / TILE - look - 1, lines.end / TILE);
    for (int t = -look; t < tiles;)
    UNROLL for (int inside = BODIES - 1; inside >= 0; --inside)
    for (const int end = inside        ? (t >= first_inside ? end_inside : t)
                         : BODIES == 2 ? t + 1
                                       : tiles;
         t < end; ++t) {
        const int first = t * TILE + chunk * CHUNK;
        const bool has_ends = HAS_ENDS && !inside;
        const bool filters = inside || t >= 0, filters_next = inside || t + 1 >= 0;
#if STAGED && ANTICAUSAL > 0
        take_chunk(rows_ahead, lane, chunk, x_ahead);
#endif
#if STAGED && !KEEPS
        if (filters)
            take_chunk(rows, lane, chunk, x);
#endif
#if HOLDS && ANTICAUSAL > 0
        if (chunk == CHUNKS - 1) {
            const float last =
                inside || (t + look + 1) * TILE < lines.length ? x_ahead[CHUNK - 1] : 0.0f;
            Filter filter;
            READ_FILTER(filter, GIVEN, 0);
            UNROLL for (int s = 0; s < ANTICAUSAL; ++s)
                held[s * LANES + lane] = kept_of(
                    steady_state_of(steady[s] * last, filter.sections[CAUSAL + s].w_by_w));
        }
#endif
#if SYMMETRY
        float first_left[ONE_WAY], second_left[ONE_WAY]; // from the chunk's first and second half
        float sums[HALVES * PAIRS], differences[HALVES * PAIRS];
        {
            float ahead_sums[HALVES * PAIRS], ahead_differences[HALVES * PAIRS];
            float unused[ONE_WAY], first_half[ONE_WAY], second_half[ONE_WAY], all[ONE_WAY];
            pair_up(x_ahead, ahead_sums, ahead_differences);
            LEAVE_HALF(POWERS.symmetric, unused, first_half, ahead_sums, ahead_differences);
            LEAVE_HALF(POWERS.symmetric, unused, second_half, ahead_sums + PAIRS,
                       ahead_differences + PAIRS);
            CARRY_ON_HALF(POWERS.symmetric, all, second_half, first_half);
            UNROLL for (int s = 0; s < ANTICAUSAL; ++s)
                left_ahead[s * STATE_PLACES + place] = KEPT_OF(all, s);

            pair_up(x, sums, differences);
            float others[ONE_WAY];
            LEAVE_HALF(POWERS.symmetric, first_left, first_half, sums, differences);
            LEAVE_HALF(POWERS.symmetric, others, second_left, sums + PAIRS, differences + PAIRS);
            CARRY_ON_HALF(POWERS.symmetric, all, first_left, others);
            UNROLL for (int s = 0; s < CAUSAL; ++s)
                left[s * STATE_PLACES + place] = KEPT_OF(all, s);
#if !KEEPS
            CARRY_ON_HALF(POWERS.symmetric, all, second_left, first_half);
            UNROLL for (int s = 0; s < ANTICAUSAL; ++s)
                left[(CAUSAL + s) * STATE_PLACES + place] = KEPT_OF(all, s);
#endif
        }
#else
        float own[CHUNK];
        {
            float all[STATES];
#if ANTICAUSAL > 0
            WEIGHTED_SUMS(all, 0, 1, x_ahead);
            UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                left_ahead[(s - CAUSAL) * STATE_PLACES + place] = KEPT_OF(all, s);
#endif
            WEIGHTED_SUMS(all, 0, 1, x);
            UNROLL for (int s = 0; s < (KEEPS ? CAUSAL : SECTIONS); ++s)
                left[s * STATE_PLACES + place] = KEPT_OF(all, s);
            UNROLL for (int i = 0; i < CHUNK; ++i)
                own[i] = x[i];
        }
#endif
        // The samples of the next turn are under way while this one goes on.
#if KEEPS
        UNROLL for (int i = 0; i < CHUNK; ++i)
            x[i] = x_ahead[i];
#endif
#if STAGED
#if ANTICAUSAL > 0
        fetch_rows(src, lines, (Tile){batch, first_line, 0, (t + look + 1) * TILE}, item, inside,
                   carried_ahead);
#endif
#if !KEEPS
        if (filters_next)
            fetch_rows(src, lines, (Tile){batch, first_line, 0, (t + 1) * TILE}, item, inside,
                       carried);
#endif
#else
#if ANTICAUSAL > 0
        from_ahead += src_tile;
        READ_AHEAD(x_ahead, from_ahead, first + (look + 1) * TILE, inside);
#endif
#if !KEEPS
        // Before tile 0 samples are 0, as behind the line: a branch around the reads would have them copied.
        READ_CHUNK(x, from, filters_next ? first + TILE : lines.length, inside, LOAD_LAST);
        if (filters_next)
            from += src_tile;
#endif
#endif
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint i = item; i < SECTIONS * LANES; i += GROUP) {
            const int s = i / LANES;
            const int of = i % LANES;
            __local KEPT *const chunks = left + s * STATE_PLACES + PLACE_OF(0, of);
            const Matrix over_chunk = MATRIX_AT(POWERS.chunk, s);
            const State outside = KEPT_STATE(beyond[i]);
            if (s < CAUSAL) {
                if (filters)
                    beyond[i] = kept_of(carry_causally(chunks, over_chunk, outside));
            }
#if ANTICAUSAL > 0
            else {
                const Matrix over_last = MATRIX_AT(POWERS.last_chunk, s);
                __local KEPT *const own_ring = ring + (s - CAUSAL) * LANES + of;
                const State left_by_tile = carry_anticausally(
                    left_ahead + (s - CAUSAL) * STATE_PLACES + PLACE_OF(0, of), over_chunk, AT_REST,
                    KEEPS, has_ends, last_chunk - (t + look) * CHUNKS, over_last, outside);
#if KEEPS
                own_ring[0] = kept_of(HOLDS ? carry_over(MATRIX_AT(POWERS.run, s),
                                                         KEPT_STATE(held[i - CAUSAL * LANES]),
                                                         left_by_tile)
                                            : left_by_tile);
#else
                own_ring[slot * (ANTICAUSAL * LANES)] = kept_of(left_by_tile);
                if (filters)
                    carry_anticausally(
                        chunks, over_chunk,
                        enter_from_ahead(own_ring, look, slot, MATRIX_AT(POWERS.run, s),
                                         HOLDS ? KEPT_STATE(held[i - CAUSAL * LANES]) : AT_REST),
                        true, has_ends, last_chunk - t * CHUNKS, over_last, outside);
#endif
            }
#endif
        }
#if ANTICAUSAL > 0 && !KEEPS
        slot = slot == look - 1 ? 0 : slot + 1;
#endif
#if SYMMETRY
        FILTER_PAIRS(POWERS.symmetric, sums, differences);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);

#if KEEPS
        // What enters the chunk in all; and, for the next turn, from others of the tile ahead.
        State behind[ANTICAUSAL];
        UNROLL for (int s = 0; s < ANTICAUSAL; ++s) {
            behind[s] = carry_over(over_others[s], KEPT_STATE(ring[s * LANES + lane]), entering[s]);
            entering[s] = KEPT_STATE(left_ahead[s * STATE_PLACES + place]);
        }
#define ENTERING_FROM_BEHIND(s) kept_of(behind[s])
#else
#define ENTERING_FROM_BEHIND(s) left[(CAUSAL + (s)) * STATE_PLACES + place]
#endif
        if (filters) {
            float y[CHUNK];
            const bool ends_here = has_ends && ANTICAUSAL > 0 && first < lines.length &&
                                   first + CHUNK >= lines.length;
#if SYMMETRY
            float causal[ONE_WAY], anticausal[ONE_WAY];
            UNROLL for (int s = 0; s < CAUSAL; ++s) {
                PUT_KEPT(causal, s, left[s * STATE_PLACES + place]);
                PUT_KEPT(anticausal, s, ENTERING_FROM_BEHIND(s));
            }
            if (ends_here)
                UNROLL for (int k = 0; k < ONE_WAY; ++k)
                    anticausal[k] = 0.0f;
            FINISH_CHUNK(POWERS.symmetric, y, sums, differences, causal, anticausal, first_left,
                         second_left);
#else
            State states[SECTIONS];
            UNROLL for (int s = 0; s < SECTIONS; ++s) {
                states[s] = KEPT_STATE(s < CAUSAL ? left[s * STATE_PLACES + place]
                                                  : ENTERING_FROM_BEHIND(s - CAUSAL));
                if (s >= CAUSAL && ends_here)
                    states[s] = AT_REST;
            }
            Filter filter;
            READ_FILTER(filter, GIVEN, 0);
            UNROLL for (int i = 0; i < CHUNK; ++i)
                filter_causally(&filter, own[i], y + i, states);
            UNROLL for (int i = CHUNK - 1; i >= 0; --i)
                add_anticausal(&filter, own[i], y + i, states);
#endif
            // The end of a line may lie anywhere in its chunk: what it adds comes by itself.
            if (ends_here)
                ADD_END_STATES(y, first, lines.length, beyond + lane, LANES);
#if ALONG_ROWS
            put_chunk(rows, lane, chunk, y);
        }
#if STAGED && ANTICAUSAL > 0
        put_rows(rows_ahead, item, carried_ahead);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        if (filters) {
            const Tile tile = {batch, first_line, t, t * TILE};
            write_rows(dst, lines, tile, item, inside, rows, max(tile.first, lines.begin),
                       min(tile.first + TILE, lines.end));
#else
            if (inside || (is_there && first >= lines.begin && first + CHUNK <= lines.end)) {
                __global DST *next_to = to;
                UNROLL for (int i = 0; i < CHUNK; ++i) {
                    STORE(y[i], next_to);
                    next_to += lines.dst.step;
                }
            } else if (is_there) {
                __global DST *next_to = to;
                UNROLL for (int i = 0; i < CHUNK; ++i) {
                    if (first + i >= lines.begin && first + i < lines.end)
                        STORE(y[i], next_to);
                    next_to += lines.dst.step;
                }
            }
            to += dst_tile;
#endif
        }
#if STAGED && !KEEPS
        // Every item replaces the results that it wrote itself.
        if (filters_next)
            put_rows(rows, item, carried);
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}
