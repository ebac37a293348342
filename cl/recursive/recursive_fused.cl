// A recursive filter along x and y in one pass, for GPUs, where little is left of a sample after APRON
// pixels: the image is read as its border extends it, and nothing enters an item's samples from
// further away. A group marches down a slab of LANES columns, CHUNK rows at a time: a block. Its items
// filter CHUNK values of a row each, from local memory and back, and then go on along a column each,
// APRON rows behind.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"

// Sections and weights of x and y in one argument; AXIS is a constant in scope.
#if !defined(BY_VALUE)
#error BY_VALUE is not defined
#endif
#if BY_VALUE
#define GIVEN(what) axes.what[AXIS]
#else
#define GIVEN(what) axes->what[AXIS]
#endif
#define OF_SECTIONS GIVEN(sections)
#include "lib/recursive.clh"

#if !defined(LANES) || !defined(APRON) || !defined(VECTORS) || !defined(MIRRORED)
#error LANES, APRON, VECTORS or MIRRORED is not defined
#endif

#include "lib/recursive_sizes.clh"
#define CHUNK RECURSIVE_CHUNK
#define BLOCKS (APRON / CHUNK) // of an apron
#define WIDTH (LANES * CHANNELS)
#define APRON_X (APRON * CHANNELS)
#define COLUMNS (WIDTH + 2 * APRON_X)
// An odd number of vectors from row to row: in different banks.
#define PITCH (COLUMNS + 4)
#define OUT_PITCH (WIDTH + 4)
#define ROW_ITEMS (WIDTH / CHUNK) // that read a row, and that filter it

// Sections whose weights are stored, those that a sample of 1 leaves behind after `age` samples: mirrored
// sections share them.
#define WEIGHTED (MIRRORED ? CAUSAL : SECTIONS)
typedef struct Axes {
    Sections sections[2];
    float aged[2][WEIGHTED * APRON * ORDER];
} Axes;
#if BY_VALUE
#define AXES_PARAMETER const Axes axes
#else
#define AXES_PARAMETER __constant Axes *restrict axes
#endif
#define AGED(s, age, o)                                                                            \
    GIVEN(aged)[(((s) < WEIGHTED ? (s) : (s) - CAUSAL) * APRON + (age)) * ORDER + (o)]

// Adds to section s's states what a sample of a certain age leaves.
#define ADD_AGED(s, w, v, age, x)                                                                  \
    do {                                                                                           \
        (w)[s] = fma(AGED(s, age, 0), x, (w)[s]);                                                  \
        if (ORDER == 2)                                                                            \
            (v)[s] = fma(AGED(s, age, ORDER - 1), x, (v)[s]);                                      \
    } while (0)

// A chunk of samples x[] and their results y[]. Causal states are what the chunk leaves then.
#define FILTER_CHUNK(x, y, w, v)                                                                   \
    do {                                                                                           \
        UNROLL for (int i_ = 0; i_ < CHUNK; ++i_)                                                  \
            FILTER_CAUSALLY(0, (x)[i_], (y)[i_], w, v);                                            \
        UNROLL for (int i_ = CHUNK - 1; i_ >= 0; --i_)                                             \
            ADD_ANTICAUSAL(0, (x)[i_], (y)[i_], w, v)                                              \
    } while (0)

// Calls TO(i, x) for samples i to i + 3, of one component, of a row in local memory.
#if CHANNELS == 1
#define EACH_OF_FOUR(TO, row, i)                                                                   \
    do {                                                                                           \
        const float4 four_ = *(__local const float4 *)((row) + (i));                               \
        TO(i, four_.s0);                                                                           \
        TO((i) + 1, four_.s1);                                                                     \
        TO((i) + 2, four_.s2);                                                                     \
        TO((i) + 3, four_.s3);                                                                     \
    } while (0)
#else
#define EACH_OF_FOUR(TO, row, i)                                                                   \
    do {                                                                                           \
        TO(i, (row)[(i) * CHANNELS]);                                                              \
        TO((i) + 1, (row)[((i) + 1) * CHANNELS]);                                                  \
        TO((i) + 2, (row)[((i) + 2) * CHANNELS]);                                                  \
        TO((i) + 3, (row)[((i) + 3) * CHANNELS]);                                                  \
    } while (0)
#endif

