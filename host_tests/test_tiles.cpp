// Tiles and slabs: how far filters reach, and several engines that work on one image.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gauze/gauze_fleet.hpp>

#include "support/embedder.hpp"

namespace {

using embedder::check_c_refused;
using embedder::check_refused;
using embedder::engine;
using embedder::outcome_of;
using embedder::random_pixels;
using gauze::Border;
using gauze::Filter;
using gauze::Image;
using gauze::ImageDesc;

using Reach = std::array<std::int64_t, 4>;
constexpr std::int64_t whole = GAUZE_REACH_WHOLE;

Filter gaussian(const std::array<double, 4> &sigma, gauze::GaussianMethod method) {
    gauze::Gaussian gaussian;
    gaussian.sigma = sigma;
    gaussian.method = method;
    return gauze::gaussian(gaussian);
}
Filter fir(double sigma) {
    return gaussian({sigma, sigma, 0, 0}, gauze::GaussianMethod::fir);
}
Filter recursive(double sigma) {
    return gaussian({sigma, sigma, 0, 0}, gauze::GaussianMethod::recursive);
}
gauze::Gaussian options_of(double sigma, gauze::GaussianMethod method) {
    gauze::Gaussian gaussian;
    gaussian.sigma = {sigma, sigma, 0, 0};
    gaussian.method = method;
    return gaussian;
}
gauze::Gaussian recursive_options(double sigma) {
    return options_of(sigma, gauze::GaussianMethod::recursive);
}
Filter smoothing(double pole) {
    using gauze::Direction;
    return gauze::recursive({{0, Direction::forward, {1.0 - pole}, {pole}},
                             {0, Direction::backward, {1.0 - pole}, {pole}},
                             {1, Direction::forward, {1.0 - pole}, {pole}}});
}

const std::vector<Border> &borders() {
    static const std::vector<Border> all = {Border::clamp(), Border::constant(0.25),
                                            Border::reflect(), Border::reflect101(),
                                            Border::wrap()};
    return all;
}

struct Named {
    std::string name;
    Filter filter;
    Reach reach;
};
std::vector<Named> filters_with_windows() {
    const gauze::Taps taps({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 3, 5, 0, 4);
    return {{"correlate", gauze::correlate(taps), {2, 4, 0, 0}},
            {"convolve", gauze::convolve(taps), {2, 4, 0, 0}},
            {"gaussian", fir(2.0), {8, 8, 0, 0}},
            {"median", gauze::median(gauze::Window(5)), {2, 2, 0, 0}},
            {"maximum", gauze::maximum(gauze::Window({9, 1, 1, 1})), {4, 0, 0, 0}},
            {"open", gauze::open(gauze::Window(5), 2), {8, 8, 0, 0}},
            {"sobel", gauze::sobel(0), {1, 1, 0, 0}},
            {"magnitude", gauze::gradient_magnitude(), {1, 1, 0, 0}},
            {"eigenvalue", gauze::hessian_eigenvalue({}, 0), {1, 1, 0, 0}},
            {"structure",
             gauze::structure({}, 0, 1, options_of(1.0, gauze::GaussianMethod::fir)),
             {5, 5, 0, 0}},
            {"nlm", gauze::non_local_means(0.2, {3, 5, 0.0}), {3, 3, 0, 0}},
            {"bilateral", gauze::bilateral(1.0, 0.2), {2, 2, 0, 0}},
            {"dog", gauze::dog(1.0, 2.0, gauze::GaussianMethod::fir), {8, 8, 0, 0}}};
}

std::vector<float> whole_result(const Filter &filter, const ImageDesc &desc,
                                const std::vector<float> &pixels, const Border &border) {
    std::vector<float> result(pixels.size(), -1.0F);
    engine()
        .plan(filter, desc, gauze::PlanOptions().with_border(border).with_variant(""))
        .run(pixels, result);
    return result;
}

// Filters an image tile by tile: each from a copy of itself and as many pixels around as the depth says, where
// the image has them, or, with the border wrap, of its other end.
std::vector<float> tiled_result(const Filter &filter, const ImageDesc &desc,
                                const std::vector<float> &pixels, const Border &border,
                                const std::array<std::int64_t, 2> &depth,
                                const std::array<std::int64_t, 2> &tile) {
    const std::int64_t width = desc.extent[0], height = desc.extent[1];
    const bool wraps = border.mode == GAUZE_BORDER_WRAP;
    std::vector<float> result(pixels.size(), -1.0F);
    for (std::int64_t y = 0; y < height; y += tile[1])
        for (std::int64_t x = 0; x < width; x += tile[0]) {
            const std::int64_t right = std::min(x + tile[0], width);
            const std::int64_t bottom = std::min(y + tile[1], height);
            const std::int64_t from_x = wraps ? x - depth[0] : std::max(x - depth[0], {});
            const std::int64_t from_y = wraps ? y - depth[1] : std::max(y - depth[1], {});
            const std::int64_t to_x = wraps ? right + depth[0] : std::min(right + depth[0], width);
            const std::int64_t to_y =
                wraps ? bottom + depth[1] : std::min(bottom + depth[1], height);
            std::vector<float> part;
            for (std::int64_t j = from_y; j < to_y; ++j)
                for (std::int64_t i = from_x; i < to_x; ++i)
                    part.push_back(pixels[static_cast<std::size_t>(
                        (j + 8 * height) % height * width + (i + 8 * width) % width)]);
            gauze::Region region;
            region.edge = gauze::RegionEdge::neighbours;
            region.source_origin = {x - from_x, y - from_y, 0, 0};
            region.extent = {right - x, bottom - y, 1, 1};
            std::vector<float> own(static_cast<std::size_t>((right - x) * (bottom - y)));
            engine()
                .plan(filter, Image::f32(to_x - from_x, to_y - from_y),
                      Image::f32(right - x, bottom - y),
                      gauze::PlanOptions().with_border(border).with_region(region))
                .run(part, own);
            for (std::int64_t j = y; j < bottom; ++j)
                std::copy_n(own.begin() + (j - y) * (right - x), right - x,
                            result.begin() + j * width + x);
        }
    return result;
}

double worst_difference(const std::vector<float> &a, const std::vector<float> &b) {
    double worst = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        worst = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                       : std::max(worst, difference);
    }
    return worst;
}

} // namespace

