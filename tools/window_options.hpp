// The pixels around each that a filter looks at, as its options give them, and filters of ranks.
#ifndef GAUZE_TOOLS_WINDOW_OPTIONS_HPP
#define GAUZE_TOOLS_WINDOW_OPTIONS_HPP

#include <array>
#include <cstdint>
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

// Returns a box of the size of what an option gave. anchor: the value of --anchor. Throws InputError.
gauze::Window window_of_size(const std::string &option, const std::array<std::int64_t, 4> &size,
                             const std::optional<std::string> &anchor);

} // namespace gauze::tool

#endif
