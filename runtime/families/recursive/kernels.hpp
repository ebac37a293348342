// The kernels of recursive filters.
#pragma once

#include "families/recursive/recursive_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel recursive_plain();
Kernel recursive_lookback();
Kernel recursive_march();
Kernel recursive_whole();
Kernel recursive_look();
Kernel recursive_tiled();
Kernel recursive_strips();
Kernel recursive_segments();
Kernel recursive_fused();
Kernel recursive_fused_strips();
Kernel recursive_fused_sums();

// Returns all of them; of equally wanted kernels the earlier one is tried first.
const std::vector<Kernel> &recursive_kernels();

} // namespace gz
