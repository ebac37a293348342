// A stage of a recursive filter, for CPUs: an item filters 16 WIDE lines side by side, or all components of so many rows,
// in vector registers, with no barrier. It goes along them block by block; the causal sections' states go
// with it. What the anticausal ones start a block from is found in the next block, where little
// enough is left of what lies behind it; else by going along the lines backwards first. Two filters
// at once go along side by side. Results are written while the anticausal sections go.
// OWN_STARTS: whether an item computes the states from which its lines start, as recursive_ends does, in place of reading
// them: see recursive_own_starts.clh.
#include "lib/pixel.clh"
#include "lib/lines.clh"
#include "lib/once.clh"
#define SIDE_BY_SIDE 16
#include "lib/recursive.clh"
#include "lib/recursive_late.clh"
#include "lib/host_compiler.clh"
#include "lib/write_row.clh"
#include "lib/recursive_own_starts.clh"

#if !defined(ALONG_ROWS) || !defined(HAS_ENDS) || !defined(LOOKS_AHEAD) || !defined(HOLDS)
#error ALONG_ROWS, HAS_ENDS, LOOKS_AHEAD or HOLDS is not defined
#endif
#if !defined(WIDE) || !defined(BLOCK)
#error WIDE or BLOCK is not defined
#endif

// A vector has 16 rows' samples of the same component, or samples that lie side by side. PLANES vectors have all
// components of 16 rows.
#if ALONG_ROWS
#define PLANES COMPONENTS
#else
#define PLANES 1
#endif
#define VECTORS (WIDE * PLANES)
#define LANES (16 * WIDE)

// CHAINS vectors are filtered side by side, and those of a ROUND, with all components of their rows, by turns.
#if PLANES == 3
#define CHAINS (MOST_CHAINS < 3 ? 1 : 3)
#else
#define CHAINS (VECTORS < MOST_CHAINS ? VECTORS : MOST_CHAINS)
#endif
#define ROUND (CHAINS < PLANES ? PLANES : CHAINS)

// Samples and sums of a block: vector k of sample n is n VECTORS + k. Those of a second source or target
// lie behind those of the first, but not a power of two, so that they do not share sets of the cache.
#define SECOND (VECTORS * BLOCK + 5 * VECTORS)
#define HELD (SOURCES * SECOND)
#define SUMS (TARGETS * SECOND)

#if ALONG_ROWS
#include "lib/transpose.clh"
#define FEW_LANES 4 // are read value by value

// Where 16 rows lie. Those beyond the last one read that, and are not stored.
typedef struct Rows {
    __global const SRC *src[16];
    __global DST *dst[16]; // of sample 0
    int lanes;
} Rows;
INLINE Rows rows_of(__global const SRC *src, __global DST *dst, const Lines lines, int batch,
                    int first_row) {
    const int count = PIXEL_OF(lines.lines);
    Rows rows;
    rows.lanes = min(count - first_row, 16);
    for (int lane = 0; lane < 16; ++lane) {
        const int line = min(first_row + lane, count - 1) * COMPONENTS;
        rows.src[lane] = src + SRC_LINE(line, batch);
        rows.dst[lane] = dst + DST_LINE(line, batch) - lines.begin * lines.dst.step;
    }
    return rows;
}

// A value of each of the rows.
INLINE float16 read_lanes(const Rows *rows, long offset) {
    float some[16];
    for (int lane = 0; lane < 16; ++lane)
        some[lane] = lane < rows->lanes ? LOAD(rows->src[lane] + offset) : 0.0f;
    return vload16(0, some);
}

// 16 values of 16 rows, from value `first` on, as vectors of a value each. Those of two reads later are on their way.
INLINE void read_16(const Rows *rows, long first, float16 *a) {
    UNROLL for (int i = 0; i < 16; ++i) {
        EXPECT(rows->src[i] + first + 32);
        a[i] = LOAD16_WHOLE(rows->src[i] + first);
    }
    transpose(a);
}

