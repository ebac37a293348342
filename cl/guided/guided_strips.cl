// Guided filters for CPUs, whose work does not grow with the radius: an item makes a strip of up to
// STRIP values and `band` rows alone, with no barrier. Sums along y run down each of the columns
// that the strip's squares reach, 16 of them in a vector; sums along x run along the row that these
// make. STAGE 1 makes slopes and offsets of the image and the guide, STAGE 2 makes results of
// these.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/once.clh"
#define SUM_TYPE 2
#define DIFFERENCE 0
#include "lib/box.clh"
#include "lib/host_compiler.clh"
#include "lib/box_scan.clh"
#define REAL float16
#define AS_REAL as_float16
#define AS_BITS as_uint16
#include "lib/arithmetic.clh"
#include "lib/guided.clh"
#include "lib/guided_solve.clh"

#if !defined(STRIP) || !defined(REACH) || !defined(STAGE)
#error STRIP, REACH or STAGE is not defined
#endif
#if GUIDES > 1 || (GUIDES == 1 && CHANNELS != 1)
#error guided_strips takes guides of one channel, of images of one channel or of the image itself
#endif

// A strip's values: whole pixels. Those of a row of sums: REACH is the most on both sides together.
#define STRIP_VALUES (STRIP / CHANNELS * CHANNELS)
#define COLUMNS (STRIP + REACH + 32)

#if STAGE == 1
#define IN SRC
#else
#define IN float
#endif

// Where rows of the two inputs are: the image, or slopes, at `first`; the guide, or offsets, at
// `second`.
#if STAGE == 1 && GUIDES == 1
#define SECOND GUIDE
#define SECOND_ROW from.row
#elif STAGE == 2
#define SECOND float
#define SECOND_ROW g.src_row
#else
#define SECOND SRC
#define SECOND_ROW 0
#endif

// The values of all fields at a place. pivots: of the image and of the guide.
#if STAGE == 2
#define FIELDS_AT(t, first, second, load, load_guide)                                              \
    (t)[0] = load(first);                                                                          \
    (t)[1] = load(second)
#define LOAD_FIRST(p) (*(p))
#define LOAD_FIRST16(p) vload16(0, p)
#define LOAD_SECOND(p) (*(p))
#define LOAD_SECOND16(p) vload16(0, p)
#elif GUIDES == 0
#define FIELDS_AT(t, first, second, load, load_guide)                                              \
    (t)[0] = load(first) - pivots.s0;                                                              \
    (t)[1] = (t)[0] * (t)[0]
#else
#define FIELDS_AT(t, first, second, load, load_guide)                                              \
    (t)[0] = load_guide(second) - pivots.s1;                                                       \
    (t)[1] = load(first) - pivots.s0;                                                              \
    (t)[2] = (t)[0] * (t)[0];                                                                      \
    (t)[3] = (t)[0] * (t)[1]
#endif
#if STAGE == 1
#define LOAD_FIRST(p) LOAD(p)
#define LOAD_FIRST16(p) LOAD16(p)
#define LOAD_SECOND(p) LOAD_GUIDE(p)
#define LOAD_SECOND16(p) LOAD_GUIDE16(p)
#endif

// Beyond a constant border: values are less the constant, slopes are 0.
#define OUTSIDE_OF(f) (STAGE == 2 && (f) == 1 ? g.border_value : 0.0f)

// A column that the border folds to another of the strip's is a copy of that.
#define IS_OUTSIDE (-1) // it holds the border's constant
#define IS_FAR (-2)     // it is folded to a column that the strip does not reach

// Adds to Kahan's sum of a column: `lost` is what roundings added too much.
#define MOVE_SUM(type, sum, lost, change)                                                          \
    do {                                                                                           \
        const type term_ = (change) - (lost);                                                      \
        const type next_ = (sum) + term_;                                                          \
        lost = (next_ - (sum)) - term_;                                                            \
        sum = next_;                                                                               \
    } while (0)

