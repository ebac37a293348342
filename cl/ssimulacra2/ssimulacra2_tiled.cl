// The error maps of SSIMULACRA 2 and their sums, for GPUs: a group works on a tile of a channel at
// one of the scales. Rows of both planes, of their squared difference and of their power are
// filtered along x, ROW_ITEM pixels an item, into local memory; from there an item filters a column
// of BLOCK rows along y, ROWS at a time.
#define REAL float
#define AS_REAL as_float
#define AS_BITS as_uint
#include "lib/inline.clh"
#include "lib/ssimulacra2.clh"
#include "lib/arithmetic.clh"
#include "lib/ssimulacra2_errors.clh"

#if !defined(TILE_X) || !defined(TILE_Y) || !defined(ROW_ITEM) || !defined(ROWS) || !defined(SPARE)
#error TILE_X, TILE_Y, ROW_ITEM, ROWS or SPARE is not defined
#endif
#if TILE_Y % BLOCK != 0 || BLOCK % ROWS != 0 || TILE_X % ROW_ITEM != 0 || ROW_ITEM % 4 != 0
#error TILE_Y must be a multiple of BLOCK, BLOCK of ROWS, TILE_X of ROW_ITEM, ROW_ITEM of 4
#endif

#define GROUP (TILE_X * (TILE_Y / BLOCK))
#define TILE_ROWS (TILE_Y + 2 * APRON)
#define WINDOW (ROW_ITEM + 2 * APRON)
#define MU_A 0
#define MU_B 1
#define DIFFERENCES 2
#define POWERS 3
// Vectors of 4 from a row of a quantity in local memory to the next. SPARE of them keep rows that
// are written at once out of each other's banks.
#define PITCH (TILE_X / 4 + SPARE)
#define TILE_SIZE (TILE_ROWS * PITCH)

// One axis of the blur at a value, which has APRON values before it and as many after it.
INLINE float blurred_at(const float *value, const Blur blur) {
#define AT(k) value[k]
    return BLURRED(blur, AT);
#undef AT
}

INLINE void read_window(float *window, __global const float *from) {
    UNROLL for (int i = 0; i < WINDOW; i += 4) {
        const float4 four = *(__global const float4 *)(from + i);
        window[i] = four.s0;
        window[i + 1] = four.s1;
        window[i + 2] = four.s2;
        window[i + 3] = four.s3;
    }
}

// Filters ROW_ITEM values along x, to where the group finds them.
INLINE void filter_row(__local float4 *to, const float *window, const Blur blur) {
    float blurred[ROW_ITEM];
    UNROLL for (int i = 0; i < ROW_ITEM; ++i)
        blurred[i] = blurred_at(window + i + APRON, blur);
    UNROLL for (int i = 0; i < ROW_ITEM; i += 4)
        to[i / 4] = (float4)(blurred[i], blurred[i + 1], blurred[i + 2], blurred[i + 3]);
}

// Filters ROWS values of a column along y. from: its value of the first row of their aprons.
INLINE void filter_column(float *to, __local const float *from, const Blur blur) {
    float window[ROWS + 2 * APRON];
    UNROLL for (int i = 0; i < ROWS + 2 * APRON; ++i)
        window[i] = from[4 * i * PITCH];
    UNROLL for (int i = 0; i < ROWS; ++i)
        to[i] = blurred_at(window + i + APRON, blur);
}

// Sums of a group are added up by PARTS items each, and then by one.
#define PARTS 8

