// Any rank of large boxes for GPUs: a group sorts the pixels that a tile of results needs, and makes sets of places
// in the order, as bits: those in the columns of each window, and those in its rows. What both sets hold is the
// window, in order: a result is found by counting bits up to the rank. Pixels of one channel at a time.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/rank_key.clh"
#include "lib/rank_order.clh"

#if !defined(TILE_X) || !defined(TILE_Y) || !defined(GROUP) || !defined(SAMPLES)
#error TILE_X, TILE_Y, GROUP or SAMPLES is not defined
#endif
#if !defined(WINDOW_X) || !defined(WINDOW_Y) || !defined(ANCHOR_X) || !defined(VECTORS)
#error WINDOW_X, WINDOW_Y, ANCHOR_X or VECTORS is not defined
#endif
#ifndef SCATTERS
#error SCATTERS is not defined
#endif

#define COLUMNS (TILE_X + WINDOW_X - 1)
#define ROWS (TILE_Y + WINDOW_Y - 1)
#define PIXELS (COLUMNS * ROWS)
#define PER_ITEM ((PIXELS + GROUP - 1) / GROUP)
#define RESULTS (TILE_X * TILE_Y / GROUP) // of an item, below each other
#define QUADS ((PIXELS + 127) / 128)      // of words of a set
#define PITCH (QUADS | 1)                 // odd, so that items that read sets meet no bank twice
#define WORDS (4 * QUADS)

// Pixels that are dealt into buckets: bytes by their number, and others by a sorted sample of them: between two
// of the sample, or equal to one of it, so that many equal pixels need no more sorting.
#if ORDER_BITS == 8
#define STAGED uchar
#define BUCKETS 256
#else
#define STAGED uint
#define BUCKETS (2 * SAMPLES + 1)
#endif
#define NO_BUCKET 0xffffffffu
#define OF_ITEM ((BUCKETS + GROUP - 1) / GROUP)

// SCATTERS: bytes are put into sets of columns and rows of the tile at once, each by its place in order, and these
// become the windows' sets: fewer steps, and more local memory. Items hold words of bytes as memory has them, from
// LEAD bytes before a row's first pixel on.
#if SCATTERS
#define LEAD ((4096 - ANCHOR_X) % 4)
#define ROW_WORDS ((LEAD + COLUMNS + 3) / 4)
#define ALL_WORDS (ROWS * ROW_WORDS)
#define WORDS_OF_ITEM ((ALL_WORDS + GROUP - 1) / GROUP)
#endif

// Local memory, in words; host code knows its size. The pixels in the order of buckets, and before that in their
// own order, are where the sets will be; the sample is where places in order will be.
#define PADDED ((PIXELS + 3) / 4 * 4)
#define SETS_WORDS ((TILE_X + TILE_Y) * PITCH * 4)
#if SCATTERS
#define AREA_WORDS ((COLUMNS + ROWS) * PITCH * 4) // parts of sums before
#define PLACES_WORDS 0
#elif ORDER_BITS == 8
#define AREA_WORDS SETS_WORDS
#define PLACES_WORDS (QUADS * 64)
#else
#define AREA_WORDS (2 * PADDED > SETS_WORDS ? 2 * PADDED : SETS_WORDS)
#define PLACES_WORDS (2 * SAMPLES > QUADS * 64 ? 2 * SAMPLES : QUADS * 64)
#endif
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)

#if SCATTERS
// The sum of the first `count` of four, which is none where it is below 0 and all where it is above 4.
static inline uint sum_before(uint4 four, int count) {
    return (count > 0 ? four.s0 : 0) + (count > 1 ? four.s1 : 0) + (count > 2 ? four.s2 : 0) +
           (count > 3 ? four.s3 : 0);
}

