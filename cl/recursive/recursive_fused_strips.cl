// A recursive filter along x and y in one pass, for CPUs, where little is left of a sample after APRON
// pixels: the image is read as its border extends it, and nothing enters a strip from further away. An
// item goes down a strip of STRIP values, APRON rows at a time: a block. It filters 16 rows of it side
// by side in the lanes of vectors along x, turns them, and filters the block before along y, 16 columns
// in a vector, with what matters of the block that has come. No barrier. PLANES: 1, or 2 filters of the
// same image, of which the result is the sum; one goes after the other.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/once.clh"
#define SIDE_BY_SIDE 16
#include "lib/recursive.clh"
#include "lib/recursive_late.clh"
#include "lib/host_compiler.clh"
#include "lib/transpose.clh"
#include "lib/write_row.clh"

#if !defined(STRIP) || !defined(APRON) || !defined(ALIGNED) || !defined(CUT) || !defined(PLANES) ||  \
    !defined(IN_RUNS)
#error STRIP, APRON, ALIGNED, CUT, PLANES or IN_RUNS is not defined
#endif
#if !defined(HOLDS) || (HOLDS && CUT)
#error HOLDS is not defined, or nothing lies beyond the image
#endif
#if APRON % 16 != 0
#error APRON is not a multiple of 16
#endif

// A strip's values: whole pixels, and whole vectors.
#define STRIP_VALUES (CHANNELS == 3 ? STRIP / 48 * 48 : STRIP)
#define APRON_X (APRON * CHANNELS)
#define COLUMNS (STRIP_VALUES + 2 * APRON_X)
#define VECTORS (STRIP_VALUES / 16)
// From a row of vectors to the next, not a power of two, so that rows do not share sets of the cache.
#define PITCH (VECTORS + 1)
#define CHAINS (VECTORS % MOST_CHAINS == 0 ? MOST_CHAINS : 1)

// CUT: whether nothing lies beyond the image. The states of anticausal sections at its right and lower end are sums
// over the last samples there, of which these are the weights, from the last sample on.
#if CUT
typedef struct Starts {
    float weights[ANTICAUSAL * ORDER][APRON];
} Starts;
#endif
typedef struct Axes {
    Sections sections[2 * PLANES];
#if CUT
    Starts starts[2 * PLANES];
#endif
} Axes;
#if BY_VALUE
#define AXES_PARAMETER const Axes axes
#define AXES axes
#else
#define AXES_PARAMETER __constant Axes *restrict axes
#define AXES (*axes)
#endif

INLINE void take_causally(const Constants *constants, float16 x, State *states) {
    UNROLL for (int s = 0; s < CAUSAL; ++s)
        states[s] = take_late(constants->sections[s], states[s], x);
}
INLINE void take_anticausally(const Constants *constants, float16 x, State *states) {
    UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
        states[s] = take_late(constants->sections[s], states[s], x);
}
INLINE void rest(State *states) {
    UNROLL for (int s = 0; s < SECTIONS; ++s)
        states[s] = AT_REST;
}
// Set the states from which the sections of a direction start, where x is the first sample that they take.
INLINE void start_causally(const Constants *constants, float16 x, State *states) {
#if HOLDS
    UNROLL for (int s = 0; s < CAUSAL; ++s)
        states[s] = steady_late(constants, s, x);
#endif
}
INLINE void start_anticausally(const Constants *constants, float16 x, State *states) {
#if HOLDS
    UNROLL for (int s = CAUSAL; s < SECTIONS; ++s)
        states[s] = steady_late(constants, s, x);
#endif
}

#if CUT
// Sets the anticausal states at the cut. AT(age) is the sample that is `age` samples before the last one: a macro, as
// samples lie differently along x and y.
#define START_AT_CUT(constants, starts, AT, states)                                                \
    do {                                                                                           \
        float16 sums_[ANTICAUSAL * ORDER];                                                         \
        UNROLL for (int i_ = 0; i_ < ANTICAUSAL * ORDER; ++i_)                                     \
            sums_[i_] = NOTHING;                                                                   \
        for (int age_ = APRON - 1; age_ >= 0; --age_) {                                            \
            const float16 x_ = AT(age_);                                                           \
            UNROLL for (int i_ = 0; i_ < ANTICAUSAL * ORDER; ++i_)                                 \
                sums_[i_] = fma((float16)((starts)->weights[i_][age_]), x_, sums_[i_]);            \
        }                                                                                          \
        UNROLL for (int s_ = 0; s_ < ANTICAUSAL; ++s_) {                                           \
            const State start_ = {sums_[s_ * ORDER],                                               \
                                  ORDER == 2 ? sums_[s_ * ORDER + ORDER - 1] : NOTHING};           \
            (states)[CAUSAL + s_] = late_state((constants)->sections[CAUSAL + s_], start_);        \
        }                                                                                          \
    } while (0)
