// From boxes to passes.
#pragma once

#include <optional>

#include "families/box/box.hpp"
#include "families/box/box_pass.hpp"
#include "plan/graph.hpp"

namespace gz {

Graph lower(const Box &filter, const PlanDesc &desc);

// One mean along x and y.
BoxPass lower_box(const Box &box, const PlanDesc &desc);
// Boxes: the last pass of the larger ones makes the difference to what the smaller ones came to, so that
// it is not one of those that run as taps where any is not. Nothing where it is one pass alone.
std::optional<Graph> lower_difference(const Box &first, const Box &second, const PlanDesc &desc);

} // namespace gz
