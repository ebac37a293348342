// One mean over boxes of pixels: the plan lowers an iteration of a box filter to it.
#pragma once

#include "plan/columns.hpp"
#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

// Geometry's taps are 2 radius + 1, its anchors the radius. The other image, where there is one, is f32 and laid out as
// the source.
struct BoxPass : ImagePass {
    Subtraction difference = Subtraction::none;
};

std::string problem_of(const BoxPass &pass);
const std::vector<Kernel> &kernels_of(const BoxPass &pass);

// How sums are kept: see cl/lib/box.clh. Exact for integers, unless the border's constant is not
// one of the source's type.
enum class BoxSum { i32 = 0, i64 = 1, f32 = 2 };
BoxSum sum_of(const BoxPass &pass);

// The macros of cl/lib/pixel.clh, border.clh and box.clh.
Defines box_defines(const BoxPass &pass);

std::int64_t area_of(const BoxPass &pass); // pixels of a box
float share_of(const BoxPass &pass);       // the weight of a pixel in the mean
// Appends the other image, where there is one: the last argument of kernels that store means.
void append_other(const BoxPass &pass, Launch &launch);

// Whether long boxes reach past the whole image, so that reading every pixel of a box to fill it would take
// longer than all other work.
bool outgrows_image(const BoxPass &pass);

} // namespace gz
