#include "families/morphology/kernels.hpp"

namespace gz {

const std::vector<Kernel> &morphology_kernels() {
    static const std::vector<Kernel> kernels{opening_march(), morphology_weighted(),
                                             morphology_combine()};
    return kernels;
}

} // namespace gz
