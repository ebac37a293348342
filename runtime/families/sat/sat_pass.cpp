#include "families/sat/sat_pass.hpp"

#include "families/sat/kernels.hpp"
#include "plan/problem.hpp"

namespace gz {

std::string problem_of(const SatPass &pass) {
    return "sat " + image_text(pass);
}

const std::vector<Kernel> &kernels_of(const SatPass &) {
    return sat_kernels();
}

} // namespace gz
