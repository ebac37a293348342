#include "plan/bands.hpp"

#include <algorithm>

namespace gz {

std::int32_t rows_of_band(const ImagePass &pass, std::int64_t strips, int window,
                          const DeviceFacts &facts) {
    std::int64_t band = std::max(256, 8 * window);
    while (band > 16 &&
           strips * pass.batch() * ceil_div(pass.geometry.height, band) < 4 * facts.cores())
        band /= 2;
    return static_cast<std::int32_t>(band);
}

} // namespace gz
