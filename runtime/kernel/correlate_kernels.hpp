// The kernel families that compute a correlation.
#pragma once

#include <vector>

#include "kernel/correlate_pass.hpp"
#include "kernel/kernel_spec.hpp"

namespace gz {

using CorrelateSpec = KernelSpec<CorrelatePass>;

CorrelateSpec correlate_tiled();
CorrelateSpec correlate_strips();
CorrelateSpec correlate_plain();

// All of them, in no order of preference.
std::vector<CorrelateSpec> correlate_kernels();

// Names of the families in the order in which a device of the class should try them.
std::vector<std::string> correlate_preference(DeviceClass device_class);

} // namespace gz
