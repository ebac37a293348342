// The kernels of boxes.
#pragma once

#include "families/box/box_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel box_tiled();
Kernel box_columns();
Kernel box_march();
Kernel box_words();
Kernel box_axes();
Kernel box_strips();
Kernel box_bytes();
Kernel box_lines();
Kernel box_plain();
Kernel box_frames();

// Returns all of them; of equally wanted kernels the earlier one is tried first.
const std::vector<Kernel> &box_kernels();

} // namespace gz
