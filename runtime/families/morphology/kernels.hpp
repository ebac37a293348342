// The kernels of morphological filters, besides those of ranks.
#pragma once

#include "families/morphology/morphology_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel opening_march();
Kernel morphology_weighted();
Kernel morphology_combine();

// Returns all of them; of equally wanted kernels the earlier one is tried first.
const std::vector<Kernel> &morphology_kernels();

} // namespace gz