static inline void store_some(float16 v, __global float *to, int count) {
    if (count >= 16) {
        vstore16(v, 0, to);
        return;
    }
    float lanes[16];
    vstore16(v, 0, lanes);
    for (int i = 0; i < count; ++i)
        to[i] = lanes[i];
}

// slope, offset: targets of STAGE 1, sources of STAGE 2. The guide, which is the image where each
// channel guides itself, is at `from`.
ONCE void guide_strip(const int3 place, STAGE_IMAGES, const Geometry g, const GuidePlaces from,
                      const GuidedNumbers numbers, const int band, const float share) {
    const int left = place.x * STRIP_VALUES;
    const int top = place.y * band;
    const int batch = place.z;
    const int count = min(STRIP_VALUES, g.width - left);
    const int end = min(top + band, g.height);
    const int radius = g.anchor_y;
    const int apron = g.anchor_x * CHANNELS;
    const int columns = count + 2 * apron;

#if STAGE == 1
    __global const SRC *origin = src + src_start(g, batch);
    const long out = dst_start(g, batch) + left;
    float2 pivots = 0.0f;
    pivots.s0 = pivot_of(LOAD(origin + (long)top * g.src_row + left), numbers);
#if GUIDES
    __global const GUIDE *second = guide + start_of_places(g, batch, from);
    pivots.s1 = pivot_of(LOAD_GUIDE(second + (long)top * from.row + left), numbers);
#else
    __global const SRC *second = origin;
#endif
#else
    __global const float *origin = slope + src_start(g, batch);
    __global const float *second = offset + src_start(g, batch);
    __global const GUIDE *pixels = guide + start_of_places(g, batch, from) + left;
    __global DST *out = dst + dst_start(g, batch) + left;
#endif

    // Columns from `begin` to `inner_end` are the image's own.
    const int begin = clamp(g.valid_left * CHANNELS - (left - apron), 0, columns);
    const int inner_end = clamp(g.valid_right * CHANNELS - (left - apron), begin, columns);
    float running[FIELDS][COLUMNS + 16]; // from 16 on the boxes' columns; zeros before them
    float lost[FIELDS][COLUMNS];
    int origins[COLUMNS - STRIP]; // of the columns outside: a column of the strip's, or IS_...
    int offsets[COLUMNS - STRIP];
    const int outside = columns - (inner_end - begin);
#define OUTER(k) ((k) < begin ? (k) : (k) - begin + inner_end)
    for (int k = 0; k < outside; ++k) {
        const int at = fold_value(g, left - apron + OUTER(k));
        offsets[k] = at == OUTSIDE ? 0 : at;
        const int place = offsets[k] - (left - apron);
        origins[k] = at == OUTSIDE                        ? IS_OUTSIDE
                     : place >= begin && place < inner_end ? place
                                                           : IS_FAR;
    }
    for (int f = 0; f < FIELDS; ++f) {
        for (int i = 0; i < COLUMNS + 16; ++i)
            running[f][i] = 0.0f;
        for (int i = 0; i < COLUMNS; ++i)
            lost[f][i] = 0.0f;
    }
    // The sums of columns of a constant border, which never change.
    for (int k = 0; k < outside; ++k)
        if (origins[k] == IS_OUTSIDE)
            for (int f = 0; f < FIELDS; ++f)
                running[f][16 + OUTER(k)] = OUTSIDE_OF(f) * g.taps_y;
    const int part = max(528, (2 * apron + 47) / 48 * 48); // whole vectors and whole pixels

    // Rows that enter before the first row of means is complete, and then one for each row of
    // means.
    for (int y = top - radius; y < end + radius; ++y) {
        const int enters = fold_row(g, y);
        const bool leaves_row = y > top + radius;
        const int leaves = leaves_row ? fold_row(g, y - 2 * radius - 1) : OUTSIDE;
        __global const IN *in0 =
            origin + (left - apron) + (enters == OUTSIDE ? 0 : enters * g.src_row);
        __global const SECOND *in1 =
            second + (left - apron) + (long)(enters == OUTSIDE ? 0 : enters) * SECOND_ROW;
        __global const IN *out0 =
            origin + (left - apron) + (leaves == OUTSIDE ? 0 : leaves * g.src_row);
        __global const SECOND *out1 =
            second + (left - apron) + (long)(leaves == OUTSIDE ? 0 : leaves) * SECOND_ROW;
        int i = begin;
        for (; i + 16 <= inner_end; i += 16) {
            float16 enter[FIELDS], leave[FIELDS];
            if (enters == OUTSIDE) {
                UNROLL for (int f = 0; f < FIELDS; ++f)
                    enter[f] = (float16)(OUTSIDE_OF(f));
            } else {
                FIELDS_AT(enter, in0 + i, in1 + i, LOAD_FIRST16, LOAD_SECOND16);
            }
            if (leaves != OUTSIDE) {
                FIELDS_AT(leave, out0 + i, out1 + i, LOAD_FIRST16, LOAD_SECOND16);
            } else {
                UNROLL for (int f = 0; f < FIELDS; ++f)
                    leave[f] = (float16)(leaves_row ? OUTSIDE_OF(f) : 0.0f);
            }
            UNROLL for (int f = 0; f < FIELDS; ++f) {
                float16 s = vload16(0, running[f] + 16 + i);
                float16 l = vload16(0, lost[f] + i);
                MOVE_SUM(float16, s, l, enter[f] - leave[f]);
                vstore16(s, 0, running[f] + 16 + i);
                vstore16(l, 0, lost[f] + i);
            }
        }
        // Columns one by one, at a place of the row.
#define MOVE_COLUMN(column, at)                                                                    \
    do {                                                                                           \
        float enter_[FIELDS], leave_[FIELDS];                                                      \
        for (int f = 0; f < FIELDS; ++f) {                                                         \
            enter_[f] = OUTSIDE_OF(f);                                                             \
            leave_[f] = leaves_row ? OUTSIDE_OF(f) : 0.0f;                                         \
        }                                                                                          \
        if (enters != OUTSIDE) {                                                                   \
            FIELDS_AT(enter_, in0 + (at), in1 + (at), LOAD_FIRST, LOAD_SECOND);                    \
        }                                                                                          \
        if (leaves != OUTSIDE) {                                                                   \
            FIELDS_AT(leave_, out0 + (at), out1 + (at), LOAD_FIRST, LOAD_SECOND);                  \
        }                                                                                          \
        for (int f = 0; f < FIELDS; ++f)                                                           \
            MOVE_SUM(float, running[f][16 + (column)], lost[f][column], enter_[f] - leave_[f]);    \
    } while (0)
        for (; i < inner_end; ++i)
            MOVE_COLUMN(i, i);
        for (int k = 0; k < outside; ++k) {
            const int column = OUTER(k);
            if (origins[k] >= 0) {
                for (int f = 0; f < FIELDS; ++f)
                    running[f][16 + column] = running[f][16 + origins[k]];
            } else if (origins[k] == IS_FAR) {
                MOVE_COLUMN(column, offsets[k] - (left - apron));
            }
        }
        if (y < top + radius)
            continue;

        // A sum along the row begins anew with each part of it, so that what is not finite goes no
        // further, and rounding neither.
        const int row = y - radius;
        for (int first = 0; first < count; first += part) {
            const int last = min(first + part, count);
            Running total[FIELDS][CHANNELS]; // of the first squares without their last pixels
            for (int f = 0; f < FIELDS; ++f) {
                const float *sums = running[f] + 16;
                for (int c = 0; c < CHANNELS; ++c)
                    total[f][c] = NOTHING;
                int k = first;
#ifdef CAN_SCAN
                float16 some[LANES / 16], some_lost[LANES / 16];
                for (int v = 0; v < LANES / 16; ++v)
                    some[v] = some_lost[v] = 0.0f;
                for (; k + LANES <= first + 2 * apron; k += LANES)
                    for (int v = 0; v < LANES / 16; ++v)
                        add16(&some[v], &some_lost[v], vload16(0, sums + k + 16 * v));
                float lanes[LANES];
                for (int v = 0; v < LANES / 16; ++v)
                    vstore16(some[v] + some_lost[v], v, lanes);
                for (int v = 0; v < LANES; ++v)
                    ADD_VALUE(total[f][v % CHANNELS], lanes[v]);
#endif
                for (; k < first + 2 * apron; k += CHANNELS)
                    for (int c = 0; c < CHANNELS; ++c)
                        ADD_VALUE(total[f][c], sums[k + c]);
            }
            for (int x = first; x < last; x += 16) {
                float16 mean[FIELDS];
                UNROLL for (int f = 0; f < FIELDS; ++f) {
                    const float *sums = running[f] + 16;
#ifdef CAN_SCAN
                    // Each mean less the one before the vector, by a prefix sum of
                    // what enters and leaves.
                    float16 leave = vload16(0, sums + x - CHANNELS);
                    if (x == first) {
                        // Nothing leaves before the first pixel.
                        float lanes[16];
                        vstore16(leave, 0, lanes);
                        for (int c = 0; c < CHANNELS; ++c)
                            lanes[c] = 0.0f;
                        leave = vload16(0, lanes);
                    }
                    const float16 change = scan16(vload16(0, sums + x + 2 * apron) - leave);
                    mean[f] = (spread16(total[f]) + change) * share;
                    add_last16(total[f], change);
#else
                    float lanes[16];
                    for (int v = 0; v < 16; ++v) {
                        Running t = total[f][0];
                        for (int c = 1; c < CHANNELS; ++c)
                            total[f][c - 1] = total[f][c];
                        ADD_VALUE(t, sums[x + v + 2 * apron]);
                        lanes[v] = VALUE_OF(t) * share;
                        TAKE_VALUE(t, sums[x + v]);
                        total[f][CHANNELS - 1] = t;
                    }
                    mean[f] = vload16(0, lanes);
#endif
                }
                const int some_left = last - x;
#if STAGE == 1
#if GUIDES == 0
                const float16 variance = variance_of(mean[1], mean[0]);
                const float16 a = slope_of(variance, variance, numbers.epsilon);
                const float16 whole = mean[0] + pivots.s0;
                const float16 b = fma(-a, whole, whole);
#else
                const float16 variance = variance_of(mean[2], mean[0]);
                const float16 a =
                    slope_of(fma(-mean[0], mean[1], mean[3]), variance, numbers.epsilon);
                const float16 b = fma(-a, mean[0] + pivots.s1, mean[1] + pivots.s0);
#endif
                store_some(a, slope + out + row * g.dst_row + x, some_left);
                store_some(b, offset + out + row * g.dst_row + x, some_left);
#else
                __global const GUIDE *pixel = pixels + row * from.row + x;
                __global DST *to = out + row * g.dst_row + x;
                if (some_left >= 16) {
                    STORE16(fma(mean[0], LOAD_GUIDE16(pixel), mean[1]), to);
                } else {
                    float a[16], b[16];
                    vstore16(mean[0], 0, a);
                    vstore16(mean[1], 0, b);
                    for (int v = 0; v < some_left; ++v)
                        STORE(fma(a[v], LOAD_GUIDE(pixel + v), b[v]), to + v);
                }
#endif
            }
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void guided_strips(STAGE_IMAGES, const Geometry g, const GuidePlaces from,
                   const GuidedNumbers numbers, const int band, const float share) {
    guide_strip(PLACE, STAGE_IMAGE_LIST, g, from, numbers, band, share);
}
