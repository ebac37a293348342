// Means over boxes for CPUs; the work does not grow with the radius. An item filters a strip of up
// to STRIP values and `band` rows alone, with no barrier, ROWS rows at a time. Sums along y run down
// each of the columns that the strip's boxes reach, 16 columns in a vector; sums along x run along
// the rows that these make, 16 values at a time, side by side, as each waits for the sum before it.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/box.clh"
#include "lib/host_compiler.clh"
#include "lib/once.clh"

#if !defined(STRIP) || !defined(REACH) || !defined(ALIGNED)
#error STRIP, REACH or ALIGNED is not defined
#endif
#if SUM_TYPE == SUM_I64
#error box_strips keeps sums in 32 bits
#endif

#define ROWS 4
#include "lib/box_rows.clh"

// A strip's values: whole pixels, and whole vectors.
#define STRIP_VALUES (CHANNELS == 3 ? STRIP / 48 * 48 : STRIP)
// From a row of sums to the next, in whole vectors. These may begin before the first column and end
// behind the last. REACH is the most that boxes reach on both sides together.
#define PITCH ((STRIP + REACH + 15) / 16 * 16 + 48)

// ALIGNED: each vector of means lies at a multiple of 16 values. Of bytes it is a quarter of a cache line: with AVX2 the caches
// put these together sooner than memory takes them.
#if ALIGNED && !(DST_TYPE == PIXEL_U8 && defined(__x86_64__) && !defined(__AVX512F__))
#define STORE_VECTOR STREAM16
#ifdef NONTEMPORAL
#include "lib/apart.clh"
#endif
#else
#include "lib/store_whole.clh"
#define STORE_VECTOR STORE16_WHOLE
#endif
#include "lib/box_scan.clh"
#ifndef MOST_APART
#define MOST_APART 0
#endif

// Values i to i + 15. may_be_outside: false where none of a step's rows is.
INLINE VALUE16 read16(Row row, const Geometry g, int i, bool may_be_outside) {
    return may_be_outside && row.is_outside ? (VALUE16)(BORDER_VALUE(g))
                                            : LOAD_VALUE16(row.values + i);
}
INLINE VALUE read_value(Row row, const Geometry g, int i) {
    return row.is_outside ? BORDER_VALUE(g) : LOAD_VALUE(row.values + i);
}

// The running sums of 16 columns. `lost` is not there for integers.
typedef struct Running16 {
    VALUE16 sum;
#if SUM_TYPE == SUM_F32
    float16 lost;
#endif
} Running16;
#if SUM_TYPE == SUM_F32
#define ADD16(s, x) add16(&(s).sum, &(s).lost, x)
#define VALUE16_OF(s) ((s).sum + (s).lost)
#define NOTHING16 ((Running16){(float16)(0.0f), (float16)(0.0f)})
#else
#define ADD16(s, x) ((s).sum += (x))
#define VALUE16_OF(s) ((s).sum)
#define NOTHING16 ((Running16){(int16)(0)})
#endif
INLINE Running16 get16(const VALUE *running, const VALUE *lost, int i) {
    Running16 s;
    s.sum = GET16(running + i);
#if SUM_TYPE == SUM_F32
    s.lost = GET16(lost + i);
#endif
    return s;
}
INLINE void set16(Running16 s, VALUE *running, VALUE *lost, int i) {
    PUT16(s.sum, running + i);
#if SUM_TYPE == SUM_F32
    PUT16(s.lost, lost + i);
#endif
}
INLINE Running get_running(const VALUE *running, const VALUE *lost, int i) {
#if SUM_TYPE == SUM_F32
    return (Running){running[i], lost[i]};
#else
    return running[i];
#endif
}
INLINE void set_running(Running s, VALUE *running, VALUE *lost, int i) {
#if SUM_TYPE == SUM_F32
    running[i] = s.sum;
    lost[i] = s.lost;
#else
    running[i] = s;
#endif
}

