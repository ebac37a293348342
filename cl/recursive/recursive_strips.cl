// A stage of a recursive filter, for CPUs: an item filters 16 WIDE lines side by side in vector
// registers, with no barrier. It goes along them block by block; the causal sections' states go
// with it. What the anticausal ones start a block from is found in the next block, where little
// enough is left of what lies behind it; else by going along the lines backwards first. Two filters
// at once go along side by side.
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

// Vector k of the samples of a block.
#define PART(k) ((k) * BLOCK)
// Samples of both sources, the second's behind those of the first.
#define HELD (SOURCES * WIDE * BLOCK)
#define SECOND (WIDE * BLOCK)

// read_block() and write_block() move samples first to first + count - 1 of LANES lines, 16 at a
// time where there are several lines: 16 rows of one component become columns in registers; of
// several components a row's values go by way of private memory. Lanes beyond the last line read
// that one, and are not stored.
#if ALONG_ROWS
#include "lib/transpose.clh"
#define FEW_LANES 4 // are read value by value

// A value of each of `lanes` rows, at an offset from where they start.
INLINE float16 read_lanes(__global const SRC **rows, int lanes, long offset) {
    float some[16];
    for (int lane = 0; lane < 16; ++lane)
        some[lane] = lane < lanes ? LOAD(rows[lane] + offset) : 0.0f;
    return vload16(0, some);
}
INLINE void write_lanes(float16 value, __global DST **rows, int lanes, long offset) {
    float some[16];
    vstore16(value, 0, some);
    for (int lane = 0; lane < lanes; ++lane)
        STORE(some[lane], rows[lane] + offset);
}

// 16 samples of 16 lanes, from sample `first` on. first_lane: the line of the first.
#if COMPONENTS == 1
INLINE void read_16(__global const SRC **rows, const Lines lines, int first_lane, int first,
                    float16 *to) {
    float16 a[16];
    UNROLL for (int i = 0; i < 16; ++i)
        a[i] = LOAD16(rows[i] + first);
    transpose(a);
    UNROLL for (int i = 0; i < 16; ++i)
        to[i] = a[i];
}
INLINE void write_16(const float16 *from, __global DST **rows, int lanes, int first) {
    float16 a[16];
    UNROLL for (int i = 0; i < 16; ++i)
        a[i] = from[i];
    transpose(a);
    UNROLL for (int i = 0; i < 16; ++i)
        if (i < lanes)
            STORE16(a[i], rows[i] + first);
}
#else
INLINE void read_16(__global const SRC **rows, const Lines lines, int first_lane, int first,
                    float16 *to) {
    float values[16][16 * COMPONENTS];
    int component[16];
    for (int lane = 0; lane < 16; ++lane) {
        const int line = min(first_lane + lane, lines.lines - 1);
        component[lane] = line - PIXEL_OF(line) * COMPONENTS;
        __global const SRC *pixels = rows[lane] - component[lane] + (long)first * COMPONENTS;
        UNROLL for (int q = 0; q < COMPONENTS; ++q)
            vstore16(LOAD16(pixels + 16 * q), q, values[lane]);
    }
    for (int i = 0; i < 16; ++i) {
        float some[16];
        UNROLL for (int lane = 0; lane < 16; ++lane)
            some[lane] = values[lane][COMPONENTS * i + component[lane]];
        to[i] = vload16(0, some);
    }
}
INLINE void write_16(const float16 *from, __global DST **rows, int lanes, int first) {
    for (int i = 0; i < 16; ++i)
        write_lanes(from[i], rows, lanes, (long)(first + i) * COMPONENTS);
}
#endif

