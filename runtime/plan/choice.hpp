// Which kernel computes a pass, in which configuration, and why.
#pragma once

#include <string>
#include <vector>

#include "kernel/correlate_kernels.hpp"

namespace gz {

struct Choice {
    CorrelateSpec spec;
    Config config;
    std::string rule;                 // what decided
    std::vector<std::string> refused; // "name: why", for each candidate preferred to the chosen one
};

// forced: "" to let the device's class decide, else a kernel's name with or without values of
// tunables, as "correlate_tiled:GROUP_X=8"; forced_by says where it came from. Never falls back
// from what is forced.
Choice choose(const CorrelatePass &pass, const DeviceFacts &facts, const std::string &forced,
              const std::string &forced_by);

} // namespace gz
