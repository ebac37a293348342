// The error maps of SSIMULACRA 2 and their sums, for CPUs: an item works through a strip of STRIP
// columns and `BAND` rows of a channel at one of the scales, in vector registers, with no barrier.
// Rows of both planes, of their squared difference and of their power are filtered along x into
// private memory, a block of rows and its apron at a time, and from there along y.
#define REAL float16
#define AS_REAL as_float16
#define AS_BITS as_uint16
#include "lib/inline.clh"
#include "lib/ssimulacra2.clh"
#include "lib/arithmetic.clh"
#include "lib/host_compiler.clh"
#include "lib/load_floats.clh"
#include "lib/ssimulacra2_errors.clh"
#include "lib/once.clh"

#if !defined(STRIP) || !defined(BAND)
#error STRIP or BAND is not defined
#endif
#if STRIP % 16 != 0 || BAND % BLOCK != 0
#error STRIP must be a multiple of 16, and BAND of BLOCK
#endif

// Rows that are asked for ahead of the one that is filtered.
#define AHEAD 8
#define VECTORS (STRIP / 16)
#define ROWS (BLOCK + 2 * APRON)
enum { MU_A, MU_B, DIFFERENCES, POWERS, QUANTITIES };

// Filters a row of `vectors` vectors along x. ahead: to values that are read soon. products: room for squared
// differences and powers.
static void filter_row(__global const float *a, __global const float *b, int vectors,
                       int needs_ssim, const Blur blur, long ahead, float16 (*products)[VECTORS + 2],
                       float16 (*to)[VECTORS]) {
    for (int v = 0; v < vectors; ++v) {
        EXPECT(a + ahead + 16 * v);
        EXPECT(b + ahead + 16 * v);
#define AT(k) LOAD_FLOATS16(__global, a + 16 * v + (k))
        to[MU_A][v] = BLURRED(blur, AT);
#undef AT
#define AT(k) LOAD_FLOATS16(__global, b + 16 * v + (k))
        to[MU_B][v] = BLURRED(blur, AT);
#undef AT
    }
    if (!needs_ssim)
        return;
    for (int v = 0; v < vectors + 2; ++v) {
        const float16 value_a = *(__global const float16 *)(a + 16 * (v - 1));
        const float16 value_b = *(__global const float16 *)(b + 16 * (v - 1));
        products[0][v] = DIFFERENCE_OF(value_a, value_b);
        products[1][v] = POWER_OF(value_a, value_b);
    }
    const float *differences = (const float *)(products[0] + 1);
    const float *powers = (const float *)(products[1] + 1);
    for (int v = 0; v < vectors; ++v) {
#define AT(k) LOAD_FLOATS16(__private, differences + 16 * v + (k))
        to[DIFFERENCES][v] = BLURRED(blur, AT);
#undef AT
#define AT(k) LOAD_FLOATS16(__private, powers + 16 * v + (k))
        to[POWERS][v] = BLURRED(blur, AT);
#undef AT
    }
}

// Filters vector v of a quantity along y. rows: from the first of its apron on.
INLINE float16 filter_column(float16 (*rows)[QUANTITIES][VECTORS], int quantity, int v,
                             const Blur blur) {
#define AT(k) rows[APRON + (k)][quantity][v]
    return BLURRED(blur, AT);
#undef AT
}

