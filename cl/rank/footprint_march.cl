// Minima and maxima over footprints for GPUs, each row of which is a run of pixels around one
// column: disks, crosses and their like. A group marches down a strip of the image, a row of the
// source at a time, and an item has COLUMNS results of a row. It makes the extremes of the row's
// runs from narrow to wide, each from one that is at least half as wide, and adds them to the
// results that see the row: those of all rows whose windows are not finished yet are in registers.
// Pixels of one channel at a time. Where a word has two keys, they are `band` rows apart: a group
// marches down two bands at once.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/rank_words.clh"
#include "lib/extreme_words.clh"

#if !defined(GROUP) || !defined(COLUMNS) || !defined(ALIGNED) || COLUMNS % 4
#error GROUP, COLUMNS or ALIGNED is not defined, or COLUMNS is no multiple of 4
#endif
#if !defined(APRON) || !defined(WINDOW_Y) || !defined(LEVELS) || !defined(IS_MAXIMUM)
#error APRON, WINDOW_Y, LEVELS or IS_MAXIMUM is not defined
#endif

#define FURTHER(a, b) FURTHER_OF(IS_MAXIMUM, a, b)

#define SPAN (COLUMNS + 2 * APRON) // pixels of a row that an item's results see
#define VECTORS ((SPAN + 3) / 4)
#define PITCH ((GROUP - 1) * COLUMNS + 4 * VECTORS)
#define SHARE ((PITCH + GROUP - 1) / GROUP) // pixels of a row that an item brings
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VECTOR JOIN(T, 4)

// Where an item's share of a row lies; a bit for each pixel in whose stead the border's constant
// stands.
typedef struct Places {
    int at[SHARE];
    uint outside;
} Places;

// Reads the item's share of the row that fold_row gave, or of another where there is none.
INLINE void bring(uint *brought, __global const SRC *origin, const Geometry g, int row,
                  const Places *places) {
    __global const SRC *from = origin + (row == OUTSIDE ? g.valid_top : row) * g.src_row;
    UNROLL for (int i = 0; i < SHARE; ++i)
        brought[i] = RAW_BITS(from + places->at[i]);
}

// Writes the border's constant where it stands.
INLINE void mend(uint *brought, const Geometry g, int row, const Places *places) {
    if (g.border_mode == BORDER_CONSTANT)
        UNROLL for (int i = 0; i < SHARE; ++i)
            if (row == OUTSIDE || (places->outside >> i & 1) != 0)
                brought[i] = bits_of(g.border_value);
}

// An item's share of a row, or of two rows that are a band apart.
typedef struct Brought {
    uint bits[RESULTS_OF_KEY][SHARE];
    int rows[RESULTS_OF_KEY]; // that fold_row gave
} Brought;

INLINE void bring_rows(Brought *brought, __global const SRC *origin, const Geometry g, int y,
                       int band, const Places *places) {
    UNROLL for (int half_ = 0; half_ < RESULTS_OF_KEY; ++half_) {
        brought->rows[half_] = fold_row(g, y + half_ * band);
        bring(brought->bits[half_], origin, g, brought->rows[half_], places);
    }
}

INLINE void put_rows(Brought *brought, const Geometry g, const Places *places, __local T *to,
                     int item) {
    UNROLL for (int half_ = 0; half_ < RESULTS_OF_KEY; ++half_)
        mend(brought->bits[half_], g, brought->rows[half_], places);
    UNROLL for (int i = 0; i < SHARE; ++i)
        if ((i + 1) * GROUP <= PITCH || i * GROUP + item < PITCH) {
#if RESULTS_OF_KEY == 2
            to[i * GROUP + item] =
                KEYS_OF_WORD(brought->bits[0][i] | brought->bits[1][i] << 16);
#else
            to[i * GROUP + item] = KEY_OF_WORD(brought->bits[0][i]);
#endif
        }
}

// Writes a lane's results of a row, or as many of them as the row has.
INLINE void store_row(const T *keys, int half_, __global DST *to, int left_over) {
#if ALIGNED
    if (left_over >= COLUMNS) {
#if SRC_TYPE == DST_TYPE && KEY_KIND != 2
        UNROLL for (int i = 0; i < COLUMNS; i += PER_WORD)
            *(__global uint *)(to + i) = word_of(keys + i, half_);
#else
        UNROLL for (int i = 0; i < COLUMNS; i += 4)
            STORE4((float4)(number_of_bits(BITS_OF(keys[i], half_)),
                            number_of_bits(BITS_OF(keys[i + 1], half_)),
                            number_of_bits(BITS_OF(keys[i + 2], half_)),
                            number_of_bits(BITS_OF(keys[i + 3], half_))),
                   to + i);
#endif
        return;
    }
#endif
    UNROLL for (int i = 0; i < COLUMNS; ++i)
        if (i < left_over)
            STORE_BITS(BITS_OF(keys[i], half_), to + i * CHANNELS);
}

