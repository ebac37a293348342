#include "families/sat/sat.hpp"

#include <limits>

#include "core/error.hpp"

namespace gz {

namespace {

constexpr double u = 0x1p-24; // unit roundoff of f32

} // namespace

double sat_error_bound(std::int64_t x, std::int64_t y, double magnitudes) {
    const double steps = u * static_cast<double>(x + y);
    const double share = steps / (1.0 - steps);
    if (steps >= 1.0 || !((1.0 + share) * magnitudes <= facts_of(PixelType::f32).highest))
        return std::numeric_limits<double>::infinity();
    return share * magnitudes;
}

std::string to_text(const Sat &) {
    return "summed-area table";
}

void check_border(const Sat &, const Border &border) {
    require(border.mode == BorderMode::zero, "the border is ", name_of(border.mode),
            "; a summed-area table starts from nothing, which is the border zero");
}

// Each entry has a bound of its own: see sat_error_bound().
double error_bound(const Sat &, double) {
    return std::numeric_limits<double>::infinity();
}

double rounding_bound(const Sat &, double) {
    return std::numeric_limits<double>::infinity();
}

AxesReach reach_of(const Sat &) {
    AxesReach result;
    result[0].is_whole = result[1].is_whole = true;
    return result;
}

bool rounds_once(const Sat &, const Rounded &) {
    return false;
}

Results results_of(const Sat &) {
    return Results::sums;
}

} // namespace gz
