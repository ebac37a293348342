// Passes of edge-aware filters.
#pragma once

#include <string>
#include <vector>

#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"
#include "plan/volume.hpp"

namespace gz {

#include "lib/bilateral_terms.clh"
static_assert(sizeof(BilateralTerms) == 36, "OpenCL C lays the struct out without padding");

// The weighted mean of a box. The geometry's taps and anchors are the box's size and middle.
struct BilateralPass : ImagePass {
    Volume volume{};
    BilateralTerms terms{};
    std::vector<float> space; // one for each pixel of the box, x fastest

    // Whether it reads its own slice alone.
    bool is_flat() const { return volume.taps_z == 1; }
};

std::string problem_of(const BilateralPass &pass);
const std::vector<Kernel> &kernels_of(const BilateralPass &pass);

} // namespace gz
