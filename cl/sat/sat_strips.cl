// Summed-area tables for CPUs, with no barrier: an item goes down a band of rows, ROWS of them at a
// time along their whole length. A vector's sums are made by adding it to itself, shifted by one
// pixel, two, four and eight, and then what lies left of it. Bands start from the table's row above
// them: before, the columns of each band are summed, and these sums made a table.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/sat.clh"

#if !defined(BAND) || !defined(ALIGNED)
#error BAND or ALIGNED is not defined
#endif

#define UNROLL _Pragma("unroll")
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

// ADD_UP: each value and all of its channel left of it. CARRY: for each value of the next vector
// the last one of its channel.
#if CHANNELS == 1
#define ADD_UP(v)                                                                                  \
    do {                                                                                           \
        (v) += SHIFTED1(v);                                                                        \
        (v) += SHIFTED2(v);                                                                        \
        (v) += SHIFTED4(v);                                                                        \
        (v) += SHIFTED8(v);                                                                        \
    } while (0)
#define CARRY(v) ((SUM16)((v).sf))
#elif CHANNELS == 2
#define ADD_UP(v)                                                                                  \
    do {                                                                                           \
        (v) += SHIFTED2(v);                                                                        \
        (v) += SHIFTED4(v);                                                                        \
        (v) += SHIFTED8(v);                                                                        \
    } while (0)
#define CARRY(v) ((SUM16)((v).sefefefef, (v).sefefefef))
#elif CHANNELS == 3
#define ADD_UP(v)                                                                                  \
    do {                                                                                           \
        (v) += SHIFTED3(v);                                                                        \
        (v) += SHIFTED6(v);                                                                        \
        (v) += SHIFTED12(v);                                                                       \
    } while (0)
#define CARRY(v) ((SUM16)((v).sdefdefde, (v).sfdefdefd))
#else
#define ADD_UP(v)                                                                                  \
    do {                                                                                           \
        (v) += SHIFTED4(v);                                                                        \
        (v) += SHIFTED8(v);                                                                        \
    } while (0)
#define CARRY(v) ((SUM16)((v).scdefcdef, (v).scdefcdef))
#endif

#define READ_SOME(to, from, count)                                                                 \
    do {                                                                                           \
        SUM some_[16];                                                                             \
        for (int lane_ = 0; lane_ < 16; ++lane_)                                                   \
            some_[lane_] = lane_ < (count) ? LOAD_SUM((from) + lane_) : ZERO;                      \
        (to) = vload16(0, some_);                                                                  \
    } while (0)
#define WRITE_SOME(value, to, begin, end)                                                          \
    do {                                                                                           \
        SUM some_[16];                                                                             \
        vstore16(value, 0, some_);                                                                 \
        for (int lane_ = (begin); lane_ < (end); ++lane_)                                          \
            (to)[lane_] = some_[lane_];                                                            \
    } while (0)

#if ALIGNED && defined(NONTEMPORAL)
#define STREAM_SUM16(v, p) NONTEMPORAL(v, (__global SUM16 *)(p))
#else
#define STREAM_SUM16(v, p) vstore16(v, 0, p)
#endif

// The image between the launches has rows of `pitch` vectors for the bands of a slice. Row b is first
// the sums of the columns of band b - 1, then the table's row above band b.
#define BANDS(g) ((SUMMED_ROWS(g) + BAND - 1) / BAND)
#define PITCH(g) ((SUMMED_VALUES(g) + 15) / 16)
#define ABOVE(g, batch, band) (above + ((long)(batch) * BANDS(g) + (band)) * PITCH(g))

// SUMMED rows of a band, to the sums of its columns.
#define SUMMED 8
#define SUM_ROWS                                                                                   \
    do {                                                                                           \
        int x_ = 0;                                                                                \
        for (; x_ + 16 <= width; x_ += 16) {                                                       \
            SUM16 sum_ = LOAD_SUM16(from + x_);                                                    \
            UNROLL for (int i_ = 1; i_ < SUMMED; ++i_)                                             \
                sum_ += LOAD_SUM16(from + i_ * g.src_row + x_);                                    \
            sums[x_ / 16] = is_first ? sum_ : sums[x_ / 16] + sum_;                                \
        }                                                                                          \
        if (x_ < width) {                                                                          \
            SUM16 sum_ = ZERO;                                                                     \
            for (int i_ = 0; i_ < SUMMED; ++i_) {                                                  \
                SUM16 more_;                                                                       \
                READ_SOME(more_, from + i_ * g.src_row + x_, width - x_);                          \
                sum_ += more_;                                                                     \
            }                                                                                      \
            sums[x_ / 16] = is_first ? sum_ : sums[x_ / 16] + sum_;                                \
        }                                                                                          \
    } while (0)

