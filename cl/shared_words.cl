// Words that groups of the next launch share: tickets first, then what nobody has published yet. An
// item clears WORDS of them.
#define POLLS_ATOMICALLY 0 // here nobody polls
#include "lib/shared_words.clh"

#if !defined(GROUP) || !defined(WORDS)
#error GROUP or WORDS is not defined
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void clear_words(__global uint *restrict words, const long count, const int tickets) {
    const long first = (long)get_group_id(0) * (GROUP * WORDS) + get_local_id(0);
    for (int k = 0; k < WORDS; ++k) {
        const long i = first + k * GROUP;
        if (i < count)
            words[i] = i < tickets ? 0 : UNKNOWN;
    }
}
