// PNG files as 8- or 16-bit pixels of 1 to 4 channels. Functions throw InputError that names the
// file.
#ifndef GAUZE_TOOLS_PNG_FILE_HPP
#define GAUZE_TOOLS_PNG_FILE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gauze/gauze.hpp>

namespace gauze::tool {

// A PNG file's metadata: what it says of its pixels besides their values. Values are libpng's: gamma and
// chromaticities are times 100000.
struct PngMetadata {
    struct Profile {
        std::string name;
        std::vector<unsigned char> data;
    };
    struct Density {
        std::uint32_t x = 0, y = 0;
        int unit = 0;
    };
    std::optional<std::int32_t> gamma;
    std::optional<std::array<std::int32_t, 8>> chromaticities; // white, red, green, blue: x, y
    std::optional<int> srgb_intent;
    std::optional<Profile> profile;
    std::optional<Density> density;
};

struct PngImage {
    gauze::ImageDesc desc;         // u8 or u16, tight
    std::vector<std::byte> pixels; // 16-bit values in the host's byte order
    PngMetadata metadata;
};

// Palettes become RGB, gray of fewer than 8 bits becomes 8 bits, and transparency by palette or by
// colour becomes an alpha channel. Refuses, before it allocates, images of more pixels than the
// environment variable GAUZE_MAX_PIXELS (default 2^28) and images that cannot be in so short a
// file.
PngImage read_png(const std::filesystem::path &path);

// Throws where a PNG file cannot hold pixels of this description.
void check_png_storable(const std::filesystem::path &path, const gauze::ImageDesc &desc);

// pixels: tight, of a description that check_png_storable accepts.
void write_png(const std::filesystem::path &path, const gauze::ImageDesc &desc,
               std::span<const std::byte> pixels, const PngMetadata &metadata);

} // namespace gauze::tool

#endif
