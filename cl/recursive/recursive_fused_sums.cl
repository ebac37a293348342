// A recursive filter along x and y in one pass, for GPUs, where little is left of a sample after
// BLOCKS chunks: the image is read as its border extends it, and nothing enters an item's samples
// from further away. A group marches down a slab of LANES columns, CHUNK rows at a time: a tile. An
// item sums up what its chunk of a row leaves behind, and what the chunks beside the slab leave;
// with the sums of BLOCKS chunks on either side it filters its chunk. Then it goes on along a
// column, BLOCKS tiles behind: so many tiles stay in local memory.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/recursive.clh"
#include "lib/rolled.clh"
#include "lib/group_place.clh"

#if !defined(LANES) || !defined(BLOCKS) || !defined(SPARE) || !defined(VECTORS) ||                 \
    !defined(MIRRORED) || !defined(CUT) || !defined(PART)
#error LANES, BLOCKS, SPARE, VECTORS, MIRRORED, CUT or PART is not defined
#endif
#if !defined(HOLDS) || !defined(SYMMETRY) || (CUT && (HOLDS || SYMMETRY))
#error HOLDS or SYMMETRY is not defined, or nothing lies beyond the image
#endif

// ADDS: whether results are added to what the target, of f32, has.
#if !defined(ADDS) || (ADDS && DST_TYPE != PIXEL_F32)
#error ADDS is not defined, or the target would round what is added to
#endif

#define APRON (BLOCKS * CHUNK)
#include "lib/recursive_plane.clh"
#define CHUNKS (WIDTH / CHUNK)   // of a row: each of one component
#define NEAR (BLOCKS * CHANNELS) // chunks that matter on either side of the slab
#define PLACES (CHUNKS + NEAR)   // of sums of a row
#if SYMMETRY
#include "lib/recursive_symmetric.clh"
#endif
// An odd number of vectors from row to row: in different banks.
#define PITCH (WIDTH + 4)
#define TILE (CHUNK * PITCH)
// SPARE: 1 where local memory has room for one tile more, so that the oldest need not be read before
// another comes.
#define TILES (BLOCKS + SPARE)
// An item sums up PART samples beside the slab of a tile: a chunk, or more (LONGER) where chunks are more
// than items. The sum of the part that is k parts from the slab goes to the place of the chunk that is k
// chunks from it, as what a chunk there would have left; the places further away have nothing.
#define LONGER (PART > CHUNK)
#define PARTS_BESIDE (APRON / PART)
#if PARTS_BESIDE * PART != APRON || PART % 4 != 0
#error the items do not share the samples beside a slab in whole vectors
#endif
#define SIDES (2 * PARTS_BESIDE * CHANNELS * CHUNK)
#define FAR (NEAR - PARTS_BESIDE * CHANNELS) // places on either side that have nothing

typedef struct Axes {
    Sections sections[2];
    // The state w, and v, that a sample of 1 leaves behind after `age` samples.
    float aged[2][WEIGHTED * ORDER * PART];
    // The state that 1 in w and 1 in v leave behind after a chunk: w from w, w from v, v from w, and
    // v from v.
    float chunk[2][WEIGHTED * ORDER * ORDER];
#if LONGER
    float longer[2][WEIGHTED * ORDER * ORDER]; // the same after PART - CHUNK samples
#endif
#if HOLDS
    float held[2][WEIGHTED * ORDER]; // see HELD
#endif
#if SYMMETRY
    Symmetric symmetric[2];
#endif
#if CUT
    // The states of anticausal sections at the cut are sums over the last samples before it: their
    // weights, from the last sample on.
    float starts[2][(SECTIONS - CAUSAL) * ORDER * APRON];
#endif
} Axes;

#define AGED_W(axis, s, age) AXES.aged[axis][(WEIGHTS_OF(s) * PART + (age)) * ORDER]
#define AGED_V(axis, s, age) AXES.aged[axis][(WEIGHTS_OF(s) * PART + (age)) * ORDER + ORDER - 1]
#define LEFT(axis, s, i) AXES.chunk[axis][WEIGHTS_OF(s) * ORDER * ORDER + (i)]
#define LEFT_BY_LONGER(axis, s, i) AXES.longer[axis][WEIGHTS_OF(s) * ORDER * ORDER + (i)]

// Adds to a state, made of BLOCKS chunks, what samples x before these would have left.
#if HOLDS
#define HOLD(axis, s, x, state) ((state) = add_aged(state, HELD(axis, s), x))
#else
#define HOLD(axis, s, x, state)
#endif

