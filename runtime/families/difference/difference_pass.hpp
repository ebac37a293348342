// One image less another: differences of filters are lowered to it where no pass computes both.
#pragma once

#include <string>
#include <vector>

#include "plan/image_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

// sources[0] less sources[1], which has the same layout.
struct DifferencePass : ImagePass {};

std::string problem_of(const DifferencePass &pass);
const std::vector<Kernel> &kernels_of(const DifferencePass &pass);

} // namespace gz
