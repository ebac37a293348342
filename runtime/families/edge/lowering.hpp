// Lowers edge-aware filters to passes.
#pragma once

#include "families/edge/edge.hpp"
#include "families/edge/edge_pass.hpp"
#include "families/edge/nlm.hpp"
#include "plan/graph.hpp"

namespace gz {

Graph lower(const Bilateral &filter, const PlanDesc &desc);
Graph lower(const NonLocalMeans &filter, const PlanDesc &desc);

// The pass that computes all of it.
BilateralPass lower_bilateral(const Bilateral &filter, const PlanDesc &desc);
NonLocalPass lower_non_local(const NonLocalMeans &filter, const PlanDesc &desc);

} // namespace gz
