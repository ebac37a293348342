// The states from which the sections of a stage start where the line begins and ends: a weighted
// sum of its first and last samples. PARTS items share those of a line, LANES lines are of one
// group. The STATES are those from FIRST_STATE on of ALL_STATES.
#include "lib/inline.clh"
#include "lib/pixel.clh"
#include "lib/lines.clh"
#include "lib/recursive_state.clh"

#if !defined(STATES) || !defined(LANES) || !defined(PARTS)
#error STATES, LANES or PARTS is not defined
#endif
#if !defined(ALL_STATES) || !defined(FIRST_STATE) || !defined(ENDS_ARE_STATES)
#error ALL_STATES, FIRST_STATE or ENDS_ARE_STATES is not defined
#endif
#include "lib/recursive_starts.clh"
// Sums may be kept in more than the states that they become.
#if ENDS_ARE_STATES
#define END ONE_STATE
#define TO_END(sum) (sum)
#else
#define END float
#define TO_END(sum) TO_REAL(sum)
#endif
#define OF_LINE(s) ends[((long)batch * ALL_STATES + FIRST_STATE + (s)) * lines.lines + line]
#if PARTS > 1 // some drivers cannot be given local memory that is not used
#define SUMS_PARAMETER , __local STATE *sums
#else
#define SUMS_PARAMETER
#endif

// weights, near, far: see recursive_starts.clh.
__kernel __attribute__((reqd_work_group_size(LANES, PARTS, 1)))
void recursive_ends(__global const SRC *restrict src, __global END *restrict ends,
                    const Lines lines, __global const STATE *restrict weights, const int near,
                    const int far SUMS_PARAMETER) {
    const int line = get_global_id(0);
    const int part = get_local_id(1);
    const int batch = get_global_id(2);
    STATE sum[STATES];
    UNROLL for (int s = 0; s < STATES; ++s)
        sum[s] = NOTHING;
    if (line < lines.lines)
        add_ends(sum, weights, src + SRC_LINE(line, batch), lines, near, far, part, PARTS);
#if PARTS > 1
    const int lane = get_local_id(0);
    UNROLL for (int s = 0; s < STATES; ++s)
        sums[(s * PARTS + part) * LANES + lane] = sum[s];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = part; s < STATES; s += PARTS) {
        STATE all = NOTHING;
        for (int p = 0; p < PARTS; ++p)
            all = PLUS(all, sums[(s * PARTS + p) * LANES + lane]);
        if (line < lines.lines)
            OF_LINE(s) = TO_END(PLUS(all, weights[s]));
    }
#else
    if (line < lines.lines)
        UNROLL for (int s = 0; s < STATES; ++s)
            OF_LINE(s) = TO_END(PLUS(sum[s], weights[s]));
#endif
}