#define STARTS_PARAMETER , const Starts *starts
#define STARTS(starts) , starts
#else
#define STARTS_PARAMETER
#define STARTS(starts)
#endif

// 16 rows as the border extends them, and where in a row the values of the strip's columns are. Those
// of columns `begin` to `end` are the image's own, side by side from value `first` + begin on.
typedef struct Rows {
    __global const SRC *values[16];
    bool are_outside[16];
} Rows;
typedef struct Columns {
    const int *places;
    int first, begin, end, all;
} Columns;

// The values of row y, of which `origin` is the first of row 0; those of row 0 where the border has its constant.
INLINE __global const SRC *row_at(__global const SRC *origin, const Geometry g, int y,
                                  bool *is_outside) {
    const int row = fold_row(g, y);
    *is_outside = row == OUTSIDE;
    return origin + (row == OUTSIDE ? 0 : row) * g.src_row;
}

// 16 columns of 16 rows, from column `first` on; a vector has a column.
INLINE void read_columns(const Rows *rows, Columns columns, const Geometry g, int first,
                         bool may_be_outside, float16 *a) {
    if (first >= columns.begin && first + 16 <= columns.end) {
        const int place = columns.first + first;
        UNROLL for (int i = 0; i < 16; ++i)
            a[i] = may_be_outside && rows->are_outside[i] ? (float16)(g.border_value)
                                                          : LOAD16_WHOLE(rows->values[i] + place);
    } else {
        for (int i = 0; i < 16; ++i) {
            float some[16];
            for (int k = 0; k < 16; ++k) {
                const int place = first + k < columns.all ? columns.places[first + k] : OUTSIDE;
                some[k] = rows->are_outside[i] || place == OUTSIDE ? g.border_value
                                                                   : LOAD(rows->values[i] + place);
            }
            a[i] = vload16(0, some);
        }
    }
    transpose(a);
}

// Filters 16 rows along x; their results are rows of PITCH vectors. is_read: whether `line` has them already.
INLINE void filter_rows(const Rows *rows, Columns columns, const Geometry g,
                        const Constants *constants STARTS_PARAMETER, float16 *line, bool is_read,
                        float16 *to) {
    bool may_be_outside = false;
    for (int i = 0; i < 16; ++i)
        may_be_outside |= rows->are_outside[i];
    State states[CHANNELS][SECTIONS];
    UNROLL for (int c = 0; c < CHANNELS; ++c)
        rest(states[c]);
    const int end = columns.all - APRON_X; // the last column but for the apron's
    // Samples come in whole vectors of columns; those of a pixel's channels have states of their own.
    float16 sums[STRIP_VALUES];
    int read = is_read ? columns.all : 0;
    for (int p = 0; p < columns.all; p += CHANNELS)
        UNROLL for (int c = 0; c < CHANNELS; ++c) {
            const int i = p + c;
            if (i == read) {
                float16 a[16];
                read_columns(rows, columns, g, i, may_be_outside, a);
                UNROLL for (int k = 0; k < 16; ++k)
                    line[i + k] = a[k];
                read += 16;
            }
            if (p == 0)
                start_causally(constants, line[i], states[c]);
            if (i < APRON_X)
                take_causally(constants, line[i], states[c]);
            else if (i < end)
                sums[i - APRON_X] = filter_forwards(constants, 0, line[i], NOTHING, states[c]);
        }
#if CUT
    if (columns.end < columns.all)
        UNROLL for (int c = 0; c < CHANNELS; ++c) {
#define AT(age) line[columns.end + c - (1 + (age)) * CHANNELS]
            START_AT_CUT(constants, starts, AT, states[c]);
#undef AT
        }
    const int last = columns.end;
#else
    const int last = columns.all;
    UNROLL for (int c = 0; c < CHANNELS; ++c)
        start_anticausally(constants, line[last - CHANNELS + c], states[c]);
#endif
    for (int p = last - CHANNELS; p >= end; p -= CHANNELS)
        UNROLL for (int c = 0; c < CHANNELS; ++c)
            take_anticausally(constants, line[p + c], states[c]);
    for (int p = end - CHANNELS; p >= APRON_X; p -= CHANNELS)
        UNROLL for (int c = CHANNELS - 1; c >= 0; --c) {
            const int i = p + c - APRON_X;
            sums[i] = add_backwards(constants, 0, line[p + c], sums[i], states[c]);
            if (i % 16 == 0) {
                float16 a[16];
                UNROLL for (int k = 0; k < 16; ++k)
                    a[k] = sums[i + k];
                transpose(a);
                UNROLL for (int k = 0; k < 16; ++k)
                    to[k * PITCH + i / 16] = a[k];
            }
        }
}

