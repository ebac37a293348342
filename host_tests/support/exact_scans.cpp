#include "support/exact_scans.hpp"

#include <algorithm>
#include <iterator>

#include "core/double_double.hpp"

namespace support {

namespace {

using gz::DoubleDouble;

std::vector<DoubleDouble> run(const gz::Scan &scan, const std::vector<DoubleDouble> &x) {
    std::vector<DoubleDouble> y(x.size());
    for (std::size_t n = 0; n < x.size(); ++n) {
        DoubleDouble sum;
        for (std::size_t i = 0; i < std::min(scan.feedforward.size(), n + 1); ++i)
            sum = sum + DoubleDouble(scan.feedforward[i]) * x[n - i];
        for (std::size_t i = 0; i < std::min(scan.feedback.size(), n); ++i)
            sum = sum + DoubleDouble(scan.feedback[i]) * y[n - 1 - i];
        y[n] = sum;
    }
    return y;
}

} // namespace

std::vector<double> exact(const std::vector<gz::Scan> &scans, const std::vector<double> &line) {
    std::vector<DoubleDouble> values(line.begin(), line.end());
    for (const gz::Scan &scan : scans) {
        if (!scan.forward)
            std::reverse(values.begin(), values.end());
        values = run(scan, values);
        if (!scan.forward)
            std::reverse(values.begin(), values.end());
    }
    std::vector<double> result;
    result.reserve(values.size());
    std::transform(values.begin(), values.end(), std::back_inserter(result), gz::to_double);
    return result;
}

std::vector<double> exact(const std::vector<gz::Scan> &scans, const std::vector<double> &line,
                          const gz::Border &border, std::int64_t padding) {
    const auto size = static_cast<std::int64_t>(line.size());
    const double outside = border.mode == gz::BorderMode::constant ? border.value : 0.0;
    std::vector<double> wide;
    wide.reserve(static_cast<std::size_t>(size + 2 * padding));
    for (std::int64_t i = -padding; i < size + padding; ++i) {
        const std::int64_t at = gz::fold(i, size, border.mode);
        wide.push_back(at < 0 ? outside : line[static_cast<std::size_t>(at)]);
    }
    const std::vector<double> all = exact(scans, wide);
    return {all.begin() + padding, all.begin() + padding + size};
}

} // namespace support
