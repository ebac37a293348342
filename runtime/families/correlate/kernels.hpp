// The kernels of filters with taps.
#pragma once

#include "families/correlate/correlate_pass.hpp"
#include "families/correlate/volume_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

Kernel correlate_tiled();
Kernel correlate_strips();
Kernel correlate_plain();
Kernel correlate_planar();
Kernel correlate_stream();
Kernel separable_fused();
Kernel separable_passes();
Kernel separable_columns();
Kernel separable_stream();
Kernel correlate_volume();
Kernel correlate_march();
Kernel correlate_frames();
Kernel volume_strips();
Kernel separable_march();

// Returns all of them; of equally wanted kernels the earlier one is tried first.
const std::vector<Kernel> &correlate_kernels();

} // namespace gz
