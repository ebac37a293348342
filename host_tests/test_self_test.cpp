// Kernels that nobody has tried on the device: a tiny run shows which of them is wrong. The wrong ones
// are planted.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/embedder.hpp"
#include "support/environment.hpp"
#include "test_files.hpp"

namespace fs = std::filesystem;

namespace {

using gauze::Image;
using gauze::Plan;
using gauze::tool::TestDirectory;

// GAUZE_SELF_TEST, off at the end as for all other tests.
class Setting {
public:
    explicit Setting(const char *value) { support::set_environment("GAUZE_SELF_TEST", value); }
    ~Setting() { support::set_environment("GAUZE_SELF_TEST", "off"); }
    Setting(const Setting &) = delete;
    Setting &operator=(const Setting &) = delete;
};

class Lines {
public:
    void add(const std::string &line) {
        const std::lock_guard<std::mutex> lock(mutex_);
        lines_.push_back(line);
    }
    std::ptrdiff_t count(const std::string &part) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::count_if(lines_.begin(), lines_.end(), [&](const std::string &line) {
            return line.find(part) != std::string::npos;
        });
    }

private:
    std::mutex mutex_;
    std::vector<std::string> lines_;
};

// A copy of the kernels, some of which are wrong, and the log of an engine with them.
class Planted {
public:
    Planted() {
        const char *const kernels = std::getenv("GAUZE_KERNELS");
        REQUIRE_MESSAGE(kernels, "GAUZE_KERNELS is not set");
        fs::copy(kernels, directory_ / "cl", fs::copy_options::recursive);
        fs::create_directory(directory_ / "cache");
        fs::permissions(directory_ / "cache", fs::perms::owner_all);
    }

    void replace(const std::string &file, const std::string &part, const std::string &by) const {
        const std::string path = directory_ / ("cl/" + file);
        std::string text = gauze::tool::read_bytes(path);
        const std::size_t at = text.find(part);
        REQUIRE(at != std::string::npos);
        gauze::tool::write_bytes(path, text.replace(at, part.size(), by));
    }

    gauze::Engine engine(Lines &lines) const {
        gauze::EngineOptions options;
        options.cl_dir = directory_ / "cl";
        options.cache_directory = directory_ / "cache";
        options.log = [](gauze_log_level level, const char *text, void *user) {
            static_cast<Lines *>(user)->add(std::to_string(level) + " " + text);
        };
        options.log_user = &lines;
        return gauze::Engine(options);
    }

private:
    TestDirectory directory_;
};

// Adds 1 to values in column 7 where the condition holds.
void plant_in_sat_plain(const Planted &planted, const std::string &condition) {
    planted.replace("sat/sat_plain.cl", "sum += columns[x];",
                    "sum += columns[x] + (" + condition + " && x == 7 ? 1 : 0);");
}

std::vector<float> sat_of(const Plan &plan, const std::vector<float> &pixels) {
    std::vector<float> result(pixels.size());
    plan.run(pixels, result);
    return result;
}

bool is_right(const Plan &plan, const std::vector<float> &pixels) {
    const std::vector<float> result = sat_of(plan, pixels);
    return plan
        .verify(pixels.data(), pixels.size() * sizeof(float), result.data(),
                result.size() * sizeof(float))
        .within_bound;
}

} // namespace

