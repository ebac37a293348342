#include "engine.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "input_error.hpp"

namespace gauze::tool {
namespace {

constexpr std::array<const char *, 4> level_names{"error", "warning", "info", "debug"};

// user: the last level to show.
void print_log(gauze_log_level level, const char *text, void *user) {
    if (level < 0 || level > *static_cast<const gauze_log_level *>(user))
        return;
    const auto name = std::min(static_cast<std::size_t>(level), level_names.size() - 1);
    // One call: lines of several threads must not mix.
    std::fprintf(stderr, "%s: %s\n", level_names[name], text);
}

} // namespace

std::optional<gauze_log_level> log_level() {
    const char *const setting = std::getenv("GAUZE_LOG");
    if (!setting || *setting == '\0')
        return std::nullopt;
    for (std::size_t level = 0; level < level_names.size(); ++level)
        if (std::string_view(setting) == level_names[level])
            return static_cast<gauze_log_level>(level);
    throw InputError("GAUZE_LOG is " + in_quotes(setting) +
                     ", not one of error, warning, info, debug");
}

Engine make_engine(const std::string &device) {
    EngineOptions options;
    options.device = device;
    if (const std::optional<gauze_log_level> level = log_level()) {
        static gauze_log_level shown = *level; // the engine may log until the process ends
        options.log = print_log;
        options.log_user = &shown;
    }
    return Engine(options);
}

} // namespace gauze::tool