// Adds a sample of that age to a sum.
#define ADD_AGED(axis, s, age, x, sum)                                                             \
    do {                                                                                           \
        (sum).w = fma(AGED_W(axis, s, age), x, (sum).w);                                           \
        if (ORDER == 2)                                                                            \
            (sum).v = fma(AGED_V(axis, s, age), x, (sum).v);                                       \
    } while (0)

// A state some samples later, plus the sum of these. LEFT_BY: what 1 in w and 1 in v leave then.
#if ORDER == 1
#define LATER(LEFT_BY, axis, s, state, sum)                                                        \
    ((State){fma(LEFT_BY(axis, s, 0), (state).w, (sum).w), 0.0f})
#else
#define LATER(LEFT_BY, axis, s, state, sum)                                                        \
    ((State){fma(LEFT_BY(axis, s, 0), (state).w, fma(LEFT_BY(axis, s, 1), (state).v, (sum).w)),    \
             fma(LEFT_BY(axis, s, 2), (state).w, fma(LEFT_BY(axis, s, 3), (state).v, (sum).v))})
#endif
#define A_CHUNK_LATER(axis, s, state, sum) LATER(LEFT, axis, s, state, sum)

// Sums of a row's chunks in local memory: [section][w or v][place][row].
#define SUM_AT(s, place, row) (((s) * ORDER * PLACES + (place)) * CHUNK + (row))
#define store_sum(to, sum) store_apart(to, sum, PLACES * CHUNK)
#define load_sum(from) load_apart(from, PLACES * CHUNK)
// A state whose v lies so many floats behind its w.
INLINE void store_apart(__local float *to, State state, int apart) {
    to[0] = state.w;
    if (ORDER == 2)
        to[apart] = state.v;
}
INLINE State load_apart(__local const float *from, int apart) {
    return (State){from[0], ORDER == 2 ? from[apart] : 0.0f};
}

#if SYMMETRY
// Section s's state among the states of several, and the states of the sections of one direction as such.
#define STATE_OF(all, s) ((State){(all)[(s) * ORDER], ORDER == 2 ? (all)[(s) * ORDER + ORDER - 1] : 0.0f})
#define PUT_STATES(all, states)                                                                    \
    UNROLL for (int s_ = 0; s_ < CAUSAL; ++s_) {                                                   \
        (all)[s_ * ORDER] = (states)[s_].w;                                                        \
        if (ORDER == 2)                                                                            \
            (all)[s_ * ORDER + ORDER - 1] = (states)[s_].v;                                        \
    }
#endif

// A chunk of samples x[] and their results y[]. Causal states are what the chunk leaves then.
INLINE void filter_chunk(const Filter *filter, const float *x, float *y, State *states) {
    UNROLL for (int i = 0; i < CHUNK; ++i)
        filter_causally(filter, x[i], y + i, states);
    UNROLL for (int i = CHUNK - 1; i >= 0; --i)
        add_anticausal(filter, x[i], y + i, states);
}

#if CUT
// Samples end before a chunk's sample `cut`, and those beyond are 0: adds to the results before it what the anticausal
// states at the cut make there.
INLINE void add_from_cut(const Filter *filter, float *y, int cut, const State *cut_states) {
    State states[SECTIONS];
    UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
        states[s] = cut_states[s];
    UNROLL for (int i = CHUNK - 1; i >= 0; --i)
        if (i < cut)
            add_anticausal(filter, 0.0f, y + i, states);
}
#endif

// Values that are read a tile early stay as they are in memory until they are needed, as a conversion would wait for
// them: a word of four integers, in the first of four floats.
#define WORDS (VECTORS && IS_INTEGER(SRC_TYPE))
#if WORDS && SRC_TYPE == PIXEL_U8
INLINE float4 load_word(__global const SRC *from) {
    return (float4)(as_float(*(__global const SRC_WORD *)from), 0.0f, 0.0f, 0.0f);
}
INLINE float4 converted(float4 word) { return word_to_float4(as_uint(word.s0)); }
#elif WORDS
INLINE float4 load_word(__global const SRC *from) {
    return (float4)(as_float2(*(__global const SRC_WORD *)from), 0.0f, 0.0f);
}
INLINE float4 converted(float4 word) { return word_to_float4(as_uint2(word.s01)); }
#else
#define load_word(from) LOAD4(from)
#define converted(value) (value)
#endif

