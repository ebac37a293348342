#include "families/box/kernels.hpp"

namespace gz {

const std::vector<Kernel> &box_kernels() {
    static const std::vector<Kernel> kernels{box_tiled(),  box_columns(), box_march(), box_words(),
                                             box_axes(),   box_strips(),  box_lines(), box_plain(),
                                             box_frames(), box_bytes()};
    return kernels;
}

} // namespace gz
