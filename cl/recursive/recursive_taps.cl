// Taps of a recursive filter's stage along a line, an item a result: the zeros of the filter for
// which it has no poles. The line is read as its border extends it.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#define CHANNELS 1
#include "lib/border.clh"
#include "lib/lines.clh"
#include "lib/recursive_state.clh"

#if !defined(ALONG_ROWS)
#error ALONG_ROWS is not defined
#endif

// taps[i] is of the sample first_tap + i further on. Samples lie along x where they lie in rows,
// else lines do.
__kernel void recursive_taps(__global const SRC *restrict src, __global DST *restrict dst,
                             const Lines lines, __global const ONE_STATE *restrict taps,
                             const int count, const int first_tap, const int border_mode,
                             const float border_value) {
#if ALONG_ROWS
    const int n = lines.begin + (int)get_global_id(0);
    const int line = get_global_id(1);
#else
    const int n = lines.begin + (int)get_global_id(1);
    const int line = get_global_id(0);
#endif
    const int batch = get_global_id(2);
    if (line >= lines.lines || n >= lines.end)
        return;
    __global const SRC *from = src + SRC_LINE(line, batch);
    STATE sum = NOTHING;
    for (int i = 0; i < count; ++i) {
        const int at = fold(n + first_tap + i, 0, lines.length, border_mode);
        const float x = at == OUTSIDE ? border_value : LOAD(from + at * lines.src.step);
        sum = MULTIPLY_ADD(taps[i], TO_STATE(x), sum);
    }
    STORE(TO_REAL(sum), dst + DST_LINE(line, batch) + (n - lines.begin) * lines.dst.step);
}
