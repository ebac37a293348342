// Minima and maxima over boxes for CPUs; the work grows little with the box. An item filters a strip of a band of
// rows alone. Along y, of a step of BLOCK rows of results: what all their windows see, kept as extremes of blocks
// of rows, and what only some see: rows that leave, scanned upwards, and rows that enter, scanned downwards (after
// van Herk, 1992, and Gil and Werman, 1993). Along x, extremes of 4, 16, 64... neighbours. Boxes of few rows keep
// the rows themselves instead.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/host_compiler.clh"
#include "lib/rank_vectors.clh"
#include "lib/extreme_vectors.clh"
#include "lib/box_columns.clh"
#include "lib/once.clh"

#if !defined(STRIP) || !defined(WINDOW_X) || !defined(WINDOW_Y)
#error STRIP, WINDOW_X or WINDOW_Y is not defined
#endif
#if PASSES == 2 && !defined(STRIP_ALONG)
#error STRIP_ALONG is not defined
#endif
#if !defined(BLOCK) || !defined(SPAN) || !defined(KEEPS_ROWS) || !defined(PASSES)
#error BLOCK, SPAN, KEEPS_ROWS or PASSES is not defined
#endif

#define NO_ROW ((KEY *)0)
// Columns of a strip's windows, and what vectors read beyond; and those of a strip whose windows along y are made.
#if PASSES == 1
#define STRIP_ALONG STRIP
#endif
#define PITCH_ALONG (STRIP_ALONG + (WINDOW_X - 1) * CHANNELS + LANES)
#if PASSES == 1
#define PITCH PITCH_ALONG
#else
#define PITCH (STRIP + LANES)
#endif

// Columns of a strip, from value `first` of the extended rows on. Those from `begin` to `end` are pixels; the
// places of the others' pixels in a row, or OUTSIDE, are in `places`.
typedef struct Columns {
    int first, count, begin, end;
} Columns;

static inline Columns columns_from(const Geometry g, int first, int count) {
    const int begin = clamp(g.valid_left * CHANNELS - first, 0, count);
    const int end = clamp(g.valid_right * CHANNELS - first, begin, count);
    return (Columns){first, count, begin, end};
}

static inline void find_places(const Geometry g, const Columns c, int *places) {
    for (int i = 0; i < c.begin; ++i)
        places[i] = fold_value(g, c.first + i);
    for (int i = c.end; i < c.count; ++i)
        places[i] = fold_value(g, c.first + i);
}

// Clears what vectors read beyond a row's columns.
static inline void clear_end(KEY *row, const Columns c) {
    WRITE_KEYS((T)(0), row + c.count);
}

// The next three do one thing to a key, or to LANES keys: to = further(key, with), and result = further(to, beside).
static inline void put_one(KEY key, int i, const KEY *with, KEY *to, const KEY *beside,
                           KEY *result) {
    if (with)
        key = FURTHER_OF_TWO(key, with[i]);
    to[i] = key;
    if (beside)
        result[i] = FURTHER_OF_TWO(key, beside[i]);
}

static inline void put_vector(T keys, int i, const KEY *with, KEY *to, const KEY *beside,
                              KEY *result) {
    if (with)
        keys = FURTHER(keys, READ_KEYS(with + i));
    WRITE_KEYS(keys, to + i);
    if (beside)
        WRITE_KEYS(FURTHER(keys, READ_KEYS(beside + i)), result + i);
}

static inline void put_edge(__global const SRC *row, float outside, int from, int until,
                            const int *places, const KEY *with, KEY *to, const KEY *beside,
                            KEY *result) {
    for (int i = from; i < until; ++i)
        put_one(KEY_OF(places[i] == OUTSIDE ? outside : LOAD(row + places[i])), i, with, to, beside,
                result);
}

// The row of the source that fold_row gave. What is done twice is the same as once: the last vector may overlap.
static inline void put_row(__global const SRC *origin, const Geometry g, int folded_row,
                           const Columns c, const int *places, const KEY *with, KEY *to,
                           const KEY *beside, KEY *result) {
    if (folded_row == OUTSIDE) {
        const T outside = (T)(KEY_OF(g.border_value));
        for (int i = 0; i < c.count; i += LANES)
            put_vector(outside, i, with, to, beside, result);
        return;
    }
    __global const SRC *row = origin + folded_row * g.src_row;
    put_edge(row, g.border_value, 0, c.begin, places, with, to, beside, result);
    __global const SRC *own = row + c.first;
    int i = c.begin;
#if IS_NATIVE
    for (; i + LANES <= c.end; i += LANES)
        put_vector(KEYS_OF(READ_RAW(own + i)), i, with, to, beside, result);
    if (i < c.end && c.end - c.begin >= LANES) {
        put_vector(KEYS_OF(READ_RAW(own + c.end - LANES)), c.end - LANES, with, to, beside, result);
        i = c.end;
    }
#endif
    for (; i < c.end; ++i)
        put_one(KEY_OF(LOAD(own + i)), i, with, to, beside, result);
    put_edge(row, g.border_value, c.end, c.count, places, with, to, beside, result);
}

