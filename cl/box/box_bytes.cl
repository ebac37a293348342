// Means over small boxes of bytes for CPUs, whose sums fit 16 bits: a vector holds twice as many of them as of
// what box_strips sums. An item filters a strip of up to STRIP values and `band` rows alone, with no
// barrier, ROWS rows at a time. Sums along y run down each of the columns that the strip's boxes reach; those
// along x are made anew for each result, which for few columns takes less than to run along the row.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/host_compiler.clh"
#include "lib/once.clh"

#if !defined(STRIP) || !defined(ALIGNED)
#error STRIP or ALIGNED is not defined
#endif
#if SRC_TYPE != PIXEL_U8 || DST_TYPE != PIXEL_U8
#error source and target are of bytes
#endif

#define ROWS 4
#include "lib/box_rows.clh"
#include "lib/box_bytes.clh"
#define MOST_APRON (BOX_BYTES_RADIUS * CHANNELS)

// A strip's values: whole pixels, and whole vectors.
#define STRIP_VALUES (CHANNELS == 3 ? STRIP / 48 * 48 : STRIP)
// Sums of a row, in whole vectors; the last ones of a part may end behind the last column.
#define PITCH ((STRIP + 2 * MOST_APRON + 15) / 16 * 16 + 16)
// Results that are made before more columns are: sums of all rows stay in the first cache.
#define PART_VALUES 768
// Results that are made at a time.
#define SPAN 64

// 16 values of memory, from any place on, in an instruction each.
#ifdef HOST_COMPILER
typedef ushort16 Unaligned16 __attribute__((aligned(2)));
typedef uchar16 UnalignedBytes16 __attribute__((aligned(1)));
#define GET16(p) (*(const Unaligned16 *)(p))
#define PUT16(v, p) (*(Unaligned16 *)(p) = (v))
#define LOAD_BYTES16(p) (*(__global const UnalignedBytes16 *)(p))
#define STORE_BYTES16(v, p) (*(__global UnalignedBytes16 *)(p) = (v))
#else
#define GET16(p) vload16(0, p)
#define PUT16(v, p) vstore16(v, 0, p)
#define LOAD_BYTES16(p) vload16(0, p)
#define STORE_BYTES16(v, p) vstore16(v, 0, p)
#endif
// With AVX-512 results go past the caches; with AVX2 the caches put quarters of a line together sooner.
#if ALIGNED && defined(NONTEMPORAL) && defined(__AVX512F__)
#define STORE_RESULTS16(v, p) NONTEMPORAL(v, (__global uchar16 *)(p))
#else
#define STORE_RESULTS16(v, p) STORE_BYTES16(v, p)
#endif

// Values i to i + 15. may_be_outside: false where none of a step's rows is.
INLINE ushort16 read16(Row row, const Geometry g, int i, bool may_be_outside) {
    return may_be_outside && row.is_outside ? (ushort16)((ushort)g.border_value)
                                            : convert_ushort16(LOAD_BYTES16(row.values + i));
}
INLINE ushort read_byte(Row row, const Geometry g, int i) {
    return row.is_outside ? (ushort)g.border_value : row.values[i];
}

// Sums of 16 columns, or of one, for each row of a step. at: the value in its rows.
INLINE void move16(ushort *running, ushort *sums, const Step *step, const Geometry g, int i, int at,
                   bool may_be_outside) {
    ushort16 sum = GET16(running + i);
    UNROLL for (int m = 0; m < ROWS; ++m) {
        sum += read16(step->enters[m], g, at, may_be_outside);
        PUT16(sum, sums + m * PITCH + i);
        sum -= read16(step->leaves[m], g, at, may_be_outside);
    }
    PUT16(sum, running + i);
}
INLINE void move_column(ushort *running, ushort *sums, const Step *step, const Geometry g, int i,
                        int at) {
    ushort sum = running[i];
    for (int m = 0; m < ROWS; ++m) {
        sum += read_byte(step->enters[m], g, at);
        sums[m * PITCH + i] = sum;
        sum -= read_byte(step->leaves[m], g, at);
    }
    running[i] = sum;
}

// The column of number k of those that are not the image's own, which lie before `begin` and from `inner_end` on.
INLINE int outer_column(int k, int begin, int inner_end) {
    return k < begin ? k : k - begin + inner_end;
}

// The means of sums: a product takes the place of the division, with the same result.
INLINE uchar16 means_of(ushort16 sum, Divisor divisor) {
    const uint16 dividend = convert_uint16(sum + divisor.bias);
    const ushort16 high = convert_ushort16(dividend * (uint16)(divisor.factor) >> (uint16)(16));
    return convert_uchar16(high >> (ushort16)(divisor.shift));
}
INLINE uchar mean_of(ushort sum, Divisor divisor) {
    const uint dividend = (ushort)(sum + divisor.bias);
    return (uchar)(dividend * divisor.factor >> 16 >> divisor.shift);
}

