// The kernels of rank filters.
#pragma once

#include "families/rank/rank_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel rank_strips();
Kernel rank_network();
Kernel rank_tiled();
Kernel rank_sets();
Kernel rank_histograms();
Kernel rank_slide();
Kernel rank_plain();
Kernel footprint_strips();
Kernel footprint_tiles();
Kernel footprint_march();
Kernel extreme_strips();
Kernel extreme_march();
Kernel extreme_plain();

// Returns all of them; of equally wanted kernels the earlier one is tried first.
const std::vector<Kernel> &rank_kernels();

} // namespace gz
