// Correlation with dense taps in three or four dimensions, for CPUs: an item makes a strip of a row in
// vector registers, to which it adds row after row of the source, so that a tap costs a load and an fma
// of each vector.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/volume.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/dense_taps.clh"

#ifndef VECTORS
#error VECTORS is not defined
#endif

#define STRIP (16 * VECTORS)
#define MOST_TAPS 15 // along x

// Adds a row whose values READ16(i) gives, from value i on.
#define ADD_ROW(READ16)                                                                            \
    for (int i = 0; i < g.taps_x; ++i) {                                                           \
        const float tap = own[i];                                                                  \
        UNROLL for (int n = 0; n < VECTORS; ++n)                                                   \
            sum[n] = fma((float16)(tap), READ16(i * CHANNELS + 16 * n), sum[n]);                   \
    }

// strips: of a row.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void volume_strips(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                   const Volume v, TAPS taps) {
    const int x = get_global_id(0) * STRIP;
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    const int all = batch / g.slices; // volumes of all planes
    const int slice = batch - all * g.slices;
    const int plane = all / g.volumes;
    const int volume = all - plane * g.volumes;
    __global const SRC *origin = src + g.src_first + plane * g.src_plane;
    const int first = x - g.anchor_x * CHANNELS;
    const int apron = (g.taps_x - 1) * CHANNELS;
    const bool is_whole = x + STRIP <= g.width;
    const bool is_free = first >= g.valid_left * CHANNELS &&
                         first + apron + STRIP <= g.valid_right * CHANNELS;
    const int needed = min(STRIP, g.width - x) + apron;

    // Beside the image: the first value of a row that is inside, the first that no longer is, and where
    // in all rows what stands outside comes from.
    const int inside = clamp(g.valid_left * CHANNELS - first, 0, needed);
    const int beyond = clamp(g.valid_right * CHANNELS - first, inside, needed);
    int places[STRIP + (MOST_TAPS - 1) * CHANNELS];
    if (!is_free) {
        for (int i = 0; i < inside; ++i)
            places[i] = fold_value(g, first + i);
        for (int i = beyond; i < needed; ++i)
            places[i] = fold_value(g, first + i);
    }
    float extended[STRIP + (MOST_TAPS - 1) * CHANNELS];
    float16 sum[VECTORS];
    UNROLL for (int n = 0; n < VECTORS; ++n)
        sum[n] = (float16)(0.0f);
    for (int i = needed; i < STRIP + apron; ++i)
        extended[i] = 0.0f;

    for (int l = 0; l < v.taps_t; ++l) {
        const int t = fold(volume + l - v.anchor_t, v.valid_first, v.valid_end, g.border_mode);
        for (int k = 0; k < v.taps_z; ++k) {
            const int z = fold(slice + k - v.anchor_z, v.valid_front, v.valid_back, g.border_mode);
            const bool is_slice = t != OUTSIDE && z != OUTSIDE;
            __global const SRC *from =
                origin + (is_slice ? t * g.src_volume + z * g.src_slice : 0);
            for (int j = 0; j < g.taps_y; ++j) {
                const int row = is_slice ? fold_row(g, y + j - g.anchor_y) : OUTSIDE;
                TAPS own = taps + ((l * v.taps_z + k) * g.taps_y + j) * g.taps_x;
                if (row == OUTSIDE) {
#define BORDER16(i) (float16)(g.border_value)
                    ADD_ROW(BORDER16)
                } else if (is_free) {
                    __global const SRC *at = from + row * g.src_row + first;
#define SOURCE16(i) LOAD16(at + (i))
                    ADD_ROW(SOURCE16)
                } else {
                    __global const SRC *at = from + row * g.src_row;
#define READ_PLACE(i) (places[i] == OUTSIDE ? g.border_value : LOAD(at + places[i]))
                    for (int i = 0; i < inside; ++i)
                        extended[i] = READ_PLACE(i);
                    for (int i = inside; i < beyond; ++i)
                        extended[i] = LOAD(at + first + i);
                    for (int i = beyond; i < needed; ++i)
                        extended[i] = READ_PLACE(i);
#define EXTENDED16(i) vload16(0, extended + (i))
                    ADD_ROW(EXTENDED16)
                }
            }
        }
    }

    __global DST *to = dst + g.dst_first + plane * g.dst_plane + volume * g.dst_volume +
                       slice * g.dst_slice + y * g.dst_row + x;
    if (is_whole) {
        UNROLL for (int n = 0; n < VECTORS; ++n)
            STORE16(sum[n], to + 16 * n);
    } else {
        float row[STRIP];
        UNROLL for (int n = 0; n < VECTORS; ++n)
            vstore16(sum[n], n, row);
        for (int i = 0; i < g.width - x; ++i)
            STORE(row[i], to + i);
    }
}
