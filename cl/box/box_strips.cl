// Means over boxes for CPUs; the work does not grow with the radius. An item filters a strip of up
// to STRIP values and `band` rows alone, with no barrier. Sums along y run down each of the columns
// that the strip's boxes reach, 16 columns in a vector; sums along x run along the row that these
// make, 16 values at a time.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/box.clh"
#include "lib/host_compiler.clh"
#include "lib/box_scan.clh"

#if !defined(STRIP) || !defined(REACH)
#error STRIP or REACH is not defined
#endif
#if SUM_TYPE == SUM_I64
#error box_strips keeps sums in 32 bits
#endif

// A strip's values: whole pixels.
#define STRIP_VALUES (STRIP / CHANNELS * CHANNELS)
// Values of a row of sums: REACH is the most that boxes reach on both sides together.
#define COLUMNS (STRIP + REACH + 16)

// A column that the border folds to another of the strip's is a copy of that.
#define IS_OUTSIDE (-1) // it holds the border's constant
#define IS_FAR (-2)     // it is folded to a column that the strip does not reach

// Adds the column's value of a row that fold_row gave, or takes it out where sign is negative.
static inline Running move(Running s, __global const SRC *origin, const Geometry g, int row,
                           int offset, int sign) {
    const VALUE x =
        row == OUTSIDE ? BORDER_VALUE(g) : LOAD_VALUE(origin + row * g.src_row + offset);
    if (sign > 0)
        ADD_VALUE(s, x);
    else
        TAKE_VALUE(s, x);
    return s;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void box_strips(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                const int band, const long area, const float share OTHER_PARAMETER) {
    const int left = (int)get_global_id(0) * STRIP_VALUES;
    const int top = (int)get_global_id(1) * band;
    const int batch = get_global_id(2);
    const int count = min(STRIP_VALUES, g.width - left);
    const int end = min(top + band, g.height);
    const int radius = g.anchor_y;
    const int apron = g.anchor_x * CHANNELS;
    const int columns = count + 2 * apron;
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *to = dst + dst_start(g, batch) + (long)top * g.dst_row + left;
    long from = src_start(g, batch) + (long)top * g.src_row + left;

    // Columns from `begin` to `inner_end` are the image's own.
    const int begin = clamp(g.valid_left * CHANNELS - (left - apron), 0, columns);
    const int inner_end = clamp(g.valid_right * CHANNELS - (left - apron), begin, columns);
    VALUE before_sums[COLUMNS + 16]; // zeros, and then `sums`
    VALUE *sums = before_sums + 16;  // of one row of the boxes' columns
#if SUM_TYPE == SUM_F32
    float running[COLUMNS], lost[COLUMNS];
#else
    int running[COLUMNS];
#endif
    int origins[COLUMNS - STRIP]; // of the columns outside: a column of the strip's, or IS_...
    int offsets[COLUMNS - STRIP];
    const int outside = columns - (inner_end - begin);
#define OUTER(k) ((k) < begin ? (k) : (k) - begin + inner_end)
    for (int k = 0; k < outside; ++k) {
        const int value = left - apron + OUTER(k);
        const int offset = fold_value(g, value);
        offsets[k] = offset == OUTSIDE ? 0 : offset;
        const int place = offsets[k] - (left - apron);
        origins[k] = offset == OUTSIDE                    ? IS_OUTSIDE
                     : place >= begin && place < inner_end ? place
                                                           : IS_FAR;
    }

    for (int i = 0; i < COLUMNS; ++i) {
        running[i] = 0;
#if SUM_TYPE == SUM_F32
        lost[i] = 0.0f;
#endif
        sums[i] = 0;
    }
    for (int i = 0; i < 16; ++i)
        before_sums[i] = 0;
    VALUE *leaving = sums - CHANNELS;
    __global const SRC *inner = origin + (left - apron);
    const int part = max(528, (2 * apron + 47) / 48 * 48); // whole vectors and whole pixels

    // Rows that enter before the first row of means is complete, and then one for each row of
    // means.
    for (int y = top - radius; y < end + radius; ++y) {
        const int enters = fold_row(g, y);
        const bool complete = y >= top + radius;
        const int leaves = complete ? fold_row(g, y - 2 * radius) : OUTSIDE;
        int i = begin;
        const VALUE16 outside16 = (VALUE16)(BORDER_VALUE(g));
        __global const SRC *in = inner + (enters == OUTSIDE ? 0 : enters * g.src_row);
        __global const SRC *out = inner + (leaves == OUTSIDE ? 0 : leaves * g.src_row);
        for (; i + 16 <= inner_end; i += 16) {
            const VALUE16 entering = enters == OUTSIDE ? outside16 : LOAD_VALUE16(in + i);
#if SUM_TYPE == SUM_F32
            float16 s = vload16(0, running + i);
            float16 l = vload16(0, lost + i);
            add16(&s, &l, entering);
            if (complete) {
                vstore16(s + l, 0, sums + i);
                add16(&s, &l, -(leaves == OUTSIDE ? outside16 : LOAD_VALUE16(out + i)));
            }
            vstore16(l, 0, lost + i);
#else
            int16 s = vload16(0, running + i) + entering;
            if (complete) {
                vstore16(s, 0, sums + i);
                s -= leaves == OUTSIDE ? outside16 : LOAD_VALUE16(out + i);
            }
#endif
            vstore16(s, 0, running + i);
        }
#if SUM_TYPE == SUM_F32
#define RUNNING(i) ((Running){running[i], lost[i]})
#define SET_RUNNING(i, s) (running[i] = (s).sum, lost[i] = (s).lost)
#else
#define RUNNING(i) running[i]
#define SET_RUNNING(i, s) running[i] = (s)
#endif
#define MOVE_COLUMN(i, offset)                                                                     \
    do {                                                                                           \
        Running s_ = move(RUNNING(i), origin, g, enters, offset, 1);                               \
        if (complete) {                                                                            \
            sums[i] = VALUE_OF(s_);                                                                \
            s_ = move(s_, origin, g, leaves, offset, -1);                                          \
        }                                                                                          \
        SET_RUNNING(i, s_);                                                                        \
    } while (0)
        for (; i < inner_end; ++i)
            MOVE_COLUMN(i, left - apron + i);
        for (int k = 0; k < outside; ++k) {
            const int column = OUTER(k);
            if (origins[k] >= 0)
                sums[column] = sums[origins[k]];
            else if (origins[k] == IS_OUTSIDE)
                sums[column] = (VALUE)(BORDER_VALUE(g) * g.taps_y);
            else
                MOVE_COLUMN(column, offsets[k]);
        }
        if (!complete)
            continue;

        // A sum along the row begins anew with each part of it, so that what is not finite goes no
        // further, and rounding neither.
        for (int first = 0; first < count; first += part) {
            const int last = min(first + part, count);
            ROW_TOTAL total[CHANNELS]; // of the part's first boxes without their last pixels
            for (int c = 0; c < CHANNELS; ++c)
                total[c] = NOTHING;
            int k = first;
#ifdef CAN_SCAN
            VALUE16 some[LANES / 16];
#if SUM_TYPE == SUM_F32
            float16 lost16[LANES / 16];
#endif
            for (int v = 0; v < LANES / 16; ++v) {
                some[v] = (VALUE16)(0);
#if SUM_TYPE == SUM_F32
                lost16[v] = 0.0f;
#endif
            }
            for (; k + LANES <= first + 2 * apron; k += LANES)
                for (int v = 0; v < LANES / 16; ++v) {
#if SUM_TYPE == SUM_F32
                    add16(&some[v], &lost16[v], vload16(0, sums + k + 16 * v));
#else
                    some[v] += vload16(0, sums + k + 16 * v);
#endif
                }
            VALUE lanes[LANES];
            for (int v = 0; v < LANES / 16; ++v) {
#if SUM_TYPE == SUM_F32
                some[v] += lost16[v];
#endif
                vstore16(some[v], v, lanes);
            }
            for (int v = 0; v < LANES; ++v)
                ADD_VALUE(total[v % CHANNELS], lanes[v]);
#endif
            for (; k < first + 2 * apron; k += CHANNELS)
                for (int c = 0; c < CHANNELS; ++c)
                    ADD_VALUE(total[c], sums[k + c]);
            int x = first;
#ifdef CAN_SCAN
            // Within a vector: what each mean has more than the one before the vector, by a prefix
            // sum of what enters and leaves.
            for (; x + 16 <= last; x += 16) {
                VALUE16 leaves16 = vload16(0, leaving + x);
                if (x == first) {
                    // Nothing leaves before the first pixel.
                    vstore16(leaves16, 0, lanes);
                    for (int c = 0; c < CHANNELS; ++c)
                        lanes[c] = 0;
                    leaves16 = vload16(0, lanes);
                }
                const VALUE16 change = scan16(vload16(0, sums + x + 2 * apron) - leaves16);
                const VALUE16 all = spread16(total) + change;
                STORE_MEANS16(all, area, share, to + x, from + x);
                add_last16(total, change);
            }
            if (x > first && x < last)
                for (int c = 0; c < CHANNELS; ++c)
                    TAKE_VALUE(total[c], sums[x - CHANNELS + c]);
#endif
            for (; x < last; x += CHANNELS)
                for (int c = 0; c < CHANNELS && x + c < last; ++c) {
                    ADD_VALUE(total[c], sums[x + 2 * apron + c]);
                    STORE_MEAN(RESULT_OF(mean_of(VALUE_OF(total[c]), area, share), LOAD,
                                         from + x + c),
                               to + x + c);
                    TAKE_VALUE(total[c], sums[x + c]);
                }
        }
        to += g.dst_row;
        from += g.src_row;
    }
}
