// A stage of a recursive filter on a long line, for CPUs: an item filters 16 segments of it side by
// side in the lanes of vector registers, block by block. Each starts `lead` samples early, from 0, as
// long as the causal sections remember; what the anticausal ones start a block from is found in the
// next.
#include "lib/pixel.clh"
#include "lib/lines.clh"
#define SIDE_BY_SIDE 16
#include "lib/recursive.clh"
#include "lib/transpose.clh"

#if !defined(HAS_ENDS) || !defined(BLOCK) || COMPONENTS != 1
#error HAS_ENDS or BLOCK is not defined, or samples are not side by side
#endif

#define LANES 16

// Samples first to first + BLOCK - 1 of all segments, those of a lane from start + lane * apart on; 0
// outside the line.
#define READ_BLOCK(to, first)                                                                      \
    do {                                                                                           \
        if (start + (first) >= 0 && last_start + (first) + BLOCK <= lines.length) {                \
            for (int n_ = 0; n_ < BLOCK; n_ += 16) {                                               \
                float16 a_[16];                                                                    \
                UNROLL for (int i_ = 0; i_ < 16; ++i_)                                             \
                    a_[i_] = LOAD16(from + STARTS_AT(i_) + (first) + n_);                          \
                TRANSPOSE(a_);                                                                     \
                UNROLL for (int i_ = 0; i_ < 16; ++i_)                                             \
                    (to)[n_ + i_] = a_[i_];                                                        \
            }                                                                                      \
        } else {                                                                                   \
            for (int n_ = 0; n_ < BLOCK; ++n_) {                                                   \
                float some_[16];                                                                   \
                for (int lane_ = 0; lane_ < LANES; ++lane_) {                                      \
                    const int at_ = STARTS_AT(lane_) + (first) + n_;                               \
                    some_[lane_] = at_ >= 0 && at_ < lines.length ? LOAD(from + at_) : 0.0f;       \
                }                                                                                  \
                (to)[n_] = vload16(0, some_);                                                      \
            }                                                                                      \
        }                                                                                          \
    } while (0)

