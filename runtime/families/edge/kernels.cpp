#include "families/edge/kernels.hpp"

namespace gz {

const std::vector<Kernel> &edge_kernels() {
    static const std::vector<Kernel> kernels{
        bilateral_march(), bilateral_tiled(), bilateral_strips(), bilateral_plain(),
        nlm_tiled(),       nlm_strips(),      nlm_plain()};
    return kernels;
}

} // namespace gz
