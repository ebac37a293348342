#include "filter_command.hpp"

#include <memory>
#include <utility>

#include "taps_options.hpp"

namespace gauze::tool {
namespace {

FilterCommand taps_filter(std::string name, std::string summary,
                          gauze::Filter (*make)(const gauze::Taps &)) {
    const auto options = std::make_shared<TapsOptions>();
    return {std::move(name), std::move(summary),
            [options](CLI::App &app) { add_taps_options(app, *options); },
            [options, make](const ImageForm &) { return make(make_taps(*options)); }};
}

} // namespace

std::vector<FilterCommand> filter_commands() {
    return {
        taps_filter("correlate", "Correlate with taps", gauze::correlate),
        taps_filter("convolve", "Convolve with taps: correlate with them mirrored",
                    gauze::convolve),
    };
}

} // namespace gauze::tool
