// How long a plan takes, next to a plain copy of the same bytes.
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

// Two runs that do not count, then `repeats` that do, each followed by a copy.
Timing measure(const Plan &plan, const DeviceImage &source,
               const std::vector<const DeviceImage *> &targets, unsigned repeats);

} // namespace gz
