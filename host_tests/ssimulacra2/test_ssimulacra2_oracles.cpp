// SSIMULACRA 2 against expected values from an independent source, in the directory that
// GAUZE_ORACLES names: the reference in double, and the kernels that the device prefers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/pixel_value.hpp"
#include "families/ssimulacra2/metric.hpp"
#include "image_file.hpp"
#include "support/difference.hpp"
#include "support/encoded_pixels.hpp"
#include "support/image_case.hpp"

namespace {

using namespace gz;
using namespace gz::ssimulacra2;
using namespace support;
using nlohmann::json;

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

EncodedPixels load(const std::string &name) {
    gauze::tool::HostImage image =
        gauze::tool::read_image(oracles() + name, gauze::tool::ChannelAxis::none);
    ImageDesc desc;
    desc.type = static_cast<PixelType>(image.desc.type);
    desc.channels = image.desc.channels;
    desc.extent = image.desc.extent;
    return {complete(desc, "image"), std::move(image.pixels)};
}

std::vector<double> values_of(const EncodedPixels &array) {
    std::vector<double> values;
    const auto step = size_of(array.desc.type);
    for (std::size_t at = 0; at < array.values.size(); at += step)
        values.push_back(load_pixel(array.desc.type, array.values.data() + at));
    return values;
}

} // namespace

TEST_CASE("the reference against the oracles") {
    const json oracle = manifest();
    if (oracle.is_null())
        return;
    double worst = 0.0;
    for (const json &test : oracle["blur"]) {
        const EncodedPixels input = load(test["input"]);
        const Extent extent{input.desc.extent[0], input.desc.extent[1]};
        CHECK(largest_difference(blurred(values_of(input), extent),
                                 values_of(load(test["expected"]))) <= 1e-13);
    }
    std::ifstream file(oracles() + oracle["subscores"].get<std::string>());
    const json all_sub_scores = json::parse(file)["subscores"];
    for (const json &pair : oracle["pairs"]) {
        const std::string id = pair["id"];
        CAPTURE(id);
        const EncodedPixels original = load(pair["original"]);
        const EncodedPixels distorted = load(pair["distorted"]);
        const double score = reference_score(original, distorted);
        const double error = std::abs(score - pair["score_f64"].get<double>());
        CHECK(error <= 1e-6);
        worst = std::max(worst, error);
        const auto sub_scores = sub_scores_in_double(linear_of(original.encoded(), 0.0),
                                                     linear_of(distorted.encoded(), 0.0));
        const json &expected = all_sub_scores[id];
        REQUIRE(expected.size() == sub_scores.size());
        for (std::size_t scale = 0; scale < sub_scores.size(); ++scale)
            CHECK(largest_difference(
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
            Planes linear =
                linear_of(load(candidate[is_original ? "original" : "distorted"]).encoded(), 0.0);
            if (test["scale"] == "1:2")
                linear = halved(linear);
            const Planes xyb = xyb_of(linear);
            std::vector<double> flat;
            for (const Plane &plane : xyb.values)
                flat.insert(flat.end(), plane.begin(), plane.end());
            CHECK(largest_difference(flat, values_of(load(test["expected"]))) <= 1e-12);
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
        const EncodedPixels original = load(pair["original"]);
        const EncodedPixels distorted = load(pair["distorted"]);
        Ssimulacra2 metric(engine(), original.desc, distorted.desc, "");
        const Frame frames[] = {HostSource{original.values.data(), original.values.size()},
                                HostSource{distorted.values.data(), distorted.values.size()}};
        double score = 0.0;
        double again = 0.0;
        metric.score({frames, 1}, {frames + 1, 1}, &score);
        metric.score({}, {frames + 1, 1}, &again);
        CHECK(score == again);
        const double error = std::abs(score - pair["score_f64"].get<double>());
        CHECK(error <= 0.01);
        worst = std::max(worst, error);
    }
    MESSAGE(oracle["pairs"].size(), " pairs on ", engine()->facts().name, "; the worst score is ",
            worst, " off");
}
