// Whether boxes share memory, against marking every byte of them.
#include <doctest/doctest.h>

#include <set>

#include "plan/overlap.hpp"
#include "support/unit.hpp"

using gz::Axes;
using gz::ImageDesc;
using gz::PixelBox;
using gz::PixelType;
using support::draw;

namespace {

// Numbers of all bytes of a box.
std::set<std::int64_t> bytes_of(const PixelBox &box) {
    std::set<std::int64_t> bytes;
    const Axes &n = box.extent;
    for (std::int64_t plane = 0; plane < box.desc.planes; ++plane)
        for (std::int64_t t = 0; t < n[3]; ++t)
            for (std::int64_t z = 0; z < n[2]; ++z)
                for (std::int64_t y = 0; y < n[1]; ++y)
                    for (std::int64_t x = 0; x < n[0]; ++x) {
                        const Axes at{box.origin[0] + x, box.origin[1] + y, box.origin[2] + z,
                                      box.origin[3] + t};
                        for (std::int64_t i = 0; i < box.desc.pixel_bytes(); ++i)
                            bytes.insert(box.base + box.desc.byte_of(at, plane) + i);
                    }
    return bytes;
}

bool share_marked_bytes(const PixelBox &a, const PixelBox &b) {
    const std::set<std::int64_t> of_a = bytes_of(a);
    for (const std::int64_t byte : bytes_of(b))
        if (of_a.count(byte))
            return true;
    return false;
}

// A random image with the row pitch given, 0 for any.
ImageDesc random_image(std::minstd_rand &random, std::int64_t pitch, std::int64_t slices,
                       std::int64_t planes) {
    constexpr PixelType types[] = {PixelType::u8, PixelType::u16, PixelType::f32};
    ImageDesc desc;
    desc.type = types[random() % 3];
    const auto size = static_cast<std::int64_t>(gz::size_of(desc.type));
    desc.channels = draw(random, 1, 2);
    if (pitch == 0)
        pitch = draw(random, 2, 8) * 4;
    desc.extent = {draw(random, 1, pitch / desc.pixel_bytes()), draw(random, 1, 5), slices, 1};
    desc.planes = planes;
    desc.pitch[1] = pitch;
    desc.offset = draw(random, 0, 5) * size;
    return gz::complete(desc, "image");
}

PixelBox random_box(std::minstd_rand &random, const ImageDesc &desc) {
    PixelBox box{desc, {}, {}, draw(random, -40, 160)};
    for (std::size_t i = 0; i < 4; ++i) {
        box.origin[i] = draw(random, 0, desc.extent[i] - 1);
        box.extent[i] = draw(random, 1, desc.extent[i] - box.origin[i]);
    }
    return box;
}

// An f32 box of the given pixels, in an image with rows of 16.
PixelBox box_of(const ImageDesc &desc, std::int64_t x, std::int64_t y, std::int64_t width,
                std::int64_t height) {
    return {desc, {x, y, 0, 0}, {width, height, 1, 1}, 0};
}

} // namespace

TEST_SUITE("overlap") {
    TEST_CASE("exact for planar boxes of one row pitch") {
        std::minstd_rand random(9);
        int shared = 0;
        int close = 0; // apart, though the spans from first to last byte meet
        constexpr int turns = 20000;
        for (int turn = 0; turn < turns; ++turn) {
            const std::int64_t pitch = draw(random, 2, 8) * 8;
            const ImageDesc desc_a = random_image(random, pitch, 1, 1);
            const ImageDesc desc_b = random_image(random, pitch, 1, 1);
            const PixelBox a = random_box(random, desc_a);
            const PixelBox b = random_box(random, desc_b);
            const bool expected = share_marked_bytes(a, b);
            CAPTURE(turn);
            REQUIRE(gz::share_bytes(a, b) == expected);
            REQUIRE(gz::share_bytes(b, a) == expected);
            shared += expected ? 1 : 0;
            const auto bytes_a = bytes_of(a);
            const auto bytes_b = bytes_of(b);
            close += !expected && *bytes_a.begin() <= *bytes_b.rbegin() &&
                             *bytes_b.begin() <= *bytes_a.rbegin()
                         ? 1
                         : 0;
        }
        CHECK(shared > turns / 20);
        CHECK(close > turns / 20);
    }

    TEST_CASE("never overlooks a byte where pitches differ or there are slices or planes") {
        std::minstd_rand random(10);
        int shared = 0;
        int apart = 0;
        constexpr int turns = 10000;
        for (int turn = 0; turn < turns; ++turn) {
            const ImageDesc desc_a =
                random_image(random, 0, draw(random, 1, 2), draw(random, 1, 2));
            const ImageDesc desc_b =
                random_image(random, 0, draw(random, 1, 2), draw(random, 1, 2));
            const PixelBox a = random_box(random, desc_a);
            const PixelBox b = random_box(random, desc_b);
            CAPTURE(turn);
            if (share_marked_bytes(a, b)) {
                ++shared;
                REQUIRE(gz::share_bytes(a, b));
                REQUIRE(gz::share_bytes(b, a));
            }
            // Boxes that end before the other begins are no obstacle, whatever they look like.
            const auto bytes_a = bytes_of(a);
            const auto bytes_b = bytes_of(b);
            if (*bytes_a.rbegin() < *bytes_b.begin() || *bytes_b.rbegin() < *bytes_a.begin()) {
                ++apart;
                REQUIRE_FALSE(gz::share_bytes(a, b));
                REQUIRE_FALSE(gz::share_bytes(b, a));
            }
        }
        CHECK(shared > turns / 20);
        CHECK(apart > turns / 20);
    }

    TEST_CASE("parts of one image by hand") {
        const ImageDesc image = support::make_image(PixelType::f32, {16, 16, 1, 1});
        const PixelBox left = box_of(image, 0, 0, 8, 16);
        CHECK(gz::share_bytes(left, left));
        CHECK_FALSE(gz::share_bytes(left, box_of(image, 8, 0, 8, 16)));
        CHECK(gz::share_bytes(left, box_of(image, 7, 0, 8, 16)));
        CHECK(gz::share_bytes(left, box_of(image, 7, 15, 1, 1)));
        const PixelBox top = box_of(image, 0, 0, 16, 8);
        CHECK_FALSE(gz::share_bytes(top, box_of(image, 0, 8, 16, 8)));
        CHECK(gz::share_bytes(top, box_of(image, 0, 7, 16, 8)));
        // Halves of a buffer of which one begins in the middle of the other's rows.
        PixelBox second = box_of(image, 0, 0, 8, 8);
        second.base = 12 * 4; // pixels 12 to 15 of a row and 0 to 3 of the next
        CHECK(gz::share_bytes(left, second));
        second.extent[0] = 4; // those 12 to 15 alone
        CHECK_FALSE(gz::share_bytes(left, second));
    }
}
