#include "families/box/box.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace gz {

namespace {

constexpr double u = 0x1p-24; // unit roundoff of f32

} // namespace

double Box::error_bound(double largest) const {
    const Axes sizes = size();
    const auto width = static_cast<double>(sizes[0]);
    double steps = width + 2.0 * std::max(4096.0, width) + 16.0;
    double most = width * static_cast<double>(sizes[1]);
    // One pass of means for each of z and t.
    for (std::size_t i = 2; i < 4; ++i)
        if (radius[i] > 0) {
            const auto length = static_cast<double>(sizes[i]);
            steps += 2.0 * std::max(4096.0, length) + 16.0;
            most = std::max(most, length);
        }
    if (most * largest > std::numeric_limits<float>::max())
        return std::numeric_limits<double>::infinity();
    return iterations * (steps * u * largest + 3.0 * 0x1p-149);
}

Box checked(const Box &box) {
    for (std::size_t i = 0; i < 4; ++i) {
        require(box.radius[i] >= 0 && box.radius[i] <= max_box_radius, "the radius is ",
                box.radius[i], " along ", axis_name[i], "; it must be from 0 to ", max_box_radius);
    }
    require(box.iterations >= 1 && box.iterations <= max_box_iterations, "there are ",
            box.iterations, " iterations; 1 to ", max_box_iterations, " are supported");
    return box;
}

std::string to_text(const Box &box) {
    return text(box.stands_for_gaussian ? "gaussian as " : "", "box of ", to_text(box.size()),
                " pixels, ", box.iterations, box.iterations == 1 ? " time" : " times");
}

void check_border(const Box &box, const Border &border) {
    refuse_border_zero(border, to_text(box));
}

double rounding_bound(const Box &box, double largest) {
    return box.error_bound(largest);
}

double error_bound(const Box &box, double largest) {
    return box.error_bound(largest);
}

AxesReach reach_of(const Box &box) {
    AxesReach result;
    for (std::size_t i = 0; i < 4; ++i)
        result[i] = {box.radius[i] * box.iterations, box.radius[i] * box.iterations};
    return result;
}

// Sums of integers are exact. Of several axes in turn, the means between are not: they err too little to round
// another way, but an integer may become the one below it.
bool rounds_once(const Box &box, const Rounded &images) {
    const PixelTypeFacts &src = facts_of(images.source);
    const double constant = images.border.value;
    const bool whole_constant =
        images.border.mode != BorderMode::constant ||
        (constant == std::nearbyint(constant) && constant >= src.lowest && constant <= src.highest);
    const bool is_in_turn = box.is_volume() && (box.radius[0] > 0 || box.radius[1] > 0 ||
                                                (box.radius[2] > 0 && box.radius[3] > 0));
    return box.iterations == 1 && !(is_in_turn && images.store == Store::truncate) &&
           src.is_integer && facts_of(images.target).is_integer && whole_constant;
}

Results results_of(const Box &) {
    return Results::pixels;
}

} // namespace gz
