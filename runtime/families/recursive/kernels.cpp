#include "families/recursive/kernels.hpp"

namespace gz {

const std::vector<Kernel> &recursive_kernels() {
    static const std::vector<Kernel> kernels{
        recursive_plain(), recursive_lookback(),     recursive_march(),     recursive_whole(),
        recursive_look(),  recursive_tiled(),        recursive_strips(),    recursive_segments(),
        recursive_fused(), recursive_fused_strips(), recursive_fused_sums()};
    return kernels;
}

} // namespace gz
