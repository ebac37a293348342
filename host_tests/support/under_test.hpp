// Which kernels a test is of.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "support/passes.hpp"

namespace support {

// The kernels for passes of the struct P, from the list of its family; of these the one that GAUZE_TEST_KERNEL
// names, where it names any.
template <class P> std::vector<std::string> kernels_under_test() {
    const char *const wanted = std::getenv("GAUZE_TEST_KERNEL");
    const gz::Pass pass = P();
    std::vector<std::string> names;
    for (const gz::Kernel &kernel : pass.kernels())
        if (kernel.takes(pass) && (!wanted || kernel.name == wanted))
            names.push_back(kernel.name);
    return names;
}

} // namespace support
