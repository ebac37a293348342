// The pixels around each that a filter looks at, as its options give them, and filters of ranks.
#ifndef GAUZE_TOOLS_WINDOW_OPTIONS_HPP
#define GAUZE_TOOLS_WINDOW_OPTIONS_HPP

#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

namespace gauze::tool {

struct WindowOptions {
    std::optional<std::string> size, footprint, anchor;
};

void add_window_options(CLI::App &app, WindowOptions &options);

// axes: of the image. Throws InputError.
gauze::Window make_window(const WindowOptions &options, int axes);

} // namespace gauze::tool

#endif