#if VECTORS
#define READS 4
#define VALUE float4
#define LOAD_VALUE(p) load_word(p)
#define GATHER(row, places)                                                                        \
    (float4)(AT_PLACE(row, (places)[0]), AT_PLACE(row, (places)[1]), AT_PLACE(row, (places)[2]),   \
             AT_PLACE(row, (places)[3]))
#else
#define READS CHUNK
#define VALUE float
#define LOAD_VALUE(p) LOAD(p)
#define GATHER(row, places) AT_PLACE(row, (places)[0])
#endif
#define ROW_ITEMS (READS * WIDTH / CHUNK)
#define ROWS_APART (CHUNK / READS)
// The value of a row at a place that fold_value gave.
#define AT_PLACE(row, place) ((place) == OUTSIDE ? g.border_value : LOAD((row) + (place)))

// Reads the item's values of tile t into next[], as the border extends them.
#define READ_TILE(t)                                                                               \
    do {                                                                                           \
        const int top_ = (t) * CHUNK;                                                              \
        next_is_whole =                                                                            \
            is_whole && top_ >= g.valid_top && top_ + CHUNK <= g.valid_bottom;                     \
        if (next_is_whole) {                                                                       \
            __global const SRC *from_ =                                                            \
                origin + (long)(top_ + read_row) * g.src_row + left + read_at;                     \
            UNROLL for (int k = 0; k < READS; ++k) {                                               \
                next[k] = LOAD_VALUE(from_);                                                       \
                from_ += ROWS_APART * g.src_row;                                                   \
            }                                                                                      \
        } else                                                                                     \
            UNROLL for (int k = 0; k < READS; ++k) {                                               \
                const int line_ = lines[((t) & 1) * CHUNK + read_row + k * ROWS_APART];            \
                next[k] = (VALUE)(g.border_value);                                                 \
                if (line_ != OUTSIDE)                                                              \
                    next[k] = GATHER(origin + line_ * g.src_row, places + APRON_X + read_at);      \
            }                                                                                      \
    } while (0)

// A part beside the slab: where its sum goes among the places of its side, its row, where its samples
// start in `places`, and how many parts lie between it and the slab.
typedef struct Side {
    bool is_there, is_right;
    int place, row, first, apart;
} Side;
#define SIDE_PARTS ((SIDES + WIDTH - 1) / WIDTH) // of an item
INLINE Side side_of(int n) {
    const bool is_right = n >= SIDES / 2;
    const int m = is_right ? n - SIDES / 2 : n;
    const int place = (uint)m % (PARTS_BESIDE * CHANNELS);
    const int part = place / CHANNELS;
    return (Side){n < SIDES,
                  is_right,
                  is_right ? place : place + FAR,
                  (uint)m / (PARTS_BESIDE * CHANNELS),
                  (is_right ? APRON_X + WIDTH : 0) + part * (PART * CHANNELS) + place % CHANNELS,
                  is_right ? part : PARTS_BESIDE - 1 - part};
}
// Makes of a part's sum what a chunk at its place would have left.
#if LONGER
#define MOVE_APART(apart, s, state)                                                                \
    UNROLL for (int n_ = 1; n_ < PARTS_BESIDE; ++n_) {                                             \
        const State later_ = LATER(LEFT_BY_LONGER, 0, s, state, AT_REST);                          \
        (state).w = n_ <= (apart) ? later_.w : (state).w;                                          \
        if (ORDER == 2)                                                                            \
            (state).v = n_ <= (apart) ? later_.v : (state).v;                                      \
    }
#else
#define MOVE_APART(apart, s, state)
#endif

// Whether the samples of a part lie in the image as they are.
#define IS_FREE(side) ((side).is_right ? is_right_free : is_left_free)
#if VECTORS && CHANNELS == 1
#define READ_FREE(x, from)                                                                         \
    UNROLL for (int i = 0; i < PART; i += 4) {                                                     \
        const float4 four_ = load_word((from) + i);                                                \
        (x)[i] = four_.s0;                                                                         \
        (x)[i + 1] = four_.s1;                                                                     \
        (x)[i + 2] = four_.s2;                                                                     \
        (x)[i + 3] = four_.s3;                                                                     \
    }
#else
#define READ_FREE(x, from)                                                                         \
    UNROLL for (int i = 0; i < PART; ++i)                                                          \
        (x)[i] = LOAD((from) + i * CHANNELS);
