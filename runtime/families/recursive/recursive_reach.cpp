// How far recursive filters reach.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "families/recursive/recursion.hpp"

namespace gz {

namespace {

// The numbers that a pixel of 1 leaves at the pixels on one side of it.
class Response {
public:
    explicit Response(const Modes &modes) : modes_(&modes) {}
    // The response of scans of one direction, one after the other.
    explicit Response(std::vector<const Scan *> scans) : scans_(std::move(scans)) {}

    // Returns it at distances from 0 to count - 1.
    std::vector<double> samples(std::size_t count) const {
        std::vector<double> result(count, 0.0);
        if (!modes_) {
            result.front() = 1.0;
            for (const Scan *scan : scans_)
                result = filtered(*scan, result);
            return result;
        }
        result.front() = modes_->direct;
        for (std::size_t k = 0; k < modes_->poles.size(); ++k) {
            std::complex<double> power = modes_->weights[k];
            for (std::size_t n = 0; n < count; ++n, power *= modes_->poles[k])
                result[n] += n == 0 && modes_->odd ? 0.0 : power.real();
        }
        return result;
    }
    // Roughly, the operations that a sample takes.
    std::size_t cost() const {
        std::size_t sum = modes_ ? 4 * modes_->poles.size() : 0;
        for (const Scan *scan : scans_)
            sum += scan->feedforward.size() + scan->feedback.size();
        return sum + 1;
    }

private:
    static std::vector<double> filtered(const Scan &scan, const std::vector<double> &x) {
        std::vector<double> y(x.size());
        for (std::size_t n = 0; n < x.size(); ++n) {
            double sum = 0.0;
            for (std::size_t i = 0; i < scan.feedforward.size() && i <= n; ++i)
                sum += scan.feedforward[i] * x[n - i];
            for (std::size_t i = 0; i < scan.feedback.size() && i < n; ++i)
                sum += scan.feedback[i] * y[n - 1 - i];
            y[n] = sum;
        }
        return y;
    }

    const Modes *modes_ = nullptr;
    std::vector<const Scan *> scans_;
};

double sum_of_magnitudes(const std::vector<double> &values, std::size_t from) {
    double sum = 0.0;
    for (std::size_t i = values.size(); i-- > from;)
        sum += std::abs(values[i]);
    return sum;
}

constexpr std::size_t first_samples = 256;
constexpr std::size_t most_operations = std::size_t{1} << 27;

// Returns as many samples as fade to `tail`, or to nothing beside the largest; nothing where they do not.
// A response of exponentials leaves less beyond the second half than in it where the second half has little of the
// first.
std::optional<std::vector<double>> faded(const Response &response, double tail) {
    constexpr double little = 1e-3;
    for (std::size_t count = first_samples; count <= 2 * static_cast<std::size_t>(max_reach) &&
                                            count * response.cost() <= most_operations;
         count *= 2) {
        std::vector<double> samples = response.samples(count);
        const double second = sum_of_magnitudes(samples, count / 2);
        const double all = sum_of_magnitudes(samples, 0);
        if (!std::isfinite(all))
            return std::nullopt;
        if (second <= little * std::min(tail, all))
            return samples;
    }
    return std::nullopt;
}

// Returns the distance beyond which the magnitudes of a response sum up to `tail` at most.
std::int64_t distance_of(const std::vector<double> &samples, double tail) {
    double sum = 0.0;
    std::size_t n = samples.size();
    while (n > 1 && sum + std::abs(samples[n - 1]) <= tail)
        sum += std::abs(samples[--n]);
    return static_cast<std::int64_t>(n) - 1;
}

// The filter along one axis: its scans in each direction, and its modes.
struct AxisFilter {
    std::vector<const Scan *> forward, backward;
    const Modes *modes = nullptr;

