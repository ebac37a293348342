// A stage of a recursive filter, a line an item: there by the causal sections, and back by the
// anticausal ones. Two filters at once go side by side.
#include "lib/pixel.clh"
#include "lib/lines.clh"
#include "lib/recursive.clh"

#if !defined(GROUP) || !defined(HAS_ENDS)
#error GROUP or HAS_ENDS is not defined
#endif

// between: what the causal sections add up to, a row of `lines` values for each sample; for the
// second of two targets behind all of the first.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void recursive_plain(SOURCES_PARAMETER, TARGETS_PARAMETER,
                     __global ONE_STATE *restrict between, __global const ONE_STATE *restrict ends,
                     const Lines lines, SECTIONS_PARAMETER) {
    const int line = get_global_id(0);
    const int batch = get_global_id(2);
    if (line >= lines.lines)
        return;
    __global const SRC *from = src + SRC_LINE(line, batch);
    __global DST *to = dst + DST_LINE(line, batch);
#if SOURCES > 1
    __global const SRC *second_from = second_src + SRC_LINE(line, batch);
#endif
#if TARGETS > 1
    __global DST *second_to = second_dst + DST_LINE(line, batch);
    const long second = (long)get_global_size(2) * lines.length * lines.lines;
#endif
    between += (long)batch * lines.length * lines.lines + line;
    State states[SECTIONS];
#if HAS_ENDS
    ends += (long)batch * STATES * lines.lines + line;
    UNROLL for (int s = 0; s < SECTIONS; ++s) {
        states[s].w = ends[(long)(s * ORDER) * lines.lines];
        states[s].v = ends[(long)(s * ORDER + ORDER - 1) * lines.lines];
    }
#else
    UNROLL for (int s = 0; s < SECTIONS; ++s)
        states[s] = AT_REST;
#endif
    Filter filter;
    READ_FILTER(filter, GIVEN, 0);
#if FILTERS > 1
    Filter second_filter;
    READ_FILTER(second_filter, GIVEN, 1);
    State *second_states = states + EACH;
#endif
    for (int n = 0; n < lines.length; ++n) {
        const STATE x = TO_STATE(LOAD(from + n * lines.src.step));
        STATE y;
        filter_causally(&filter, x, &y, states);
#if SOURCES > 1
        const STATE second_x = TO_STATE(LOAD(second_from + n * lines.src.step));
        filter_causally(&second_filter, second_x, &y, second_states);
#endif
#if ANTICAUSAL
        between[(long)n * lines.lines] = y;
#else
        if (n >= lines.begin && n < lines.end)
            STORE(TO_REAL(y), to + (n - lines.begin) * lines.dst.step);
#endif
#if TARGETS > 1
        filter_causally(&second_filter, x, &y, second_states);
#if ANTICAUSAL
        between[second + (long)n * lines.lines] = y;
#else
        if (n >= lines.begin && n < lines.end)
            STORE(TO_REAL(y), second_to + (n - lines.begin) * lines.dst.step);
#endif
#endif
    }
#if ANTICAUSAL
    for (int n = lines.length - 1; n >= lines.begin; --n) {
        const STATE x = TO_STATE(LOAD(from + n * lines.src.step));
        STATE y = between[(long)n * lines.lines];
        add_anticausal(&filter, x, &y, states);
#if SOURCES > 1
        const STATE second_x = TO_STATE(LOAD(second_from + n * lines.src.step));
        add_anticausal(&second_filter, second_x, &y, second_states);
#endif
        if (n < lines.end)
            STORE(TO_REAL(y), to + (n - lines.begin) * lines.dst.step);
#if TARGETS > 1
        y = between[second + (long)n * lines.lines];
        add_anticausal(&second_filter, x, &y, second_states);
        if (n < lines.end)
            STORE(TO_REAL(y), second_to + (n - lines.begin) * lines.dst.step);
#endif
    }
#endif
}
