// The last pass of filters of a pixel and the mean of those around it, and that of squares.
#pragma once

#include <string>
#include <vector>

#include "families/correlate/separable_tile.hpp"
#include "families/local/local.hpp"
#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

// The numbers of a filter, as cl/lib/local.clh has them.
struct LocalNumbers {
    float amount = 0.0F, threshold = 0.0F, epsilon = 1.0F;
};

// The pixels, their means and, where the result has them, the means of their squares combined: images of
// f32 with the pitches of the first.
struct LocalPass : ImagePass {
    LocalResult result = LocalResult::high_pass;
    bool has_squares = false; // then there are three images, else two
    LocalNumbers numbers;
};

std::string problem_of(const LocalPass &pass);
const std::vector<Kernel> &kernels_of(const LocalPass &pass);

// The same from the pixels alone, with means by separable taps.
struct FusedLocalPass : LocalPass {
    CorrelatePass mean; // the images are those of the pass
};

std::string problem_of(const FusedLocalPass &pass);
const std::vector<Kernel> &kernels_of(const FusedLocalPass &pass);

// The squares of pixels.
struct SquarePass : ImagePass {};

std::string problem_of(const SquarePass &pass);
const std::vector<Kernel> &kernels_of(const SquarePass &pass);

} // namespace gz
