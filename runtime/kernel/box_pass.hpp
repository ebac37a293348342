// One mean over boxes of pixels: what the plan lowers an iteration of a box filter to.
#pragma once

#include "kernel/image_pass.hpp"

namespace gz {

// Geometry's taps are 2 radius + 1, its anchors the radius.
struct BoxPass : ImagePass {};

// How sums are kept: see cl/lib/box.clh. Exact for integers, unless the border's constant is not
// one of the source's type.
enum class BoxSum { i32 = 0, i64 = 1, f32 = 2 };
BoxSum sum_of(const BoxPass &pass);

// The macros of cl/lib/pixel.clh, border.clh and box.clh.
Defines box_defines(const BoxPass &pass);

std::int64_t area_of(const BoxPass &pass); // pixels of a box
float share_of(const BoxPass &pass);       // of a pixel in the mean

} // namespace gz
