// A stage of a recursive filter, for CPUs: an item filters 16 WIDE lines side by side in vector
// registers, with no barrier. It goes along them block by block; the causal sections' states go with
// it. What the anticausal ones start a block from is found in the next block, where little enough is
// left of what lies behind it; else by going along the lines backwards first. Two filters at once go
// along side by side.
#include "lib/pixel.clh"
#include "lib/lines.clh"
#define SIDE_BY_SIDE 16
#include "lib/recursive.clh"

#if !defined(ALONG_ROWS) || !defined(HAS_ENDS) || !defined(LOOKS_AHEAD)
#error ALONG_ROWS, HAS_ENDS or LOOKS_AHEAD is not defined
#endif
#if !defined(WIDE) || !defined(BLOCK)
#error WIDE or BLOCK is not defined
#endif

#define LANES (16 * WIDE)
#define AT_W(s) ((s) * ORDER)
#define AT_V(s) ((s) * ORDER + ORDER - 1)

// Vector k of the samples of a block, and a step along the lines in a row of them.
#define PART(k) ((k) * BLOCK)

// Reads and writes vectors of `count` lanes, value by value where that is fewer than 16.
#define READ_SOME(to, from, count, step)                                                           \
    do {                                                                                           \
        float some_[16];                                                                           \
        for (int lane_ = 0; lane_ < 16; ++lane_)                                                   \
            some_[lane_] = lane_ < (count) ? LOAD((from) + lane_ * (step)) : 0.0f;                 \
        (to) = vload16(0, some_);                                                                  \
    } while (0)
#define WRITE_SOME(value, to, count, step)                                                         \
    do {                                                                                           \
        float some_[16];                                                                           \
        vstore16(value, 0, some_);                                                                 \
        for (int lane_ = 0; lane_ < (count); ++lane_)                                              \
            STORE(some_[lane_], (to) + lane_ * (step));                                            \
    } while (0)

#if ALONG_ROWS
#include "lib/transpose.clh"
#endif

// Samples first to first + count - 1 of all lanes, 16 at a time where there are several lines: 16 rows
// of one component become columns in registers; of several components a row's values go by way of
// private memory. Lanes beyond the last line read that one, and are not stored.
#if ALONG_ROWS
#define FEW_LANES 4 // are read value by value
#define FIND_LANES(image, type, LINE)                                                              \
    const int lanes_ = min(lines.lines - first_line - 16 * k_, 16);                                \
    type *lines_[16];                                                                              \
    for (int lane_ = 0; lane_ < 16; ++lane_)                                                       \
        lines_[lane_] =                                                                            \
            (image) + LINE(min(first_line + 16 * k_ + lane_, lines.lines - 1), batch);

#if COMPONENTS == 1
#define READ_16(to, first)                                                                         \
    do {                                                                                           \
        float16 a_[16];                                                                            \
        UNROLL for (int i_ = 0; i_ < 16; ++i_)                                                     \
            a_[i_] = LOAD16(lines_[i_] + (first));                                                 \
        TRANSPOSE(a_);                                                                             \
        UNROLL for (int i_ = 0; i_ < 16; ++i_)                                                     \
            (to)[i_] = a_[i_];                                                                     \
    } while (0)
#define WRITE_16(from, first)                                                                      \
    do {                                                                                           \
        float16 a_[16];                                                                            \
        UNROLL for (int i_ = 0; i_ < 16; ++i_)                                                     \
            a_[i_] = TO_REAL((from)[i_]);                                                          \
        TRANSPOSE(a_);                                                                             \
        UNROLL for (int i_ = 0; i_ < 16; ++i_)                                                     \
            if (i_ < lanes_)                                                                       \
                STORE16(a_[i_], lines_[i_] + (first));                                             \
    } while (0)
#else
#define COMPONENT_OF(line) ((line) - PIXEL_OF(line) * COMPONENTS)
#define READ_16(to, first)                                                                         \
    do {                                                                                           \
        float rows_[16][16 * COMPONENTS];                                                          \
        int component_[16];                                                                        \
        for (int lane_ = 0; lane_ < 16; ++lane_) {                                                 \
            component_[lane_] =                                                                    \
                COMPONENT_OF(min(first_line + 16 * k_ + lane_, lines.lines - 1));                  \
            __global const SRC *pixels_ =                                                          \
                lines_[lane_] - component_[lane_] + (long)(first) * COMPONENTS;                    \
            UNROLL for (int q_ = 0; q_ < COMPONENTS; ++q_)                                         \
                vstore16(LOAD16(pixels_ + 16 * q_), q_, rows_[lane_]);                             \
        }                                                                                          \
        for (int i_ = 0; i_ < 16; ++i_) {                                                          \
            float some_[16];                                                                       \
            UNROLL for (int lane_ = 0; lane_ < 16; ++lane_)                                        \
                some_[lane_] = rows_[lane_][COMPONENTS * i_ + component_[lane_]];                  \
            (to)[i_] = vload16(0, some_);                                                          \
        }                                                                                          \
    } while (0)