TEST_SUITE("tiles") {
    TEST_CASE("filters reach as far as their taps, windows and boxes, at any accuracy") {
        std::vector<Named> all = filters_with_windows();
        all.push_back({"box", gauze::box({3, 2, 1, 0}, 2), {6, 4, 2, 0}});
        all.push_back({"bank", gauze::bank({fir(2.0), gauze::sobel(1)}), {8, 8, 0, 0}});
        all.push_back({"unsharp", gauze::unsharp(gauze::LocalMean::of_box(4), 2.0), {4, 4, 0, 0}});
        all.push_back({"components",
                       gauze::correlate(embedder::ones(3, 1))
                           .with_component(1, gauze::correlate(embedder::ones(1, 7))),
                       {1, 3, 0, 0}});
        all.push_back(
            {"volume", gaussian({1, 0, 2, 0.5}, gauze::GaussianMethod::fir), {4, 0, 8, 2}});
        all.push_back({"sat", gauze::sat(), {whole, whole, 0, 0}});
        for (const Named &one : all) {
            INFO(one.name);
            CHECK(one.filter.reach() == one.reach);
            CHECK(one.filter.reach(0.01) == one.reach);
        }
    }

    TEST_CASE("recursive filters reach as far as the accuracy says, and everywhere for 0") {
        const Reach all = {whole, whole, 0, 0};
        CHECK(recursive(5.0).reach() == all);
        CHECK(gauze::bspline(3).reach() == all);
        const Reach coarse = recursive(5.0).reach(1e-2);
        const Reach fine = recursive(5.0).reach(1e-5);
        CHECK(coarse[0] == coarse[1]);
        CHECK(coarse[0] > 10);
        CHECK(coarse[0] < fine[0]);
        CHECK(fine[0] < 60);
        CHECK(fine[2] == 0);
        // A pole of 0.9 has 0.9^n left, and its filter the sum of that beyond n: 0.9^(n + 1), for each of what
        // the bound is shared by.
        const std::int64_t reach = smoothing(0.9).reach(1e-4)[0];
        CHECK(reach >= std::log(1e-4) / std::log(0.9) - 1);
        CHECK(reach <= std::log(1e-4 / 16) / std::log(0.9) + 1);
        CHECK(smoothing(0.9).reach(1e-4)[1] <= reach);
        // An automatic Gaussian may be either.
        const Reach open = gauze::gaussian(5.0).reach(1e-5);
        CHECK(open[0] == std::max<std::int64_t>(fine[0], 20));
        CHECK(gauze::gaussian(5.0).reach() == all);
        // Results that enlarge an error ask for more.
        const gauze::LocalMean mean = gauze::LocalMean::of_gaussian(recursive_options(5.0));
        CHECK(gauze::high_pass(mean).reach(1e-2) == coarse);
        CHECK(gauze::unsharp(mean, 1000.0).reach(1e-2) == fine);
        CHECK(gauze::local_variance(mean).reach(1e-2) == coarse);
        CHECK(gauze::local_deviation(mean).reach(1e-2)[0] > coarse[0]);
        CHECK(gauze::local_normalization(mean, 1e-3).reach(1e-2) == all);
        const Filter bank = gauze::bank({recursive(5.0), fir(20.0)});
        CHECK(bank.reach(1e-2)[0] == 80);
        CHECK(gauze::dog(5.0, 2.0, gauze::GaussianMethod::recursive).reach(1e-2)[0] >= coarse[0]);
    }

    TEST_CASE("poles that do not fade reach everywhere") {
        gauze::RecursiveOptions unstable;
        unstable.allow_unstable = true;
        const auto scan = [&](double pole) {
            return gauze::recursive({{0, gauze::Direction::forward, {1.0}, {pole}}}, unstable);
        };
        CHECK(scan(1.0).reach(0.5)[0] == whole);
        CHECK(scan(1.5).reach(0.5)[0] == whole);
        CHECK(scan(1.0 - 1e-8).reach(1e-5)[0] == whole);
        CHECK(scan(0.99).reach(0.5)[0] < 1000);
        CHECK(scan(0.99).reach(0.5)[1] == 0);
        // Taps of a scan have an end.
        const Filter taps = gauze::recursive({{1, gauze::Direction::backward, {1, 1, 1, 1}, {}}});
        CHECK(taps.reach(1e-6) == Reach{0, 3, 0, 0});
    }

    TEST_CASE("bad arguments of the reach are named") {
        const Filter filter = fir(2.0);
        for (const double accuracy : {-1e-3, std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::quiet_NaN()})
            check_refused(outcome_of([&] { static_cast<void>(filter.reach(accuracy)); }),
                          GAUZE_ERROR_INVALID_ARGUMENT, "the accuracy is ");
        std::int64_t reach[4] = {-7, -7, -7, -7};
        check_c_refused(gauze_filter_reach(nullptr, 0, reach), GAUZE_ERROR_INVALID_ARGUMENT,
                        "filter");
        check_c_refused(gauze_filter_reach(filter.c_handle(), 0, nullptr),
                        GAUZE_ERROR_INVALID_ARGUMENT, "reach");
        CHECK(reach[0] == -7);
    }

    TEST_CASE("tiles that are read with the reach have the bits of the whole image") {
        const ImageDesc desc = Image::f32(70, 52);
        const std::vector<float> pixels = random_pixels(70 * 52);
        for (const Named &one : filters_with_windows())
            for (const Border &border : borders()) {
                INFO(one.name, ", border ", border.mode);
                const Reach reach = one.filter.reach();
                const std::vector<float> expected = whole_result(one.filter, desc, pixels, border);
                const auto tiled = [&](std::int64_t less) {
                    return tiled_result(one.filter, desc, pixels, border,
                                        {std::max<std::int64_t>(reach[0] - less, 0),
                                         std::max<std::int64_t>(reach[1] - less, 0)},
                                        {29, 17});
                };
                CHECK(std::memcmp(tiled(0).data(), expected.data(),
                                  expected.size() * sizeof(float)) == 0);
                // A pixel less is not enough, where the filter is one that sees it: medians may not.
                if (one.name == "correlate" || one.name == "gaussian" || one.name == "sobel")
                    CHECK(worst_difference(tiled(1), expected) > 0.0);
            }
    }

    TEST_CASE(
        "tiles of recursive filters are within the accuracy, and what they reach is not idle") {
        const ImageDesc desc = Image::f32(150, 120);
        // The worst image: nothing but the ends of the range, in stripes as wide as filters are.
        std::vector<float> pixels;
        for (int y = 0; y < 120; ++y)
            for (int x = 0; x < 150; ++x)
                pixels.push_back((x / 37 + y / 29) % 2 == 0 ? 1.0F : 0.0F);
        const std::vector<Border> some = {Border::clamp(), Border::constant(0.25), Border::wrap()};
        const std::vector<Named> filters = {
            {"gaussian", recursive(3.0), {}},
            {"smoothing", smoothing(0.8), {}},
            {"bspline", gauze::bspline(3), {}},
            {"derivative", gauze::derivative(gauze::Derivatives(recursive_options(3.0)), 0), {}},
            {"magnitude",
             gauze::gradient_magnitude(gauze::Derivatives(recursive_options(3.0))),
             {}},
            {"variance",
             gauze::local_variance(gauze::LocalMean::of_gaussian(recursive_options(3.0))),
             {}},
            {"eigenvalue",
             gauze::hessian_eigenvalue(gauze::Derivatives(recursive_options(3.0)), 0),
             {}},
            {"structure", gauze::structure({}, 0, 1, recursive_options(3.0)), {}}};
        for (const Named &one : filters)
            for (const Border &border : some) {
                INFO(one.name, ", border ", border.mode);
                const std::vector<float> expected = whole_result(one.filter, desc, pixels, border);
                constexpr double accuracy = 1e-3;
                const Reach reach = one.filter.reach(accuracy);
                INFO("accuracy ", accuracy, ", reach ", reach[0], ", ", reach[1]);
                REQUIRE(reach[0] < 100);
                const auto difference = [&](std::int64_t part) {
                    return worst_difference(tiled_result(one.filter, desc, pixels, border,
                                                         {reach[0] / part, reach[1] / part},
                                                         {50, 40}),
                                            expected);
                };
                constexpr double rounding = 2e-5;
                const bool is_of_squares = one.name == "variance" || one.name == "structure";
                CHECK(difference(1) <= accuracy * (is_of_squares ? 3 : 1) + rounding);
                CHECK(difference(4) > accuracy / 50);
            }
    }
}

