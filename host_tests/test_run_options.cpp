// Runs on host memory with progress, cancelling and limits, as an embedder has them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gauze/gauze.hpp>

#include "support/embedder.hpp"

namespace {

using embedder::check_refused;
using embedder::engine;
using embedder::float_bytes;
using embedder::outcome_of;
using embedder::random_pixels;
using gauze::Image;
using gauze::ImageDesc;
using gauze::RunOptions;

using Report = std::pair<std::uint64_t, std::uint64_t>; // done, total

constexpr std::int64_t width = 120, height = 90;
constexpr std::uint64_t pixel_count = 120 * 90;
constexpr std::uint64_t slab_bytes = 80 * 1024; // less than both images need

// Recursive filters run as their slabs do, on every device: then the bits are those of the whole image.
gauze::PlanOptions axis_by_axis() {
    return gauze::PlanOptions().with_variant("axes");
}

gauze::Filter gaussian_by(gauze::GaussianMethod method, double sigma) {
    gauze::Gaussian gaussian;
    gaussian.sigma = {sigma, sigma, 0, 0};
    gaussian.method = method;
    return gauze::gaussian(gaussian);
}

gauze::Filter fir_gaussian(double sigma) {
    return gaussian_by(gauze::GaussianMethod::fir, sigma);
}

gauze::Filter recursive_gaussian() {
    return gaussian_by(gauze::GaussianMethod::recursive, 3.0);
}

// The reports of a run; it goes on while `goes_on` says so.
struct Run {
    std::vector<float> pixels = std::vector<float>(pixel_count, -1.0F);
    std::vector<Report> reports{};
};
template <class GoesOn>
void run(const gauze::Plan &plan, std::uint64_t most, Run &result, GoesOn goes_on) {
    RunOptions options;
    options.max_device_bytes = most;
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
        result.reports.emplace_back(done, total);
        return goes_on();
    };
    plan.run(random_pixels(pixel_count), result.pixels, options);
}
Run run(const gauze::Plan &plan, std::uint64_t most) {
    Run result;
    run(plan, most, result, [] { return true; });
    return result;
}

// Rows of a pattern that repeats with a period that no slab has.
std::vector<std::uint8_t> large_pixels(std::int64_t columns, std::int64_t rows) {
    std::minstd_rand random(7);
    std::vector<std::uint8_t> some(static_cast<std::size_t>(columns) * 97 + 31);
    for (std::uint8_t &pixel : some)
        pixel = static_cast<std::uint8_t>(random() >> 8);
    std::vector<std::uint8_t> pixels;
    pixels.reserve(static_cast<std::size_t>(columns * rows));
    while (pixels.size() < static_cast<std::size_t>(columns * rows)) {
        const std::size_t count = std::min(some.size(), pixels.capacity() - pixels.size());
        pixels.insert(pixels.end(), some.begin(),
                      some.begin() + static_cast<std::ptrdiff_t>(count));
    }
    return pixels;
}

// Whether some rows of the result are those of the rows around them, filtered as an image of their
// own.
bool are_rows(const gauze::Filter &filter, const std::vector<std::uint8_t> &source,
              const std::vector<std::uint8_t> &result, std::int64_t columns, std::int64_t first,
              std::int64_t count, std::int64_t radius) {
    const std::int64_t rows = static_cast<std::int64_t>(source.size()) / columns;
    const std::int64_t begin = std::max<std::int64_t>(first - radius, 0);
    const std::int64_t end = std::min(first + count + radius, rows);
    const auto at = [&](std::int64_t row) { return static_cast<std::size_t>(row * columns); };
    std::vector<std::uint8_t> part(at(end - begin));
    engine()
        .plan(filter, Image::u8(columns, end - begin))
        .run(&source[at(begin)], part.size(), part.data(), part.size());
    return std::memcmp(&part[at(first - begin)], &result[at(first)], at(count)) == 0;
}

} // namespace

