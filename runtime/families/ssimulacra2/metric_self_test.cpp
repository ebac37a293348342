#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/error.hpp"
#include "core/pixel_value.hpp"
#include "families/ssimulacra2/metric.hpp"
#include "families/ssimulacra2/ssimulacra2_reference.hpp"
#include "plan/kernel_test.hpp"

namespace gz {

namespace {

// More than a strip and a tile of errors, on which the reference takes milliseconds.
constexpr std::int64_t tiny_width = 150, tiny_height = 70;

// The largest differences allowed from the definition in double: see gauze.h. Maps are compared in units of
// the largest value.
constexpr double score_bound = 0.01;
constexpr double map_bound = 1e-3;

using Pixels = std::vector<std::byte>;

// Waves in every channel, and noise on them up to `noise` of what the type holds.
Pixels tiny_pixels(const ImageDesc &desc, double noise) {
    constexpr double pi = 3.14159265358979323846;
    const double largest = facts_of(desc.type).highest;
    Pixels pixels(static_cast<std::size_t>(desc.bytes()));
    std::minstd_rand random(1);
    for (std::size_t i = 0; i * size_of(desc.type) < pixels.size(); ++i) {
        const auto channels = static_cast<std::size_t>(desc.channels);
        const auto x = static_cast<double>(i / channels % tiny_width);
        const auto y = static_cast<double>(i / channels / tiny_width);
        const double wave = std::sin(pi * (x / 7.0 + y / 19.0 + static_cast<double>(i % channels)));
        const double share = static_cast<double>(random() % 65536) / 32767.5 - 1.0;
        const double value = std::clamp(0.5 + 0.35 * wave + noise * share, 0.0, 1.0);
        store_pixel(desc.type, static_cast<float>(std::round(value * largest)),
                    pixels.data() + i * size_of(desc.type));
    }
    return pixels;
}

Frame frame_of(const Pixels &pixels) {
    return HostSource{pixels.data(), pixels.size()};
}

class Ssimulacra2Subject : public TestSubject {
public:
    Ssimulacra2Subject(const std::shared_ptr<Engine> &engine, const XybPass &xyb,
                       const Ssimulacra2Pass &errors)
        : engine_(engine), xyb_(xyb), errors_(errors) {
        desc_.type = xyb.type;
        desc_.channels = xyb.channels;
        desc_.extent = {tiny_width, tiny_height, 1, 1};
        desc_ = complete(desc_, "the image of a self-test");
    }

    std::vector<Choice> choices() const override {
        const ChoiceOn on(engine_->facts(), engine_->tuning());
        return {choose(xyb_, on, "", ""), choose(errors_, on, "", "")};
    }

    std::vector<std::string> candidates(std::size_t pass) const override {
        const DeviceFacts &facts = engine_->facts();
        return pass == 0 ? gz::candidates(xyb_, facts) : gz::candidates(errors_, facts);
    }

    std::string fault_of(const std::string &variant) const override {
        const Pixels reference = tiny_pixels(desc_, 0.0);
        const Pixels distorted = tiny_pixels(desc_, 0.05);
        const ssimulacra2::EncodedImage images[] = {{desc_, reference.data()},
                                                    {desc_, distorted.data()}};
        Ssimulacra2 tiny(engine_, desc_, desc_, variant);
        tiny.set_reference(frame_of(reference));
        return errors_.makes_map()
                   ? fault_of_map(tiny, frame_of(distorted),
                                  ssimulacra2::error_map_in_double(images[0], images[1]))
                   : fault_of_score(tiny, frame_of(distorted),
                                    ssimulacra2::score_in_double(images[0], images[1]));
    }

private:
    static std::string fault_of_score(Ssimulacra2 &tiny, const Frame &distorted, double expected) {
        double score = 0.0;
        tiny.score({}, {&distorted, 1}, &score);
        return std::abs(score - expected) <= score_bound
                   ? ""
                   : text("scores ", score, ", the reference ", expected);
    }

    static std::string fault_of_map(Ssimulacra2 &tiny, const Frame &distorted,
                                    const ssimulacra2::Plane &expected) {
        std::vector<float> map(expected.size());
        tiny.error_map(distorted, map.data());
        const double bound = map_bound * *std::max_element(expected.begin(), expected.end());
        for (std::size_t i = 0; i < map.size(); ++i) {
            const double off = std::abs(static_cast<double>(map[i]) - expected[i]);
            if (!(off <= bound))
                return text("a map that is ", off, " off, bound ", bound,
                            ", at x=", static_cast<std::int64_t>(i) % tiny_width,
                            " y=", static_cast<std::int64_t>(i) / tiny_width);
        }
        return "";
    }

    const std::shared_ptr<Engine> &engine_;
    const XybPass &xyb_;
    const Ssimulacra2Pass &errors_;
    ImageDesc desc_;
};

} // namespace

void self_test(const std::shared_ptr<Engine> &engine, const XybPass &xyb,
               const Ssimulacra2Pass &errors, const std::string &variant) {
    if (wants_self_test(*engine, variant))
        test_kernels(*engine, Ssimulacra2Subject(engine, xyb, errors));
}

} // namespace gz