TEST_SUITE("fleet") {
    // Two engines of one device, with queues of their own.
    const gauze::Fleet &pair() {
        return support::shared([] { return gauze::Fleet({engine(), gauze::Engine()}); });
    }

    template <class Value>
    void check_same_bits(const Filter &filter, const ImageDesc &desc,
                         const gauze::FleetOptions &how, const std::vector<Value> &pixels,
                         int axis) {
        std::vector<Value> expected(pixels.size(), Value{7});
        std::vector<Value> got = expected;
        engine()
            .plan(filter, desc, gauze::PlanOptions().with_border(how.border))
            .run(pixels, expected);
        const gauze::FleetPlan plan = pair().plan(filter, desc, how);
        CHECK(plan.axis() == axis);
        for (int run = 0; run < 2; ++run) {
            std::fill(got.begin(), got.end(), Value{7});
            plan.run(gauze::HostPixels(pixels), gauze::HostTarget(got));
            CHECK(std::memcmp(got.data(), expected.data(), got.size() * sizeof(Value)) == 0);
        }
        std::uint64_t done = 0;
        for (const gauze::FleetShare &share : plan.shares())
            done += share.pixels;
        CHECK(done == pixels.size() / static_cast<std::size_t>(desc.channels));
    }

    TEST_CASE("two engines give the bits of one, with all borders") {
        const std::vector<float> pixels = random_pixels(83 * 140);
        for (const Named &one : filters_with_windows())
            for (const Border &border : borders()) {
                INFO(one.name, ", border ", border.mode);
                gauze::FleetOptions how;
                how.border = border;
                how.slab = 19;
                // Slabs that wrap around are left to one engine.
                const bool wraps = border.mode == GAUZE_BORDER_WRAP;
                check_same_bits(one.filter, Image::f32(83, 140), how, pixels,
                                !wraps              ? 1
                                : one.reach[1] == 0 ? 1
                                                    : -1);
            }
    }

    TEST_CASE("types, channels, planes, pitches and volumes") {
        std::vector<std::uint8_t> bytes(91 * 60 * 3);
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::uint8_t>(i * 2654435761U >> 13);
        check_same_bits(fir(3.0), Image::u8(91, 60, 3), {}, bytes, 0);
        check_same_bits(gauze::box(6), Image::u8(91, 60, 3), {}, bytes, 0);

        ImageDesc volume = Image::f32(31, 22);
        volume.extent[2] = 40;
        const std::vector<float> pixels = random_pixels(31 * 22 * 40);
        // Along z nothing is read twice, and nothing is remembered.
        check_same_bits(fir(2.0), volume, {}, pixels, 2);
        check_same_bits(recursive(2.0), volume, {}, pixels, 2);
        check_same_bits(gaussian({1, 1, 1, 0}, gauze::GaussianMethod::fir), volume, {}, pixels, 2);
        volume.extent[2] = 8;
        volume.planes = 5;
        check_same_bits(gaussian({1, 1, 1, 0}, gauze::GaussianMethod::fir), volume, {}, pixels, 0);

        // Rows that are further apart; what is between them is left alone.
        ImageDesc rows = Image::u8(91, 60);
        rows.pitch[1] = 100;
        rows.offset = 8;
        std::vector<std::uint8_t> source(8 + 100 * 60, 3);
        std::copy_n(bytes.begin(), source.size() / 2, source.begin());
        std::vector<std::uint8_t> expected(source.size(), 9), got = expected;
        engine().plan(fir(2.0), rows).run(source, expected);
        pair().plan(fir(2.0), rows).run(gauze::HostPixels(source), gauze::HostTarget(got));
        CHECK(got == expected);
    }

    TEST_CASE("a bank, another type, and in place") {
        const std::vector<float> pixels = random_pixels(64 * 90);
        const Filter bank = gauze::gradient();
        const ImageDesc desc = Image::f32(64, 90);
        std::vector<std::vector<float>> expected(2, std::vector<float>(pixels.size())),
            got = expected;
        const auto targets = [](std::vector<std::vector<float>> &all) {
            return std::vector<gauze::HostTarget>{all[0], all[1]};
        };
        const std::vector<gauze::HostTarget> to = targets(expected);
        engine().plan(bank, desc, {desc, desc}).run(gauze::HostPixels(pixels), to);
        pair().plan(bank, desc, {desc, desc}).run(gauze::HostPixels(pixels), targets(got));
        CHECK(got == expected);

        std::vector<float> in_place = pixels;
        std::vector<float> blurred(pixels.size());
        engine().plan(fir(2.0), desc).run(pixels, blurred);
        pair().plan(fir(2.0), desc).run(gauze::HostPixels(in_place), gauze::HostTarget(in_place));
        CHECK(in_place == blurred);
    }

    TEST_CASE("recursive filters are cut only where an accuracy allows it") {
        const std::vector<float> pixels = random_pixels(64 * 400);
        check_same_bits(recursive(2.0), Image::f32(64, 400), {}, pixels, -1);
        gauze::FleetOptions how;
        how.accuracy = 1e-4;
        const gauze::FleetPlan plan = pair().plan(recursive(2.0), Image::f32(64, 400), how);
        CHECK(plan.axis() == 1);
        std::vector<float> got(pixels.size());
        plan.run(gauze::HostPixels(pixels), gauze::HostTarget(got));
        const std::vector<float> expected =
            whole_result(recursive(2.0), Image::f32(64, 400), pixels, Border::clamp());
        CHECK(worst_difference(got, expected) <= how.accuracy + 1e-5);
    }

    TEST_CASE("both engines work, and progress is told by the caller's thread") {
        const std::vector<float> pixels = random_pixels(256 * 512);
        gauze::FleetOptions how;
        how.slab = 16;
        const gauze::FleetPlan plan = pair().plan(fir(4.0), Image::f32(256, 512), how);
        std::vector<float> got(pixels.size());
        std::vector<std::uint64_t> reports;
        gauze::RunOptions options;
        options.progress = [&, caller = std::this_thread::get_id()](std::uint64_t done,
                                                                    std::uint64_t total) {
            CHECK(std::this_thread::get_id() == caller);
            CHECK(total == pixels.size());
            reports.push_back(done);
            return true;
        };
        plan.run(gauze::HostPixels(pixels), gauze::HostTarget(got), options);
        CHECK(std::is_sorted(reports.begin(), reports.end()));
        CHECK(reports.front() == 0);
        CHECK(reports.back() == pixels.size());
        for (const gauze::FleetShare &share : plan.shares()) {
            CHECK(share.pixels > 0);
            CHECK(share.seconds > 0.0);
        }

        // So many slabs that the first report comes before the last of them is done, however the threads run.
        const std::vector<float> many = random_pixels(256 * 8192);
        std::vector<float> cut(many.size());
        options.progress = [](std::uint64_t, std::uint64_t) { return false; };
        const gauze::FleetPlan of_many = pair().plan(fir(4.0), Image::f32(256, 8192), how);
        check_refused(outcome_of([&] {
                          of_many.run(gauze::HostPixels(many), gauze::HostTarget(cut), options);
                      }),
                      GAUZE_ERROR_CANCELLED, "cancelled");
        options.progress = [](std::uint64_t, std::uint64_t) -> bool {
            throw std::runtime_error("mine");
        };
        CHECK_THROWS_WITH_AS(plan.run(gauze::HostPixels(pixels), gauze::HostTarget(got), options),
                             "mine", std::runtime_error);
        std::vector<float> again(pixels.size());
        plan.run(gauze::HostPixels(pixels), gauze::HostTarget(again));
        engine().plan(fir(4.0), Image::f32(256, 512)).run(pixels, got);
        CHECK(again == got);
    }

    TEST_CASE("bad arguments are refused, and nothing is written") {
        check_refused(outcome_of([] { gauze::Fleet(std::vector<gauze::Engine>()); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "no engines");
        check_refused(outcome_of([] { pair().plan(fir(2.0), Image::f32(0, 5)); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "extent");
        check_refused(outcome_of([] {
                          gauze::FleetOptions how;
                          how.accuracy = -1.0;
                          pair().plan(fir(2.0), Image::f32(5, 5), how);
                      }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "accuracy");
        const gauze::FleetPlan plan = pair().plan(fir(2.0), Image::f32(40, 40));
        const std::vector<float> pixels(1600, 1.0F);
        std::vector<float> small(1599, -1.0F);
        check_refused(
            outcome_of([&] { plan.run(gauze::HostPixels(pixels), gauze::HostTarget(small)); }),
            GAUZE_ERROR_INVALID_ARGUMENT, "the target has 6396 bytes");
        check_refused(outcome_of([&] {
                          plan.run(gauze::HostPixels(nullptr, 6400), gauze::HostTarget(small));
                      }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "the source is null");
        check_refused(outcome_of([&] {
                          plan.run(gauze::HostPixels(pixels), std::vector<gauze::HostTarget>());
                      }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "0 targets are given");
        CHECK(std::all_of(small.begin(), small.end(), [](float value) { return value == -1.0F; }));
    }

    TEST_CASE("one engine alone, an image of a pixel, and the machine's own fleet") {
        gauze::Fleet one({engine()});
        const gauze::FleetPlan plan = one.plan(fir(2.0), Image::f32(20, 30));
        CHECK(plan.axis() == -1);
        const std::vector<float> pixels = random_pixels(600);
        std::vector<float> got(600), expected(600);
        plan.run(gauze::HostPixels(pixels), gauze::HostTarget(got));
        engine().plan(fir(2.0), Image::f32(20, 30)).run(pixels, expected);
        CHECK(got == expected);
        check_same_bits(fir(2.0), Image::f32(1, 1), {}, std::vector<float>{0.5F}, -1);
        CHECK_FALSE(gauze::Fleet().engines().empty());
    }
}