#if PASSES == 2
static inline void copy_keys(const KEY *keys, int count, __global KEY *to) {
    for (int i = 0; i < count; ++i)
        to[i] = keys[i];
}
#endif

// Windows along x of `count` keys, in place, and with them the results of a row.
static inline void write_windows(KEY *keys, int count, int width, __global DST *to) {
    for (int span = 1; span < SPAN; span *= 4) {
        const int step = span * CHANNELS;
        const int end = count - (4 * span - 1) * CHANNELS;
        for (int x = 0; x < end; x += LANES) {
            const T a = FURTHER(READ_KEYS(keys + x), READ_KEYS(keys + x + step));
            const T b = FURTHER(READ_KEYS(keys + x + 2 * step), READ_KEYS(keys + x + 3 * step));
            WRITE_KEYS(FURTHER(a, b), keys + x);
        }
    }
    for (int i = 0; i < width; i += LANES) {
        const int x = min(i, max(width - LANES, 0));
        T all = READ_KEYS(keys + x);
        if (WINDOW_X > SPAN)
            all = FURTHER(all, READ_KEYS(keys + x + (WINDOW_X - SPAN) * CHANNELS));
        if (WINDOW_X > 2 * SPAN)
            all = FURTHER(all, READ_KEYS(keys + x + SPAN * CHANNELS));
        if (WINDOW_X > 3 * SPAN)
            all = FURTHER(all, READ_KEYS(keys + x + 2 * SPAN * CHANNELS));
        stream_keys(all, width - x, to + x);
    }
}

#if KEEPS_ROWS
#define TILE_Y 4
#define ROWS (TILE_Y + WINDOW_Y - 1)
#define POWER (WINDOW_Y >= 4 ? 4 : WINDOW_Y >= 2 ? 2 : 1) // no more than the window's rows

// The windows along y of TILE_Y rows, of rows that hold keys. expected: the pixels that the next step reads.
static inline void find_windows(KEY **rows, int count, KEY (*found)[PITCH],
                                __global const SRC *const *expected) {
    for (int x = 0; x < count; x += LANES) {
        for (int j = 0; j < TILE_Y; ++j)
            EXPECT(expected[j] + x);
        T keys[ROWS];
        for (int j = 0; j < ROWS; ++j)
            keys[j] = READ_KEYS(rows[j] + x);
        for (int n = 1; n < POWER; n *= 2)
            for (int j = 0; j + n < ROWS; ++j)
                keys[j] = FURTHER(keys[j], keys[j + n]);
        for (int j = 0; j < TILE_Y; ++j)
            WRITE_KEYS(FURTHER(keys[j], keys[j + WINDOW_Y - POWER]), found[j] + x);
    }
}
#else
// The windows of a step begin with rows that leave, BLOCK of them; then come rows that all see: REST of them, and
// BLOCKS blocks of BLOCK rows, which have entered before; and then rows that enter.
#define BLOCKS ((WINDOW_Y - 1) / BLOCK - 1)
#define REST ((WINDOW_Y - 1) % BLOCK)
#define ENTER_FIRST (BLOCKS + (REST > 0 ? 1 : 0)) // steps before the first whose windows are wanted

// A strip keeps these extremes of rows, which have up to PITCH columns.
typedef struct Kept {
    KEY ends[BLOCK][PITCH];              // extremes from each row that leaves to the last that had entered
    KEY entered[PITCH];                  // extremes of the rows that have entered in the step
    KEY blocks[BLOCKS > 0 ? BLOCKS : 1][PITCH]; // extremes of blocks that entered
    KEY rests[BLOCKS + 1][PITCH];        // extremes of their last REST rows
    int at, rest_at;                     // which of them comes next
} Kept;

