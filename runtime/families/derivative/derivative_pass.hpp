// Passes of derivatives: several by three pixels along x and y from one reading, and what is made of two of
// them; and images of derivatives combined.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "families/derivative/derivative.hpp"
#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

// Taps along x and y: three with the anchor in the middle, or one, which then is the middle one here.
struct Stencil {
    std::array<float, 3> x{0.0F, 1.0F, 0.0F}, y{0.0F, 1.0F, 0.0F};
    bool is_wide = false, is_high = false; // whether there are three along x, along y

    bool operator==(const Stencil &other) const {
        return x == other.x && y == other.y && is_wide == other.is_wide && is_high == other.is_high;
    }
};

inline constexpr std::size_t max_stencils = 3;

// The results of the first `stored` stencils, and of the first two stencils those of their sum, magnitude and
// orientation that are wanted; each has a target, in this order. The geometry's taps are 3x3.
struct StencilPass : ImagePass {
    std::vector<Stencil> stencils;
    std::size_t stored = 0;
    bool has_sum = false, has_magnitude = false, has_orientation = false;

    std::size_t targets() const {
        return stored + (has_sum ? 1 : 0) + (has_magnitude ? 1 : 0) + (has_orientation ? 1 : 0);
    }
};

std::string problem_of(const StencilPass &pass);
const std::vector<Kernel> &kernels_of(const StencilPass &pass);

// The macros that say what a kernel computes: cl/lib/stencil.clh; and its arguments.
Defines stencil_defines(const StencilPass &pass);
std::vector<Argument> stencil_arguments(const StencilPass &pass);

// The result of up to six images of derivatives, all of one layout.
struct CombinationPass : ImagePass {
    DerivativeResult result = DerivativeResult::magnitude;
    int images = 2;
    int number = 0; // of an eigenvalue
};

std::string problem_of(const CombinationPass &pass);
const std::vector<Kernel> &kernels_of(const CombinationPass &pass);

} // namespace gz
