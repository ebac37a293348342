// The kernels of SSIMULACRA 2.
#pragma once

#include "families/ssimulacra2/ssimulacra2_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel xyb_tiled();
Kernel xyb_strips();
Kernel ssimulacra2_tiled();
Kernel ssimulacra2_strips();

// Returns all of them; of equally wanted kernels the earlier one is tried first.
const std::vector<Kernel> &ssimulacra2_kernels();

} // namespace gz
