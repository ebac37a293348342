// The command ssimulacra2 from outside: scores, forms of output, the map, and what it refuses.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "png_file.hpp"
#include "support/command.hpp"
#include "test_files.hpp"

using namespace gauze::tool;
using namespace support;

namespace {

// A directory with pictures, and the command on them: arguments that end in .png or .npy are names
// of files in it.
class Gallery {
public:
    // Diagonal stripes. step: how much the pixels are off, on a scale of 256.
    void put(const std::string &name, gauze::Type type, int channels, std::int64_t width,
             std::int64_t height, int step = 0) const {
        const gauze::ImageDesc desc(type, width, height, channels);
        std::vector<std::uint16_t> values;
        for (std::int64_t y = 0; y < height; ++y)
            for (std::int64_t x = 0; x < width; ++x)
                for (int c = 0; c < channels; ++c)
                    values.push_back(static_cast<std::uint16_t>(
                        100 + 20 * c + (x + y) / 3 % 2 * 40 + (x * y + c) % 3 * step));
        std::vector<std::byte> bytes;
        if (type == gauze::Type::u16) {
            for (std::uint16_t &value : values)
                value = static_cast<std::uint16_t>(value * 257);
            bytes = to_bytes(values);
        } else {
            bytes = to_bytes(std::vector<std::uint8_t>(values.begin(), values.end()));
        }
        write_png(directory_ / name, desc, bytes, {});
    }
    Outcome run(Arguments arguments) const {
        for (std::string &argument : arguments)
            if (argument.ends_with(".png") || argument.ends_with(".npy"))
                argument = directory_ / argument;
        arguments.insert(arguments.begin(), "ssimulacra2");
        return gauze_command(arguments);
    }
    double score(const std::string &reference, const std::string &distorted) const {
        const Outcome outcome = run({reference, distorted});
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        CHECK(outcome.err.empty());
        CHECK(line_count(outcome.out) == 1);
        return std::stod(outcome.out);
    }
    std::string operator/(const std::string &name) const { return directory_ / name; }
    std::size_t file_count() const { return directory_.file_count(); }

private:
    TestDirectory directory_;
};

} // namespace

TEST_CASE("command: ssimulacra2 scores pairs") {
    const Gallery gallery;
    gallery.put("a.png", gauze::Type::u8, 3, 50, 41);
    gallery.put("b.png", gauze::Type::u8, 3, 50, 41, 4);
    gallery.put("c.png", gauze::Type::u8, 3, 50, 41, 12);
    gallery.put("deep.png", gauze::Type::u16, 3, 50, 41, 4);
    gallery.put("other.png", gauze::Type::u8, 1, 8, 8);
    CHECK(gallery.run({"a.png", "a.png"}).out == "100.00000000\n");
    CHECK(gallery.run({"other.png", "other.png"}).out == "100.00000000\n");
    const double near = gallery.score("a.png", "b.png");
    const double far = gallery.score("a.png", "c.png");
    CHECK(near < 100.0);
    CHECK(far < near);
    // The same values in 16 bits.
    CHECK(gallery.score("a.png", "deep.png") == doctest::Approx(near).epsilon(1e-3));

    const Outcome many = gallery.run(
        {"a.png", "b.png", "a.png", "c.png", "other.png", "other.png", "a.png", "b.png"});
    CHECK(many.code == 0);
    CHECK(many.err.empty());
    CHECK(many.out == gallery.run({"a.png", "b.png"}).out + gallery.run({"a.png", "c.png"}).out +
                          "100.00000000\n" + gallery.run({"a.png", "b.png"}).out);

    const Outcome json = gallery.run({"--json", "a.png", "a.png", "a.png", "b.png"});
    CHECK(json.code == 0);
    CHECK(json.out.starts_with("[\n  {\n    \"ref\": \"" + in_json(gallery / "a.png") +
                               "\",\n    \"dist\": \"" + in_json(gallery / "a.png") +
                               "\",\n    \"score\": 100.0\n  },\n"));

    const Outcome explained = gallery.run({"a.png", "b.png", "--explain", "--device", "cpu"});
    CHECK(contains(explained.err, "launches: 3 for each distorted image"));
    const Outcome timed = gallery.run({"a.png", "b.png", "--time", "3"});
    CHECK(timed.out == gallery.run({"a.png", "b.png"}).out);
    CHECK(contains(timed.err, "median of 3 runs"));
}