// Reads all components of up to 16 samples from `first` on.
INLINE void read_some_of_rows(const Rows *rows, int first, int count, float16 *to) {
    const long begin = (long)first * PLANES;
    if (count == 16 && rows->lanes >= FEW_LANES) {
        UNROLL for (int q = 0; q < PLANES; ++q) {
            float16 a[16];
            read_16(rows, begin + 16 * q, a);
            UNROLL for (int i = 0; i < 16; ++i)
                to[(16 * q + i) / PLANES * VECTORS + (16 * q + i) % PLANES] = a[i];
        }
    } else {
        for (int i = 0; i < count; ++i)
            UNROLL for (int p = 0; p < PLANES; ++p)
                to[i * VECTORS + p] = read_lanes(rows, begin + i * PLANES + p);
    }
}

// Results of 16 rows wait until there are RUN samples of each.
#ifndef RUN
#error RUN is not defined
#endif
typedef struct Results {
    float16 rows[16][RUN * PLANES / 16 + 1]; // no power of two: rows share no sets of the cache
} Results;

// Adds results of 16 samples, sample n of a run and those after it. a: vectors of 16 samples, component after component.
INLINE void add_results(float16 (*a)[16], int n, Results *to) {
    UNROLL for (int q = 0; q < PLANES; ++q) {
        float16 values[16];
        UNROLL for (int i = 0; i < 16; ++i)
            values[i] = a[(16 * q + i) % PLANES][(16 * q + i) / PLANES];
        transpose(values);
        UNROLL for (int i = 0; i < 16; ++i)
            to->rows[i][n * PLANES / 16 + q] = values[i];
    }
}
// Writes those of `count` samples from `first` on that are stored.
INLINE void write_results(const Results *results, const Rows *rows, const Lines lines, int first,
                          int count, bool is_aligned) {
    const int begin = max(first, lines.begin), end = min(first + count, lines.end);
    if (begin < end)
        for (int i = 0; i < rows->lanes; ++i)
            write_row(rows->dst[i] + (long)begin * PLANES,
                      (const float *)results->rows[i] + (begin - first) * PLANES,
                      (end - begin) * PLANES, is_aligned);
}
#else

// A value of each of the first `count` of 16 lines that lie side by side.
INLINE float16 read_some(__global const SRC *from, int count) {
    float some[16];
    for (int lane = 0; lane < 16; ++lane)
        some[lane] = lane < count ? LOAD(from + lane) : 0.0f;
    return vload16(0, some);
}

// Reads the vectors of a sample, from its first line on; rest: the lines from there on.
INLINE void read_sample(__global const SRC *from, int rest, float16 *to) {
    if (LANES <= rest) {
        UNROLL for (int k = 0; k < WIDE; ++k)
            to[k] = LOAD16_WHOLE(from + 16 * k);
    } else {
        for (int k = 0; k < WIDE; ++k)
            to[k] = read_some(from + 16 * k, rest - 16 * k);
    }
}
#endif

#if !OWN_STARTS
// Section s's states at the ends of the 16 lines of a vector, the first of which is first_line.
INLINE State read_ends(__global const ONE_STATE *ends, int lines, int batch, int first_line,
                       int s) {
    __global const ONE_STATE *from =
        ends + ((long)batch * STATES + s * ORDER) * lines + first_line;
    ONE_STATE w[16], v[16];
    for (int lane = 0; lane < 16; ++lane) {
        const int at = lane * PLANES;
        const bool is_there = first_line + at < lines;
        w[lane] = is_there ? from[at] : NO_STATE;
        v[lane] = is_there ? from[(ORDER - 1) * (long)lines + at] : NO_STATE;
    }
    return (State){vload16(0, w), vload16(0, v)};
}
#endif

// The anticausal sections of all filters take a sample, which of several sources lie SECOND apart.
INLINE void take_backwards(const Constants *constants, const float16 *sample, State *states) {
    UNROLL for (int s = 0; s < SECTIONS; ++s)
        if (!IS_CAUSAL(s)) {
            const STATE x = TO_STATE(sample[SOURCES > 1 ? s / EACH * SECOND : 0]);
            states[s] = take_late(constants->sections[s], states[s], x);
        }
}

