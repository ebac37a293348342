// Any bytes as a .png file: refused, or an image of as many bytes as its description says.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "input_error.hpp"
#include "memory_file.hpp"
#include "png_file.hpp"

namespace {

// The checksum of PNG's chunks, as its specification's annex D has it.
std::uint32_t crc_of(const std::uint8_t *data, std::size_t size) {
    std::uint32_t crc = 0xffffffff;
    for (std::size_t i = 0; i < size; ++i) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 1) != 0 ? 0xedb88320 ^ crc >> 1 : crc >> 1;
    }
    return ~crc;
}

// The checksums are corrected: no fuzzer finds them, and hardly a chunk would be read without them.
void correct_checksums(std::vector<std::uint8_t> &file) {
    constexpr std::size_t signature = 8;
    for (std::size_t at = signature; file.size() - std::min(at, file.size()) >= 12;) {
        std::size_t length = 0;
        for (std::size_t i = 0; i < 4; ++i)
            length = length << 8 | file[at + i];
        if (length > file.size() - at - 12)
            return;
        const std::uint32_t crc = crc_of(file.data() + at + 4, length + 4);
        for (std::size_t i = 0; i < 4; ++i)
            file[at + 8 + length + i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
        at += 12 + length;
    }
}

void read(const std::vector<std::uint8_t> &file) {
    try {
        const gauze::tool::PngImage image =
            gauze::tool::read_png(gauze::fuzz::file_of(file.data(), file.size()));
        const gauze::ImageDesc &desc = image.desc;
        const auto values =
            static_cast<std::uint64_t>(desc.extent[0] * desc.extent[1] * desc.channels);
        if (image.pixels.size() != values * (desc.type == gauze::Type::u16 ? 2 : 1))
            std::abort();
    } catch (const gauze::tool::InputError &) {
    }
}

} // namespace

// Replaces all that the reader's file takes from the library, which would take minutes to build.
const char *gauze_type_name(gauze_type) {
    return "a type";
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
    return setenv("GAUZE_MAX_PIXELS", "1000000", 1);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    std::vector<std::uint8_t> file(data, data + size);
    read(file);
    correct_checksums(file);
    read(file);
    return 0;
}
