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
// Sums are made LANES at a time: a vector of the widest registers.
#if defined(HOST_COMPILER) && defined(__AVX512BW__)
#define LANES 32
typedef ushort Sums __attribute__((ext_vector_type(32)));
typedef uchar Bytes __attribute__((ext_vector_type(32)));
typedef uint Products __attribute__((ext_vector_type(32)));
#else
#define LANES 16
typedef ushort16 Sums;
typedef uchar16 Bytes;
typedef uint16 Products;
#endif
// Sums of a row, in whole vectors; the last ones of a part may end behind the last column, and the first column lie behind
// others that are not there.
#define PITCH ((STRIP + 2 * MOST_APRON + LANES - 1) / LANES * LANES + 2 * LANES)
// Results that are made before more columns are: sums of all rows stay in the first cache.
#define PART_VALUES 1536
// Results that are made at a time: a line of the cache.
#define SPAN 64

// LANES values of memory, from any place on, in an instruction each.
#ifdef HOST_COMPILER
typedef Sums UnalignedSums __attribute__((aligned(2)));
typedef Bytes UnalignedBytes __attribute__((aligned(1)));
#define GET(p) (*(const UnalignedSums *)(p))
#define PUT(v, p) (*(UnalignedSums *)(p) = (v))
#define LOAD_BYTES(p) (*(__global const UnalignedBytes *)(p))
#define STORE_BYTES(v, p) (*(__global UnalignedBytes *)(p) = (v))
#define TO_SUMS(v) __builtin_convertvector(v, Sums)
#define TO_BYTES(v) __builtin_convertvector(v, Bytes)
#define TO_PRODUCTS(v) __builtin_convertvector(v, Products)
#else
#define GET(p) vload16(0, p)
#define PUT(v, p) vstore16(v, 0, p)
#define LOAD_BYTES(p) vload16(0, p)
#define STORE_BYTES(v, p) vstore16(v, 0, p)
#define TO_SUMS(v) convert_ushort16(v)
#define TO_BYTES(v) convert_uchar16(v)
#define TO_PRODUCTS(v) convert_uint16(v)
#endif

// Values from i on. may_be_outside: false where none of a step's rows is.
INLINE Sums read_some(Row row, int i, const Geometry g, bool may_be_outside) {
    return may_be_outside && row.is_outside ? (Sums)((ushort)g.border_value)
                                            : TO_SUMS(LOAD_BYTES(row.values + i));
}
INLINE ushort read_byte(Row row, const Geometry g, int i) {
    return row.is_outside ? (ushort)g.border_value : row.values[i];
}

