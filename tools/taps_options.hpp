// Taps as the options of a filter give them.
#ifndef GAUZE_TOOLS_TAPS_OPTIONS_HPP
#define GAUZE_TOOLS_TAPS_OPTIONS_HPP

#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

namespace gauze::tool {

struct TapsOptions {
    std::string taps;                  // numbers, or a .npy file
    std::optional<std::string> anchor; // none: the library's
    bool normalize = false;
};

void add_taps_options(CLI::App &app, TapsOptions &options);

// Throws InputError.
gauze::Taps make_taps(const TapsOptions &options);

} // namespace gauze::tool

#endif