#endif
#if WORDS && CHANNELS == 1
#define CONVERT_SIDE(x)                                                                            \
    UNROLL for (int i = 0; i < PART; i += 4) {                                                     \
        const float4 four_ = converted((float4)((x)[i], (x)[i + 1], (x)[i + 2], (x)[i + 3]));      \
        (x)[i] = four_.s0;                                                                         \
        (x)[i + 1] = four_.s1;                                                                     \
        (x)[i + 2] = four_.s2;                                                                     \
        (x)[i + 3] = four_.s3;                                                                     \
    }
#else
#define CONVERT_SIDE(x)
#endif

// Reads the item's parts beside the slab, of tile t, into sides[][]. They are summed up a tile later, as
// otherwise all items would wait for them. SIDES_LATE: they are read when the rows before are filtered,
// which have the registers until then; where little work follows, earlier.
#define SIDES_LATE (BLOCKS > 1)
#define READ_SIDES(t)                                                                              \
    UNROLL for (int k = 0; k < SIDE_PARTS; ++k) {                                                  \
        const Side side_ = side_of(item + k * WIDTH);                                              \
        if (side_.is_there) {                                                                      \
            const int y_ = lines[((t) & 1) * CHUNK + side_.row];                                   \
            __global const SRC *values_ = origin + (y_ == OUTSIDE ? 0 : y_) * g.src_row;           \
            if (y_ == OUTSIDE) {                                                                   \
                UNROLL for (int i = 0; i < PART; ++i)                                              \
                    sides[k][i] = g.border_value;                                                  \
            } else if (IS_FREE(side_)) {                                                           \
                READ_FREE(sides[k], values_ + left - APRON_X + side_.first)                        \
            } else {                                                                               \
                UNROLL for (int i = 0; i < PART; ++i)                                              \
                    sides[k][i] = AT_PLACE(values_, places[side_.first + i * CHANNELS]);           \
            }                                                                                      \
        }                                                                                          \
    }

