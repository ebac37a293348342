// The sums of all pieces of work on a scale and channel, in a fixed order: a group for each sum.
#define REAL float
#define AS_REAL as_float
#define AS_BITS as_uint
#include "lib/ssimulacra2.clh"
#include "lib/arithmetic.clh"

#ifndef GROUP
#error GROUP is not defined
#endif
#if GROUP > 1
#define SHARED_PARAMETER , __local float2 *shared
#else
#define SHARED_PARAMETER
#endif

// parts: SUMS pairs for each unit and channel. unit_count: of all scales. dst: SUMS pairs for each
// scale and channel.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void ssimulacra2_sums(__global const float2 *restrict parts, __global float2 *restrict dst,
                      __global const int *restrict scales, const int scale_count,
                      const int unit_count SHARED_PARAMETER) {
    const int item = get_local_id(0);
    const int channel = get_group_id(0);
    const int scale = get_group_id(1);
    const int sum = get_group_id(2);
    const int begin = scales[scale * SCALE_FIELDS + SCALE_UNIT];
    const int end =
        scale + 1 < scale_count ? scales[(scale + 1) * SCALE_FIELDS + SCALE_UNIT] : unit_count;
    float high = 0.0f, low = 0.0f;
    for (int unit = begin + item; unit < end; unit += GROUP) {
        const float2 part = parts[sums_of(unit, channel) + sum];
        ADD_PAIR(float, high, low, part.s0, part.s1);
    }
#if GROUP > 1
    shared[item] = (float2)(high, low);
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step) {
            const float2 other = shared[item + step];
            ADD_PAIR(float, high, low, other.s0, other.s1);
            shared[item] = (float2)(high, low);
        }
    }
#endif
    if (item == 0)
        dst[sums_of(scale, channel) + sum] = (float2)(high, low);
}
