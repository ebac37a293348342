// Several iterations of a small box at once, as taps.
#pragma once

#include <optional>

#include "families/box/lowering.hpp"
#include "plan/graph.hpp"
#include "plan/image_pass.hpp"

namespace gz {

// Returns the taps along x and y of so many iterations.
Correlate taps_of(const Box &box, int times);

// Returns steps that compute all iterations at once; nothing for a box that cannot be computed so. As each iteration makes
// the border anew, pixels beside a border that does not continue the image in a symmetric way are made once more, in frames.
// subtraction: of results and an image that the caller adds to the inputs of the steps that subtract.
std::optional<Graph> lower_at_once(const Box &box, const PlanDesc &desc,
                                   Subtraction subtraction = Subtraction::none);
bool subtracts(const Pass &pass);

// Whether the steps of lower_at_once() take less time than an iteration after the other.
bool is_faster_at_once(const Box &box, const PlanDesc &desc, const DeviceFacts &facts);

// Whether the pass of all iterations goes by separable_stream, the only fast kernel that subtracts another image, and that makes
// frames in its own launch.
bool streams_at_once(const Box &box, const PlanDesc &desc, const DeviceFacts &facts);

} // namespace gz
