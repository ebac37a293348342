#include "families/rank/rank_pass.hpp"

#include <cmath>

#include "core/error.hpp"
#include "families/rank/kernels.hpp"
#include "plan/problem.hpp"

namespace gz {

bool has_float_keys(const ImagePass &pass) {
    const PixelTypeFacts &src = facts_of(pass.src_type);
    const double constant = static_cast<double>(pass.geometry.border_value);
    return !src.is_integer || (pass.geometry.border_mode == BORDER_CONSTANT &&
                               !(constant == std::nearbyint(constant) && constant >= src.lowest &&
                                 constant <= src.highest));
}

Defines rank_defines(const ImagePass &pass) {
    Defines defines = type_defines(pass);
    defines["FLOAT_KEYS"] = has_float_keys(pass) ? 1 : 0;
    return defines;
}

std::string problem_of(const RankPass &pass) {
    const std::string shape = !pass.is_flat() ? "volume " : pass.is_box ? "" : "footprint ";
    return "rank " + shape + up_to("pixels", pass.count, {9, 25, 49, 81, 121, 225, 625}) + " " +
           image_text(pass);
}

std::string problem_of(const ExtremePass &pass) {
    return "extreme " + up_to("size", longer_side(pass.geometry), {3, 7, 15, 31, 63, 127}) + " " +
           image_text(pass);
}

const std::vector<Kernel> &kernels_of(const RankPass &) {
    return rank_kernels();
}

const std::vector<Kernel> &kernels_of(const ExtremePass &) {
    return rank_kernels();
}

} // namespace gz
