#include "families/local/local_pass.hpp"

#include "families/local/kernels.hpp"
#include "plan/problem.hpp"

namespace gz {

std::string problem_of(const LocalPass &pass) {
    return (pass.has_squares ? "local of squares " : "local ") + image_text(pass);
}

const std::vector<Kernel> &kernels_of(const LocalPass &) {
    return local_kernels();
}

std::string problem_of(const FusedLocalPass &pass) {
    return (pass.has_squares ? "fused local of squares " : "fused local ") +
           up_to("taps", longer_side(pass.geometry), {5, 9, 17, 31}) + " " + image_text(pass);
}

const std::vector<Kernel> &kernels_of(const FusedLocalPass &) {
    return local_kernels();
}

std::string problem_of(const SquarePass &pass) {
    return "square " + image_text(pass);
}

const std::vector<Kernel> &kernels_of(const SquarePass &) {
    return local_kernels();
}

} // namespace gz
