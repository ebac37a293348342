// `gauze cache`: the directory of compiled programs.
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include <gauze/gauze.hpp>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace gauze::tool {
namespace {

ExitCode print_info(Format format) {
    const CacheInfo info = cache_info();
    if (format == Format::json) {
        nlohmann::ordered_json json;
        json["directory"] = nullptr;
        if (!info.directory.empty())
            json["directory"] = info.directory;
        json["entries"] = info.entries;
        json["bytes"] = info.bytes;
        json["cap"] = info.max_bytes;
        // A path need not be UTF-8.
        std::cout << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                  << '\n';
        return ExitCode::success;
    }
    std::cout << "directory  " << (info.directory.empty() ? "none" : info.directory) << '\n'
              << "entries    " << info.entries << '\n'
              << "bytes      " << info.bytes << '\n'
              << "cap        " << info.max_bytes << '\n';
    return ExitCode::success;
}

ExitCode clear() {
    const std::string directory = cache_info().directory;
    const std::uint64_t removed = clear_cache();
    std::cout << "removed " << removed << (removed == 1 ? " entry" : " entries");
    if (!directory.empty())
        std::cout << " from " << directory;
    std::cout << '\n';
    return ExitCode::success;
}

} // namespace

void add_cache_command(CLI::App &app, Invocation &invocation) {
    CLI::App *const command =
        app.add_subcommand("cache", "Show or clear the programs kept for later runs");
    command->require_subcommand(1);

    CLI::App *const info =
        command->add_subcommand("info", "Say where they are and how much they take");
    const auto as_json = std::make_shared<bool>(false);
    info->add_flag("--json", *as_json, "Print a JSON object");
    info->callback([as_json, &invocation] {
        const Format format = *as_json ? Format::json : Format::table;
        invocation.run = [format] { return print_info(format); };
    });

    CLI::App *const clear_command = command->add_subcommand("clear", "Remove them");
    clear_command->callback([&invocation] { invocation.run = clear; });
}

} // namespace gauze::tool
