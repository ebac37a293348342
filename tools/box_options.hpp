// A box filter as its options give it.
#ifndef GAUZE_TOOLS_BOX_OPTIONS_HPP
#define GAUZE_TOOLS_BOX_OPTIONS_HPP

#include <array>
#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

namespace gauze::tool {

// The options of a box filter, as written.
struct BoxOptions {
    std::string radius;
    std::string iterations = "1";
};

void add_box_options(CLI::App &app, BoxOptions &options);

// axes: of the image. Throws InputError.
gauze::Filter make_box(const BoxOptions &options, int axes);

// Returns the radii of --radius along x, y, z, t. Throws InputError.
std::array<std::int64_t, 4> parse_radius(const std::string &text, int axes);

} // namespace gauze::tool

#endif
