// Lowers banks of filters to passes.
#pragma once

#include "families/bank/bank.hpp"
#include "plan/graph.hpp"

namespace gz {

Graph lower(const Bank &filter, const PlanDesc &desc);

} // namespace gz
