// The kernels of differences.
#pragma once

#include "families/difference/difference_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel difference_plain();

// Returns all of them; of equally wanted kernels the earlier one is tried first.
const std::vector<Kernel> &difference_kernels();

} // namespace gz