// The results of a sample of all targets, from what the causal sections made of it.
INLINE void add_all_backwards(const Constants *constants, const float16 *sample, const STATE *sum,
                              STATE *y, State *states) {
    const STATE x = TO_STATE(*sample);
    y[0] = add_backwards(constants, 0, x, *sum, states);
#if SOURCES > 1
    y[0] = add_backwards(constants, 1, TO_STATE(sample[SECOND]), y[0], states);
#elif TARGETS > 1
    y[1] = add_backwards(constants, 1, x, sum[SECOND], states);
#endif
}

// marks: what the anticausal sections enter each block with: [item][block][vector][section][w, v].
INLINE long mark_at(long block, int k, int s) {
    const int section = s / EACH * ANTICAUSAL + s % EACH - CAUSAL;
    return ((block * VECTORS + k) * (FILTERS * ANTICAUSAL) + section) * ORDER * 16;
}

// A strip is read from its rows, or from its first column.
#if ALONG_ROWS
#define STRIP_SOURCE const Rows *
#else
#define STRIP_SOURCE __global const SRC *
#endif

// Reads samples of a block, `first` of the line and those after it: of rows up to 16 of all components of 16 rows, of
// which k is the first vector; of columns one of all vectors.
INLINE void read_samples(STRIP_SOURCE from, const Lines lines, int rest, int first, int count,
                         int k, float16 *to) {
#if ALONG_ROWS
    read_some_of_rows(from + k / PLANES, first, min(count, 16), to + k);
#else
    read_sample(from + (long)first * lines.src.step, rest, to);
#endif
}
#if ALONG_ROWS
#define IS_READ_AT(n, k) ((n) % 16 == 0 && (k) % PLANES == 0)
#else
#define IS_READ_AT(n, k) ((k) == 0)
#endif

#if OWN_STARTS
#define STARTS_PARAMETER __global const ONE_STATE *restrict weights, const int near, const int far
#define STARTS_LIST weights, near, far

// Adds to states of all lines what `count` samples at their start leave, or at their end: weights of the states for each,
// the sample at the end first. The samples furthest from the end weigh least and come first: sums round less. Sums of one
// end serve both directions where they have the same poles; the sample at the end is not among those then.
#if OWN_STARTS == FROM_SUMS
#define SUMMED CAUSAL // sections
#define SKIPPED 1     // sample
#else
#define SUMMED SECTIONS
#define SKIPPED 0
#endif
INLINE void add_ends(STRIP_SOURCE from, const Lines lines, int rest, bool at_end, int count,
                     __global const ONE_STATE *weights, float16 *samples, State *held) {
    for (int near = (count - 1) / BLOCK * BLOCK; near >= 0 && count > 0; near -= BLOCK) {
        const int some = min(count - near, BLOCK);
        const int first = at_end ? lines.length - SKIPPED - near - some : near + SKIPPED;
        UNROLL for (int k = 0; k < VECTORS; ++k) {
            for (int n = 0; n < some; ++n)
                if (IS_READ_AT(n, k))
                    read_samples(from, lines, rest, first + n, some - n, k, samples + n * VECTORS);
            State states[SUMMED];
            UNROLL for (int s = 0; s < SUMMED; ++s)
                states[s] = held[k * SUMMED + s];
            for (int i = some - 1; i >= 0; --i) {
                const STATE x = TO_STATE(samples[(at_end ? some - 1 - i : i) * VECTORS + k]);
                __global const ONE_STATE *of = weights + (near + i) * (SUMMED * ORDER);
                UNROLL for (int s = 0; s < SUMMED; ++s) {
                    states[s].w = MULTIPLY_ADD(SPREAD(of[s * ORDER]), x, states[s].w);
                    if (ORDER == 2)
                        states[s].v =
                            MULTIPLY_ADD(SPREAD(of[s * ORDER + ORDER - 1]), x, states[s].v);
                }
            }
            UNROLL for (int s = 0; s < SUMMED; ++s)
                held[k * SUMMED + s] = states[s];
        }
    }
}
#else
#define STARTS_PARAMETER __global const ONE_STATE *restrict ends
#define STARTS_LIST ends
#endif

