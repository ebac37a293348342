// How long marches take whose groups do not all run at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace gz {

// Returns how many rounds so many groups take on a device that runs `at_once` of them at a time: half of what the last
// round lacks is lost, as groups that have finished give way to others one by one.
inline double rounds_after_start(double groups, double at_once) {
    const double rounds = groups / at_once;
    return (rounds + std::ceil(rounds)) / 2;
}

// Returns the same with what the start of the first round loses. Fitted to the times of three kernels on an H200, which
// it foretells within some percent.
inline double rounds_of(double groups, double at_once) {
    constexpr double start = 0.35;
    return rounds_after_start(groups, at_once) + start;
}

// Returns the value whose cost(value) is least, the first of several. values: not empty.
template <class Cost> int of_least_cost(const std::vector<int> &values, Cost cost) {
    return *std::min_element(values.begin(), values.end(),
                             [&](int one, int other) { return cost(one) < cost(other); });
}

} // namespace gz
