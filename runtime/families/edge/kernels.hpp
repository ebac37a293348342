// The kernels of edge-aware filters.
#pragma once

#include "families/edge/edge_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel bilateral_march();
Kernel bilateral_tiled();
Kernel bilateral_strips();
Kernel bilateral_plain();
Kernel nlm_tiled();
Kernel nlm_strips();
Kernel nlm_plain();

// Returns all of them; of equally wanted kernels the earlier one is tried first.
const std::vector<Kernel> &edge_kernels();

} // namespace gz