// dst: the sums of a tile of a channel; or planes laid out as the others, and `shares` says what
// errors add to them. tile: room for four quantities.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void ssimulacra2_tiled(__global const float *restrict reference,
                       __global const float *restrict distorted, SHARES_PARAMETER
                       __global float *restrict dst, __global const int *restrict scales,
                       const int scale_count, const Blur blur, __local float4 *tile) {
    const int item = get_local_id(0);
    const int unit = get_group_id(0);
    const int channel = get_group_id(1);
    const int scale = scale_of(unit, scales, scale_count);
    __global const int *places = scales + scale * SCALE_FIELDS;
    const int part = unit - places[SCALE_UNIT];
    const int tile_row = part / places[SCALE_ROW];
    const int left = (part - tile_row * places[SCALE_ROW]) * TILE_X;
    const int top = tile_row * TILE_Y;
    const int height = places[SCALE_HEIGHT];
    const int pitch = places[SCALE_PITCH];
    const int needs_ssim = places[SCALE_NEEDS] >> channel & 1;
    const long plane = first_of(places, channel);

    const int x = (item & (TILE_X / ROW_ITEM - 1)) * ROW_ITEM;
    for (int row = item / (TILE_X / ROW_ITEM); row < TILE_ROWS;
         row += GROUP / (TILE_X / ROW_ITEM)) {
        // Rows of zeros follow the plane's last, but not as many as a tile may have.
        const int y = min(top - APRON + row, height + APRON - 1);
        const long at = plane + (long)y * pitch + (left - APRON + x);
        float a[WINDOW], b[WINDOW];
        read_window(a, reference + at);
        read_window(b, distorted + at);
        __local float4 *to = tile + row * PITCH + x / 4;
        filter_row(to + MU_A * TILE_SIZE, a, blur);
        filter_row(to + MU_B * TILE_SIZE, b, blur);
        if (needs_ssim) {
            UNROLL for (int i = 0; i < WINDOW; ++i) {
                const float value_a = a[i];
                a[i] = DIFFERENCE_OF(value_a, b[i]);
                b[i] = POWER_OF(value_a, b[i]);
            }
            filter_row(to + DIFFERENCES * TILE_SIZE, a, blur);
            filter_row(to + POWERS * TILE_SIZE, b, blur);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int column_x = item & (TILE_X - 1);
    const int column_y = item / TILE_X * BLOCK;
    const bool inside = left + column_x < places[SCALE_WIDTH];
    __local const float *column = (__local const float *)tile + column_x;
#if !MAPS
    float sums[SUMS];
    UNROLL for (int i = 0; i < SUMS; ++i)
        sums[i] = 0.0f;
#endif
    for (int first = column_y; first < column_y + BLOCK; first += ROWS) {
        float mu_a[ROWS], mu_b[ROWS], ssim[ROWS];
        __local const float *from = column + 4 * first * PITCH;
        filter_column(mu_a, from + 4 * MU_A * TILE_SIZE, blur);
        filter_column(mu_b, from + 4 * MU_B * TILE_SIZE, blur);
        UNROLL for (int i = 0; i < ROWS; ++i)
            ssim[i] = 0.0f;
        if (needs_ssim) {
            float differences[ROWS], powers[ROWS];
            filter_column(differences, from + 4 * DIFFERENCES * TILE_SIZE, blur);
            filter_column(powers, from + 4 * POWERS * TILE_SIZE, blur);
            UNROLL for (int i = 0; i < ROWS; ++i)
                ssim[i] = ssim_error(mu_a[i], mu_b[i], differences[i], powers[i], blur);
        }
        UNROLL for (int i = 0; i < ROWS; ++i) {
            const int y = top + first + i;
            if (inside && y < height) {
                const long at = plane + (long)y * pitch + (left + column_x);
                const float edge = edge_error(reference[at], distorted[at], mu_a[i], mu_b[i]);
#if MAPS
                dst[at] = share_of(ssim[i], edge, shares, scale, channel);
#else
                add_error(sums, ssim[i]);
                add_error(sums + 2, fmax(edge, 0.0f));
                add_error(sums + 4, fmax(-edge, 0.0f));
#endif
            }
        }
    }

#if !MAPS
    // The tile is not needed any more, and has room for the sums of all items.
    __local float *all = (__local float *)tile;
    __local float2 *parts = (__local float2 *)(all + SUMS * GROUP);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < SUMS; ++i)
        all[i * GROUP + item] = sums[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < SUMS * PARTS; i += GROUP) {
        __local const float *of = all + i / PARTS * GROUP;
        float high = 0.0f, low = 0.0f;
        for (int j = i & (PARTS - 1); j < GROUP; j += PARTS)
            ADD_PAIR(float, high, low, of[j], 0.0f);
        parts[i] = (float2)(high, low);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < SUMS) {
        float high = 0.0f, low = 0.0f;
        for (int j = 0; j < PARTS; ++j)
            ADD_PAIR(float, high, low, parts[item * PARTS + j].s0, parts[item * PARTS + j].s1);
        ((__global float2 *)dst)[sums_of(unit, channel) + item] = (float2)(high, low);
    }
#endif
}
