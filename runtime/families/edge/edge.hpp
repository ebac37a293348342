// Edge-aware filters: means of the pixels around each that weigh those most that are like it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "families/description.hpp"

namespace gz {

inline constexpr std::int64_t max_bilateral_radius = 15;

// The mean of the pixels of a box, or square, each weighed by its distance from the middle and from the pixel there:
// Tomasi and Manduchi, 1998. All channels of a pixel have one weight.
struct Bilateral {
    double sigma_space = 1.0, sigma_range = 1.0;
    std::array<std::int64_t, 3> radius{0, 0, 0}; // along x, y, z

    std::int64_t pixels() const {
        return (2 * radius[0] + 1) * (2 * radius[1] + 1) * (2 * radius[2] + 1);
    }
};

Bilateral bilateral(double sigma_space, double sigma_range,
                    const std::array<std::int64_t, 3> &radius);

// int(2 sigma_space + 0.5)
std::int64_t bilateral_radius(double sigma_space);

// A weight is exp(-u), where u is the sum of the squares of both distances in sigmas, halved. Kernels have it as a
// function of v = max(1 - u / bilateral_reach, 0): a polynomial p0 v^3 + p1 v^2 + p2 v + p3, squared four times, with p4,
// p5 and p6 added after the first three. Rounded to f32 at each step it is within bilateral_weight_error of exp(-u), and
// less than 1e-20 where v is 0: pixels that differ without measure change nothing.
inline constexpr double bilateral_reach = 18.0;
inline constexpr double bilateral_weight_error = 1.5e-6;
inline constexpr std::array<float, 7> bilateral_weight_terms = {
    0.293249905F,  -0.313464969F, 0.934487402F,   0.0465397313F,
    0.0624572039F, 0.029112963F,  -0.00110816525F};
float bilateral_weight(float v);

// Kernels compute v as max(fma(e, -scale, space[j]), 0), where e is the sum over channels of the squares of differences,
// and j a place of the window, x fastest.
struct BilateralExponent {
    std::vector<float> space;
    float scale;
};
BilateralExponent exponent_of(const Bilateral &filter);

std::string to_text(const Bilateral &filter);
void check_border(const Bilateral &filter, const Border &border);
double error_bound(const Bilateral &filter, double largest);
double rounding_bound(const Bilateral &filter, double largest);
AxesReach reach_of(const Bilateral &filter);
bool rounds_once(const Bilateral &filter, const Rounded &images);
Results results_of(const Bilateral &filter);
void compute(const Bilateral &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink);

} // namespace gz
