#include "kernel/correlate_pass.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace gz {

int bucket_of(const CorrelatePass &pass) {
    const int size = std::max(pass.geometry.taps_x, pass.geometry.taps_y);
    for (const int bucket : tap_buckets)
        if (size <= bucket)
            return bucket;
    fail(Status::internal, "no bucket holds ", size, " taps");
}

std::vector<float> strided_taps(const CorrelatePass &pass, int stride) {
    const auto nx = static_cast<std::size_t>(pass.geometry.taps_x);
    const auto ny = static_cast<std::size_t>(pass.geometry.taps_y);
    const auto step = static_cast<std::size_t>(stride);
    const auto from = pass.taps.begin();
    if (pass.separable) {
        std::vector<float> result(2 * step, 0.0F);
        std::copy_n(from, nx, result.begin());
        std::copy_n(from + static_cast<std::ptrdiff_t>(nx), ny,
                    result.begin() + static_cast<std::ptrdiff_t>(step));
        return result;
    }
    std::vector<float> result(step * step, 0.0F);
    for (std::size_t j = 0; j < ny; ++j)
        std::copy_n(from + static_cast<std::ptrdiff_t>(j * nx), nx,
                    result.begin() + static_cast<std::ptrdiff_t>(j * step));
    return result;
}

Defines common_defines(const CorrelatePass &pass) {
    return {{"SRC_TYPE", static_cast<int>(pass.src_type)},
            {"DST_TYPE", static_cast<int>(pass.dst_type)},
            {"CHANNELS", pass.channels},
            {"SEPARABLE", pass.separable ? 1 : 0}};
}

NDRange batched_range(const CorrelatePass &pass, std::int64_t groups_x, std::int64_t groups_y,
                      int group_x, int group_y) {
    NDRange range;
    range.local = {static_cast<std::size_t>(group_x), static_cast<std::size_t>(group_y), 1};
    range.global = {static_cast<std::size_t>(groups_x * group_x),
                    static_cast<std::size_t>(groups_y * group_y),
                    static_cast<std::size_t>(pass.batch())};
    return range;
}

} // namespace gz
