// Any rank of large boxes of bytes for CPUs: an item goes down a strip of a band of rows, and keeps the histograms of
// all windows of a row of results. Windows next to each other have their counts of one bin side by side, so that a
// pixel is added to all windows across it, or taken from them, by a vector or a few. What a step changes is after
// Huang, Yang and Tang (1979), and the two levels of bins after Perreault and Hebert (2007): the rank's bin is found
// among 16 coarse ones, and then among the 16 fine ones of each that a vector of results needs. Pixels of one channel
// at a time.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/rank_vectors.clh"
#include "lib/once.clh"

#if !defined(STRIP) || !defined(WINDOW_X) || !defined(WINDOW_Y)
#error STRIP, WINDOW_X or WINDOW_Y is not defined
#endif

// A vector has COUNTS counts.
#ifdef HAS_LONG_VECTORS
#define COUNTS (VECTOR_BYTES / 2)
typedef ushort Counts __attribute__((ext_vector_type(COUNTS)));
typedef Counts UnalignedCounts __attribute__((aligned(2)));
#define READ_COUNTS(p) ((Counts)(*(const UnalignedCounts *)(p)))
#define WRITE_COUNTS(v, p) (*(UnalignedCounts *)(p) = (v))
#define AS_COUNTS(truths) __builtin_astype(truths, Counts)
#define MORE_COUNTS(a, b) __builtin_elementwise_max(a, b)
typedef uchar Bytes __attribute__((ext_vector_type(COUNTS)));
typedef Bytes UnalignedBytes __attribute__((aligned(1)));
#define WRITE_BYTES(v, p) (*(__global UnalignedBytes *)(p) = __builtin_convertvector(v, Bytes))
#else
#define COUNTS 16
typedef ushort16 Counts;
#define READ_COUNTS(p) vload16(0, p)
#define WRITE_COUNTS(v, p) vstore16(v, 0, p)
#define AS_COUNTS(truths) as_ushort16(truths)
#define MORE_COUNTS(a, b) max(a, b)
#define WRITE_BYTES(v, p) vstore16(convert_uchar16(v), 0, p)
#endif

#define COLUMNS (STRIP + WINDOW_X - 1) // of pixels
#define PARTS ((WINDOW_X + COUNTS - 1) / COUNTS)
// A bin has the count of the window whose first column is x at WINDOW_X - 1 + x. Vectors may reach beyond the last one.
#define PITCH (STRIP + 2 * (WINDOW_X - 1) + COUNTS)
#define BINS 16

typedef struct Histograms {
    ushort fine[BINS * BINS][PITCH], coarse[BINS][PITCH];
} Histograms;

// Adds a pixel of a column to all windows across it. ones: 1 for each of these, and 0 behind them.
INLINE void add_pixel(ushort *bin, int column, const Counts *ones) {
    UNROLL for (int i = 0; i < PARTS; ++i) {
        ushort *at = bin + column + i * COUNTS;
        WRITE_COUNTS(READ_COUNTS(at) + ones[i], at);
    }
}
INLINE void take_pixel(ushort *bin, int column, const Counts *ones) {
    UNROLL for (int i = 0; i < PARTS; ++i) {
        ushort *at = bin + column + i * COUNTS;
        WRITE_COUNTS(READ_COUNTS(at) - ones[i], at);
    }
}

// A column's pixel `gone` leaves its windows, and `come` enters them.
INLINE void exchange_pixels(Histograms *all, int column, uchar gone, uchar come, const Counts *ones) {
    if (gone == come)
        return;
    add_pixel(all->fine[come], column, ones);
    take_pixel(all->fine[gone], column, ones);
    if (gone / BINS != come / BINS) {
        add_pixel(all->coarse[come / BINS], column, ones);
        take_pixel(all->coarse[gone / BINS], column, ones);
    }
}

// Returns the bits that any value of a vector has.
INLINE ushort or_of(Counts values) {
#if COUNTS == 32
    const ushort16 all = as_ushort16(values.lo | values.hi);
#else
    const ushort16 all = as_ushort16(values);
#endif
    const ushort8 eight = all.lo | all.hi;
    const ushort4 four = eight.lo | eight.hi;
    return four.s0 | four.s1 | four.s2 | four.s3;
}

// Gives `value` for windows whose counts are not more than the rank, and 0 for others. Bins are numbered by such values, as
// Oclgrind adds comparisons up wrongly: it takes the bits of vectors for 255.
#define WHERE_UP_TO(counts, rank, value) (AS_COUNTS((counts) <= (Counts)(rank)) & (Counts)(value))

