// Finds the groups of a tiled kernel that can read and write without checks.
#pragma once

#include <string>

#include "plan/image_pass.hpp"

namespace gz {

// A tile in values x rows, and how far beyond it its groups read.
struct TileShape {
    int width = 0, height = 0;
    int apron_left = 0, apron_right = 0, apron_top = 0, apron_bottom = 0;
};

// A tile with left edge l and width W, where L to R (inclusive) may be read, is free on read if l -
// apron_left >= L and l + W - 1 + apron_right <= R, and free on write if l + W - 1 is inside the target. Rows
// alike.
TileClasses classify(const Geometry &geometry, int channels, const TileShape &shape);

// "groups 16x16: free on read and write 196, free on read only 0, free on write only 60, checked on
// both 0"
std::string describe(const TileClasses &classes, std::int64_t columns, std::int64_t rows);

// The same for a pass's tiles, after their size: "128x32, aligned vectors; groups ...".
std::string describe(const ImagePass &pass, const TileShape &shape, bool aligned);

} // namespace gz
