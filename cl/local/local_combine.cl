// A pixel, the mean of those around it and that of their squares combined, ITEM values an item.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/values.clh"
#include "lib/arithmetic.clh"
#include "lib/root.clh"

#ifndef GROUP
#error GROUP is not defined
#endif
// A number of gauze_local_result in gauze.h.
#ifndef RESULT
#error RESULT is not defined
#endif
#define UNSHARP 0
#define HIGH_PASS 1
#define VARIANCE 2
#define DEVIATION 3
#define NORMALIZED 4
// Whether there are means of squares.
#ifndef SQUARES
#error SQUARES is not defined
#endif

// Images after the first have its pitches, and start at pixel (0, 0).
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void local_combine(__global const SRC *restrict pixels, __global const SRC *restrict means,
#if SQUARES
                   __global const SRC *restrict squares,
#endif
                   __global DST *restrict dst, const Geometry g, const float amount,
                   const float threshold, const float epsilon) {
    const int x = (int)get_global_id(0) * ITEM;
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    const int count = g.width - x;
    if (count <= 0)
        return;
    const long row = y * g.src_row + x;
    const long at = start_of_slice(g, batch, 0, g.src_slice, g.src_volume, g.src_plane) + row;
    const REAL in = load_values(pixels + src_start(g, batch) + row, count);
    const REAL mean = load_values(means + at, count);
    const REAL difference = in - mean;
#if SQUARES
    const REAL variance = fma(-mean, mean, load_values(squares + at, count));
    const REAL spread = variance < (REAL)(0.0f) ? (REAL)(0.0f) : variance; // NaN stays
#endif
#if RESULT == UNSHARP
    const REAL result = fabs(difference) > (REAL)(threshold)
                            ? fma((REAL)(amount), difference, in)
                            : in;
#elif RESULT == HIGH_PASS
    const REAL result = difference;
#elif RESULT == VARIANCE
    const REAL result = spread;
#elif RESULT == DEVIATION
    const REAL result = root(spread);
#elif RESULT == NORMALIZED
    const REAL deviation = root(spread);
    const REAL divisor = deviation < (REAL)(epsilon) ? (REAL)(epsilon) : deviation;
    const REAL result = quotient(difference, divisor);
#else
#error RESULT is not defined
#endif
    store_values(result, dst + dst_start(g, batch) + y * g.dst_row + x, count);
}
