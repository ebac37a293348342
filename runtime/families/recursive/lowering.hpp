// Lowers recursive filters to passes.
#pragma once

#include <optional>

#include "families/recursive/recursion.hpp"
#include "families/recursive/recursive_pass.hpp"
#include "plan/graph.hpp"

namespace gz {

Graph lower(const Recursion &filter, const PlanDesc &desc);

// Lowers one axis: from the whole source to the part of it that the region covers. With neighbours the lines
// go on beyond the region.
RecursivePass lower_axis(const Recursion &recursion, std::size_t axis, const PlanDesc &desc);

// Returns a pass along x that reads the image once for both filters, and one along y that writes the first's
// result less the second's, or a pass that does all of it where there can be one; nothing where they cannot go together.
std::optional<Graph> lower_difference(const Recursion &first, const Recursion &second,
                                      const PlanDesc &desc);

} // namespace gz
