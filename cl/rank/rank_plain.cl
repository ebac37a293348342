// Any rank of any window, an item per value, straight from the source: first the least and the largest key, and
// then bit after bit, from the first in which these two differ, by counting the keys below.
#include "lib/geometry.clh"
#include "lib/volume.clh"
#include "lib/window.clh"
#include "lib/pixel.clh"
#include "lib/border.clh"
#include "lib/window_row.clh"
#include "lib/rank_key.clh"

#ifndef GROUP_X
#error GROUP_X is not defined
#endif

// The keys of a window, of which `below` are less than a given one.
typedef struct Tally {
    int least, largest, below;
} Tally;

static inline Tally tally_keys(__global const SRC *volume, const Geometry g, const Volume v,
                               __global const WindowRun *window, int runs, const Place at,
                               int limit) {
    Tally result = {INT_MAX, INT_MIN, 0};
    for (int r = 0; r < runs; ++r) {
        const WindowRun run = window[r];
        long slice;
        const int row = row_of_run(g, v, run, at, &slice);
        for (int i = 0; i < run.count; ++i) {
            const int x = at.x + run.x + i * CHANNELS;
            const int key = key_of(read_extended(volume + slice, g, row, x));
            result.least = min(result.least, key);
            result.largest = max(result.largest, key);
            result.below += key < limit;
        }
    }
    return result;
}

// Keys in order as numbers without a sign, and back.
#define FLIPPED_SIGN(key) ((key) ^ INT_MIN)

// rank: from 0; count: the window's pixels.
__kernel __attribute__((reqd_work_group_size(GROUP_X, 1, 1)))
void rank_plain(__global const SRC *restrict src, __global DST *restrict dst, const Geometry g,
                const Volume v, __global const WindowRun *restrict window, const int runs,
                const int rank, const int count) {
    const int batch = get_global_id(2);
    const Place at = {get_global_id(0), get_global_id(1), batch % g.slices};
    if (at.x >= g.width)
        return;
    __global const SRC *volume = src + src_start(g, batch - at.slice);
    const Tally all = tally_keys(volume, g, v, window, runs, at, INT_MAX);
    int found = rank == 0 ? all.least : all.largest;
    if (rank > 0 && rank < count - 1 && all.least != all.largest) {
        // The bits of the result from the highest on: those before the first that differs are known.
        const int first = 31 - clz(all.least ^ all.largest);
        int bits = FLIPPED_SIGN(all.least) & ~(int)((2u << first) - 1u);
        for (int bit = first; bit >= 0; --bit) {
            const int tried = bits | (int)(1u << bit);
            const Tally own =
                tally_keys(volume, g, v, window, runs, at, FLIPPED_SIGN(tried));
            bits = own.below <= rank ? tried : bits;
        }
        found = FLIPPED_SIGN(bits);
    }
    STORE(value_of(found), dst + dst_start(g, batch) + at.y * g.dst_row + at.x);
}
