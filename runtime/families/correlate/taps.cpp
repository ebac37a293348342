#include "families/correlate/taps.hpp"

#include <algorithm>
#include <cmath>

namespace gz {

double Taps::sum_of_magnitudes() const {
    double sum = 0.0;
    for (const double k : values)
        sum += std::abs(k);
    return sum;
}

Taps reversed(const Taps &taps) {
    Taps result = taps;
    std::reverse(result.values.begin(), result.values.end());
    for (std::size_t i = 0; i < 4; ++i)
        result.anchor[i] = taps.size[i] - 1 - taps.anchor[i];
    return result;
}

std::optional<SeparableTaps> factors_of(const Taps &taps) {
    if (taps.size[2] != 1 || taps.size[3] != 1)
        return std::nullopt;
    const auto nx = static_cast<std::size_t>(taps.size[0]);
    const auto ny = static_cast<std::size_t>(taps.size[1]);

    // A rank-one matrix is the product of any row that is not zero with a column scaled to match.
    // The row and the column through the largest tap lose the fewest digits.
    const auto largest =
        std::max_element(taps.values.begin(), taps.values.end(),
                         [](double a, double b) { return std::abs(a) < std::abs(b); });
    if (*largest == 0.0)
        return std::nullopt;
    const auto pivot = static_cast<std::size_t>(largest - taps.values.begin());
    const std::size_t pivot_x = pivot % nx;
    const std::size_t pivot_y = pivot / nx;

    SeparableTaps factors;
    for (std::size_t i = 0; i < nx; ++i)
        factors.x.push_back(taps.values[pivot_y * nx + i]);
    for (std::size_t j = 0; j < ny; ++j)
        factors.y.push_back(taps.values[j * nx + pivot_x] / *largest);

    double difference = 0.0;
    for (std::size_t j = 0; j < ny; ++j)
        for (std::size_t i = 0; i < nx; ++i)
            difference += std::abs(taps.values[j * nx + i] - factors.y[j] * factors.x[i]);
    if (difference > separable_tolerance * taps.sum_of_magnitudes())
        return std::nullopt;
    return factors;
}

} // namespace gz
