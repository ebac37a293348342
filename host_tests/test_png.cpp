// PNG files: every form is read to the right values, written as it was read, and damage is refused.
// The files are made here, chunk by chunk, independent of the library that reads them.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "image_file.hpp"
#include "input_error.hpp"
#include "png_file.hpp"
#include "support/environment.hpp"
#include "test_files.hpp"

using namespace gauze::tool;
using gauze::ImageDesc;
using gauze::Type;
using support::EnvironmentVariable;

namespace {

enum class Interlace : char { none = 0, adam7 = 1 };

std::string big_endian(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(value >> shift & 255);
    return bytes;
}

std::uint32_t crc32(const std::string &bytes) {
    std::uint32_t crc = 0xffffffff;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
    }
    return ~crc;
}

std::string chunk(const std::string &name, const std::string &data) {
    return big_endian(static_cast<std::uint32_t>(data.size())) + name + data +
           big_endian(crc32(name + data));
}

// A zlib stream of blocks that are stored, not compressed.
std::string zlib_stored(const std::string &data) {
    std::string stream = "\x78\x01";
    std::uint32_t a = 1;
    std::uint32_t b = 0;
    for (const char c : data) {
        a = (a + static_cast<unsigned char>(c)) % 65521;
        b = (b + a) % 65521;
    }
    constexpr std::size_t block = 65535;
    for (std::size_t start = 0; start == 0 || start < data.size(); start += block) {
        const std::string part = data.substr(start, block);
        const auto length = static_cast<unsigned>(part.size());
        stream += start + block >= data.size() ? '\1' : '\0';
        for (const unsigned word : {length, ~length}) {
            stream += static_cast<char>(word & 255);
            stream += static_cast<char>(word >> 8 & 255);
        }
        stream += part;
    }
    return stream + big_endian(b << 16 | a);
}

const std::string signature = "\x89PNG\r\n\x1a\n";

std::string header_chunk(std::uint32_t width, std::uint32_t height, int depth, int colour,
                         Interlace interlace = Interlace::none) {
    return chunk("IHDR", big_endian(width) + big_endian(height) + static_cast<char>(depth) +
                             static_cast<char>(colour) + '\0' + '\0' +
                             static_cast<char>(interlace));
}

// rows: as stored in the file, each after its filter byte.
std::string png_file(const std::string &header, const std::string &more_chunks,
                     const std::string &rows) {
    return signature + header + more_chunks + chunk("IDAT", zlib_stored(rows)) + chunk("IEND", "");
}

std::string filtered_rows(const std::vector<std::string> &rows) {
    std::string data;
    for (const std::string &row : rows)
        data += '\0' + row;
    return data;
}

PngImage read_from(const std::string &bytes) {
    const TestDirectory directory;
    write_bytes(directory / "a.png", bytes);
    return read_png(directory / "a.png");
}

void check_refused(const std::string &bytes, const char *why) {
    CHECK_THROWS_WITH_AS(read_from(bytes), doctest::Contains(why), InputError);
}

// Width, height, depth, colour type and interlacing of a file that was written.
std::string header_of(const std::string &png) {
    return png.substr(signature.size(), header_chunk(1, 1, 8, 0).size());
}

} // namespace

TEST_CASE("png: each form is read to its values and written in the same form") {
    constexpr std::array colours{0, 4, 2, 6};
    constexpr std::size_t width = 5;
    constexpr std::size_t height = 3;
    for (int channels = 1; channels <= 4; ++channels)
        for (const int depth : {8, 16}) {
            CAPTURE(channels);
            CAPTURE(depth);
            const auto values =
                numbered<std::uint16_t>(width * height * static_cast<std::size_t>(channels));
            std::string rows;
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (i % (width * static_cast<std::size_t>(channels)) == 0)
                    rows += '\0';
                if (depth == 16)
                    rows += static_cast<char>(values[i] >> 8);
                rows += static_cast<char>(values[i] & 255);
            }
            const std::string header = header_chunk(
                width, height, depth, colours.at(static_cast<std::size_t>(channels) - 1));
            const TestDirectory directory;
            write_bytes(directory / "a.png", png_file(header, "", rows));
            const HostImage image = read_image(directory / "a.png", ChannelAxis::none);
            CHECK(image.desc.type == (depth == 16 ? Type::u16 : Type::u8));
            CHECK(image.desc.channels == channels);
            CHECK(image.desc.extent == std::array<std::int64_t, 4>{width, height, 1, 1});
            if (depth == 16)
                CHECK(from_bytes<std::uint16_t>(image.pixels) == values);
            else
                CHECK(from_bytes<std::uint8_t>(image.pixels) ==
                      std::vector<std::uint8_t>(values.begin(), values.end()));

            write_image(directory / "b.png", image);
            CHECK(header_of(read_bytes(directory / "b.png")) == header);
            CHECK(read_png(directory / "b.png").pixels == image.pixels);
            CHECK(directory.file_count() == 2);
        }
}

