// Every kernel of SSIMULACRA 2 against the reference in double.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "plan/ssimulacra2.hpp"
#include "support/encoded_pixels.hpp"
#include "support/image_case.hpp"

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
    return worst_difference(std::vector<double>(map.begin(), map.end()), expected) / largest;
}

void check_scored(const EncodedPixels &reference, const EncodedPixels &distorted,
                  const std::string &variant) {
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

} // namespace

#define FAMILY(family, others)                                                                     \
    TEST_SUITE("kernels") {                                                                        \
        TEST_CASE(family ": pairwise") {                                                           \
            check_sizes(family others);                                                            \
            check_pixels(family others);                                                           \
        }                                                                                          \
    }                                                                                              \
    TEST_SUITE("simulated" * doctest::skip()) {                                                    \
        TEST_CASE(family ": small") {                                                              \
            check_scored(waves(PixelType::u8, 4, 19, 37, 0.0),                                     \
                         waves(PixelType::u16, 3, 19, 37, 0.05), family others);                   \
        }                                                                                          \
    }

FAMILY("ssimulacra2_strips", ";xyb_strips")
