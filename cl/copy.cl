// A plain copy: the yardstick that filters are measured against. Counts are in uint4, 16 bytes.
#if !defined(GROUP_X) || !defined(CHUNK)
#error GROUP_X or CHUNK is not defined
#endif

// An item copies CHUNK vectors that lie side by side (for CPUs), or one, if CHUNK is 1 (for GPUs).
__kernel __attribute__((reqd_work_group_size(GROUP_X, 1, 1)))
void copy_vectors(__global const uint4 *restrict src, __global uint4 *restrict dst,
                  const ulong count) {
#if CHUNK == 1
    const size_t i = get_global_id(0);
    if (i < count)
        dst[i] = src[i];
#else
    const ulong first = get_global_id(0) * (ulong)CHUNK;
    const ulong end = min(first + CHUNK, count);
    for (ulong i = first; i < end; ++i)
        dst[i] = src[i];
#endif
}
