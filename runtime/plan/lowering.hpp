// From a filter and image descriptions to a pass over device memory.
#pragma once

#include "filter/border.hpp"
#include "filter/filter.hpp"
#include "filter/image_desc.hpp"
#include "kernel/correlate_pass.hpp"

namespace gz {

// What a plan is made of, complete and checked.
struct PlanDesc {
    ImageDesc source, target;
    Border border;
    Region region;
};

// Fills in defaults; refuses images that the filter cannot take.
PlanDesc complete(PlanDesc desc);

CorrelatePass lower(const Filter &filter, const PlanDesc &desc);

// The same work on packed images with aligned rows that hold no more than the filter reads and
// writes: what a run on host memory moves to the device and back.
PlanDesc staged(const PlanDesc &desc);

} // namespace gz
