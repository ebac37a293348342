// Means over boxes of integers in one pass, for GPUs; the work does not grow with the radius. A
// group marches down a strip, ROWS rows at a time: each of LANES items reads the PER values of a
// word of four bytes, keeps their sums along y, and adds what enters the boxes less what leaves
// them. An item for each part of a row then makes running sums along the row of these, and a box is
// the difference of two of them. Words of the next step are on their way meanwhile. Steps take turns
// with two places for sums, so that results of one are made while sums of the next come.
#include "lib/inline.clh"
#include "lib/rolled.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/box.clh"

#if !defined(LANES) || !defined(ROWS) || !defined(ALIGNED) || !defined(QUICK) ||                   \
    !defined(FIRST_PLANE) || !defined(LAST_PLANE)
#error LANES, ROWS, ALIGNED, QUICK, FIRST_PLANE or LAST_PLANE is not defined
#endif
#if SUM_TYPE != SUM_I32
#error box_words keeps sums of integers in 32 bits
#endif
#if SRC_TYPE == PIXEL_U8
#define PER 4
#else
#define PER 2
#endif

// Sums of a row lie in PER planes of LANES: value PER k + j of the row at k of plane j. A part has
// so many of each plane: whole pixels, and an odd number of vectors, so that items that each take a
// part meet different banks.
#define PART 12
#define PARTS (LANES / PART)
#define ROW (PER * LANES)
#define SCANNING (ROWS * PARTS) // items that scan
#if LANES % PART != 0 || (PARTS & (PARTS - 1)) != 0 || PARTS > 32 || SCANNING > LANES
#error LANES has no such parts
#endif
// Where words hold whole pixels, items make running sums of each word themselves. Then only the last
// planes, one for each channel, become running sums of the row; the others, WITHIN a word, hold what
// comes after the word before.
#if PER % CHANNELS == 0
#define WITHIN (PER - CHANNELS)
#else
#define WITHIN 0
#endif
#define SHUFFLES HAS_SHUFFLES
#if SHUFFLES && SCANNING % 32 != 0
#error some items of a warp scan and others do not
#endif
#define LISTED 64 // rows whose places are listed at a time
#define AT_ONCE 8 // rows of the first boxes that are on their way at a time

#define VALUES(j) UNROLL for (int j = 0; j < PER; ++j)

#if ALIGNED
#define LOAD_WORD(p) (*(__global const uint *)(p))
#else
#define LOAD_WORD(p) as_uint(PASTE(vload, PER)(0, p))
#endif
// The last read of a word, which leaves room in the cache where there is a way to say so.
#if ALIGNED && HAS_CACHE_HINTS
static inline uint load_word_last(__global const SRC *from) {
    uint word;
    READ_LAST_WORD(word, from);
    return word;
}
#define LOAD_WORD_LAST(p) load_word_last(p)
#else
#define LOAD_WORD_LAST(p) LOAD_WORD(p)
#endif

// Value k of a word, which CHOICE(k) stands for.
#if MOVES_BITS
#if SRC_TYPE == PIXEL_U8
#define CHOICE(k) (0x4440 | (k))
#elif SRC_TYPE == PIXEL_U16
#define CHOICE(k) (0x4410 | (k) * 0x22)
#else
#define CHOICE(k) (0x9910 | (k) * 0x2222) // the sign's byte twice, of its bits alone
#endif
#define CHOSEN(word, choice) (int)permute_bytes(word, 0, (uint)(choice))
#else
#define CHOICE(k) ((k) * 8 * (int)sizeof(SRC))
#define CHOSEN(word, choice) ((int)(SRC)((word) >> (choice)))
#endif
#define PLACED(value, k) ((uint)(PASTE(u, SRC_BITS))(value) << ((k) * 8 * (int)sizeof(SRC)))
#if SRC_TYPE == PIXEL_U8
#define SRC_BITS char
#else
#define SRC_BITS short
#endif

