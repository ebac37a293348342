// The layout of kernels that read other slices than their own, besides their geometry.
#pragma once

#include "plan/geometry.hpp"

namespace gz {

#include "lib/volume.clh"
static_assert(sizeof(Volume) == 32, "OpenCL C lays the struct out without padding");

} // namespace gz