// band: rows of an item.
ONCE void filter_strip(const int3 place, __global const SRC *restrict src,
                       __global DST *restrict dst, const Geometry g, const int band,
                       AXES_PARAMETER) {
    const int left = place.x * STRIP_VALUES;
    const int top = place.y * band;
    const int batch = place.z;
    const int bottom = min(top + band, g.height);
    const int count = min(STRIP_VALUES, g.width - left);
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *to = dst + dst_start(g, batch) + left;
    Constants along_x[PLANES], along_y[PLANES];
    UNROLL for (int f = 0; f < PLANES; ++f) {
        READ_CONSTANTS(along_x[f], AXES.sections[2 * f]);
        READ_CONSTANTS(along_y[f], AXES.sections[2 * f + 1]);
    }
#if CUT
    Starts starts[2 * PLANES];
    for (int f = 0; f < 2 * PLANES; ++f)
        for (int i = 0; i < ANTICAUSAL * ORDER; ++i)
            for (int age = 0; age < APRON; ++age)
                starts[f].weights[i][age] = AXES.starts[f].weights[i][age];
#endif

    int places[COLUMNS];
    Columns columns = {places, left - APRON_X, 0, 0, count + 2 * APRON_X};
    for (int i = 0; i < columns.all; ++i)
        places[i] = fold_value(g, columns.first + i);
    columns.begin = clamp(g.valid_left * CHANNELS - columns.first, 0, columns.all);
    columns.end = clamp(g.valid_right * CHANNELS - columns.first, columns.begin, columns.all);

    // Two blocks of rows that are filtered along x, of the rows that the border extends: before the
    // band's first block and behind its last one is another.
    float16 line[COLUMNS + 16];
    float16 samples[PLANES][2][APRON * PITCH];
// Results are written vector by vector as they are made, or wait for whole rows of a block: where a vector is no line of
// the cache, and where IN_RUNS says that memory takes vectors of rows by turns longer. They wait in place of what they are
// made from, unless sums at a cut may need that.
#if IN_RUNS || (!ALIGNED && defined(LINE))
#define WAIT
#if CUT
    float16 results[APRON * PITCH];
#define RESULTS results
#else
#define RESULTS samples[PLANES - 1][1 - slot]
#endif
#endif
    State down[PLANES][VECTORS][SECTIONS];
    for (int f = 0; f < PLANES; ++f)
        for (int k = 0; k < VECTORS; ++k)
            rest(down[f][k]);
    for (int first = top - APRON; first < bottom + APRON; first += APRON) {
        const int slot = (first - top) / APRON & 1;
        for (int n = 0; n < APRON; n += 16) {
#if CUT
            // The block before the last one stays: sums at the cut may reach into it.
            if (first >= g.valid_bottom)
                break;
#endif
            Rows rows;
            for (int i = 0; i < 16; ++i)
                rows.values[i] = row_at(origin, g, first + n + i, &rows.are_outside[i]);
            UNROLL for (int f = 0; f < PLANES; ++f)
                filter_rows(&rows, columns, g, &along_x[f] STARTS(&starts[2 * f]), line, f > 0,
                            samples[f][slot] + n * PITCH);
        }
        // The block after this one is on its way meanwhile.
        __global const SRC *expected[APRON];
        for (int n = 0; n < APRON; ++n) {
            bool is_outside;
            expected[n] = row_at(origin, g, first + APRON + n, &is_outside) + left;
        }
        const int done = first - APRON; // the first row of the block that is filtered along y
        if (done < top - APRON)
            continue;
        // The rows of the block, and of the one that has come, that lie before the cut.
#if CUT
        const int kept = min(g.valid_bottom - done, 2 * APRON);
        const int rows = min(kept, APRON);
        const int rows_ahead = kept - APRON;
#else
        const int rows = APRON;
        const int rows_ahead = APRON;
#endif
        for (int k = 0; 16 * k < count; k += CHAINS) {
            float16 sums[APRON * CHAINS];
            UNROLL for (int f = 0; f < PLANES; ++f) {
                const Constants *constants = &along_y[f];
                const float16 *here = samples[f][1 - slot] + k;
                const float16 *next = samples[f][slot] + k;
                State states[CHAINS][SECTIONS];
                UNROLL for (int c = 0; c < CHAINS; ++c)
                    UNROLL for (int s = 0; s < SECTIONS; ++s)
                        states[c][s] = IS_CAUSAL(s) ? down[f][k + c][s] : AT_REST;
                if (done < top) {
                    UNROLL for (int c = 0; c < CHAINS; ++c)
                        start_causally(constants, here[c], states[c]);
                    for (int n = 0; n < APRON; ++n)
                        UNROLL for (int c = 0; c < CHAINS; ++c)
                            take_causally(constants, here[n * PITCH + c], states[c]);
                } else {
                    for (int n = 0; n < rows; ++n)
                        UNROLL for (int c = 0; c < CHAINS; ++c) {
                            const float16 sum = filter_forwards(constants, 0, here[n * PITCH + c],
                                                                NOTHING, states[c]);
                            sums[n * CHAINS + c] = f > 0 ? sums[n * CHAINS + c] + sum : sum;
                        }
                }
                UNROLL for (int c = 0; c < CHAINS; ++c)
                    UNROLL for (int s = 0; s < CAUSAL; ++s)
                        down[f][k + c][s] = states[c][s];
                if (done < top)
                    continue;
#if CUT
                if (kept < 2 * APRON)
                    UNROLL for (int c = 0; c < CHAINS; ++c) {
// Where the cut lies in this block, the other one still has the rows before it.
#define ROW(age) (kept - 1 - (age))
#define AT(age)                                                                                    \
    (ROW(age) >= 0 && ROW(age) < APRON ? here : next)[(ROW(age) + APRON) % APRON * PITCH + c]
                        START_AT_CUT(constants, &starts[2 * f + 1], AT, states[c]);
#undef AT
#undef ROW
                    }
#endif
#if HOLDS
                UNROLL for (int c = 0; c < CHAINS; ++c)
                    start_anticausally(constants, next[(APRON - 1) * PITCH + c], states[c]);
#endif
                for (int n = rows_ahead - 1; n >= 0; --n)
                    UNROLL for (int c = 0; c < CHAINS; ++c)
                        take_anticausally(constants, next[n * PITCH + c], states[c]);
                for (int n = rows - 1; n >= 0; --n)
                    UNROLL for (int c = 0; c < CHAINS; ++c) {
                        const float16 y = add_backwards(constants, 0, here[n * PITCH + c],
                                                        sums[n * CHAINS + c], states[c]);
                        if (f + 1 < PLANES) {
                            sums[n * CHAINS + c] = y;
                            continue;
                        }
                        if ((k + c) % (int)(4 / sizeof(SRC)) == 0)
                            EXPECT(expected[n] + 16 * (k + c));
#ifdef WAIT
                        RESULTS[n * PITCH + k + c] = y;
#else
                        if (done + n < bottom)
                            write_vector(y, to + (long)(done + n) * g.dst_row + 16 * (k + c),
                                         count - 16 * (k + c));
#endif
                    }
            }
        }
#ifdef WAIT
        for (int n = 0; done >= top && n < min(rows, bottom - done); ++n)
            write_row(to + (long)(done + n) * g.dst_row, (const float *)(RESULTS + n * PITCH),
                      count, ALIGNED);
#endif
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void recursive_fused_strips(__global const SRC *restrict src, __global DST *restrict dst,
                            const Geometry g, const int band, AXES_PARAMETER) {
    filter_strip(PLACE, src, dst, g, band, axes);
}