// Changes counts to sums of those before. parts: aligned to four words. In few steps, for which items that sort have
// no registers to spare.
static inline void sum_counts(__local uint *counts, __local uint *parts, int item) {
    uint own[OF_ITEM], sum = 0;
    UNROLL for (int j = 0; j < OF_ITEM; ++j) {
        own[j] = counts[item * OF_ITEM + j];
        sum += own[j];
    }
    parts[item] = sum;
    BARRIER;
    // Each item adds up those before it among its 16 items, and later the sums of the sixteens before these.
    const int sixteen = item / 16;
    __local const uint4 *const of_items = (__local const uint4 *)(parts + sixteen * 16);
    uint all = 0;
    UNROLL for (int i = 0; i < 4; ++i)
        all += sum_before(of_items[i], item % 16 - 4 * i);
    if (item % 16 == 15)
        parts[GROUP + sixteen] = all + sum;
    BARRIER;
    __local const uint4 *const of_16 = (__local const uint4 *)(parts + GROUP);
    UNROLL for (int i = 0; i < GROUP / 64; ++i)
        all += sum_before(of_16[i], sixteen - 4 * i);
    UNROLL for (int j = 0; j < OF_ITEM; ++j) {
        counts[item * OF_ITEM + j] = all;
        all += own[j];
    }
    BARRIER;
}
#else
// Changes counts to sums of those before.
static inline void sum_counts(__local uint *counts, __local uint *parts, int item) {
    uint sum = 0;
    for (int i = item * OF_ITEM; i < min((item + 1) * OF_ITEM, BUCKETS); ++i)
        sum += counts[i];
    uint all = sum;
    parts[item] = all;
    BARRIER;
    __local uint *from = parts, *to = parts + GROUP;
    for (int step = 1; step < GROUP; step *= 2) {
        all += item >= step ? from[item - step] : 0;
        to[item] = all;
        BARRIER;
        __local uint *const other = from;
        from = to;
        to = other;
    }
    all -= sum;
    for (int i = item * OF_ITEM; i < min((item + 1) * OF_ITEM, BUCKETS); ++i) {
        const uint own = counts[i];
        counts[i] = all;
        all += own;
    }
    BARRIER;
}
#endif

#if ORDER_BITS > 8
// Sorts a sample of the pixels, from all over the tile. sample: of two times SAMPLES; the second part is sorted.
static inline void sort_sample(__local const STAGED *staged, __local uint *sample, int item) {
    uint own[SAMPLES / GROUP], before[SAMPLES / GROUP];
    UNROLL for (int q = 0; q < SAMPLES / GROUP; ++q) {
        const uint s = item + q * GROUP;
        own[q] = staged[(s * SAMPLES + s * 37 % SAMPLES) * PIXELS / (SAMPLES * SAMPLES)];
        before[q] = 0;
        sample[s] = own[q];
    }
    BARRIER;
    for (int i = 0; i < SAMPLES; i += 4) {
        const uint4 some = *(__local const uint4 *)(sample + i);
        UNROLL for (int q = 0; q < SAMPLES / GROUP; ++q) {
            const int s = item + q * GROUP; // of equal pixels the first in the sample comes first
            before[q] += (some.s0 < own[q] + (i < s)) + (some.s1 < own[q] + (i + 1 < s)) +
                         (some.s2 < own[q] + (i + 2 < s)) + (some.s3 < own[q] + (i + 3 < s));
        }
    }
    UNROLL for (int q = 0; q < SAMPLES / GROUP; ++q)
        sample[SAMPLES + before[q]] = own[q];
    BARRIER;
}
static inline uint bucket_of(uint number, __local const uint *sorted) {
    uint at = 0;
    UNROLL for (int step = SAMPLES / 2; step > 0; step /= 2)
        at += sorted[at + step - 1] < number ? step : 0;
    at += sorted[at] < number ? 1 : 0;
    return 2 * at + (at < SAMPLES && sorted[min(at, SAMPLES - 1u)] == number);
}