// The last segment ends with the line, and alone knows what the anticausal sections start from there:
// what it has in common with others is its own.
#define NOMINAL(lane) (start + (lane) * segment)
#define LAST_START (lines.length - segment)
#define STARTS_AT(lane) min(NOMINAL(lane), LAST_START)
#define IS_LAST(lane) (NOMINAL(lane) < lines.length && NOMINAL(lane) >= LAST_START)
#define WRITE_BLOCK(samples, first)                                                                \
    do {                                                                                           \
        if (start + (first) >= lines.begin && NOMINAL(LANES) <= LAST_START &&                      \
            last_start + (first) + BLOCK <= lines.end) {                                           \
            for (int n_ = 0; n_ < BLOCK; n_ += 16) {                                               \
                float16 a_[16];                                                                    \
                UNROLL for (int i_ = 0; i_ < 16; ++i_)                                             \
                    a_[i_] = TO_REAL((samples)[n_ + i_]);                                          \
                TRANSPOSE(a_);                                                                     \
                UNROLL for (int i_ = 0; i_ < 16; ++i_)                                             \
                    STORE16(a_[i_], to + STARTS_AT(i_) + (first) + n_);                            \
            }                                                                                      \
        } else {                                                                                   \
            for (int n_ = 0; n_ < BLOCK; ++n_) {                                                   \
                float some_[16];                                                                   \
                vstore16(TO_REAL((samples)[n_]), 0, some_);                                        \
                for (int lane_ = 0; lane_ < LANES; ++lane_) {                                      \
                    const int at_ = STARTS_AT(lane_) + (first) + n_;                               \
                    const bool is_own = IS_LAST(lane_) ||                                          \
                                        (at_ >= NOMINAL(lane_) && at_ < LAST_START);               \
                    if (is_own && at_ >= lines.begin && at_ < lines.end)                           \
                        STORE(some_[lane_], to + at_);                                             \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    } while (0)

// Where a lane's segment starts or ends with the line, its section's state there.
#define SET_ENDS(w, v, s, is_end)                                                                  \
    do {                                                                                           \
        ONE_STATE w_[16], v_[16];                                                                  \
        vstore16((w)[s], 0, w_);                                                                   \
        vstore16((v)[s], 0, v_);                                                                   \
        for (int lane_ = 0; lane_ < LANES; ++lane_)                                                \
            if (is_end) {                                                                          \
                __global const ONE_STATE *at_ =                                                    \
                    ends + ((long)batch * STATES + (s) * ORDER) * lines.lines + line;              \
                w_[lane_] = at_[0];                                                                \
                v_[lane_] = at_[(ORDER - 1) * (long)lines.lines];                                  \
            }                                                                                      \
        (w)[s] = vload16(0, w_);                                                                   \
        (v)[s] = vload16(0, v_);                                                                   \
    } while (0)

// segment: samples, whole blocks, of a line that has no fewer. lead: whole blocks. ahead: samples that
// matter to those before them, BLOCK at most.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void recursive_segments(__global const SRC *restrict src, __global DST *restrict dst,
                        __global const ONE_STATE *restrict ends, const Lines lines,
                        const int segment,
                        const int lead, const int ahead, SECTIONS_PARAMETER) {
    const int start = (int)get_global_id(0) * LANES * segment;
    const int last_start = STARTS_AT(LANES - 1);
    const int line = get_global_id(1);
    const int batch = get_global_id(2);
    __global const SRC *from = src + SRC_LINE(line, batch);
    __global DST *to = dst + DST_LINE(line, batch) - lines.begin;
    // Two blocks of samples, of which the causal sections are done with the first.
    float16 samples[2 * BLOCK];
    STATE sums[BLOCK];
    STATE down_w[SECTIONS], down_v[SECTIONS];
    UNROLL for (int s = 0; s < SECTIONS; ++s) {
        down_w[s] = NOTHING;
        down_v[s] = NOTHING;
    }
    int here = 0;
    READ_BLOCK(samples, -lead);
    for (int first = -lead; first < segment; first += BLOCK) {
        const int next = BLOCK - here;
        READ_BLOCK(samples + next, first + BLOCK);
        STATE w[SECTIONS], v[SECTIONS];
        UNROLL for (int s = 0; s < CAUSAL; ++s) {
            w[s] = down_w[s];
            v[s] = down_v[s];
            if (HAS_ENDS && first == 0 && start == 0)
                SET_ENDS(w, v, s, STARTS_AT(lane_) == 0);
        }
        if (first < 0) {
            for (int n = 0; n < BLOCK; ++n)
                UNROLL for (int s = 0; s < CAUSAL; ++s)
                    TAKE(s, w, v, TO_STATE(samples[here + n]));
        } else {
            for (int n = 0; n < BLOCK; ++n) {
                const STATE x = TO_STATE(samples[here + n]);
                STATE y;
                FILTER_CAUSALLY(0, x, y, w, v);
                sums[n] = y;
            }
        }
        UNROLL for (int s = 0; s < CAUSAL; ++s) {
            down_w[s] = w[s];
            down_v[s] = v[s];
        }
        if (first >= 0) {
#if ANTICAUSAL
            UNROLL for (int s = CAUSAL; s < SECTIONS; ++s) {
                w[s] = NOTHING;
                v[s] = NOTHING;
            }
            for (int n = ahead - 1; n >= 0; --n)
                UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                    TAKE(s, w, v, TO_STATE(samples[next + n]));
#if HAS_ENDS
            if (first + BLOCK == segment && last_start + segment == lines.length)
                UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                    SET_ENDS(w, v, s, STARTS_AT(lane_) + segment == lines.length);
#endif
            for (int n = BLOCK - 1; n >= 0; --n) {
                const STATE x = TO_STATE(samples[here + n]);
                STATE y = sums[n];
                ADD_ANTICAUSAL(0, x, y, w, v)
                sums[n] = y;
            }
#endif
            WRITE_BLOCK(sums, first);
        }
        here = next;
    }
}
