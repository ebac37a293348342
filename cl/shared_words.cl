// Makes words 0 that groups of the next launch share. An item clears WORDS of them.
#if !defined(GROUP) || !defined(WORDS)
#error GROUP or WORDS is not defined
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void clear_words(__global uint *restrict words, const long count) {
    const long first = (long)get_group_id(0) * (GROUP * WORDS) + get_local_id(0);
    for (int k = 0; k < WORDS; ++k) {
        const long i = first + k * GROUP;
        if (i < count)
            words[i] = 0;
    }
}
