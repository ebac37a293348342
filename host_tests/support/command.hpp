// The gauze command from outside. CTest sets GAUZE_COMMAND to the built command.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/wait.h>

#include <doctest/doctest.h>

#include "test_files.hpp"

namespace support {

using Arguments = std::vector<std::string>;

struct Outcome {
    int code = -1; // -1: it did not end by itself
    std::string out, err;
};

inline std::string in_shell(const std::string &text) {
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? "'\\''" : std::string(1, c);
    return result + "'";
}

// environment: assignments, as "GAUZE_DEVICE=cpu". out: where its output goes, "" for Outcome::out.
inline Outcome gauze_command(const Arguments &arguments, const Arguments &environment = {},
                             const std::string &out = "") {
    const char *const command = std::getenv("GAUZE_COMMAND");
    REQUIRE_MESSAGE(command, "GAUZE_COMMAND is not set");
    const gauze::tool::TestDirectory directory;
    std::string line = "env";
    for (const std::string &assignment : environment)
        line += " " + in_shell(assignment);
    line += " " + in_shell(command);
    for (const std::string &argument : arguments)
        line += " " + in_shell(argument);
    line += " >" + in_shell(out.empty() ? directory / "out" : out) + " 2>" +
            in_shell(directory / "err");
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            out.empty() ? gauze::tool::read_bytes(directory / "out") : "",
            gauze::tool::read_bytes(directory / "err")};
}

inline bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

inline std::size_t line_count(const std::string &text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace support
