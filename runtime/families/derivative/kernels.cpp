#include "families/derivative/kernels.hpp"

namespace gz {

const std::vector<Kernel> &derivative_kernels() {
    static const std::vector<Kernel> kernels{derivative_march(), derivative_strips(),
                                             derivative_combine()};
    return kernels;
}

} // namespace gz
