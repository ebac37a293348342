// The filters of `gauze run`. A new one is added to filter_commands().
#ifndef GAUZE_TOOLS_FILTER_COMMAND_HPP
#define GAUZE_TOOLS_FILTER_COMMAND_HPP

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

namespace gauze::tool {

// What the meaning of a filter's options takes of the image: one number may stand for all axes, and
// a channel may have taps of its own.
struct ImageForm {
    int axes = 2; // without the one of channels
    int channels = 1;
};

// One filter: its own options, and how they become a gauze::Filter once they are parsed and the
// image is read.
struct FilterCommand {
    std::string name;
    std::string summary;
    std::function<void(CLI::App &)> add_options;
    std::function<gauze::Filter(const ImageForm &)> make; // throws InputError
};

std::vector<FilterCommand> filter_commands();

} // namespace gauze::tool

#endif
