// A recursive filter along one axis, in the form that kernels run: sums of second-order sections, which f32
// tolerates, in as few stages as possible.
#pragma once

#include <cstdint>
#include <vector>

#include "core/border.hpp"
#include "core/line_stage.hpp"
#include "families/recursive/recursion.hpp"
#include "families/recursive/stage_plan.hpp"

namespace gz {

// Plans an axis for lines of `length` samples: one plan for each trip, and one for the modes; where scans
// start from nothing, one for each run of scans of one direction, or one for two runs that share a stage.
// Only stages of scans that start from nothing have their start states here.
std::vector<StagePlan> line_plans(const Recursion &recursion, int axis, std::int64_t length);

// Returns the stages along an axis, one after the other, for lines of `length` samples. Each trip that the
// recursion groups its scans into has its own stages; without a grouping all scans share them.
std::vector<LineStage> line_stages(const Recursion &recursion, int axis, const Border &border,
                                   std::int64_t length);

} // namespace gz
