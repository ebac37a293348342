// The gauze command from outside. CTest sets GAUZE_COMMAND to the built command.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "subprocess.hpp"

namespace support {

using Arguments = std::vector<std::string>;

using Outcome = gauze::tool::ProcessOutcome;

// environment: assignments, as "GAUZE_DEVICE=cpu", and names of variables that it shall not have. out: where its
// output goes, "" for Outcome::out.
inline Outcome gauze_command(const Arguments &arguments, const Arguments &environment = {},
                             const std::string &out = "") {
    const char *const command = std::getenv("GAUZE_COMMAND");
    REQUIRE_MESSAGE(command, "GAUZE_COMMAND is not set");
    return gauze::tool::run_program(command, arguments, {environment, out});
}

inline bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

// Returns a path as JSON has it.
inline std::string in_json(const std::string &path) {
    std::string text;
    for (const char c : path)
        text += c == '\\' ? "\\\\" : std::string(1, c);
    return text;
}

inline std::size_t line_count(const std::string &text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace support
