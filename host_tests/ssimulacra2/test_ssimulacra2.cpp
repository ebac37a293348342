// Every kernel of SSIMULACRA 2 against the reference in double.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "families/ssimulacra2/metric.hpp"
#include "support/difference.hpp"
#include "support/encoded_pixels.hpp"
#include "support/image_case.hpp"
#include "support/under_test.hpp"

namespace {

using namespace gz;
using namespace gz::ssimulacra2;
using namespace support;

Frame frame_of(const EncodedPixels &image) {
    return HostSource{image.values.data(), image.values.size()};
}

struct Scored {
    double score, again;
    std::vector<float> map;
    double map_score;
};

Scored run(const EncodedPixels &reference, const EncodedPixels &distorted,
           const std::string &variant) {
    Ssimulacra2 metric(engine(), reference.desc, distorted.desc, variant);
    Scored result{};
    const Frame frames[] = {frame_of(reference), frame_of(distorted)};
    metric.score({frames, 1}, {frames + 1, 1}, &result.score);
    metric.score({}, {frames + 1, 1}, &result.again);
    result.map.resize(
        static_cast<std::size_t>(distorted.desc.extent[0] * distorted.desc.extent[1]));
    result.map_score = metric.error_map(frames[1], result.map.data());
    return result;
}

// The worst error of a map in units of its own largest value.
double map_error(const std::vector<float> &map, const Plane &expected) {
    const double largest = std::max(1e-6, *std::max_element(expected.begin(), expected.end()));
    return largest_difference(map, expected) / largest;
}

// Strips keep more in an item's arrays than GPUs have for it.
bool fits_device(const std::string &variant) {
    return engine()->facts().is_cpu() || variant.find("strips") == std::string::npos;
}

void check_scored(const EncodedPixels &reference, const EncodedPixels &distorted,
                  const std::string &variant) {
    if (!fits_device(variant))
        return;
    const Scored scored = run(reference, distorted, variant);
    CHECK(std::abs(scored.score - reference_score(reference, distorted)) <= 0.001);
    CHECK(scored.again == scored.score);
    CHECK(scored.map_score == scored.score);
    CHECK(map_error(scored.map, error_map_in_double(reference.encoded(), distorted.encoded())) <=
          1e-3);
}

void check_sizes(const std::string &variant) {
    for (const auto &[width, height] :
         {std::pair(8, 8), {9, 17}, {33, 500}, {131, 61}, {530, 47}}) {
        CAPTURE(width);
        CAPTURE(height);
        check_scored(waves(PixelType::u8, 3, width, height, 0.0),
                     waves(PixelType::u8, 3, width, height, 0.05), variant);
    }
}

// Every kind of pixels of the reference with every kind of the distorted image.
void check_pixels(const std::string &variant) {
    for (const PixelType type : {PixelType::u8, PixelType::u16})
        for (const PixelType other : {PixelType::u8, PixelType::u16})
            for (std::int64_t channels = 1; channels <= 4; ++channels) {
                const std::int64_t other_channels = type == other ? channels : 5 - channels;
                CAPTURE(name_of(type));
                CAPTURE(name_of(other));
                CAPTURE(channels);
                check_scored(waves(type, channels, 45, 23, 0.0),
                             waves(other, other_channels, 45, 23, 0.05), variant);
            }
}

// Variants of both passes: a kernel under test, and one of the same kind for the other pass.
std::vector<std::string> variants() {
    const auto with = [](const std::string &kernel, const gz::Pass &other) {
        const std::string kind = kernel.substr(kernel.find('_'));
        std::string partner;
        for (const gz::Kernel &one : other.kernels())
            if (one.takes(other) &&
                (partner.empty() || one.name.substr(one.name.find('_')) == kind))
                partner = one.name;
        return kernel + ";" + partner;
    };
    std::vector<std::string> result;
    for (const std::string &kernel : support::kernels_under_test<gz::Ssimulacra2Pass>())
        result.push_back(with(kernel, gz::XybPass()));
    for (const std::string &kernel : support::kernels_under_test<gz::XybPass>())
        result.push_back(with(kernel, gz::Ssimulacra2Pass()));
    return result;
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("ssimulacra2 kernels: pairwise") {
        for (const std::string &variant : variants()) {
            check_sizes(variant);
            check_pixels(variant);
        }
    }
}

TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("ssimulacra2 kernels: small") {
        for (const std::string &variant : variants())
            check_scored(waves(PixelType::u8, 4, 19, 37, 0.0),
                         waves(PixelType::u16, 3, 19, 37, 0.05), variant);
    }
}

