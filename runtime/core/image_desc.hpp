// The places of an image's pixels in a piece of memory, with every default filled in and every number
// checked.
#pragma once

#include <cstdint>
#include <string>

#include "core/types.hpp"

namespace gz {

struct ImageDesc {
    PixelType type = PixelType::f32;
    std::int64_t channels = 1;
    Axes extent{1, 1, 1, 1}; // pixels
    Axes pitch{0, 0, 0, 0};  // bytes to the next pixel along each axis
    std::int64_t offset = 0; // bytes
    std::int64_t planes = 1;
    std::int64_t plane_pitch = 0; // bytes

    std::int64_t pixel_bytes() const { return channels * static_cast<std::int64_t>(size_of(type)); }
    // Bytes from the start of the memory to the end of the last pixel.
    std::int64_t bytes() const;
    std::int64_t byte_of(const Axes &at, std::int64_t plane) const;
    // Bytes of the pixels alone, without gaps between rows.
    std::int64_t payload_bytes() const;
    bool operator==(const ImageDesc &) const = default;
};

// Longest row, in values: leaves room for index arithmetic in 32 bits along x.
inline constexpr std::int64_t max_row_values = (std::int64_t{1} << 31) - (std::int64_t{1} << 16);

// Returns the description with its zeros replaced by the defaults. Refuses descriptions that no image can
// have; `what` names the image in the text ("source", ...).
ImageDesc complete(ImageDesc desc, const std::string &what);

// Returns a tight description of the same pixels, with rows padded to a multiple of row_alignment bytes.
ImageDesc packed(const ImageDesc &desc, const Axes &extent, std::int64_t row_alignment);

std::string to_text(const ImageDesc &desc); // "u8 640x480 x3 channels"

// The contents of an image: pixels, or sums of them in the types that tables have.
enum class Results { pixels, sums };

// A box of source pixels and where its result goes.
enum class RegionEdge : gauze_region_edge {
    isolated = GAUZE_REGION_ISOLATED,
    neighbours = GAUZE_REGION_NEIGHBOURS
};

struct Region {
    Axes source_origin{0, 0, 0, 0};
    Axes extent{0, 0, 0, 0}; // 0: up to the source's end
    Axes target_origin{0, 0, 0, 0};
    RegionEdge edge = RegionEdge::isolated;
    bool operator==(const Region &) const = default;
};

// Returns the region with its zeros replaced; refuses one that leaves the source or the target.
Region complete(Region region, const ImageDesc &source, const ImageDesc &target);

} // namespace gz
