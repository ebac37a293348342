// Summed-area tables for CPUs, with no barrier: an item goes down a band of rows, ROWS of them at a
// time along their whole length. A vector's sums are made by adding it to itself, shifted by one
// pixel, two, four and eight, and then what lies left of it. Bands start from the table's row above
// them: before, the columns of each band are summed, and these sums made a table.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/sat.clh"
#include "lib/once.clh"

#if !defined(BAND) || !defined(ALIGNED)
#error BAND or ALIGNED is not defined
#endif

// Processors combine the writes of few rows past the caches: with four it takes twice as long.
#define ROWS 2

#define ZERO ((SUM)0)
#define SHIFTED1(v) ((SUM16)(ZERO, (v).s012, (v).s3456, (v).s789abcde))
#define SHIFTED2(v) ((SUM16)(ZERO, ZERO, (v).s01, (v).s2345, (v).s6789abcd))
#define SHIFTED3(v) ((SUM16)(ZERO, ZERO, ZERO, (v).s0, (v).s1234, (v).s56789abc))
#define SHIFTED4(v) ((SUM16)((SUM4)(ZERO), (v).s0123, (v).s456789ab))
#define SHIFTED6(v) ((SUM16)((SUM4)(ZERO), ZERO, ZERO, (v).s01, (v).s23456789))
#define SHIFTED8(v) ((SUM16)((PASTE(SUM, 8))(ZERO), (v).s01234567))
#define SHIFTED12(v) ((SUM16)((PASTE(SUM, 8))(ZERO), (SUM4)(ZERO), (v).s0123))

// Adds to each value all of its channel left of it.
static inline SUM16 add_up(SUM16 v) {
#if CHANNELS == 1
    v += SHIFTED1(v);
    v += SHIFTED2(v);
    v += SHIFTED4(v);
    v += SHIFTED8(v);
#elif CHANNELS == 2
    v += SHIFTED2(v);
    v += SHIFTED4(v);
    v += SHIFTED8(v);
#elif CHANNELS == 3
    v += SHIFTED3(v);
    v += SHIFTED6(v);
    v += SHIFTED12(v);
#else
    v += SHIFTED4(v);
    v += SHIFTED8(v);
#endif
    return v;
}

// For each value of the next vector the last one of its channel.
#if CHANNELS == 1
#define CARRY(v) ((SUM16)((v).sf))
#elif CHANNELS == 2
#define CARRY(v) ((SUM16)((v).sefefefef, (v).sefefefef))
#elif CHANNELS == 3
#define CARRY(v) ((SUM16)((v).sdefdefde, (v).sfdefdefd))
#else
#define CARRY(v) ((SUM16)((v).scdefcdef, (v).scdefcdef))
#endif

// The first `count` values from `from` on, and zeros.
static inline SUM16 read_some(__global const SRC *from, int count) {
    SUM some[16];
    for (int lane = 0; lane < 16; ++lane)
        some[lane] = lane < count ? LOAD_SUM(from + lane) : ZERO;
    return vload16(0, some);
}

// Writes values `begin` to `end` of a vector.
static inline void write_some(SUM16 value, __global SUM *to, int begin, int end) {
    SUM some[16];
    vstore16(value, 0, some);
    for (int lane = begin; lane < end; ++lane)
        to[lane] = some[lane];
}

#if ALIGNED && defined(NONTEMPORAL)
#define STREAM_SUM16(v, p) NONTEMPORAL(v, (__global SUM16 *)(p))
#else
#define STREAM_SUM16(v, p) vstore16(v, 0, p)
#endif

// The image between the launches has rows of `pitch` vectors for the bands of a slice. Row b is
// first the sums of the columns of band b - 1, then the table's row above band b.
#define BANDS(g) ((SUMMED_ROWS(g) + BAND - 1) / BAND)
#define PITCH(g) ((SUMMED_VALUES(g) + 15) / 16)

static inline __global SUM16 *row_above(__global SUM16 *above, const Geometry g, int batch,
                                        int band) {
    return above + ((long)batch * BANDS(g) + band) * PITCH(g);
}

// Adds SUMMED rows of a band, `from` on, to the sums of its columns, which are nothing before the
// first of them.
#define SUMMED 8
static inline void sum_rows(__global const SRC *from, const Geometry g, __global SUM16 *sums,
                            bool is_first) {
    const int width = SUMMED_VALUES(g);
    int x = 0;
    for (; x + 16 <= width; x += 16) {
        SUM16 sum = LOAD_SUM16(from + x);
        UNROLL for (int i = 1; i < SUMMED; ++i)
            sum += LOAD_SUM16(from + i * g.src_row + x);
        sums[x / 16] = is_first ? sum : sums[x / 16] + sum;
    }
    if (x < width) {
        SUM16 sum = ZERO;
        for (int i = 0; i < SUMMED; ++i)
            sum += read_some(from + i * g.src_row + x, width - x);
        sums[x / 16] = is_first ? sum : sums[x / 16] + sum;
    }
}

