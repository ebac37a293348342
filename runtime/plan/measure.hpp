// Measures how long a plan takes, next to a plain copy of the same bytes.
#pragma once

#include "plan/device_image.hpp"
#include "plan/plan.hpp"

namespace gz {

struct Timing {
    double device_ms = 0.0; // medians
    double wall_ms = 0.0;
    double copy_ms = 0.0;
    bool device_time_is_wall = false;
    int launches = 1;
};

// Runs the plan twice without counting, then `repeats` times, each followed by a copy.
Timing measure(const Plan &plan, const std::vector<const DeviceImage *> &sources,
               const std::vector<const DeviceImage *> &targets, unsigned repeats);

struct Comparison {
    double time_ms = 0.0, baseline_ms = 0.0; // medians
    double ratio = 1.0; // the median of the ratios of a run to the run beside it
    bool device_time_is_wall = false;
};

// Runs a plan and a baseline in turn on the same images, once without counting and then `repeats`
// times, so that a device that changes its pace changes it for both. Only once where the plan takes ten
// times as long.
Comparison compare(const Plan &plan, const Plan &baseline, const DeviceImage &source,
                   const DeviceImage &target, unsigned repeats);

} // namespace gz
