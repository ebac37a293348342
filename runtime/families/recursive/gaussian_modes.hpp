// Gaussians, and their derivatives, as sums of exponentials.
#pragma once

#include "families/recursive/recursion.hpp"

namespace gz {

struct GaussianModes {
    Modes modes;
    Approximated approximated;
};

inline constexpr int fewest_gaussian_modes = 2;
inline constexpr int most_gaussian_modes = 4;

// The response that modes for this sigma approximate, at distances 0, 1, ...: the Gaussian sampled
// at the integers, its sum over all of them 1. The first derivative is n / sigma^2 times minus that,
// scaled so that a ramp's is its slope; the second is (n^2 / sigma^2 - 1) / sigma^2 times it, less
// and scaled by as much as makes that of a constant 0 and that of x^2 / 2 one.
std::vector<double> sampled_gaussian(double sigma, int derivative);

// Five modes would be closer than f32 can show. The weights of `count` modes are fitted to the samples by least squares; constants, ramps or
// x^2 / 2 come out exact, as for the samples. Takes time in proportion to sigma.
GaussianModes gaussian_modes(double sigma, int derivative, int count);

} // namespace gz
