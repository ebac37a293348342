// A box of filter taps, and whether it is the product of a row and a column.
#pragma once

#include <optional>
#include <vector>

#include "core/types.hpp"

namespace gz {

struct Taps {
    Axes size{1, 1, 1, 1};
    Axes anchor{0, 0, 0, 0};
    std::vector<double> values; // C order, x fastest; empty where taps are given per axis

    double sum_of_magnitudes() const;
};

// The taps in the opposite order along every axis: convolving with k is correlating with
// reversed(k).
Taps reversed(const Taps &taps);

// Taps along each axis whose product the taps are; empty for z and t where these are not filtered.
struct SeparableTaps {
    std::vector<double> x, y, z{}, t{};
};

// How far the product may be from the taps, as a share of the sum of their magnitudes: what
// rounding the taps to f32 and back does to a product.
inline constexpr double separable_tolerance = 0x1p-22;

// Returns the factors of two-dimensional taps of rank one, else nothing. The taps alone decide, so that the
// order of arithmetic never depends on the device, the kernel or the image.
std::optional<SeparableTaps> factors_of(const Taps &taps);

} // namespace gz
