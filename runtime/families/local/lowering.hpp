// Lowers filters of a pixel and the mean of those around it to passes.
#pragma once

#include "families/local/local.hpp"
#include "plan/graph.hpp"

namespace gz {

struct Settling;
struct Settled;
Settled settle(const Local &filter, const Settling &on);

// Means by few taps along x and y take one pass, or steps as others do: these are stored as f32 images of the
// region, beside the pixels in f32, the source itself where it has these.
Graph lower(const Local &filter, const PlanDesc &desc);

} // namespace gz
