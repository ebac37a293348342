// Whether two boxes of pixels share bytes of memory.
#pragma once

#include "core/image_desc.hpp"

namespace gz {

// A box of an image whose description counts bytes from `base`.
struct PixelBox {
    const ImageDesc &desc;
    Axes origin, extent;
    std::int64_t base = 0;
};

// Exact for planar images of the same row pitch; else true where the spans of bytes from first to
// last pixel meet.
bool share_bytes(const PixelBox &a, const PixelBox &b);

} // namespace gz
