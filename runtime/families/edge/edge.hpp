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
    double accuracy = 0.0;                       // of weights: see weights.hpp

    std::int64_t pixels() const {
        return (2 * radius[0] + 1) * (2 * radius[1] + 1) * (2 * radius[2] + 1);
    }
};

Bilateral bilateral(double sigma_space, double sigma_range,
                    const std::array<std::int64_t, 3> &radius, double accuracy = 0.0);

// int(2 sigma_space + 0.5)
std::int64_t bilateral_radius(double sigma_space);

// A weight is exp(-u), where u is the sum of the squares of both distances in sigmas, halved. Kernels compute its v as
// fma(e, -scale, space[j]), where e is the sum over channels of the squares of differences, and j a place of the window,
// x fastest.
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