INLINE void read_block(__global const SRC *src, const Lines lines, int batch, int first_line,
                       int first, int count, float16 *to) {
    UNROLL for (int k = 0; k < WIDE; ++k) {
        const int first_lane = first_line + 16 * k;
        const int lanes = min(lines.lines - first_lane, 16);
        __global const SRC *rows[16];
        for (int lane = 0; lane < 16; ++lane)
            rows[lane] = src + SRC_LINE(min(first_lane + lane, lines.lines - 1), batch);
        int n = 0;
        if (lanes >= FEW_LANES)
            for (; n + 16 <= count; n += 16)
                read_16(rows, lines, first_lane, first + n, to + PART(k) + n);
        for (; n < count; ++n)
            to[PART(k) + n] = read_lanes(rows, lanes, (long)(first + n) * lines.src.step);
    }
}

INLINE void write_block(const float16 *from, const Lines lines, int batch, int first_line,
                        int first, int count, __global DST *dst) {
    UNROLL for (int k = 0; k < WIDE; ++k) {
        const int first_lane = first_line + 16 * k;
        const int lanes = min(lines.lines - first_lane, 16);
        __global DST *rows[16];
        for (int lane = 0; lane < 16; ++lane)
            rows[lane] = dst + DST_LINE(min(first_lane + lane, lines.lines - 1), batch);
        int n = max(lines.begin - first, 0);
        const int end = min(count, lines.end - first);
        if (lanes >= FEW_LANES)
            for (; n + 16 <= end; n += 16)
                write_16(from + PART(k) + n, rows, lanes, first + n - lines.begin);
        for (; n < end; ++n)
            write_lanes(from[PART(k) + n], rows, lanes,
                        (long)(first + n - lines.begin) * lines.dst.step);
    }
}
#else
#if ALIGNED
#define STREAM STREAM16
#else
#define STREAM STORE16
#endif

// A value of each of the first `count` of 16 lines that lie side by side.
INLINE float16 read_some(__global const SRC *from, int count) {
    float some[16];
    for (int lane = 0; lane < 16; ++lane)
        some[lane] = lane < count ? LOAD(from + lane) : 0.0f;
    return vload16(0, some);
}
INLINE void write_some(float16 value, __global DST *to, int count) {
    float some[16];
    vstore16(value, 0, some);
    for (int lane = 0; lane < count; ++lane)
        STORE(some[lane], to + lane);
}

INLINE void read_block(__global const SRC *src, const Lines lines, int batch, int first_line,
                       int first, int count, float16 *to) {
    __global const SRC *from = src + SRC_LINE(first_line, batch) + (long)first * lines.src.step;
    if (first_line + LANES <= lines.lines) {
        for (int n = 0; n < count; ++n, from += lines.src.step)
            UNROLL for (int k = 0; k < WIDE; ++k)
                to[PART(k) + n] = LOAD16(from + 16 * k);
    } else {
        for (int n = 0; n < count; ++n, from += lines.src.step)
            for (int k = 0; k < WIDE; ++k)
                to[PART(k) + n] = read_some(from + 16 * k, lines.lines - first_line - 16 * k);
    }
}

INLINE void write_block(const float16 *from, const Lines lines, int batch, int first_line,
                        int first, int count, __global DST *dst) {
    const int begin = max(lines.begin - first, 0);
    const int end = min(count, lines.end - first);
    __global DST *to =
        dst + DST_LINE(first_line, batch) + (long)(first + begin - lines.begin) * lines.dst.step;
    if (first_line + LANES <= lines.lines) {
        for (int n = begin; n < end; ++n, to += lines.dst.step)
            UNROLL for (int k = 0; k < WIDE; ++k)
                STREAM(from[PART(k) + n], to + 16 * k);
    } else {
        for (int n = begin; n < end; ++n, to += lines.dst.step)
            for (int k = 0; k < WIDE; ++k)
                write_some(from[PART(k) + n], to + 16 * k,
                           min(lines.lines - first_line - 16 * k, 16));
    }
}
#endif

