// Text for classes of problems, which are few enough to be measured: a size has one of a few classes, so that no
// new image size asks for a search.
#pragma once

#include <initializer_list>
#include <string>

#include "plan/image_pass.hpp"

namespace gz {

// "small", "medium" or "large": a large image keeps any device busy for long, a small one leaves units of a
// large device idle.
std::string size_class(std::int64_t values);

// "f32", or "u8-f32" where the target has another type.
std::string types_text(PixelType src, PixelType dst);

// "f32 large" for one channel, "f32 large channels" for several: results of one do not hold for the other.
std::string image_text(const std::string &types, std::int64_t values, int channels);

// The same of a pass.
std::string image_text(const ImagePass &pass);

// "taps<=5", or "taps>63" where there are more than any of the limits.
std::string up_to(const char *what, std::int64_t number, std::initializer_list<int> limits);

// Returns the number of taps along x or y, whichever is larger.
std::int64_t longer_side(const Geometry &geometry);

} // namespace gz
