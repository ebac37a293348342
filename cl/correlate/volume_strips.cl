// Correlation with dense taps in three or four dimensions, for CPUs: an item makes a band of rows of a strip of a slice,
// four rows at a time. For each slice that a result needs, a ring in private memory holds its last rows, as the border
// extends them.
#include "lib/inline.clh"
#include "lib/geometry.clh"
#include "lib/volume.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/dense_taps.clh"
#include "lib/host_compiler.clh"
#include "lib/once.clh"

#if !defined(SLICES) || !defined(LONGEST) || !defined(STRIP)
#error SLICES, LONGEST or STRIP is not defined
#endif

// SLICES is the number of slices that a result is made from, LONGEST that of the taps along x or y.
#define SLOTS (LONGEST + ROWS - 1)
#define PITCH ((STRIP + (LONGEST - 1) * CHANNELS + 15) / 16 * 16 + 16)
#define RING (SLOTS * PITCH)
#define TAPS_INSIDE g.taps_x
#define TAPS_ROW g.taps_x
#define LOAD_RING(i, p) vload16(i, p)
#include "lib/strip_rows.clh"
#if STRIP % SPAN != 0
#error STRIP must be a multiple of SPAN
#endif

// band: rows of an item.
ONCE void filter_strip(const int3 place, __global const SRC *restrict src,
                       __global DST *restrict dst, const Geometry g, const Volume v, TAPS taps,
                       const int band) {
    const int left = place.x * STRIP;
    const int top = place.y * band;
    const int batch = place.z;
    const int all = batch / g.slices; // volumes of all planes
    const int slice = batch - all * g.slices;
    const int plane = all / g.volumes;
    const int volume = all - plane * g.volumes;
    const int count = min(STRIP, g.width - left);
    const int rows = min(band, g.height - top);
    const int padded = (count + SPAN - 1) / SPAN * SPAN;
    const int apron = (g.taps_x - 1) * CHANNELS;
    const int first = left - g.anchor_x * CHANNELS; // index in the source of what tap 0 reads
    __global DST *to = dst + g.dst_first + plane * g.dst_plane + volume * g.dst_volume +
                       slice * g.dst_slice + top * g.dst_row + left;

    // The slices' pixels (0, 0); 0 where the border has its constant.
    __global const SRC *origins[SLICES];
    for (int l = 0; l < v.taps_t; ++l) {
        const int t = fold(volume + l - v.anchor_t, v.valid_first, v.valid_end, g.border_mode);
        for (int k = 0; k < v.taps_z; ++k) {
            const int z = fold(slice + k - v.anchor_z, v.valid_front, v.valid_back, g.border_mode);
            origins[l * v.taps_z + k] = t == OUTSIDE || z == OUTSIDE
                                            ? 0
                                            : src + g.src_first + plane * g.src_plane +
                                                  t * g.src_volume + z * g.src_slice;
        }
    }

    int16 ring_vectors[SLICES * RING / 16];
    int *rings = (int *)ring_vectors;
    int next = 0; // source rows read so far; row r is at slot r % SLOTS of each ring
    for (int y = 0; y < rows;) {
        const int made = min(ROWS, rows - y);
        // Where the rows needed begin in a ring, the oldest first.
        const int needed = made + g.taps_y - 1;
        const int oldest = y % SLOTS;
        long begins[SLOTS];
        for (int i = 0; i < needed; ++i)
            begins[i] = (oldest + i < SLOTS ? oldest + i : oldest + i - SLOTS) * PITCH;
        for (int i = next - y; i < needed; ++i) {
            const int row = fold_row(g, top + y + i - g.anchor_y);
            for (int k = 0; k < SLICES; ++k)
                extend_row(rings + k * RING + begins[i], origins[k], g,
                           origins[k] == 0 ? OUTSIDE : row, first, count + apron, padded + apron);
        }
        // The rows that the next ones of the target need besides.
        __global const SRC *expected[ROWS * SLICES];
        int expected_rows = 0;
        for (int i = y + needed; i < min(y + needed + ROWS, rows + g.taps_y - 1); ++i) {
            const int row = fold_row(g, top + i - g.anchor_y);
            for (int k = 0; k < SLICES; ++k)
                if (row != OUTSIDE && origins[k] != 0)
                    expected[expected_rows++] = origins[k] + row * g.src_row + left;
        }

        Burst burst;
        start_burst(&burst);
        int x = 0;
        for (; x < count; x += SPAN) {
            if (x % EXPECTED == 0)
                for (int i = 0; i < expected_rows; ++i)
                    expect(expected[i] + x);
            Sums sums;
            start_sums(&sums);
            for (int k = 0; k < SLICES; ++k) {
                const int *ring = rings + k * RING + x;
                TAPS_SPACE const float *slice_taps = taps + k * g.taps_y * g.taps_x;
#if ROWS == 4
                if (made == 4 && g.taps_y >= 3)
                    add_for_four(&sums, ring, begins, g, slice_taps);
                else
#endif
                    add_for(made, &sums, ring, begins, g, slice_taps);
            }
            if (made < ROWS || count - x < SPAN)
                store_part(&sums, to + x, g.dst_row, made, min(count - x, SPAN));
            else
                store_span(&burst, &sums, to, g.dst_row, x);
        }
        if (made == ROWS)
            store_rest(&burst, to, g.dst_row, count / SPAN * SPAN);
        next = y + needed;
        y += made;
        to += made * g.dst_row;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void volume_strips(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                   const Volume v, TAPS taps, const int band) {
    filter_strip(PLACE, src, dst, g, v, taps, band);
}
