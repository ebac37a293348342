// Passes as kernels of networks take them: see selection_network.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "families/rank/rank_pass.hpp"
#include "families/rank/selection_network.hpp"

namespace gz {

// Returns why no network of up to so many pixels computes the pass; "" where one does.
std::string network_refusal(const RankPass &pass, int most_pixels);

// Returns why a tile of so many rows of results is not for the pass; "" where it is.
std::string volume_tile_refusal(const RankPass &pass, int tile_y);

// Rows of a window's slices follow each other in one.
NetworkShape network_shape(const RankPass &pass, int tile_x, int tile_y);

// Pixels beside a tile's results along x, which kernels read in fours.
std::int64_t in_fours(std::int64_t pixels);

// Adds a pass's network to a program: its text, WINDOW_X and WINDOW_Y of a slice, DEPTH, the slices, and
// IS_FLAT.
void add_network(const RankPass &pass, const NetworkShape &shape, int sums,
                 ProgramRequest &program);

} // namespace gz
