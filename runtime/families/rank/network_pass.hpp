// Passes as kernels of networks take them: see selection_network.hpp.
#pragma once

#include <string>

#include "families/rank/rank_pass.hpp"
#include "families/rank/selection_network.hpp"

namespace gz {

// Returns why no network of up to so many pixels computes the pass; "" where one does.
std::string network_refusal(const RankPass &pass, int most_pixels);

NetworkShape network_shape(const RankPass &pass, int tile_x, int tile_y);

// Adds a network to a program: its text, WINDOW_X and WINDOW_Y.
void add_network(const NetworkShape &shape, int sums, ProgramRequest &program);

} // namespace gz
