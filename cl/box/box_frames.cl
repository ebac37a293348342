// All iterations of a small box for the pixels so near to a border that it tells between the iterations: frames of the
// region. An iteration of a border that is clamped or constant is linear along each axis by itself, and so are all of them:
// each column and row of the frames has taps of its own, which the host has computed, and which are 0 outside of the image.
#include "lib/inline.clh"
#include "lib/rolled.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/subtract.clh"
#include "lib/box_frames.clh"
#include "lib/frame_tiles.clh"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void box_frames(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                const BoxFrames frames, __global const float *restrict taps_x,
                __global const float *restrict taps_y, __local float *sums OTHER_PARAMETER) {
    make_tile_of_frames(get_group_id(0), get_global_id(2), src, dst, g, frames, taps_x, taps_y,
                        sums OTHER_ARGUMENT);
}