TEST_SUITE("self-test") {
    TEST_CASE("a kernel that computes the wrong thing is demoted, and the next one taken") {
        const Planted planted;
        planted.replace("sat/sat_strips.cl", "table[x / 16] = sum;",
                        "table[x / 16] = sum + (BAND == 16 && x == 16);");
        const std::vector<float> pixels = embedder::random_pixels(90 * 60);
        const auto plan_on = [&](const gauze::Engine &engine, const std::string &variant = "") {
            return engine.plan(
                gauze::sat(), Image::f32(90, 60),
                gauze::PlanOptions().with_border(gauze::Border::zero()).with_variant(variant));
        };
        std::string wrong;
        {
            // Without the test the kernel is taken, and wrong.
            const Setting off("off");
            Lines lines;
            const Plan plan = plan_on(planted.engine(lines), "sat_strips:BAND=16");
            CHECK_FALSE(is_right(plan, pixels));
            wrong = plan_on(planted.engine(lines)).variant();
            CHECK(lines.count("self-test") == 0);
        }
        REQUIRE(wrong == "sat_strips:BAND=16");
        const Setting always("always");
        {
            Lines lines;
            const gauze::Engine engine = planted.engine(lines);
            const Plan plan = plan_on(engine);
            INFO(plan.explain());
            CHECK(plan.variant() != wrong);
            CHECK(is_right(plan, pixels));
            CHECK(plan.explain().find("refused: sat_strips: BAND=16: failed its self-test: ") !=
                  std::string::npos);
            CHECK(lines.count("1 " + wrong + " failed its self-test on ") == 1);
            CHECK(lines.count("3 self-test of " + wrong) == 1);
            const auto tests = lines.count("3 self-test of ");
            CHECK(tests >= 2);
            // Once is enough.
            CHECK(plan_on(engine).variant() == plan.variant());
            CHECK(lines.count("3 self-test of ") == tests);
            // A forced kernel is taken.
            CHECK(plan_on(engine, wrong).variant() == wrong);
        }
        // Another process knows it from the cache.
        Lines lines;
        const Plan plan = plan_on(planted.engine(lines));
        CHECK(plan.variant() != wrong);
        CHECK(lines.count("3 self-test of ") == 0);
        CHECK(lines.count("failed its self-test") == 1);
    }

    TEST_CASE("where no kernel is right nothing runs") {
        const Setting always("always");
        Lines lines;
        const Planted planted;
        const auto sat = [](const gauze::Engine &engine) {
            return engine.plan(gauze::sat(), Image::f32(90, 60),
                               gauze::PlanOptions().with_border(gauze::Border::zero()));
        };
        plant_in_sat_plain(planted, "1");
        planted.replace("sat/sat_strips.cl", "table[x / 16] = sum;",
                        "table[x / 16] = sum + (x == 16);");
        for (const char *file : {"sat/sat_tiled.cl", "sat/sat_once.cl", "sat/sat_gather.cl",
                                 "sat/sat_ahead.cl", "sat/sat_march.cl"})
            planted.replace(
                file, "#include \"lib/geometry.clh\"",
                "#error a compiler that does not like it\n#include \"lib/geometry.clh\"");
        const auto refused = embedder::outcome_of([&] { sat(planted.engine(lines)); });
        // The compiler's log comes before all that was wrong.
        CHECK(refused.status == GAUZE_ERROR_BUILD_FAILED);
        CHECK(refused.text.find("a compiler that does not like it") != std::string::npos);
        // Three configurations of a kernel are enough.
        for (const char *kernel : {"1 sat_strips:", "1 sat_plain:", "1 sat_tiled:", "1 sat_once:",
                                   "1 sat_gather:", "1 sat_ahead:", "1 sat_march:"})
            CHECK(lines.count(kernel) == 3);
        CHECK(lines.count("failed its self-test") == 21);
    }

    TEST_CASE("of several passes the wrong one is found") {
        const Setting always("always");
        Lines lines;
        const Planted planted;
        // The last of the three passes of a difference of Gaussians is made wrong.
        planted.replace("difference/difference_plain.cl", "- LOAD(other + at)",
                        "- LOAD(other + at) - (GROUP == 256 && x == 7 ? 1.0f : 0.0f)");
        planted.replace("difference/difference_plain.cl", "- LOAD(other + at)",
                        "- LOAD(other + at) - (GROUP == 64 && x == 7 ? 1.0f : 0.0f)");
        const auto parts = [](const Plan &plan) {
            const std::string variant = plan.variant();
            const std::size_t last = variant.rfind("; ");
            return std::pair(variant.substr(0, last), variant.substr(last + 2));
        };
        const auto dog = [](const gauze::Engine &engine) {
            return engine.plan(gauze::dog(1, 1.5), Image::f32(90, 60));
        };
        const Plan plan = dog(planted.engine(lines));
        const auto [gaussians, difference] = parts(plan);
        CHECK(difference == "difference_plain:GROUP=1");
        CHECK(is_right(plan, embedder::random_pixels(90 * 60)));
        CHECK(lines.count("1 difference_plain:") >= 1);
        CHECK(lines.count("failed its self-test") == lines.count("1 difference_plain:"));
        {
            const Setting off("off");
            CHECK(parts(dog(planted.engine(lines))).first == gaussians);
        }
    }

    TEST_CASE("right kernels pass, whatever the filter and the types") {
        const Setting always("always");
        Lines lines;
        const Planted planted;
        const gauze::Engine engine = planted.engine(lines);
        gauze::Gaussian recursive;
        recursive.sigma = {5, 5, 0, 0};
        recursive.method = gauze::GaussianMethod::recursive;
        const auto plan = [&](const gauze::Filter &filter, gauze::Type type, gauze::Type result,
                              gauze::Border border) {
            gauze::ImageDesc source(type, 33, 17, 3);
            gauze::ImageDesc target = source;
            target.type = result;
            return engine.plan(filter, source, target, gauze::PlanOptions().with_border(border));
        };
        using gauze::Border;
        using gauze::Type;
        plan(gauze::gaussian(1.0), Type::u8, Type::u8, Border::reflect101());
        plan(gauze::correlate(embedder::cross()), Type::f16, Type::f32, Border::constant(0.5));
        plan(gauze::box(20, 2), Type::s16, Type::s16, Border::wrap());
        plan(gauze::sat(), Type::u16, Type::u32, Border::zero());
        plan(gauze::gaussian(recursive), Type::f32, Type::f32, Border::clamp());
        plan(gauze::dog(2, 3), Type::u8, Type::f32, Border::reflect());
        CHECK(lines.count("3 self-test of ") >= 6);
        CHECK(lines.count(" ms: passed") == lines.count("3 self-test of "));
        CHECK(lines.count("3 no self-test of ") == 0);
        CHECK(lines.count("failed its self-test") == 0);
    }

    TEST_CASE("kernels of SSIMULACRA 2 that are wrong") {
        const Setting always("always");
        const gauze::ImageDesc desc = Image::u8(90, 60, 3);
        std::vector<std::uint8_t> reference(90 * 60 * 3), distorted(reference.size());
        for (std::size_t i = 0; i < reference.size(); ++i) {
            reference[i] = static_cast<std::uint8_t>(i * 7 % 256);
            distorted[i] = static_cast<std::uint8_t>(i * 7 % 250);
        }
        const auto pixels = [](const std::vector<std::uint8_t> &image) {
            return gauze::HostPixels(image.data(), image.size());
        };
        const auto score = [&](gauze::Ssimulacra2 &metric) {
            return metric.score(pixels(reference), pixels(distorted));
        };
        Lines no_lines;
        const Planted sound;
        gauze::Ssimulacra2 right = sound.engine(no_lines).ssimulacra2(desc, desc);
        const double expected = score(right);
        CHECK(no_lines.count("3 self-test of ") == 1);
        CHECK(no_lines.count("failed its self-test") == 0);
        const std::vector<float> expected_map = right.error_map(pixels(distorted)).values;
        const float largest = *std::max_element(expected_map.begin(), expected_map.end());
        CHECK(no_lines.count("3 self-test of ") == 2);
        CHECK(no_lines.count(" ms: passed") == 2);

        // The planes and the map of errors, or the sums of them.
        struct Fault {
            const char *file, *part, *factor;
        };
        const Fault of_planes{"ssimulacra2/xyb_strips.cl", "LOAD(from + i * CHANNELS + c)",
                              " * (STRIP == 512 && i % 4 == 0 ? 0.75f : 1.0f)"};
        const Fault of_map{"ssimulacra2/ssimulacra2_strips.cl",
                           "share_of(ssim, edge, shares, scale, channel)",
                           " * (BAND == 64 && v == 1 ? 1.25f : 1.0f)"};
        const Fault of_sums{"ssimulacra2/ssimulacra2_strips.cl", "fmax(edge, (float16)(0.0f))",
                            " * (BAND == 64 ? 1.25f : 1.0f)"};
        const auto check = [&](const std::vector<Fault> &faults, std::ptrdiff_t wrong_planes) {
            const Planted planted;
            for (const Fault &fault : faults)
                planted.replace(fault.file, fault.part, std::string(fault.part) + fault.factor);
            Lines lines;
            const gauze::Engine engine = planted.engine(lines);
            gauze::Ssimulacra2 metric = engine.ssimulacra2(desc, desc);
            CHECK(score(metric) == doctest::Approx(expected).epsilon(1e-6));
            const std::vector<float> map = metric.error_map(pixels(distorted)).values;
            REQUIRE(map.size() == expected_map.size());
            for (std::size_t i = 0; i < map.size(); ++i)
                REQUIRE(std::abs(map[i] - expected_map[i]) <= 1e-5F * largest);
            CHECK(lines.count("1 xyb_strips:STRIP=512 failed its self-test") == wrong_planes);
            CHECK(lines.count("1 ssimulacra2_strips:BAND=64,STRIP=128 failed its self-test") == 1);
            CHECK(lines.count("failed its self-test") == wrong_planes + 1);
        };
        check({of_planes, of_map}, 1);
        check({of_sums}, 0);
    }

    TEST_CASE("threads that meet untested kernels at once") {
        const Setting always("always");
        Lines lines;
        const Planted planted;
        planted.replace("sat/sat_strips.cl", "table[x / 16] = sum;",
                        "table[x / 16] = sum + (x == 16);");
        const gauze::Engine engine = planted.engine(lines);
        const std::vector<float> pixels = embedder::random_pixels(90 * 60);
        std::vector<int> right(4, 0);
        std::vector<std::thread> threads;
        for (int &each : right)
            threads.emplace_back([&] {
                const Plan plan =
                    engine.plan(gauze::sat(), Image::f32(90, 60),
                                gauze::PlanOptions().with_border(gauze::Border::zero()));
                each = plan.variant().find("sat_strips") != 0 && is_right(plan, pixels) ? 1 : 0;
            });
        for (std::thread &thread : threads)
            thread.join();
        CHECK(std::count(right.begin(), right.end(), 1) == 4);
    }
}
