// Lowers summed-area tables to passes.
#pragma once

#include "families/sat/sat.hpp"
#include "families/sat/sat_pass.hpp"
#include "plan/graph.hpp"

namespace gz {

Graph lower(const Sat &filter, const PlanDesc &desc);

SatPass lower_sat(const PlanDesc &desc);

} // namespace gz