#define WRITE_16(from, first)                                                                      \
    do {                                                                                           \
        for (int i_ = 0; i_ < 16; ++i_) {                                                          \
            float some_[16];                                                                       \
            vstore16(TO_REAL((from)[i_]), 0, some_);                                               \
            for (int lane_ = 0; lane_ < lanes_; ++lane_)                                           \
                STORE(some_[lane_], lines_[lane_] + (long)((first) + i_) * COMPONENTS);            \
        }                                                                                          \
    } while (0)
#endif
#define READ_BLOCK(image, to, first, count)                                                        \
    UNROLL for (int k_ = 0; k_ < WIDE; ++k_) {                                                     \
        FIND_LANES(image, __global const SRC, SRC_LINE)                                            \
        int n_ = 0;                                                                                \
        if (lanes_ >= FEW_LANES)                                                                   \
            for (; n_ + 16 <= (count); n_ += 16)                                                   \
                READ_16((to) + PART(k_) + n_, (first) + n_);                                       \
        for (; n_ < (count); ++n_) {                                                               \
            float some_[16];                                                                       \
            for (int lane_ = 0; lane_ < 16; ++lane_)                                               \
                some_[lane_] = lane_ < lanes_                                                      \
                                   ? LOAD(lines_[lane_] + (long)((first) + n_) * lines.src.step)   \
                                   : 0.0f;                                                         \
            (to)[PART(k_) + n_] = vload16(0, some_);                                               \
        }                                                                                          \
    }
#define WRITE_BLOCK(image, from, first, count)                                                     \
    UNROLL for (int k_ = 0; k_ < WIDE; ++k_) {                                                     \
        FIND_LANES(image, __global DST, DST_LINE)                                                  \
        int n_ = max(lines.begin - (first), 0);                                                    \
        const int end_ = min((count), lines.end - (first));                                        \
        if (lanes_ >= FEW_LANES)                                                                   \
            for (; n_ + 16 <= end_; n_ += 16)                                                      \
                WRITE_16((from) + PART(k_) + n_, (first) + n_ - lines.begin);                      \
        for (; n_ < end_; ++n_) {                                                                  \
            float some_[16];                                                                       \
            vstore16(TO_REAL((from)[PART(k_) + n_]), 0, some_);                                    \
            for (int lane_ = 0; lane_ < lanes_; ++lane_)                                           \
                STORE(some_[lane_],                                                                \
                      lines_[lane_] + (long)((first) + n_ - lines.begin) * lines.dst.step);        \
        }                                                                                          \
    }
#else
#define READ_BLOCK(image, to, first, count)                                                        \
    do {                                                                                           \
        __global const SRC *from_ =                                                                \
            (image) + SRC_LINE(first_line, batch) + (long)(first) * lines.src.step;                \
        if (first_line + LANES <= lines.lines) {                                                   \
            for (int n_ = 0; n_ < (count); ++n_, from_ += lines.src.step)                          \
                UNROLL for (int k_ = 0; k_ < WIDE; ++k_)                                           \
                    (to)[PART(k_) + n_] = LOAD16(from_ + 16 * k_);                                 \
        } else {                                                                                   \
            for (int n_ = 0; n_ < (count); ++n_, from_ += lines.src.step)                          \
                for (int k_ = 0; k_ < WIDE; ++k_)                                                  \
                    READ_SOME((to)[PART(k_) + n_], from_ + 16 * k_,                                \
                              lines.lines - first_line - 16 * k_, 1);                              \
        }                                                                                          \
    } while (0)
#define WRITE_BLOCK(image, from, first, count)                                                     \
    do {                                                                                           \
        const int begin_ = max(lines.begin - (first), 0);                                          \
        const int end_ = min((count), lines.end - (first));                                        \
        __global DST *to_ = (image) + DST_LINE(first_line, batch) +                                \
                            (long)((first) + begin_ - lines.begin) * lines.dst.step;               \
        if (first_line + LANES <= lines.lines) {                                                   \
            for (int n_ = begin_; n_ < end_; ++n_, to_ += lines.dst.step)                          \
                UNROLL for (int k_ = 0; k_ < WIDE; ++k_)                                           \
                    STREAM(TO_REAL((from)[PART(k_) + n_]), to_ + 16 * k_);                         \
        } else {                                                                                   \
            for (int n_ = begin_; n_ < end_; ++n_, to_ += lines.dst.step)                          \
                for (int k_ = 0; k_ < WIDE; ++k_)                                                  \
                    WRITE_SOME(TO_REAL((from)[PART(k_) + n_]), to_ + 16 * k_,                      \
                               min(lines.lines - first_line - 16 * k_, 16), 1);                    \
        }                                                                                          \
    } while (0)
