// The kernels of SSIMULACRA 2.
#pragma once

#include "families/ssimulacra2/ssimulacra2_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel xyb_tiled();
Kernel xyb_strips();
Kernel ssimulacra2_tiled();
Kernel ssimulacra2_strips();

// The list of them, in the order in which those that are wanted alike are tried.
const std::vector<Kernel> &ssimulacra2_kernels();

} // namespace gz
