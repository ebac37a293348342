// How long marches take whose groups do not all run at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "plan/image_pass.hpp"

namespace gz {

// Returns how many rounds so many groups take on a device that runs `at_once` of them at a time: half of what the last
// round lacks is lost, as groups that have finished give way to others one by one.
inline double rounds_after_start(double groups, double at_once) {
    const double rounds = groups / at_once;
    return (rounds + std::ceil(rounds)) / 2;
}

// A launch loses so many rounds to the start of its first one and to the groups at an image's edges, fewer where these come
// first (lib/group_place.clh). Fitted to the times of three and of two kernels on an H200, foretold within some percent.
inline constexpr double lost_at_start = 0.35;
inline constexpr double lost_with_edges_first = 0.1;

// Returns the rounds with what their start loses.
inline double rounds_of(double groups, double at_once, double lost = lost_at_start) {
    return rounds_after_start(groups, at_once) + lost;
}

// Returns how many groups a core of NVIDIA's runs at a time whose items take so many registers.
inline int groups_of_registers(int registers, int group) {
    constexpr int of_core = 65536;
    return std::max(of_core / registers / group, 1);
}

// Returns the value whose cost(value) is least, the first of several. values: not empty.
template <class Cost> int of_least_cost(const std::vector<int> &values, Cost cost) {
    return *std::min_element(values.begin(), values.end(),
                             [&](int one, int other) { return cost(one) < cost(other); });
}

// Returns the rows of a band, whole steps of so many: bands are as high as leaves no more than `groups` groups, of which each
// band has `strips`, but one at least.
inline std::int64_t rows_of_band(std::int64_t height, std::int64_t strips, std::int64_t groups,
                                 std::int64_t step) {
    const std::int64_t bands = std::max<std::int64_t>(groups / strips, 1);
    return std::max<std::int64_t>(ceil_div(ceil_div(height, bands), step), 1) * step;
}

// Returns the value of a tunable with which all groups finish first that march down the strips of an image of `height` rows.
// at_once: groups that the device runs at a time. start: rows for which a group could march in the time that its start
// takes. band_of(value): the rows of a group's band. lost: as rounds_of() takes it.
template <class BandOf>
int soonest_of(const std::vector<int> &values, double strips, std::int64_t height, double at_once,
               double start, BandOf band_of, double lost = lost_at_start) {
    return of_least_cost(values, [&](int value) {
        const std::int64_t band = band_of(value);
        const auto bands = static_cast<double>(ceil_div(height, band));
        return rounds_of(strips * bands, at_once, lost) * (static_cast<double>(band) + start);
    });
}

} // namespace gz
