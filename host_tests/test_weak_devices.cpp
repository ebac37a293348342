// Every filter end to end, by the kernels that the library chooses, on devices with few abilities: Oclgrind
// with groups of one item or with little local memory.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "families/filter.hpp"
#include "families/recursive/recursive.hpp"
#include "families/ssimulacra2/metric.hpp"
#include "plan/plan.hpp"
#include "plan/verify.hpp"
#include "support/encoded_pixels.hpp"
#include "support/image_case.hpp"
#include "support/passes.hpp"
#include "support/unit.hpp"

namespace {

using gz::BorderMode;
using gz::Filter;
using gz::PixelType;
using support::Rank;

struct WeakCase {
    std::string name;
    Filter filter;
    PixelType src, dst;
    gz::Axes extent;
    BorderMode border = BorderMode::clamp;
    std::int64_t channels = 1;
};

gz::Gaussian recursive_gaussian(double sigma) {
    gz::Gaussian gaussian{{sigma, sigma, 0, 0}};
    gaussian.method = gz::GaussianMethod::recursive;
    return gaussian;
}

std::vector<WeakCase> weak_cases() {
    const gz::Axes image{37, 21, 1, 1};
    const auto f32 = PixelType::f32;
    const auto u8 = PixelType::u8;
    const auto axes = [](std::size_t x, std::size_t y) {
        return support::make_axis_taps(std::vector<double>(x, 1.0 / static_cast<double>(x)),
                                       std::vector<double>(y, 1.0 / static_cast<double>(y)));
    };
    return {
        {"separable", Filter::separable(axes(5, 3)), u8, u8, image, BorderMode::reflect, 3},
        {"long taps", Filter::separable(axes(71, 67)), f32, f32, image},
        {"correlate", Filter::correlate(support::make_taps(5, 5, Rank::full)), f32, f32, image,
         BorderMode::constant},
        {"many taps", Filter::correlate(support::make_taps(17, 19, Rank::full)), u8, f32, image},
        {"taps for each channel",
         Filter::correlate(support::make_taps(5, 5, Rank::full))
             .with_component(1, Filter::correlate(support::make_taps(3, 3, Rank::one))),
         u8, u8, image, BorderMode::wrap, 2},
        {"a volume",
         Filter::correlate({{3, 3, 3, 1}, {1, 1, 1, 0}, std::vector<double>(27, 0.04)}),
         f32,
         f32,
         {13, 11, 5, 1}},
        {"small box", Filter::box({{2, 1, 0, 0}, 1}), u8, u8, image},
        {"large boxes", Filter::box({{14, 9, 0, 0}, 2}), f32, f32, image},
        {"opening", gz::morphology(gz::MorphologyOperation::open, {{5, 3, 1, 1}, {2, 1, 0, 0}, {}}),
         u8, u8, image},
        {"top-hat with weights",
         gz::morphology(gz::MorphologyOperation::top_hat, {{3, 1, 1, 1}, {1, 0, 0, 0}, {}},
                        {1.0F, 2.0F, 1.0F}),
         f32, f32, image},
        {"Gaussian by recursion", Filter::gaussian(recursive_gaussian(3.0)), f32, f32, image},
        {"scans",
         Filter::recursive({{0, true, {0.2}, {0.8}}, {1, false, {0.1, 0.1}, {1.2, -0.4}}}, {}), f32,
         f32, image, BorderMode::zero},
        {"a signal",
         Filter::recursive({{0, true, {0.2}, {0.8}}}, {}),
         f32,
         f32,
         {700, 1, 1, 1},
         BorderMode::zero},
        {"B-splines", Filter::bspline(3), u8, f32, image, BorderMode::reflect101},
        {"sums", Filter::sat(), u8, PixelType::u32, image, BorderMode::zero},
        {"sums of floats", Filter::sat(), f32, f32, image, BorderMode::zero, 2},
        {"difference of Gaussians", Filter::dog(1.0, 2.0, gz::GaussianMethod::fir), u8, f32, image},
        {"recursive difference", Filter::dog(3.0, 5.0, gz::GaussianMethod::recursive), u8, f32,
         image},
        {"dense taps of 15 x 15", Filter::correlate(support::make_taps(15, 15, Rank::full)), f32,
         f32, image},
        {"a cube of 7",
         Filter::correlate({{7, 7, 7, 1}, {3, 3, 3, 0}, std::vector<double>(343, 0.003)}),
         f32,
         f32,
         {13, 11, 9, 1}},
    };
}

std::vector<std::byte> pixels_of(const gz::ImageDesc &desc) {
    std::minstd_rand random(3);
    std::vector<std::byte> pixels(static_cast<std::size_t>(desc.bytes()));
    for (std::size_t at = 0; at < pixels.size(); at += size_of(desc.type))
        gz::store_pixel(desc.type, static_cast<float>(random() % 256), pixels.data() + at);
    return pixels;
}

} // namespace

TEST_CASE("weak devices: every filter") {
    for (const WeakCase &test : weak_cases()) {
        CAPTURE(test.name);
        gz::PlanDesc desc;
        desc.source = support::make_image(test.src, test.extent, test.channels);
        desc.target = support::make_image(test.dst, test.extent, test.channels);
        desc.border = {test.border, test.border == BorderMode::constant ? 1.0 : 0.0};
        const gz::Plan plan(support::engine(), test.filter, desc, "");
        INFO(plan.explain());
        const std::vector<std::byte> pixels = pixels_of(desc.source);
        std::vector<std::byte> results(static_cast<std::size_t>(desc.target.bytes()));
        plan.run({{pixels.data(), pixels.size()}}, {{results.data(), results.size()}});
        const gz::Verification found =
            gz::verify(plan, {{pixels.data(), pixels.size()}}, {{results.data(), results.size()}});
        CAPTURE(found.worst_error);
        CAPTURE(found.bound);
        CHECK(found.worst_error <= found.bound);
        CHECK(found.pixels > 0);
    }
}

TEST_CASE("weak devices: SSIMULACRA 2") {
    const auto reference = support::waves(PixelType::u8, 3, 19, 17, 0.0);
    const auto distorted = support::waves(PixelType::u8, 3, 19, 17, 0.1);
    gz::Ssimulacra2 metric(support::engine(), reference.desc, distorted.desc, "");
    INFO(metric.explain());
    const gz::Frame frames[] = {gz::HostSource{reference.values.data(), reference.values.size()},
                                gz::HostSource{distorted.values.data(), distorted.values.size()}};
    double score = 0.0;
    metric.score({frames, 1}, {frames + 1, 1}, &score);
    CHECK(std::abs(score - support::reference_score(reference, distorted)) <= 0.001);
}