TEST_SUITE("run options") {
    // On CPUs kernels use images wherever they are; with a limit on device memory these are copied.
    TEST_CASE("results are the same where host memory is used where it is and where it is copied") {
        using Size = std::pair<std::int64_t, std::int64_t>;
        for (const Size &size : {Size{1050, 1030}, {131, 75}, {20, 9}}) {
            const std::int64_t columns = size.first, rows = size.second;
            CAPTURE(columns);
            constexpr std::int64_t most_shift = 16;
            const std::int64_t pitch = columns + 6;
            gauze::ImageDesc image(gauze::Type::f32, columns, rows, 1);
            image.pitch[1] = pitch * static_cast<std::int64_t>(sizeof(float));
            const auto values = static_cast<std::size_t>(pitch * rows + most_shift);
            const std::vector<float> source = random_pixels(values);
            const auto bytes = static_cast<std::size_t>(pitch * rows) * sizeof(float);
            RunOptions copied;
            copied.max_device_bytes = std::uint64_t{1} << 30;
            for (const gauze::Filter &filter :
                 {gauze::box(2), gauze::box(20), gaussian_by(gauze::GaussianMethod::fir, 1.5),
                  gauze::median(gauze::Window(3))}) {
                const gauze::Plan plan = engine().plan(filter, image);
                for (const std::size_t shift : {std::size_t{0}, std::size_t{1}, std::size_t{5}}) {
                    CAPTURE(shift);
                    std::vector<float> expected(values, -1.0F), target(values, -1.0F);
                    plan.run(&source[shift], bytes, &expected[shift], bytes, copied);
                    plan.run(&source[shift], bytes, &target[shift], bytes);
                    CHECK(std::memcmp(target.data(), expected.data(), values * sizeof(float)) == 0);
                    // Over its source.
                    std::vector<float> both = source;
                    plan.run(&both[shift], bytes, &both[shift], bytes);
                    bool is_same = true;
                    for (std::int64_t y = 0; y < rows; ++y)
                        for (std::int64_t x = 0; x < columns; ++x) {
                            const std::size_t at = shift + static_cast<std::size_t>(y * pitch + x);
                            is_same = is_same && both[at] == expected[at];
                        }
                    CHECK(is_same);
                }
            }
        }
    }

    TEST_CASE("progress goes from nothing to all pixels, of each pass of a streamed image") {
        struct Case {
            gauze::Filter filter;
            std::uint64_t passes;
        };
        for (const Case &test : {Case{fir_gaussian(2.0), 1}, Case{recursive_gaussian(), 2}}) {
            const gauze::Plan plan =
                engine().plan(test.filter, Image::f32(width, height), axis_by_axis());
            const Run whole = run(plan, 0);
            CHECK(whole.reports ==
                  std::vector<Report>{{0, pixel_count}, {pixel_count, pixel_count}});
            const Run streamed = run(plan, slab_bytes);
            CHECK(streamed.pixels == whole.pixels);
            REQUIRE(streamed.reports.size() > 5);
            CHECK(streamed.reports.front() == Report{0, test.passes * pixel_count});
            CHECK(streamed.reports.back() ==
                  Report{test.passes * pixel_count, test.passes * pixel_count});
            for (std::size_t i = 1; i < streamed.reports.size(); ++i)
                CHECK(streamed.reports[i].first > streamed.reports[i - 1].first);
        }
    }

    TEST_CASE("a run is cancelled at any report but the last, and the plan goes on") {
        for (const gauze::Filter &filter : {fir_gaussian(2.0), recursive_gaussian()}) {
            const gauze::Plan plan = engine().plan(filter, Image::f32(width, height));
            const Run expected = run(plan, slab_bytes);
            for (std::size_t at = 1; at <= expected.reports.size(); ++at) {
                Run cancelled;
                const auto outcome = outcome_of([&] {
                    run(plan, slab_bytes, cancelled, [&] { return cancelled.reports.size() < at; });
                });
                CHECK(cancelled.reports.size() == at);
                if (at == expected.reports.size()) {
                    CHECK(outcome.status == GAUZE_OK);
                    CHECK(cancelled.pixels == expected.pixels);
                } else {
                    check_refused(outcome, GAUZE_ERROR_CANCELLED, "cancelled after");
                }
                if (at == 1)
                    CHECK(cancelled.pixels == std::vector<float>(pixel_count, -1.0F));
            }
            CHECK(run(plan, slab_bytes).pixels == expected.pixels);
        }
    }

    TEST_CASE("what progress throws comes out of the run") {
        const gauze::Plan plan = engine().plan(gauze::box(2), Image::f32(width, height));
        for (const std::uint64_t most : {std::uint64_t{0}, slab_bytes}) {
            Run thrown;
            CHECK_THROWS_WITH_AS(
                run(plan, most, thrown, []() -> bool { throw std::logic_error("enough"); }),
                "enough", std::logic_error);
            CHECK(thrown.reports.size() == 1);
        }
    }

    TEST_CASE("in place, streamed, is as if the source had been copied") {
        const gauze::Plan plan = engine().plan(gauze::gaussian(3.0), Image::f32(width, height));
        const std::vector<float> expected = run(plan, slab_bytes).pixels;
        std::vector<float> pixels = random_pixels(pixel_count);
        RunOptions options;
        options.max_device_bytes = slab_bytes;
        plan.run(pixels, pixels, options);
        CHECK(pixels == expected);
    }

    TEST_CASE("runs side by side") {
        const gauze::Plan plan =
            engine().plan(recursive_gaussian(), Image::f32(width, height), axis_by_axis());
        const std::vector<float> expected = run(plan, 0).pixels;
        std::vector<Run> runs(4);
        std::vector<std::thread> threads;
        for (Run &each : runs)
            threads.emplace_back([&] { each = run(plan, slab_bytes); });
        for (std::thread &thread : threads)
            thread.join();
        for (const Run &each : runs)
            CHECK(each.pixels == expected);
    }

    // With POCL_MEMORY_LIMIT=1, which leaves PoCL buffers of 256 MiB.
    TEST_CASE("images larger than any buffer" * doctest::skip()) {
        const std::int64_t columns = 20000, rows = 13500;
        const std::vector<std::uint8_t> source = large_pixels(columns, rows);
        if (engine().device().max_allocation >= source.size()) {
            MESSAGE("the device's buffers hold the image: nothing is streamed");
            return;
        }
        struct Case {
            gauze::Filter filter;
            std::int64_t radius;
        };
        // By taps, whose values depend on the pixels of their radius alone.
        for (const Case &test : {Case{fir_gaussian(3.0), 12}, Case{gauze::box(20), 20}}) {
            const gauze::Plan plan = engine().plan(test.filter, Image::u8(columns, rows));
            INFO(plan.explain());
            CHECK(plan.explain().find("host memory: streamed, ") != std::string::npos);
            std::vector<std::uint8_t> result(source.size());
            plan.run(source, result);
            for (std::int64_t first = 0; first < rows; first += 1500)
                CHECK(are_rows(test.filter, source, result, columns, first, 500, test.radius));
            CHECK(are_rows(test.filter, source, result, columns, rows - 500, 500, test.radius));
            const Image small = engine().image(Image::u8(8, 8));
            check_refused(outcome_of([&] { plan.enqueue(nullptr, small.mem(), small.mem()); }),
                          GAUZE_ERROR_UNSUPPORTED, "only runs on host memory");
        }
        check_refused(outcome_of([&] { engine().image(Image::u8(columns, rows)); }),
                      GAUZE_ERROR_UNSUPPORTED, "largest buffer");
        // A line that no buffer holds.
        gauze::Gaussian along_x;
        along_x.sigma = {30.0, 0, 0, 0};
        along_x.method = gauze::GaussianMethod::recursive;
        const ImageDesc line = Image::u8(1 << 29, 1);
        CHECK(engine().plan(gauze::gaussian(along_x), line).explain().find("streamed, ") !=
              std::string::npos);
        // Each sample matters to all that come after it.
        const auto from_zero = gauze::PlanOptions().with_border(gauze::Border::zero());
        const gauze::Filter sum =
            gauze::recursive({{0, gauze::Direction::forward, {1e-9}, {1.0 - 1e-9}}});
        check_refused(outcome_of([&] { engine().plan(sum, line, from_zero); }),
                      GAUZE_ERROR_UNSUPPORTED, "which cannot be made smaller");
    }

    TEST_CASE("less memory than a slab of a pixel, or a line, needs is refused") {
        const ImageDesc desc = Image::f32(width, height);
        const auto outcome = [&](const gauze::Filter &filter, std::uint64_t most) {
            return outcome_of([&] { run(engine().plan(filter, desc), most); });
        };
        check_refused(
            outcome(fir_gaussian(2.0), 600), GAUZE_ERROR_UNSUPPORTED,
            "slabs of 1x1 pixels, which cannot be made smaller, need more than 600 bytes");
        check_refused(outcome(recursive_gaussian(), 600), GAUZE_ERROR_UNSUPPORTED,
                      "slabs of 120x1 pixels, which cannot");
        // A variant that the plan forces is refused as usual.
        const gauze::Plan forced = engine().plan(
            recursive_gaussian(), desc, gauze::PlanOptions().with_variant("recursive_fused"));
        check_refused(outcome_of([&] { run(forced, slab_bytes); }), GAUZE_ERROR_UNSUPPORTED,
                      "recursive_fused");
    }
}
