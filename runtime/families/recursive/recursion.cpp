#include "families/recursive/recursion.hpp"

#include <numeric>

namespace gz {

double Recursion::gain(int axis) const {
    double result = 1.0;
    const auto sum = [](const std::vector<double> &values) {
        return std::accumulate(values.begin(), values.end(), 0.0);
    };
    for (const Scan &scan : scans)
        if (scan.axis == axis)
            result *= sum(scan.feedforward) / (1.0 - sum(scan.feedback));
    const Modes &own = modes[static_cast<std::size_t>(axis)];
    if (own.empty())
        return result;
    if (own.odd)
        return 0.0;
    double response = own.direct;
    for (std::size_t i = 0; i < own.poles.size(); ++i)
        response += (own.weights[i] * (1.0 + own.poles[i]) / (1.0 - own.poles[i])).real();
    return result * response;
}

} // namespace gz