    bool empty() const { return forward.empty() && backward.empty() && !modes; }
};

AxisFilter along(const Recursion &recursion, std::size_t axis) {
    AxisFilter result;
    for (const Scan &scan : recursion.scans)
        if (scan.axis == static_cast<int>(axis))
            (scan.forward ? result.forward : result.backward).push_back(&scan);
    if (!recursion.modes[axis].empty())
        result.modes = &recursion.modes[axis];
    return result;
}

// Returns the sum of the magnitudes of a response; nothing where it does not fade.
std::optional<double> gain_of(const Response &response) {
    constexpr double precise = 1e-6;
    const auto samples = faded(response, precise);
    return samples ? std::optional(sum_of_magnitudes(*samples, 0)) : std::nullopt;
}

// How much larger than the pixels results can be.
std::optional<double> gain_of(const AxisFilter &filter) {
    double gain = 1.0;
    for (const auto *scans : {&filter.forward, &filter.backward})
        for (const Scan *scan : *scans) {
            const auto own = gain_of(Response({scan}));
            if (!own)
                return std::nullopt;
            gain *= *own;
        }
    if (filter.modes) {
        const auto own = gain_of(Response(*filter.modes));
        if (!own)
            return std::nullopt;
        gain *= 2.0 * *own;
    }
    return gain;
}

// A scan that starts from nothing at the edge of a tile misses what the scans before left beyond it: that goes
// through this scan and the later ones of its direction. gain: of the whole axis.
std::optional<std::int64_t> distance_of(const std::vector<const Scan *> &scans, double tail,
                                        double gain) {
    std::int64_t most = 0;
    double of_these = 1.0;
    for (std::size_t first = scans.size(); first-- > 0;) {
        const auto own = gain_of(Response({scans[first]}));
        if (!own)
            return std::nullopt;
        of_these *= *own;
        // The scans before this one, and those of the other direction, enlarge what is missed.
        const double others = std::max(gain / of_these, 1e-300);
        const double rest = tail / static_cast<double>(scans.size()) / others;
        const auto samples = faded(
            Response({scans.begin() + static_cast<std::ptrdiff_t>(first), scans.end()}), rest);
        if (!samples)
            return std::nullopt;
        most = std::max(most, distance_of(*samples, rest));
    }
    return most;
}

std::optional<std::int64_t> distance_of(const AxisFilter &filter, double tail, double gain) {
    // Both directions of the scans, and both sides of the modes, may miss something.
    const double share = tail / 4.0;
    const auto forward = distance_of(filter.forward, share, gain);
    const auto backward = distance_of(filter.backward, share, gain);
    if (!forward || !backward)
        return std::nullopt;
    std::int64_t distance = std::max(*forward, *backward);
    if (filter.modes) {
        const auto samples = faded(Response(*filter.modes), share);
        if (!samples)
            return std::nullopt;
        distance += distance_of(*samples, share);
    }
    return distance;
}

} // namespace

AxesReach reach_within(const Recursion &recursion, double accuracy) {
    AxesReach result = reach_of(recursion);
    if (!(accuracy > 0.0) || !recursion.stable)
        return result;
    std::array<AxisFilter, 4> filters;
    std::array<std::optional<double>, 4> gains;
    double axes = 0.0;
    double all = 1.0;
    for (std::size_t axis = 0; axis < 4; ++axis) {
        filters[axis] = along(recursion, axis);
        if (filters[axis].empty())
            continue;
        gains[axis] = gain_of(filters[axis]);
        if (!gains[axis])
            return result;
        axes += 1.0;
        all *= *gains[axis];
    }
    for (std::size_t axis = 0; axis < 4; ++axis) {
        if (filters[axis].empty())
            continue;
        // The other axes enlarge what is missed along this one.
        const double tail = accuracy / axes * *gains[axis] / all;
        const auto distance = distance_of(filters[axis], tail, *gains[axis]);
        if (distance && *distance <= max_reach)
            result[axis] = {*distance, *distance};
    }
    return result;
}

} // namespace gz
