// One correlation over images in device memory, as kernels see it: what the plan lowers a filter
// to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "device/launch.hpp"
#include "kernel/geometry.hpp"

namespace gz {

struct CorrelatePass {
    PixelType src_type = PixelType::f32;
    PixelType dst_type = PixelType::f32;
    int channels = 1;
    Geometry geometry{};
    std::int64_t planes = 1;
    // Every row of both images starts at a multiple of this many values: 1, 2, 4, 8 or 16.
    int alignment = 1;
    // f32 taps in memory order: taps_x * taps_y of them, or, where separable, taps_x and then
    // taps_y.
    bool separable = false;
    std::vector<float> taps;

    std::int64_t batch() const {
        return static_cast<std::int64_t>(geometry.slices) * geometry.volumes * planes;
    }
};

// Sizes of taps share a program with all others of their bucket: the smallest of these that holds
// both sizes.
inline constexpr int tap_buckets[] = {3, 5, 7, 9, 11, 15, 31, 63};
int bucket_of(const CorrelatePass &pass);

// The taps with `stride` in place of the sizes: rows of stride values, or those along x from 0 on
// and those along y from stride on. What is left over is 0 and never read.
std::vector<float> strided_taps(const CorrelatePass &pass, int stride);

// The macros of cl/lib/pixel.clh and cl/lib/border.clh, and SEPARABLE.
Defines common_defines(const CorrelatePass &pass);

// Number of parts of the given size that cover a length.
constexpr std::int64_t parts(std::int64_t length, std::int64_t size) {
    return (length + size - 1) / size;
}

// An NDRange of groups along x and y over every slice of the pass.
NDRange batched_range(const CorrelatePass &pass, std::int64_t groups_x, std::int64_t groups_y,
                      int group_x, int group_y);

} // namespace gz
