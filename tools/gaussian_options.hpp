// A Gaussian as the options of a filter give it.
#ifndef GAUZE_TOOLS_GAUSSIAN_OPTIONS_HPP
#define GAUZE_TOOLS_GAUSSIAN_OPTIONS_HPP

#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

#include "plane_options.hpp"

namespace gauze::tool {

// The options of a Gaussian, as written.
struct GaussianOptions {
    std::string sigma;
    std::optional<std::string> derivative, truncate, accuracy; // none: the library's
    std::string method = "auto";
    PlaneOptions planes;
};

void add_gaussian_options(CLI::App &app, GaussianOptions &options);
// The same without a derivative, and for all planes.
void add_smoothing_options(CLI::App &app, GaussianOptions &options);

// sigma: the value of --sigma, or the one for one plane. option: its name in messages. axes: of the image.
// Throws InputError.
gauze::Gaussian make_gaussian(const GaussianOptions &options, const std::string &option,
                              std::string_view sigma, int axes);

// Returns the method with the name. Throws InputError.
gauze::GaussianMethod parse_method(const std::string &text);

// The options of a difference of Gaussians, as written.
struct DogOptions {
    std::string sigma;
    std::string method = "auto";
};

void add_dog_options(CLI::App &app, DogOptions &options);

// Throws InputError.
gauze::Filter make_dog(const DogOptions &options);

} // namespace gauze::tool

#endif
