// Correlation with taps along x, y and z, one axis after the other, by marching along z: a group
// filters a slice of the source along x and y in local memory, and an item adds its part of that to
// the results of all slices that it reaches. The volume is read about once and written once.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/volume.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"

#if !defined(GROUP_X) || !defined(GROUP_Y) || !defined(ITEM_Y) || !defined(ALIGNED) ||             \
    !defined(MOST) || !defined(BY_VALUE) || !defined(EXACT)
#error GROUP_X, GROUP_Y, ITEM_Y, ALIGNED, MOST, BY_VALUE or EXACT is not defined
#endif
// EXACT: there are MOST taps along each axis.

#include "lib/march.clh"

// The taps; those along z are in reverse.
typedef struct Taps {
    float x[MOST], y[MOST], z[MOST];
} Taps;
#if BY_VALUE
#define TAPS const Taps taps
#define TAP(axis, i) taps.axis[i]
#else
#define TAPS __constant Taps *restrict taps
#define TAP(axis, i) taps->axis[i]
#endif

// depth, chunks: see march_of_item.
__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void separable_march(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                     const Volume v, const int depth, const int chunks, TAPS,
                     __local float4 *slices, __local float4 *filtered) {
    const March march = march_of_item(g, depth, chunks);
    const int first = march.first, last = march.last;
    __global const SRC *origin = march_from(march, src, g);
    uint places[SHARE];
    const Bits outside = find_places(places, march, g);
    __local float *const own_share = (__local float *)slices + march.item;
    __global DST *to = dst + march_to(march, g, first);

    // The results that the slice at hand is added to: the oldest, which it ends, first.
    float4 sums[MOST][ITEM_Y];
    UNROLL for (int o = 0; o < MOST; ++o)
        UNROLL for (int q = 0; q < ITEM_Y; ++q)
            sums[o][q] = (float4)(0.0f);

    float brought[SHARE];
    UNROLL for (int i = 0; i < RING - 1; ++i) {
        bring_slice(brought, own_share + i * TILE, places, origin, g, v, first + i, march.item);
        put(brought, own_share + i * TILE, march.item);
    }
    int now = 0, next = (RING - 1) * TILE;
    for (int slice = first; slice < last + v.taps_z - 1; ++slice) {
        await();
        mend_slice(own_share + now, outside, g, v, slice, march.item);
        barrier(CLK_LOCAL_MEM_FENCE);
        // Later slices are on their way while this one is filtered.
        bring_slice(brought, own_share + next, places, origin, g, v, slice + RING - 1, march.item);

        for (int at = march.item; at < GROUP_X * (TILE_Y + g.taps_y - 1); at += ITEMS) {
            const int row = at / GROUP_X;
            __local const float4 *from =
                slices + now / 4 + row * (PITCH / 4) + (at - row * GROUP_X);
            float window[4 * VECTORS];
            read_window(window, from);
            float4 sum = (float4)(0.0f);
            UNROLL for (int i = 0; i < MOST; ++i)
                if (EXACT || i < g.taps_x)
                    sum = fma((float4)(TAP(x, i)),
                              (float4)(window[i * CHANNELS], window[i * CHANNELS + 1],
                                       window[i * CHANNELS + 2], window[i * CHANNELS + 3]),
                              sum);
            filtered[at] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        __local const float4 *own = filtered + march.item_y * ITEM_Y * GROUP_X + march.item_x;
        UNROLL for (int q = 0; q < ITEM_Y; ++q) {
            float4 sum = (float4)(0.0f);
            UNROLL for (int j = 0; j < MOST; ++j)
                if (EXACT || j < g.taps_y)
                    sum = fma((float4)(TAP(y, j)), own[(q + j) * GROUP_X], sum);
            UNROLL for (int o = 0; o < MOST; ++o)
                if (EXACT || o < v.taps_z)
                    sums[o][q] = fma((float4)(TAP(z, o)), sum, sums[o][q]);
        }

        if (slice - (v.taps_z - 1) >= first) {
            UNROLL for (int q = 0; q < ITEM_Y; ++q)
                if (march.y + q < g.height)
                    store_quad(sums[0][q], to + q * g.dst_row, g.width - march.x);
            to += g.dst_slice;
        }
        // Sums behind the taps' number stay 0.
        UNROLL for (int q = 0; q < ITEM_Y; ++q) {
            UNROLL for (int o = 0; o + 1 < MOST; ++o)
                sums[o][q] = sums[o + 1][q];
            sums[MOST - 1][q] = (float4)(0.0f);
        }
        put(brought, own_share + next, march.item);
        now = next_of_ring(now);
        next = next_of_ring(next);
    }
}