// Planes and maps have the same bits, and sums are the same but for their last digits.
TEST_CASE("kernels of SSIMULACRA 2 agree") {
    const EncodedPixels reference = waves(PixelType::u8, 3, 203, 131, 0.0);
    const EncodedPixels distorted = waves(PixelType::u8, 3, 203, 131, 0.02);
    const char *const strips = "ssimulacra2_strips;xyb_strips";
    const Scored one = run(reference, distorted, fits_device(strips) ? strips : "");
    for (const char *variant :
         {"ssimulacra2_tiled;xyb_tiled",
          "ssimulacra2_tiled:TILE_X=64,TILE_Y=16,ROW_ITEM=4,ROWS=16,SPARE=0",
          "ssimulacra2_tiled:TILE_X=32,TILE_Y=64,ROWS=4", "ssimulacra2_strips:STRIP=64,BAND=16",
          "ssimulacra2_strips:STRIP=256,BAND=128"}) {
        CAPTURE(variant);
        if (!fits_device(variant))
            continue;
        const Scored other = run(reference, distorted, variant);
        CHECK(std::abs(other.score - one.score) <= 1e-10);
        CHECK(map_error(other.map, Plane(one.map.begin(), one.map.end())) <= 1e-6);
    }
}

TEST_CASE("SSIMULACRA 2 of many images in turn") {
    const EncodedPixels first = waves(PixelType::u8, 3, 60, 47, 0.0);
    const EncodedPixels second = waves(PixelType::u8, 3, 60, 47, 0.2);
    Ssimulacra2 metric(engine(), first.desc, first.desc, "");
    double score = 0.0;
    const Frame one[] = {frame_of(first)};
    CHECK_THROWS_WITH_AS(metric.score({}, one, &score), "no reference has been set", Error);
    metric.set_reference(frame_of(first));

    std::vector<EncodedPixels> images;
    for (const double noise : {0.0, 0.02, 0.05, 0.1, 0.2})
        images.push_back(waves(PixelType::u8, 3, 60, 47, noise));
    std::vector<Frame> frames, references;
    std::vector<double> expected;
    for (std::size_t i = 0; i < images.size(); ++i) {
        frames.push_back(frame_of(images[i]));
        references.push_back(frame_of(i % 2 == 0 ? first : second));
        metric.score({}, {&frames.back(), 1}, &expected.emplace_back());
    }
    CHECK(expected[0] == 100.0);
    std::vector<double> scores(images.size());
    metric.score({}, frames, scores.data());
    CHECK(scores == expected);

    // Each with a reference of its own, the last of which is kept.
    metric.score(references, frames, scores.data());
    CHECK(scores[2] == expected[2]);
    CHECK(scores[1] == doctest::Approx(reference_score(second, images[1])).epsilon(1e-5));
    metric.score({}, {frames.data(), 1}, scores.data());
    CHECK(scores[0] == 100.0);

    // The last of an even number of pairs takes the other lane, and its reference is kept there.
    metric.score({references.data(), 4}, {frames.data(), 4}, scores.data());
    metric.score({}, frames, scores.data());
    std::vector<float> map(60 * 47);
    const double of_map = metric.error_map(frames[4], map.data());
    metric.set_reference(frame_of(second));
    std::vector<double> by_second(images.size());
    metric.score({}, frames, by_second.data());
    CHECK(scores == by_second);
    CHECK(by_second != expected);
    CHECK(of_map == doctest::Approx(by_second[4]).epsilon(1e-12));
    metric.set_reference(frame_of(first));

    // Images on the device.
    DeviceImage image{engine(), images[3].desc,
                      engine()->allocate(static_cast<std::uint64_t>(images[3].desc.bytes()), "it")};
    image.write(images[3].values.data(), images[3].values.size());
    const Frame device[] = {&image};
    metric.score({}, device, scores.data());
    CHECK(scores[0] == expected[3]);
}

TEST_CASE("what SSIMULACRA 2 refuses") {
    const auto desc = [](PixelType type, std::int64_t channels, std::int64_t width,
                         std::int64_t height) {
        return make_encoded(type, channels, width, height).desc;
    };
    const ImageDesc image = desc(PixelType::u8, 3, 20, 10);
    const auto refused = [&](const ImageDesc &reference, const ImageDesc &distorted,
                             const char *text) {
        CHECK_THROWS_WITH_AS(Ssimulacra2(engine(), reference, distorted, ""), text, Error);
    };
    refused(image, desc(PixelType::u8, 3, 20, 11),
            "the reference is 20x10 and the distorted image 20x11; they must be of one size");
    refused(desc(PixelType::u8, 3, 7, 10), desc(PixelType::u8, 3, 7, 10),
            "the images are 7x10; SSIMULACRA 2 takes 8x8 pixels or more");
    refused(image, desc(PixelType::f32, 3, 20, 10),
            "the distorted image is of f32; SSIMULACRA 2 takes u8 and u16");
    CHECK_THROWS_WITH_AS(Ssimulacra2(engine(), image, image, "box_plain"),
                         "no kernel of SSIMULACRA 2 is called 'box_plain'", Error);
    Ssimulacra2 metric(engine(), image, image, "");
    const std::vector<std::byte> few(599);
    CHECK_THROWS_WITH_AS(metric.set_reference(HostSource{few.data(), few.size()}),
                         "the reference has 599 bytes; its description needs 600", Error);
    CHECK(metric.launches() == 3);
    const std::string lines = metric.explain();
    CHECK(lines.find("launches: 3 for each distorted image, and 1 for each reference") !=
          std::string::npos);
}
