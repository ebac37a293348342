// Filters: what to compute. Immutable values that know nothing of OpenCL.
#pragma once

#include <optional>
#include <string>

#include "filter/taps.hpp"

namespace gz {

// out[p] = sum over j of k[j] in[p + j - anchor]. A convolution is the correlation with its
// reversed taps: one formula, one order of arithmetic.
class Filter {
public:
    static Filter correlate(Taps taps);
    static Filter convolve(Taps taps);

    const std::string &name() const { return name_; } // as the user called it
    const Taps &taps() const { return taps_; }        // of the correlation
    // Set where the taps are run as a row and a column.
    const std::optional<SeparableTaps> &factors() const { return factors_; }

    // Bound of |result - exact result| for a source whose magnitudes, border included, reach
    // `largest`, in f32 before the result is stored. A chain of n fused multiply-adds errs by at
    // most n u / (1 - n u) of the sum of the magnitudes of its terms, u = 2^-24 (Higham, Accuracy
    // and Stability of Numerical Algorithms, 2nd ed., section 3.1); one u more each for rounding a
    // tap and the border's constant, the tolerance of separable taps, and half of f32's smallest
    // number for each tap and each step that may underflow. Infinite
    // where f32 may overflow on the way.
    double error_bound(double largest) const;

private:
    Filter(std::string name, Taps taps);

    std::string name_;
    Taps taps_;
    std::optional<SeparableTaps> factors_;
};

// Largest size of taps along x and y; along z and t only 1 is supported so far.
inline constexpr std::int64_t max_taps = 63;

} // namespace gz
