#include "morphology_options.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "input_error.hpp"
#include "taps_options.hpp"

namespace gauze::tool {
namespace {

constexpr std::int64_t max_iterations = 64;

// "3x3", "3x3x5"
std::string box_text(const std::array<std::int64_t, 4> &size) {
    const std::string slice = std::to_string(size[0]) + "x" + std::to_string(size[1]);
    return size[2] == 1 ? slice : slice + "x" + std::to_string(size[2]);
}

Structure make_structure(const MorphologyOptions &options, int axes) {
    const WindowOptions &given = options.window;
    if (!options.structure) {
        if (!given.size && !given.footprint)
            throw InputError("--size, --footprint or --structure is required");
        return make_window(given, axes);
    }
    const Taps taps = make_taps({}, "--structure", *options.structure);
    std::vector<float> weights;
    for (const double value : taps.values) {
        weights.push_back(static_cast<float>(value));
        if (!std::isfinite(weights.back()))
            throw InputError("--structure: a weight is beyond the range of f32");
    }
    Window box = window_of_size("--structure", taps.size, given.anchor);
    if (!given.footprint)
        return {std::move(box), std::move(weights)};
    Window window = make_window(given, axes);
    if (window.size != box.size)
        throw InputError("--structure: " + box_text(box.size) +
                         " weights do not fit a --footprint of " + box_text(window.size));
    return {std::move(window), std::move(weights)};
}

} // namespace

void add_morphology_options(CLI::App &app, MorphologyOptions &options) {
    add_window_options(app, options.window);
    app.add_option("--structure", options.structure,
                   "Weights of a box of this size, which erosions subtract and dilations add: "
                   "\"0,1,0;1,2,1;0,1,0\", or a .npy file of 1 to 3 axes (default: 0)")
        ->type_name("LIST|FILE.npy")
        ->excludes("--size");
    app.add_option("--iterations", options.iterations,
                   "Erode or dilate so many times, with the border anew each time: 1 to " +
                       std::to_string(max_iterations))
        ->type_name("N")
        ->capture_default_str();
}

Filter make_morphology(const MorphologyOptions &options, int axes,
                       Filter (*make)(const Structure &, std::uint32_t)) {
    return make(make_structure(options, axes),
                parse_iterations(options.iterations, max_iterations));
}

} // namespace gauze::tool
