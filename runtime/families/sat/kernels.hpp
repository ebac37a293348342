// The kernels of summed-area tables.
#pragma once

#include "families/sat/sat_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel sat_once();
Kernel sat_gather();
Kernel sat_tiled();
Kernel sat_ahead();
Kernel sat_march();
Kernel sat_strips();
Kernel sat_plain();

// Returns all of them; of equally wanted kernels the earlier one is tried first.
const std::vector<Kernel> &sat_kernels();

} // namespace gz