TEST_CASE("png: palettes are expanded") {
    const std::string palette = chunk("PLTE", std::string("\1\2\3\4\5\6\7\x8\x9", 9));
    const std::string rows = filtered_rows({std::string("\x18", 1)}); // 2-bit: 0 1 2 0

    const PngImage opaque = read_from(png_file(header_chunk(3, 1, 2, 3), palette, rows));
    CHECK(opaque.desc.channels == 3);
    CHECK(from_bytes<std::uint8_t>(opaque.pixels) ==
          std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9});

    const PngImage transparent =
        read_from(png_file(header_chunk(3, 1, 2, 3), palette + chunk("tRNS", "\x32\x64"), rows));
    CHECK(transparent.desc.channels == 4);
    CHECK(from_bytes<std::uint8_t>(transparent.pixels) ==
          std::vector<std::uint8_t>{1, 2, 3, 50, 4, 5, 6, 100, 7, 8, 9, 255});
}

TEST_CASE("png: gray of few bits becomes 8 bits, a transparent colour an alpha channel") {
    const auto gray = [](int depth, const std::string &row, const std::string &more = "") {
        const PngImage image =
            read_from(png_file(header_chunk(3, 1, depth, 0), more, filtered_rows({row})));
        CHECK(image.desc.type == Type::u8);
        return from_bytes<std::uint8_t>(image.pixels);
    };
    CHECK(gray(1, "\xa0") == std::vector<std::uint8_t>{255, 0, 255});
    CHECK(gray(2, "\x6c") == std::vector<std::uint8_t>{85, 170, 255});
    CHECK(gray(4, "\x1f\x20") == std::vector<std::uint8_t>{17, 255, 34});
    CHECK(gray(4, "\x1f\x20", chunk("tRNS", std::string("\0\x0f", 2))) ==
          std::vector<std::uint8_t>{17, 255, 255, 0, 34, 255});
}

TEST_CASE("png: interlaced files are read") {
    constexpr std::size_t size = 11;
    const auto values = numbered<std::uint8_t>(size * size);
    constexpr std::array<std::size_t, 7> first_x{0, 4, 0, 2, 0, 1, 0};
    constexpr std::array<std::size_t, 7> first_y{0, 0, 4, 0, 2, 0, 1};
    constexpr std::array<std::size_t, 7> step_x{8, 8, 4, 4, 2, 2, 1};
    constexpr std::array<std::size_t, 7> step_y{8, 8, 8, 4, 4, 2, 2};
    std::string rows;
    for (std::size_t pass = 0; pass < 7; ++pass)
        for (std::size_t y = first_y.at(pass); y < size; y += step_y.at(pass)) {
            rows += '\0';
            for (std::size_t x = first_x.at(pass); x < size; x += step_x.at(pass))
                rows += static_cast<char>(values[y * size + x]);
        }
    const PngImage image =
        read_from(png_file(header_chunk(size, size, 8, 0, Interlace::adam7), "", rows));
    CHECK(from_bytes<std::uint8_t>(image.pixels) == values);
}

TEST_CASE("png: what a file says of its colours and density is kept") {
    const std::string chunks =
        chunk("gAMA", big_endian(50000)) +
        chunk("cHRM", big_endian(31270) + big_endian(32900) + big_endian(68000) +
                          big_endian(32000) + big_endian(26500) + big_endian(69000) +
                          big_endian(15000) + big_endian(6000)) +
        chunk("pHYs", big_endian(2835) + big_endian(2834) + '\1');
    const TestDirectory directory;
    write_bytes(directory / "a.png",
                png_file(header_chunk(1, 1, 8, 2), chunks, filtered_rows({"abc"})));
    write_image(directory / "b.png", read_image(directory / "a.png", ChannelAxis::none));
    const std::string written = read_bytes(directory / "b.png");
    for (std::size_t start = 0; start < chunks.size();) {
        const std::size_t length = 12 + static_cast<unsigned char>(chunks[start + 3]);
        CHECK(written.find(chunks.substr(start, length)) != std::string::npos);
        start += length;
    }

    write_bytes(directory / "a.png",
                png_file(header_chunk(1, 1, 8, 2), chunk("sRGB", "\1"), filtered_rows({"abc"})));
    write_image(directory / "b.png", read_image(directory / "a.png", ChannelAxis::none));
    CHECK(read_bytes(directory / "b.png").find(chunk("sRGB", "\1")) != std::string::npos);
}

