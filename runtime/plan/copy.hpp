// A plain vectorised copy, the yardstick of measurements. See cl/copy.cl.
#pragma once

#include <cstdint>

#include "device/facts.hpp"
#include "device/launch.hpp"

namespace gz {

inline constexpr std::int64_t copy_unit = 16; // bytes of one vector

// bytes: a multiple of copy_unit.
Launch copy_launch(std::int64_t bytes, const DeviceFacts &facts);

} // namespace gz