// Section s's states at the ends of 16 lines from first_line on.
INLINE State read_ends(__global const ONE_STATE *ends, int lines, int batch, int first_line,
                       int s) {
    __global const ONE_STATE *from =
        ends + ((long)batch * STATES + s * ORDER) * lines + first_line;
    ONE_STATE w[16], v[16];
    for (int lane = 0; lane < 16; ++lane) {
        const bool is_there = first_line + lane < lines;
        w[lane] = is_there ? from[lane] : NO_STATE;
        v[lane] = is_there ? from[(ORDER - 1) * (long)lines + lane] : NO_STATE;
    }
    return (State){vload16(0, w), vload16(0, v)};
}

// The anticausal sections of all filters take a sample, which of several sources lie SECOND apart.
INLINE void take_backwards(const Filter *filters, const float16 *sample, State *states) {
    UNROLL for (int f = 0; f < FILTERS; ++f) {
        const STATE x = TO_STATE(sample[SOURCES > 1 ? f * SECOND : 0]);
        UNROLL for (int s = CAUSAL; s < EACH; ++s)
            states[f * EACH + s] = take(filters[f].sections[s], states[f * EACH + s], x);
    }
}

// marks: what the anticausal sections enter each block with: [item][block][vector][section][w, v].
INLINE long mark_at(long block, int k, int s) {
    const int section = s / EACH * ANTICAUSAL + s % EACH - CAUSAL;
    return ((block * WIDE + k) * (FILTERS * ANTICAUSAL) + section) * ORDER * 16;
}

