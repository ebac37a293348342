#include "device/program_request.hpp"

namespace gz {

int ProgramRequest::most_registers() const {
    const auto found = defines.find("MAX_REGISTERS");
    return found == defines.end() ? 0 : found->second;
}

std::string ProgramRequest::options() const {
    // Warnings are off: some compilers write them to the standard error of the embedding program.
    std::string result = "-cl-std=CL1.2 -w";
    for (const auto &[name, value] : defines)
        result += " -D " + name + "=" + std::to_string(value);
    return result;
}

std::string ProgramRequest::text() const {
    return file + "\n" + entry + "\n" + options() + "\n" + generated;
}

} // namespace gz
