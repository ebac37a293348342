// What a recursive filter does along one axis, in the form that kernels run: sums of second-order
// sections, which f32 can bear, in as few stages as that takes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/border.hpp"
#include "core/line_stage.hpp"
#include "families/recursive/recursion.hpp"
#include "families/recursive/stage_plan.hpp"

namespace gz {

// What is planned along an axis for lines of `length` samples: a plan for each trip, and for the modes;
// where scans start from nothing, for each run of scans of one direction, or two of them in one stage.
// Stages have what their states start from only where that is of scans that start from nothing.
std::vector<StagePlan> line_plans(const Recursion &recursion, int axis, std::int64_t length);

// The stages along an axis, one after the other, for lines of `length` samples. Each trip that the
// recursion groups its scans into has stages of its own; one for all where it says nothing.
std::vector<LineStage> line_stages(const Recursion &recursion, int axis, const Border &border,
                                   std::int64_t length);

} // namespace gz
