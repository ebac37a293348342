// Morphological filters as their options give them.
#ifndef GAUZE_TOOLS_MORPHOLOGY_OPTIONS_HPP
#define GAUZE_TOOLS_MORPHOLOGY_OPTIONS_HPP

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

#include "window_options.hpp"

namespace gauze::tool {

// The options of a morphological filter, as written.
struct MorphologyOptions {
    WindowOptions window;
    std::optional<std::string> structure;
    std::string iterations = "1";
};

void add_morphology_options(CLI::App &app, MorphologyOptions &options);

// axes: of the image. Throws InputError.
gauze::Filter make_morphology(const MorphologyOptions &options, int axes,
                              gauze::Filter (*make)(const gauze::Structure &, std::uint32_t));

} // namespace gauze::tool

#endif