#if ALIGNED
#define STREAM STREAM16
#else
#define STREAM STORE16
#endif
#endif

// States at the lines' ends, section s of vector k.
#define READ_END(w, v, s, k)                                                                       \
    do {                                                                                           \
        __global const ONE_STATE *ends_ = ends +                                                   \
                                      ((long)batch * STATES + AT_W(s)) * lines.lines +             \
                                      first_line + 16 * (k);                                       \
        const int lanes_ = lines.lines - first_line - 16 * (k);                                    \
        ONE_STATE w_[16], v_[16];                                                                  \
        for (int lane_ = 0; lane_ < 16; ++lane_) {                                                 \
            w_[lane_] = lane_ < lanes_ ? ends_[lane_] : NO_STATE;                                  \
            v_[lane_] = lane_ < lanes_ ? ends_[(ORDER - 1) * (long)lines.lines + lane_] : NO_STATE; \
        }                                                                                          \
        (w)[s] = vload16(0, w_);                                                                   \
        (v)[s] = vload16(0, v_);                                                                   \
    } while (0)

// Samples of both sources, the second's behind those of the first.
#define HELD (SOURCES * WIDE * BLOCK)
#define SECOND (WIDE * BLOCK)
#if SOURCES > 1
#define READ_BLOCKS(to, first, count)                                                              \
    do {                                                                                           \
        READ_BLOCK(src, to, first, count);                                                         \
        READ_BLOCK(second_src, (to) + SECOND, first, count);                                       \
    } while (0)
#else
#define READ_BLOCKS(to, first, count) READ_BLOCK(src, to, first, count)
#endif

// The anticausal sections of all filters take sample n of vector k of `samples`.
#if SOURCES > 1
#define TAKE_BACKWARDS(samples, k, n)                                                              \
    do {                                                                                           \
        const STATE x_ = TO_STATE((samples)[PART(k) + (n)]);                                       \
        const STATE second_x_ = TO_STATE((samples)[SECOND + PART(k) + (n)]);                       \
        UNROLL for (int s_ = CAUSAL; s_ < EACH; ++s_)                                              \
            TAKE(s_, w, v, x_);                                                                    \
        UNROLL for (int s_ = EACH + CAUSAL; s_ < SECTIONS; ++s_)                                   \
            TAKE(s_, w, v, second_x_);                                                             \
    } while (0)
#else
#define TAKE_BACKWARDS(samples, k, n)                                                              \
    do {                                                                                           \
        const STATE x_ = TO_STATE((samples)[PART(k) + (n)]);                                       \
        UNROLL for (int s_ = 0; s_ < SECTIONS; ++s_)                                               \
            if (!IS_CAUSAL(s_))                                                                    \
                TAKE(s_, w, v, x_);                                                                \
    } while (0)
#endif

// marks: what the anticausal sections enter each block with: [item][block][vector][state].
#define MARK(block, k, state)                                                                      \
    marks[(((item * blocks + (block)) * WIDE + (k)) * (FILTERS * ANTICAUSAL * ORDER) + (state)) *  \
          16]
#define AT_MARK(s) ((s) / EACH * ANTICAUSAL + (s) % EACH - CAUSAL) // of an anticausal section

