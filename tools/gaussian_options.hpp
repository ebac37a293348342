// A Gaussian as the options of a filter give it.
#ifndef GAUZE_TOOLS_GAUSSIAN_OPTIONS_HPP
#define GAUZE_TOOLS_GAUSSIAN_OPTIONS_HPP

#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

namespace gauze::tool {

// As written.
struct GaussianOptions {
    std::string sigma;
    std::optional<std::string> derivative, truncate, accuracy; // none: the library's
    std::string method = "auto";
};

void add_gaussian_options(CLI::App &app, GaussianOptions &options);

// axes: of the image. Throws InputError.
gauze::Gaussian make_gaussian(const GaussianOptions &options, int axes);

} // namespace gauze::tool

#endif
