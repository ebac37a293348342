// Which kernel computes a pass, in which configuration, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/kernels.hpp"

namespace gz {

struct Choice {
    std::string kernel;
    Config config;
    Work work;
    std::string details;              // of the work, for explain()
    std::string rule;                 // what decided
    std::vector<std::string> refused; // "name: why", for each candidate preferred to the chosen one

    std::string variant() const { return kernel + ":" + to_text(config); }
};

// forced: "" to let the device's class decide, else a kernel's name with or without values of
// tunables, as "correlate_tiled:GROUP_X=8"; forced_by says where it came from. Never falls back
// from what is forced. others: names of kernels that the caller would have taken besides. For
// the passes that a Step can have, and those of SSIMULACRA 2.
template <class Pass>
Choice choose(const Pass &pass, const DeviceFacts &facts, const std::string &forced,
              const std::string &forced_by, const std::string &others = "");

// The same where nothing is forced; nothing where no kernel can run on the device.
template <class Pass>
std::optional<Choice> choose_if_any(const Pass &pass, const DeviceFacts &facts);

// Whether a variant, as above, names a kernel for passes of this kind.
template <class Pass>
bool names_kernel(const std::string &variant, const Pass &pass, DeviceClass device_class) {
    const std::string name = variant.substr(0, variant.find(':'));
    for (const KernelSpec<Pass> &spec : kernels_for(pass, device_class))
        if (spec.name == name)
            return true;
    return false;
}

// What explain() says of a choice, on lines of its own, the first of which begins with `pass`.
std::string explain(const std::string &pass, const Choice &choice);

} // namespace gz