// Row `i` of those that enter in the step whose first window begins at row `y`. Finds its window, if wanted.
static inline void enter_row(__global const SRC *origin, const Geometry g, const Columns c,
                             const int *places, Kept *kept, int y, int i, KEY *found) {
    const int row = fold_row(g, y + WINDOW_Y - 1 + i);
    const KEY *ends = found ? kept->ends[i] : NO_ROW;
    if (i == 0)
        put_row(origin, g, row, c, places, NO_ROW, kept->entered, ends, found);
    else
        put_row(origin, g, row, c, places, kept->entered, kept->entered, ends, found);
#if REST > 0
    KEY *rest = kept->rests[kept->rest_at];
    if (i == BLOCK - REST)
        put_row(origin, g, row, c, places, NO_ROW, rest, NO_ROW, NO_ROW);
    else if (i > BLOCK - REST)
        put_row(origin, g, row, c, places, rest, rest, NO_ROW, NO_ROW);
#endif
}

// Keeps the extremes of a block that has entered.
static inline void keep_block(const Columns c, Kept *kept) {
#if BLOCKS > 0
    for (int x = 0; x < c.count; x += LANES)
        WRITE_KEYS(READ_KEYS(kept->entered + x), kept->blocks[kept->at] + x);
    kept->at = kept->at == BLOCKS - 1 ? 0 : kept->at + 1;
#endif
    kept->rest_at = kept->rest_at == BLOCKS ? 0 : kept->rest_at + 1;
}

// Scans the rows that leave in the step whose first window begins at row `y`.
static inline void leave_rows(__global const SRC *origin, const Geometry g, const Columns c,
                              const int *places, Kept *kept, int y) {
    KEY *last = kept->ends[BLOCK - 1];
#if ENTER_FIRST > 0
    for (int x = 0; x < c.count; x += LANES) {
#if REST > 0
        T all = READ_KEYS(kept->rests[kept->rest_at] + x); // the oldest
#else
        T all = READ_KEYS(kept->blocks[0] + x);
#endif
        for (int k = REST > 0 ? 0 : 1; k < BLOCKS; ++k)
            all = FURTHER(all, READ_KEYS(kept->blocks[k] + x));
        WRITE_KEYS(all, last + x);
    }
    put_row(origin, g, fold_row(g, y + BLOCK - 1), c, places, last, last, NO_ROW, NO_ROW);
#else
    put_row(origin, g, fold_row(g, y + BLOCK - 1), c, places, NO_ROW, last, NO_ROW, NO_ROW);
#endif
    for (int i = BLOCK - 2; i >= 0; --i)
        put_row(origin, g, fold_row(g, y + i), c, places, kept->ends[i + 1], kept->ends[i], NO_ROW,
                NO_ROW);
}
#endif

