// A stage of a recursive filter on a long line, for CPUs: an item filters 16 segments of it side by
// side in the lanes of vector registers, block by block. Each starts `lead` samples early, from 0,
// as long as the causal sections remember; what the anticausal ones start a block from is found in
// the next.
#include "lib/pixel.clh"
#include "lib/lines.clh"
#include "lib/once.clh"
#define SIDE_BY_SIDE 16
#include "lib/recursive.clh"
#include "lib/host_compiler.clh"
#include "lib/transpose.clh"

#if !defined(HAS_ENDS) || !defined(BLOCK) || !defined(ALIGNED) || COMPONENTS != 1
#error HAS_ENDS, BLOCK or ALIGNED is not defined, or samples are not side by side
#endif

#define LANES 16
// Samples of a segment that are written at once: memory takes longer for short pieces of 16 segments in turn.
#define PIECE 64
#if BLOCK % PIECE != 0
#error BLOCK must be a multiple of PIECE
#endif

// 16 segments of a line, of `size` samples each. They lie side by side from `first` on, but for
// those that would end behind the line: they start where its last segment does, at `last`.
typedef struct Segments {
    int first, size, last;
} Segments;
INLINE int side_by_side(Segments segments, int lane) {
    return segments.first + lane * segments.size;
}
INLINE int segment_start(Segments segments, int lane) {
    return min(side_by_side(segments, lane), segments.last);
}
// The last segment alone knows what the anticausal sections start the line's end from: what it has
// in common with others is its own.
INLINE bool owns(Segments segments, int lane, int at) {
    const int start = side_by_side(segments, lane);
    return start >= segments.last ? start < segments.last + segments.size
                                  : at >= start && at < segments.last;
}

// Reads samples first to first + BLOCK - 1 of all segments, 0 outside the line.
INLINE void read_block(__global const SRC *from, const Lines lines, Segments segments, int first,
                       float16 *to) {
    if (segments.first + first >= 0 &&
        segment_start(segments, LANES - 1) + first + BLOCK <= lines.length) {
        for (int n = 0; n < BLOCK; n += 16) {
            float16 a[16];
            UNROLL for (int i = 0; i < 16; ++i)
                a[i] = LOAD16(from + segment_start(segments, i) + first + n);
            transpose(a);
            UNROLL for (int i = 0; i < 16; ++i)
                to[n + i] = a[i];
        }
    } else {
        for (int n = 0; n < BLOCK; ++n) {
            float some[16];
            for (int lane = 0; lane < LANES; ++lane) {
                const int at = segment_start(segments, lane) + first + n;
                some[lane] = at >= 0 && at < lines.length ? LOAD(from + at) : 0.0f;
            }
            to[n] = vload16(0, some);
        }
    }
}

// Asks for samples of all segments that are read soon.
INLINE void expect_block(__global const SRC *from, Segments segments, int first) {
    for (int i = 0; i < LANES; ++i)
        for (int n = 0; n < BLOCK; n += 64 / (int)sizeof(SRC))
            EXPECT(from + segment_start(segments, i) + first + n);
}

// Writes them, those that are stored.
INLINE void write_block(const STATE *samples, const Lines lines, Segments segments, int first,
                        __global DST *to) {
    if (segments.first + first >= lines.begin && side_by_side(segments, LANES) <= segments.last &&
        segment_start(segments, LANES - 1) + first + BLOCK <= lines.end) {
        const bool streams = ALIGNED && lines.begin % 16 == 0;
        for (int n = 0; n < BLOCK; n += PIECE) {
            float16 pieces[LANES][PIECE / 16];
            for (int k = 0; k < PIECE / 16; ++k) {
                float16 a[16];
                UNROLL for (int i = 0; i < 16; ++i)
                    a[i] = TO_REAL(samples[n + 16 * k + i]);
                transpose(a);
                UNROLL for (int i = 0; i < 16; ++i)
                    pieces[i][k] = a[i];
            }
            for (int i = 0; i < LANES; ++i) {
                __global DST *at = to + segment_start(segments, i) + first + n;
                UNROLL for (int k = 0; k < PIECE / 16; ++k)
                    if (streams)
                        STREAM16(pieces[i][k], at + 16 * k);
                    else
                        STORE16(pieces[i][k], at + 16 * k);
            }
        }
    } else {
        for (int n = 0; n < BLOCK; ++n) {
            float some[16];
            vstore16(TO_REAL(samples[n]), 0, some);
            for (int lane = 0; lane < LANES; ++lane) {
                const int at = segment_start(segments, lane) + first + n;
                if (owns(segments, lane, at) && at >= lines.begin && at < lines.end)
                    STORE(some[lane], to + at);
            }
        }
    }
}

