// Filters with taps: correlations and convolutions with dense taps, or with taps along each axis.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "families/correlate/taps.hpp"
#include "families/description.hpp"

namespace gz {

// out[p] = sum over j of k[j] in[p + j - anchor], with one set of taps. A convolution is the
// correlation with its reversed taps: one formula, one order of arithmetic.
struct Correlation {
    Taps taps; // without values where `factors` were given instead
    // Set where the taps are run axis by axis.
    std::optional<SeparableTaps> factors;

    // Whether a result depends on slices besides its own.
    bool is_volume() const { return taps.size[2] > 1 || taps.size[3] > 1; }

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

// Taps along each axis, none where it is not filtered; anchors default to the middle.
struct AxisTaps {
    std::array<std::vector<double>, 4> values;
    std::optional<Axes> anchor;
};

// A filter with taps, the same for all components or not: channel c of plane p of an image with n channels is
// component p n + c.
struct Correlate {
    std::string name; // as the user named the filter
    Correlation correlation;
    std::map<std::int64_t, Correlation> components{}; // components with their own taps

    const Correlation &of(std::int64_t component) const;
    const Taps &taps() const { return correlation.taps; }
    const std::optional<SeparableTaps> &factors() const { return correlation.factors; }
};

// Refuse taps that are empty, too many or not finite in f32.
Correlate correlate(Taps taps);
Correlate convolve(Taps taps);
Correlate separable(const AxisTaps &taps, std::string name = "separable");
// The filter with the taps of `other` for one component. Refuses taps that extend along z or t.
Correlate with_component(Correlate filter, std::int64_t component, const Correlate &other);

std::string to_text(const Correlate &filter);
void check_border(const Correlate &filter, const Border &border);
double error_bound(const Correlate &filter, double largest);
double rounding_bound(const Correlate &filter, double largest);
AxesReach reach_of(const Correlate &filter);
bool rounds_once(const Correlate &filter, const Rounded &images);
Results results_of(const Correlate &filter);
void compute(const Correlate &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink);

// Every row of the region in the canonical order: one chain of fma over the taps in memory order
// from 0, or, where the taps are separable, a chain along x for each row, then one along y, then along
// z and t.
void compute_in_f32(const Correlate &filter, const ReferenceJob &job, const RowSink<float> &sink);

// Largest sizes of taps along an axis.
inline constexpr std::int64_t max_taps = 63;         // for a box of taps along x and y
inline constexpr std::int64_t max_volume_taps = 15;  // for a box that extends along z or t
inline constexpr std::int64_t max_axis_taps = 4095;  // for taps given per axis
inline constexpr std::int64_t max_components = 1024; // components that can have their own taps

} // namespace gz
