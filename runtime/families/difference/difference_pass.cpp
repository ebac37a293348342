#include "families/difference/difference_pass.hpp"

#include "families/difference/kernels.hpp"
#include "plan/problem.hpp"

namespace gz {

std::string problem_of(const DifferencePass &pass) {
    return "difference " + image_text(pass);
}

const std::vector<Kernel> &kernels_of(const DifferencePass &) {
    return difference_kernels();
}

} // namespace gz
