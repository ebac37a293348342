#include "families/edge/nlm.hpp"

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
    return static_cast<float>(weight_scale(filter.accuracy).unit /
                              (squares * filter.strength * filter.strength));
}

std::string to_text(const NonLocalMeans &filter) {
    return text("non-local means of strength ", filter.strength, ", patch ", filter.patch, "x",
                filter.patch, ", window ", filter.window, "x", filter.window);
}

void check_border(const NonLocalMeans &filter, const Border &border) {
    refuse_border_zero(border, to_text(filter));
}

double error_bound(const NonLocalMeans &filter, double largest) {
    // Differences, which count twice, squares of up to four channels, sums of up to 15 along y and x, the scale and v.
    constexpr double steps = 2.0 + 4.0 + 2.0 * 6.0 + 2.0;
    return mean_error(static_cast<double>(filter.window * filter.window), steps, largest);
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
