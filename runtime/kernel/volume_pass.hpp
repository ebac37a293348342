// A correlation with dense taps that extend along z or t: what the plan lowers that filter to.
#pragma once

#include <vector>

#include "kernel/image_pass.hpp"

namespace gz {

#include "lib/volume.clh"
static_assert(sizeof(Volume) == 32, "OpenCL C lays the struct out without padding");

struct VolumePass : ImagePass {
    Volume volume{};
    std::vector<float> taps; // in memory order, x fastest
};

} // namespace gz
