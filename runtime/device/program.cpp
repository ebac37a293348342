#include "device/program.hpp"

#include <new>

namespace gz {

std::string ProgramRequest::options() const {
    // Without warnings: some compilers write them to the standard error of whoever embeds us.
    std::string result = "-cl-std=CL1.2 -w";
    for (const auto &[name, value] : defines)
        result += " -D " + name + "=" + std::to_string(value);
    return result;
}

Program::Program(cl::Program program, std::string entry)
    : program_(std::move(program)), entry_(std::move(entry)) {}

cl::Kernel Program::lease() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!idle_.empty()) {
            cl::Kernel kernel = std::move(idle_.back());
            idle_.pop_back();
            return kernel;
        }
    }
    return attempt("making a kernel object", [&] { return cl::Kernel(program_, entry_.c_str()); });
}

void Program::give_back(cl::Kernel kernel) noexcept {
    try {
        const std::lock_guard<std::mutex> lock(mutex_);
        idle_.push_back(std::move(kernel));
    } catch (const std::bad_alloc &) {
        // The kernel object is released, and the next lease makes another.
    }
}

} // namespace gz