// dst: the sums of a piece of work on a channel; or planes laid out as the others, and `shares`
// says what errors add to them.
ONCE void compare_strip(const int3 place, __global const float *restrict reference,
                        __global const float *restrict distorted, SHARES_PARAMETER
                        __global float *restrict dst, __global const int *restrict scales,
                        const int scale_count, const Blur blur) {
    const int unit = place.x;
    const int channel = place.y;
    const int scale = scale_of(unit, scales, scale_count);
    __global const int *places = scales + scale * SCALE_FIELDS;
    const int part = unit - places[SCALE_UNIT];
    const int row = part / places[SCALE_ROW];
    const int left = (part - row * places[SCALE_ROW]) * STRIP;
    const int top = row * BAND;
    const int count = min(STRIP, places[SCALE_WIDTH] - left);
    const int rows = min(BAND, places[SCALE_HEIGHT] - top);
    const int vectors = (count + 15) / 16;
    const int pitch = places[SCALE_PITCH];
    const int needs_ssim = places[SCALE_NEEDS] >> channel & 1;
    const long first = first_of(places, channel) + (long)top * pitch + left;
    __global const float *a = reference + first;
    __global const float *b = distorted + first;

    float16 filtered[ROWS][QUANTITIES][VECTORS];
    float16 products[2][VECTORS + 2];
#if !MAPS
    float16 high[SUMS], low[SUMS];
    for (int i = 0; i < SUMS; ++i)
        high[i] = low[i] = 0.0f;
#endif
    for (int y = 0; y < rows; y += BLOCK) {
        const int made = min(BLOCK, rows - y);
        int next = 0;
        if (y > 0) // the apron has been filtered for the block above
            for (; next < 2 * APRON; ++next)
                for (int q = 0; q < QUANTITIES; ++q)
                    for (int v = 0; v < vectors; ++v)
                        filtered[next][q][v] = filtered[BLOCK + next][q][v];
        for (; next < made + 2 * APRON; ++next) {
            const long at = (long)(y - APRON + next) * pitch;
            filter_row(a + at, b + at, vectors, needs_ssim, blur, (long)AHEAD * pitch, products,
                       filtered[next]);
        }
        for (int v = 0; v < vectors; ++v) {
#if !MAPS
            float16 sums[SUMS];
            for (int i = 0; i < SUMS; ++i)
                sums[i] = 0.0f;
#endif
            for (int i = 0; i < made; ++i) {
                const long at = (long)(y + i) * pitch + 16 * v;
                const float16 value_a = *(__global const float16 *)(a + at);
                const float16 value_b = *(__global const float16 *)(b + at);
                float16(*rows)[QUANTITIES][VECTORS] = filtered + i;
                const float16 mu_a = filter_column(rows, MU_A, v, blur);
                const float16 mu_b = filter_column(rows, MU_B, v, blur);
                float16 ssim = 0.0f;
                if (needs_ssim) {
                    const float16 differences = filter_column(rows, DIFFERENCES, v, blur);
                    const float16 powers = filter_column(rows, POWERS, v, blur);
                    ssim = ssim_error(mu_a, mu_b, differences, powers, blur);
                }
                const float16 edge = edge_error(value_a, value_b, mu_a, mu_b);
#if MAPS
                const float16 shared = share_of(ssim, edge, shares, scale, channel);
                if (16 * v + 16 <= count)
                    *(__global float16 *)(dst + first + at) = shared;
                else
                    for (int lane = 0; lane < count - 16 * v; ++lane)
                        dst[first + at + lane] = ((const float *)&shared)[lane];
#else
                add_error(sums, ssim);
                add_error(sums + 2, fmax(edge, (float16)(0.0f)));
                add_error(sums + 4, fmax(-edge, (float16)(0.0f)));
#endif
            }
#if !MAPS
            const int16 lanes = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            for (int i = 0; i < SUMS; ++i) {
                const float16 inside = lanes < count - 16 * v ? sums[i] : (float16)(0.0f);
                ADD_PAIR(REAL, high[i], low[i], inside, (REAL)(0.0f));
            }
#endif
        }
    }
#if !MAPS
    __global float2 *to = (__global float2 *)dst + sums_of(unit, channel);
    for (int i = 0; i < SUMS; ++i) {
        const float *highs = (const float *)(high + i);
        const float *lows = (const float *)(low + i);
        float sum = 0.0f, rest = 0.0f;
        for (int lane = 0; lane < 16; ++lane)
            ADD_PAIR(float, sum, rest, highs[lane], lows[lane]);
        to[i] = (float2)(sum, rest);
    }
#endif
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void ssimulacra2_strips(__global const float *restrict reference,
                        __global const float *restrict distorted, SHARES_PARAMETER
                        __global float *restrict dst, __global const int *restrict scales,
                        const int scale_count, const Blur blur) {
    compare_strip(PLACE, reference, distorted, SHARES_ARGUMENT dst, scales, scale_count, blur);
}