// The state of section s, with those of `ends` in the lanes whose segments start at `start`. They
// lie `apart` from the next of the line.
INLINE State set_ends(State state, Segments segments, int start,
                      __global const ONE_STATE *ends, int s, long apart) {
    ONE_STATE w[16], v[16];
    vstore16(state.w, 0, w);
    vstore16(state.v, 0, v);
    for (int lane = 0; lane < LANES; ++lane)
        if (segment_start(segments, lane) == start) {
            w[lane] = ends[s * ORDER * apart];
            v[lane] = ends[(s * ORDER + ORDER - 1) * apart];
        }
    return (State){vload16(0, w), vload16(0, v)};
}

// segment: samples, whole blocks, of a line that has no fewer. lead: whole blocks. ahead: samples
// that matter to those before them, BLOCK at most.
ONCE void filter_segments(const int3 place, __global const SRC *restrict src,
                          __global DST *restrict dst, __global const ONE_STATE *restrict ends,
                          const Lines lines, const int segment, const int lead, const int ahead,
                          SECTIONS_PARAMETER) {
    const int line = place.y;
    const int batch = place.z;
    const Segments segments = {place.x * LANES * segment, segment,
                               lines.length - segment};
    __global const SRC *from = src + SRC_LINE(line, batch);
    __global DST *to = dst + DST_LINE(line, batch) - lines.begin;
    ends += (long)batch * STATES * lines.lines + line;
    Filter filter;
    READ_FILTER(filter, GIVEN, 0);
    // Two blocks of samples, of which the causal sections are done with the first.
    float16 samples[2 * BLOCK];
    STATE sums[BLOCK];
    State down[SECTIONS];
    UNROLL for (int s = 0; s < SECTIONS; ++s)
        down[s] = AT_REST;
    int here = 0;
    read_block(from, lines, segments, -lead, samples);
    for (int first = -lead; first < segment; first += BLOCK) {
        const int next = BLOCK - here;
        read_block(from, lines, segments, first + BLOCK, samples + next);
        expect_block(from, segments, first + 2 * BLOCK);
        State states[SECTIONS];
        UNROLL for (int s = 0; s < CAUSAL; ++s) {
            states[s] = down[s];
            if (HAS_ENDS && first == 0 && segments.first == 0)
                states[s] = set_ends(states[s], segments, 0, ends, s, lines.lines);
        }
        if (first < 0) {
            for (int n = 0; n < BLOCK; ++n)
                UNROLL for (int s = 0; s < CAUSAL; ++s)
                    states[s] = take(filter.sections[s], states[s], TO_STATE(samples[here + n]));
        } else {
            for (int n = 0; n < BLOCK; ++n)
                filter_causally(&filter, TO_STATE(samples[here + n]), sums + n, states);
        }
        UNROLL for (int s = 0; s < CAUSAL; ++s)
            down[s] = states[s];
        if (first >= 0) {
#if ANTICAUSAL
            UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                states[s] = AT_REST;
            for (int n = ahead - 1; n >= 0; --n)
                UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                    states[s] = take(filter.sections[s], states[s], TO_STATE(samples[next + n]));
#if HAS_ENDS
            if (first + BLOCK == segment && segment_start(segments, LANES - 1) == segments.last)
                UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
                    states[s] =
                        set_ends(states[s], segments, segments.last, ends, s, lines.lines);
#endif
            for (int n = BLOCK - 1; n >= 0; --n)
                add_anticausal(&filter, TO_STATE(samples[here + n]), sums + n, states);
#endif
            write_block(sums, lines, segments, first, to);
        }
        here = next;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void recursive_segments(__global const SRC *restrict src, __global DST *restrict dst,
                        __global const ONE_STATE *restrict ends, const Lines lines,
                        const int segment, const int lead, const int ahead, SECTIONS_PARAMETER) {
    filter_segments(PLACE, src, dst, ends, lines, segment, lead, ahead, sections);
}