// A column that is not the image's own: it holds the border's constant, is folded to a column that is
// made before it, or to one that is not, so that it has a running sum of the values at `place`.
typedef enum OuterKind { is_constant, is_copy, is_far } OuterKind;
typedef struct Outer {
    int column, place;
    OuterKind kind;
} Outer;

#ifdef CAN_SCAN
// Lanes that hold whole pixels, a power of two of them.
#define WHOLE (CHANNELS == 3 ? 12 : 16)
#define INDEX16 ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

// Adds the columns from `first` to `end` of a row of sums to the totals of their channels.
INLINE void add_columns(ROW_TOTAL *totals, const VALUE *sums, int first, int end) {
    Running16 some = NOTHING16;
    for (int k = first; k < end; k += WHOLE)
        ADD16(some, select((VALUE16)(0), GET16(sums + k), INDEX16 < min(end - k, WHOLE)));
    VALUE sum[16], lost[16];
    set16(some, sum, lost, 0);
    UNROLL for (int n = WHOLE / 2; n >= CHANNELS; n /= 2)
        UNROLL for (int i = 0; i < n; ++i) {
            Running s = get_running(sum, lost, i);
            ADD_VALUE(s, sum[n + i]);
#if SUM_TYPE == SUM_F32
            s.lost += lost[n + i];
#endif
            set_running(s, sum, lost, i);
        }
    for (int c = 0; c < CHANNELS; ++c)
        totals[c] = get_running(sum, lost, c);
}
#endif

// A column by itself: value `at` of `count` rows enters it.
INLINE void fill_column(VALUE *running, VALUE *lost, const Row *enters, int count, const Geometry g,
                        int i, int at) {
    Running s = get_running(running, lost, i);
    for (int m = 0; m < count; ++m)
        ADD_VALUE(s, read_value(enters[m], g, at));
    set_running(s, running, lost, i);
}

// Sums of 16 columns, or of one, for each row of a step.
INLINE void move16(VALUE *running, VALUE *lost, VALUE *sums, const Step *step, const Geometry g,
                   int i, bool may_be_outside) {
    Running16 s = get16(running, lost, i);
    UNROLL for (int m = 0; m < ROWS; ++m) {
        ADD16(s, read16(step->enters[m], g, i, may_be_outside));
        PUT16(VALUE16_OF(s), sums + m * PITCH + i);
        ADD16(s, -read16(step->leaves[m], g, i, may_be_outside));
    }
    set16(s, running, lost, i);
}
INLINE void move_column(VALUE *running, VALUE *lost, VALUE *sums, const Step *step,
                        const Geometry g, int i, int at) {
    Running s = get_running(running, lost, i);
    for (int m = 0; m < ROWS; ++m) {
        ADD_VALUE(s, read_value(step->enters[m], g, at));
        sums[m * PITCH + i] = VALUE_OF(s);
        TAKE_VALUE(s, read_value(step->leaves[m], g, at));
    }
    set_running(s, running, lost, i);
}

// Sums of a column that is not the image's own.
INLINE void make_outer(VALUE *running, VALUE *lost, VALUE *sums, const Step *step, const Geometry g,
                       Outer outer) {
    if (outer.kind == is_far)
        move_column(running, lost, sums, step, g, outer.column, outer.place);
    else
        for (int m = 0; m < ROWS; ++m)
            sums[m * PITCH + outer.column] = outer.kind == is_constant
                                                 ? (VALUE)(BORDER_VALUE(g) * g.taps_y)
                                                 : sums[m * PITCH + outer.place];
}

