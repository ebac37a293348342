#include "families/rank/kernels.hpp"

namespace gz {

const std::vector<Kernel> &rank_kernels() {
    static const std::vector<Kernel> kernels{
        footprint_strips(), footprint_tiles(), footprint_march(), rank_network(), rank_strips(),
        rank_tiled(),       rank_sets(),       rank_histograms(), rank_slide(),   rank_plain(),
        extreme_march(),    extreme_strips(),  extreme_plain()};
    return kernels;
}

} // namespace gz
