#include "edge_options.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "arguments.hpp"
#include "box_options.hpp"

namespace gauze::tool {
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
    constexpr int most_axes = 3;
    constexpr std::int64_t of_sigma = -1;
    const int own_axes = std::min(axes, most_axes);
    const std::array<std::int64_t, 4> radius =
        options.radius ? parse_radius(*options.radius, own_axes)
                       : along_axes("--radius", "", std::vector<std::int64_t>{of_sigma}, own_axes);
    return bilateral(parse_positive("--sigma-space", options.sigma_space),
                     parse_positive("--sigma-range", options.sigma_range),
                     {radius[0], radius[1], radius[2]});
}

bool GuidedOptions::has_file() const {
    return guide && *guide != "channels" && *guide != "color";
}

void add_guided_options(CLI::App &app, GuidedOptions &options) {
    app.add_option("--radius", options.radius, "The pixels at most so far away along x and y")
        ->type_name("R")
        ->required();
    app.add_option(
           "--epsilon", options.epsilon,
           "The variance of the guide, in values squared, below which the image is smoothed")
        ->type_name("E")
        ->required();
    app.add_option("--guide", options.guide,
                   "A .png or .npy file of the image's size, of 1 or 3 channels; or the image "
                   "itself: channels (each by itself) or color (3 together) (default: color where "
                   "the image has 3 channels, else channels)")
        ->type_name("FILE");
}

Filter make_guided(const GuidedOptions &options, int channels) {
    constexpr int colors = 3;
    const bool is_color = options.guide ? *options.guide == "color" : channels == colors;
    return guided(parse_integer("--radius", options.radius),
                  parse_positive("--epsilon", options.epsilon),
                  options.has_file() ? Guide::image
                  : is_color         ? Guide::color
                                     : Guide::channels);
}

} // namespace gauze::tool