TEST_CASE("command: ssimulacra2 takes gray and alpha") {
    const Gallery gallery;
    for (const int channels : {1, 2, 3, 4})
        for (const gauze::Type type : {gauze::Type::u8, gauze::Type::u16}) {
            gallery.put("a.png", type, channels, 33, 20);
            gallery.put("b.png", type, channels, 33, 20, 8);
            CHECK(gallery.score("a.png", "a.png") == 100.0);
            CHECK(gallery.score("a.png", "b.png") < 100.0);
        }
    gallery.put("gray.png", gauze::Type::u8, 1, 33, 20);
    CHECK(gallery.score("b.png", "gray.png") < 100.0);
}

TEST_CASE("command: ssimulacra2 draws where images differ") {
    const Gallery gallery;
    gallery.put("a.png", gauze::Type::u8, 3, 50, 41);
    gallery.put("b.png", gauze::Type::u8, 3, 50, 41, 12);
    const Outcome outcome = gallery.run({"a.png", "b.png", "--map", "map.png"});
    CHECK(outcome.code == 0);
    CHECK(outcome.out == gallery.run({"a.png", "b.png"}).out);
    const PngImage map = read_png(gallery / "map.png");
    CHECK(map.desc.extent[0] == 50);
    CHECK(map.desc.extent[1] == 41);
    CHECK(map.desc.channels == 3);
    CHECK(std::count(map.pixels.begin(), map.pixels.end(), std::byte{0}) <
          static_cast<std::ptrdiff_t>(map.pixels.size() / 2));
    // Black where nothing differs.
    CHECK(gallery.run({"a.png", "a.png", "--map", "map.png"}).code == 0);
    const PngImage black = read_png(gallery / "map.png");
    CHECK(black.pixels == std::vector<std::byte>(black.pixels.size()));
}

TEST_CASE("command: what ssimulacra2 refuses is one line, exit code 2 and no file") {
    const Gallery gallery;
    gallery.put("a.png", gauze::Type::u8, 3, 50, 41);
    gallery.put("wide.png", gauze::Type::u8, 3, 51, 41);
    gallery.put("small.png", gauze::Type::u8, 3, 30, 7);
    write_bytes(gallery / "broken.png", "no picture");
    write_bytes(gallery / "a.npy", "no picture");
    const std::size_t files = gallery.file_count();
    const auto refused = [&](const Arguments &arguments, const std::string &part) {
        const Outcome outcome = gallery.run(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 2);
        CHECK(outcome.out.empty());
        CHECK(outcome.err.starts_with("gauze: "));
        CHECK(line_count(outcome.err) == 1);
        CHECK(contains(outcome.err, part));
    };
    refused({"a.png", "wide.png"}, "is 50x41 and");
    refused({"a.png", "wide.png", "--map", "map.png"}, "a pair must be of one size");
    refused({"small.png", "small.png"}, "is 30x7; images of at least 8x8 pixels");
    refused({"a.png", "broken.png"}, "broken.png");
    refused({"a.png", "missing.png"}, "missing.png");
    refused({"a.png", "a.npy"}, "is not a .png file");
    refused({"a.png", "a.png", "a.png"}, "files come in pairs");
    refused({"a.png", "a.png", "a.png", "a.png", "--map", "map.png"}, "--map is for one pair");
    refused({"a.png", "a.png", "--map", "map.jpg"}, "does not end in .png");
    refused({}, "REF DIST");
    CHECK(gallery.file_count() == files);
}
