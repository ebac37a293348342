// Distances of results from the expected ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <vector>

namespace support {

// Returns |a - b|; infinite where that is no number, as nothing compares with NaN and std::max would drop it.
inline double difference(double a, double b) {
    const double found = std::abs(a - b);
    return std::isnan(found) ? std::numeric_limits<double>::infinity() : found;
}

// Returns the largest over two lines of values; infinite where one of them is longer.
template <class Line, class Other> double largest_difference(const Line &a, const Other &b) {
    if (std::size(a) != std::size(b))
        return std::numeric_limits<double>::infinity();
    double most = 0.0;
    for (std::size_t i = 0; i < std::size(a); ++i)
        most = std::max(most, difference(static_cast<double>(a[i]), static_cast<double>(b[i])));
    return most;
}

inline double largest_difference(const std::vector<double> &a, const std::vector<double> &b) {
    return largest_difference<std::vector<double>, std::vector<double>>(a, b);
}

} // namespace support
