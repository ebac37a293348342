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

// SCATTERS: pixels are put into sets of columns and rows of the tile at once, each by its place in order, and these
// become the windows' sets: fewer steps, and more local memory. Items hold words of pixels as memory has them, from
// LEAD pixels before a row's first one on.
#if SCATTERS
#if ORDER_BITS > 16
#error SCATTERS takes pixels of up to two bytes
#endif
#define PER_WORD (32 / ORDER_BITS)
#define LEAD ((4096 - ANCHOR_X) % PER_WORD)
#define ROW_WORDS ((LEAD + COLUMNS + PER_WORD - 1) / PER_WORD)
#define ALL_WORDS (ROWS * ROW_WORDS)
#define WORDS_OF_ITEM ((ALL_WORDS + GROUP - 1) / GROUP)
// Pixels of two bytes are counted by their FIRST_BITS lowest bits. Where the others differ, they make a digit, by which
// pixels are then sorted: pixel p of the order so far is bit p of its digit's set, and goes to the number of bits
// before it, so that pixels of a digit keep their order.
#if ORDER_BITS == 16
#define FIRST_BITS 11
#define DIGITS (1 << (16 - FIRST_BITS))
#define DIGIT_WORDS ((PIXELS + 31) / 32 | 1) // odd, so that few digits of a word share a bank
#undef BUCKETS
#define BUCKETS (1 << FIRST_BITS)
#define NUMBER(word, k) ((word) >> 16 * (k) & 0xffffu)
// A pixel in order: its number, and its row and column in the tile.
#define ENTRY(number, y, x) ((number) << 16 | (y) << 8 | (x))
#define NUMBER_OF_ENTRY(entry) ((entry) >> 16)
#define DIGIT_OF(entry) ((entry) >> (16 + FIRST_BITS))
#endif
// Loops of items over their pixels, where these are two bytes: compilers for CPUs take long to unroll them.
#if UNROLLS_SOON
#define IN_REGISTERS UNROLL
#else
#define IN_REGISTERS _Pragma("unroll 1")
#endif
#endif

// Local memory, in words; host code knows its size. The pixels in the order of buckets, and before that in their
// own order, are where the sets will be; the sample is where places in order will be.
#define PADDED ((PIXELS + 3) / 4 * 4)
#define SETS_WORDS ((TILE_X + TILE_Y) * PITCH * 4)
#if SCATTERS
// STARTS: results do not count from the first place on, but from one that most of them are behind: the pixels before it
// are counted as those of a window's rows. It pays where a column of results has several rows.
#define STARTS (RESULTS >= 4)
// Pixels before the start: bits of each row of the tile, and then their number in each row of each window, as bytes,
// where sets of rows were.
#define MOST(a, b) ((a) > (b) ? (a) : (b))
#define MASK_WORDS ((COLUMNS + 31) / 32) // of a row
#define MASKS_WORDS (ROWS * MASK_WORDS)
#define LOWER_WORDS (ROWS * TILE_X / 4)
#define FOUND_AT ((COLUMNS + TILE_Y) * PITCH * 4)
#define ALL_SETS_WORDS ((COLUMNS + ROWS) * PITCH * 4)
#endif
#if SCATTERS && ORDER_BITS == 8
#define LOWER_AT FOUND_AT
#define AREA_WORDS MOST(ALL_SETS_WORDS, LOWER_AT + LOWER_WORDS) // parts of sums before
#define PLACES_WORDS 0
#elif SCATTERS
#define LOWER_AT (FOUND_AT + PADDED / 2)
// Before the sets, pixels in order, and counts, or digits' sets and the bits before each word of them; at the end the
// numbers in order, where sets of rows were.
#define DIGITS_WORDS MOST(BUCKETS, DIGITS * DIGIT_WORDS / 2 * 3)
#define AREA_WORDS                                                                                 \
    MOST(MOST(ALL_SETS_WORDS, LOWER_AT + LOWER_WORDS), PADDED + DIGITS_WORDS + 2 * GROUP)
#define PLACES_WORDS 1 // none, but the bits in which numbers differ
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

// The sum of the numbers of all items before this one. parts: aligned to four words. In few steps, for which items
// that sort have no registers to spare.
static inline uint sum_of_items_before(uint sum, __local uint *parts, int item) {
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
    return all;
}

