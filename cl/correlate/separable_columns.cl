// Separable correlation of integers by few taps, for GPUs. An item marches down a column of ITEM
// values: it filters a row along x straight from the source, and adds it to the sums of the TAPS_Y
// rows of results that it is part of, which it keeps in registers. Items share nothing but which
// rows a band at the top or bottom reads; a row is on its way while the one before it is
// filtered. The last group along x makes what is left at the image's left and right edge, value by
// value.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"

#if !defined(TAPS_X) || !defined(TAPS_Y) || !defined(ANCHOR_X)
#error TAPS_X, TAPS_Y or ANCHOR_X is not defined
#endif
#if !defined(ALIGNED) || !defined(GROUP) || !defined(ITEM)
#error ALIGNED, GROUP or ITEM is not defined
#endif

#define MOST_X TAPS_X
#define MOST_Y TAPS_Y
#include "lib/taps.clh"

// An item's values and their aprons, in words of 4 values.
#define WORDS_LEFT ((ANCHOR_X * CHANNELS + 3) / 4)
#define WORDS_RIGHT (((TAPS_X - 1 - ANCHOR_X) * CHANNELS + 3) / 4)
#define WORDS (WORDS_LEFT + ITEM / 4 + WORDS_RIGHT)
#define SHIFT (4 * WORDS_LEFT - ANCHOR_X * CHANNELS) // values before the first that is needed

// Reads a word of 4 values.
static inline SRC_WORD read_word(__global const SRC *from) {
#if ALIGNED
    return *(__global const SRC_WORD *)from;
#else
    return PASTE(as_, SRC_WORD)(vload4(0, from));
#endif
}

// Reads a whole item's words, several at once where they are aligned.
INLINE void read_item(SRC_WORD *to, __global const SRC *from) {
#if ALIGNED && SRC_TYPE == PIXEL_U8 && ITEM == 16
    const uint4 four = *(__global const uint4 *)from;
    to[0] = four.s0;
    to[1] = four.s1;
    to[2] = four.s2;
    to[3] = four.s3;
#elif ALIGNED && ITEM >= 8
    UNROLL for (int w = 0; w < ITEM / 4; w += 2) {
        const SRC_WORD_PAIR pair = *(__global const SRC_WORD_PAIR *)(from + 4 * w);
        to[w] = pair.lo;
        to[w + 1] = pair.hi;
    }
#else
    UNROLL for (int w = 0; w < ITEM / 4; ++w)
        to[w] = read_word(from + 4 * w);
#endif
}

// Reads what an item needs of a row of the source. from: the item's own first value there.
INLINE void read_row(SRC_WORD *words, __global const SRC *from) {
    UNROLL for (int w = 0; w < WORDS_LEFT; ++w)
        words[w] = read_word(from - 4 * (WORDS_LEFT - w));
    read_item(words + WORDS_LEFT, from);
    UNROLL for (int w = WORDS_LEFT + ITEM / 4; w < WORDS; ++w)
        words[w] = read_word(from + 4 * (w - WORDS_LEFT));
}

#define FOUR(v, i) (float4)((v)[i], (v)[(i) + 1], (v)[(i) + 2], (v)[(i) + 3])
INLINE void store_item(const float *v, __global DST *to) {
#if !ALIGNED
    UNROLL for (int i = 0; i < ITEM; ++i)
        STORE(v[i], to + i);
#elif DST_TYPE == PIXEL_U8 && ITEM == 16
    *(__global uint4 *)to = (uint4)(to_word(FOUR(v, 0)), to_word(FOUR(v, 4)), to_word(FOUR(v, 8)),
                                    to_word(FOUR(v, 12)));
#elif IS_INTEGER(DST_TYPE) && ITEM >= 8
    UNROLL for (int i = 0; i < ITEM; i += 8)
        *(__global DST_WORD_PAIR *)(to + i) =
            (DST_WORD_PAIR)(to_word(FOUR(v, i)), to_word(FOUR(v, i + 4)));
#else
    UNROLL for (int i = 0; i < ITEM; i += 4)
        STORE4(FOUR(v, i), to + i);
#endif
}

// Rows that an item at an edge makes.
#define EDGE_ROWS 16

// A band of rows of results: its source starts at row `first` and has `rows` of them. lines: which
// rows those are, or OUTSIDE, where is_free does not say that all are the source's.
typedef struct Band {
    int first, rows;
    bool is_free;
} Band;

// The row that is read where `line` is wanted: another, which is not used, where that is OUTSIDE.
static inline int inside(const Geometry g, int line) {
    return line == OUTSIDE ? g.valid_top : line;
}

