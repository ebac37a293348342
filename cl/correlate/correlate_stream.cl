// Correlation with dense taps, for GPUs: a program is for one size of taps. An item goes down ITEM_X columns of the image, a row
// of the source at a time, and adds the row to all rows of results that it is part of, whose sums it keeps in registers.
// A step is as long as what one row of the source adds, so that the code stays with a core however many taps there are, and
// hardly anything but fma is in it.
#include "lib/inline.clh"
#include "lib/rolled.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/asked.clh"
#include "lib/quad.clh"

#if !defined(TAPS_X) || !defined(TAPS_Y) || !defined(SHIFT) || !defined(BY_VALUE)
#error TAPS_X, TAPS_Y, SHIFT or BY_VALUE is not defined
#endif
#ifndef GROUP
#error GROUP is not defined
#endif

#define ITEM_X 4
#define WIDE (GROUP * ITEM_X) // values of a row that a group makes
// Vectors of 4 values that an item reads of a row; the first tap's value is SHIFT values on.
#define VECTORS ((SHIFT + ITEM_X + (TAPS_X - 1) * CHANNELS + 3) / 4)

// Rows of taps.
typedef struct Taps {
    float k[TAPS_Y * TAPS_X];
} Taps;
#if BY_VALUE
#define TAPS_PARAMETER const Taps taps
#define TAP(j, i) taps.k[(j) * TAPS_X + (i)]
#else
#define TAPS_PARAMETER __constant Taps *taps
#define TAP(j, i) taps->k[(j) * TAPS_X + (i)]
#endif

// Adds a row of the source to the sums. sum[m] is of the row of results that m more rows of the source are part of, and 0 for
// the row that none has been added to.
INLINE void add_row(float (*sum)[ITEM_X], const float *row, TAPS_PARAMETER) {
    UNROLL for (int i = 0; i < TAPS_X; ++i)
        UNROLL for (int m = 0; m < TAPS_Y; ++m)
            UNROLL for (int v = 0; v < ITEM_X; ++v) {
                const float before = i > 0 ? sum[m][v] : m + 1 < TAPS_Y ? sum[m + 1][v] : 0.0f;
                sum[m][v] = fma(TAP(TAPS_Y - 1 - m, i), row[SHIFT + i * CHANNELS + v], before);
            }
}

// Reads the values of any row that stand at the places.
INLINE void read_any(float *row, __global const SRC *origin, const Geometry g, int y,
                     __local const int4 *places) {
    const int line = fold_row(g, y);
    const int is_row_outside = line == OUTSIDE ? -1 : 0; // a mask: Oclgrind does not choose between vectors
    __global const SRC *from = origin + (long)(line == OUTSIDE ? g.valid_top : line) * g.src_row;
    UNROLL for (int k = 0; k < VECTORS; ++k) {
        // Where the constant stands, another value is read that is not used.
        const int4 at = max(places[k], (int4)(g.valid_left * CHANNELS));
        const int4 is_outside = (places[k] == (int4)(OUTSIDE)) | (int4)(is_row_outside);
        set4(row + 4 * k, select(ARRIVED(GATHER(from, at)), (float4)(g.border_value), is_outside));
    }
}

// band: rows of results that a group makes.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void correlate_stream(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                      TAPS_PARAMETER, const int band, __local int4 *restrict places) {
    const int item = get_local_id(0);
    const int batch = get_group_id(2);
    const int left = (int)get_group_id(0) * WIDE;
    const int top = (int)get_group_id(1) * band;
    const int rows = min(band, g.height - top) + TAPS_Y - 1;
    const int first = top - g.anchor_y;
    const int begin = left - g.anchor_x * CHANNELS - SHIFT;
    const int end = begin + WIDE - ITEM_X + 4 * VECTORS;
    __global const SRC *origin = src + src_start(g, batch);
    const int x = left + item * ITEM_X;
    __global DST *to = dst + dst_start(g, batch) + (long)top * g.dst_row + x;

    float sum[TAPS_Y][ITEM_X];
    UNROLL for (int m = 0; m < TAPS_Y; ++m)
        UNROLL for (int v = 0; v < ITEM_X; ++v)
            sum[m][v] = 0.0f;
    if (begin >= g.valid_left * CHANNELS && end <= g.valid_right * CHANNELS &&
        first >= g.valid_top && first + rows <= g.valid_bottom) {
        __global const SRC *from = origin + (long)first * g.src_row + begin + item * ITEM_X;
        WAITING coming[VECTORS];
        UNROLL for (int k = 0; k < VECTORS; ++k)
            coming[k] = ASK(from + 4 * k);
        ROLLED for (int y = 0; y < rows; ++y) {
            float row[4 * VECTORS];
            UNROLL for (int k = 0; k < VECTORS; ++k)
                set4(row + 4 * k, ARRIVED(coming[k]));
            // The next row is on its way meanwhile; the last one is asked for twice.
            from += y + 1 < rows ? g.src_row : 0;
            UNROLL for (int k = 0; k < VECTORS; ++k)
                coming[k] = ASK(from + 4 * k);
            add_row(sum, row, taps);
            if (y >= TAPS_Y - 1) {
                store_quad(quad_of(sum[0]), to, g.width - x);
                to += g.dst_row;
            }
        }
        return;
    }

    __local int *const place = (__local int *)places;
    for (int i = item; i < end - begin; i += GROUP)
        place[i] = fold_value(g, begin + i);
    barrier(CLK_LOCAL_MEM_FENCE);
    ROLLED for (int y = 0; y < rows; ++y) {
        float row[4 * VECTORS];
        read_any(row, origin, g, first + y, places + item);
        add_row(sum, row, taps);
        if (y >= TAPS_Y - 1) {
            store_quad(quad_of(sum[0]), to, g.width - x);
            to += g.dst_row;
        }
    }
}
