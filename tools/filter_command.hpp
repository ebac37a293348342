// The filters of `gauze run`. A new one is added to filter_commands().
#ifndef GAUZE_TOOLS_FILTER_COMMAND_HPP
#define GAUZE_TOOLS_FILTER_COMMAND_HPP

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <gauze/gauze.hpp>

namespace gauze::tool {

// One filter: its own options, and how they become a gauze::Filter once they are parsed.
struct FilterCommand {
    std::string name;
    std::string summary;
    std::function<void(CLI::App &)> add_options;
    std::function<gauze::Filter()> make; // throws InputError
};

std::vector<FilterCommand> filter_commands();

} // namespace gauze::tool

#endif