// ahead: samples of the next block that matter to this one, BLOCK at most.
ONCE void filter_strip(const int3 place, const int strips, SOURCES_PARAMETER, TARGETS_PARAMETER,
                       __global ONE_STATE *restrict marks, STARTS_PARAMETER, const Lines lines,
                       SECTIONS_PARAMETER, const int ahead) {
    const int strip = place.x;
    const int batch = place.z;
    const int first_line = strip * LANES * PLANES;
    const int blocks = (lines.length + BLOCK - 1) / BLOCK;
    // Two blocks of samples, and what the causal sections made of them.
    float16 samples[2 * HELD];
    STATE sums[2 * SUMS];
    Constants constants;
    READ_CONSTANTS(constants, GIVEN);
    State held[VECTORS * SECTIONS];
#if OWN_STARTS == FROM_SUMS
    State at_start[VECTORS * CAUSAL], at_end[VECTORS * CAUSAL];
    UNROLL for (int i = 0; i < VECTORS * CAUSAL; ++i)
        at_start[i] = at_end[i] = AT_REST;
#else
    UNROLL for (int k = 0; k < VECTORS; ++k)
        UNROLL for (int s = 0; s < SECTIONS; ++s)
#if OWN_STARTS
            held[k * SECTIONS + s] =
                (State){SPREAD(weights[s * ORDER]), SPREAD(weights[s * ORDER + ORDER - 1])};
#elif HAS_ENDS
            held[k * SECTIONS + s] =
                late_state(constants.sections[s],
                           read_ends(ends, lines.lines, batch,
                                     first_line + k / PLANES * 16 * PLANES + k % PLANES, s));
#else
            held[k * SECTIONS + s] = AT_REST;
#endif
#endif
#if ALONG_ROWS
    const bool is_aligned = ALIGNED && lines.begin % 16 == 0;
    const int rest = LANES; // rows know theirs
    Rows rows[WIDE];
    for (int k = 0; k < WIDE; ++k)
        rows[k] = rows_of(src, dst, lines, batch, strip * LANES + 16 * k);
#if FILTERS > 1
    Rows second_rows[WIDE];
    for (int k = 0; k < WIDE; ++k)
#if SOURCES > 1
        second_rows[k] = rows_of(second_src, dst, lines, batch, strip * LANES + 16 * k);
#else
        second_rows[k] = rows_of(src, second_dst, lines, batch, strip * LANES + 16 * k);
#endif
#endif
#else
    const int rest = lines.lines - first_line;
    __global const SRC *from = src + SRC_LINE(first_line, batch);
    const long to_place = DST_LINE(first_line, batch) - (long)lines.begin * lines.dst.step;
    __global DST *to = dst + to_place;
#if SOURCES > 1
    __global const SRC *second_from = second_src + SRC_LINE(first_line, batch);
#endif
#if TARGETS > 1
    __global DST *second_to = second_dst + to_place;
#endif
#endif

#if ALONG_ROWS
#define FROM rows
#define SECOND_FROM second_rows
#if TARGETS > 1
#define TARGET_ROWS(t) ((t) > 0 ? second_rows : rows)
#else
#define TARGET_ROWS(t) rows
#endif
    Results results[TARGETS][(ROUND + PLANES - 1) / PLANES];
#else
#define FROM from
#define SECOND_FROM second_from
#endif

#if OWN_STARTS == FROM_SUMS
    add_ends(FROM, lines, rest, false, near, weights + OF_OTHERS, samples, at_start);
    add_ends(FROM, lines, rest, true, far, weights + OF_OTHERS, samples, at_end);
    UNROLL for (int k = 0; k < VECTORS; ++k) {
        if (IS_READ_AT(0, k)) {
            read_samples(FROM, lines, rest, 0, 1, k, samples);
            read_samples(FROM, lines, rest, lines.length - 1, 1, k, samples + VECTORS);
        }
        const STATE first = TO_STATE(samples[k]);
        const STATE last = TO_STATE(samples[VECTORS + k]);
        UNROLL for (int s = 0; s < SECTIONS; ++s) {
            const int pole = k * CAUSAL + s % CAUSAL;
            held[k * SECTIONS + s] =
                late_state(constants.sections[s], state_from_sums(weights, s, first, last,
                                                                  at_start[pole], at_end[pole]));
        }
    }
#elif OWN_STARTS
    add_ends(FROM, lines, rest, false, near, weights + STATES, samples, held);
    add_ends(FROM, lines, rest, true, far, weights + STATES + near * STATES, samples, held);
    UNROLL for (int k = 0; k < VECTORS; ++k)
        UNROLL for (int s = 0; s < SECTIONS; ++s)
            held[k * SECTIONS + s] =
                late_state(constants.sections[s], held[k * SECTIONS + s]);
#endif
#if ANTICAUSAL && !LOOKS_AHEAD
    const long first_mark = ((long)batch * strips + strip) * blocks;
    for (int block = blocks - 1; block >= 0; --block) {
        const int first = block * BLOCK;
        const int count = block > 0 ? min(lines.length - first, BLOCK) : 0;
        UNROLL for (int k = 0; k < VECTORS; ++k) {
            for (int n = 0; n < count; ++n)
                if (IS_READ_AT(n, k)) {
                    read_samples(FROM, lines, rest, first + n, count - n, k, samples + n * VECTORS);
#if SOURCES > 1
                    read_samples(SECOND_FROM, lines, rest, first + n, count - n, k,
                                 samples + SECOND + n * VECTORS);
#endif
                }
            State states[SECTIONS];
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                if (!IS_CAUSAL(s)) {
                    states[s] = held[k * SECTIONS + s];
                    __global ONE_STATE *mark = marks + mark_at(first_mark + block, k, s);
                    vstore16(states[s].w, 0, mark);
                    if (ORDER == 2)
                        vstore16(states[s].v, 1, mark);
                }
            for (int n = count - 1; n >= 0; --n)
                take_backwards(&constants, samples + n * VECTORS + k, states);
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                if (!IS_CAUSAL(s))
                    held[k * SECTIONS + s] = states[s];
        }
    }
#endif

    // The causal sections are a block ahead of the others, and go on while samples are read.
    for (int block = -1; block < blocks; ++block) {
        const int first = block * BLOCK;
        const int count = min(lines.length - first, BLOCK);
        const int next_count = min(lines.length - first - BLOCK, BLOCK); // may be negative
        const int slot = block & 1;
        float16 *here = samples + slot * HELD;
        float16 *next = samples + (1 - slot) * HELD;
        STATE *here_sums = sums + slot * SUMS;
        STATE *next_sums = sums + (1 - slot) * SUMS;
        for (int k = 0; k < VECTORS; k += CHAINS) {
            State states[CHAINS][SECTIONS];
            UNROLL for (int c = 0; c < CHAINS; ++c)
                UNROLL for (int s = 0; s < SECTIONS; ++s)
                    if (IS_CAUSAL(s))
                        states[c][s] = held[(k + c) * SECTIONS + s];
            for (int n = 0; n < next_count; ++n)
                UNROLL for (int c = 0; c < CHAINS; ++c) {
                    const int at = n * VECTORS;
                    if (IS_READ_AT(n, k + c)) {
                        const int from_here = first + BLOCK + n;
                        read_samples(FROM, lines, rest, from_here, next_count - n, k + c,
                                     next + at);
#if SOURCES > 1
                        read_samples(SECOND_FROM, lines, rest, from_here, next_count - n, k + c,
                                     next + SECOND + at);
#endif
                    }
                    const float16 *sample = next + at + k + c;
                    const STATE x = TO_STATE(*sample);
                    const STATE y = filter_forwards(&constants, 0, x, NOTHING, states[c]);
#if SOURCES > 1
                    next_sums[at + k + c] =
                        filter_forwards(&constants, 1, TO_STATE(sample[SECOND]), y, states[c]);
#else
                    next_sums[at + k + c] = y;
#endif
#if TARGETS > 1
                    next_sums[SECOND + at + k + c] =
                        filter_forwards(&constants, 1, x, NOTHING, states[c]);
#endif
                }
            UNROLL for (int c = 0; c < CHAINS; ++c)
                UNROLL for (int s = 0; s < SECTIONS; ++s)
                    if (IS_CAUSAL(s))
                        held[(k + c) * SECTIONS + s] = states[c][s];
        }
        if (block < 0)
            continue;
        for (int k = 0; k < VECTORS; k += ROUND) {
            State states[ROUND][SECTIONS];
#if ANTICAUSAL
            UNROLL for (int c = 0; c < ROUND; ++c) {
#if LOOKS_AHEAD
                // The lines' end may be near enough to matter.
                const bool sees_end = next_count <= ahead;
                UNROLL for (int s = 0; s < SECTIONS; ++s)
                    if (!IS_CAUSAL(s)) {
                        State end = held[(k + c) * SECTIONS + s];
                        if (!sees_end) {
                            end = AT_REST;
#if HOLDS
                            const float16 last = next[(SOURCES > 1 ? s / EACH * SECOND : 0) +
                                                      (ahead - 1) * VECTORS + k + c];
                            end = steady_late(&constants, s, TO_STATE(last));
#endif
                        }
                        states[c][s] = end;
                    }
#else
                UNROLL for (int s = 0; s < SECTIONS; ++s)
                    if (!IS_CAUSAL(s)) {
                        __global const ONE_STATE *mark =
                            marks + mark_at(first_mark + block, k + c, s);
                        states[c][s].w = vload16(0, mark);
                        states[c][s].v = vload16(ORDER - 1, mark);
                    }
#endif
            }
#endif
#if ANTICAUSAL && LOOKS_AHEAD
            UNROLL for (int turn = 0; turn < ROUND; turn += CHAINS)
                for (int n = min(next_count, ahead) - 1; n >= 0; --n)
                    UNROLL for (int c = turn; c < turn + CHAINS; ++c)
                        take_backwards(&constants, next + n * VECTORS + k + c, states[c]);
#endif
#if ALONG_ROWS
            for (int n = (count - 1) / 16 * 16; n >= 0; n -= 16) {
                float16 values[TARGETS][ROUND][16];
                const int some = min(count - n, 16);
                UNROLL for (int turn = 0; turn < ROUND; turn += CHAINS)
                    for (int i = some - 1; i >= 0; --i)
                        UNROLL for (int c = turn; c < turn + CHAINS; ++c) {
                            const int place = (n + i) * VECTORS + k + c;
                            STATE y[TARGETS];
                            add_all_backwards(&constants, here + place, here_sums + place, y,
                                              states[c]);
                            UNROLL for (int t = 0; t < TARGETS; ++t)
                                values[t][c][i] = TO_REAL(y[t]);
                        }
                UNROLL for (int c = 0; c < ROUND; c += PLANES)
                    UNROLL for (int t = 0; t < TARGETS; ++t) {
                        Results *to = &results[t][c / PLANES];
                        add_results(values[t] + c, n % RUN, to);
                        if (n % RUN == 0)
                            write_results(to, TARGET_ROWS(t) + (k + c) / PLANES, lines, first + n,
                                          min(count - n, RUN), is_aligned);
                    }
            }
#else
            for (int n = count - 1; n >= 0; --n) {
                // The block after the next is on its way meanwhile.
                if (first + 2 * BLOCK + n < lines.length)
                    UNROLL for (int c = 0; c < CHAINS; ++c) {
                        const long at =
                            (long)(first + 2 * BLOCK + n) * lines.src.step + 16 * (k + c);
                        EXPECT(from + at);
#if SOURCES > 1
                        EXPECT(second_from + at);
#endif
                    }
                const bool is_stored = first + n >= lines.begin && first + n < lines.end;
                UNROLL for (int c = 0; c < CHAINS; ++c) {
                    const int place = n * VECTORS + k + c;
                    STATE y[TARGETS];
                    add_all_backwards(&constants, here + place, here_sums + place, y, states[c]);
                    const long at = (long)(first + n) * lines.dst.step + 16 * (k + c);
                    if (is_stored) {
                        const int lanes = LANES <= rest ? 16 : min(rest - 16 * (k + c), 16);
                        write_vector(TO_REAL(y[0]), to + at, lanes);
#if TARGETS > 1
                        write_vector(TO_REAL(y[1]), second_to + at, lanes);
#endif
                    }
                }
            }
#endif
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void recursive_strips(SOURCES_PARAMETER, TARGETS_PARAMETER, __global ONE_STATE *restrict marks,
                      STARTS_PARAMETER, const Lines lines, SECTIONS_PARAMETER, const int ahead) {
    filter_strip(PLACE, get_global_size(0), SOURCE_LIST, TARGET_LIST, marks, STARTS_LIST, lines,
                 sections, ahead);
}
