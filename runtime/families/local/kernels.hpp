// The kernels of filters of a pixel and the mean of those around it.
#pragma once

#include "families/local/local_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel local_fused();
Kernel local_combine();
Kernel local_square();

// Returns all of them; of equally wanted kernels the earlier one is tried first.
const std::vector<Kernel> &local_kernels();

} // namespace gz