// PASSES: 1 where strips make windows along both axes; 2 where those along y go to an image of keys between two
// launches, so that strips can be narrow.
#if PASSES == 1
ONCE void extremes_of_strip(const int3 place, __global const SRC *restrict src,
                            __global DST *restrict dst, const Geometry g, const int band) {
    const int left = place.x * STRIP;
    const int batch = place.z;
    const int width = min(STRIP, g.width - left);
    const Columns c = columns_from(g, left - g.anchor_x * CHANNELS,
                                   width + (WINDOW_X - 1) * CHANNELS);
    __global DST *to = dst + dst_start(g, batch) + left;
#define EMIT(keys, y) write_windows(keys, c.count, width, to + (long)(y)*g.dst_row)
#else
ONCE void extremes_of_strip(const int3 place, __global const SRC *restrict src,
                            __global KEY *restrict between, const Geometry g, const int band,
                            const BoxColumns columns) {
    const int left = place.x * STRIP;
    const int batch = place.z;
    const int width = min(STRIP, columns.count - left);
    const Columns c = {columns.first_column + left, width, 0, width};
    __global KEY *to = between + (long)batch * g.height * columns.pitch + left;
#define EMIT(keys, y) copy_keys(keys, width, to + (y)*columns.pitch)
#endif
    const int top = place.y * band;
    const int end = min(top + band, g.height);
    __global const SRC *origin = src + src_start(g, batch);
    const int before = top - g.anchor_y; // the first window's first row
    int places[PITCH];
    find_places(g, c, places);
#if KEEPS_ROWS
    KEY ring[ROWS][PITCH], found[TILE_Y][PITCH];
    for (int j = 0; j < TILE_Y; ++j)
        clear_end(found[j], c);
    KEY *rows[ROWS]; // from the first that the step reads on
    for (int j = 0; j < ROWS; ++j) {
        rows[j] = ring[j];
        clear_end(rows[j], c);
    }
    for (int j = 0; j < WINDOW_Y - 1; ++j)
        put_row(origin, g, fold_row(g, before + j), c, places, NO_ROW, rows[j], NO_ROW, NO_ROW);
    for (int y = 0; y < end - top; y += TILE_Y) {
        for (int j = WINDOW_Y - 1; j < ROWS; ++j)
            put_row(origin, g, fold_row(g, before + y + j), c, places, NO_ROW, rows[j], NO_ROW,
                    NO_ROW);
        __global const SRC *expected[TILE_Y];
        for (int j = 0; j < TILE_Y; ++j)
            expected[j] = row_to_expect(origin, g, before + y + ROWS + j) + c.first;
        find_windows(rows, c.count, found, expected);
        for (int j = 0; j < min(TILE_Y, end - top - y); ++j)
            EMIT(found[j], top + y + j);
        KEY *next[ROWS];
        for (int j = 0; j < ROWS; ++j)
            next[j] = rows[(j + TILE_Y) % ROWS];
        for (int j = 0; j < ROWS; ++j)
            rows[j] = next[j];
    }
#else
    Kept kept;
    kept.at = kept.rest_at = 0;
    KEY found[PITCH];
    for (int i = 0; i < BLOCK; ++i)
        clear_end(kept.ends[i], c);
    for (int i = 0; i < BLOCKS; ++i)
        clear_end(kept.blocks[i], c);
    for (int i = 0; i < BLOCKS + 1; ++i)
        clear_end(kept.rests[i], c);
    clear_end(kept.entered, c);
    clear_end(found, c);
    for (int k = ENTER_FIRST; k > 0; --k) {
        for (int i = 0; i < BLOCK; ++i)
            enter_row(origin, g, c, places, &kept, before - k * BLOCK, i, NO_ROW);
        keep_block(c, &kept);
    }
    for (int y = 0; y < end - top; y += BLOCK) {
        leave_rows(origin, g, c, places, &kept, before + y);
        for (int i = 0; i < min(BLOCK, end - top - y); ++i) {
            enter_row(origin, g, c, places, &kept, before + y, i, found);
            EMIT(found, top + y + i);
        }
        keep_block(c, &kept);
    }
#endif
}

#if PASSES == 1
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void extreme_strips(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                    const int band) {
    extremes_of_strip(PLACE, src, dst, g, band);
}
#else
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void extreme_strips(__global const SRC *restrict src, __global KEY *restrict between,
                    const Geometry g, const int band, const BoxColumns columns) {
    extremes_of_strip(PLACE, src, between, g, band, columns);
}

// Keys of columns beyond the image's; `repeats`: all on a side are the same.
static inline void read_edge(__global const KEY *row, KEY outside, int from, int until,
                             const int *places, bool repeats, KEY *to) {
    if (repeats && from < until) {
        const KEY key = places[from] == OUTSIDE ? outside : row[places[from]];
        for (int i = from; i < until; ++i)
            to[i] = key;
        return;
    }
    for (int i = from; i < until; ++i)
        to[i] = places[i] == OUTSIDE ? outside : row[places[i]];
}

// Windows along x of the keys between.
ONCE void extremes_along(const int3 place, __global const KEY *restrict between,
                         __global DST *restrict dst, const Geometry g, const int band,
                         const BoxColumns columns) {
    const int left = place.x * STRIP_ALONG;
    const int top = place.y * band;
    const int batch = place.z;
    const int width = min(STRIP_ALONG, g.width - left);
    const int end = min(top + band, g.height);
    const Columns c = columns_from(g, left - g.anchor_x * CHANNELS,
                                   width + (WINDOW_X - 1) * CHANNELS);
    between += (long)batch * g.height * columns.pitch - columns.first_column;
    __global DST *to = dst + dst_start(g, batch) + left;
    const KEY outside = KEY_OF(g.border_value);
    int places[PITCH_ALONG];
    find_places(g, c, places);
    const bool repeats =
        CHANNELS == 1 && (g.border_mode == BORDER_CLAMP || g.border_mode == BORDER_CONSTANT);
    KEY keys[PITCH_ALONG];
    clear_end(keys, c);
    for (int y = top; y < end; ++y) {
        __global const KEY *row = between + y * columns.pitch;
        read_edge(row, outside, 0, c.begin, places, repeats, keys);
        for (int i = c.begin; i < c.end; ++i)
            keys[i] = row[c.first + i];
        read_edge(row, outside, c.end, c.count, places, repeats, keys);
        write_windows(keys, c.count, width, to + (long)y * g.dst_row);
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void extreme_along(__global const KEY *restrict between, __global DST *restrict dst,
                   const Geometry g, const int band, const BoxColumns columns) {
    extremes_along(PLACE, between, dst, g, band, columns);
}
#endif
