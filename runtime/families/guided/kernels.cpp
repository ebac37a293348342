#include "families/guided/kernels.hpp"

namespace gz {

const std::vector<Kernel> &guided_kernels() {
    static const std::vector<Kernel> kernels{guided_march(), guided_strips(), guided_products(),
                                             guided_solve(), guided_combine()};
    return kernels;
}

} // namespace gz
