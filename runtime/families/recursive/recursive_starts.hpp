// Arguments of kernels that compute the states from which lines start: see cl/lib/recursive_own_starts.clh.
#pragma once

#include <vector>

#include "families/recursive/recursive_pass.hpp"

namespace gz {

// OWN_STARTS in kernels.
enum class OwnStarts { none = 0, from_edges = 1, from_many = 2, from_powers = 3, from_sums = 4 };

// Where a kernel whose start states are StartForm::in_kernel computes them itself, weights and numbers of samples at either
// end; else the states.
struct GivenStarts {
    OwnStarts own = OwnStarts::none;
    std::vector<Argument> arguments;
};

// Those of groups that have chunks of several lines: so many items share the sums of each.
GivenStarts starts_of_lanes(const RecursiveStage &stage, int items, const DeviceFacts &facts);
// Those of recursive_whole.cl.
GivenStarts starts_of_whole_lines(const RecursiveStage &stage, int items, const DeviceFacts &facts);
// Those of recursive_strips.cl.
GivenStarts starts_of_strips(const RecursiveStage &stage, const DeviceFacts &facts);

} // namespace gz
