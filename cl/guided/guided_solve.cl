// The slopes and the offset of the linear function of the guide that is nearest to the image around
// each pixel, from the means that guided_products has values for. An item makes those of a pixel.
#include "lib/geometry.clh"
#include "lib/pixel.clh"
#define REAL float
#define AS_REAL as_float
#define AS_BITS as_uint
#include "lib/arithmetic.clh"
#include "lib/guided.clh"
#include "lib/guided_solve.clh"

#if !defined(GROUP) || !defined(CHANNELS)
#error GROUP or CHANNELS is not defined
#endif

// Means are in the order of guided_products' images, after which come the image and the guide, from
// whose first pixels `pixels` and `from` the values were taken off. means: where those of the guide
// alone are.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void guided_solve(
#if GUIDES
                  __global const float *restrict guide_mean,
                  __global const float *restrict guide_squares,
#endif
#if GUIDES == 3
                  __global const float *restrict guide_more,
#endif
                  __global const float *restrict mean, __global const float *restrict products,
#if GUIDES == 3
                  __global const float *restrict products1,
                  __global const float *restrict products2,
#endif
                  __global const SRC *restrict image,
#if GUIDES
                  __global const GUIDE *restrict guide,
#endif
                  __global float *restrict slope,
#if GUIDES == 3
                  __global float *restrict slope1, __global float *restrict slope2,
#endif
                  __global float *restrict offset, const Geometry g, const GuidePlaces means,
                  const GuidePlaces pixels, const GuidePlaces from, const GuidedNumbers numbers,
                  const int columns) {
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int batch = get_global_id(2);
    if (x >= columns)
        return;
    const long in = src_start(g, batch) + y * g.src_row + x * CHANNELS;
    const long out = dst_start(g, batch) + y * g.dst_row + x * CHANNELS;
    __global const SRC *first = image + start_of_places(g, batch, pixels);
    const float epsilon = numbers.epsilon;
#if GUIDES
    __global const GUIDE *origin = guide + start_of_places(g, batch, from);
    const long at = start_of_places(g, batch, means) + y * means.row + x * GUIDES;
    const float m0 = guide_mean[at];
    const float k0 = m0 + pivot_of(LOAD_GUIDE(origin), numbers);
    const float v00 = variance_of(guide_squares[at], m0);
#endif
#if GUIDES == 3
    // The covariance matrix as L D L^T. As its pivots are those of a matrix to whose diagonal
    // epsilon was added, they are not less.
    const float m1 = guide_mean[at + 1];
    const float m2 = guide_mean[at + 2];
    const float k1 = m1 + pivot_of(LOAD_GUIDE(origin + 1), numbers);
    const float k2 = m2 + pivot_of(LOAD_GUIDE(origin + 2), numbers);
    const float v01 = fma(-m0, m1, guide_squares[at + 1]);
    const float v02 = fma(-m0, m2, guide_squares[at + 2]);
    const float v11 = variance_of(guide_more[at], m1);
    const float v12 = fma(-m1, m2, guide_more[at + 1]);
    const float v22 = variance_of(guide_more[at + 2], m2);
    const float d0 = v00 + epsilon;
    const float l10 = quotient(v01, d0);
    const float l20 = quotient(v02, d0);
    const float rest1 = fma(-l10, v01, v11);
    const float d1 = (rest1 < 0.0f ? 0.0f : rest1) + epsilon;
    const float e12 = fma(-l10, v02, v12);
    const float l21 = quotient(e12, d1);
    const float rest2 = fma(-l21, e12, fma(-l20, v02, v22));
    const float d2 = (rest2 < 0.0f ? 0.0f : rest2) + epsilon;
#endif
    for (int c = 0; c < CHANNELS; ++c) {
        const float m = mean[in + c];
        const float k = m + pivot_of(LOAD(first + c), numbers);
#if GUIDES == 0
        const float v = variance_of(products[in + c], m);
        const float a = slope_of(v, v, epsilon);
        offset[out + c] = fma(-a, k, k);
        slope[out + c] = a;
#elif GUIDES == 1
        const float a = slope_of(fma(-m0, m, products[in + c]), v00, epsilon);
        offset[out + c] = fma(-a, k0, k);
        slope[out + c] = a;
#else
        const float r0 = fma(-m0, m, products[in + c]);
        const float r1 = fma(-l10, r0, fma(-m1, m, products1[in + c]));
        const float r2 = fma(-l21, r1, fma(-l20, r0, fma(-m2, m, products2[in + c])));
        const float a2 = quotient(r2, d2);
        const float a1 = fma(-l21, a2, quotient(r1, d1));
        const float a0 = fma(-l20, a2, fma(-l10, a1, quotient(r0, d0)));
        slope[out + c] = a0;
        slope1[out + c] = a1;
        slope2[out + c] = a2;
        offset[out + c] = fma(-a0, k0, fma(-a1, k1, fma(-a2, k2, k)));
#endif
    }
}