// The columns of all bands but the last, a band an item.
ONCE void add_band(const int3 place, __global const SRC *restrict src,
                   __global SUM16 *restrict above, const Geometry g) {
    const int band = place.x;
    const int batch = place.z;
    __global const SRC *from = src + sums_start(g, batch) + (long)band * BAND * g.src_row;
    __global SUM16 *sums = row_above(above, g, batch, band + 1);
    bool is_first = true;
    for (int row = 0; row < BAND; row += SUMMED, from += SUMMED * g.src_row) {
        sum_rows(from, g, sums, is_first);
        is_first = false;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sat_bands(__global const SRC *restrict src, __global SUM16 *restrict above, const Geometry g) {
    add_band(PLACE, src, above, g);
}

// From sums of columns to rows of the table, a slice an item.
ONCE void add_above(const int3 place, __global SUM16 *restrict above, const Geometry g) {
    const int batch = place.z;
    const int pitch = PITCH(g);
    const int bands = BANDS(g);
    __global SUM16 *row = row_above(above, g, batch, 0);
    for (int i = 0; i < pitch; ++i)
        row[i] = ZERO;
    for (int band = 1; band < bands; ++band, row += pitch) {
        SUM16 carry = ZERO;
        for (int i = 0; i < pitch; ++i) {
            SUM16 v = add_up(row[pitch + i]);
            v += carry;
            carry = CARRY(v);
            row[pitch + i] = row[i] + v;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sat_above(__global SUM16 *restrict above, const Geometry g) {
    add_above(PLACE, above, g);
}

// Rows of a band. table: the table's row above them, and then the last of them. Of a row, `skipped`
// values lie beside the region and are summed and not written, as rows are that lie above it.
typedef struct Rows {
    __global const SRC *from;
    __global SUM *to;
    __global SUM16 *table;
    long src_row, dst_row;
    int width, skipped;
    bool are_written;
} Rows;

// Makes vector x of `count` rows. carries: what lies left of it in each of them. May it be read or
// written whole?
INLINE void make_vectors(const Rows *rows, int count, int x, SUM16 *carries, bool reads_whole,
                         bool writes_whole) {
    SUM16 sum = rows->table[x / 16];
    UNROLL for (int i = 0; i < ROWS; ++i) {
        if (i >= count)
            break;
        __global const SRC *from = rows->from + i * rows->src_row + x;
        __global SUM *to = rows->to + i * rows->dst_row + x;
        SUM16 v = add_up(reads_whole ? LOAD_SUM16(from) : read_some(from, rows->width - x));
        v += carries[i];
        carries[i] = CARRY(v);
        sum += v;
        if (writes_whole)
            STREAM_SUM16(sum, to);
        else
            write_some(sum, to, max(rows->skipped - x, 0),
                       rows->are_written ? min(rows->width - x, 16) : 0);
    }
    rows->table[x / 16] = sum;
}

// Makes `count` rows, ROWS at most.
INLINE void make_rows(const Rows *rows, int count) {
    const int whole = rows->width / 16 * 16;
    SUM16 carries[ROWS];
    UNROLL for (int i = 0; i < ROWS; ++i)
        carries[i] = ZERO;
    int x = 0;
    for (; x < (rows->are_written ? min(rows->skipped, whole) : whole); x += 16)
        make_vectors(rows, count, x, carries, true, false);
    for (; x < whole; x += 16)
        make_vectors(rows, count, x, carries, true, true);
    if (x < rows->width)
        make_vectors(rows, count, x, carries, false, false);
}

// A band an item.
ONCE void sum_band(const int3 place, __global const SRC *restrict src, __global SUM *restrict dst,
                   __global SUM16 *restrict above, const Geometry g) {
    const int band = place.x;
    const int batch = place.z;
    int y = FIRST_ROW(g) + band * BAND;
    const int end = min(y + BAND, g.height);
    if (end <= 0) // all of it lies above the region
        return;
    Rows rows;
    rows.from = src + sums_start(g, batch) + (long)band * BAND * g.src_row;
    rows.to = dst + dst_start(g, batch) + y * g.dst_row + FIRST_VALUE(g);
    rows.table = row_above(above, g, batch, band);
    rows.src_row = g.src_row;
    rows.dst_row = g.dst_row;
    rows.width = SUMMED_VALUES(g);
    rows.skipped = -FIRST_VALUE(g);
    while (y < end) {
        const int count = y + ROWS <= end && (y >= 0 || y + ROWS <= 0) ? ROWS : 1;
        rows.are_written = y >= 0;
        if (count == ROWS)
            make_rows(&rows, ROWS);
        else
            make_rows(&rows, 1);
        y += count;
        rows.from += count * g.src_row;
        rows.to += count * g.dst_row;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sat_strips(__global const SRC *restrict src, __global SUM *restrict dst,
                __global SUM16 *restrict above, const Geometry g) {
    sum_band(PLACE, src, dst, above, g);
}