// Vectors of a block that an item reads, ROW_ITEMS apart in a row.
#define READS ((COLUMNS / 4 + ROW_ITEMS - 1) / ROW_ITEMS)
#if VECTORS
#define VALUE(place) ((place) == OUTSIDE ? g.border_value : LOAD(from + (place)))
#define READ_BLOCK(block)                                                                          \
    do {                                                                                           \
        const int line_ = fold_row(g, (block) * CHUNK + block_row);                                \
        __global const SRC *from = origin + (line_ == OUTSIDE ? 0 : line_) * g.src_row;            \
        UNROLL for (int k_ = 0; k_ < READS; ++k_) {                                                \
            const int at_ = (row_item + k_ * ROW_ITEMS) * 4;                                       \
            if (at_ < COLUMNS) {                                                                   \
                const int value_ = left - APRON_X + at_;                                           \
                if (line_ == OUTSIDE)                                                              \
                    ahead[k_] = g.border_value;                                                    \
                else if (is_free ||                                                                \
                         (value_ >= valid_left && value_ + 4 <= valid_right))                      \
                    ahead[k_] = LOAD4(from + value_);                                              \
                else {                                                                             \
                    const int4 places_ = (int4)(fold_value(g, value_), fold_value(g, value_ + 1),  \
                                                fold_value(g, value_ + 2),                         \
                                                fold_value(g, value_ + 3));                        \
                    ahead[k_] = (float4)(VALUE(places_.s0), VALUE(places_.s1), VALUE(places_.s2),  \
                                         VALUE(places_.s3));                                       \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
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
    const int valid_left = g.valid_left * CHANNELS;
    const int valid_right = g.valid_right * CHANNELS;
    const bool is_there = left + item < g.width;

    // Where an item reads.
    const int block_row = (uint)item / ROW_ITEMS;
    const int row_item = (uint)item % ROW_ITEMS;
#if VECTORS
    const bool is_free =
        left - APRON_X >= valid_left && left + WIDTH + APRON_X <= valid_right;
    float4 ahead[READS];
    READ_BLOCK(first_block - BLOCKS);
#endif
    // And where it filters a row: neighbours in different rows.
    const int row = item % CHUNK;
    const int chunk = item / CHUNK;
    const int first_value = chunk / CHANNELS * (CHUNK * CHANNELS) + chunk % CHANNELS;
    __local const float *own = in + row * PITCH + APRON_X + first_value;
    __local float *own_out = out + row * OUT_PITCH + first_value;

    float queue[BLOCKS][CHUNK];
    float w_down[SECTIONS], v_down[SECTIONS];
    UNROLL for (int s = 0; s < SECTIONS; ++s)
        w_down[s] = v_down[s] = 0.0f;
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
            READ_BLOCK(block + 1);
#endif
        {
            const int AXIS = 0;
            float w[SECTIONS], v[SECTIONS];
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                w[s] = v[s] = 0.0f;
#define TO_CAUSAL(i, x)                                                                            \
    UNROLL for (int s_ = 0; s_ < CAUSAL; ++s_)                                                     \
        ADD_AGED(s_, w, v, -1 - (i), x)
#define TO_ANTICAUSAL(i, x)                                                                        \
    UNROLL for (int s_ = CAUSAL; s_ < SECTIONS; ++s_)                                              \
        ADD_AGED(s_, w, v, (i) - CHUNK, x)
#define TO_OWN(i, value) x[i] = (value)
            if (CAUSAL > 0)
                UNROLL for (int i = -APRON; i < 0; i += 4)
                    EACH_OF_FOUR(TO_CAUSAL, own, i);
            if (SECTIONS > CAUSAL)
                UNROLL for (int i = CHUNK; i < CHUNK + APRON; i += 4)
                    EACH_OF_FOUR(TO_ANTICAUSAL, own, i);
            float x[CHUNK], y[CHUNK];
            UNROLL for (int i = 0; i < CHUNK; i += 4)
                EACH_OF_FOUR(TO_OWN, own, i);
            FILTER_CHUNK(x, y, w, v);
#if CHANNELS == 1
            UNROLL for (int i = 0; i < CHUNK; i += 4)
                *(__local float4 *)(own_out + i) = (float4)(y[i], y[i + 1], y[i + 2], y[i + 3]);
#else
            UNROLL for (int i = 0; i < CHUNK; ++i)
                own_out[i * CHANNELS] = y[i];
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        const int AXIS = 1;
        float next[CHUNK];
        UNROLL for (int i = 0; i < CHUNK; ++i)
            next[i] = out[i * OUT_PITCH + item];
        // The block that is filtered, once all that matters to it has come.
        float w[SECTIONS], v[SECTIONS];
        UNROLL for (int s = 0; s < CAUSAL; ++s) {
            w[s] = w_down[s];
            v[s] = v_down[s];
        }
        UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
            w[s] = v[s] = 0.0f;
        UNROLL for (int b = 1; b <= BLOCKS; ++b)
            UNROLL for (int i = 0; i < CHUNK; ++i)
                UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                    ADD_AGED(s, w, v, (b - 1) * CHUNK + i,
                             b == BLOCKS ? next[i] : queue[b % BLOCKS][i]);
        float y[CHUNK];
        FILTER_CHUNK(queue[0], y, w, v);
        UNROLL for (int s = 0; s < CAUSAL; ++s) {
            w_down[s] = w[s];
            v_down[s] = v[s];
        }
        const int done = block - BLOCKS;
        if (is_there && done >= first_block) {
            __global DST *at = to + (long)done * CHUNK * g.dst_row;
            if ((done + 1) * CHUNK <= g.height) {
                UNROLL for (int i = 0; i < CHUNK; ++i)
                    STORE(y[i], at + i * g.dst_row);
            } else {
                UNROLL for (int i = 0; i < CHUNK; ++i)
                    if (done * CHUNK + i < g.height)
                        STORE(y[i], at + i * g.dst_row);
            }
        }
        UNROLL for (int b = 0; b < BLOCKS; ++b)
            UNROLL for (int i = 0; i < CHUNK; ++i)
                queue[b][i] = b + 1 < BLOCKS ? queue[(b + 1) % BLOCKS][i] : next[i];
    }
}
