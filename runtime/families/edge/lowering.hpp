// Lowers edge-aware filters to passes.
#pragma once

#include "families/edge/edge.hpp"
#include "families/edge/edge_pass.hpp"
#include "plan/graph.hpp"

namespace gz {

Graph lower(const Bilateral &filter, const PlanDesc &desc);

// The pass that computes all of it.
BilateralPass lower_bilateral(const Bilateral &filter, const PlanDesc &desc);

} // namespace gz
