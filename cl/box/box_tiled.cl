// Means over boxes in one pass, for GPUs; the work does not grow with the radius. A group marches
// down a strip of PARTS * PART values, ROWS rows at a time. Sums along y run down each of the
// columns that the strip's boxes reach; a step's rows of them lie in local memory. There sums along
// x run over PART values an item.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/box.clh"

#if !defined(ROWS) || !defined(PARTS)
#error ROWS or PARTS is not defined
#endif

// Whole pixels. Parts of a row are an odd number of values apart, so that items that walk along
// parts side by side meet different banks.
#define PIXELS (32 / CHANNELS)
#define PART (PIXELS * CHANNELS)
#define PLACE(i) ((i) + (i) / PART * ((PART | 1) - PART))
#define STRIP (PARTS * PART)
#define GROUP (ROWS * PARTS)


#if SUM_TYPE == SUM_I64
#error box_tiled keeps sums in 32 bits
#endif

// running: of every column; offsets: where in a row the column's values stand, or OUTSIDE; sums:
// rows of them, `pitch` values apart, which the means take the place of.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void box_tiled(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
               const int band, const long area, const float share,
               const int pitch, __local Running *restrict running,
               __local int *restrict offsets, __local VALUE *restrict sums OTHER_PARAMETER) {
    const int item = get_local_id(0);
    const int batch = get_global_id(2);
    const int left = (int)get_group_id(0) * STRIP;
    const int top = (int)get_group_id(1) * band;
    const int end = min(top + band, g.height);
    const int radius = g.anchor_y;
    const int apron = g.anchor_x * CHANNELS;
    const int columns = STRIP + 2 * apron;
    __global const SRC *origin = src + src_start(g, batch);
    __global DST *target = dst + dst_start(g, batch);
    const long source = src_start(g, batch);

    for (int i = item; i < columns; i += GROUP) {
        const int value = left - apron + i;
        // Columns beyond the last that a box reaches are not read.
        const int offset = value < g.width + apron ? fold_value(g, value) : OUTSIDE;
        offsets[i] = offset;
        Running sum = NOTHING;
        if (offset != OUTSIDE) {
            int y = top - radius - 1;
            // Many rows on their way at once, where they need no checks.
            if (y >= g.valid_top && top + radius <= g.valid_bottom)
                for (; y + ROWS <= top + radius; y += ROWS) {
                    __global const SRC *from = origin + y * g.src_row + offset;
                    VALUE some[ROWS];
                    UNROLL for (int r = 0; r < ROWS; ++r)
                        some[r] = LOAD_VALUE(from + r * g.src_row);
                    UNROLL for (int r = 0; r < ROWS; ++r)
                        ADD_VALUE(sum, some[r]);
                }
            for (; y < top + radius; ++y) {
                const int row = fold_row(g, y);
                ADD_VALUE(sum, row == OUTSIDE ? BORDER_VALUE(g)
                                              : LOAD_VALUE(origin + row * g.src_row + offset));
            }
        }
        running[i] = sum;
    }

    for (int first = top; first < end; first += ROWS) {
        // An item's columns are its own from the start on.
        const bool inside = first - radius - 1 >= g.valid_top &&
                            first + ROWS - 1 + radius < g.valid_bottom;
        for (int i = item; i < columns; i += GROUP) {
            const int offset = offsets[i];
            __local VALUE *to = sums + PLACE(i);
            if (offset == OUTSIDE) {
                for (int r = 0; r < ROWS; ++r)
                    to[r * pitch] = (VALUE)(BORDER_VALUE(g) * g.taps_y);
                continue;
            }
            Running sum = running[i];
            if (inside) {
                __global const SRC *enters = origin + (first + radius) * g.src_row + offset;
                __global const SRC *leaves = origin + (first - radius - 1) * g.src_row + offset;
                VALUE in[ROWS], out[ROWS];
                UNROLL for (int r = 0; r < ROWS; ++r) {
                    in[r] = LOAD_VALUE(enters + r * g.src_row);
                    out[r] = LOAD_VALUE(leaves + r * g.src_row);
                }
                UNROLL for (int r = 0; r < ROWS; ++r) {
                    MOVE_BOX(sum, in[r], out[r]);
                    to[r * pitch] = VALUE_OF(sum);
                }
            } else {
                for (int r = 0; r < ROWS; ++r) {
                    const int enters = fold_row(g, first + r + radius);
                    const int leaves = fold_row(g, first + r - radius - 1);
                    const VALUE in = enters == OUTSIDE
                                         ? BORDER_VALUE(g)
                                         : LOAD_VALUE(origin + enters * g.src_row + offset);
                    const VALUE out = leaves == OUTSIDE
                                          ? BORDER_VALUE(g)
                                          : LOAD_VALUE(origin + leaves * g.src_row + offset);
                    MOVE_BOX(sum, in, out);
                    to[r * pitch] = VALUE_OF(sum);
                }
            }
            running[i] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        const int r = item / PARTS;
        const int part = item & (PARTS - 1);
        __local VALUE *row = sums + r * pitch;
        const int count = 2 * g.anchor_x;
        // The sums of whole parts, where a box spans several.
        __local VALUE *whole = sums + ROWS * pitch + r * (pitch / (PART | 1) + 1) * CHANNELS;
        const int parts = count / PIXELS; // whole ones in a box, but for its last pixel
        if (parts > 1) {
            for (int p = part; p < PARTS + parts; p += PARTS)
                for (int c = 0; c < CHANNELS; ++c) {
                    TOTAL total = 0;
                    for (int k = 0; k < PIXELS; ++k)
                        total += row[p * (PART | 1) + k * CHANNELS + c];
                    whole[p * CHANNELS + c] = (VALUE)total;
                }
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        MEAN means[PART];
        UNROLL for (int c = 0; c < CHANNELS; ++c) {
            // The box of the part's first pixel without its last pixel: whole parts, and what is
            // left.
            ROW_TOTAL filled = NOTHING;
            int k = 0;
            if (parts > 1) {
                for (int p = 0; p < parts; ++p)
                    ADD_VALUE(filled, whole[(part + p) * CHANNELS + c]);
                k = parts * PIXELS;
            }
            TOTAL total = VALUE_OF(filled);
            const int start = part * PART + c;
            for (; k < count; ++k)
                total += row[PLACE(start + k * CHANNELS)];
            UNROLL for (int i = 0; i < PIXELS; ++i) {
                total += row[PLACE(start + (i + count) * CHANNELS)];
                means[i * CHANNELS + c] = mean_of(total, area, share);
                total -= row[part * (PART | 1) + i * CHANNELS + c];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        // A mean has the bits of a value's size.
        __local MEAN *mean_row = (__local MEAN *)row;
        UNROLL for (int i = 0; i < PART; ++i)
            mean_row[part * (PART | 1) + i] = means[i];
        barrier(CLK_LOCAL_MEM_FENCE);

        const int width = min(STRIP, g.width - left);
        __local const MEAN *from = (__local const MEAN *)sums;
        for (int y = 0; y < ROWS && first + y < end; ++y)
            for (int i = item; i < width; i += GROUP)
                STORE_MEAN(RESULT_OF(from[y * pitch + PLACE(i)], LOAD,
                                     source + (first + y) * g.src_row + left + i),
                           target + (first + y) * g.dst_row + left + i);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
