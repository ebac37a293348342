// The kernels of summed-area tables.
#pragma once

#include "families/sat/sat_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel sat_tiled();
Kernel sat_march();
Kernel sat_strips();
Kernel sat_plain();

// The list of them, in the order in which those that are wanted alike are tried.
const std::vector<Kernel> &sat_kernels();

} // namespace gz
