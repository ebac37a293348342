// The kernels of derivatives.
#pragma once

#include "families/derivative/derivative_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel derivative_march();
Kernel derivative_strips();
Kernel derivative_combine();

// Returns all of them; of equally wanted kernels the earlier one is tried first.
const std::vector<Kernel> &derivative_kernels();

} // namespace gz
