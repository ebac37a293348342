// A recursive filter along x and y in one pass, for GPUs, where little is left of a sample after
// APRON pixels: the image is read as its border extends it, and nothing enters an item's samples
// from further away. A group marches down a slab of LANES columns, CHUNK rows at a time: a block.
// Its items filter CHUNK values of a row each, from local memory and back, and then go on along a
// column each, APRON rows behind.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/recursive.clh"
#include "lib/rolled.clh"

#if !defined(LANES) || !defined(APRON) || !defined(VECTORS) || !defined(MIRRORED) ||                \
    !defined(HOLDS)
#error LANES, APRON, VECTORS, MIRRORED or HOLDS is not defined
#endif

#include "lib/recursive_plane.clh"
#define BLOCKS (APRON / CHUNK) // of an apron
#define COLUMNS (WIDTH + 2 * APRON_X)
// An odd number of vectors from row to row: in different banks.
#define PITCH (COLUMNS + 4)
#define OUT_PITCH (WIDTH + 4)
#define ROW_ITEMS (WIDTH / CHUNK) // that read a row, and that filter it

typedef struct Axes {
    Sections sections[2];
    float aged[2][WEIGHTED * APRON * ORDER]; // see AGED
#if HOLDS
    float held[2][WEIGHTED * ORDER]; // see HELD
#endif
} Axes;

// A sample of 1 adds this to section s's state when it is `age` samples old.
#define AGED_AT(s, age) ((WEIGHTS_OF(s) * APRON + (age)) * ORDER)
#define AGED(axis, s, age)                                                                         \
    ((State){AXES.aged[axis][AGED_AT(s, age)], AXES.aged[axis][AGED_AT(s, age) + ORDER - 1]})

// A chunk of samples x[] and their results y[]. Causal states are what the chunk leaves then.
INLINE void filter_chunk(const Filter *filter, const float *x, float *y, State *states) {
    UNROLL for (int i = 0; i < CHUNK; ++i)
        filter_causally(filter, x[i], y + i, states);
    UNROLL for (int i = CHUNK - 1; i >= 0; --i)
        add_anticausal(filter, x[i], y + i, states);
}

#if VECTORS
// Vectors of a block that an item reads, ROW_ITEMS apart in a row.
#define READS ((COLUMNS / 4 + ROW_ITEMS - 1) / ROW_ITEMS)

// Four values of a row, each where the border has it. By a loop, for short code: few are read so.
INLINE float4 read_apart(__global const SRC *row, const Geometry g, int value) {
    float4 four = (float4)(0.0f);
    ROLLED for (int i = 0; i < 4; ++i) {
        const int place = fold_value(g, value + i);
        const float read = place == OUTSIDE ? g.border_value : LOAD(row + place);
        four = (float4)(i == 0 ? read : four.s0, i == 1 ? read : four.s1, i == 2 ? read : four.s2,
                        i == 3 ? read : four.s3);
    }
    return four;
}

// Reads the item's vectors of row y into `ahead`, as the border extends it. is_free: all that the
// group reads of a row is inside.
#define READ_AHEAD(y)                                                                              \
    do {                                                                                           \
        const int line_ = fold_row(g, y);                                                          \
        const bool has_row_ = line_ != OUTSIDE;                                                    \
        __global const SRC *row_ = origin + (has_row_ ? line_ : 0) * g.src_row;                    \
        int apart_ = 0; /* a bit for each vector that matters and is not in the row as it is */    \
        UNROLL for (int k = 0; k < READS; ++k) {                                                   \
            const int at_ = (row_item + k * ROW_ITEMS) * 4;                                        \
            const int value_ = left - APRON_X + at_;                                               \
            const bool is_read_ = has_row_ && at_ < COLUMNS;                                       \
            const bool is_whole_ = is_free || (value_ >= g.valid_left * CHANNELS &&                \
                                               value_ + 4 <= g.valid_right * CHANNELS);            \
            ahead[k] = is_read_ && is_whole_ ? LOAD4(row_ + value_) : (float4)(g.border_value);    \
            const bool matters_ = value_ < g.width + CHUNK * CHANNELS + APRON_X;                   \
            apart_ |= is_read_ && !is_whole_ && matters_ ? 1 << k : 0;                             \
        }                                                                                          \
        if (apart_ != 0)                                                                           \
            ROLLED for (int k = 0; k < READS; ++k)                                                 \
                if (apart_ >> k & 1) {                                                             \
                    const float4 four_ =                                                           \
                        read_apart(row_, g, left - APRON_X + (row_item + k * ROW_ITEMS) * 4);      \
                    UNROLL for (int m = 0; m < READS; ++m)                                         \
                        ahead[m] = m == k ? four_ : ahead[m];                                      \
                }                                                                                  \
    } while (0)
#endif

