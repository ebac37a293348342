// Programs: what to compile, and what was compiled.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "device/opencl.hpp"

namespace gz {

// Names and values of the macros a kernel is built with, sorted by name.
using Defines = std::map<std::string, int>;

struct ProgramRequest {
    std::string file;  // such as "correlate_tiled.cl"
    std::string entry; // the kernel function
    Defines defines;

    std::string options() const;
};

// A built program with one kernel function. Safe to use from many threads.
class Program {
public:
    Program(cl::Program program, std::string entry);

    // A kernel object for one thread's use; OpenCL allows no two threads to set arguments of one
    // kernel.
    cl::Kernel lease();
    void give_back(cl::Kernel kernel) noexcept;

private:
    cl::Program program_;
    std::string entry_;
    std::mutex mutex_;
    std::vector<cl::Kernel> idle_;
};

} // namespace gz
