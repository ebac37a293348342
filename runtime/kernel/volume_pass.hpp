// Correlations with dense taps that extend along z or t: what the plan lowers such filters to.
#pragma once

#include <vector>

#include "kernel/image_pass.hpp"

namespace gz {

#include "lib/volume.clh"
static_assert(sizeof(Volume) == 32, "OpenCL C lays the struct out without padding");

struct VolumePass : ImagePass {
    Volume volume{};
    std::vector<float>
        taps;        // in memory order, x fastest; those of one filter after those of another
    int filters = 1; // of one shape, each with a target of the same layout

    std::size_t taps_of_one() const { return taps.size() / static_cast<std::size_t>(filters); }
};

// The taps of one filter: in constant memory where they are few.
struct TapsArgument {
    ConstantData data;
    bool are_few;
};
TapsArgument dense_taps(const VolumePass &pass, std::size_t filter);

} // namespace gz
