// The kernels of differences.
#pragma once

#include "families/difference/difference_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel difference_plain();

// The list of them, in the order in which those that are wanted alike are tried.
const std::vector<Kernel> &difference_kernels();

} // namespace gz
