// Descriptions of images and regions: defaults, refusals, and where pixels are.
#include <doctest/doctest.h>

#include <limits>

#include "core/image_desc.hpp"
#include "support/unit.hpp"

using gz::Axes;
using gz::complete;
using gz::ImageDesc;
using gz::PixelType;
using gz::Region;
using gz::Status;
using support::check_refused;
using support::make_image;

namespace {

constexpr std::int64_t largest_int = std::numeric_limits<std::int64_t>::max();

// A valid description to spoil, with gaps everywhere.
ImageDesc good() {
    ImageDesc desc;
    desc.type = PixelType::u16;
    desc.channels = 2;
    desc.extent = {5, 4, 3, 2};
    desc.pitch = {4, 24, 100, 310};
    desc.offset = 6;
    desc.planes = 2;
    desc.plane_pitch = 700;
    return desc;
}

// Refused as invalid, with the parts and the image's name in the text.
template <class Spoil> void check_spoiled(std::initializer_list<std::string> parts, Spoil &&spoil) {
    ImageDesc desc = good();
    spoil(desc);
    check_refused(Status::invalid_argument, {"the image"}, [&] { complete(desc, "the image"); });
    check_refused(Status::invalid_argument, parts, [&] { complete(desc, "the image"); });
}

template <class Spoil>
void check_spoiled_region(std::initializer_list<std::string> parts, Spoil &&spoil) {
    Region region;
    region.source_origin = {1, 1, 1, 1};
    region.extent = {3, 2, 2, 1};
    region.target_origin = {2, 3, 4, 5};
    const ImageDesc source = make_image(PixelType::u8, {5, 4, 3, 2});
    const ImageDesc target = make_image(PixelType::u8, {6, 7, 8, 9});
    const Region done = complete(region, source, target);
    CHECK(done.extent == region.extent);
    spoil(region);
    check_refused(Status::invalid_argument, {"region"}, [&] { complete(region, source, target); });
    check_refused(Status::invalid_argument, parts, [&] { complete(region, source, target); });
}

} // namespace

