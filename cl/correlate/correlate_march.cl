// Correlation with cubes of dense taps along x, y and z, by marching along z: a group holds one
// slice of the source at a time, with an apron, in local memory, and an item adds it to the results
// of all slices that reach it. A value is read from the source about once, and from local memory
// once for the results of ITEM_X x ITEM_Y pixels, SIZE slices and FILTERS filters. Results begin
// with the slice of their first taps and are done with that of their last, so that each adds its
// taps up in memory order.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/volume.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"

#if !defined(GROUP_X) || !defined(GROUP_Y) || !defined(ITEM_Y) || !defined(SIZE) ||                \
    !defined(FILTERS) || !defined(ALIGNED) || !defined(BY_VALUE)
#error GROUP_X, GROUP_Y, ITEM_Y, SIZE, FILTERS, ALIGNED or BY_VALUE is not defined
#endif

#define MOST SIZE
#include "lib/march.clh"

typedef struct Cubes {
    float taps[FILTERS][SIZE][SIZE][SIZE];
} Cubes;
#if BY_VALUE
#define CUBES const Cubes cubes
#define TAP(f, k, j, i) cubes.taps[f][k][j][i]
#else
#define CUBES __constant Cubes *restrict cubes
#define TAP(f, k, j, i) cubes->taps[f][k][j][i]
#endif

#if FILTERS > 4
#error at most 4 filters share a march
#endif
#if FILTERS > 1
#define TARGET_1 , __global DST *restrict dst_1
#else
#define TARGET_1
#endif
#if FILTERS > 2
#define TARGET_2 , __global DST *restrict dst_2
#else
#define TARGET_2
#endif
#if FILTERS > 3
#define TARGET_3 , __global DST *restrict dst_3
#else
#define TARGET_3
#endif

// depth, chunks: see march_of_item.
__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void correlate_march(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                     const Volume v, const int depth, const int chunks, CUBES,
                     __local float4 *vectors TARGET_1 TARGET_2 TARGET_3) {
    const March march = march_of_item(g, depth, chunks);
    const int first = march.first, last = march.last;
    __global const SRC *origin = march_from(march, src, g);
    uint places[SHARE];
    const Bits outside = find_places(places, march, g);
    __local float *const own_share = (__local float *)vectors + march.item;
    __local const float *const own_window =
        (__local const float *)vectors + march.item_y * ITEM_Y * PITCH + march.item_x * ITEM_X;
    long to = march_to(march, g, first);

    // The results that the slice at hand is added to: the oldest, which it ends, first.
    float sums[FILTERS][SIZE][ITEM_Y][ITEM_X];
    UNROLL for (int f = 0; f < FILTERS; ++f)
        UNROLL for (int o = 0; o < SIZE; ++o)
            UNROLL for (int q = 0; q < ITEM_Y; ++q)
                UNROLL for (int p = 0; p < ITEM_X; ++p)
                    sums[f][o][q][p] = 0.0f;

    float brought[SHARE];
    UNROLL for (int i = 0; i < RING - 1; ++i) {
        bring_slice(brought, own_share + i * TILE, places, origin, g, v, first + i, march.item);
        put(brought, own_share + i * TILE, march.item);
    }
    int now = 0, next = (RING - 1) * TILE;
    for (int slice = first; slice < last + SIZE - 1; ++slice) {
        await();
        mend_slice(own_share + now, outside, g, v, slice, march.item);
        barrier(CLK_LOCAL_MEM_FENCE);
        // Later slices are on their way while this one is added.
        bring_slice(brought, own_share + next, places, origin, g, v, slice + RING - 1, march.item);

        __local const float *own = own_window + now;
        UNROLL for (int j = 0; j < ITEM_Y + SIZE - 1; ++j) {
            float window[4 * VECTORS];
            read_window(window, (__local const float4 *)(own + j * PITCH));
            UNROLL for (int f = 0; f < FILTERS; ++f)
                UNROLL for (int o = 0; o < SIZE; ++o)
                    UNROLL for (int q = 0; q < ITEM_Y; ++q)
                        if (j - q >= 0 && j - q < SIZE)
                            UNROLL for (int i = 0; i < SIZE; ++i)
                                UNROLL for (int p = 0; p < ITEM_X; ++p)
                                    sums[f][o][q][p] = fma(TAP(f, SIZE - 1 - o, j - q, i),
                                                           window[i * CHANNELS + p],
                                                           sums[f][o][q][p]);
        }

        if (slice - (SIZE - 1) >= first) {
            UNROLL for (int f = 0; f < FILTERS; ++f) {
#if FILTERS > 3
                __global DST *target =
                    (f == 0 ? dst : f == 1 ? dst_1 : f == 2 ? dst_2 : dst_3) + to;
#elif FILTERS > 2
                __global DST *target = (f == 0 ? dst : f == 1 ? dst_1 : dst_2) + to;
#elif FILTERS > 1
                __global DST *target = (f == 0 ? dst : dst_1) + to;
#else
                __global DST *target = dst + to;
#endif
                UNROLL for (int q = 0; q < ITEM_Y; ++q)
                    if (march.y + q < g.height)
                        store_quad((float4)(sums[f][0][q][0], sums[f][0][q][1], sums[f][0][q][2],
                                            sums[f][0][q][3]),
                                   target + q * g.dst_row, g.width - march.x);
            }
            to += g.dst_slice;
        }
        UNROLL for (int f = 0; f < FILTERS; ++f)
            UNROLL for (int q = 0; q < ITEM_Y; ++q)
                UNROLL for (int p = 0; p < ITEM_X; ++p) {
                    UNROLL for (int o = 0; o + 1 < SIZE; ++o)
                        sums[f][o][q][p] = sums[f][o + 1][q][p];
                    sums[f][SIZE - 1][q][p] = 0.0f;
                }
        put(brought, own_share + next, march.item);
        now = next_of_ring(now);
        next = next_of_ring(next);
    }
}
