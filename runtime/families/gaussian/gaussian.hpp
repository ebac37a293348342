// Gaussians and their derivatives, by taps, by sums of exponentials or by boxes: filters of other families.
#pragma once

#include <array>
#include <vector>

#include "families/description.hpp"

namespace gz {

enum class GaussianMethod : gauze_gaussian_method {
    automatic = GAUZE_GAUSSIAN_AUTO,
    fir = GAUZE_GAUSSIAN_FIR,
    recursive = GAUZE_GAUSSIAN_RECURSIVE,
    box = GAUZE_GAUSSIAN_BOX
};

// A Gaussian, or its derivatives.
struct Gaussian {
    std::array<double, 4> sigma{0, 0, 0, 0}; // 0: no filtering along this axis
    std::array<int, 4> derivative{0, 0, 0, 0};
    double truncate = 4.0; // radius of sampled taps in sigmas
    GaussianMethod method = GaussianMethod::automatic;
    // How far results of the recursive method, and so of the automatic one, may be from the exact ones, for
    // pixels from 0 to 1, rounding aside. Derivatives of order n are measured in units of sigma^-n.
    double accuracy = 1e-3;
};

// The range of sigma of a recursive Gaussian. Below it sampled taps are few; above it poles are closer to
// 1 than f32 bears.
inline constexpr double min_recursive_sigma = 0.5;
inline constexpr double max_recursive_sigma = 10000.0;

// The taps of a Gaussian along one axis, or of its derivative: exp(-i^2 / (2 sigma^2)), |i| <=
// int(truncate sigma + 0.5), divided by their sum; for a derivative times its polynomial (-1)^n
// He_n(i / sigma) / sigma^n, mirrored so that the correlation with a ramp gives its slope.
std::vector<double> gaussian_taps(double sigma, int derivative, double truncate);

// Refuses parameters out of range, and an automatic Gaussian that no method can compute.
void check(const Gaussian &gaussian);

// Returns the Gaussian by one of the methods, as a filter of another family. An automatic one is computed by
// taps, or by sums of exponentials where there are too many taps.
Filter by_method(const Gaussian &gaussian);
// The same filter, but for an automatic Gaussian the one that by_method() gives.
Filter without_device(const Filter &filter);
// Returns why there are more taps along an axis than the limit; "" where there are not.
std::string excess_of_taps(const Gaussian &gaussian);

std::string to_text(const Gaussian &filter);
void check_border(const Gaussian &filter, const Border &border);
double error_bound(const Gaussian &filter, double largest);
double rounding_bound(const Gaussian &filter, double largest);
AxesReach reach_of(const Gaussian &filter);
bool rounds_once(const Gaussian &filter, const Rounded &images);
Results results_of(const Gaussian &filter);
void compute(const Gaussian &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink);

} // namespace gz