// Sums of LANES columns, or of one, for each row of a step. at: the value in its rows.
INLINE void move_columns(ushort *running, ushort *sums, const Step *step, const Geometry g, int at,
                         bool may_be_outside) {
    Sums sum = GET(running);
    UNROLL for (int m = 0; m < ROWS; ++m) {
        sum += read_some(step->enters[m], at, g, may_be_outside);
        PUT(sum, sums + m * PITCH);
        sum -= read_some(step->leaves[m], at, g, may_be_outside);
    }
    PUT(sum, running);
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

// The means of sums: a product takes the place of the division, with the same result. factors: the divisor's, in each lane.
// They are volatile, as compilers that know them before a loop make products of 32 bits of half as many lanes.
INLINE Bytes means_of(Sums sum, Divisor divisor, const volatile Sums *factors) {
    const Products product = TO_PRODUCTS(sum + divisor.bias) * TO_PRODUCTS(*factors);
    return TO_BYTES(TO_SUMS(product >> 16) >> divisor.shift);
}
INLINE uchar mean_of(ushort sum, Divisor divisor) {
    const uint dividend = (ushort)(sum + divisor.bias);
    return (uchar)(dividend * divisor.factor >> 16 >> divisor.shift);
}

INLINE Bytes some_means(const ushort *row, int taps, Divisor divisor, const volatile Sums *factors) {
    Sums sum = GET(row);
    for (int k = 1; k < taps; ++k)
        sum += GET(row + k * CHANNELS);
    return means_of(sum, divisor, factors);
}

typedef union Line {
    Bytes parts[SPAN / LANES];
    ulong8 all;
} Line;

// Makes the results of a row from value `first` to before `last`, of boxes of so many columns. Where they begin with a line
// of the cache, whole lines go past the caches.
INLINE void make_results(const ushort *row, __global uchar *results, int first, int last, int taps,
                         Divisor divisor, const volatile Sums *factors) {
    const bool begins_line = ALIGNED && (ulong)(results + first) % SPAN == 0;
    int x = first;
    for (; x + SPAN <= last; x += SPAN) {
        Sums sum[SPAN / LANES];
        UNROLL for (int n = 0; n < SPAN / LANES; ++n)
            sum[n] = GET(row + x + LANES * n);
        for (int k = 1; k < taps; ++k)
            UNROLL for (int n = 0; n < SPAN / LANES; ++n)
                sum[n] += GET(row + x + k * CHANNELS + LANES * n);
        Line line;
        UNROLL for (int n = 0; n < SPAN / LANES; ++n)
            line.parts[n] = means_of(sum[n], divisor, factors);
#ifdef NONTEMPORAL
        if (begins_line) {
            NONTEMPORAL(line.all, (__global ulong8 *)(results + x));
            continue;
        }
#endif
        UNROLL for (int n = 0; n < SPAN / LANES; ++n)
            STORE_BYTES(line.parts[n], results + x + LANES * n);
    }
    for (; x + LANES <= last; x += LANES)
        STORE_BYTES(some_means(row + x, taps, divisor, factors), results + x);
    // The last ones are made together with some that are there already.
    if (x < last && last >= LANES) {
        x = last - LANES;
        STORE_BYTES(some_means(row + x, taps, divisor, factors), results + x);
        x = last;
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
    const volatile Sums factors = (Sums)(divisor.factor);
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

    // The image's own columns begin with a whole vector of sums: stores that cross lines of the cache take twice as long. Those
    // of the last vector have running sums of their own, `at_end`, beside those that others of the same columns have.
    const int spare = (LANES - begin % LANES) % LANES;
    Sums running_vectors[PITCH / LANES], sum_vectors[ROWS * PITCH / LANES + 1];
    Sums at_end = (Sums)((ushort)0);
    for (int i = 0; i < PITCH / LANES; ++i)
        running_vectors[i] = (Sums)((ushort)0);
    ushort *running = (ushort *)running_vectors + spare, *sums = (ushort *)sum_vectors + spare;
    const int last_columns = inner_end - LANES;
    const bool has_vectors = last_columns >= begin;

    // The rows that fill the first boxes, but for the last row of these.
    for (int y = top - radius; y < top + radius; ++y) {
        const Row row = row_at(origin, g, y);
        int i = begin;
        for (; i + LANES <= inner_end; i += LANES)
            PUT(GET(running + i) + read_some(row, first_value + i, g, true), running + i);
        if (has_vectors)
            at_end += read_some(row, first_value + last_columns, g, true);
        else
            for (; i < inner_end; ++i)
                running[i] += read_byte(row, g, first_value + i);
        for (int k = 0; k < outside; ++k)
            if (places[k] != OUTSIDE)
                running[outer_column(k, begin, inner_end)] += read_byte(row, g, places[k]);
    }

    for (int y = top; y < end; y += ROWS) {
        Step step;
        const bool may_be_outside = find_rows(&step, origin, g, y, end);
        const int rows = min(end - y, ROWS);
        __global uchar *to = dst + dst_start(g, batch) + (long)y * g.dst_row + left;
        int column = begin;
        bool has_right = false; // the columns behind the image's own
        for (int first = 0; first < count; first += PART_VALUES) {
            const int last = min(first + PART_VALUES, count);
            const int reached = min(last + 2 * apron, inner_end);
            for (; column < reached && column + LANES <= inner_end; column += LANES) {
                const int at = first_value + column;
                if (may_be_outside)
                    move_columns(running + column, sums + column, &step, g, at, true);
                else
                    move_columns(running + column, sums + column, &step, g, at, false);
            }
            if (column < reached && has_vectors) {
                move_columns((ushort *)&at_end, sums + last_columns, &step, g,
                             first_value + last_columns, true);
                column = inner_end;
            }
            for (; column < reached; ++column)
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
                make_results(row, to + m * g.dst_row, first, last, g.taps_x, divisor, &factors);
            }
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void box_bytes(__global const uchar *restrict src, __global uchar *restrict dst, const Geometry g,
               const int band, const Divisor divisor) {
    average_strip(PLACE, src, dst, g, band, divisor);
}
