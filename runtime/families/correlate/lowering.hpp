// Lowers filters with taps to passes.
#pragma once

#include "families/correlate/correlate.hpp"
#include "families/correlate/correlate_pass.hpp"
#include "plan/graph.hpp"

namespace gz {

Graph lower(const Correlate &filter, const PlanDesc &desc);

// One pass for taps along x and y.
CorrelatePass lower_correlation(const Correlate &filter, const PlanDesc &desc);

} // namespace gz
