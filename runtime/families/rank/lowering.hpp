// Lowers rank filters to passes.
#pragma once

#include "families/rank/rank.hpp"
#include "families/rank/rank_pass.hpp"
#include "plan/graph.hpp"

namespace gz {

Graph lower(const RankFilter &filter, const PlanDesc &desc);

// Refuses images that are too long for kernels, which use 32-bit positions, up to a window or two beyond the
// image.
void check_length(const Window &window, const PlanDesc &desc);
// The pixels that a pass for all of a window reads.
WindowPass lower_window(const Window &window, const PlanDesc &desc);
// One pass for all of the window.
RankPass lower_rank(const RankFilter &filter, const PlanDesc &desc);
// One pass for the minimum or the maximum of a box along x and y.
ExtremePass lower_extreme(const RankFilter &filter, const PlanDesc &desc);

} // namespace gz
