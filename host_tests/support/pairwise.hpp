// Selections of combinations: every pair of values of every two parameters occurs at least once.
#pragma once

#include <vector>

namespace support {

// counts: number of values of each parameter. Each row has an index for each parameter.
// Deterministic.
std::vector<std::vector<int>> pairwise(const std::vector<int> &counts);

} // namespace support
