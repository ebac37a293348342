#include "families/difference/kernels.hpp"

namespace gz {

const std::vector<Kernel> &difference_kernels() {
    static const std::vector<Kernel> kernels{difference_plain()};
    return kernels;
}

} // namespace gz
