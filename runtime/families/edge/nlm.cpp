#include "families/edge/nlm.hpp"

#include <cmath>

#include "core/error.hpp"
#include "families/edge/weights.hpp"

namespace gz {

namespace {

// Squares of larger or smaller ones leave the range of f32.
constexpr double least_strength = 1e-15, largest_strength = 1e15;

void check_side(std::int64_t side, const char *what, std::int64_t most) {
    require(side >= 1 && side <= most && side % 2 == 1, "the non-local means filter's ", what,
            " is ", side, " pixels a side; it must be odd, from 1 to ", most);
}

} // namespace

NonLocalMeans non_local_means(const NonLocalMeans &wanted) {
    check_side(wanted.patch, "patch", max_nlm_patch);
    check_side(wanted.window, "window", max_nlm_window);
    require(wanted.strength >= least_strength && wanted.strength <= largest_strength,
            "the non-local means filter's strength is ", wanted.strength, "; it must be from ",
            least_strength, " to ", largest_strength);
    check_accuracy(wanted.accuracy, "non-local means filter");
    return wanted;
}

float scale_of(const NonLocalMeans &filter, int channels) {
    const auto squares = static_cast<double>(filter.patch * filter.patch * channels);
    return static_cast<float>(std::sqrt(0.5 / (weight_reach * squares)) / filter.strength);
}

WeightScale distance_scale(double accuracy) {
    // f is 2^-100 (1 + u / weight_reach) up to the reach, where v is top - unit u.
    const WeightScale weights = weight_scale(accuracy);
    const double reach = weights.unit * weight_reach;
    return {weights.top + reach, reach * 0x1p100};
}

std::string to_text(const NonLocalMeans &filter) {
    return text("non-local means of strength ", filter.strength, ", patch ", filter.patch, "x",
                filter.patch, ", window ", filter.window, "x", filter.window);
}

void check_border(const NonLocalMeans &filter, const Border &border) {
    refuse_border_zero(border, to_text(filter));
}

double error_bound(const NonLocalMeans &filter, double largest) {
    // Squares of up to four channels, each of which is rounded to a multiple of the reach's 2^23rd part. Those of scaled
    // pixels, two roundings of which are an error e of a difference d: that of u is, by Cauchy, up to
    // 2 sqrt(u) e / strength + (e / strength)^2. Then differences, which count twice, the scale, which does too, and v.
    constexpr double u = 0x1p-24; // unit roundoff of f32
    const double error = 2.0 * u * largest / filter.strength;
    const double pixels = (2.0 * std::sqrt(weight_reach) + error) * error / (weight_reach * u);
    const auto squares = static_cast<double>(4 * filter.patch * filter.patch);
    const double steps = squares + pixels + 2.0 + 2.0 + 1.0;
    // Pixels are scaled, and results back.
    const double scaling = 4.0 * u * largest;
    return mean_error(static_cast<double>(filter.window * filter.window), steps, largest) + scaling;
}

double rounding_bound(const NonLocalMeans &filter, double largest) {
    return error_bound(filter, largest);
}

AxesReach reach_of(const NonLocalMeans &filter) {
    AxesReach reach;
    reach[0] = reach[1] = {filter.reach(), filter.reach()};
    return reach;
}

bool rounds_once(const NonLocalMeans &, const Rounded &) {
    return false;
}

Results results_of(const NonLocalMeans &) {
    return Results::pixels;
}

} // namespace gz
