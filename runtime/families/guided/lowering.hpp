// Lowers guided filters to passes.
#pragma once

#include "families/guided/guided.hpp"
#include "plan/graph.hpp"

namespace gz {

// Slopes and offsets of all pixels that results read are stored as f32 images, then results are made. Each of the two
// takes one pass, or steps: products, means by boxes, and what is made of these.
Graph lower(const Guided &filter, const PlanDesc &desc);

} // namespace gz