// Returns the pixels of a rank of COUNTS windows from column x of the strip on.
INLINE Counts select_pixels(const Histograms *all, int x, ushort rank) {
    Counts sum = 0, before = 0, coarse = 0; // the bins and the pixels before the rank's own bin
    for (int b = 0; b < BINS - 1; ++b) {
        sum += READ_COUNTS(all->coarse[b] + WINDOW_X - 1 + x);
        before = MORE_COUNTS(before, WHERE_UP_TO(sum, rank, sum));
        coarse = MORE_COUNTS(coarse, WHERE_UP_TO(sum, rank, b + 1));
    }
    ushort there = or_of((Counts)(1) << coarse); // coarse bins of any of the windows
    Counts found = 0;
    for (int b = 0; there != 0; ++b, there >>= 1) {
        if (!(there & 1))
            continue;
        Counts own = before, fine = 0;
        for (int i = 0; i < BINS - 1; ++i) {
            own += READ_COUNTS(all->fine[b * BINS + i] + WINDOW_X - 1 + x);
            fine = MORE_COUNTS(fine, WHERE_UP_TO(own, rank, i + 1));
        }
        found |= AS_COUNTS(coarse == (Counts)(b)) & (fine + (ushort)(b * BINS));
    }
    return found;
}

// Writes the first `count` of such pixels.
INLINE void write_pixels(Counts pixels, int count, __global DST *to) {
#if STORES_BITS && CHANNELS == 1
    if (count >= COUNTS) {
        WRITE_BYTES(pixels, to);
        return;
    }
#endif
    ushort all[COUNTS];
    WRITE_COUNTS(pixels, all);
    for (int i = 0; i < min(count, COUNTS); ++i)
        STORE(convert_float(all[i]), to + i * CHANNELS);
}

ONCE void rank_strip(const int3 place, __global const SRC *restrict src, __global DST *restrict dst,
                     const Geometry g, const int band, const int rank) {
    const int strip = place.x / CHANNELS;
    const int channel = place.x - strip * CHANNELS;
    const int left = strip * STRIP;
    const int top = place.y * band;
    const int batch = place.z;
    const int width = min(STRIP, g.width / CHANNELS - left);
    const int columns = width + WINDOW_X - 1;
    const int end = min(top + band, g.height);
    __global const SRC *origin = src + src_start(g, batch);
    const int first = (left - g.anchor_x) * CHANNELS;
    Counts ones[PARTS];
    UNROLL for (int i = 0; i < PARTS; ++i) {
        ushort some[COUNTS];
        for (int k = 0; k < COUNTS; ++k)
            some[k] = i * COUNTS + k < WINDOW_X;
        ones[i] = READ_COUNTS(some);
    }
    Histograms all;
    for (int b = 0; b < BINS * BINS; ++b)
        for (int x = 0; x < PITCH; ++x)
            all.fine[b][x] = 0;
    for (int b = 0; b < BINS; ++b)
        for (int x = 0; x < PITCH; ++x)
            all.coarse[b][x] = 0;
    KEY gone[COLUMNS * CHANNELS + LANES], come[COLUMNS * CHANNELS + LANES];
    for (int j = 0; j < WINDOW_Y; ++j) {
        const int row = fold_row(g, top + j - g.anchor_y);
        read_keys(origin, g, row, first, columns * CHANNELS, come);
        for (int i = 0; i < columns; ++i) {
            const KEY pixel = come[i * CHANNELS + channel];
            add_pixel(all.fine[pixel], i, ones);
            add_pixel(all.coarse[pixel / BINS], i, ones);
        }
    }
    __global DST *to = dst + dst_start(g, batch) + (long)top * g.dst_row + left * CHANNELS + channel;
    for (int y = top; y < end; ++y, to += g.dst_row) {
        if (y > top) {
            const int leaving = fold_row(g, y - 1 - g.anchor_y);
            const int entering = fold_row(g, y + WINDOW_Y - 1 - g.anchor_y);
            read_keys(origin, g, leaving, first, columns * CHANNELS, gone);
            read_keys(origin, g, entering, first, columns * CHANNELS, come);
            // Four columns far from each other in turn: counts that are written are not read at once.
            const int apart = (columns + 3) / 4;
            for (int i = 0; i < apart; ++i)
                for (int k = i; k < columns; k += apart)
                    exchange_pixels(&all, k, gone[k * CHANNELS + channel],
                                    come[k * CHANNELS + channel], ones);
        }
        for (int x = 0; x < width; x += COUNTS)
            write_pixels(select_pixels(&all, x, (ushort)rank), width - x, to + x * CHANNELS);
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void rank_histograms(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                     const int band, const int rank) {
    rank_strip(PLACE, src, dst, g, band, rank);
}