// Sums up the samples x[] of a chunk beside the slab. A macro, as drivers copy an argument that a function takes.
#define SUM_SIDE(side, x)                                                                          \
    do {                                                                                           \
        const Side side_ = side;                                                                   \
        State sums_[SECTIONS];                                                                     \
        UNROLL for (int s_ = 0; s_ < SECTIONS; ++s_)                                               \
            sums_[s_] = AT_REST;                                                                   \
        if (side_.is_there && side_.is_right) {                                                    \
            UNROLL for (int i = 0; i < PART; ++i)                                                  \
                UNROLL for (int s_ = CAUSAL; s_ < SECTIONS; ++s_)                                  \
                    ADD_AGED(0, s_, i, (x)[i], sums_[s_]);                                         \
            UNROLL for (int s_ = CAUSAL; s_ < SECTIONS; ++s_) {                                    \
                MOVE_APART(side_.apart, s_, sums_[s_])                                             \
                store_sum(anticausal_sums +                                                        \
                              SUM_AT(s_ - CAUSAL, CHUNKS + side_.place, side_.row),                \
                          sums_[s_]);                                                              \
            }                                                                                      \
        } else if (side_.is_there) {                                                               \
            UNROLL for (int i = 0; i < PART; ++i)                                                  \
                UNROLL for (int s_ = 0; s_ < CAUSAL; ++s_)                                         \
                    ADD_AGED(0, s_, PART - 1 - i, (x)[i], sums_[s_]);                              \
            UNROLL for (int s_ = 0; s_ < CAUSAL; ++s_) {                                           \
                MOVE_APART(side_.apart, s_, sums_[s_])                                             \
                store_sum(causal_sums + SUM_AT(s_, side_.place, side_.row), sums_[s_]);            \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#if CUT
// The states at a row's end are the sums of PARTS sums, each of some of the samples, in local memory:
// [section][w or v][the item's chunk][row].
#define PARTS (LANES / CHUNK)
#define CUT_AT(s, chunk, row) ((((s) - CAUSAL) * ORDER * CHUNKS + (chunk)) * CHUNK + (row))
#define store_cut(to, state) store_apart(to, state, CHUNKS * CHUNK)
#define load_cut(from) load_apart(from, CHUNKS * CHUNK)

#define START_WEIGHT(axis, s, o, age)                                                              \
    AXES.starts[axis][(((s) - CAUSAL) * ORDER + (o)) * APRON + (age)]
// Adds the sample that is `age` samples before the last one to the anticausal states at the cut.
#define ADD_START(axis, age, x, states)                                                            \
    UNROLL for (int s_ = CAUSAL; s_ < SECTIONS; ++s_) {                                            \
        (states)[s_].w = fma(START_WEIGHT(axis, s_, 0, age), x, (states)[s_].w);                   \
        if (ORDER == 2)                                                                            \
            (states)[s_].v = fma(START_WEIGHT(axis, s_, ORDER - 1, age), x, (states)[s_].v);       \
    }
#endif

// rows: a whole number of tiles that a group filters. causal_sums, anticausal_sums: of a tile's chunks
// and of those before and behind it. cuts: see PARTS. places: where the border has each value of a
// row; lines: each row of two tiles.
__kernel __attribute__((reqd_work_group_size(WIDTH, 1, 1)))
void recursive_fused_sums(__global const SRC *restrict src, __global DST *restrict dst,
                          const Geometry g, const int rows, AXES_PARAMETER,
                          __local float4 *tiles4, __local float *causal_sums,
                          __local float *anticausal_sums, __local float *cuts,
                          __local int *places, __local int *lines) {
    const int item = get_local_id(0);
    const int batch = get_global_id(2);
    const int2 place = place_of_group(true);
    const int left = place.x * WIDTH;
    const int first_tile = place.y * (rows / CHUNK);
    const int end_tile = min(first_tile + rows / CHUNK, (g.height + CHUNK - 1) / CHUNK);
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *to = dst + dst_start(g, batch) + left + item;
    __local float *tiles = (__local float *)tiles4;
    const bool is_there = left + item < g.width;
    const int valid_left = g.valid_left * CHANNELS;
    const int valid_right = g.valid_right * CHANNELS;

    // Where an item reads.
    const int read_row = (uint)item / ROW_ITEMS;
    const int read_at = (uint)item % ROW_ITEMS * (WIDTH / ROW_ITEMS);
    const bool is_whole =
        left + read_at >= valid_left && left + read_at + WIDTH / ROW_ITEMS <= valid_right;
    const bool is_left_free = left - APRON_X >= valid_left;
    const bool is_right_free = left + WIDTH + APRON_X <= valid_right;
    // And where it filters a row: neighbours in different rows.
    const int row = item % CHUNK;
    const int chunk = item / CHUNK;
    const int first_value = chunk / CHANNELS * (CHUNK * CHANNELS) + chunk % CHANNELS;
#if CUT
    // The place of the chunk where rows end, and which of its samples would be the next.
    const bool has_cut = valid_right < left + WIDTH + APRON_X;
    const int beyond = (valid_right - left) / CHANNELS;
    const int cut_sample = beyond % CHUNK;
#endif

    State down[SECTIONS], behind[BLOCKS][SECTIONS], at_cut[SECTIONS];
    UNROLL for (int s = 0; s < SECTIONS; ++s) {
        down[s] = at_cut[s] = AT_REST;
        UNROLL for (int b = 0; b < BLOCKS; ++b)
            behind[b][s] = AT_REST;
    }

    for (int i = item; i < WIDTH + 2 * APRON_X; i += WIDTH)
        places[i] = fold_value(g, left - APRON_X + i);
    if (item < CHUNK)
        lines[(first_tile - BLOCKS & 1) * CHUNK + item] =
            fold_row(g, (first_tile - BLOCKS) * CHUNK + item);
#if FAR > 0
    UNROLL for (int s = 0; s < SECTIONS; ++s)
        if (item < FAR * CHUNK)
            store_sum((s < CAUSAL ? causal_sums + SUM_AT(s, 0, 0)
                                  : anticausal_sums + SUM_AT(s - CAUSAL, PLACES - FAR, 0)) +
                          item,
                      AT_REST);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    VALUE next[READS];
    bool next_is_whole;
    READ_TILE(first_tile - BLOCKS);
    float sides[SIDE_PARTS][PART];
    READ_SIDES(first_tile - BLOCKS);
    int slot = 0;
    ROLLED for (int tile = first_tile - BLOCKS; tile < end_tile + BLOCKS; ++tile) {
        __local float *here = tiles + slot * TILE;
        slot = slot + 1 < TILES ? slot + 1 : 0;
#if !SPARE
        float old[CHUNK]; // the oldest tile's column
        if (tile >= first_tile)
            UNROLL for (int i = 0; i < CHUNK; ++i)
                old[i] = here[i * PITCH + item];
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL for (int k = 0; k < READS; ++k)
            *(__local VALUE *)(here + (read_row + k * ROWS_APART) * PITCH + read_at) =
                WORDS && next_is_whole ? converted(next[k]) : next[k];
        if (item < CHUNK)
            lines[(tile + 1 & 1) * CHUNK + item] = fold_row(g, (tile + 1) * CHUNK + item);
        barrier(CLK_LOCAL_MEM_FENCE);
        // Sums of the chunks beside the slab, and then of its own.
        UNROLL for (int k = 0; k < SIDE_PARTS; ++k) {
            const Side side = side_of(item + k * WIDTH);
            if (side.is_there && IS_FREE(side) &&
                lines[(tile & 1) * CHUNK + side.row] != OUTSIDE) {
                CONVERT_SIDE(sides[k])
            }
            SUM_SIDE(side, sides[k]);
        }
        if (tile + 1 < end_tile + BLOCKS) {
            READ_TILE(tile + 1);
#if !SIDES_LATE
            READ_SIDES(tile + 1);
#endif
        }
        float x[CHUNK];
        __local float *own = here + row * PITCH + first_value;
        read_chunk(own, x);
#if SYMMETRY
        float sums[HALVES * PAIRS], differences[HALVES * PAIRS];
        float first_left[ONE_WAY], second_left[ONE_WAY]; // from the chunk's first and second half
        pair_up(x, sums, differences);
        {
            float other[ONE_WAY], all[ONE_WAY], behind_first[ONE_WAY];
            LEAVE_HALF(AXES.symmetric[0], first_left, behind_first, sums, differences);
            LEAVE_HALF(AXES.symmetric[0], other, second_left, sums + PAIRS, differences + PAIRS);
            CARRY_ON_HALF(AXES.symmetric[0], all, first_left, other);
            UNROLL for (int s = 0; s < CAUSAL; ++s)
                store_sum(causal_sums + SUM_AT(s, NEAR + chunk, row), STATE_OF(all, s));
            CARRY_ON_HALF(AXES.symmetric[0], all, second_left, behind_first);
            UNROLL for (int s = 0; s < CAUSAL; ++s)
                store_sum(anticausal_sums + SUM_AT(s, chunk, row), STATE_OF(all, s));
        }
        FILTER_PAIRS(AXES.symmetric[0], sums, differences);
#else
        {
            State sums[SECTIONS];
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                sums[s] = AT_REST;
            UNROLL for (int i = 0; i < CHUNK; ++i) {
                UNROLL for (int s = 0; s < CAUSAL; ++s)
                    ADD_AGED(0, s, CHUNK - 1 - i, x[i], sums[s]);
                UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                    ADD_AGED(0, s, i, x[i], sums[s]);
            }
            UNROLL for (int s = 0; s < CAUSAL; ++s)
                store_sum(causal_sums + SUM_AT(s, NEAR + chunk, row), sums[s]);
            UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                store_sum(anticausal_sums + SUM_AT(s - CAUSAL, chunk, row), sums[s]);
        }
#endif
#if CUT
        // Each item sums every PARTS-th sample for the states at the cut.
        if (has_cut) {
            const int component = chunk % CHANNELS;
            const int part = chunk / CHANNELS;
            const int line = lines[(tile & 1) * CHUNK + row];
            const int count = line == OUTSIDE ? 0 : min(APRON, g.valid_right - g.valid_left);
            __global const SRC *last =
                origin + (line == OUTSIDE ? 0 : line) * g.src_row + valid_right - CHANNELS + component;
            State starts[SECTIONS];
            UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                starts[s] = AT_REST;
            UNROLL for (int k = 0; k < APRON / PARTS; ++k) {
                const int age = part + k * PARTS;
                const float sample = age < count ? LOAD(last - age * CHANNELS) : 0.0f;
                ADD_START(0, age, sample, starts)
            }
            UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                store_cut(cuts + CUT_AT(s, chunk, row), starts[s]);
        }
#endif
        barrier(CLK_LOCAL_MEM_FENCE);

        {
            State states[SECTIONS];
            UNROLL for (int s = 0; s < CAUSAL; ++s) {
                __local const float *from = causal_sums + SUM_AT(s, chunk, row);
                states[s] = load_sum(from);
                UNROLL for (int b = 1; b < BLOCKS; ++b)
                    states[s] = A_CHUNK_LATER(0, s, states[s],
                                              load_sum(from + b * CHANNELS * CHUNK));
                HOLD(0, s, x[0], states[s]);
            }
            UNROLL for (int s = CAUSAL; s < SECTIONS; ++s) {
                __local const float *from =
                    anticausal_sums + SUM_AT(s - CAUSAL, chunk + NEAR, row);
                states[s] = load_sum(from);
                UNROLL for (int b = 1; b < BLOCKS; ++b)
                    states[s] = A_CHUNK_LATER(0, s, states[s],
                                              load_sum(from - b * CHANNELS * CHUNK));
                HOLD(0, s, x[CHUNK - 1], states[s]);
            }
#if CUT
            // The states at the cut add to those at the end of a chunk before it what is left of them there.
            const int ahead = beyond / CHUNK - chunk / CHANNELS; // chunks
            State starts[SECTIONS];
            if (has_cut) {
                Filter filter;
                READ_FILTER(filter, AXES.sections[0], 0);
                UNROLL for (int s = CAUSAL; s < SECTIONS; ++s) {
                    starts[s] = AT_REST;
                    UNROLL for (int k = 0; k < PARTS; ++k)
                        starts[s] = plus_state(
                            starts[s],
                            load_cut(cuts + CUT_AT(s, k * CHANNELS + chunk % CHANNELS, row)));
                    if (ahead > 0 && ahead <= BLOCKS) {
                        State left_over = starts[s];
                        ROLLED for (int i = 0; i < cut_sample; ++i)
                            left_over = take(filter.sections[s], left_over, 0.0f);
                        ROLLED for (int b = 1; b < ahead; ++b)
                            left_over = A_CHUNK_LATER(0, s, left_over, AT_REST);
                        states[s] = plus_state(states[s], left_over);
                    }
                }
            }
#endif
            float y[CHUNK];
#if SYMMETRY
            float causal[ONE_WAY], anticausal[ONE_WAY], between[ONE_WAY];
            PUT_STATES(causal, states);
            PUT_STATES(anticausal, states + CAUSAL);
            CARRY_ON_HALF(AXES.symmetric[0], between, anticausal, second_left);
            FINISH_HALF(AXES.symmetric[0], y, sums, differences, causal, between);
            CARRY_ON_HALF(AXES.symmetric[0], between, causal, first_left);
            FINISH_HALF(AXES.symmetric[0], y + 2 * PAIRS, sums + PAIRS, differences + PAIRS,
                        between, anticausal);
#else
            Filter filter;
            READ_FILTER(filter, AXES.sections[0], 0);
            filter_chunk(&filter, x, y, states);
#if CUT
            if (has_cut && ahead == 0)
                add_from_cut(&filter, y, cut_sample, starts);
#endif
#endif
            write_chunk(y, own);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if SIDES_LATE
        if (tile + 1 < end_tile + BLOCKS) {
            READ_SIDES(tile + 1);
        }
#endif

        const int done = tile - BLOCKS;
        __global DST *done_to = to + (long)done * CHUNK * g.dst_row;
        const int done_rows = is_there ? g.height - done * CHUNK : 0;
#if ADDS
        float before[CHUNK]; // what the target has
        if (done >= first_tile)
            UNROLL for (int i = 0; i < CHUNK; ++i)
                before[i] = i < done_rows ? done_to[i * g.dst_row] : 0.0f;
#define ADD_BEFORE(y)                                                                              \
    UNROLL for (int i = 0; i < CHUNK; ++i)                                                         \
        (y)[i] += before[i];
#else
#define ADD_BEFORE(y)
#endif

        // The column's sums in this tile, for the tiles above it.
        State comes[SECTIONS];
        UNROLL for (int s = 0; s < SECTIONS; ++s)
            comes[s] = AT_REST;
        UNROLL for (int i = 0; i < CHUNK; ++i) {
            const float come = here[i * PITCH + item];
            UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                ADD_AGED(1, s, i, come, comes[s]);
        }
        Filter filter;
        READ_FILTER(filter, AXES.sections[1], 0);
#if CUT
        const int last = g.valid_bottom - tile * CHUNK; // rows of the tile before the cut
        if (last > 0 && last <= CHUNK) {
            ROLLED for (int k = 0; k < TILES; ++k) { // from the oldest tile, at `slot`, on
                const int from = (slot + k < TILES ? slot + k : slot + k - TILES) * TILE;
                const int oldest = last - 1 + (TILES - 1 - k) * CHUNK; // the age of the tile's first row
                UNROLL for (int i = 0; i < CHUNK; ++i) {
                    const int age = oldest - i;
                    const float sample = tiles[from + i * PITCH + item];
                    ADD_START(1, clamp(age, 0, APRON - 1), age >= 0 && age < APRON ? sample : 0.0f,
                              at_cut)
                }
            }
#if !SPARE
            UNROLL for (int i = 0; i < CHUNK; ++i)
                if (i >= last && tile >= first_tile) {
                    ADD_START(1, APRON - 1 - i + last, old[i], at_cut)
                }
#endif
            State starts[SECTIONS];
            UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                starts[s] = at_cut[s];
            ROLLED for (int i = 0; i < last; ++i)
                UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                    starts[s] = take(filter.sections[s], starts[s], 0.0f);
            UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                comes[s] = plus_state(comes[s], starts[s]);
        }
#endif
        State states[SECTIONS];
        UNROLL for (int s = 0; s < CAUSAL; ++s)
            states[s] = down[s];
        UNROLL for (int s = CAUSAL; s < SECTIONS; ++s) {
            states[s] = comes[s];
            UNROLL for (int b = BLOCKS - 1; b > 0; --b)
                states[s] = A_CHUNK_LATER(1, s, states[s], behind[b][s]);
        }
        if (tile >= first_tile) {
#if SPARE
            float old[CHUNK];
            UNROLL for (int i = 0; i < CHUNK; ++i)
                old[i] = tiles[slot * TILE + i * PITCH + item];
#endif
#if HOLDS
            if (tile == first_tile)
                UNROLL for (int s = 0; s < CAUSAL; ++s)
                    states[s] = steady_state(filter.sections[s], old[0]);
            UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                HOLD(1, s, old[CHUNK - 1], states[s]);
#endif
            float y[CHUNK];
#if SYMMETRY
            float old_sums[HALVES * PAIRS], old_differences[HALVES * PAIRS];
            float old_first[ONE_WAY], old_second[ONE_WAY], ahead_of_second[ONE_WAY];
            float causal[ONE_WAY], between[ONE_WAY], unused[ONE_WAY];
            pair_up(old, old_sums, old_differences);
            LEAVE_HALF(AXES.symmetric[1], old_first, unused, old_sums, old_differences);
            LEAVE_HALF(AXES.symmetric[1], old_second, ahead_of_second, old_sums + PAIRS,
                       old_differences + PAIRS);
            PUT_STATES(causal, states);
            CARRY_ON_HALF(AXES.symmetric[1], between, causal, old_first);
            if (done >= first_tile) {
                float anticausal[ONE_WAY], from_second[ONE_WAY];
                PUT_STATES(anticausal, states + CAUSAL);
                FILTER_PAIRS(AXES.symmetric[1], old_sums, old_differences);
                CARRY_ON_HALF(AXES.symmetric[1], from_second, anticausal, ahead_of_second);
                FINISH_HALF(AXES.symmetric[1], y, old_sums, old_differences, causal, from_second);
                FINISH_HALF(AXES.symmetric[1], y + 2 * PAIRS, old_sums + PAIRS,
                            old_differences + PAIRS, between, anticausal);
                ADD_BEFORE(y)
                store_column(y, done_to, g.dst_row, done_rows);
            }
            CARRY_ON_HALF(AXES.symmetric[1], causal, between, old_second);
            UNROLL for (int s = 0; s < CAUSAL; ++s)
                states[s] = STATE_OF(causal, s);
#else
            if (done < first_tile) {
                UNROLL for (int i = 0; i < CHUNK; ++i)
                    UNROLL for (int s = 0; s < CAUSAL; ++s)
                        states[s] = take(filter.sections[s], states[s], old[i]);
            } else {
                filter_chunk(&filter, old, y, states);
#if CUT
                const int cut = g.valid_bottom - done * CHUNK;
                if (cut > 0 && cut <= CHUNK)
                    add_from_cut(&filter, y, cut, at_cut);
#endif
                // A condition around the call takes NVIDIA's compiler half as many registers again.
                ADD_BEFORE(y)
                store_column(y, done_to, g.dst_row, done_rows);
            }
#endif
        }
        UNROLL for (int s = 0; s < CAUSAL; ++s)
            down[s] = states[s];
        UNROLL for (int s = CAUSAL; s < SECTIONS; ++s) {
            UNROLL for (int b = 0; b + 1 < BLOCKS; ++b)
                behind[b][s] = behind[b + 1][s];
            behind[BLOCKS - 1][s] = comes[s];
        }
    }
}