// Changes counts to sums of those before.
static inline void sum_counts(__local uint *counts, __local uint *parts, int item) {
    uint own[OF_ITEM], sum = 0;
    UNROLL for (int j = 0; j < OF_ITEM; ++j) {
        own[j] = counts[item * OF_ITEM + j];
        sum += own[j];
    }
    uint all = sum_of_items_before(sum, parts, item);
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

#if ORDER_BITS > 8 && !SCATTERS
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
// The numbers of a word of pixels, as memory has them.
static inline uint numbers_of_word(uint word) {
#if KEY_KIND == 1
    return order_of_half(word & 0xffff) | order_of_half(word >> 16) << 16;
#else
    return word ^ (ORDER_OF_ZERO * 0x10001u);
#endif
}

// The number of the pixel in this column and row of the tile.
static inline uint number_at(__global const SRC *origin, const Geometry g,
                             __local const int *folded, int column, int y, uint outside) {
    const int row = folded[COLUMNS + y], x = folded[column];
    const uint inside =
        ORDER_AT(origin + max(row, g.valid_top) * g.src_row + max(x, g.valid_left * CHANNELS));
    return row == OUTSIDE || x == OUTSIDE ? outside : inside;
}

// The numbers of a word of pixels from column `from` and row y on; what is left or right of the tile is any.
static inline uint folded_word(__global const SRC *origin, const Geometry g,
                                 __local const int *folded, int from, int y, uint outside) {
    uint word = 0;
    UNROLL for (int k = 0; k < PER_WORD; ++k)
        word |= number_at(origin, g, folded, clamp(from + k, 0, COLUMNS - 1), y, outside)
                << (ORDER_BITS * k);
    return word;
}

// Whether pixel k of a word, whose first one is at column `from` of the tile, is one of its pixels.
static inline bool is_pixel(int from, int k) {
    return from + k >= 0 && from + k < COLUMNS;
}

// Puts the pixel of this place in order into the sets of its column and its row, and, where it is less than `start`,
// into its row's mask.
static inline void scatter(__local uint *sets, int column, int row, uint place,
                           __local uint *masks, uint start) {
    if (STARTS && place < start)
        atomic_or(masks + row * MASK_WORDS + column / 32, 1u << column % 32);
    const uint bit = 1u << (place & 31);
    atomic_or(sets + column * (PITCH * 4) + (place >> 5), bit);
    atomic_or(sets + (COLUMNS + row) * (PITCH * 4) + (place >> 5), bit);
}

#if ORDER_BITS > 8
// Returns bits of the 32 items of a warp: those that have a pixel, and the same digit as this item.
#if HAS_SHUFFLES
static inline uint items_of_digit(uint digit, bool has_pixel) {
    uint same = ballot(has_pixel);
    UNROLL for (int i = 0; i < 16 - FIRST_BITS; ++i) {
        const uint bit = digit >> i & 1;
        same &= ballot(bit) ^ (bit - 1);
    }
    return same;
}
#endif

// Puts place p of the order into the set of its digit.
static inline void add_to_digit(__local uint *digits, uint digit, uint p) {
    __local uint *const word = digits + digit * DIGIT_WORDS + p / 32;
#if HAS_SHUFFLES
    const uint same = items_of_digit(digit, p < PIXELS);
    if (p < PIXELS && (same & ((1u << p % 32) - 1)) == 0)
        *word = same;
#else
    if (p < PIXELS)
        atomic_or(word, 1u << p % 32);
#endif
}

// Counts the bits before each word of all digits' sets.
static inline void sum_digits(__local const uint *digits, __local ushort *before,
                              __local uint *parts, int item) {
    enum { all_words = DIGITS * DIGIT_WORDS, of_item = (all_words + GROUP - 1) / GROUP | 1 };
    uint sum = 0;
    _Pragma("unroll 4") for (int j = 0; j < of_item; ++j)
        if (item * of_item + j < all_words)
            sum += popcount(digits[item * of_item + j]);
    sum = sum_of_items_before(sum, parts, item);
    _Pragma("unroll 4") for (int j = 0; j < of_item; ++j)
        if (item * of_item + j < all_words) {
            before[item * of_item + j] = (ushort)sum;
            sum += popcount(digits[item * of_item + j]);
        }
    BARRIER;
}
#endif

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

#if SCATTERS && STARTS
// Counts the pixels of masks in each row of each window: bytes, TILE_X side by side.
static inline void count_in_rows(__local const uint *masks, __local uchar *lower, int item) {
    for (int i = item; i < ROWS * TILE_X; i += GROUP) {
        const int x = i % TILE_X;
        __local const uint *const row = masks + i / TILE_X * MASK_WORDS;
        int sum = 0;
        UNROLL for (int k = 0; k < MASK_WORDS; ++k) {
            const int first = x - 32 * k, end = first + WINDOW_X; // of the window, in this word
            const uint to = end <= 0 ? 0 : end >= 32 ? 0xffffffffu : (1u << (end & 31)) - 1;
            const uint from = first <= 0 ? 0 : first >= 32 ? 0xffffffffu : (1u << (first & 31)) - 1;
            sum += popcount(row[k] & to & ~from);
        }
        lower[i] = (uchar)sum;
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
#if SCATTERS && ORDER_BITS == 16
    __local uint *const counts = area + PADDED;
#else
    __local uint *const counts = places + PLACES_WORDS;
#endif
#if SCATTERS && ORDER_BITS == 8
    __local uint *const parts = area;
#elif SCATTERS
    __local uint *const digits = area + PADDED, *const parts = digits + DIGITS_WORDS;
    __local ushort *const found = (__local ushort *)(area + FOUND_AT);
#else
    __local uint *const parts = counts + BUCKETS;
    __local STAGED *const staged = (__local STAGED *)area;
#endif
    // Columns' places, and rows.
#if SCATTERS && ORDER_BITS == 16
    __local int *const folded = (__local int *)(places + PLACES_WORDS);
#else
    __local int *const folded = (__local int *)(SCATTERS ? counts + BUCKETS : parts + 2 * GROUP);
#endif
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
#if SCATTERS && ORDER_BITS == 16
    if (item == 0)
        places[0] = 0;
#endif
#if SCATTERS
    __local uint *const masks = (__local uint *)(folded + COLUMNS + ROWS);
    __local uchar *const lower = (__local uchar *)(area + LOWER_AT);
    for (int i = item; i < MASKS_WORDS; i += GROUP)
        masks[i] = 0;
#endif
    BARRIER;
    const uint outside = order_of(g.border_value);
#if SCATTERS
    // Most results of images without large steps are later in order.
    const uint start = (uint)rank * QUADS * 3 / (4 * WINDOW_X * WINDOW_Y) * 128;
    const int above = top - g.anchor_y, before_first = left - g.anchor_x - LEAD;
    const bool is_inside = VECTORS && before_first >= g.valid_left &&
                           before_first + ROW_WORDS * PER_WORD <= g.valid_right && above >= g.valid_top &&
                           above + ROWS <= g.valid_bottom;
    uint words[WORDS_OF_ITEM];
    if (is_inside) {
        IN_REGISTERS for (int j = 0; j < WORDS_OF_ITEM; ++j) {
            const int i = min(item + j * GROUP, ALL_WORDS - 1);
            const int y = i / ROW_WORDS;
            words[j] = numbers_of_word(
                *(__global const uint *)(origin + (above + y) * g.src_row + before_first +
                                         (i - y * ROW_WORDS) * PER_WORD));
        }
    } else {
        IN_REGISTERS for (int j = 0; j < WORDS_OF_ITEM; ++j) {
            const int i = min(item + j * GROUP, ALL_WORDS - 1);
            const int y = i / ROW_WORDS;
            words[j] = folded_word(origin, g, folded, (i - y * ROW_WORDS) * PER_WORD - LEAD, y,
                                   outside);
        }
    }
#if ORDER_BITS == 8
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
                    scatter(area, from + k, y, place + k, masks, start);
            } else {
                UNROLL for (int k = 0; k < 4; ++k)
                    if (is_pixel(from, k))
                        scatter(area, from + k, y,
                                atomic_inc(counts + (words[j] >> (8 * k) & 255)), masks, start);
            }
        }
    }
    BARRIER;
