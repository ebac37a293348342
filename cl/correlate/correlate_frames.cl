// Correlation with 3x3x3x3 dense taps by marching along t: a group holds DEEP slices of one frame of
// the source, with an apron, in local memory, and an item adds them to the results of STACK slices
// in all frames that reach the frame, by correlate_march's way. A frame that the border repeats stays
// where it is.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/volume.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"

#if !defined(GROUP_X) || !defined(GROUP_Y) || !defined(ITEM_Y) || !defined(STACK) ||               \
    !defined(ALIGNED) || !defined(BY_VALUE)
#error GROUP_X, GROUP_Y, ITEM_Y, STACK, ALIGNED or BY_VALUE is not defined
#endif

#define SIZE 3
#define MOST SIZE
#include "lib/march.clh"
#if RING != 2
#error local memory has two frames, each of DEEP slices
#endif

typedef struct Taps {
    float taps[SIZE][SIZE][SIZE][SIZE];
} Taps;
#if BY_VALUE
#define TAPS const Taps taps
#define TAP(l, k, j, i) taps.taps[l][k][j][i]
#else
#define TAPS __constant Taps *restrict taps
#define TAP(l, k, j, i) taps->taps[l][k][j][i]
#endif

// Slices of a frame that the results of a stack need.
#define DEEP (STACK + SIZE - 1)
#define EACH_SLICE UNROLL for (int k = 0; k < DEEP; ++k)

static inline int fold_frame(const Geometry g, const Volume v, int t) {
    return fold(t - v.anchor_t, v.valid_first, v.valid_end, g.border_mode);
}

// stacks: of a volume. depth: frames of results that a group makes; chunks: of so many.
__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void correlate_frames(__global const SRC *restrict src, __global DST *restrict dst,
                      const Geometry g, const Volume v, const int stacks, const int depth,
                      const int chunks, TAPS, __local float4 *vectors) {
    March march = march_in_slice();
    const int batch = get_group_id(2);
    const int all = batch / stacks; // chunks of all planes
    const int slice = (batch - all * stacks) * STACK;
    march.plane = all / chunks;
    march.volume = 0;
    march.first = (all - march.plane * chunks) * depth;
    march.last = min(march.first + depth, g.volumes);
    const int first = march.first, last = march.last;
    __global const SRC *origin = march_from(march, src, g);
    __global DST *to = dst + march_to(march, g, slice) + first * g.dst_volume;
    uint places[SHARE];
    const Bits outside = find_places(places, march, g);
    int depths[DEEP];
    EACH_SLICE depths[k] =
        fold(slice + k - v.anchor_z, v.valid_front, v.valid_back, g.border_mode);
    __local float *const own_share = (__local float *)vectors + march.item;
    __local const float *const own_window =
        (__local const float *)vectors + march.item_y * ITEM_Y * PITCH + march.item_x * ITEM_X;

    // The results that the frame at hand is added to: the oldest, which it ends, first.
    float sums[SIZE][STACK][ITEM_Y][ITEM_X];
    UNROLL for (int o = 0; o < SIZE; ++o)
        UNROLL for (int z = 0; z < STACK; ++z)
            UNROLL for (int q = 0; q < ITEM_Y; ++q)
                UNROLL for (int p = 0; p < ITEM_X; ++p)
                    sums[o][z][q][p] = 0.0f;

    float brought[SHARE];
#define BRING(frame, k, place)                                                                     \
    bring(brought, own_share + (place) + (k) * TILE, places,                                       \
          origin + ((frame) == OUTSIDE ? 0 : (frame)) * g.src_volume +                             \
              (depths[k] == OUTSIDE ? 0 : depths[k]) * g.src_slice,                                \
          march.item)
#define PUT(k, place) put(brought, own_share + (place) + (k) * TILE, march.item)
    int held = fold_frame(g, v, first);
    EACH_SLICE {
        BRING(held, k, 0);
        PUT(k, 0);
    }
    int now = 0;
    bool is_new = true;
    for (int frame = first; frame < last + SIZE - 1; ++frame) {
        if (is_new) {
            await();
            if (g.border_mode == BORDER_CONSTANT)
                EACH_SLICE mend(own_share + now + k * TILE,
                                held == OUTSIDE || depths[k] == OUTSIDE ? ~(Bits)0 : outside,
                                g.border_value, march.item);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        // The next frame is on its way while this one is added.
        const int coming = fold_frame(g, v, frame + 1);
        const int next = DEEP * TILE - now;
        is_new = coming != held;
        const bool is_read = is_new && coming != OUTSIDE;
        EACH_SLICE {
            if (is_read)
                BRING(coming, k, next);
            float windows[ITEM_Y + SIZE - 1][4 * VECTORS];
            UNROLL for (int j = 0; j < ITEM_Y + SIZE - 1; ++j)
                read_window(windows[j],
                            (__local const float4 *)(own_window + now + k * TILE + j * PITCH));
            // A chunk's first and last frames reach fewer results.
            UNROLL for (int o = 0; o < SIZE; ++o)
                if (frame - (SIZE - 1) + o >= first && frame - (SIZE - 1) + o < last)
                    UNROLL for (int j = 0; j < ITEM_Y + SIZE - 1; ++j)
                        UNROLL for (int z = 0; z < STACK; ++z)
                            UNROLL for (int q = 0; q < ITEM_Y; ++q)
                                if (k - z >= 0 && k - z < SIZE && j - q >= 0 && j - q < SIZE)
                                    UNROLL for (int i = 0; i < SIZE; ++i)
                                        UNROLL for (int p = 0; p < ITEM_X; ++p)
                                            sums[o][z][q][p] =
                                                fma(TAP(SIZE - 1 - o, k - z, j - q, i),
                                                    windows[j][i * CHANNELS + p], sums[o][z][q][p]);
            if (is_read)
                PUT(k, next);
        }

        if (frame - (SIZE - 1) >= first) {
            UNROLL for (int z = 0; z < STACK; ++z)
                UNROLL for (int q = 0; q < ITEM_Y; ++q)
                    if (slice + z < g.slices && march.y + q < g.height)
                        store_quad((float4)(sums[0][z][q][0], sums[0][z][q][1], sums[0][z][q][2],
                                            sums[0][z][q][3]),
                                   to + z * g.dst_slice + q * g.dst_row, g.width - march.x);
            to += g.dst_volume;
        }
        UNROLL for (int z = 0; z < STACK; ++z)
            UNROLL for (int q = 0; q < ITEM_Y; ++q)
                UNROLL for (int p = 0; p < ITEM_X; ++p) {
                    UNROLL for (int o = 0; o + 1 < SIZE; ++o)
                        sums[o][z][q][p] = sums[o + 1][z][q][p];
                    sums[SIZE - 1][z][q][p] = 0.0f;
                }
        if (is_new) {
            held = coming;
            now = next;
        }
    }
}
