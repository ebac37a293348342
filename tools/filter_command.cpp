#include "filter_command.hpp"

#include <memory>
#include <string_view>
#include <utility>

#include "box_options.hpp"
#include "gaussian_options.hpp"
#include "plane_options.hpp"
#include "taps_options.hpp"

namespace gauze::tool {
namespace {

FilterCommand taps_filter(std::string name, std::string summary, Filter (*make)(const Taps &)) {
    const auto options = std::make_shared<TapsOptions>();
    return {std::move(name), std::move(summary),
            [options](CLI::App &app) { add_taps_options(app, *options); },
            [options, make](const ImageForm &image) {
                const auto filter_of = [&](const std::string &option, std::string_view text) {
                    return make(make_taps(options->modifiers, option, text));
                };
                return with_planes(filter_of("--taps", options->taps), options->planes,
                                   image.channels, filter_of);
            }};
}

FilterCommand separable_filter() {
    const auto options = std::make_shared<SeparableOptions>();
    return {"separable", "Correlate with taps along each axis",
            [options](CLI::App &app) { add_separable_options(app, *options); },
            [options](const ImageForm &image) {
                const auto filter_of = [&](const std::string &option, std::string_view text) {
                    return separable(make_separable_taps(*options, option, text));
                };
                return with_planes(separable(make_separable_taps(*options)), options->planes,
                                   image.channels, filter_of);
            }};
}

FilterCommand gaussian_filter() {
    const auto options = std::make_shared<GaussianOptions>();
    return {"gaussian", "Smooth with a Gaussian, or take its derivatives",
            [options](CLI::App &app) { add_gaussian_options(app, *options); },
            [options](const ImageForm &image) {
                const auto filter_of = [&](const std::string &option, std::string_view sigma) {
                    return gaussian(make_gaussian(*options, option, sigma, image.axes));
                };
                return with_planes(filter_of("--sigma", options->sigma), options->planes,
                                   image.channels, filter_of);
            }};
}

FilterCommand box_filter() {
    const auto options = std::make_shared<BoxOptions>();
    return {"box", "The mean of the pixels around each",
            [options](CLI::App &app) { add_box_options(app, *options); },
            [options](const ImageForm &image) { return make_box(*options, image.axes); }};
}

} // namespace

std::vector<FilterCommand> filter_commands() {
    return {
        taps_filter("correlate", "Correlate with taps", correlate),
        taps_filter("convolve", "Convolve with taps: correlate with them mirrored", convolve),
        separable_filter(),
        gaussian_filter(),
        box_filter(),
    };
}

} // namespace gauze::tool