// The columns of all bands but the last, a band an item.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sat_bands(__global const SRC *restrict src, __global SUM16 *restrict above, const Geometry g) {
    const int band = get_global_id(0);
    const int batch = get_global_id(2);
    const int width = SUMMED_VALUES(g);
    __global const SRC *from = src + sums_start(g, batch) + (long)band * BAND * g.src_row;
    __global SUM16 *sums = ABOVE(g, batch, band + 1);
    bool is_first = true;
    for (int row = 0; row < BAND; row += SUMMED, from += SUMMED * g.src_row) {
        SUM_ROWS;
        is_first = false;
    }
}

// From sums of columns to rows of the table, a slice an item.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sat_above(__global SUM16 *restrict above, const Geometry g) {
    const int batch = get_global_id(2);
    const int pitch = PITCH(g);
    const int bands = BANDS(g);
    __global SUM16 *row = ABOVE(g, batch, 0);
    for (int i = 0; i < pitch; ++i)
        row[i] = ZERO;
    for (int band = 1; band < bands; ++band, row += pitch) {
        SUM16 carry = ZERO;
        for (int i = 0; i < pitch; ++i) {
            SUM16 v = row[pitch + i];
            ADD_UP(v);
            v += carry;
            carry = CARRY(v);
            row[pitch + i] = row[i] + v;
        }
    }
}

// Vector x of `count` rows of a band, of which whole vectors can be read and written or not.
#define MAKE_VECTORS(count, x, read, write)                                                        \
    do {                                                                                           \
        SUM16 sum_ = table[(x) / 16];                                                              \
        UNROLL for (int i_ = 0; i_ < (count); ++i_) {                                              \
            SUM16 v_;                                                                              \
            read(v_, from + i_ * g.src_row + (x), x);                                              \
            ADD_UP(v_);                                                                            \
            v_ += carries_[i_];                                                                    \
            carries_[i_] = CARRY(v_);                                                              \
            sum_ += v_;                                                                            \
            write(sum_, to + i_ * g.dst_row + (x), x);                                             \
        }                                                                                          \
        table[(x) / 16] = sum_;                                                                    \
    } while (0)
#define READ_WHOLE(v, p, x) ((v) = LOAD_SUM16(p))
#define READ_REST(v, p, x) READ_SOME(v, p, width - (x))
#define WRITE_WHOLE(v, p, x) STREAM_SUM16(v, p)
#define WRITE_REST(v, p, x)                                                                        \
    WRITE_SOME(v, p, max(skipped - (x), 0), y >= 0 ? min(width - (x), 16) : 0)

// The table of `count` rows of a band. table: its row above them, and then the last of them.
#define MAKE_ROWS(count)                                                                           \
    do {                                                                                           \
        SUM16 carries_[count];                                                                     \
        UNROLL for (int i_ = 0; i_ < (count); ++i_)                                                \
            carries_[i_] = ZERO;                                                                   \
        int x_ = 0;                                                                                \
        for (; x_ < (y >= 0 ? min(skipped, whole) : whole); x_ += 16)                              \
            MAKE_VECTORS(count, x_, READ_WHOLE, WRITE_REST);                                       \
        for (; x_ < whole; x_ += 16)                                                               \
            MAKE_VECTORS(count, x_, READ_WHOLE, WRITE_WHOLE);                                      \
        if (x_ < width)                                                                            \
            MAKE_VECTORS(count, x_, READ_REST, WRITE_REST);                                        \
    } while (0)

// A band an item.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sat_strips(__global const SRC *restrict src, __global SUM *restrict dst,
                __global SUM16 *restrict above, const Geometry g) {
    const int band = get_global_id(0);
    const int batch = get_global_id(2);
    const int width = SUMMED_VALUES(g);
    const int skipped = -FIRST_VALUE(g);
    const int whole = width / 16 * 16;
    __global SUM16 *table = ABOVE(g, batch, band);
    int y = FIRST_ROW(g) + band * BAND;
    const int end = min(y + BAND, g.height);
    if (end <= 0) // all of it lies above the region
        return;
    __global const SRC *from = src + sums_start(g, batch) + (long)band * BAND * g.src_row;
    __global SUM *to = dst + dst_start(g, batch) + y * g.dst_row + FIRST_VALUE(g);
    while (y < end) {
        const int count = y + ROWS <= end && (y >= 0 || y + ROWS <= 0) ? ROWS : 1;
        if (count == ROWS)
            MAKE_ROWS(ROWS);
        else
            MAKE_ROWS(1);
        y += count;
        from += count * g.src_row;
        to += count * g.dst_row;
    }
}
