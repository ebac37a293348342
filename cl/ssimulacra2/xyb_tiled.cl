// Pixels to the pyramid of XYB planes, for GPUs: a group makes all scales of a tile of 32x32
// pixels, an item four pixels of the first scale and one of the others. Tiles share no pixel at any
// scale.
#include "lib/inline.clh"
#include "lib/pixel.clh"
#define REAL float
#define AS_REAL as_float
#define AS_BITS as_uint
#include "lib/ssimulacra2.clh"
#include "lib/arithmetic.clh"
#include "lib/xyb.clh"

#ifndef CHANNELS
#error CHANNELS is not defined
#endif

// SMALLER: pixels of a tile on the scales from the second on.
#if !defined(TILE) || !defined(SMALLER)
#error TILE or SMALLER is not defined
#endif
#define GROUP (TILE / 2 * (TILE / 2))
#define HAS_ALPHA (CHANNELS % 2 == 0)
// Bytes have 256 values, which an item each decodes once for all.
#define HAS_TABLE (SRC_TYPE == PIXEL_U8 && !HAS_ALPHA)
#if HAS_TABLE && GROUP != 256
#error a group does not have an item for each value of a byte
#endif

// table: the linear light of each byte, where HAS_TABLE.
static void load_pixel(__global const SRC *from, const Decoding decoding,
                       __local const float *table, float *colours) {
    for (int c = 0; c < 3; ++c) {
        if (CHANNELS < 3 && c > 0) {
            colours[c] = colours[0];
        } else {
#if HAS_TABLE
            colours[c] = table[from[c]];
#else
            float value = LOAD(from + c);
            if (HAS_ALPHA)
                value = laid_over(value, LOAD(from + CHANNELS - 1), decoding);
            colours[c] = to_linear(value, decoding);
#endif
        }
    }
}

static void store_pixel(const float *colours, const Opsin opsin, __global float *to, long plane) {
    float x, y, b;
    to_xyb(colours[0], colours[1], colours[2], opsin, &x, &y, &b);
    to[0] = x;
    to[plane] = y;
    to[2 * plane] = b;
}

// Stores two pixels side by side, of which the first has an even x.
static void store_pixels(const float *first, const float *second, const Opsin opsin,
                         __global float *to, long plane) {
    float x0, y0, b0, x1, y1, b1;
    to_xyb(first[0], first[1], first[2], opsin, &x0, &y0, &b0);
    to_xyb(second[0], second[1], second[2], opsin, &x1, &y1, &b1);
    *(__global float2 *)to = (float2)(x0, x1);
    *(__global float2 *)(to + plane) = (float2)(y0, y1);
    *(__global float2 *)(to + 2 * plane) = (float2)(b0, b1);
}

// Stores an item's pixel of a scale from the second on, if it is in the image.
static void store_smaller(const float *colours, int item, int left, int top, int scale,
                          __global const int *scales, const Opsin opsin, __global float *dst) {
    __global const int *places = scales + scale * SCALE_FIELDS;
    const int side = TILE >> scale; // of the tile
    const int x = (left >> scale) + (item & (side - 1));
    const int y = (top >> scale) + item / side;
    if (x < places[SCALE_WIDTH] && y < places[SCALE_HEIGHT])
        store_pixel(colours, opsin, dst + first_of(places, 0) + (long)y * places[SCALE_PITCH] + x,
                    (long)places[SCALE_PLANE] * 16);
}

// linear: room for SMALLER pixels of three colours.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void xyb_tiled(__global const SRC *restrict src, __global float *restrict dst, const long src_first,
               const long src_row, __global const int *restrict scales, const int scale_count,
               const Decoding decoding, const Opsin opsin, __local float *linear) {
    const int item = get_local_id(0);
    const int left = (int)get_group_id(0) * TILE;
    const int top = (int)get_group_id(1) * TILE;
    const int width = scales[SCALE_WIDTH];
    const int height = scales[SCALE_HEIGHT];

    // The first scale, and what its pixels come to. Beyond the image its last pixel is read again.
    const int x = left + (item & (TILE / 2 - 1)) * 2;
    const int y = top + item / (TILE / 2) * 2;
    __local float table[HAS_TABLE ? GROUP : 1];
#if HAS_TABLE
    table[item] = to_linear((float)item, decoding);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    float pixels[4][3];
    UNROLL for (int i = 0; i < 4; ++i)
        load_pixel(src + src_first + min(y + i / 2, height - 1) * src_row +
                       (long)min(x + i % 2, width - 1) * CHANNELS,
                   decoding, table, pixels[i]);
    UNROLL for (int i = 0; i < 4; i += 2)
        if (x < width && y + i / 2 < height) {
            __global float *to =
                dst + first_of(scales, 0) + (long)(y + i / 2) * scales[SCALE_PITCH] + x;
            const long plane = (long)scales[SCALE_PLANE] * 16;
            if (x + 1 < width)
                store_pixels(pixels[i], pixels[i + 1], opsin, to, plane);
            else
                store_pixel(pixels[i], opsin, to, plane);
        }
    float colours[3];
    for (int c = 0; c < 3; ++c) {
        colours[c] = MEAN4(pixels[0][c], pixels[1][c], pixels[2][c], pixels[3][c]);
        linear[c * SMALLER + item] = colours[c];
    }
    store_smaller(colours, item, left, top, 1, scales, opsin, dst); // there is one

    int from = 0; // where in `linear` the scale before lies
    for (int scale = 2; scale < scale_count; ++scale) {
        barrier(CLK_LOCAL_MEM_FENCE);
        __global const int *before = scales + (scale - 1) * SCALE_FIELDS;
        const int side = TILE >> scale;
        const int to = from + 4 * side * side;
        if (item < side * side) {
            // The scale before ends here in this tile.
            const int last_x = before[SCALE_WIDTH] - 1 - (left >> (scale - 1));
            const int last_y = before[SCALE_HEIGHT] - 1 - (top >> (scale - 1));
            const int tile_x = item & (side - 1);
            const int tile_y = item / side;
            const int x0 = min(2 * tile_x, last_x), x1 = min(2 * tile_x + 1, last_x);
            const int y0 = min(2 * tile_y, last_y), y1 = min(2 * tile_y + 1, last_y);
            for (int c = 0; c < 3; ++c) {
                __local const float *of = linear + c * SMALLER + from;
                colours[c] = MEAN4(of[y0 * 2 * side + x0], of[y0 * 2 * side + x1],
                                   of[y1 * 2 * side + x0], of[y1 * 2 * side + x1]);
                linear[c * SMALLER + to + item] = colours[c];
            }
            store_smaller(colours, item, left, top, scale, scales, opsin, dst);
        }
        from = to;
    }
}
