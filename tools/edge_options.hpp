// Edge-aware filters as their options give them.
#ifndef GAUZE_TOOLS_EDGE_OPTIONS_HPP
#define GAUZE_TOOLS_EDGE_OPTIONS_HPP

#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

namespace gauze::tool {

// The options of a bilateral filter, as written.
struct BilateralOptions {
    std::string sigma_space, sigma_range;
    std::optional<std::string> radius, accuracy;
};

void add_bilateral_options(CLI::App &app, BilateralOptions &options);

// The options of a guided filter, as written. guide: a file, `channels` or `color`.
struct GuidedOptions {
    std::string radius, epsilon;
    std::optional<std::string> guide;

    // Whether the guide is a file.
    bool has_file() const;
};

void add_guided_options(CLI::App &app, GuidedOptions &options);

// channels: of the image. Throws InputError.
gauze::Filter make_guided(const GuidedOptions &options, int channels);

// axes: of the image. Throws InputError.
gauze::Filter make_bilateral(const BilateralOptions &options, int axes);

// Those of non-local means.
struct NlmOptions {
    std::string patch = "7", window = "21", strength;
    std::optional<std::string> accuracy;
};

void add_nlm_options(CLI::App &app, NlmOptions &options);

// Throws InputError.
gauze::Filter make_nlm(const NlmOptions &options);

} // namespace gauze::tool

#endif
