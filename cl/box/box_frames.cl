// All iterations of a small box for the pixels so near to a border that it tells between the iterations: frames of the
// region. An iteration of a border that is clamped or constant is linear along each axis by itself, and so are all of them:
// each column and row of the frames has taps of its own, which the host has computed, and which are 0 outside of the image.
// A group makes a tile: first the sums along x of all rows that it needs, in local memory, and then those along y.
#include "lib/inline.clh"
#include "lib/rolled.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/subtract.clh"
#include "lib/box_frames.clh"

#if !defined(GROUP)
#error GROUP is not defined
#endif

#define EACH 4     // rows that an item sums along x at a time
#define TOGETHER 8 // taps that are on their way at a time

// The place of the taps of column or row i among those that differ.
static inline int place_of_taps(int i, int same, int last) {
    return i < same ? i : i < last ? same : same + 1 + i - last;
}

// taps_x, taps_y: for columns or rows from the first one on, of which inner ones share theirs, 2 reach + 1 taps, and the
// share of the constant.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void box_frames(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                const BoxFrames frames, __global const float *restrict taps_x,
                __global const float *restrict taps_y, __local float *sums OTHER_PARAMETER) {
    const int item = get_local_id(0);
    const int batch = get_global_id(2);
    int tile = get_group_id(0);
    const bool lies = tile < frames.before_x; // along x
    const int width_bits = lies ? LONG_BITS : SHORT_BITS;
    const int width = 1 << width_bits;
    const int height = lies ? SHORT_SIDE : LONG_SIDE;
    int left, right, top, bottom; // of the frame, in values
    if (lies) {
        const bool is_first = tile < frames.after_y;
        tile -= is_first ? 0 : frames.after_y;
        left = 0;
        right = g.width;
        top = is_first ? 0 : frames.end_y;
        bottom = is_first ? frames.begin_y : g.height;
    } else {
        const bool is_first = tile < frames.after_x;
        tile -= is_first ? frames.before_x : frames.after_x;
        left = is_first ? 0 : frames.end_x * CHANNELS;
        right = is_first ? frames.begin_x * CHANNELS : g.width;
        top = frames.begin_y;
        bottom = frames.end_y;
    }
    const int across = (right - left + width - 1) / width;
    const int down = tile / across;
    left += (tile - down * across) * width;
    top += down * height;
    right = min(right, left + width);
    bottom = min(bottom, top + height);

    // Taps that reach past the image are 0, and left out: rows of the image from `above` on, and of each column or row the
    // taps on pixels of the image.
    const int above = max(top - frames.reach_y, g.valid_top);
    const int rows = min(bottom + frames.reach_y, g.valid_bottom) - above;
    __global const SRC *origin = src + src_start(g, batch);
    const int pitch_x = 2 * frames.reach_x + 2;
    const int pitch_y = 2 * frames.reach_y + 2;
    const int x = left + (item & (width - 1));
    const int column = x / CHANNELS;
    __global const float *own_x =
        taps_x + place_of_taps(column, frames.same_x, frames.last_x) * pitch_x;
    // An item sums one column of several rows at a time, so that several reads are under way.
    const int step = GROUP >> width_bits;
    for (int r = item >> width_bits; r < rows && x < right; r += EACH * step) {
        const int begin = max(column - frames.reach_x, g.valid_left);
        const int end = min(column + frames.reach_x + 1, g.valid_right);
        __global const float *taps = own_x + begin - (column - frames.reach_x);
        __global const SRC *from =
            origin + (above + r) * g.src_row + x + (begin - column) * CHANNELS;
        long below[EACH];
        float sum[EACH];
        UNROLL for (int j = 0; j < EACH; ++j) {
            below[j] = min(j * step, rows - 1 - r) * g.src_row;
            sum[j] = 0.0f;
        }
        int k = 0;
        ROLLED for (; k + TOGETHER <= end - begin; k += TOGETHER) {
            float tap[TOGETHER], value[TOGETHER][EACH];
            UNROLL for (int i = 0; i < TOGETHER; ++i) {
                tap[i] = taps[k + i];
                UNROLL for (int j = 0; j < EACH; ++j)
                    value[i][j] = LOAD(from + below[j] + (k + i) * CHANNELS);
            }
            UNROLL for (int i = 0; i < TOGETHER; ++i)
                UNROLL for (int j = 0; j < EACH; ++j)
                    sum[j] = fma(tap[i], value[i][j], sum[j]);
        }
        for (; k < end - begin; ++k) {
            const float tap = taps[k];
            UNROLL for (int j = 0; j < EACH; ++j)
                sum[j] = fma(tap, LOAD(from + below[j] + k * CHANNELS), sum[j]);
        }
        UNROLL for (int j = 0; j < EACH; ++j)
            if (r + j * step < rows)
                sums[(r + j * step) * width + (item & (width - 1))] = sum[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int y = top + (item >> width_bits); y < bottom && x < right; y += step) {
        const int begin = max(y - frames.reach_y, g.valid_top);
        const int end = min(y + frames.reach_y + 1, g.valid_bottom);
        __global const float *own =
            taps_y + place_of_taps(y, frames.same_y, frames.last_y) * pitch_y;
        __global const float *taps = own + begin - (y - frames.reach_y);
        __local const float *from = sums + (begin - above) * width + (item & (width - 1));
        float sum = 0.0f;
        int k = 0;
        ROLLED for (; k + TOGETHER <= end - begin; k += TOGETHER) {
            float tap[TOGETHER], value[TOGETHER];
            UNROLL for (int i = 0; i < TOGETHER; ++i) {
                tap[i] = taps[k + i];
                value[i] = from[(k + i) * width];
            }
            UNROLL for (int i = 0; i < TOGETHER; ++i)
                sum = fma(tap[i], value[i], sum);
        }
        for (; k < end - begin; ++k)
            sum = fma(taps[k], from[k * width], sum);
        if (frames.has_constant) {
            const float along_x = own_x[pitch_x - 1];
            const float along_y = own[pitch_y - 1];
            sum = fma(along_x + along_y - along_x * along_y, g.border_value, sum);
        }
        __global DST *to = dst + dst_start(g, batch) + y * g.dst_row + x;
        STORE(RESULT_OF(sum, OTHER_OF(to)), to);
    }
}
