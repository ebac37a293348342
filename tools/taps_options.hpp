// Taps as the options of a filter give them: a box of taps, or taps along each axis.
#ifndef GAUZE_TOOLS_TAPS_OPTIONS_HPP
#define GAUZE_TOOLS_TAPS_OPTIONS_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

#include "plane_options.hpp"

namespace gauze::tool {

// The options that apply to all taps, those of --taps-plane too.
struct TapsModifiers {
    std::optional<std::string> anchor; // none: the library's
    bool normalize = false;
};

struct TapsOptions {
    std::string taps; // numbers, or a .npy file
    TapsModifiers modifiers;
    PlaneOptions planes;
};

void add_taps_options(CLI::App &app, TapsOptions &options);

// text: the value of --taps, or the one for one plane. option: its name in messages. Throws InputError.
gauze::Taps make_taps(const TapsModifiers &modifiers, const std::string &option,
                      std::string_view text);

// Returns the anchor that the text gives a box of such a size; the library's for axes that it leaves out.
// option: the one that the box comes from. Throws InputError.
std::array<std::int64_t, 4> parse_anchor(const std::string &text,
                                         const std::array<std::int64_t, 4> &size,
                                         const std::string &option);

struct SeparableOptions {
    std::array<std::optional<std::string>, 4> taps; // of --taps-x, --taps-y, ...
    TapsModifiers modifiers;
    PlaneOptions planes;
};

void add_separable_options(CLI::App &app, SeparableOptions &options);

// Returns the taps of --taps-x, --taps-y, ... Throws InputError.
gauze::SeparableTaps make_separable_taps(const SeparableOptions &options);

// Returns the taps of one plane: "along x;along y;..." Throws InputError.
gauze::SeparableTaps make_separable_taps(const SeparableOptions &options, const std::string &option,
                                         std::string_view text);

} // namespace gauze::tool

#endif
