// Checks whether what a benchmark timed was also right.
#ifndef GAUZE_TOOLS_BENCH_CHECK_HPP
#define GAUZE_TOOLS_BENCH_CHECK_HPP

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <gauze/gauze.hpp>

#include "bench_rows.hpp"

namespace gauze::tool {

struct CheckResult {
    bool within_bound = true;
    std::string text; // where the result is wrong: the worst difference, its bound and its place
};

// The windows lie in the corners, in the middle, and at places that look random.
constexpr int checked_windows = 12;

// Compares the result of a row with the double reference in so many windows: the whole image would take
// minutes. Sources and targets are tight and differ in their types alone.
CheckResult check_windows(const gauze::Engine &engine, const gauze::Filter &filter,
                          const BenchRow &row, const gauze::ImageDesc &source_desc,
                          std::span<const std::vector<std::byte>> sources, gauze::Type target_type,
                          const std::vector<std::vector<std::byte>> &targets);

} // namespace gauze::tool

#endif
