// The kernels of guided filters.
#pragma once

#include "families/guided/guided_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel guided_strips();
Kernel guided_march();
Kernel guided_products();
Kernel guided_solve();
Kernel guided_combine();

// Returns all of them; of equally wanted kernels the earlier one is tried first.
const std::vector<Kernel> &guided_kernels();

} // namespace gz
