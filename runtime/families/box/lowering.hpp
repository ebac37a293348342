// Lowers boxes to passes.
#pragma once

#include <optional>

#include "families/box/box.hpp"
#include "families/box/box_pass.hpp"
#include "families/correlate/lowering.hpp"
#include "plan/graph.hpp"

namespace gz {

Graph lower(const Box &filter, const PlanDesc &desc);

// Returns a small box along x and y as taps. Integers stay exact where the error of the taps is less than half a
// pixel's share of a step: the box has an odd number of pixels, so that no mean is nearer to a tie.
std::optional<Correlate> as_taps(const Box &box, const PlanDesc &desc);

// One mean along x and y.
BoxPass lower_box(const Box &box, const PlanDesc &desc);
// Returns the passes of two boxes whose difference the last pass of the larger one computes, from the result
// of the smaller one. That pass runs as a box even where the others run as taps. Returns nothing where the
// larger box is a single pass.
std::optional<Graph> lower_difference(const Box &first, const Box &second, const PlanDesc &desc);

} // namespace gz
