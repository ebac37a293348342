// Passes of edge-aware filters.
#pragma once

#include <string>
#include <vector>

#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"
#include "plan/volume.hpp"

namespace gz {

#include "lib/weight_terms.clh"
static_assert(sizeof(WeightTerms) == 36, "OpenCL C lays the struct out without padding");
#include "lib/patch_terms.clh"
static_assert(sizeof(PatchTerms) == 12, "OpenCL C lays the struct out without padding");

// The weighted mean of a box. The geometry's taps and anchors are the box's size and middle.
struct BilateralPass : ImagePass {
    Volume volume{};
    WeightTerms terms{};
    bool device_weights = false;
    std::vector<float> space; // one for each pixel of the box, x fastest

    // Whether it reads its own slice alone.
    bool is_flat() const { return volume.taps_z == 1; }
};

// The mean of the pixels of a window, weighed by how like the patches around them are to that around the middle. The
// geometry's taps are a side of all that is read for a result.
struct NonLocalPass : ImagePass {
    WeightTerms terms{};
    PatchTerms patches{};
    bool device_weights = false;
    int patch = 1;  // pixels of a patch's side
    int radius = 0; // of the window

    // Pixels on each side of a result that are read.
    int halo() const { return radius + patch / 2; }
};

// Returns the radius of windows that a program has room for, one of a few: so that few programs serve all.
int most_radius(const NonLocalPass &pass);

// The macros of weights.clh, besides those of all images.
template <class P> Defines weight_defines(const P &pass) {
    Defines defines = type_defines(pass);
    defines["DEVICE_WEIGHTS"] = pass.device_weights ? 1 : 0;
    return defines;
}

std::string problem_of(const BilateralPass &pass);
std::string problem_of(const NonLocalPass &pass);
const std::vector<Kernel> &kernels_of(const BilateralPass &pass);
const std::vector<Kernel> &kernels_of(const NonLocalPass &pass);

} // namespace gz
