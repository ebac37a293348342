#include "support/encoded_pixels.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/pixel_value.hpp"

namespace support {

using namespace gz;

EncodedPixels make_encoded(PixelType type, std::int64_t channels, std::int64_t width,
                           std::int64_t height) {
    ImageDesc desc;
    desc.type = type;
    desc.channels = channels;
    desc.extent = {width, height, 1, 1};
    desc = complete(desc, "image");
    return {desc, std::vector<std::byte>(static_cast<std::size_t>(desc.bytes()))};
}

void set(EncodedPixels &image, std::size_t index, double value) {
    const double largest = facts_of(image.desc.type).highest;
    const auto stored = std::lround(std::clamp(value, 0.0, 1.0) * largest);
    store_pixel(image.desc.type, static_cast<float>(stored),
                image.values.data() + index * size_of(image.desc.type));
}

EncodedPixels waves(PixelType type, std::int64_t channels, std::int64_t width, std::int64_t height,
                    double noise) {
    EncodedPixels image = make_encoded(type, channels, width, height);
    std::minstd_rand random(5);
    std::uniform_real_distribution<double> uniform(-noise, noise);
    std::size_t index = 0;
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
            for (std::int64_t c = 0; c < channels; ++c) {
                const auto at = [](std::int64_t i) { return static_cast<double>(i); };
                const double wave = 0.5 + 0.25 * std::sin(0.11 * at(x) + 0.07 * at(y) + at(c)) +
                                    0.2 * std::sin(0.9 * at(x) - 0.4 * at(y * (c + 1)));
                set(image, index++, wave + uniform(random));
            }
    return image;
}

double reference_score(const EncodedPixels &reference, const EncodedPixels &distorted) {
    return ssimulacra2::score_in_double(reference.encoded(), distorted.encoded());
}

} // namespace support
