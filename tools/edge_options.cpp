#include "edge_options.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "arguments.hpp"
#include "box_options.hpp"
#include "input_error.hpp"

namespace gauze::tool {

namespace {

void add_accuracy(CLI::App &app, std::optional<std::string> &accuracy) {
    app.add_option("--accuracy", accuracy,
                   "The error of a weight, 1e-6 or more, for which the device may make weights its "
                   "own way (default: none, and the same bits on every device)")
        ->type_name("E");
}

double accuracy_of(const std::optional<std::string> &accuracy) {
    return accuracy ? parse_positive("--accuracy", *accuracy) : 0.0;
}

// Returns a number of pixels that fits the interface's.
int parse_side(std::string_view option, std::string_view text) {
    const std::int64_t side = parse_integer(option, text);
    if (side < 1 || side > std::numeric_limits<std::int32_t>::max())
        throw InputError(std::string(option) + ": " + in_quotes(text) +
                         " is no number of pixels a side");
    return static_cast<int>(side);
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
    add_accuracy(app, options.accuracy);
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
                     {radius[0], radius[1], radius[2]}, accuracy_of(options.accuracy));
}

void add_nlm_options(CLI::App &app, NlmOptions &options) {
    app.add_option("--patch", options.patch,
                   "Pixels a side of the squares that are compared, odd, 1 to 15")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--window", options.window,
                   "Pixels a side of the square whose pixels are averaged, odd, 1 to 63")
        ->type_name("N")
        ->capture_default_str();
    app.add_option(
           "--strength", options.strength,
           "The difference of values, as a root of the mean square over a patch, at which a "
           "pixel's weight falls to 0.37")
        ->type_name("H")
        ->required();
    add_accuracy(app, options.accuracy);
}

Filter make_nlm(const NlmOptions &options) {
    NonLocalMeansOptions own;
    own.patch = parse_side("--patch", options.patch);
    own.window = parse_side("--window", options.window);
    own.accuracy = accuracy_of(options.accuracy);
    return non_local_means(parse_positive("--strength", options.strength), own);
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