TEST_SUITE("image_desc") {
    TEST_CASE("zeros become the defaults: one channel, one plane, no gaps") {
        ImageDesc desc;
        desc.type = PixelType::s16;
        desc.channels = 0;
        desc.extent = {7, 5, 0, 0};
        desc.planes = 0;
        const ImageDesc done = complete(desc, "image");
        CHECK(done.channels == 1);
        CHECK(done.planes == 1);
        CHECK(done.extent == Axes{7, 5, 1, 1});
        CHECK(done.pitch == Axes{2, 14, 70, 70});
        CHECK(done.plane_pitch == 70);
        CHECK(done.offset == 0);
        CHECK(done.bytes() == 70);
        CHECK(done.payload_bytes() == 70);
    }

    TEST_CASE("without gaps, on all axes") {
        const ImageDesc desc = make_image(PixelType::f32, {3, 4, 5, 6}, 2, 7);
        CHECK(desc.pitch == Axes{8, 24, 96, 480});
        CHECK(desc.plane_pitch == 2880);
        CHECK(desc.bytes() == 7 * 2880);
        CHECK(desc.payload_bytes() == desc.bytes());
        CHECK(desc.pixel_bytes() == 8);
    }

    TEST_CASE("given numbers stay, and say where pixels are") {
        const ImageDesc desc = complete(good(), "image");
        CHECK(desc.pitch == good().pitch);
        CHECK(desc.plane_pitch == 700);
        CHECK(desc.pixel_bytes() == 4);
        CHECK(desc.byte_of({0, 0, 0, 0}, 0) == 6);
        CHECK(desc.byte_of({1, 0, 0, 0}, 0) == 10);
        CHECK(desc.byte_of({0, 1, 0, 0}, 0) == 30);
        CHECK(desc.byte_of({0, 0, 1, 0}, 0) == 106);
        CHECK(desc.byte_of({0, 0, 0, 1}, 0) == 316);
        CHECK(desc.byte_of({0, 0, 0, 0}, 1) == 706);
        CHECK(desc.byte_of({4, 3, 2, 1}, 1) == 6 + 16 + 72 + 200 + 310 + 700);
        CHECK(desc.bytes() == 6 + 16 + 72 + 200 + 310 + 700 + 4);
        CHECK(desc.payload_bytes() == 5 * 4 * 3 * 2 * 2 * 4);
    }

    TEST_CASE("completing twice changes nothing") {
        ImageDesc desc = good();
        desc.pitch = {0, 28, 0, 0};
        desc.plane_pitch = 0;
        const ImageDesc once = complete(desc, "image");
        const ImageDesc twice = complete(once, "image");
        CHECK(twice.pitch == once.pitch);
        CHECK(twice.plane_pitch == once.plane_pitch);
        CHECK(twice.bytes() == once.bytes());
    }

    TEST_CASE("the last of many rows needs no padding, neither do the last slice and plane") {
        ImageDesc desc = good();
        CHECK(complete(desc, "image").bytes() == 1308);
        desc.pitch[2] = 3 * 24 + 20;
        CHECK(complete(desc, "image").pitch[2] == 92);
        check_spoiled({"slice pitch", "90", "92"}, [](ImageDesc &d) { d.pitch[2] = 90; });
    }

    TEST_CASE("channels") {
        check_spoiled({"5 channels", "1 to 4"}, [](ImageDesc &d) { d.channels = 5; });
        check_spoiled({"-1 channels"}, [](ImageDesc &d) { d.channels = -1; });
        for (std::int64_t channels = 1; channels <= 4; ++channels)
            CHECK(make_image(PixelType::u8, {3, 3, 1, 1}, channels).pitch[1] == 3 * channels);
    }

    TEST_CASE("extents") {
        check_spoiled({"0 pixels", "along x"}, [](ImageDesc &d) { d.extent[0] = 0; });
        check_spoiled({"0 pixels", "along y"}, [](ImageDesc &d) { d.extent[1] = 0; });
        check_spoiled({"-1 pixels", "along x"}, [](ImageDesc &d) { d.extent[0] = -1; });
        check_spoiled({"-7 pixels", "along y"}, [](ImageDesc &d) { d.extent[1] = -7; });
        check_spoiled({"-2 pixels", "along z"}, [](ImageDesc &d) { d.extent[2] = -2; });
        check_spoiled({"-2 pixels", "along t"}, [](ImageDesc &d) { d.extent[3] = -2; });
        check_spoiled({"-3 planes"}, [](ImageDesc &d) { d.planes = -3; });
    }

    TEST_CASE("pitches smaller than what they step over, or not of whole values") {
        check_spoiled({"row pitch", "18", "20"}, [](ImageDesc &d) { d.pitch[1] = 18; });
        check_spoiled({"row pitch", "-24"}, [](ImageDesc &d) { d.pitch[1] = -24; });
        check_spoiled({"row pitch", "25", "multiple of 2"}, [](ImageDesc &d) { d.pitch[1] = 25; });
        check_spoiled({"slice pitch", "24", "92"}, [](ImageDesc &d) { d.pitch[2] = 24; });
        check_spoiled({"slice pitch", "101"}, [](ImageDesc &d) { d.pitch[2] = 101; });
        check_spoiled({"volume pitch", "290", "292"}, [](ImageDesc &d) { d.pitch[3] = 290; });
        check_spoiled({"volume pitch", "311"}, [](ImageDesc &d) { d.pitch[3] = 311; });
        check_spoiled({"plane pitch", "600", "602"}, [](ImageDesc &d) { d.plane_pitch = 600; });
        check_spoiled({"plane pitch", "-700"}, [](ImageDesc &d) { d.plane_pitch = -700; });
        check_spoiled({"plane pitch", "701"}, [](ImageDesc &d) { d.plane_pitch = 701; });
        check_spoiled({"pixel pitch", "2", "4"}, [](ImageDesc &d) { d.pitch[0] = 2; });
        check_spoiled({"pixel pitch", "6", "4"}, [](ImageDesc &d) {
            d.pitch = {6, 0, 0, 0};
            d.plane_pitch = 0;
        });
        // A pitch of exactly the bytes stepped over is enough.
        ImageDesc desc = good();
        desc.pitch = {4, 20, 80, 240};
        desc.plane_pitch = 480;
        CHECK(complete(desc, "image").bytes() == 6 + 960);
    }

    TEST_CASE("offsets") {
        check_spoiled({"byte 7", "multiple of 2", "u16"}, [](ImageDesc &d) { d.offset = 7; });
        check_spoiled({"byte -2"}, [](ImageDesc &d) { d.offset = -2; });
        for (const PixelType type : {PixelType::u8, PixelType::s16, PixelType::f16, PixelType::f32,
                                     PixelType::f64, PixelType::u32}) {
            const auto size = static_cast<std::int64_t>(gz::size_of(type));
            ImageDesc desc;
            desc.type = type;
            desc.offset = 5 * size;
            CHECK(complete(desc, "image").bytes() == 6 * size);
            desc.offset += size / 2;
            if (size > 1)
                check_refused(Status::invalid_argument, {gz::name_of(type)},
                              [&] { complete(desc, "image"); });
        }
    }

    TEST_CASE("sizes beyond 64 bits") {
        const std::initializer_list<std::string> parts{"64 bits"};
        check_spoiled(parts, [](ImageDesc &d) {
            d.pitch = {0, 0, 0, 0};
            d.plane_pitch = 0;
            d.extent = {1 << 30, 1 << 30, 8, 1}; // 2^65 bytes
        });
        check_spoiled(parts, [](ImageDesc &d) { d.pitch[1] = largest_int - 1; });
        check_spoiled(parts, [](ImageDesc &d) { d.pitch = {4, 24, std::int64_t{1} << 62, 0}; });
        check_spoiled(parts, [](ImageDesc &d) { d.pitch = {4, 24, 100, largest_int - 1}; });
        check_spoiled(parts, [](ImageDesc &d) { d.plane_pitch = largest_int - 1; });
        check_spoiled(parts, [](ImageDesc &d) { d.planes = largest_int; });
        check_spoiled(parts, [](ImageDesc &d) { d.offset = largest_int - 1; });
        check_spoiled(parts, [](ImageDesc &d) {
            d.extent[0] = largest_int;
            d.pitch = {0, 0, 0, 0};
        });
        // The largest that fit: the last byte is the last one that has a number.
        ImageDesc desc;
        desc.type = PixelType::u8;
        desc.extent = {3, 1, 1, 1};
        desc.offset = largest_int - 3;
        CHECK(complete(desc, "image").bytes() == largest_int);
    }

    TEST_CASE("rows longer than 32-bit indices allow, or too many of them") {
        const auto wide = [](std::int64_t width, std::int64_t height, std::int64_t channels) {
            ImageDesc desc;
            desc.type = PixelType::u8;
            desc.channels = channels;
            desc.extent = {width, height, 1, 1};
            return complete(desc, "the image");
        };
        CHECK(wide(gz::max_row_values, 1, 1).extent[0] == gz::max_row_values);
        CHECK(wide(1, gz::max_row_values, 1).extent[1] == gz::max_row_values);
        CHECK(wide(gz::max_row_values / 4, 2, 4).bytes() == 2 * gz::max_row_values);
        check_refused(Status::invalid_argument,
                      {std::to_string(gz::max_row_values + 1), "the image"},
                      [&] { wide(gz::max_row_values + 1, 1, 1); });
        check_refused(Status::invalid_argument, {std::to_string(gz::max_row_values + 4)},
                      [&] { wide(gz::max_row_values / 4 + 1, 1, 4); });
        check_refused(Status::invalid_argument, {std::to_string(gz::max_row_values + 1), "rows"},
                      [&] { wide(1, gz::max_row_values + 1, 1); });
    }

    TEST_CASE("packed: rows at multiples of the alignment, nothing else between pixels") {
        ImageDesc desc = complete(good(), "image");
        const ImageDesc tight = gz::packed(desc, {3, 2, 2, 2}, 128);
        CHECK(tight.type == desc.type);
        CHECK(tight.channels == 2);
        CHECK(tight.planes == 2);
        CHECK(tight.extent == Axes{3, 2, 2, 2});
        CHECK(tight.offset == 0);
        CHECK(tight.pitch == Axes{4, 128, 256, 512});
        CHECK(tight.plane_pitch == 1024);
        // A row of just the alignment is not padded, one that is a pixel longer is.
        CHECK(gz::packed(desc, {32, 2, 1, 1}, 128).pitch[1] == 128);
        CHECK(gz::packed(desc, {33, 2, 1, 1}, 128).pitch[1] == 256);
    }

    TEST_CASE("as text") {
        CHECK(gz::to_text(make_image(PixelType::u8, {640, 480, 1, 1})) == "u8 640x480");
        CHECK(gz::to_text(make_image(PixelType::f32, {4, 5, 6, 1}, 3, 2)) ==
              "f32 4x5x6x1 x3 channels x2 planes");
    }
}

