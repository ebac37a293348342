#include "families/local/kernels.hpp"

namespace gz {

const std::vector<Kernel> &local_kernels() {
    static const std::vector<Kernel> kernels{local_fused(), local_combine(), local_square()};
    return kernels;
}

} // namespace gz
