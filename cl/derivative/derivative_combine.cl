// Images of derivatives combined, ITEM values an item.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#include "lib/values.clh"
#include "lib/arithmetic.clh"
#include "lib/root.clh"
#include "lib/eigenvalues.clh"

#ifndef GROUP
#error GROUP is not defined
#endif
// Images that are read, from 1 to 6.
#ifndef IMAGES
#error IMAGES is not defined
#endif
// A number of gauze_derivative_result in gauze.h.
#ifndef RESULT
#error RESULT is not defined
#endif
#define LAPLACIAN 2
#define MAGNITUDE 3
#define ORIENTATION 4
#define EIGENVALUE 5
#define STRUCTURE 6
// Which of the eigenvalues: 0 for the largest.
#ifndef NUMBER
#error NUMBER is not defined
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void derivative_combine(__global const SRC *restrict first,
#if IMAGES > 1
                        __global const SRC *restrict second,
#endif
#if IMAGES > 2
                        __global const SRC *restrict third,
#endif
#if IMAGES > 3
                        __global const SRC *restrict fourth,
#endif
#if IMAGES > 4
                        __global const SRC *restrict fifth, __global const SRC *restrict sixth,
#endif
                        __global DST *restrict dst, const Geometry g) {
    const int x = (int)get_global_id(0) * ITEM;
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    const int count = g.width - x;
    if (count <= 0)
        return;
    const long at = src_start(g, batch) + y * g.src_row + x;
#if RESULT == ORIENTATION
    const REAL result =
        angle(load_values(first + at, count), load_values(second + at, count));
#elif RESULT == EIGENVALUE && IMAGES == 3
    const REAL result =
        eigenvalue2(load_values(first + at, count), load_values(second + at, count),
                    load_values(third + at, count), NUMBER);
#elif RESULT == EIGENVALUE
    const REAL result =
        eigenvalue3(load_values(first + at, count), load_values(second + at, count),
                    load_values(third + at, count), load_values(fourth + at, count),
                    load_values(fifth + at, count), load_values(sixth + at, count), NUMBER);
#elif RESULT == STRUCTURE
    const REAL own = load_values(first + at, count);
#if IMAGES > 1
    const REAL result = own * load_values(second + at, count);
#else
    const REAL result = own * own;
#endif
#else
#if RESULT == LAPLACIAN
#define ADD(sum, value) ((sum) + (value))
    REAL sum = load_values(first + at, count);
#elif RESULT == MAGNITUDE
#define ADD(sum, value) fma(value, value, sum)
    REAL sum = load_values(first + at, count);
    sum *= sum;
#else
#error RESULT is not one of several derivatives
#endif
#if IMAGES > 1
    const REAL b = load_values(second + at, count);
    sum = ADD(sum, b);
#endif
#if IMAGES > 2
    const REAL c = load_values(third + at, count);
    sum = ADD(sum, c);
#endif
#if IMAGES > 3
    const REAL d = load_values(fourth + at, count);
    sum = ADD(sum, d);
#endif
#if RESULT == MAGNITUDE
    const REAL result = root(sum);
#else
    const REAL result = sum;
#endif
#endif
    store_values(result, dst + dst_start(g, batch) + y * g.dst_row + x, count);
}
