// A pass over images in device memory, as every kernel sees it.
#pragma once

#include <cstdint>

#include "core/types.hpp"
#include "device/launch.hpp"
#include "plan/geometry.hpp"

namespace gz {

struct ImagePass {
    PixelType src_type = PixelType::f32;
    PixelType dst_type = PixelType::f32;
    Store store = Store::saturate;
    int channels = 1;
    Geometry geometry{};
    std::int64_t planes = 1;
    // Every row of both images starts at a multiple of this many values: 1, 2, 4, 8 or 16.
    int alignment = 1;

    std::int64_t batch() const {
        return static_cast<std::int64_t>(geometry.slices) * geometry.volumes * planes;
    }
    // All values of the target: geometry's rows are of values.
    std::int64_t values() const { return std::int64_t{geometry.width} * geometry.height * batch(); }
};

// How a result is combined with the value of another image, which is f32: numbers of DIFFERENCE in cl/lib/box.clh and
// cl/lib/subtract.clh.
enum class Subtraction { none = 0, result_less_other = 1, other_less_result = -1 };

// Defines what cl/lib/subtract.clh needs; appends the other image, where there is one: the last argument.
void append_other(Subtraction subtraction, Launch &launch);

// The macros of cl/lib/pixel.clh and cl/lib/border.clh.
Defines type_defines(const ImagePass &pass);

// Returns how many pieces of a size cover a length: length / size, rounded up.
constexpr std::int64_t ceil_div(std::int64_t length, std::int64_t size) {
    return (length + size - 1) / size;
}

// Returns the values of a row that a strip of up to `values` of them takes: whole vectors of 16, and whole pixels.
constexpr int whole_values(int values, int channels) {
    constexpr int vector_width = 16;
    const int unit = channels == 3 ? 3 * vector_width : vector_width;
    return values / unit * unit;
}

// An NDRange of groups along x and y over every slice of the pass.
NDRange batched_range(const ImagePass &pass, std::int64_t groups_x, std::int64_t groups_y,
                      int group_x, int group_y);

} // namespace gz