// Puts each pixel of a bucket to its place in order, by counting the pixels that come before it. `ends` of
// buckets: pixels of buckets before are less, and those of buckets after it are not.
static inline void sort_buckets(__local const uint *numbers, __local const uint *tags,
                                __local const uint *ends, __local ushort *places, int item) {
    for (int r = item; r < PIXELS; r += GROUP) {
        const uint tag = tags[r], bucket = tag >> 16;
        uint rank = r;
        if (bucket % 2 == 0) {
            const uint own = numbers[r];
            const uint begin = (bucket > 0 ? ends[bucket - 1] : 0) & ~3u, end = ends[bucket];
            rank = begin;
            for (uint i = begin; i < end; i += 4) {
                const uint4 some = *(__local const uint4 *)(numbers + i);
                rank += (some.s0 < own + (i < r)) + (some.s1 < own + (i + 1 < r)) +
                        (some.s2 < own + (i + 2 < r)) + (some.s3 < own + (i + 3 < r));
            }
        }
        places[rank] = (ushort)tag;
    }
}
#endif

// Makes a word of all windows' sets along one axis, from the places of 32 pixels: each pixel is in windows from
// one on to another.
static inline void make_sets(__local const uint *places, int word, int shift, int window, int tile,
                             __local uint *sets) {
    sets += word;
    for (int i = 0; i < tile; ++i)
        sets[i * PITCH * 4] = 0;
    uint now = 0;
    for (int j = 0; j < 16; ++j) {
        const int pair = (j + word / 2) % 16; // in an order that meets no bank twice
        const ushort2 both = as_ushort2(places[word * 16 + pair]);
        UNROLL for (int half_ = 0; half_ < 2; ++half_) {
            const uint bit = 1u << (2 * pair + half_);
            const int at = ((half_ ? both.s1 : both.s0) >> shift) & 255;
            const int first = at - window + 1;
            if (first <= 0)
                now ^= bit;
            else if (first < tile)
                sets[first * PITCH * 4] ^= bit;
            if (at + 1 < tile)
                sets[(at + 1) * PITCH * 4] ^= bit;
        }
    }
    for (int i = 0; i < tile; ++i) {
        now ^= sets[i * PITCH * 4];
        sets[i * PITCH * 4] = now;
    }
}

#if SCATTERS
// The word of bytes from column `from` and row y on, relative to the tile's; what is left or right of it is any.
static inline uint word_of_bytes(__global const SRC *origin, const Geometry g,
                                 __local const int *folded, int from, int y, uint outside) {
    const int row = folded[COLUMNS + y];
    uint word = 0;
    UNROLL for (int k = 0; k < 4; ++k) {
        const int x = folded[clamp(from + k, 0, COLUMNS - 1)];
        const uint inside = ORDER_AT(origin + max(row, g.valid_top) * g.src_row +
                                     max(x, g.valid_left * CHANNELS));
        word |= (row == OUTSIDE || x == OUTSIDE ? outside : inside) << (8 * k);
    }
    return word;
}

// Whether byte k of a word, whose first one is at column `from` of the tile, is one of its pixels.
static inline bool is_pixel(int from, int k) {
    return from + k >= 0 && from + k < COLUMNS;
}

// Puts the pixel of this place in order into the sets of its column and its row.
static inline void scatter(__local uint *sets, int column, int row, uint place) {
    const uint bit = 1u << (place & 31);
    atomic_or(sets + column * (PITCH * 4) + (place >> 5), bit);
    atomic_or(sets + (COLUMNS + row) * (PITCH * 4) + (place >> 5), bit);
}

// Makes a word of all windows' sets along one axis from that of all columns or rows.
static inline void gather_windows(__local uint *sets, int window, int tile) {
    uint now = 0;
    for (int i = 0; i + 1 < window; ++i)
        now |= sets[i * (PITCH * 4)];
    _Pragma("unroll 8") for (int i = 0; i < tile; ++i) {
        now |= sets[(i + window - 1) * (PITCH * 4)];
        const uint leaving = sets[i * (PITCH * 4)];
        sets[i * (PITCH * 4)] = now;
        now &= ~leaving;
    }
}
#endif

