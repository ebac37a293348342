// Passes of morphological filters: flat erosions and dilations are lowered to those of ranks.
#pragma once

#include <string>
#include <vector>

#include "families/morphology/morphology.hpp"
#include "families/rank/rank_pass.hpp"
#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

// The least or the largest of the pixels of a window, each plus its weight.
struct WeightedPass : WindowPass {
    std::vector<float> weights; // one for each of the window's pixels
    bool is_maximum = false;
};

std::string problem_of(const WeightedPass &pass);
const std::vector<Kernel> &kernels_of(const WeightedPass &pass);

// An opening or a closing by a box along x and y with its anchor in the middle: the geometry's taps are the box.
struct OpeningPass : ImagePass {
    bool is_closing = false;
};

std::string problem_of(const OpeningPass &pass);
const std::vector<Kernel> &kernels_of(const OpeningPass &pass);

// The images that a step gets, combined. All have the pitches of sources[0], which is the source where the
// combination has one; the others hold the region alone.
struct CombinePass : ImagePass {
    Combination combination = Combination::first_less_second;

    int images() const { return combination == Combination::laplace ? 3 : 2; }
};

std::string problem_of(const CombinePass &pass);
const std::vector<Kernel> &kernels_of(const CombinePass &pass);

} // namespace gz
