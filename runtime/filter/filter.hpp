// Filters: what to compute. Immutable values that know nothing of OpenCL.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "filter/taps.hpp"

namespace gz {

// out[p] = sum over j of k[j] in[p + j - anchor], with one set of taps. A convolution is the
// correlation with its reversed taps: one formula, one order of arithmetic.
struct Correlation {
    Taps taps; // without values where `factors` are what was given
    // Set where the taps are run as a row and a column.
    std::optional<SeparableTaps> factors;

    double sum_of_magnitudes() const;

    // Bound of |result - exact result| for a source whose magnitudes, border included, reach
    // `largest`, in f32 before the result is stored. A chain of n fused multiply-adds errs by at
    // most n u / (1 - n u) of the sum of the magnitudes of its terms, u = 2^-24 (Higham, Accuracy
    // and Stability of Numerical Algorithms, 2nd ed., section 3.1); one u more each for rounding a
    // tap and the border's constant, the tolerance of separable taps, and half of f32's smallest
    // number for each tap and each step that may underflow. Infinite where f32 may overflow on the
    // way.
    double error_bound(double largest) const;
};

// The mean of a box of pixels, several times over.
struct Box {
    Axes radius{0, 0, 0, 0};
    int iterations = 1;

    Axes size() const { return {2 * radius[0] + 1, 2 * radius[1] + 1, 1, 1}; }
    // As Correlation's, for floating-point pixels. One sum of 2 r + 1 pixels along x adds as many
    // times; it is then carried on by adding and subtracting over at most max(4096, 2 r + 1)
    // pixels, each step of which errs by u of the sum. Sums along y are carried in two floats.
    double error_bound(double largest) const;
};

// A Gaussian by sampled taps, or its derivatives.
struct Gaussian {
    std::array<double, 4> sigma{0, 0, 0, 0}; // 0: not along this axis
    std::array<int, 4> derivative{0, 0, 0, 0};
    double truncate = 4.0; // radius in sigmas
};

// Taps along each axis, none where it is not filtered; anchors default to the middle.
struct AxisTaps {
    std::array<std::vector<double>, 4> values;
    std::optional<Axes> anchor;
};

class Filter {
public:
    static Filter correlate(Taps taps);
    static Filter convolve(Taps taps);
    static Filter separable(const AxisTaps &taps);
    static Filter gaussian(const Gaussian &gaussian);
    static Filter box(const Box &box);
    // This filter, but with the taps of `other` for one component: channel c of plane p of an image
    // with n channels is component p n + c.
    Filter with_component(std::int64_t component, const Filter &other) const;

    const std::string &name() const { return name_; }      // as the user called it
    const std::optional<Box> &box() const { return box_; } // else a correlation
    // Of the components without taps of their own.
    const Correlation &correlation() const { return correlation_; }
    const Taps &taps() const { return correlation_.taps; }
    const std::optional<SeparableTaps> &factors() const { return correlation_.factors; }
    const Correlation &correlation(std::int64_t component) const;
    // Components with taps of their own.
    const std::map<std::int64_t, Correlation> &components() const { return components_; }

    // The largest of all components.
    double error_bound(double largest) const;

private:
    Filter(std::string name, Correlation correlation);

    std::string name_;
    Correlation correlation_;
    std::map<std::int64_t, Correlation> components_;
    std::optional<Box> box_;
};

// "correlate 3x5 taps, as a correlation anchored at (1, 2), separable"
std::string to_text(const Filter &filter);

// Largest sizes of taps along x and y; along z and t only 1 is supported so far.
inline constexpr std::int64_t max_taps = 63;        // of a box of taps
inline constexpr std::int64_t max_axis_taps = 4095; // of taps given per axis
inline constexpr std::int64_t max_box_radius = (std::int64_t{1} << 20) - 1;
inline constexpr int max_box_iterations = 16;
inline constexpr std::int64_t max_components = 1024; // that can have taps of their own

// The taps of a Gaussian along one axis, or of its derivative: exp(-i^2 / (2 sigma^2)), |i| <=
// int(truncate sigma + 0.5), divided by their sum; for a derivative times its polynomial (-1)^n
// He_n(i / sigma) / sigma^n, mirrored so that the correlation with a ramp gives its slope.
std::vector<double> gaussian_taps(double sigma, int derivative, double truncate);

} // namespace gz