// ahead: samples of the next block that matter to this one, BLOCK at most.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void recursive_strips(SOURCES_PARAMETER, TARGETS_PARAMETER,
                      __global ONE_STATE *restrict marks, __global const ONE_STATE *restrict ends,
                      const Lines lines, SECTIONS_PARAMETER, const int ahead) {
    const int strip = get_global_id(0);
    const int batch = get_global_id(2);
    const int first_line = strip * LANES;
    const int blocks = (lines.length + BLOCK - 1) / BLOCK;
    const long item = (long)batch * get_global_size(0) + strip;
    // Two blocks of samples, of which the causal sections are done with the first.
    float16 samples[2 * HELD];
    STATE sums[BLOCK];
#if TARGETS > 1
    STATE second[WIDE * BLOCK]; // sums, and then results, of the second filter
#endif
    STATE state_w[WIDE * SECTIONS], state_v[WIDE * SECTIONS];
    UNROLL for (int k = 0; k < WIDE; ++k)
        UNROLL for (int s = 0; s < SECTIONS; ++s) {
            state_w[k * SECTIONS + s] = NOTHING;
            state_v[k * SECTIONS + s] = NOTHING;
#if HAS_ENDS
            READ_END(state_w + k * SECTIONS, state_v + k * SECTIONS, s, k);
#endif
        }

#if ANTICAUSAL && !LOOKS_AHEAD
    for (int block = blocks - 1; block >= 0; --block) {
        const int count = min(lines.length - block * BLOCK, BLOCK);
        if (block > 0)
            READ_BLOCKS(samples, block * BLOCK, count);
        UNROLL for (int k = 0; k < WIDE; ++k) {
            STATE w[SECTIONS], v[SECTIONS];
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                if (!IS_CAUSAL(s)) {
                    w[s] = state_w[k * SECTIONS + s];
                    v[s] = state_v[k * SECTIONS + s];
                    vstore16(w[s], 0, &MARK(block, k, AT_W(AT_MARK(s))));
                    if (ORDER == 2)
                        vstore16(v[s], 0, &MARK(block, k, AT_V(AT_MARK(s))));
                }
            if (block > 0)
                for (int n = count - 1; n >= 0; --n)
                    TAKE_BACKWARDS(samples, k, n);
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                if (!IS_CAUSAL(s)) {
                    state_w[k * SECTIONS + s] = w[s];
                    state_v[k * SECTIONS + s] = v[s];
                }
        }
    }
#endif

    READ_BLOCKS(samples, 0, min(lines.length, BLOCK));
    for (int block = 0; block < blocks; ++block) {
        const int first = block * BLOCK;
        const int count = min(lines.length - first, BLOCK);
        const int next = block % 2 == 0 ? HELD : 0;
        const int here = HELD - next;
        const int next_count = min(lines.length - first - BLOCK, BLOCK); // may be negative
        if (block + 1 < blocks)
            READ_BLOCKS(samples + next, first + BLOCK, next_count);
        UNROLL for (int k = 0; k < WIDE; ++k) {
            STATE w[SECTIONS], v[SECTIONS];
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                if (IS_CAUSAL(s)) {
                    w[s] = state_w[k * SECTIONS + s];
                    v[s] = state_v[k * SECTIONS + s];
                }
            for (int n = 0; n < count; ++n) {
                const STATE x = TO_STATE(samples[here + PART(k) + n]);
                STATE y;
                FILTER_CAUSALLY(0, x, y, w, v);
#if SOURCES > 1
                const STATE second_x = TO_STATE(samples[here + SECOND + PART(k) + n]);
                FILTER_CAUSALLY(1, second_x, y, w, v);
#elif TARGETS > 1
                STATE second_y;
                FILTER_CAUSALLY(1, x, second_y, w, v);
                second[PART(k) + n] = second_y;
#endif
                sums[n] = y;
            }
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                if (IS_CAUSAL(s)) {
                    state_w[k * SECTIONS + s] = w[s];
                    state_v[k * SECTIONS + s] = v[s];
                }
#if ANTICAUSAL
#if LOOKS_AHEAD
            // The lines' end may be near enough to matter.
            const bool sees_end = next_count <= ahead;
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                if (!IS_CAUSAL(s)) {
                    w[s] = sees_end ? state_w[k * SECTIONS + s] : NOTHING;
                    v[s] = sees_end ? state_v[k * SECTIONS + s] : NOTHING;
                }
            for (int n = min(next_count, ahead) - 1; n >= 0; --n)
                TAKE_BACKWARDS(samples + next, k, n);
#else
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                if (!IS_CAUSAL(s)) {
                    w[s] = vload16(0, &MARK(block, k, AT_W(AT_MARK(s))));
                    v[s] = vload16(0, &MARK(block, k, AT_V(AT_MARK(s))));
                }
#endif
            for (int n = count - 1; n >= 0; --n) {
                const STATE x = TO_STATE(samples[here + PART(k) + n]);
                STATE y = sums[n];
                ADD_ANTICAUSAL(0, x, y, w, v)
#if SOURCES > 1
                const STATE second_x = TO_STATE(samples[here + SECOND + PART(k) + n]);
                ADD_ANTICAUSAL(1, second_x, y, w, v)
#elif TARGETS > 1
                STATE second_y = second[PART(k) + n];
                ADD_ANTICAUSAL(1, x, second_y, w, v)
                second[PART(k) + n] = second_y;
#endif
                samples[here + PART(k) + n] = TO_REAL(y);
            }
#else
            for (int n = 0; n < count; ++n)
                samples[here + PART(k) + n] = TO_REAL(sums[n]);
#endif
        }
        WRITE_BLOCK(dst, samples + here, first, count);
#if TARGETS > 1
        WRITE_BLOCK(second_dst, second, first, count);
#endif
    }
}
