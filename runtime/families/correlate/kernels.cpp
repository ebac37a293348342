#include "families/correlate/kernels.hpp"

namespace gz {

const std::vector<Kernel> &correlate_kernels() {
    static const std::vector<Kernel> kernels{
        correlate_tiled(),  correlate_strips(),  correlate_plain(),  separable_fused(),
        separable_passes(), separable_columns(), separable_stream(), correlate_volume(),
        correlate_march(),  volume_strips(),     separable_march(),  correlate_frames(),
        correlate_planar(), correlate_stream()};
    return kernels;
}

} // namespace gz
