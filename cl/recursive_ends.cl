// The states from which the sections of a stage start where the line begins and ends: a weighted sum
// of its first and last samples. An item makes those of a line.
#include "lib/pixel.clh"
#include "lib/lines.clh"

#if !defined(STATES) || !defined(GROUP)
#error STATES or GROUP is not defined
#endif
#define UNROLL _Pragma("unroll")

// weights: STATES constants, then for each of the first `near` samples STATES weights, and then for
// each of the last `far`, the last first.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void recursive_ends(__global const SRC *restrict src, __global float *restrict ends,
                    const Lines lines, __global const float *restrict weights, const int near,
                    const int far) {
    const int line = get_global_id(0);
    const int batch = get_global_id(2);
    if (line >= lines.lines)
        return;
    __global const SRC *from = src + SRC_LINE(line, batch);
    float sum[STATES];
    UNROLL for (int s = 0; s < STATES; ++s)
        sum[s] = weights[s];
    weights += STATES;
    for (int i = 0; i < near; ++i) {
        const float x = LOAD(from + i * lines.src.step);
        UNROLL for (int s = 0; s < STATES; ++s)
            sum[s] = fma(weights[i * STATES + s], x, sum[s]);
    }
    weights += near * STATES;
    for (int i = 0; i < far; ++i) {
        const float x = LOAD(from + (lines.length - 1 - i) * lines.src.step);
        UNROLL for (int s = 0; s < STATES; ++s)
            sum[s] = fma(weights[i * STATES + s], x, sum[s]);
    }
    UNROLL for (int s = 0; s < STATES; ++s)
        ends[((long)batch * STATES + s) * lines.lines + line] = sum[s];
}
