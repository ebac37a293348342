// Correlation with dense taps in three or four dimensions, straight from the source: an item makes
// STACK results along z, so that a value that it loads serves as many of them as reach it (Broxvall
// and others block registers like that for echocardiography).
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/volume.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/dense_taps.clh"

#if !defined(GROUP_X) || !defined(GROUP_Y) || !defined(STACK) || !defined(IS_CUBE)
#error GROUP_X, GROUP_Y, STACK or IS_CUBE is not defined
#endif


// Cubes of a few taps along each axis, ALONG_Z and ALONG_T (1: none), have programs of their own, where
// the taps are an argument by value and every loop is unrolled, for items that read nothing outside.
#if IS_CUBE
#define COUNT (CUBE * CUBE * ALONG_Z * ALONG_T)
typedef struct Cube {
    float taps[COUNT];
} Cube;
#define CUBE_PARAMETER , const Cube cube
#define SUM_CUBE(VALUE_AT)                                                                         \
    UNROLL for (int l = 0; l < ALONG_T; ++l)                                                       \
        UNROLL for (int k = 0; k < ALONG_Z + STACK - 1; ++k)                                       \
            UNROLL for (int j = 0; j < CUBE; ++j) {                                                \
                __global const SRC *at_ =                                                          \
                    corner + l * g.src_volume + k * g.src_slice + j * g.src_row;                   \
                UNROLL for (int i = 0; i < CUBE; ++i) {                                            \
                    const float value = VALUE_AT(at_, i);                                          \
                    UNROLL for (int o = 0; o < STACK; ++o)                                         \
                        if (k - o >= 0 && k - o < ALONG_Z)                                         \
                            sum[o] =                                                               \
                                fma(cube.taps[((l * ALONG_Z + k - o) * CUBE + j) * CUBE + i],      \
                                    value, sum[o]);                                                \
                }                                                                                  \
            }
#else
#define CUBE_PARAMETER
#endif

// Adds the value at tap (i, j), for all results of which tap `k - o` along z is there.
#define ADD(value)                                                                                 \
    do {                                                                                           \
        const float value_ = (value);                                                              \
        UNROLL for (int o_ = 0; o_ < STACK; ++o_)                                                  \
            if (k - o_ >= 0 && k - o_ < v.taps_z)                                                  \
                sum[o_] = fma(own[i - o_ * tap_slice], value_, sum[o_]);                           \
    } while (0)

// stacks: of STACK slices, of a volume.
__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void correlate_volume(__global const SRC *restrict src, __global DST *restrict dst,
                      const Geometry g, const Volume v, const int stacks,
                      TAPS taps CUBE_PARAMETER) {
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    const int all = batch / stacks; // volumes of all planes
    const int slice = (batch - all * stacks) * STACK;
    const int plane = all / g.volumes;
    const int volume = all - plane * g.volumes;
    if (x >= g.width || y >= g.height)
        return;
    __global const SRC *origin = src + g.src_first + plane * g.src_plane;
    const int first = x - g.anchor_x * CHANNELS;
    const bool is_free = first >= g.valid_left * CHANNELS &&
                         first + (g.taps_x - 1) * CHANNELS < g.valid_right * CHANNELS;
    const int tap_slice = g.taps_x * g.taps_y;

    float sum[STACK];
    UNROLL for (int o = 0; o < STACK; ++o)
        sum[o] = 0.0f;
#if IS_CUBE
    const int top = y - g.anchor_y, front = slice - v.anchor_z, start = volume - v.anchor_t;
    if (top >= g.valid_top && top + CUBE <= g.valid_bottom && front >= v.valid_front &&
        front + ALONG_Z + STACK - 1 <= v.valid_back && start >= v.valid_first &&
        start + ALONG_T <= v.valid_end) {
        __global const SRC *corner =
            origin + start * g.src_volume + front * g.src_slice + top * g.src_row;
        if (is_free) {
#define INSIDE(row, i) LOAD((row) + first + (i) * CHANNELS)
            SUM_CUBE(INSIDE)
        } else {
            // The left and right edge: neighbours of an item go on as fast.
            int places[CUBE];
            UNROLL for (int i = 0; i < CUBE; ++i)
                places[i] = fold_value(g, first + i * CHANNELS);
#define AT_PLACE(row, i) (places[i] == OUTSIDE ? g.border_value : LOAD((row) + places[i]))
            SUM_CUBE(AT_PLACE)
        }
    } else
#endif
    for (int l = 0; l < v.taps_t; ++l) {
        const int t = fold(volume + l - v.anchor_t, v.valid_first, v.valid_end, g.border_mode);
        for (int k = 0; k < v.taps_z + STACK - 1; ++k) {
            const int z = fold(slice + k - v.anchor_z, v.valid_front, v.valid_back, g.border_mode);
            __global const SRC *from = origin + (t == OUTSIDE ? 0 : t) * g.src_volume +
                                       (z == OUTSIDE ? 0 : z) * g.src_slice;
            for (int j = 0; j < g.taps_y; ++j) {
                const int row = t == OUTSIDE || z == OUTSIDE
                                    ? OUTSIDE
                                    : fold_row(g, y + j - g.anchor_y);
                TAPS own = taps + (l * v.taps_z + k) * tap_slice + j * g.taps_x;
                if (row == OUTSIDE) {
                    for (int i = 0; i < g.taps_x; ++i)
                        ADD(g.border_value);
                } else if (is_free) {
                    __global const SRC *at = from + row * g.src_row + first;
                    for (int i = 0; i < g.taps_x; ++i)
                        ADD(LOAD(at + i * CHANNELS));
                } else {
                    for (int i = 0; i < g.taps_x; ++i)
                        ADD(read_extended(from, g, row, first + i * CHANNELS));
                }
            }
        }
    }
    __global DST *to = dst + g.dst_first + plane * g.dst_plane + volume * g.dst_volume +
                       slice * g.dst_slice + y * g.dst_row + x;
    UNROLL for (int o = 0; o < STACK; ++o)
        if (slice + o < g.slices)
            STORE(sum[o], to + o * g.dst_slice);
}
