#include "filter/filter.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"

namespace gz {

namespace {

void check(const Taps &taps) {
    constexpr const char *axis_name[] = {"x", "y", "z", "t"};
    for (std::size_t i = 0; i < 4; ++i) {
        require(taps.size[i] >= 1, "taps have the size ", taps.size[i], " along ", axis_name[i],
                "; at least one tap is needed");
        require(taps.anchor[i] >= 0 && taps.anchor[i] < taps.size[i], "the anchor is ",
                taps.anchor[i], " along ", axis_name[i], "; it must be from 0 to ",
                taps.size[i] - 1);
    }
    if (taps.size[2] > 1 || taps.size[3] > 1)
        fail(Status::unsupported, "taps of ", to_text(taps.size),
             " extend along z or t; only two-dimensional taps are supported so far");
    for (std::size_t i = 0; i < 2; ++i)
        if (taps.size[i] > max_taps)
            fail(Status::unsupported, "taps have the size ", taps.size[i], " along ", axis_name[i],
                 "; up to ", max_taps, " are supported");
    require(taps.values.size() == static_cast<std::size_t>(taps.size[0] * taps.size[1]), "taps of ",
            to_text(taps.size), " need ", taps.size[0] * taps.size[1], " values, not ",
            taps.values.size());
    for (std::size_t i = 0; i < taps.values.size(); ++i)
        require(std::abs(taps.values[i]) <= std::numeric_limits<float>::max(), "tap ", i, " is ",
                taps.values[i], "; taps must be finite in f32");
}

} // namespace

Filter::Filter(std::string name, Taps taps)
    : name_(std::move(name)), taps_(std::move(taps)), factors_(factors_of(taps_)) {}

Filter Filter::correlate(Taps taps) {
    check(taps);
    return Filter("correlate", std::move(taps));
}

Filter Filter::convolve(Taps taps) {
    check(taps);
    return Filter("convolve", reversed(taps));
}

double Filter::error_bound(double largest) const {
    constexpr double u = 0x1p-24;
    if (taps_.sum_of_magnitudes() * largest > std::numeric_limits<float>::max())
        return std::numeric_limits<double>::infinity();
    const Axes &size = taps_.size;
    const double chain = static_cast<double>(factors_ ? size[0] + size[1] : size[0] * size[1]) * u;
    const double rounding = factors_ ? 3.0 * u + separable_tolerance : 2.0 * u;
    constexpr double half_of_smallest = 0x1p-150;
    const auto steps = static_cast<double>((size[0] + 1) * size[1]); // at most
    const double underflow = half_of_smallest * steps * (1.0 + largest) *
                             (factors_ ? 1.0 + taps_.sum_of_magnitudes() : 1.0);
    return (chain / (1.0 - chain) + rounding) * taps_.sum_of_magnitudes() * largest + underflow;
}

} // namespace gz
