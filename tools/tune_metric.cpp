#include "tune_metric.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench_input.hpp"

namespace gauze::tool {
namespace {

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

// Random pixels, and the same with other lowest bits.
struct Pair {
    ImageDesc desc;
    Image reference, distorted;

    Pair(const Engine &engine, const ImageDesc &of)
        : desc(of), reference(engine.image(of)), distorted(engine.image(of)) {
        std::vector<std::byte> pixels = random_pixels(desc);
        reference.write(pixels.data(), pixels.size());
        for (std::size_t i = 0; i < pixels.size(); ++i)
            pixels[i] ^= static_cast<std::byte>(i * 11 / 4 % 16);
        distorted.write(pixels.data(), pixels.size());
    }
    double pixels() const { return static_cast<double>(desc.extent[0] * desc.extent[1]); }
};

ImageDesc of_size(ImageDesc desc, std::int64_t width, std::int64_t height) {
    desc.extent = {width, height, 1, 1};
    return desc;
}

// A plan for pairs of one size, with its reference on the device.
class Scorer {
public:
    Scorer(const Engine &engine, const Pair &pair, const std::string &variant)
        : metric_(engine.ssimulacra2(pair.desc, pair.desc, variant)),
          distorted_(images_at_once(pair), &pair.distorted) {
        metric_.set_reference(pair.reference);
    }
    double score() { return metric_.image_scores(distorted_).front(); }
    // Measures one image by the wall clock.
    double time_ms() {
        const auto begin = std::chrono::steady_clock::now();
        score();
        const std::chrono::duration<double, std::milli> wall =
            std::chrono::steady_clock::now() - begin;
        return wall.count() / static_cast<double>(distorted_.size());
    }

private:
    // Each call waits for its scores: small images share one call.
    static std::size_t images_at_once(const Pair &pair) {
        constexpr double enough = 1 << 20; // pixels
        return static_cast<std::size_t>(std::max(enough / pair.pixels(), 1.0));
    }

    Ssimulacra2 metric_;
    std::vector<const Image *> distorted_;
};

class MetricContest : public Contest {
public:
    MetricContest(const Engine &engine, const ImageDesc &desc, const std::string &baseline)
        : engine_(engine), small_(engine, of_size(desc, 531, 141)), pair_(engine, desc),
          baseline_(engine, pair_, baseline) {
        Scorer small(engine, small_, baseline);
        small_score_ = small.score();
        baseline_seconds_ = estimated_seconds(small);
        score_ = baseline_.score();
    }

    Comparison compare(const std::string &candidate, double best_ratio) override {
        Scorer small(engine_, small_, candidate);
        check_score(small.score(), small_score_);
        check_speed(estimated_seconds(small), baseline_seconds_);
        Scorer tried(engine_, pair_, candidate);
        check_score(tried.score(), score_);
        return compare_as_often([&](unsigned repeats) { return compare(tried, repeats); },
                                best_ratio);
    }

private:
    // A right but slow candidate must not be taken for hung.
    double estimated_seconds(Scorer &small) const {
        return small.time_ms() * 1e-3 * pair_.pixels() / small_.pixels();
    }

    // The scores of kernels are all this close to the definition's.
    static void check_score(double score, double expected) {
        constexpr double bound = 0.01;
        if (!(std::abs(score - expected) <= 2 * bound))
            throw WrongResult("wrong: scores " + text_of(score) + ", the default " +
                              text_of(expected));
    }

    Comparison compare(Scorer &tried, unsigned repeats) {
        std::vector<double> times, baselines, ratios;
        for (unsigned i = 0; i < repeats; ++i) {
            baselines.push_back(baseline_.time_ms());
            times.push_back(tried.time_ms());
            ratios.push_back(times.back() / baselines.back());
        }
        return {median(times), median(baselines), median(ratios), true};
    }

    const Engine &engine_;
    Pair small_, pair_;
    Scorer baseline_;
    double small_score_ = 0, score_ = 0, baseline_seconds_ = 0;
};

} // namespace

std::unique_ptr<Contest> make_metric_contest(const Engine &engine, const ImageDesc &desc,
                                             const std::string &baseline) {
    return std::make_unique<MetricContest>(engine, desc, baseline);
}

} // namespace gauze::tool