TEST_SUITE("region") {
    TEST_CASE("zero extents reach to the source's end") {
        const ImageDesc source = make_image(PixelType::u8, {5, 4, 3, 2});
        CHECK(complete(Region(), source, source).extent == Axes{5, 4, 3, 2});
        Region region;
        region.source_origin = {4, 1, 2, 0};
        const Region done = complete(region, source, source);
        CHECK(done.extent == Axes{1, 3, 1, 2});
        CHECK(done.source_origin == region.source_origin);
        CHECK(done.target_origin == Axes{0, 0, 0, 0});
        CHECK(done.edge == gz::RegionEdge::isolated);
    }

    TEST_CASE("regions that leave the source are refused on every axis") {
        const char *names[] = {"x", "y", "z", "t"};
        const Axes sizes{5, 4, 3, 2};
        for (std::size_t i = 0; i < 4; ++i) {
            const std::string along = names[i];
            check_spoiled_region({along + " = -1"}, [&](Region &r) { r.source_origin[i] = -1; });
            check_spoiled_region(
                {along + " = " + std::to_string(sizes[i]), std::to_string(sizes[i])},
                [&](Region &r) { r.source_origin[i] = sizes[i]; });
            check_spoiled_region({"along " + along, std::to_string(sizes[i])},
                                 [&](Region &r) { r.extent[i] = sizes[i]; }); // from 1 on
            check_spoiled_region({"-2 pixels", "along " + along},
                                 [&](Region &r) { r.extent[i] = -2; });
            check_spoiled_region({"along " + along}, [&](Region &r) { r.extent[i] = largest_int; });
        }
    }

    TEST_CASE("regions that leave the target are refused on every axis") {
        const char *names[] = {"x", "y", "z", "t"};
        const Axes sizes{6, 7, 8, 9};
        const Axes extent{3, 2, 2, 1};
        for (std::size_t i = 0; i < 4; ++i) {
            const std::string along = names[i];
            check_spoiled_region({along + " = -1", "target"},
                                 [&](Region &r) { r.target_origin[i] = -1; });
            check_spoiled_region({"target", "along " + along, std::to_string(sizes[i])},
                                 [&](Region &r) { r.target_origin[i] = sizes[i] - extent[i] + 1; });
            check_spoiled_region({"target"}, [&](Region &r) { r.target_origin[i] = largest_int; });
        }
        // Default extents must fit the target too.
        check_refused(Status::invalid_argument, {"target", "4"}, [] {
            complete(Region(), make_image(PixelType::u8, {5, 1, 1, 1}),
                     make_image(PixelType::u8, {4, 1, 1, 1}));
        });
    }
}