// from_x, from_y: the first row of the footprint, and the leftmost column of its runs, from the
// pixel itself. band: rows of results of a band.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void footprint_march(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                     const int from_x, const int from_y, const int band, __local VECTOR *rows) {
    const int item = get_local_id(0);
    const int place = (int)get_group_id(0) / CHANNELS;
    const int channel = (int)get_group_id(0) - place * CHANNELS;
    const int left = place * (GROUP * COLUMNS);
    const int top = (int)get_group_id(1) * band * RESULTS_OF_KEY;
    const int batch = get_group_id(2);
    const int width = g.width / CHANNELS;
    __global const SRC *origin = src + src_start(g, batch);
    const int x = left + item * COLUMNS;
    __global DST *to = dst + dst_start(g, batch) + (long)x * CHANNELS + channel;

    Places places;
    places.outside = 0;
    UNROLL for (int i = 0; i < SHARE; ++i) {
        const int at =
            fold_value(g, (left + from_x + i * GROUP + item) * CHANNELS + channel);
        places.outside |= (at == OUTSIDE ? 1u : 0u) << i;
        places.at[i] = at == OUTSIDE ? g.valid_left * CHANNELS + channel : at;
    }
    Brought brought;
    bring_rows(&brought, origin, g, top + from_y, band, &places);
    put_rows(&brought, g, &places, (__local T *)rows, item);
    barrier(CLK_LOCAL_MEM_FENCE);

    T keys[WINDOW_Y][COLUMNS]; // of results whose windows end at this row, at the next...
    UNROLL for (int j = 0; j < WINDOW_Y; ++j)
        UNROLL for (int i = 0; i < COLUMNS; ++i)
            keys[j][i] = NEUTRAL_OF(IS_MAXIMUM);
    const int end = min(band, g.height - top) + WINDOW_Y - 1;
    for (int t = 0; t < end; ++t) {
        // The next row is on its way meanwhile.
        bring_rows(&brought, origin, g, top + from_y + t + 1, band, &places);
        __local const VECTOR *own =
            rows + (t & 1) * (PITCH / 4) + item * (COLUMNS / 4);
        T row[4 * VECTORS];
        UNROLL for (int i = 0; i < VECTORS; ++i) {
            const VECTOR four = own[i];
            row[4 * i] = four.s0;
            row[4 * i + 1] = four.s1;
            row[4 * i + 2] = four.s2;
            row[4 * i + 3] = four.s3;
        }
        T runs[LEVELS][COLUMNS];
        UNROLL for (int i = 0; i < COLUMNS; ++i)
            runs[0][i] = row[APRON + i];
        // Runs of 2 * to + 1 pixels from those of 2 * from + 1.
#define STEP(level, from, to)                                                                      \
    UNROLL for (int i = 0; i < SPAN - 2 * (to); ++i)                                               \
        row[i] = (from) == 0 ? FURTHER(FURTHER(row[i], row[i + 1]), row[i + 2])                    \
                             : FURTHER(row[i], row[i + 2 * ((to) - (from))]);                      \
    UNROLL for (int i = 0; i < COLUMNS; ++i)                                                       \
        runs[level][i] = row[APRON - (to) + i];
        // The window's row `j` from its last on.
#define ROW(j, level)                                                                              \
    UNROLL for (int i = 0; i < COLUMNS; ++i)                                                       \
        keys[j][i] = (j) + 1 < WINDOW_Y ? FURTHER(keys[min((j) + 1, WINDOW_Y - 1)][i],             \
                                                  runs[level][i])                                  \
                                        : runs[level][i];
#include "generated"
        UNROLL for (int half_ = 0; half_ < RESULTS_OF_KEY; ++half_) {
            const int y = top + t - (WINDOW_Y - 1) + half_ * band;
            if (t >= WINDOW_Y - 1 && y < g.height)
                store_row(keys[0], half_, to + (long)y * g.dst_row, width - x);
        }
        put_rows(&brought, g, &places, (__local T *)rows + ((t + 1) & 1) * PITCH, item);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
