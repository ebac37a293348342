// The filters of `gauze run`. A new one is added to filter_commands().
#ifndef GAUZE_TOOLS_FILTER_COMMAND_HPP
#define GAUZE_TOOLS_FILTER_COMMAND_HPP

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

namespace gauze::tool {

// The facts about an image that the meaning of a filter's options depends on: one number may stand for all
// axes, and a channel may have its own taps.
struct ImageForm {
    int axes = 2; // without the channels' axis
    int channels = 1;
};

// Returns the types that kernels read, and most kernels write; the library names more types.
std::vector<gauze::Type> pixel_types();

// Whether a filter takes the border zero.
enum class ZeroBorder { refused, taken, only };

// One filter: its own options, and the function that makes a gauze::Filter of them once they are parsed and
// the image is read.
struct FilterCommand {
    std::string name;
    std::string summary;
    std::function<void(CLI::App &)> add_options;
    std::function<gauze::Filter(const ImageForm &)> make; // throws InputError
    std::string border = "clamp";                         // where --border is not given
    // Used once options are parsed.
    std::function<ZeroBorder()> zero_border = [] { return ZeroBorder::refused; };
    // The types that it can write, and the one that it writes without --out-type, by the type of the source.
    std::vector<gauze::Type> out_types = pixel_types();
    std::function<gauze::Type(gauze::Type)> out_type = [](gauze::Type in) { return in; };
    std::string out_type_text = "as IN"; // the same in words
    // Returns the file of the filter's second source; "" where it has none. Used once options are parsed.
    std::function<std::string()> guide_file = [] { return std::string(); };
};

std::vector<FilterCommand> filter_commands();

} // namespace gauze::tool

#endif
