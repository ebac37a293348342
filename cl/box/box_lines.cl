// Means over boxes for CPUs in two launches, for boxes that are long beside the image: sums along y
// of strips of columns, and then sums along x of rows. What fills a box reads each of the line's
// pixels once, as often as the border repeats them, so that no work grows with the radius.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/box.clh"
#include "lib/box_columns.clh"
#include "lib/host_compiler.clh"
#include "lib/box_scan.clh"
#include "lib/box_window.clh"
#include "lib/once.clh"

#ifndef STRIP
#error STRIP is not defined
#endif

// The running sum of the strip's column i.
#if SUM_TYPE == SUM_F32
#define GET_SUM(i) ((Running){sums[i], lost[i]})
#define SET_SUM(i, s) (sums[i] = (s).sum, lost[i] = (s).lost)
#define ADD_SOME(i, x)                                                                             \
    do {                                                                                           \
        const Running s_ = add_value((Running){some[i], some_lost[i]}, x);                         \
        some[i] = s_.sum;                                                                          \
        some_lost[i] = s_.lost;                                                                    \
    } while (0)
#else
#define GET_SUM(i) sums[i]
#define SET_SUM(i, s) sums[i] = (s)
#define ADD_SOME(i, x) some[i] += (x)
#endif

// STRIP values of `band` rows an item.
ONCE void add_down(const int3 place, __global const SRC *restrict src, __global VALUE *restrict dst,
                   const Geometry g, const BoxColumns columns, const int band) {
    const int left = place.x * STRIP;
    const int count = min(STRIP, columns.count - left);
    const int top = place.y * band;
    const int end = min(top + band, g.height);
    const int batch = place.z;
    const int radius = g.anchor_y;
    __global const SRC *from = src + src_start(g, batch) + columns.first_column + left;
    __global VALUE *to = dst + (long)batch * g.height * columns.pitch + left + top * columns.pitch;

    // The box of the first row.
    VALUE sums[STRIP], some[STRIP];
#if SUM_TYPE == SUM_F32
    float lost[STRIP], some_lost[STRIP];
#endif
    const Shares shares = shares_of(top - radius, top + radius + 1, g.valid_top, g.valid_bottom,
                                    g.border_mode);
    for (int i = 0; i < STRIP; ++i) {
        Running outside = NOTHING;
        Running one = NOTHING;
        if (shares.outside > 0) {
            ADD_VALUE(one, BORDER_VALUE(g));
            ADD_REPEATED(outside, one, shares.outside);
        }
        SET_SUM(i, outside);
    }
    int y = g.valid_top;
    for (int k = 0; k < shares.count; y = shares.end[k++]) {
        const int times = shares.times[k];
        if (times == 0)
            continue; // of what is not finite nothing may be left
        for (int i = 0; i < STRIP; ++i) {
            some[i] = 0;
#if SUM_TYPE == SUM_F32
            some_lost[i] = 0.0f;
#endif
        }
        int row = y;
        // Four at a time, so that what is kept of a column is read and written less often.
        for (; row + 4 <= shares.end[k]; row += 4) {
            __global const SRC *in = from + row * g.src_row;
            for (int i = 0; i + 16 <= count; i += 16) {
                const VALUE16 four = (LOAD_VALUE16(in + i) + LOAD_VALUE16(in + i + g.src_row)) +
                                     (LOAD_VALUE16(in + i + 2 * g.src_row) +
                                      LOAD_VALUE16(in + i + 3 * g.src_row));
                VALUE16 s = vload16(0, some + i);
#if SUM_TYPE == SUM_F32
                float16 l = vload16(0, some_lost + i);
                add16(&s, &l, four);
                vstore16(l, 0, some_lost + i);
#else
                s += four;
#endif
                vstore16(s, 0, some + i);
            }
            for (int r = 0; r < 4; ++r)
                for (int i = count / 16 * 16; i < count; ++i)
                    ADD_SOME(i, LOAD_VALUE(in + i + r * g.src_row));
        }
        for (; row < shares.end[k]; ++row) {
            __global const SRC *in = from + row * g.src_row;
            int i = 0;
            for (; i + 16 <= count; i += 16) {
                VALUE16 s = vload16(0, some + i);
#if SUM_TYPE == SUM_F32
                float16 l = vload16(0, some_lost + i);
                add16(&s, &l, LOAD_VALUE16(in + i));
                vstore16(l, 0, some_lost + i);
#else
                s += LOAD_VALUE16(in + i);
#endif
                vstore16(s, 0, some + i);
            }
            for (; i < count; ++i)
                ADD_SOME(i, LOAD_VALUE(in + i));
        }
        for (int i = 0; i < count; ++i) {
            Running s = GET_SUM(i);
#if SUM_TYPE == SUM_F32
            const Running part = {some[i], some_lost[i]};
#else
            const Running part = some[i];
#endif
            ADD_REPEATED(s, part, times);
            SET_SUM(i, s);
        }
    }

    for (int i = 0; i < count; ++i)
        to[i] = VALUE_OF(GET_SUM(i));
    const VALUE outside = BORDER_VALUE(g);
    for (int row = top + 1; row < end; ++row) {
        to += columns.pitch;
        // Four rows at a time, where they are all the image's.
        int ins[4], outs[4];
        bool free = row + 4 <= end;
        for (int r = 0; r < 4; ++r) {
            ins[r] = fold_row(g, row + r + radius);
            outs[r] = fold_row(g, row + r - radius - 1);
            free = free && ins[r] != OUTSIDE && outs[r] != OUTSIDE;
        }
        if (free) {
            for (int i = 0; i + 16 <= count; i += 16) {
                VALUE16 s = vload16(0, sums + i);
#if SUM_TYPE == SUM_F32
                float16 l = vload16(0, lost + i);
#endif
                for (int r = 0; r < 4; ++r) {
                    const VALUE16 move = LOAD_VALUE16(from + ins[r] * g.src_row + i) -
                                         LOAD_VALUE16(from + outs[r] * g.src_row + i);
#if SUM_TYPE == SUM_F32
                    add16(&s, &l, move);
                    vstore16(s + l, 0, to + r * columns.pitch + i);
#else
                    s += move;
                    vstore16(s, 0, to + r * columns.pitch + i);
#endif
                }
#if SUM_TYPE == SUM_F32
                vstore16(l, 0, lost + i);
#endif
                vstore16(s, 0, sums + i);
            }
            for (int i = count / 16 * 16; i < count; ++i) {
                Running s = GET_SUM(i);
                for (int r = 0; r < 4; ++r) {
                    MOVE_BOX(s, LOAD_VALUE(from + ins[r] * g.src_row + i),
                             LOAD_VALUE(from + outs[r] * g.src_row + i));
                    to[r * columns.pitch + i] = VALUE_OF(s);
                }
                SET_SUM(i, s);
            }
            row += 3;
            to += 3 * columns.pitch;
            continue;
        }
        const int enters = ins[0];
        const int leaves = outs[0];
        __global const SRC *in = from + (enters == OUTSIDE ? 0 : enters) * g.src_row;
        __global const SRC *out = from + (leaves == OUTSIDE ? 0 : leaves) * g.src_row;
        int i = 0;
        for (; i + 16 <= count; i += 16) {
            const VALUE16 in16 = enters == OUTSIDE ? (VALUE16)(outside) : LOAD_VALUE16(in + i);
            const VALUE16 out16 = leaves == OUTSIDE ? (VALUE16)(outside) : LOAD_VALUE16(out + i);
            VALUE16 s = vload16(0, sums + i);
#if SUM_TYPE == SUM_F32
            float16 l = vload16(0, lost + i);
            add16(&s, &l, in16 - out16);
            vstore16(l, 0, lost + i);
            vstore16(s + l, 0, to + i);
#else
            s += in16 - out16;
            vstore16(s, 0, to + i);
#endif
            vstore16(s, 0, sums + i);
        }
        for (; i < count; ++i) {
            Running s = GET_SUM(i);
            const VALUE in1 = enters == OUTSIDE ? outside : LOAD_VALUE(in + i);
            const VALUE out1 = leaves == OUTSIDE ? outside : LOAD_VALUE(out + i);
            MOVE_BOX(s, in1, out1);
            SET_SUM(i, s);
            to[i] = VALUE_OF(s);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void box_down(__global const SRC *restrict src, __global VALUE *restrict dst, const Geometry g,
              const BoxColumns columns, const int band) {
    add_down(PLACE, src, dst, g, columns, band);
}

// Whole pixels, and whole vectors of them.
#if !defined(CHUNK) || CHUNK % 48 != 0
#error CHUNK must be a multiple of 48
#endif

// Copies `count` pixels of an extended row of sums, from pixel x on. `row` is at pixel 0.
static inline void extend_row(VALUE *to, __global const VALUE *row, const Geometry g, int x,
                              int count, VALUE outside) {
    while (count > 0) {
        const Stretch stretch = stretch_at(x, g.valid_left, g.valid_right, g.border_mode);
        const int pixels = min(stretch.length, count);
        const int length = pixels * CHANNELS;
        __global const VALUE *from = row + (stretch.at == OUTSIDE ? 0 : stretch.at) * CHANNELS;
        int i = 0;
        if (stretch.step == 0) {
            VALUE pixel[CHANNELS];
            for (int c = 0; c < CHANNELS; ++c)
                pixel[c] = stretch.at == OUTSIDE ? outside : from[c];
            for (; i < length; i += CHANNELS)
                for (int c = 0; c < CHANNELS; ++c)
                    to[i + c] = pixel[c];
        } else if (stretch.step == 1) {
            for (; i + 16 <= length; i += 16)
                vstore16(vload16(0, from + i), 0, to + i);
            for (; i < length; ++i)
                to[i] = from[i];
        } else {
#ifdef CAN_SCAN
            if (stretch.step < 0)
                for (; i + 16 + CHANNELS <= length; i += REVERSED)
                    vstore16(reversed16(vload16(0, from + CHANNELS - 16 - i)), 0, to + i);
#endif
            for (; i < length; i += CHANNELS)
                for (int c = 0; c < CHANNELS; ++c)
                    to[i + c] = from[c - i];
        }
        to += length;
        x += pixels;
        count -= pixels;
    }
}

// `length` pixels of `band` rows an item.
ONCE void average_along(const int3 place, __global const VALUE *restrict sums,
                        __global DST *restrict dst, const Geometry g, const BoxColumns columns,
                        const int length, const int band, const long area,
                        const float share OTHER_PARAMETER) {
    const int left = place.x * length;
    const int right = min(left + length, g.width / CHANNELS);
    const int top = place.y * band;
    const int end = min(top + band, g.height);
    const int batch = place.z;
    const int radius = g.anchor_x;
    const VALUE outside = BORDER_VALUE(g) * g.taps_y;
    const Shares shares = shares_of(left - radius, left + radius + 1, g.valid_left, g.valid_right,
                                    g.border_mode);

    for (int y = top; y < end; ++y) {
        __global const VALUE *row =
            sums + ((long)batch * g.height + y) * columns.pitch - columns.first_column;
        __global DST *to = dst + dst_start(g, batch) + (long)y * g.dst_row;
        const long from = src_start(g, batch) + (long)y * g.src_row;

        // The box of the first pixel.
        ROW_TOTAL total[CHANNELS];
        for (int c = 0; c < CHANNELS; ++c) {
            total[c] = NOTHING;
            if (shares.outside > 0) {
                ROW_TOTAL one = NOTHING;
                ADD_VALUE(one, outside);
                ADD_REPEATED(total[c], one, shares.outside);
            }
        }
        int k = g.valid_left * CHANNELS;
        for (int i = 0; i < shares.count; ++i) {
            const int last = shares.end[i] * CHANNELS;
            const int times = shares.times[i];
            if (times == 0) {
                k = last;
                continue;
            }
            ROW_TOTAL part[CHANNELS];
            for (int c = 0; c < CHANNELS; ++c)
                part[c] = NOTHING;
#ifndef WIDE
            if (k + LANES <= last) {
                VALUE16 some[LANES / 16];
#if SUM_TYPE == SUM_F32
                float16 some_lost[LANES / 16];
#endif
                for (int v = 0; v < LANES / 16; ++v) {
                    some[v] = (VALUE16)(0);
#if SUM_TYPE == SUM_F32
                    some_lost[v] = 0.0f;
#endif
                }
                for (; k + LANES <= last; k += LANES)
                    for (int v = 0; v < LANES / 16; ++v) {
#if SUM_TYPE == SUM_F32
                        add16(&some[v], &some_lost[v], vload16(0, row + k + 16 * v));
#else
                        some[v] += vload16(0, row + k + 16 * v);
#endif
                    }
                VALUE lanes[LANES];
                for (int v = 0; v < LANES / 16; ++v) {
#if SUM_TYPE == SUM_F32
                    some[v] += some_lost[v];
#endif
                    vstore16(some[v], v, lanes);
                }
                for (int v = 0; v < LANES; ++v)
                    ADD_VALUE(part[v % CHANNELS], lanes[v]);
            }
#endif
            for (; k < last; k += CHANNELS)
                for (int c = 0; c < CHANNELS; ++c)
                    ADD_VALUE(part[c], row[k + c]);
            for (int c = 0; c < CHANNELS; ++c)
                ADD_REPEATED(total[c], part[c], times);
        }

        // Each box is the one before it and a change; a prefix sum adds up those of a vector.
        for (int first = left; first < right; first += CHUNK / CHANNELS) {
            const int pixels = min(CHUNK / CHANNELS, right - first);
            const int count = pixels * CHANNELS;
            VALUE enters[CHUNK], leaves[CHUNK];
            // The first box is there; the pixel before it may not be.
            const int known = first == left ? 1 : 0;
            for (int c = 0; c < CHANNELS; ++c)
                enters[c] = leaves[c] = 0;
            extend_row(enters + known * CHANNELS, row, g, first + known + radius, pixels - known,
                       outside);
            extend_row(leaves + known * CHANNELS, row, g, first + known - radius - 1,
                       pixels - known, outside);
            __global DST *at = to + (long)first * CHANNELS;
            const long other_at = from + (long)first * CHANNELS;
            int i = 0;
#ifdef CAN_SCAN
            for (; i + 16 <= count; i += 16) {
                const VALUE16 change =
                    scan16(vload16(0, enters + i) - vload16(0, leaves + i));
                const VALUE16 all = spread16(total) + change;
                STORE_MEANS16(all, area, share, at + i, other_at + i);
                add_last16(total, change);
            }
#endif
            for (; i < count; i += CHANNELS)
                for (int c = 0; c < CHANNELS && i + c < count; ++c) {
                    ADD_VALUE(total[c], enters[i + c]);
                    TAKE_VALUE(total[c], leaves[i + c]);
                    STORE_MEAN(RESULT_OF(mean_of(VALUE_OF(total[c]), area, share), LOAD,
                                         other_at + i + c),
                               at + i + c);
                }
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void box_along(__global const VALUE *restrict sums, __global DST *restrict dst, const Geometry g,
               const BoxColumns columns, const int length, const int band, const long area,
               const float share OTHER_PARAMETER) {
    average_along(PLACE, sums, dst, g, columns, length, band, area, share OTHER_ARGUMENT);
}
