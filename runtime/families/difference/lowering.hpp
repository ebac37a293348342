// Lowers differences to passes.
#pragma once

#include "families/difference/difference.hpp"
#include "plan/graph.hpp"

namespace gz {

// The first chain runs both filters at once, where they allow it; the last runs each by itself.
Graph lower(const Difference &filter, const PlanDesc &desc);

} // namespace gz