ONCE void average_strip(const int3 place, __global const SRC *restrict src,
                        __global DST *restrict dst, const Geometry g, const int band,
                        const long area, const float share OTHER_PARAMETER) {
    const int left = place.x * STRIP_VALUES;
    const int top = place.y * band;
    const int batch = place.z;
    const int count = min(STRIP_VALUES, g.width - left);
    const int end = min(top + band, g.height);
    const int radius = g.anchor_y;
    const int apron = g.anchor_x * CHANNELS;
    const int columns = count + 2 * apron;
    __global const SRC *origin = src + src_start(g, batch);
    __global const SRC *inner = origin + (left - apron); // of column 0

    // Means are made a part of a row after the other: whole vectors and whole pixels.
    const int part = max(528, (2 * apron + 47) / 48 * 48);

    // Columns from `begin` to `inner_end` are the image's own. Vectors of them begin at multiples of 16
    // values of the source where they can, and may take more of the image's columns.
    const int first_own = g.valid_left * CHANNELS - (left - apron);
    const int end_own = g.valid_right * CHANNELS - (left - apron);
    const int begin = clamp(first_own, 0, columns);
    const int inner_end = clamp(end_own, begin, columns);
    const int before = (left - apron + begin) & 15;
    const int vectors_begin = begin - before >= first_own ? begin - before : begin;
    const int over = (vectors_begin - inner_end) & 15;
    const int vectors_end =
        inner_end + over <= end_own ? inner_end + over : inner_end + over - 16;
    const int rest_begin = max(vectors_end, begin);

    // Columns at multiples of 16 values of the source are at multiples of 16 values here, too.
    VALUE16 running_[PITCH / 16], sums_[ROWS * PITCH / 16 + MOST_APART / sizeof(VALUE16)];
    const int shift = 16 + (-apron & 15);
    VALUE *running = (VALUE *)running_ + shift, *sums = (VALUE *)sums_ + shift;
#if SUM_TYPE == SUM_F32
    VALUE16 lost_[PITCH / 16];
    VALUE *lost = (VALUE *)lost_ + shift;
#else
    VALUE *lost = running; // is not read
#endif
    for (int i = 0; i < PITCH; i += 16)
        set16(NOTHING16, running - shift, lost - shift, i);
    for (int i = 0; i < (int)(sizeof(sums_) / sizeof(VALUE)); i += 16)
        PUT16((VALUE16)(0), (VALUE *)sums_ + i);
#if MOST_APART > 0
    const ulong target = (ulong)(dst + dst_start(g, batch) + left);
    sums += bytes_apart((ulong)sums, target, PITCH * sizeof(VALUE), g.dst_row * sizeof(DST),
                        2 * apron * sizeof(VALUE)) /
            (int)sizeof(VALUE);
#endif
    // The columns outside. Those left of the image's own are made when the first part's are.
    Outer outer[REACH + 16];
    const int outside = columns - (inner_end - begin);
    const int first_made = part < count ? min(part, vectors_end) : inner_end;
    for (int k = 0; k < outside; ++k) {
        const int column = k < begin ? k : k - begin + inner_end;
        const int offset = fold_value(g, left - apron + column);
        const int place = offset - (left - apron);
        const int made_end = k < begin ? first_made : inner_end;
        outer[k] = (Outer){column, place,
                           offset == OUTSIDE                    ? is_constant
                           : place >= begin && place < made_end ? is_copy
                                                                : is_far};
    }

    // The rows that fill the first boxes, but for the last row of these.
    for (int y = top - radius; y < top + radius; y += ROWS) {
        const int rows = min(top + radius - y, ROWS);
        Row enters[ROWS];
        for (int m = 0; m < rows; ++m)
            enters[m] = row_at(inner, g, y + m);
        for (int i = vectors_begin; i < vectors_end; i += 16) {
            Running16 s = get16(running, lost, i);
            for (int m = 0; m < rows; ++m)
                ADD16(s, read16(enters[m], g, i, true));
            set16(s, running, lost, i);
        }
        for (int i = rest_begin; i < inner_end; ++i)
            fill_column(running, lost, enters, rows, g, i, i);
        for (int k = 0; k < outside; ++k)
            if (outer[k].kind == is_far)
                fill_column(running, lost, enters, rows, g, outer[k].column, outer[k].place);
    }

    for (int y = top; y < end; y += ROWS) {
        Step step;
        __global const SRC *expected[ROWS]; // are asked for meanwhile
        const bool may_be_outside = find_rows(&step, inner, g, y, end);
        find_next_rows(expected, inner, g, y, end);
        // A sum along the row begins anew with each part of it, so that what is not finite goes no
        // further, and rounding neither. Reading a part's columns and writing its means overlap.
        const int rows = min(end - y, ROWS);
        __global DST *to = dst + dst_start(g, batch) + (long)y * g.dst_row + left;
        const long from = src_start(g, batch) + (long)y * g.src_row + left;
        int column = vectors_begin;
        bool complete = false;
        for (int first = 0; first < count; first += part) {
            const int last = min(first + part, count);
            const int reached = last + 2 * apron;
            const int some = min(vectors_end, reached);
            for (; column < some; column += 16) {
                if (sizeof(SRC) == 4 || column % (int)(64 / sizeof(SRC)) == 0)
                    UNROLL for (int m = 0; m < ROWS; ++m)
                        EXPECT(expected[m] + column);
                if (may_be_outside)
                    move16(running, lost, sums, &step, g, column, true);
                else
                    move16(running, lost, sums, &step, g, column, false);
            }
            const bool completes = !complete && reached > vectors_end;
            if (completes)
                for (int i = rest_begin; i < inner_end; ++i)
                    move_column(running, lost, sums, &step, g, i, i);
            if (first == 0)
                for (int k = 0; k < begin; ++k)
                    make_outer(running, lost, sums, &step, g, outer[k]);
            if (completes)
                for (int k = begin; k < outside; ++k)
                    make_outer(running, lost, sums, &step, g, outer[k]);
            complete |= completes;

            ROW_TOTAL totals[ROWS][CHANNELS]; // of the boxes without their last pixels
            int x = first;
#ifdef CAN_SCAN
            UNROLL for (int m = 0; m < ROWS; ++m)
                add_columns(totals[m], sums + m * PITCH, first, first + 2 * apron);
            // Within a vector: what each mean has more than the one before the vector, by a prefix
            // sum of what enters and leaves.
            for (; x + 16 <= last; x += 16)
                UNROLL for (int m = 0; m < ROWS; ++m) {
                    const VALUE *row = sums + m * PITCH + x;
                    VALUE16 leaves = GET16(row - CHANNELS);
                    if (x == first) // nothing leaves before the first pixel
                        leaves = select((VALUE16)(0), leaves, INDEX16 >= CHANNELS);
                    const VALUE16 change = scan16(GET16(row + 2 * apron) - leaves);
                    const VALUE16 all = spread16(totals[m]) + change;
                    if (m < rows)
                        STORE_MEANS16(all, area, share, to + m * g.dst_row + x,
                                      from + m * g.src_row + x);
                    add_last16(totals[m], change);
                }
#endif
            UNROLL for (int m = 0; m < ROWS; ++m) {
                const VALUE *row = sums + m * PITCH;
                if (m >= rows || x >= last)
                    break;
#ifdef CAN_SCAN
                if (x > first)
                    for (int c = 0; c < CHANNELS; ++c)
                        TAKE_VALUE(totals[m][c], row[x - CHANNELS + c]);
#else
                for (int c = 0; c < CHANNELS; ++c)
                    totals[m][c] = NOTHING;
                for (int k = first; k < first + 2 * apron; k += CHANNELS)
                    for (int c = 0; c < CHANNELS; ++c)
                        ADD_VALUE(totals[m][c], row[k + c]);
#endif
                for (int i = x; i < last; i += CHANNELS)
                    for (int c = 0; c < CHANNELS && i + c < last; ++c) {
                        ADD_VALUE(totals[m][c], row[i + 2 * apron + c]);
                        STORE_MEAN(RESULT_OF(mean_of(VALUE_OF(totals[m][c]), area, share), LOAD,
                                             from + m * g.src_row + i + c),
                                   to + m * g.dst_row + i + c);
                        TAKE_VALUE(totals[m][c], row[i + c]);
                    }
            }
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void box_strips(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                const int band, const long area, const float share OTHER_PARAMETER) {
    average_strip(PLACE, src, dst, g, band, area, share OTHER_ARGUMENT);
}
