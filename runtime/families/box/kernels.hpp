// The kernels of boxes.
#pragma once

#include "families/box/box_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel box_tiled();
Kernel box_columns();
Kernel box_strips();
Kernel box_lines();
Kernel box_plain();

// The list of them, in the order in which those that are wanted alike are tried.
const std::vector<Kernel> &box_kernels();

} // namespace gz