TEST_CASE("png: damaged files are refused") {
    const std::string rows = filtered_rows({"abcd", "efgh"});
    const std::string header = header_chunk(4, 2, 8, 0);
    const std::string good = png_file(header, "", rows);
    REQUIRE(read_from(good).pixels.size() == 8);

    check_refused("", "too short");
    check_refused("GIF89a, say", "does not start");
    // Cut anywhere, the file is refused.
    for (std::size_t length = 0; length < good.size(); ++length) {
        CAPTURE(length);
        CHECK_THROWS_AS(read_from(good.substr(0, length)), InputError);
    }
    // A wrong bit anywhere in what counts is refused: the header, the pixels.
    for (std::size_t at = 0; at < good.size() - 12; ++at) {
        CAPTURE(at);
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 1);
        CHECK_THROWS_AS(read_from(bad), InputError);
    }
    check_refused(png_file(header, "", rows.substr(0, 7)), "as PNG");
    check_refused(png_file(header_chunk(0, 2, 8, 0), "", rows), "as PNG");
    check_refused(png_file(header_chunk(4, 2, 8, 3), "", rows), "as PNG"); // no palette
    check_refused(png_file(header_chunk(4, 2, 3, 0), "", rows), "as PNG"); // no such depth
    check_refused(png_file(header_chunk(4, 2, 8, 5), "", rows), "as PNG"); // no such colour type
    check_refused(signature + header + chunk("IEND", ""), "as PNG");
    check_refused(signature + chunk("IEND", ""), "as PNG");
}

TEST_CASE("png: sizes are refused before anything is allocated") {
    const std::string rows = filtered_rows({"abcd"});
    check_refused(png_file(header_chunk(30000, 30000, 8, 6), "", rows), "more than 268435456");
    check_refused(png_file(header_chunk(0x7fffffff, 0x7fffffff, 16, 6), "", rows), "more than");
    // Fewer pixels than the limit, more than so few bytes can become.
    check_refused(png_file(header_chunk(16000, 16000, 8, 0), "", rows), "cannot hold them");
    check_refused(png_file(header_chunk(1, 1000000, 1, 0), "", rows), "cannot hold them");
    check_refused(png_file(header_chunk(200000000, 1, 8, 0), "", rows), "cannot hold them");

    const std::string good = png_file(header_chunk(4, 1, 8, 0), "", rows);
    {
        const EnvironmentVariable limit("GAUZE_MAX_PIXELS", "3");
        check_refused(good, "more than 3");
    }
    {
        const EnvironmentVariable limit("GAUZE_MAX_PIXELS", "4");
        CHECK(read_from(good).pixels.size() == 4);
    }
    {
        const EnvironmentVariable limit("GAUZE_MAX_PIXELS", "many");
        check_refused(good, "GAUZE_MAX_PIXELS is 'many'");
    }
    {
        const EnvironmentVariable limit("GAUZE_MAX_PIXELS", "18446744073709551615");
        check_refused(png_file(header_chunk(0x7fffffff, 0x7fffffff, 16, 6), "", rows),
                      "cannot hold");
    }
}

TEST_CASE("png: what cannot be written is refused and leaves nothing") {
    const TestDirectory directory;
    const std::string path = directory / "a.png";
    ImageDesc volume(Type::u8, 2, 2);
    volume.extent[2] = 2;
    CHECK_THROWS_WITH_AS(check_png_storable(path, volume), doctest::Contains("volume"), InputError);
    for (const Type type : {Type::s16, Type::f16, Type::f32, Type::f64, Type::u32, Type::s32})
        CHECK_THROWS_WITH_AS(check_png_storable(path, ImageDesc(type, 2, 2)),
                             doctest::Contains("u8 or u16"), InputError);
    CHECK_THROWS_WITH_AS(check_png_storable(path, ImageDesc(Type::u8, 1LL << 31, 1)),
                         doctest::Contains("sides"), InputError);
    CHECK_THROWS_WITH_AS(
        write_image(directory / "none/a.png", {ImageDesc(Type::u8, 1, 1), {std::byte{1}}, {}}),
        doctest::Contains("cannot write"), InputError);
    CHECK(directory.file_count() == 0);
}

TEST_CASE("png: pixels go from png to npy and back") {
    const TestDirectory directory;
    const HostImage image{ImageDesc(Type::u16, 3, 2, 3),
                          to_bytes(numbered<std::uint16_t>(18)),
                          {2, ChannelAxis::last, {}}};
    write_image(directory / "a.png", image);
    const HostImage from_png = read_image(directory / "a.png", ChannelAxis::none);
    write_image(directory / "b.npy", from_png);
    const HostImage from_npy = read_image(directory / "b.npy", ChannelAxis::last);
    CHECK(from_npy.desc.extent == image.desc.extent);
    CHECK(from_npy.desc.channels == 3);
    CHECK(from_npy.pixels == image.pixels);
    write_image(directory / "c.png", from_npy);
    CHECK(read_bytes(directory / "c.png") == read_bytes(directory / "a.png"));
}
