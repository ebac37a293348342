#include "families/edge/edge.hpp"

#include <cmath>

#include "core/error.hpp"

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
                    const std::array<std::int64_t, 3> &radius) {
    check_sigma(sigma_space, "in space");
    check_sigma(sigma_range, "of the range");
    for (std::size_t axis = 0; axis < radius.size(); ++axis)
        require(radius[axis] >= 0 && radius[axis] <= max_bilateral_radius,
                "the bilateral filter's radius is ", radius[axis], " along ", axis_name[axis],
                "; it must be from 0 to ", max_bilateral_radius);
    return {sigma_space, sigma_range, radius};
}

float bilateral_weight(float v) {
    const std::array<float, 7> &p = bilateral_weight_terms;
    float y = std::fma(p[0], v, p[1]);
    y = std::fma(y, v, p[2]);
    y = std::fma(y, v, p[3]);
    y = std::fma(y, y, p[4]);
    y = std::fma(y, y, p[5]);
    y = std::fma(y, y, p[6]);
    return y * y;
}

BilateralExponent exponent_of(const Bilateral &filter) {
    const auto of = [](double square, double sigma) {
        return square / (2.0 * sigma * sigma * bilateral_reach);
    };
    BilateralExponent result{{}, static_cast<float>(of(1.0, filter.sigma_range))};
    const auto &radius = filter.radius;
    for (std::int64_t z = -radius[2]; z <= radius[2]; ++z)
        for (std::int64_t y = -radius[1]; y <= radius[1]; ++y)
            for (std::int64_t x = -radius[0]; x <= radius[0]; ++x)
                result.space.push_back(static_cast<float>(
                    1.0 - of(static_cast<double>(x * x + y * y + z * z), filter.sigma_space)));
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

// A result is the pixel plus a quotient, the sum of weights w times differences d over the sum of weights, which is at
// least 1. An error of k w in each weight moves it by up to 2 k max |d|, and one of k in all n of them by n k max |d|,
// where |d| is at most twice the largest magnitude.
double error_bound(const Bilateral &filter, double largest) {
    constexpr double u = 0x1p-24; // unit roundoff of f32
    constexpr double exponent =
        bilateral_reach * 12.0 * u; // differences, squares of up to four channels, and v itself
    const auto pixels = static_cast<double>(filter.pixels());
    const double differences = 2.0 * largest;
    const double weights = 2.0 * exponent + (pixels - 1.0) * bilateral_weight_error;
    const double sums = 2.0 * pixels * u;
    constexpr double quotient_and_pixel = 8.0 * u;
    return differences * (weights + sums + quotient_and_pixel);
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
