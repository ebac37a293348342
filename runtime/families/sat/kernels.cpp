#include "families/sat/kernels.hpp"

namespace gz {

const std::vector<Kernel> &sat_kernels() {
    static const std::vector<Kernel> kernels{sat_once(),  sat_gather(), sat_tiled(), sat_ahead(),
                                             sat_march(), sat_strips(), sat_plain()};
    return kernels;
}

} // namespace gz
