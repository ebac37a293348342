// Lowers morphological filters to passes.
#pragma once

#include "families/morphology/morphology.hpp"
#include "families/morphology/morphology_pass.hpp"
#include "plan/graph.hpp"

namespace gz {

// Images between steps have the source's type. The border is applied to each of them anew.
Graph lower(const Morphology &filter, const PlanDesc &desc);

// One erosion or dilation by weights.
WeightedPass lower_weighted(const Morphology &filter, MorphologyStep step, const PlanDesc &desc);

} // namespace gz
