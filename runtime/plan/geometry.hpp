// The structs that host and kernels share, from cl/lib/geometry.clh.
#pragma once

#include <cstdint>

#include <gauze/gauze.h>

namespace gz {

using gz_long = std::int64_t;
using gz_int = std::int32_t;
using gz_float = float;
#include "lib/geometry.clh"

static_assert(sizeof(Geometry) == 136, "OpenCL C lays the struct out without padding");
static_assert(sizeof(TileClasses) == 24, "OpenCL C lays the struct out without padding");
static_assert(sizeof(TapPlace) == 24, "OpenCL C lays the struct out without padding");
static_assert(BORDER_CLAMP == GAUZE_BORDER_CLAMP && BORDER_CONSTANT == GAUZE_BORDER_CONSTANT &&
              BORDER_REFLECT == GAUZE_BORDER_REFLECT &&
              BORDER_REFLECT101 == GAUZE_BORDER_REFLECT101 && BORDER_WRAP == GAUZE_BORDER_WRAP);

} // namespace gz