// ahead: samples of the next block that matter to this one, BLOCK at most.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void recursive_strips(SOURCES_PARAMETER, TARGETS_PARAMETER,
                      __global ONE_STATE *restrict marks, __global const ONE_STATE *restrict ends,
                      const Lines lines, SECTIONS_PARAMETER, const int ahead) {
    const int strip = get_global_id(0);
    const int batch = get_global_id(2);
    const int first_line = strip * LANES;
    const int blocks = (lines.length + BLOCK - 1) / BLOCK;
    // Two blocks of samples, of which the causal sections are done with the first.
    float16 samples[2 * HELD];
    STATE sums[BLOCK];
#if TARGETS > 1
    STATE second[WIDE * BLOCK]; // sums of the second filter
#if STATE_FORM == 0
    float16 *second_results = second;
#else
    float16 second_results[WIDE * BLOCK];
#endif
#endif
    Filter filters[FILTERS];
    UNROLL for (int f = 0; f < FILTERS; ++f)
        READ_FILTER(filters[f], GIVEN, f);
    State held[WIDE * SECTIONS];
    UNROLL for (int k = 0; k < WIDE; ++k)
        UNROLL for (int s = 0; s < SECTIONS; ++s)
#if HAS_ENDS
            held[k * SECTIONS + s] =
                read_ends(ends, lines.lines, batch, first_line + 16 * k, s);
#else
            held[k * SECTIONS + s] = AT_REST;
#endif

#if ANTICAUSAL && !LOOKS_AHEAD
    const long first_mark = ((long)batch * get_global_size(0) + strip) * blocks;
    for (int block = blocks - 1; block >= 0; --block) {
        const int count = min(lines.length - block * BLOCK, BLOCK);
        if (block > 0) {
            read_block(src, lines, batch, first_line, block * BLOCK, count, samples);
#if SOURCES > 1
            read_block(second_src, lines, batch, first_line, block * BLOCK, count,
                       samples + SECOND);
#endif
        }
        UNROLL for (int k = 0; k < WIDE; ++k) {
            State states[SECTIONS];
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                if (!IS_CAUSAL(s)) {
                    states[s] = held[k * SECTIONS + s];
                    __global ONE_STATE *mark = marks + mark_at(first_mark + block, k, s);
                    vstore16(states[s].w, 0, mark);
                    if (ORDER == 2)
                        vstore16(states[s].v, 1, mark);
                }
            if (block > 0)
                for (int n = count - 1; n >= 0; --n)
                    take_backwards(filters, samples + PART(k) + n, states);
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                if (!IS_CAUSAL(s))
                    held[k * SECTIONS + s] = states[s];
        }
    }
#endif

    read_block(src, lines, batch, first_line, 0, min(lines.length, BLOCK), samples);
#if SOURCES > 1
    read_block(second_src, lines, batch, first_line, 0, min(lines.length, BLOCK),
               samples + SECOND);
#endif
    for (int block = 0; block < blocks; ++block) {
        const int first = block * BLOCK;
        const int count = min(lines.length - first, BLOCK);
        const int next = block % 2 == 0 ? HELD : 0;
        const int here = HELD - next;
        const int next_count = min(lines.length - first - BLOCK, BLOCK); // may be negative
        if (block + 1 < blocks) {
            read_block(src, lines, batch, first_line, first + BLOCK, next_count, samples + next);
#if SOURCES > 1
            read_block(second_src, lines, batch, first_line, first + BLOCK, next_count,
                       samples + next + SECOND);
#endif
        }
        UNROLL for (int k = 0; k < WIDE; ++k) {
            State states[SECTIONS];
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                if (IS_CAUSAL(s))
                    states[s] = held[k * SECTIONS + s];
            for (int n = 0; n < count; ++n) {
                const STATE x = TO_STATE(samples[here + PART(k) + n]);
                STATE y;
                filter_causally(filters, x, &y, states);
#if SOURCES > 1
                const STATE second_x = TO_STATE(samples[here + SECOND + PART(k) + n]);
                filter_causally(filters + 1, second_x, &y, states + EACH);
#elif TARGETS > 1
                STATE second_y;
                filter_causally(filters + 1, x, &second_y, states + EACH);
                second[PART(k) + n] = second_y;
#endif
                sums[n] = y;
            }
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                if (IS_CAUSAL(s))
                    held[k * SECTIONS + s] = states[s];
#if ANTICAUSAL
#if LOOKS_AHEAD
            // The lines' end may be near enough to matter.
            const bool sees_end = next_count <= ahead;
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                if (!IS_CAUSAL(s)) {
                    states[s].w = sees_end ? held[k * SECTIONS + s].w : NOTHING;
                    states[s].v = sees_end ? held[k * SECTIONS + s].v : NOTHING;
                }
            for (int n = min(next_count, ahead) - 1; n >= 0; --n)
                take_backwards(filters, samples + next + PART(k) + n, states);
#else
            UNROLL for (int s = 0; s < SECTIONS; ++s)
                if (!IS_CAUSAL(s)) {
                    __global const ONE_STATE *mark = marks + mark_at(first_mark + block, k, s);
                    states[s].w = vload16(0, mark);
                    states[s].v = vload16(ORDER - 1, mark);
                }
#endif
            for (int n = count - 1; n >= 0; --n) {
                const STATE x = TO_STATE(samples[here + PART(k) + n]);
                STATE y = sums[n];
                add_anticausal(filters, x, &y, states);
#if SOURCES > 1
                const STATE second_x = TO_STATE(samples[here + SECOND + PART(k) + n]);
                add_anticausal(filters + 1, second_x, &y, states + EACH);
#elif TARGETS > 1
                STATE second_y = second[PART(k) + n];
                add_anticausal(filters + 1, x, &second_y, states + EACH);
                second_results[PART(k) + n] = TO_REAL(second_y);
#endif
                samples[here + PART(k) + n] = TO_REAL(y);
            }
#else
            for (int n = 0; n < count; ++n) {
                samples[here + PART(k) + n] = TO_REAL(sums[n]);
#if TARGETS > 1
                second_results[PART(k) + n] = TO_REAL(second[PART(k) + n]);
#endif
            }
#endif
        }
        write_block(samples + here, lines, batch, first_line, first, count, dst);
#if TARGETS > 1
        write_block(second_results, lines, batch, first_line, first, count, second_dst);
#endif
    }
}