#else
    // Each pixel's place among those of the same lowest bits; after sum_counts() counts[i] is where those of i begin.
    ushort ranks[WORDS_OF_ITEM][PER_WORD];
    const uint any = number_at(origin, g, folded, 0, 0, outside);
    uint differing = 0;
    const int first_item = made_again(item);
    IN_REGISTERS for (int j = 0; j < WORDS_OF_ITEM; ++j) {
        const int i = first_item + j * GROUP;
        IN_REGISTERS for (int k = 0; k < PER_WORD; ++k)
            if (i < ALL_WORDS && is_pixel(i % ROW_WORDS * PER_WORD - LEAD, k)) {
                const uint number = NUMBER(words[j], k);
                ranks[j][k] = (ushort)atomic_inc(counts + number % BUCKETS);
                differing |= number ^ any;
            }
    }
    atomic_or(places, differing);
    BARRIER;
    sum_counts(counts, parts, item);
    const int second_item = made_again(item);
    IN_REGISTERS for (int j = 0; j < WORDS_OF_ITEM; ++j) {
        const int i = second_item + j * GROUP, y = i / ROW_WORDS;
        const int from = (i - y * ROW_WORDS) * PER_WORD - LEAD;
        IN_REGISTERS for (int k = 0; k < PER_WORD; ++k)
            if (i < ALL_WORDS && is_pixel(from, k)) {
                const uint number = NUMBER(words[j], k);
                area[counts[number % BUCKETS] + ranks[j][k]] = ENTRY(number, y, from + k);
            }
    }
    BARRIER;
    const bool has_digits = *places >> FIRST_BITS != 0;
    __local ushort *const starts = (__local ushort *)(digits + DIGITS * DIGIT_WORDS);
    if (has_digits) {
        for (int i = item; i < DIGITS * DIGIT_WORDS / 4; i += GROUP)
            ((__local uint4 *)digits)[i] = (uint4)(0);
        BARRIER;
        _Pragma("unroll 2") for (int j = 0; j < PER_ITEM; ++j) {
            const uint p = item + j * GROUP;
            add_to_digit(digits, DIGIT_OF(area[min(p, PIXELS - 1u)]), p);
        }
        BARRIER;
        sum_digits(digits, starts, parts, item);
    }
    uint entries[PER_ITEM];
    ushort to[PER_ITEM]; // places in order
    const int third_item = made_again(item);
    IN_REGISTERS for (int j = 0; j < PER_ITEM; ++j) {
        const uint p = third_item + j * GROUP, from = min(p, PIXELS - 1u);
        entries[j] = area[from];
        to[j] = (ushort)p;
        if (has_digits) {
            const uint at = DIGIT_OF(entries[j]) * DIGIT_WORDS + from / 32;
            to[j] = (ushort)(starts[at] + popcount(digits[at] & ((1u << p % 32) - 1)));
        }
    }
    BARRIER;
    for (int i = item; i < ALL_SETS_WORDS / 4; i += GROUP)
        memory4[i] = (uint4)(0);
    BARRIER;
    IN_REGISTERS for (int j = 0; j < PER_ITEM; ++j)
        if (item + j * GROUP < PIXELS)
            scatter(area, entries[j] & 255, entries[j] >> 8 & 255, to[j], masks, start);
    BARRIER;
