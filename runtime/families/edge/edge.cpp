#include "families/edge/edge.hpp"

#include <cmath>

#include "core/error.hpp"
#include "families/edge/weights.hpp"

namespace gz {

namespace {

// Squares of quotients by larger or smaller sigmas leave the range of f32.
constexpr double least_sigma = 1e-15, largest_sigma = 1e15;

void check_sigma(double sigma, const char *what) {
    require(sigma >= least_sigma && sigma <= largest_sigma, "the bilateral filter's sigma ", what,
            " is ", sigma, "; it must be from ", least_sigma, " to ", largest_sigma);
}

} // namespace

std::int64_t bilateral_radius(double sigma_space) {
    check_sigma(sigma_space, "in space");
    constexpr double sigmas = 2.0;
    return static_cast<std::int64_t>(sigmas * sigma_space + 0.5);
}

Bilateral bilateral(double sigma_space, double sigma_range,
                    const std::array<std::int64_t, 3> &radius, double accuracy) {
    check_sigma(sigma_space, "in space");
    check_sigma(sigma_range, "of the range");
    for (std::size_t axis = 0; axis < radius.size(); ++axis)
        require(radius[axis] >= 0 && radius[axis] <= max_bilateral_radius,
                "the bilateral filter's radius is ", radius[axis], " along ", axis_name[axis],
                "; it must be from 0 to ", max_bilateral_radius);
    check_accuracy(accuracy, "bilateral filter");
    return {sigma_space, sigma_range, radius, accuracy};
}

BilateralExponent exponent_of(const Bilateral &filter) {
    const WeightScale scale = weight_scale(filter.accuracy);
    const auto of = [&](double square, double sigma) {
        return square / (2.0 * sigma * sigma) * scale.unit;
    };
    BilateralExponent result{{}, static_cast<float>(of(1.0, filter.sigma_range))};
    const auto &radius = filter.radius;
    for (std::int64_t z = -radius[2]; z <= radius[2]; ++z)
        for (std::int64_t y = -radius[1]; y <= radius[1]; ++y)
            for (std::int64_t x = -radius[0]; x <= radius[0]; ++x)
                result.space.push_back(
                    static_cast<float>(scale.top - of(static_cast<double>(x * x + y * y + z * z),
                                                      filter.sigma_space)));
    return result;
}

std::string to_text(const Bilateral &filter) {
    const auto &radius = filter.radius;
    return text("bilateral filter of sigma ", filter.sigma_space, " in space and ",
                filter.sigma_range, " of the range, radius ", radius[0], "x", radius[1],
                radius[2] > 0 ? text("x", radius[2]) : "");
}

void check_border(const Bilateral &filter, const Border &border) {
    refuse_border_zero(border, to_text(filter));
}

double error_bound(const Bilateral &filter, double largest) {
    constexpr double steps = 12.0; // differences, squares of up to four channels, and v itself
    return mean_error(static_cast<double>(filter.pixels()), steps, largest);
}

double rounding_bound(const Bilateral &filter, double largest) {
    return error_bound(filter, largest);
}

AxesReach reach_of(const Bilateral &filter) {
    AxesReach reach;
    for (std::size_t axis = 0; axis < filter.radius.size(); ++axis)
        reach[axis] = {filter.radius[axis], filter.radius[axis]};
    return reach;
}

bool rounds_once(const Bilateral &, const Rounded &) {
    return false;
}

Results results_of(const Bilateral &) {
    return Results::pixels;
}

} // namespace gz