// Where the item's values are in a row of the source: they are the choices of the `whole` word at x,
// or each at one of `places`, or OUTSIDE. Not `used` are those that no box reaches or that are all
// OUTSIDE.
typedef struct Places {
    int x;
    bool used, whole;
    int choices[PER], places[PER];
} Places;

// Lists of rows have lines of the source, OUTSIDE and NO_ROW.
#define NO_ROW INT_MAX
#define IS_LINE(line) ((line) != OUTSIDE && (line) != NO_ROW)
INLINE uint read_whole(__global const SRC *origin, const Geometry g, int x, int line) {
    if (IS_LINE(line))
        return LOAD_WORD(origin + line * g.src_row + x);
    uint word = 0;
    if (line == OUTSIDE)
        VALUES(j)
            word |= PLACED(BORDER_VALUE(g), j);
    return word;
}

// Reads words of rows value by value. A loop that stays one: few items need this, where rows have
// parts of words, or next to some borders.
#define READ_APART(words, count, line_of)                                                          \
    do {                                                                                           \
        UNROLL for (int i = 0; i < (count); ++i)                                                   \
            (words)[i] = 0;                                                                        \
        ROLLED for (int j_ = 0; j_ < PER; ++j_) {                                                  \
            int place_ = at.places[0];                                                             \
            UNROLL for (int k = 1; k < PER; ++k)                                                   \
                place_ = j_ == k ? at.places[k] : place_;                                          \
            UNROLL for (int i = 0; i < (count); ++i) {                                             \
                const int line_ = line_of(i);                                                      \
                VALUE value_ = line_ == NO_ROW ? 0 : BORDER_VALUE(g);                              \
                if (IS_LINE(line_) && place_ != OUTSIDE)                                           \
                    value_ = LOAD_VALUE(origin + line_ * g.src_row + place_);                      \
                (words)[i] |= PLACED(value_, j_);                                                  \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#define IS_FREE(from, count) ((from) >= g.valid_top && (from) + (count) <= g.valid_bottom)

// Puts the sums of a step's rows where the group finds them. sums: down the item's columns.
INLINE void put_sums(VALUE *sums, const uint *enters, const uint *leaves, const int *choices,
                     __local VALUE *to) {
    UNROLL for (int i = 0; i < ROWS; ++i) {
        VALUE within[PER];
        VALUES(j) {
            sums[j] += CHOSEN(enters[i], choices[j]) - CHOSEN(leaves[i], choices[j]);
            within[j] = sums[j];
            if (WITHIN > 0 && j >= CHANNELS)
                within[j] += within[j - CHANNELS];
            to[i * ROW + j * LANES] = within[j];
        }
    }
}

// Running sums along a row may need more than 32 bits: only their differences are right.
#define RUNNING uint
#define RUNNING4 uint4
// A part of a row that an item replaces by running sums: of each channel the values in their order.
#if WITHIN > 0 || PER == CHANNELS
#define OF_CHANNEL PART
#define VALUE_OF_PART(v, j, k) v[(j) - WITHIN][k]
#else
#define OF_CHANNEL (PER * PART / CHANNELS)
#define VALUE_OF_PART(v, j, k) v[((k) * PER + (j)) % CHANNELS][((k) * PER + (j)) / CHANNELS]
#endif
#define OF_CHANNELS(c) UNROLL for (int c = 0; c < CHANNELS; ++c)
#define OF_VECTORS(j, k)                                                                           \
    UNROLL for (int j = WITHIN; j < PER; ++j)                                                      \
        UNROLL for (int k = 0; k < PART; k += 4)

#if SHUFFLES
// The value of the item so many before, of those that scan a row.
INLINE uint value_before(uint value, int distance) {
    return shuffle_up_among(value, distance, PARTS);
}
#endif

// Makes running sums of the rows of a step, where it is one. totals: a place for each row, channel
// and part. Has a barrier where items cannot shuffle.
INLINE void scan_rows(__local RUNNING *sums, __local RUNNING *totals, int item, bool is_step) {
    const bool scans = is_step && item < SCANNING;
    const int row = (uint)item / PARTS;
    const int part = item & (PARTS - 1);
    __local RUNNING *const from = sums + row * ROW + part * PART;
    RUNNING v[CHANNELS][OF_CHANNEL], before[CHANNELS];
    OF_CHANNELS(c)
        before[c] = 0;
    if (scans) {
        OF_VECTORS(j, k) {
            const RUNNING4 four = *(__local const RUNNING4 *)(from + j * LANES + k);
            VALUE_OF_PART(v, j, k) = four.s0;
            VALUE_OF_PART(v, j, k + 1) = four.s1;
            VALUE_OF_PART(v, j, k + 2) = four.s2;
            VALUE_OF_PART(v, j, k + 3) = four.s3;
        }
        OF_CHANNELS(c)
            UNROLL for (int i = 1; i < OF_CHANNEL; ++i)
                v[c][i] += v[c][i - 1];
#if SHUFFLES
        OF_CHANNELS(c) {
            RUNNING total = v[c][OF_CHANNEL - 1];
            UNROLL for (int distance = 1; distance < PARTS; distance *= 2) {
                const RUNNING other = value_before(total, distance);
                if (part >= distance)
                    total += other;
            }
            before[c] = total - v[c][OF_CHANNEL - 1];
        }
    }
#else
        OF_CHANNELS(c)
            totals[(row * CHANNELS + c) * PARTS + part] = v[c][OF_CHANNEL - 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (scans)
        OF_CHANNELS(c)
            ROLLED for (int k = 0; k < part; ++k)
                before[c] += totals[(row * CHANNELS + c) * PARTS + k];
#endif
    if (scans) {
        OF_CHANNELS(c)
            UNROLL for (int i = 0; i < OF_CHANNEL; ++i)
                v[c][i] += before[c];
        OF_VECTORS(j, k)
            *(__local RUNNING4 *)(from + j * LANES + k) =
                (RUNNING4)(VALUE_OF_PART(v, j, k), VALUE_OF_PART(v, j, k + 1),
                           VALUE_OF_PART(v, j, k + 2), VALUE_OF_PART(v, j, k + 3));
    }
}

// The sum of a row from its start up to a value, which is in a plane and a word.
INLINE RUNNING sum_to(__local const RUNNING *row, const int plane, int word) {
    RUNNING sum = row[plane * LANES + word];
    if (plane < WITHIN)
        sum += row[(WITHIN + plane % CHANNELS) * LANES + word - 1];
    return sum;
}

// Results of an item in a row. With QUICK these are bytes of boxes small enough for IS_QUICK, whose
// totals are the low bits of floats, and so are their means, rounded half to even. These round as
// mean_of() does: they err by less than a mean is from a tie too.
#if QUICK && MOVES_BITS
#define RESULT uint
INLINE RESULT result_of(RUNNING total, long area, float share) {
    return as_uint(fma(as_float(total + 0x4b000000u) - 8388608.0f, share, ROUNDER));
}
#define PUT_RESULT(result, to) (*(to) = (uchar)(result))
#define WORD_OF_RESULTS(r)                                                                         \
    permute_bytes(permute_bytes(r[0], r[1], 0x0040), permute_bytes(r[2], r[3], 0x0040), 0x5410)
#else
#define RESULT MEAN
INLINE RESULT result_of(RUNNING total, long area, float share) {
    return mean_of((int)total, area, share);
}
#define PUT_RESULT(result, to) STORE_MEAN(result, to)
#endif

INLINE void put_results(const RESULT *results, __global DST *to) {
#if ALIGNED && QUICK && MOVES_BITS
    STREAM_WORD(WORD_OF_RESULTS(results), to);
#elif ALIGNED && PER == 4
    STORE_MEAN4((MEAN4)(results[0], results[1], results[2], results[3]), to);
#elif ALIGNED && IS_INTEGER(DST_TYPE)
    *(__global PASTE(DST, 2) *)to =
        PASTE(convert_, PASTE(DST, 2_sat))((int2)(results[0], results[1]));
#elif ALIGNED
    STORE2((float2)(results[0], results[1]), to);
#else
    VALUES(j)
        PUT_RESULT(results[j], to + j);
#endif
}

// strip: values of a row that a group makes; apron: values before them that it sums too; both
// multiples of PER. sums: of a step, twice; totals: see scan_rows; lines: where LISTED rows of the
// source are.
__kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void box_words(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
               const int band, const int strip, const int apron, const long area, const float share,
               __local RUNNING4 *restrict sums, __local RUNNING *restrict totals,
               __local int *restrict lines) {
    const int item = get_local_id(0);
    const int batch = get_group_id(2);
    const int left = (int)get_group_id(0) * strip;
    const int top = (int)get_group_id(1) * band;
    const int rows = min(band, g.height - top);
    const int wide = min(strip, g.width - left);
    const int radius = g.anchor_x * CHANNELS; // values
    const int height = g.taps_y;
    const int src_pitch = (int)g.src_row * (int)sizeof(SRC); // bytes
    __global const SRC *const origin = src + src_start(g, batch);

    Places at;
    at.x = left - apron + PER * item;
    at.used = PER * item < wide + apron + radius;
    at.whole = true;
    VALUES(j) {
        at.choices[j] = CHOICE(j);
        at.places[j] = 0;
    }
    bool is_beyond = false;
    const int first_value = g.valid_left * CHANNELS, end = g.valid_right * CHANNELS;
    if (at.x < first_value || at.x + PER > end) {
        int beyond = 0;
        VALUES(j) {
            at.places[j] = fold_value(g, at.x + j);
            beyond += at.places[j] == OUTSIDE ? 1 : 0;
        }
        is_beyond = beyond == PER;
        at.used = at.used && !is_beyond;
        // A border may repeat values of one word.
        at.x = at.places[0] & -PER;
        at.whole = beyond == 0 && at.x >= first_value && at.x + PER <= end;
        VALUES(j)
            at.whole = at.whole && (at.places[j] & -PER) == at.x;
        if (at.whole)
            VALUES(j)
                at.choices[j] = CHOICE(at.places[j] - at.x);
    }

    const int first = top - g.anchor_y - 1; // row that leaves the boxes of the band's first row
    VALUE columns[PER];                     // sums down the item's columns
    VALUES(j)
        columns[j] = is_beyond ? BORDER_VALUE(g) * height : 0;
    ROLLED for (int y = 0; y < height; y += LISTED) {
        if (item < LISTED)
            lines[item] = y + item < height ? fold_row(g, first + y + item) : NO_ROW;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at.used)
            ROLLED for (int k = 0; k < min(height - y, LISTED); k += AT_ONCE) {
                uint some[AT_ONCE];
#define LISTED_LINE(i) lines[k + (i)]
                if (at.whole)
                    UNROLL for (int i = 0; i < AT_ONCE; ++i)
                        some[i] = read_whole(origin, g, at.x, LISTED_LINE(i));
                else
                    READ_APART(some, AT_ONCE, LISTED_LINE);
                UNROLL for (int i = 0; i < AT_ONCE; ++i)
                    VALUES(j)
                        columns[j] += CHOSEN(some[i], at.choices[j]);
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    // Steps take turns with two lists as well, of the rows that leave and of those that enter; only
    // those that have rows beyond the image need one.
#define LIST_ROWS(of_step, start)                                                                  \
    if (item < 2 * ROWS && !IS_FREE(start, ROWS + height))                                         \
        lines[((of_step) & 1) * 2 * ROWS + item] =                                                 \
            fold_row(g, (start) + item + (item < ROWS ? 0 : height - ROWS));
    // Rows of a step lie at multiples of a pitch of 32 bits.
#define AT_ROW(p, i)                                                                               \
    ((__global const SRC *)((__global const char *)(p) + (long)(i) * (long)src_pitch))
    // Asks for the words of a step. No read waits for another, but for values that lie apart.
#define ENTERING_LINE(i) (is_free ? start + height + (i) : list[ROWS + (i)])
#define LEAVING_LINE(i) (is_free ? start + (i) : list[i])
    uint enters[ROWS], leaves[ROWS];
    UNROLL for (int i = 0; i < ROWS; ++i)
        enters[i] = leaves[i] = 0;
    LIST_ROWS(0, first)
    LIST_ROWS(1, first + ROWS)
    barrier(CLK_LOCAL_MEM_FENCE);

    // A box has the sums to its last value, less those to the value before its first: the item's
    // first box those in FIRST_PLANE and LAST_PLANE of these words.
    const int before = item + (apron - radius - CHANNELS) / PER;
    const int last = item + (apron + radius) / PER;
    const int count = min(wide - PER * item, PER); // results of the item in a row
    __global DST *to = dst + dst_start(g, batch) + top * g.dst_row + left + PER * item;
    // The first turn only asks for words.
    ROLLED for (int step = -ROWS, turn = -1; step < rows; step += ROWS, ++turn) {
        const bool is_step = turn >= 0;
        __local RUNNING *const place = (__local RUNNING *)sums + (turn & 1) * (ROWS * ROW);
        if (is_step)
            put_sums(columns, enters, leaves, at.choices, (__local VALUE *)place + item);
        if (at.used && step + ROWS < rows) {
            const int start = first + step + ROWS;
            const bool is_free = IS_FREE(start, ROWS + height);
            __local const int *const list = lines + ((turn + 1) & 1) * 2 * ROWS;
            if (!at.whole) {
                READ_APART(enters, ROWS, ENTERING_LINE);
                READ_APART(leaves, ROWS, LEAVING_LINE);
            } else if (is_free) {
                __global const SRC *const row = origin + start * g.src_row + at.x;
                __global const SRC *const ahead = row + height * g.src_row;
                UNROLL for (int i = 0; i < ROWS; ++i) {
                    enters[i] = LOAD_WORD(AT_ROW(ahead, i));
                    leaves[i] = LOAD_WORD_LAST(AT_ROW(row, i));
                }
            } else {
                UNROLL for (int i = 0; i < ROWS; ++i) {
                    enters[i] = read_whole(origin, g, at.x, list[ROWS + i]);
                    leaves[i] = read_whole(origin, g, at.x, list[i]);
                }
            }
        }
        if (is_step)
            LIST_ROWS(turn, first + step + 2 * ROWS)
        barrier(CLK_LOCAL_MEM_FENCE);
        scan_rows(place, totals, item, is_step);
        barrier(CLK_LOCAL_MEM_FENCE);

        if (is_step && count > 0) {
            RESULT results[ROWS][PER]; // all of them, so that reads need not wait for writes
            UNROLL for (int i = 0; i < ROWS; ++i)
                VALUES(j) {
                    const int from = FIRST_PLANE + j, until = LAST_PLANE + j;
                    __local const RUNNING *const row = place + i * ROW;
                    results[i][j] = result_of(sum_to(row, until % PER, last + until / PER) -
                                                  sum_to(row, from % PER, before + from / PER),
                                              area, share);
                }
            if (step + ROWS <= rows && count == PER) {
                UNROLL for (int i = 0; i < ROWS; ++i)
                    put_results(results[i], to + i * g.dst_row);
            } else {
                UNROLL for (int i = 0; i < ROWS; ++i)
                    if (step + i < rows)
                        VALUES(j)
                            if (j < count)
                                PUT_RESULT(results[i][j], to + i * g.dst_row + j);
            }
            to += ROWS * g.dst_row;
        }
    }
}
