// Requests to compile programs. They need no bindings of OpenCL, and kernels' descriptions no more than these.
#pragma once

#include <map>
#include <string>

namespace gz {

// Names and values of the macros a kernel is built with, sorted by name.
using Defines = std::map<std::string, int>;

struct ProgramRequest {
    std::string file;  // such as "correlate/correlate_tiled.cl"
    std::string entry; // the kernel function
    Defines defines;
    std::string generated{}; // text that the file includes as "generated"

    // MAX_REGISTERS among the defines: the most registers that an item of the kernel may take on devices that
    // can be told so; 0: as many as the compiler likes.
    int most_registers() const;
    std::string options() const;
    std::string text() const; // all of it, the same for the same request alone
};

} // namespace gz