// rows: a whole number of blocks that a group filters.
__kernel __attribute__((reqd_work_group_size(WIDTH, 1, 1)))
void recursive_fused(__global const SRC *restrict src, __global DST *restrict dst,
                     const Geometry g, const int rows, AXES_PARAMETER, __local float4 *block_in,
                     __local float4 *block_out) {
    const int item = get_local_id(0);
    const int batch = get_global_id(2);
    const int left = (int)get_group_id(0) * WIDTH;
    const int first_block = (int)get_group_id(1) * (rows / CHUNK);
    const int end_block = min(first_block + rows / CHUNK, (g.height + CHUNK - 1) / CHUNK);
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *to = dst + dst_start(g, batch) + left + item;
    __local float *in = (__local float *)block_in;
    __local float *out = (__local float *)block_out;
    const bool is_there = left + item < g.width;

    // Where an item reads.
    const int block_row = (uint)item / ROW_ITEMS;
    const int row_item = (uint)item % ROW_ITEMS;
#if VECTORS
    const bool is_free = left - APRON_X >= g.valid_left * CHANNELS &&
                         left + WIDTH + APRON_X <= g.valid_right * CHANNELS;
    float4 ahead[READS];
    READ_AHEAD((first_block - BLOCKS) * CHUNK + block_row);
#endif
    // And where it filters a row: neighbours in different rows.
    const int row = item % CHUNK;
    const int chunk = item / CHUNK;
    const int first_value = chunk / CHANNELS * (CHUNK * CHANNELS) + chunk % CHANNELS;
    __local const float *own = in + row * PITCH + APRON_X + first_value;
    __local float *own_out = out + row * OUT_PITCH + first_value;

    float queue[BLOCKS][CHUNK];
    State down[SECTIONS];
    UNROLL for (int s = 0; s < SECTIONS; ++s)
        down[s] = AT_REST;
    UNROLL for (int b = 0; b < BLOCKS; ++b)
        UNROLL for (int i = 0; i < CHUNK; ++i)
            queue[b][i] = 0.0f;

    for (int block = first_block - BLOCKS; block < end_block + BLOCKS; ++block) {
#if VECTORS
        UNROLL for (int k = 0; k < READS; ++k) {
            const int at = row_item + k * ROW_ITEMS;
            if (at < COLUMNS / 4)
                block_in[block_row * (PITCH / 4) + at] = ahead[k];
        }
#else
        {
            const int line = fold_row(g, block * CHUNK + block_row);
            for (int at = row_item; at < COLUMNS; at += ROW_ITEMS)
                in[block_row * PITCH + at] =
                    read_extended(origin, g, line, left - APRON_X + at);
        }
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
#if VECTORS
        if (block + 1 < end_block + BLOCKS)
            READ_AHEAD((block + 1) * CHUNK + block_row);
#endif
        {
            State states[SECTIONS];
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                states[s] = AT_REST;
            if (CAUSAL > 0)
                UNROLL for (int i = -APRON; i < 0; i += 4) {
                    float some[4];
                    read_four(own + i * CHANNELS, some);
                    UNROLL for (int k = 0; k < 4; ++k)
                        UNROLL for (int s = 0; s < CAUSAL; ++s)
                            states[s] = add_aged(states[s], AGED(0, s, -1 - i - k), some[k]);
                }
            if (SECTIONS > CAUSAL)
                UNROLL for (int i = CHUNK; i < CHUNK + APRON; i += 4) {
                    float some[4];
                    read_four(own + i * CHANNELS, some);
                    UNROLL for (int k = 0; k < 4; ++k)
                        UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                            states[s] = add_aged(states[s], AGED(0, s, i + k - CHUNK), some[k]);
                }
            float x[CHUNK], y[CHUNK];
            read_chunk(own, x);
#if HOLDS
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                states[s] = add_aged(states[s], HELD(0, s), x[s < CAUSAL ? 0 : CHUNK - 1]);
#endif
            Filter filter;
            READ_FILTER(filter, AXES.sections[0], 0);
            filter_chunk(&filter, x, y, states);
            write_chunk(y, own_out);
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        float next[CHUNK];
        UNROLL for (int i = 0; i < CHUNK; ++i)
            next[i] = out[i * OUT_PITCH + item];
        // The block that is filtered, once all that matters to it has come.
        State states[SECTIONS];
        UNROLL for (int s = 0; s < SECTIONS; ++s)
            states[s] = s < CAUSAL ? down[s] : AT_REST;
        UNROLL for (int b = 1; b <= BLOCKS; ++b)
            UNROLL for (int i = 0; i < CHUNK; ++i)
                UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                    states[s] = add_aged(states[s], AGED(1, s, (b - 1) * CHUNK + i),
                                         b == BLOCKS ? next[i] : queue[b % BLOCKS][i]);
        float y[CHUNK];
        Filter filter;
        READ_FILTER(filter, AXES.sections[1], 0);
#if HOLDS
        if (block == first_block)
            UNROLL for (int s = 0; s < CAUSAL; ++s)
                states[s] = steady_state(filter.sections[s], queue[0][0]);
        UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
            states[s] = add_aged(states[s], HELD(1, s), queue[0][CHUNK - 1]);
#endif
        filter_chunk(&filter, queue[0], y, states);
        UNROLL for (int s = 0; s < CAUSAL; ++s)
            down[s] = states[s];
        const int done = block - BLOCKS;
        if (is_there && done >= first_block)
            store_column(y, to + (long)done * CHUNK * g.dst_row, g.dst_row,
                         g.height - done * CHUNK);
        UNROLL for (int b = 0; b < BLOCKS; ++b)
            UNROLL for (int i = 0; i < CHUNK; ++i)
                queue[b][i] = b + 1 < BLOCKS ? queue[(b + 1) % BLOCKS][i] : next[i];
    }
}
