#include "edge_options.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "arguments.hpp"
#include "input_error.hpp"

namespace gauze::tool {
namespace {

// One number stands for all of the image's axes.
std::array<std::int64_t, 3> radius_along(const std::string &text,
                                         const std::vector<std::int64_t> &numbers, int axes) {
    constexpr int most = 3;
    const auto radius = along_axes("--radius", text, numbers, std::min(axes, most));
    return {radius[0], radius[1], radius[2]};
}

std::vector<std::int64_t> parse_radius(const std::string &text) {
    const std::vector<std::int64_t> numbers = parse_integers("--radius", text);
    for (const std::int64_t radius : numbers)
        if (radius < 0)
            throw InputError("--radius: " + std::to_string(radius) + " is negative");
    return numbers;
}

} // namespace

void add_bilateral_options(CLI::App &app, BilateralOptions &options) {
    app.add_option("--sigma-space", options.sigma_space,
                   "The distance, in pixels, at which a pixel's weight falls to 0.61")
        ->type_name("S")
        ->required();
    app.add_option("--sigma-range", options.sigma_range,
                   "The difference of values at which it does so too")
        ->type_name("R")
        ->required();
    app.add_option("--radius", options.radius,
                   "The pixels at most so far away along each axis, 0 to 15; one number for all "
                   "axes, or one for each of the first (default: int(2 S + 0.5))")
        ->type_name("N[,NY[,NZ]]");
}

Filter make_bilateral(const BilateralOptions &options, int axes) {
    constexpr std::int64_t of_sigma = -1;
    const std::string text = options.radius.value_or("");
    const std::vector<std::int64_t> radius =
        options.radius ? parse_radius(text) : std::vector<std::int64_t>{of_sigma};
    return bilateral(parse_positive("--sigma-space", options.sigma_space),
                     parse_positive("--sigma-range", options.sigma_range),
                     radius_along(text, radius, axes));
}

} // namespace gauze::tool
