// Another program, run to its end.
#ifndef GAUZE_TOOLS_SUBPROCESS_HPP
#define GAUZE_TOOLS_SUBPROCESS_HPP

#include <filesystem>
#include <string>
#include <vector>

namespace gauze::tool {

struct ProcessOutcome {
    int code = -1; // -1: a signal ended it
    std::string out, err;
};

// No shell is involved. Throws std::system_error where the program cannot be started.
ProcessOutcome run_program(const std::filesystem::path &program,
                           const std::vector<std::string> &arguments);

} // namespace gauze::tool

#endif
