// The tiles of kernels for dense taps, with what their groups read around them.
#pragma once

#include "families/correlate/correlate_pass.hpp"
#include "plan/tile_classes.hpp"

namespace gz {

// Whether kernels have a second, unrolled body for exactly bucket x bucket taps.
bool has_exact_body(int bucket, const DeviceFacts &facts);

// Images of up to so many values are small: see the kernels' preferred shapes.
inline constexpr std::int64_t most_of_small = std::int64_t{1} << 24;

// Returns a tile of so many values and rows. Where rows are read by vectors, groups that are free on read take whole ones, so that
// what lies around the tile ends where vectors do.
TileShape tile_shape(const CorrelatePass &pass, int width, int height);

} // namespace gz
