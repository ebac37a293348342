// SSIMULACRA 2: the reference in double against expected values from an independent source, in the
// directory that GAUZE_ORACLES names, and by what is known of it; the kernels against the reference.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "filter/ssimulacra2_reference.hpp"
#include "image_file.hpp"
#include "plan/ssimulacra2.hpp"
#include "support/correlate_case.hpp"
#include "support/image_case.hpp"

namespace {

using namespace gz;
using namespace gz::ssimulacra2;
using nlohmann::json;

// ---- oracles ----

std::string oracles() {
    const char *const root = std::getenv("GAUZE_ORACLES");
    return std::string(root ? root : "") + "/ssimulacra2/";
}

// null where there are none, after saying so.
json manifest() {
    std::ifstream file(oracles() + "manifest.json");
    if (!file) {
        MESSAGE("no oracles here: nothing is compared with them");
        return nullptr;
    }
    return json::parse(file);
}

struct Pixels {
    ImageDesc desc;
    std::vector<std::byte> values;

    EncodedImage encoded() const { return {desc, values.data()}; }
    HostSource host() const { return {values.data(), values.size()}; }
};

Pixels load(const std::string &name) {
    gauze::tool::HostImage image =
        gauze::tool::read_image(oracles() + name, gauze::tool::ChannelAxis::none);
    ImageDesc desc;
    desc.type = static_cast<PixelType>(image.desc.type);
    desc.channels = image.desc.channels;
    desc.extent = image.desc.extent;
    return {complete(desc, "image"), std::move(image.pixels)};
}

std::vector<double> values_of(const Pixels &array) {
    std::vector<double> values;
    const auto step = size_of(array.desc.type);
    for (std::size_t at = 0; at < array.values.size(); at += step)
        values.push_back(load_pixel(array.desc.type, array.values.data() + at));
    return values;
}

double worst_difference(const std::vector<double> &a, const std::vector<double> &b) {
    REQUIRE(a.size() == b.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        worst = std::max(worst, std::abs(a[i] - b[i]));
    return worst;
}

// ---- images of our own ----

Pixels make_image(PixelType type, std::int64_t channels, std::int64_t width, std::int64_t height) {
    ImageDesc desc;
    desc.type = type;
    desc.channels = channels;
    desc.extent = {width, height, 1, 1};
    desc = complete(desc, "image");
    return {desc, std::vector<std::byte>(static_cast<std::size_t>(desc.bytes()))};
}

void set(Pixels &image, std::size_t index, double value) {
    const double largest = facts_of(image.desc.type).highest;
    const auto stored = std::lround(std::clamp(value, 0.0, 1.0) * largest);
    store_pixel(image.desc.type, static_cast<float>(stored),
                image.values.data() + index * size_of(image.desc.type));
}

// Waves of several lengths in every channel, with `noise` on them.
Pixels waves(PixelType type, std::int64_t channels, std::int64_t width, std::int64_t height,
             double noise) {
    Pixels image = make_image(type, channels, width, height);
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

double reference_score(const Pixels &reference, const Pixels &distorted) {
    return score_in_double(reference.encoded(), distorted.encoded());
}

// ---- kernels ----

struct Scored {
    double score, again;
    std::vector<float> map;
    double map_score;
};

Scored run(const Pixels &reference, const Pixels &distorted, const std::string &variant) {
    Ssimulacra2 metric(support::engine(), reference.desc, distorted.desc, variant);
    Scored result{};
    const Frame frames[] = {reference.host(), distorted.host()};
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

void check_scored(const Pixels &reference, const Pixels &distorted, const std::string &variant) {
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

TEST_SUITE("reference") {
    TEST_CASE("equal images score 100, others less and less") {
        for (const std::int64_t channels : {1, 2, 3, 4}) {
            const Pixels image = waves(PixelType::u8, channels, 40, 33, 0.0);
            CHECK(reference_score(image, image) == 100.0);
            double last = 100.0;
            for (const double noise : {0.01, 0.02, 0.05, 0.1, 0.3}) {
                const double score =
                    reference_score(image, waves(PixelType::u8, channels, 40, 33, noise));
                CHECK(score < last);
                last = score;
            }
        }
    }

    TEST_CASE("scales") {
        CHECK(scales_of({8, 8}) == std::vector<Extent>{{8, 8}, {4, 4}});
        CHECK(scales_of({33, 500}) == std::vector<Extent>{{33, 500}, {17, 250}, {9, 125}, {5, 63}});
        CHECK(scales_of({1920, 1080}).size() == 6);
        CHECK_THROWS_WITH_AS(scales_of({7, 100}),
                             "the images are 7x100; SSIMULACRA 2 takes 8x8 pixels or more", Error);
    }

    TEST_CASE("weights close up") {
        const auto all = weights_of(6);
        CHECK(all[5][1][0][ssim] == 0.0);
        CHECK(all[0][1][1][ssim] == 7.466890328078848);  // place 39
        CHECK(all[2][1][0][ssim] == 225.20515300849274); // place 48
        const auto two = weights_of(2);
        CHECK(two[0][1][0][artifact] == 0.0016406437456599754); // place 13
    }

    TEST_CASE("planes of one colour") {
        // White: L, M and S are cbrt(1 + bias) - cbrt(bias), but for the sums of the rows.
        const Pixels white = [] {
            Pixels image = make_image(PixelType::u8, 1, 8, 8);
            for (std::size_t i = 0; i < 64; ++i)
                set(image, i, 1.0);
            return image;
        }();
        const Planes linear = linear_of(white.encoded(), 0.0);
        CHECK(linear.values[1][63] == 1.0);
        const double root = std::cbrt(1.0 + opsin_bias) - std::cbrt(opsin_bias);
        const Planes xyb = xyb_of(linear);
        CHECK(xyb.values[0][0] == doctest::Approx(0.42));
        CHECK(xyb.values[1][0] == doctest::Approx(root + 0.01));
        CHECK(xyb.values[2][0] == doctest::Approx(0.55));
    }

    TEST_CASE("an odd last row and column count twice") {
        Planes odd{{3, 1}, {}};
        for (Plane &plane : odd.values)
            plane = {1.0, 3.0, 8.0};
        const Planes half = halved(odd);
        CHECK(half.extent == Extent{2, 1});
        CHECK(half.values[2] == Plane{2.0, 8.0});
    }

    TEST_CASE("the blur is zero outside and does not renormalise") {
        Plane pulse(81, 0.0);
        pulse[40] = 1.0;
        const Plane spread = blurred(pulse, {9, 9});
        CHECK(spread[40] == blur_taps[0] * blur_taps[0]);
        CHECK(spread[0] == blur_taps[4] * blur_taps[4]);
        CHECK(spread[3 * 9 + 6] == doctest::Approx(blur_taps[1] * blur_taps[2]));
        const Plane corner = blurred(Plane(81, 1.0), {9, 9});
        double half = 0.0;
        for (const double tap : blur_taps)
            half += tap;
        CHECK(corner[0] == doctest::Approx(half * half));
    }

    TEST_CASE("the mean of the error map is the weighted error") {
        // Of images that halve evenly, so that all scales have as large a share of the map.
        const Pixels a = waves(PixelType::u8, 3, 64, 64, 0.0);
        const Pixels b = waves(PixelType::u8, 3, 64, 64, 0.1);
        const auto sub_scores =
            sub_scores_in_double(linear_of(a.encoded(), 0.0), linear_of(b.encoded(), 0.0));
        const auto weights = weights_of(sub_scores.size());
        double sum = 0.0;
        for (std::size_t scale = 0; scale < weights.size(); ++scale)
            for (std::size_t channel = 0; channel < channels; ++channel)
                for (std::size_t norm = 0; norm < norms; ++norm)
                    for (std::size_t map = 0; map < maps; ++map)
                        sum += weights[scale][channel][norm][map] *
                               sub_scores[scale][channel][norm][map];
        double mean = 0.0;
        for (const double value : error_map_in_double(a.encoded(), b.encoded()))
            mean += value / (64.0 * 64.0);
        CHECK(mean == doctest::Approx(sum));
    }

    TEST_CASE("the lower score of two backgrounds counts") {
        const auto gray = [](double value, double alpha) {
            Pixels image = make_image(PixelType::u8, 2, 16, 16);
            for (std::size_t i = 0; i < 256; ++i) {
                set(image, 2 * i, i % 3 == 0 ? value : 0.5);
                set(image, 2 * i + 1, alpha);
            }
            return image;
        };
        // What cannot be seen does not count.
        CHECK(reference_score(gray(0.2, 0.0), gray(0.9, 0.0)) == 100.0);
        CHECK(reference_score(gray(0.2, 1.0), gray(0.9, 1.0)) < 60.0);
        // A hole is seen on one of the backgrounds at least.
        CHECK(reference_score(gray(0.1, 1.0), gray(0.1, 0.5)) < 90.0);
    }
}

TEST_SUITE("oracles") {
    TEST_CASE("the reference against the oracles") {
        const json oracle = manifest();
        if (oracle.is_null())
            return;
        double worst = 0.0;
        for (const json &test : oracle["blur"]) {
            const Pixels input = load(test["input"]);
            const Extent extent{input.desc.extent[0], input.desc.extent[1]};
            CHECK(worst_difference(blurred(values_of(input), extent),
                                   values_of(load(test["expected"]))) <= 1e-13);
        }
        std::ifstream file(oracles() + oracle["subscores"].get<std::string>());
        const json all_sub_scores = json::parse(file)["subscores"];
        for (const json &pair : oracle["pairs"]) {
            const std::string id = pair["id"];
            CAPTURE(id);
            const Pixels original = load(pair["original"]);
            const Pixels distorted = load(pair["distorted"]);
            const double score = reference_score(original, distorted);
            const double error = std::abs(score - pair["score_f64"].get<double>());
            CHECK(error <= 1e-6);
            worst = std::max(worst, error);
            const auto sub_scores = sub_scores_in_double(linear_of(original.encoded(), 0.0),
                                                         linear_of(distorted.encoded(), 0.0));
            const json &expected = all_sub_scores[id];
            REQUIRE(expected.size() == sub_scores.size());
            for (std::size_t scale = 0; scale < sub_scores.size(); ++scale)
                CHECK(worst_difference(
                          [&] {
                              std::vector<double> flat;
                              for (const auto &channel : sub_scores[scale])
                                  for (const auto &norm : channel)
                                      flat.insert(flat.end(), norm.begin(), norm.end());
                              return flat;
                          }(),
                          [&] {
                              std::vector<double> flat;
                              for (const json &channel : expected[scale])
                                  for (const json &norm : channel)
                                      for (const json &value : norm)
                                          flat.push_back(value);
                              return flat;
                          }()) <= 1e-9);
        }
        for (const json &test : oracle["xyb"]) {
            const std::string pair = test["pair"];
            const bool is_original = test["image"] == "original";
            for (const json &candidate : oracle["pairs"]) {
                if (candidate["id"] != pair)
                    continue;
                Planes linear = linear_of(
                    load(candidate[is_original ? "original" : "distorted"]).encoded(), 0.0);
                if (test["scale"] == "1:2")
                    linear = halved(linear);
                const Planes xyb = xyb_of(linear);
                std::vector<double> flat;
                for (const Plane &plane : xyb.values)
                    flat.insert(flat.end(), plane.begin(), plane.end());
                CHECK(worst_difference(flat, values_of(load(test["expected"]))) <= 1e-12);
            }
        }
        MESSAGE(oracle["pairs"].size(), " pairs; the reference's worst score is ", worst, " off");
    }

    TEST_CASE("the kernels against the oracles") {
        const json oracle = manifest();
        if (oracle.is_null())
            return;
        double worst = 0.0;
        for (const json &pair : oracle["pairs"]) {
            const std::string id = pair["id"];
            CAPTURE(id);
            const Pixels original = load(pair["original"]);
            const Pixels distorted = load(pair["distorted"]);
            Ssimulacra2 metric(support::engine(), original.desc, distorted.desc, "");
            const Frame frames[] = {original.host(), distorted.host()};
            double score = 0.0;
            double again = 0.0;
            metric.score({frames, 1}, {frames + 1, 1}, &score);
            metric.score({}, {frames + 1, 1}, &again);
            CHECK(score == again);
            const double error = std::abs(score - pair["score_f64"].get<double>());
            CHECK(error <= 0.01);
            worst = std::max(worst, error);
        }
        MESSAGE(oracle["pairs"].size(), " pairs on ", support::engine()->facts().name,
                "; the worst score is ", worst, " off");
    }
}

#define FAMILY(family, others)                                                                     \
    TEST_SUITE("kernels") {                                                                        \
        TEST_CASE(family ": sizes") {                                                              \
            check_sizes(family others);                                                            \
        }                                                                                          \
        TEST_CASE(family ": pixels") {                                                             \
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