// Makes the results of a row from value `first` to before `last`, of boxes of so many columns.
INLINE void make_results(const ushort *row, __global uchar *results, int first, int last, int taps,
                         Divisor divisor) {
    int x = first;
    for (; x + SPAN <= last; x += SPAN) {
        ushort16 sum[SPAN / 16];
        UNROLL for (int n = 0; n < SPAN / 16; ++n)
            sum[n] = GET16(row + x + 16 * n);
        for (int k = 1; k < taps; ++k)
            UNROLL for (int n = 0; n < SPAN / 16; ++n)
                sum[n] += GET16(row + x + k * CHANNELS + 16 * n);
        UNROLL for (int n = 0; n < SPAN / 16; ++n)
            STORE_RESULTS16(means_of(sum[n], divisor), results + x + 16 * n);
    }
    for (; x + 16 <= last; x += 16) {
        ushort16 sum = 0;
        for (int k = 0; k < taps; ++k)
            sum += GET16(row + x + k * CHANNELS);
        STORE_BYTES16(means_of(sum, divisor), results + x);
    }
    for (; x < last; ++x) {
        ushort sum = 0;
        for (int k = 0; k < taps; ++k)
            sum += row[x + k * CHANNELS];
        results[x] = mean_of(sum, divisor);
    }
}

ONCE void average_strip(const int3 place, __global const uchar *restrict src,
                        __global uchar *restrict dst, const Geometry g, const int band,
                        const Divisor divisor) {
    const int left = place.x * STRIP_VALUES;
    const int top = place.y * band;
    const int batch = place.z;
    const int count = min(STRIP_VALUES, g.width - left);
    const int end = min(top + band, g.height);
    const int radius = g.anchor_y;
    const int apron = g.anchor_x * CHANNELS;
    const int columns = count + 2 * apron;
    const int first_value = left - apron; // of column 0
    __global const uchar *origin = src + src_start(g, batch);

    // Columns from `begin` to `inner_end` are the image's own. The others are at places of it, or OUTSIDE.
    const int begin = clamp(g.valid_left * CHANNELS - first_value, 0, columns);
    const int inner_end = clamp(g.valid_right * CHANNELS - first_value, begin, columns);
    const int outside = columns - (inner_end - begin);
    int places[2 * MOST_APRON + 1];
    for (int k = 0; k < outside; ++k)
        places[k] = fold_value(g, first_value + outer_column(k, begin, inner_end));

    ushort16 running_[PITCH / 16], sums_[ROWS * PITCH / 16];
    ushort *running = (ushort *)running_, *sums = (ushort *)sums_;
    for (int i = 0; i < PITCH; i += 16)
        PUT16((ushort16)(0), running + i);
    for (int i = 0; i < ROWS * PITCH; i += 16)
        PUT16((ushort16)(0), sums + i);

    // The rows that fill the first boxes, but for the last row of these.
    for (int y = top - radius; y < top + radius; ++y) {
        const Row row = row_at(origin, g, y);
        int i = begin;
        for (; i + 16 <= inner_end; i += 16)
            PUT16(GET16(running + i) + read16(row, g, first_value + i, true), running + i);
        for (; i < inner_end; ++i)
            running[i] += read_byte(row, g, first_value + i);
        for (int k = 0; k < outside; ++k)
            if (places[k] != OUTSIDE)
                running[outer_column(k, begin, inner_end)] += read_byte(row, g, places[k]);
    }

    for (int y = top; y < end; y += ROWS) {
        Step step;
        __global const uchar *expected[ROWS]; // are asked for meanwhile
        const bool may_be_outside = find_rows(&step, expected, origin, g, y, end);
        const int rows = min(end - y, ROWS);
        __global uchar *to = dst + dst_start(g, batch) + (long)y * g.dst_row + left;
        int column = begin;
        bool has_right = false; // the columns behind the image's own
        for (int first = 0; first < count; first += PART_VALUES) {
            const int last = min(first + PART_VALUES, count);
            const int reached = min(last + 2 * apron, inner_end);
            for (; column < reached && column + 16 <= inner_end; column += 16) {
                if (column % 64 < 16)
                    UNROLL for (int m = 0; m < ROWS; ++m)
                        EXPECT(expected[m] + first_value + column);
                if (may_be_outside)
                    move16(running, sums, &step, g, column, first_value + column, true);
                else
                    move16(running, sums, &step, g, column, first_value + column, false);
            }
            if (column < reached)
                for (; column < inner_end; ++column)
                    move_column(running, sums, &step, g, column, first_value + column);
            const bool makes_right = !has_right && last + 2 * apron > inner_end;
            for (int k = first == 0 ? 0 : begin; k < (makes_right ? outside : begin); ++k) {
                const int i = outer_column(k, begin, inner_end);
                if (places[k] != OUTSIDE)
                    move_column(running, sums, &step, g, i, places[k]);
                else
                    for (int m = 0; m < ROWS; ++m)
                        sums[m * PITCH + i] = (ushort)((ushort)g.border_value * g.taps_y);
            }
            has_right |= makes_right;

            for (int m = 0; m < rows; ++m) {
                const ushort *row = sums + m * PITCH;
                make_results(row, to + m * g.dst_row, first, last, g.taps_x, divisor);
            }
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void box_bytes(__global const uchar *restrict src, __global uchar *restrict dst, const Geometry g,
               const int band, const Divisor divisor) {
    average_strip(PLACE, src, dst, g, band, divisor);
}
