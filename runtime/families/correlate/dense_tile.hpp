// The tiles of kernels for dense taps, with what their groups read around them.
#pragma once

#include "families/correlate/correlate_pass.hpp"
#include "plan/tile_classes.hpp"

namespace gz {

// Whether rows are read by aligned vectors of four values.
bool has_vectors(const CorrelatePass &pass);

// Returns a tile of so many values and rows. Where rows are read by vectors, groups that are free on read take whole ones, so that
// what lies around the tile ends where vectors do.
TileShape tile_shape(const CorrelatePass &pass, int width, int height);

} // namespace gz
