// Passes of rank filters: the plan lowers minima and maxima of boxes to one kind, and all else to the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"
#include "plan/volume.hpp"

namespace gz {

#include "lib/window.clh"
static_assert(sizeof(WindowRun) == 16, "OpenCL C lays the struct out without padding");

// One rank of the pixels of a window. Geometry's taps and anchors are the window's size and anchor.
struct RankPass : ImagePass {
    Volume volume{};
    std::vector<WindowRun> window; // rows of slices in order, each from left to right
    std::int32_t rank = 0, count = 1;
    bool is_box = true;

    // Whether it reads its own slice alone.
    bool is_flat() const { return volume.taps_z == 1 && volume.anchor_z == 0; }
};

std::string problem_of(const RankPass &pass);
const std::vector<Kernel> &kernels_of(const RankPass &pass);

// The minimum or the maximum of a box along x and y.
struct ExtremePass : ImagePass {
    bool is_maximum = false;
};

std::string problem_of(const ExtremePass &pass);
const std::vector<Kernel> &kernels_of(const ExtremePass &pass);

// The macros of cl/lib/rank_key.clh, pixel.clh and border.clh.
Defines rank_defines(const ImagePass &pass);

// Whether keys are those of floats, as the source or the border's constant is not of integers.
bool has_float_keys(const ImagePass &pass);

} // namespace gz