#endif
    for (int i = item; i < 2 * WORDS; i += GROUP) {
        const bool is_row = i >= WORDS;
        gather_windows(area + (is_row ? COLUMNS * PITCH * 4 + i - WORDS : i),
                       is_row ? WINDOW_Y : WINDOW_X, is_row ? TILE_Y : TILE_X);
    }
    BARRIER;
#if STARTS
    if (start > 0)
        count_in_rows(masks, lower, item);
#endif
#if ORDER_BITS == 16
    IN_REGISTERS for (int j = 0; j < PER_ITEM; ++j)
        if (item + j * GROUP < PIXELS)
            found[to[j]] = (ushort)NUMBER_OF_ENTRY(entries[j]);
#endif
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
    int first = 0;
#if SCATTERS && STARTS
    if (start > 0) {
        // Where no result's place is before the start.
        int sum = 0, most = 0;
        for (int i = 0; i < WINDOW_Y; ++i)
            sum += lower[(y + i) * TILE_X + x];
        UNROLL for (int j = 0; j < RESULTS; ++j) {
            before[j] = sum;
            most = max(most, sum);
            if (j + 1 < RESULTS)
                sum += lower[(y + j + WINDOW_Y) * TILE_X + x] - lower[(y + j) * TILE_X + x];
        }
        first = most <= rank ? start / 128 : 0;
        UNROLL for (int j = 0; j < RESULTS; ++j) {
            count[j] = before[j] = most <= rank ? before[j] : 0;
            at[j] = first;
        }
    }
#if NEEDS_DETOURS // PoCL 3 computes wrong numbers of bits without
    BARRIER;
#endif
#endif
    for (int i = first; i < QUADS && goes_on; ++i) {
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
#if SCATTERS && ORDER_BITS == 16
            const uint number = found[at[j] * 128 + select_bit(words, rank - before[j])];
#elif SCATTERS && ORDER_BITS == 8
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
