// Pixels of each type as values on the host.
#pragma once

#include <cstddef>

#include "core/types.hpp"

namespace gz {

// The value stored at `at`, exactly.
double load_pixel(PixelType type, const std::byte *at);

// Stores as kernels do: integers as `store` says, and saturated (NaN gives 0), f16 rounds to
// nearest even.
void store_pixel(PixelType type, float value, std::byte *at, Store store = Store::saturate);

} // namespace gz
