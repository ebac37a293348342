#include "families/ssimulacra2/kernels.hpp"

namespace gz {

const std::vector<Kernel> &ssimulacra2_kernels() {
    static const std::vector<Kernel> kernels{xyb_tiled(), xyb_strips(), ssimulacra2_tiled(),
                                             ssimulacra2_strips()};
    return kernels;
}

} // namespace gz