static inline int count_bits(uint4 words) {
    const uint4 counts = popcount(words);
    return counts.s0 + counts.s1 + counts.s2 + counts.s3;
}

// The place of the bit with so many bits before it.
static inline int select_in_word(uint word, int before) {
    int place = 0;
    UNROLL for (int step = 16; step > 0; step /= 2) {
        const uint low = word & ((1u << step) - 1);
        const int count = popcount(low);
        const bool is_above = before >= count;
        before -= is_above ? count : 0;
        place += is_above ? step : 0;
        word = is_above ? word >> step : low;
    }
    return place;
}

// The same in four words. With SCATTERS it has no branches.
#if SCATTERS
static inline int select_bit(uint4 words, int before) {
    const int first = popcount(words.s0), second = first + popcount(words.s1);
    const int third = second + popcount(words.s2);
    uint word = before >= first ? words.s1 : words.s0;
    int place = before >= first ? 32 : 0, less = before >= first ? first : 0;
    word = before >= second ? words.s2 : word;
    place = before >= second ? 64 : place;
    less = before >= second ? second : less;
    word = before >= third ? words.s3 : word;
    place = before >= third ? 96 : place;
    before -= before >= third ? third : less;
    return place + select_in_word(word, before);
}
#else
static inline int select_bit(uint4 words, int before) {
    uint word = words.s0;
    int place = 0, count = popcount(word);
    if (before >= count) {
        before -= count;
        word = words.s1;
        place = 32;
        count = popcount(word);
        if (before >= count) {
            before -= count;
            word = words.s2;
            place = 64;
            count = popcount(word);
            if (before >= count) {
                before -= count;
                word = words.s3;
                place = 96;
            }
        }
    }
    return place + select_in_word(word, before);
}
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void rank_sets(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
               const int rank, __local uint4 *memory4) {
    // Vectors: a driver aligns local memory to what it is said to hold, and no further.
    __local uint *const area = (__local uint *)memory4;
    __local uint *const places = area + AREA_WORDS; // a column and a row, of one byte each, in 16 bits
    __local uint *const counts = places + PLACES_WORDS;
#if SCATTERS
    __local uint *const parts = area;
#else
    __local uint *const parts = counts + BUCKETS;
    __local STAGED *const staged = (__local STAGED *)area;
#endif
    // Columns' places, and rows.
    __local int *const folded = (__local int *)(SCATTERS ? counts + BUCKETS : parts + 2 * GROUP);
    const int item = get_local_id(0);
    const int tile = (int)get_group_id(0) / CHANNELS;
    const int channel = (int)get_group_id(0) - tile * CHANNELS;
    const int left = tile * TILE_X;
    const int top = (int)get_group_id(1) * TILE_Y;
    const int batch = get_global_id(2);
    __global const SRC *origin = src + src_start(g, batch);

    for (int i = item; i < COLUMNS; i += GROUP)
        folded[i] = fold_value(g, (left - g.anchor_x + i) * CHANNELS + channel);
    for (int i = item; i < ROWS; i += GROUP)
        folded[COLUMNS + i] = fold_row(g, top - g.anchor_y + i);
    for (int i = item; i < BUCKETS; i += GROUP)
        counts[i] = 0;
    BARRIER;
    const uint outside = order_of(g.border_value);
#if SCATTERS
    const int above = top - g.anchor_y, before_first = left - g.anchor_x - LEAD;
    const bool is_inside = VECTORS && before_first >= g.valid_left &&
                           before_first + ROW_WORDS * 4 <= g.valid_right && above >= g.valid_top &&
                           above + ROWS <= g.valid_bottom;
    uint words[WORDS_OF_ITEM];
    if (is_inside) {
        UNROLL for (int j = 0; j < WORDS_OF_ITEM; ++j) {
            const int i = min(item + j * GROUP, ALL_WORDS - 1);
            const int y = i / ROW_WORDS;
            words[j] = *(__global const uint *)(origin + (above + y) * g.src_row + before_first +
                                                (i - y * ROW_WORDS) * 4);
        }
    } else {
        UNROLL for (int j = 0; j < WORDS_OF_ITEM; ++j) {
            const int i = min(item + j * GROUP, ALL_WORDS - 1);
            const int y = i / ROW_WORDS;
            words[j] =
                word_of_bytes(origin, g, folded, (i - y * ROW_WORDS) * 4 - LEAD, y, outside);
        }
    }
    UNROLL for (int j = 0; j < WORDS_OF_ITEM; ++j) {
        const int i = item + j * GROUP;
        if (i < ALL_WORDS)
            UNROLL for (int k = 0; k < 4; ++k)
                if (is_pixel(i % ROW_WORDS * 4 - LEAD, k))
                    atomic_inc(counts + (words[j] >> (8 * k) & 255));
    }
    BARRIER;
    sum_counts(counts, parts, item);
    for (int i = item; i < AREA_WORDS / 4; i += GROUP)
        memory4[i] = (uint4)(0);
    BARRIER;
    // After this counts[i] is where the pixels of number i end.
    UNROLL for (int j = 0; j < WORDS_OF_ITEM; ++j) {
        const int i = item + j * GROUP, y = i / ROW_WORDS;
        const int from = (i - y * ROW_WORDS) * 4 - LEAD;
        if (i < ALL_WORDS) {
            // Four that are equal are counted at once: else a constant image is slow.
            const uint first = words[j] & 255;
            if (words[j] == first * 0x01010101u && is_pixel(from, 0) && is_pixel(from, 3)) {
                const uint place = atomic_add(counts + first, 4u);
                UNROLL for (int k = 0; k < 4; ++k)
                    scatter(area, from + k, y, place + k);
            } else {
                UNROLL for (int k = 0; k < 4; ++k)
                    if (is_pixel(from, k))
                        scatter(area, from + k, y,
                                atomic_inc(counts + (words[j] >> (8 * k) & 255)));
            }
        }
    }
    BARRIER;
    for (int i = item; i < 2 * WORDS; i += GROUP) {
        const bool is_row = i >= WORDS;
        gather_windows(area + (is_row ? COLUMNS * PITCH * 4 + i - WORDS : i),
                       is_row ? WINDOW_Y : WINDOW_X, is_row ? TILE_Y : TILE_X);
    }
#else
    uint read[PER_ITEM]; // all are under way at a time
    UNROLL for (int j = 0; j < PER_ITEM; ++j) {
        const int i = min(item + j * GROUP, PIXELS - 1);
        const int row = folded[COLUMNS + i / COLUMNS], x = folded[i % COLUMNS];
        read[j] = row == OUTSIDE || x == OUTSIDE ? outside : ORDER_AT(origin + row * g.src_row + x);
    }
    UNROLL for (int j = 0; j < PER_ITEM; ++j)
        if (item + j * GROUP < PIXELS)
            staged[item + j * GROUP] = (STAGED)read[j];
    BARRIER;
#if ORDER_BITS > 8
    sort_sample(staged, places, item);
#endif
    // Neighbours, so that equal ones are counted at once: else a constant image is slow.
    uint numbers[PER_ITEM], buckets[PER_ITEM], lengths[PER_ITEM];
    UNROLL for (int j = 0; j < PER_ITEM; ++j) {
        const int i = item * PER_ITEM + j;
        numbers[j] = i < PIXELS ? staged[i] : 0;
#if ORDER_BITS == 8
        buckets[j] = i < PIXELS ? numbers[j] : NO_BUCKET;
#else
        buckets[j] = i < PIXELS ? bucket_of(numbers[j], places + SAMPLES) : NO_BUCKET;
#endif
    }
    UNROLL for (int j = PER_ITEM - 1; j >= 0; --j)
        lengths[j] = j + 1 < PER_ITEM && buckets[min(j + 1, PER_ITEM - 1)] == buckets[j]
                         ? lengths[min(j + 1, PER_ITEM - 1)] + 1
                         : 1;
    UNROLL for (int j = 0; j < PER_ITEM; ++j)
        if (buckets[j] != NO_BUCKET && (j == 0 || buckets[max(j - 1, 0)] != buckets[j]))
            atomic_add(counts + buckets[j], lengths[j]);
    BARRIER;
    sum_counts(counts, parts, item);

    // To the order of buckets: after this counts[i] is where bucket i ends.
    __local ushort *const places_ = (__local ushort *)places;
#if ORDER_BITS > 8
    for (int i = PIXELS + item; i < PADDED; i += GROUP)
        area[i] = 0xffffffffu;
#endif
    uint to = 0;
    UNROLL for (int j = 0; j < PER_ITEM; ++j)
        if (buckets[j] != NO_BUCKET) {
            if (j == 0 || buckets[max(j - 1, 0)] != buckets[j])
                to = atomic_add(counts + buckets[j], lengths[j]);
            const int i = item * PER_ITEM + j;
            const uint place = i / COLUMNS << 8 | i % COLUMNS;
#if ORDER_BITS == 8
            places_[to++] = (ushort)place;
#else
            area[to] = numbers[j];
            area[PADDED + to++] = buckets[j] << 16 | place;
#endif
        }
    BARRIER;
#if ORDER_BITS > 8
    sort_buckets(area, area + PADDED, counts, places_, item);
#endif
    for (int i = PIXELS + item; i < QUADS * 128; i += GROUP)
        places_[i] = 0xffff; // in no window
    BARRIER;
    for (int i = item; i < 2 * WORDS; i += GROUP) {
        const bool is_row = i >= WORDS;
        make_sets(places, is_row ? i - WORDS : i, is_row ? 8 : 0, is_row ? WINDOW_Y : WINDOW_X,
                  is_row ? TILE_Y : TILE_X, is_row ? area + TILE_X * PITCH * 4 : area);
    }
#endif
    BARRIER;

    const int x = item % TILE_X, y = item / TILE_X * RESULTS;
    __local const uint4 *of_column = (__local const uint4 *)area + x * PITCH;
    __local const uint4 *of_rows =
        (__local const uint4 *)area + ((SCATTERS ? COLUMNS : TILE_X) + y) * PITCH;
    int count[RESULTS], at[RESULTS], before[RESULTS];
    UNROLL for (int j = 0; j < RESULTS; ++j)
        count[j] = at[j] = before[j] = 0;
    bool goes_on = true;
    for (int i = 0; i < QUADS && goes_on; ++i) {
        const uint4 own = of_column[i];
        goes_on = false;
        UNROLL for (int j = 0; j < RESULTS; ++j) {
            count[j] += count_bits(own & of_rows[j * PITCH + i]);
            if (count[j] <= rank) {
                at[j] = i + 1;
                before[j] = count[j];
                goes_on = true;
            }
        }
    }
    __global DST *results = dst + dst_start(g, batch) + (long)(left + x) * CHANNELS + channel;
    UNROLL for (int j = 0; j < RESULTS; ++j)
        if ((left + x) * CHANNELS < g.width && top + y + j < g.height) {
            const uint4 words = of_column[at[j]] & of_rows[j * PITCH + at[j]];
#if SCATTERS
            const uint place = at[j] * 128 + select_bit(words, rank - before[j]);
            uint number = 0; // of those that end before the place
            UNROLL for (int step = 128; step > 0; step /= 2)
                number += counts[number + step - 1] <= place ? step : 0;
#else
            const uint place = places_[at[j] * 128 + select_bit(words, rank - before[j])];
            const int row = folded[COLUMNS + (place >> 8)], column = folded[place & 255];
            const uint number = row == OUTSIDE || column == OUTSIDE
                                    ? outside
                                    : ORDER_AT(origin + row * g.src_row + column);
#endif
            store_order(number, results + (top + y + j) * g.dst_row);
        }
}
