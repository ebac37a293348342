#include "window_options.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "input_error.hpp"
#include "taps_options.hpp"

namespace gauze::tool {
namespace {

Window box_of(const std::string &text, int axes) {
    const std::vector<std::int64_t> numbers = parse_integers("--size", text);
    for (const std::int64_t side : numbers)
        if (side < 1)
            throw InputError("--size: " + std::to_string(side) + " is not at least 1");
    return Window(along_axes("--size", text, numbers, axes));
}

Window footprint_of(const std::string &text) {
    const Taps places = make_taps({}, "--footprint", text);
    Window window(places.size);
    for (const double value : places.values)
        window.footprint.push_back(value != 0.0 ? 1 : 0);
    return window;
}

} // namespace

void add_window_options(CLI::App &app, WindowOptions &options) {
    CLI::Option *const size =
        app.add_option("--size", options.size,
                       "The pixels of a box of this size; one number for all axes, or one for each "
                       "of the first")
            ->type_name("N[,NY[,NZ]]");
    CLI::Option *const footprint =
        app.add_option("--footprint", options.footprint,
                       "The pixels where these values are not 0: \"0,1,0;1,1,1;0,1,0\", or a .npy "
                       "file of 1 to 3 axes")
            ->type_name("LIST|FILE.npy");
    size->excludes(footprint);
    app.add_option("--anchor", options.anchor,
                   "Place of the box that lies on the pixel (default: size/2, rounded down)")
        ->type_name("x,y[,z]");
}

Window make_window(const WindowOptions &options, int axes) {
    if (!options.size && !options.footprint)
        throw InputError("--size or --footprint is required");
    Window given = options.size ? box_of(*options.size, axes) : footprint_of(*options.footprint);
    Window window =
        window_of_size(options.size ? "--size" : "--footprint", given.size, options.anchor);
    window.footprint = std::move(given.footprint);
    return window;
}

Window window_of_size(const std::string &option, const std::array<std::int64_t, 4> &size,
                      const std::optional<std::string> &anchor) {
    Window window(size);
    for (std::int64_t &side : window.size)
        side = side == 0 ? 1 : side;
    if (anchor) {
        window.has_anchor = true;
        window.anchor = parse_anchor(*anchor, window.size, option);
    }
    return window;
}

} // namespace gauze::tool
