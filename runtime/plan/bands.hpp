// How kernels of strips divide an image's rows.
#pragma once

#include <cstdint>

#include "device/facts.hpp"
#include "plan/image_pass.hpp"

namespace gz {

// Rows of a band that an item of a strip filters: several windows, so that few rows are read for the first alone, and
// few enough that all units of the device have several.
std::int32_t rows_of_band(const ImagePass &pass, std::int64_t strips, int window,
                          const DeviceFacts &facts);

} // namespace gz
