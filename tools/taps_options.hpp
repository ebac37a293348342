// Taps as the options of a filter give them: a box of them, or some along each axis.
#ifndef GAUZE_TOOLS_TAPS_OPTIONS_HPP
#define GAUZE_TOOLS_TAPS_OPTIONS_HPP

#include <array>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

namespace gauze::tool {

// What is said of taps of either form.
struct TapsModifiers {
    std::optional<std::string> anchor; // none: the library's
    bool normalize = false;
};

struct TapsOptions {
    std::string taps; // numbers, or a .npy file
    TapsModifiers modifiers;
};

void add_taps_options(CLI::App &app, TapsOptions &options);

// Throws InputError.
gauze::Taps make_taps(const TapsOptions &options);

struct SeparableOptions {
    std::array<std::optional<std::string>, 4> taps; // of --taps-x, --taps-y, ...
    TapsModifiers modifiers;
};

void add_separable_options(CLI::App &app, SeparableOptions &options);

// Throws InputError.
gauze::SeparableTaps make_separable_taps(const SeparableOptions &options);

} // namespace gauze::tool

#endif
