// Pixels to the pyramid of XYB planes, for CPUs: an item makes all scales of a strip of STRIP
// columns and 32 rows, in vector registers, with no barrier. Both are even at all scales but the
// last, so that items share no pixel.
#include "lib/pixel.clh"
#include "lib/once.clh"
#define REAL float16
#define AS_REAL as_float16
#define AS_BITS as_uint16
#include "lib/ssimulacra2.clh"
#include "lib/arithmetic.clh"
#include "lib/xyb.clh"

#if !defined(CHANNELS) || !defined(STRIP) || !defined(ROWS)
#error CHANNELS, STRIP or ROWS is not defined
#endif
#if STRIP % 512 != 0
#error STRIP must be a multiple of 512: 16 columns of the sixth scale
#endif

#define VECTORS (STRIP / 16)
#define HAS_ALPHA (CHANNELS % 2 == 0)
#define COLOURS (CHANNELS < 3 ? 1 : 3)

// The even and the odd elements of two vectors that lie side by side.
#define EVEN(p) ((float16)((p)[0].even, (p)[1].even))
#define ODD(p) ((float16)((p)[0].odd, (p)[1].odd))

static void store(float16 value, __global float *to, int count) {
    if (count >= 16) {
        *(__global float16 *)to = value;
    } else {
        const float *values = (const float *)&value;
        for (int i = 0; i < count; ++i)
            to[i] = values[i];
    }
}

// A row of `count` pixels from linear RGB to its place in three planes.
static void store_row(const float16 *red, const float16 *green, const float16 *blue, int count,
                      const Opsin opsin, __global float *to, long plane) {
    for (int i = 0; i < count; i += 16) {
        float16 x, y, b;
        to_xyb(red[i / 16], green[i / 16], blue[i / 16], opsin, &x, &y, &b);
        store(x, to + i, count - i);
        store(y, to + plane + i, count - i);
        store(b, to + 2 * plane + i, count - i);
    }
}

// The row of the next scale. Rows hold one value more than `count`, and zeros up to whole vectors.
static void halve(const float16 *above, const float16 *below, float16 *to, int count) {
    for (int i = 0; i < (count + 31) / 32; ++i)
        to[i] = MEAN4(EVEN(above + 2 * i), ODD(above + 2 * i), EVEN(below + 2 * i),
                      ODD(below + 2 * i));
}

// Counts the last pixel of a row twice where a pixel of the next scale lacks a neighbour.
static void repeat_last(float16 *row, int count) {
    if (count % 2 != 0)
        ((float *)row)[count] = ((float *)row)[count - 1];
}

ONCE void decode_strip(const int3 place, __global const SRC *restrict src,
                       __global float *restrict dst, const long src_first, const long src_row,
                       __global const int *restrict scales, const int scale_count,
                       const Decoding decoding, const Opsin opsin) {
    const int width = scales[SCALE_WIDTH];
    const int height = scales[SCALE_HEIGHT];
    int left = place.x * STRIP;
    int top = place.y * ROWS;
    int count = min(STRIP, width - left);
    int rows = min(ROWS, height - top);
    float16 pixels[COLOURS + HAS_ALPHA][VECTORS];
    float16 pair[2][3][VECTORS + 2];
    float16 halves[ROWS / 2][3][VECTORS / 2 + 2];
    for (int i = 0; i < COLOURS + HAS_ALPHA; ++i)
        for (int v = 0; v < VECTORS; ++v)
            pixels[i][v] = 0.0f;
    for (int i = 0; i < 2; ++i)
        for (int c = 0; c < 3; ++c)
            for (int v = 0; v < VECTORS + 2; ++v)
                pair[i][c][v] = 0.0f;
    for (int i = 0; i < ROWS / 2; ++i)
        for (int c = 0; c < 3; ++c)
            for (int v = 0; v < VECTORS / 2 + 2; ++v)
                halves[i][c][v] = 0.0f;

    __global const SRC *from = src + src_first + top * src_row + (long)left * CHANNELS;
    const long plane = (long)scales[SCALE_PLANE] * 16;
    __global float *to =
        dst + (long)scales[SCALE_FIRST] * 16 + (long)top * scales[SCALE_PITCH] + left;
    for (int y = 0; y < rows; ++y) {
        for (int c = 0; c < COLOURS + HAS_ALPHA; ++c) {
            float *values = (float *)pixels[c];
            for (int i = 0; i < count; ++i)
                values[i] = LOAD(from + i * CHANNELS + c);
        }
        for (int c = 0; c < 3; ++c) {
            const int colour = COLOURS == 1 ? 0 : c;
            for (int v = 0; v < (count + 15) / 16; ++v) {
                float16 value = pixels[colour][v];
                if (HAS_ALPHA)
                    value = laid_over(value, pixels[COLOURS + HAS_ALPHA - 1][v], decoding);
                pair[y % 2][c][v] = to_linear(value, decoding);
            }
            repeat_last(pair[y % 2][c], count);
        }
        store_row(pair[y % 2][0], pair[y % 2][1], pair[y % 2][2], count, opsin, to, plane);
        if (y % 2 != 0 || y == rows - 1)
            for (int c = 0; c < 3; ++c)
                halve(pair[0][c], pair[y % 2][c], halves[y / 2][c], count);
        from += src_row;
        to += scales[SCALE_PITCH];
    }

    for (int scale = 1; scale < scale_count; ++scale) {
        __global const int *places = scales + scale * SCALE_FIELDS;
        left /= 2;
        top /= 2;
        count = (count + 1) / 2;
        rows = (rows + 1) / 2;
        __global float *first =
            dst + (long)places[SCALE_FIRST] * 16 + (long)top * places[SCALE_PITCH] + left;
        for (int y = 0; y < rows; ++y)
            store_row(halves[y][0], halves[y][1], halves[y][2], count, opsin,
                      first + (long)y * places[SCALE_PITCH], (long)places[SCALE_PLANE] * 16);
        for (int y = 0; y < rows; y += 2)
            for (int c = 0; c < 3; ++c) {
                const int below = min(y + 1, rows - 1);
                repeat_last(halves[y][c], count);
                repeat_last(halves[below][c], count);
                halve(halves[y][c], halves[below][c], halves[y / 2][c], count);
            }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void xyb_strips(__global const SRC *restrict src, __global float *restrict dst,
                const long src_first, const long src_row, __global const int *restrict scales,
                const int scale_count, const Decoding decoding, const Opsin opsin) {
    decode_strip(PLACE, src, dst, src_first, src_row, scales, scale_count, decoding, opsin);
}