// A column of ITEM values, from x on, of which only rows may be outside.
static inline void march(__global const SRC *origin, __global DST *to, const Geometry g,
                         TAPS_PARAMETER, const Band band, __local const int *lines, const int x) {
    // sum[j] is of the row of results whose tap j is the row of the source that came last.
    float sum[TAPS_Y][ITEM];
    UNROLL for (int j = 0; j < TAPS_Y; ++j)
        UNROLL for (int v = 0; v < ITEM; ++v)
            sum[j][v] = 0.0f;
    SRC_WORD coming[WORDS];
    __global const SRC *from =
        origin + (band.is_free ? band.first : inside(g, lines[0])) * g.src_row + x;
    read_row(coming, from);
    for (int number = 0; number < band.rows; ++number) {
        float window[4 * WORDS];
        UNROLL for (int w = 0; w < WORDS; ++w) {
            const float4 four = word_to_float4(coming[w]);
            window[4 * w] = four.s0;
            window[4 * w + 1] = four.s1;
            window[4 * w + 2] = four.s2;
            window[4 * w + 3] = four.s3;
        }
        // The next row is on its way while this one is filtered.
        if (number + 1 < band.rows) {
            from = band.is_free ? from + g.src_row
                                : origin + inside(g, lines[number + 1]) * g.src_row + x;
            read_row(coming, from);
        }
        if (!band.is_free && lines[number] == OUTSIDE)
            UNROLL for (int i = 0; i < 4 * WORDS; ++i)
                window[i] = g.border_value;
        float chain[ITEM];
        UNROLL for (int v = 0; v < ITEM; ++v)
            chain[v] = 0.0f;
        UNROLL for (int i = 0; i < TAPS_X; ++i)
            UNROLL for (int v = 0; v < ITEM; ++v)
                chain[v] = fma(TAP_X(i), window[SHIFT + i * CHANNELS + v], chain[v]);
        UNROLL for (int j = TAPS_Y - 1; j >= 0; --j)
            UNROLL for (int v = 0; v < ITEM; ++v)
                sum[j][v] = fma(TAP_Y(j), chain[v], j == 0 ? 0.0f : sum[j - 1][v]);
        if (number >= TAPS_Y - 1) {
            store_item(sum[TAPS_Y - 1], to);
            to += g.dst_row;
        }
    }
}

// Rows `begin` to `end` of results of one value.
static inline void make_edge(__global const SRC *origin, __global DST *to, const Geometry g,
                             TAPS_PARAMETER, const Band band, __local const int *lines,
                             const int x, const int begin, const int end) {
    int places[TAPS_X];
    UNROLL for (int i = 0; i < TAPS_X; ++i)
        places[i] = fold_value(g, x + (i - ANCHOR_X) * CHANNELS);
    float sum[TAPS_Y];
    UNROLL for (int j = 0; j < TAPS_Y; ++j)
        sum[j] = 0.0f;
    for (int number = begin; number < end + TAPS_Y - 1; ++number) {
        const int line = band.is_free ? band.first + number : lines[number];
        __global const SRC *from = origin + (line == OUTSIDE ? 0 : line) * g.src_row;
        float chain = 0.0f;
        UNROLL for (int i = 0; i < TAPS_X; ++i) {
            const bool is_outside = line == OUTSIDE || places[i] == OUTSIDE;
            chain = fma(TAP_X(i), is_outside ? g.border_value : LOAD(from + places[i]), chain);
        }
        UNROLL for (int j = TAPS_Y - 1; j >= 0; --j)
            sum[j] = fma(TAP_Y(j), chain, j == 0 ? 0.0f : sum[j - 1]);
        const int row = number - (TAPS_Y - 1);
        if (row >= begin)
            STORE(sum[TAPS_Y - 1], to + row * g.dst_row);
    }
}

// inner_left, inner_right: the values whose items read nothing outside the source; a multiple of
// ITEM apart. band_height: rows of results that a group makes.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void separable_columns(__global const SRC *restrict src, __global DST *restrict dst,
                       const Geometry g, TAPS_PARAMETER, const int band_height,
                       const int inner_left, const int inner_right,
                       __local int *restrict lines) {
    const int item = get_local_id(0);
    const int batch = get_group_id(2);
    const int top = get_group_id(1) * band_height;
    const int height = min(band_height, g.height - top);
    Band band;
    band.first = top - g.anchor_y;
    band.rows = height + TAPS_Y - 1;
    band.is_free = band.first >= g.valid_top && band.first + band.rows <= g.valid_bottom;
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *target = dst + dst_start(g, batch) + top * g.dst_row;
    if (!band.is_free) {
        for (int i = item; i < band.rows; i += GROUP)
            lines[i] = fold_row(g, band.first + i);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (get_group_id(0) == get_num_groups(0) - 1) {
        const int across = inner_left + g.width - inner_right;
        const int tasks = across * ((height + EDGE_ROWS - 1) / EDGE_ROWS);
        for (int task = item; task < tasks; task += GROUP) {
            const int part = task / across;
            int x = task - part * across;
            if (x >= inner_left)
                x += inner_right - inner_left;
            const int begin = part * EDGE_ROWS;
            make_edge(origin, target + x, g, taps, band, lines, x, begin,
                      min(begin + EDGE_ROWS, height));
        }
        return;
    }

    const int x = inner_left + ((int)get_group_id(0) * GROUP + item) * ITEM;
    if (x >= inner_right)
        return;
    // Twice, so that nothing is asked of most bands.
    if (band.is_free) {
        band.is_free = true;
        march(origin, target + x, g, taps, band, lines, x);
    } else {
        band.is_free = false;
        march(origin, target + x, g, taps, band, lines, x);
    }
}
