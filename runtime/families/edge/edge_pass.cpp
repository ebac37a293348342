#include "families/edge/edge_pass.hpp"

#include "families/edge/kernels.hpp"
#include "plan/problem.hpp"

namespace gz {

std::string problem_of(const BilateralPass &pass) {
    const std::string shape = pass.is_flat() ? "" : "volume ";
    return "bilateral " + shape +
           up_to("pixels", static_cast<std::int64_t>(pass.space.size()), {25, 81, 225, 961}) + " " +
           image_text(pass);
}

const std::vector<Kernel> &kernels_of(const BilateralPass &) {
    return edge_kernels();
}

} // namespace gz
