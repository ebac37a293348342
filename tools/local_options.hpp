// Filters of a pixel and the mean of those around it, as options give them.
#ifndef GAUZE_TOOLS_LOCAL_OPTIONS_HPP
#define GAUZE_TOOLS_LOCAL_OPTIONS_HPP

#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

namespace gauze::tool {

// The mean, as written: by a Gaussian or by a box.
struct MeanOptions {
    std::optional<std::string> sigma, radius;
};

void add_mean_options(CLI::App &app, MeanOptions &options);

// Throws InputError.
gauze::LocalMean make_mean(const MeanOptions &options, int axes);

// The options of unsharp masking, as written.
struct UnsharpOptions {
    MeanOptions mean;
    std::string amount, threshold = "0";
};

void add_unsharp_options(CLI::App &app, UnsharpOptions &options);

// Throws InputError.
gauze::Filter make_unsharp(const UnsharpOptions &options, int axes);

// The options of a normalization, as written.
struct NormalizationOptions {
    MeanOptions mean;
    std::string epsilon;
};

void add_normalization_options(CLI::App &app, NormalizationOptions &options);

// Throws InputError.
gauze::Filter make_normalization(const NormalizationOptions &options, int axes);

} // namespace gauze::tool

#endif
