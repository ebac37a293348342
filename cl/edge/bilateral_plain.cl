// The bilateral filter, an item per pixel, straight from the source. The weights of a window are
// added in the order of its pixels, x fastest, after that of the pixel itself, and so are weighed
// differences: every kernel does so, and all give the same bits.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/volume.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/weight_terms.clh"
#define REAL float
#define AS_REAL as_float
#define AS_BITS as_uint
#include "lib/arithmetic.clh"
#include "lib/weights.clh"

#ifndef GROUP_X
#error GROUP_X is not defined
#endif

// space: one for each pixel of the window.
__kernel __attribute__((reqd_work_group_size(GROUP_X, 1, 1)))
void bilateral_plain(__global const SRC *restrict src, __global DST *restrict dst,
                     const Geometry g, const Volume v, const WeightTerms terms,
                     __global const float *restrict space) {
    const int value = (int)get_global_id(0) * CHANNELS; // of channel 0
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    const int own_slice = batch % g.slices;
    if (value >= g.width)
        return;
    __global const SRC *volume = src + src_start(g, batch - own_slice);
    float own[CHANNELS], sums[CHANNELS];
    for (int c = 0; c < CHANNELS; ++c) {
        own[c] = LOAD(volume + own_slice * g.src_slice + y * g.src_row + value + c);
        sums[c] = 0.0f;
    }
    float weights = terms.centre;
    for (int k = 0; k < v.taps_z; ++k) {
        const int slice =
            fold(own_slice + k - v.anchor_z, v.valid_front, v.valid_back, g.border_mode);
        __global const SRC *origin = volume + (slice == OUTSIDE ? 0 : slice * g.src_slice);
        for (int j = 0; j < g.taps_y; ++j) {
            const int row = slice == OUTSIDE ? OUTSIDE : fold_row(g, y + j - g.anchor_y);
            for (int i = 0; i < g.taps_x; ++i, ++space) {
                if (k == v.anchor_z && j == g.anchor_y && i == g.anchor_x)
                    continue;
                float differences[CHANNELS];
                float square = 0.0f;
                for (int c = 0; c < CHANNELS; ++c) {
                    differences[c] = read_extended(origin, g, row,
                                                   value + (i - g.anchor_x) * CHANNELS + c) -
                                     own[c];
                    square = fma(differences[c], differences[c], square);
                }
                const float weight = weight_of(terms, square, *space);
                weights += weight;
                for (int c = 0; c < CHANNELS; ++c)
                    sums[c] = fma(weight, differences[c], sums[c]);
            }
        }
    }
    __global DST *to = dst + dst_start(g, batch) + y * g.dst_row + value;
    for (int c = 0; c < CHANNELS; ++c)
        STORE(own[c] + MEAN(sums[c], weights), to + c);
}
