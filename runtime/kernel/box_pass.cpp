#include "kernel/box_pass.hpp"

#include <cmath>

namespace gz {

BoxSum sum_of(const BoxPass &pass) {
    const PixelTypeFacts &src = facts_of(pass.src_type);
    const Geometry &g = pass.geometry;
    const double constant = static_cast<double>(g.border_value);
    const bool has_constant = g.border_mode == BORDER_CONSTANT;
    const bool exact = !has_constant || (constant == std::nearbyint(constant) &&
                                         constant >= src.lowest && constant <= src.highest);
    if (!src.is_integer || !exact)
        return BoxSum::f32;
    const double largest = std::max(-src.lowest, src.highest);
    const double area = static_cast<double>(g.taps_x) * static_cast<double>(g.taps_y);
    return area * largest < 0x1p31 ? BoxSum::i32 : BoxSum::i64;
}

Defines box_defines(const BoxPass &pass) {
    Defines defines = type_defines(pass);
    defines["SUM_TYPE"] = static_cast<int>(sum_of(pass));
    defines["DIFFERENCE"] = static_cast<int>(pass.difference);
    return defines;
}

std::int64_t area_of(const BoxPass &pass) {
    return static_cast<std::int64_t>(pass.geometry.taps_x) * pass.geometry.taps_y;
}

void append_other(const BoxPass &pass, Launch &launch) {
    if (pass.difference != BoxDifference::none)
        launch.arguments.emplace_back(SourceBuffer{1});
}

float share_of(const BoxPass &pass) {
    return static_cast<float>(1.0 / static_cast<double>(area_of(pass)));
}

} // namespace gz
