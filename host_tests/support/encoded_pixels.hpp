// Images for tests of SSIMULACRA 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "families/ssimulacra2/ssimulacra2_reference.hpp"

namespace support {

struct EncodedPixels {
    gz::ImageDesc desc;
    std::vector<std::byte> values;

    gz::ssimulacra2::EncodedImage encoded() const { return {desc, values.data()}; }
};

// Zeros.
EncodedPixels make_encoded(gz::PixelType type, std::int64_t channels, std::int64_t width,
                           std::int64_t height);

// value: 0 to 1.
void set(EncodedPixels &image, std::size_t index, double value);

// Waves of several lengths in every channel, with `noise` on them.
EncodedPixels waves(gz::PixelType type, std::int64_t channels, std::int64_t width,
                    std::int64_t height, double noise);

double reference_score(const EncodedPixels &reference, const EncodedPixels &distorted);

} // namespace support
