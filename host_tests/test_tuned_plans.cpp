// Results of measurements, as an embedder sees them: the candidates of plans, and what plans do with results.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gauze/gauze_fleet.hpp>
#include <gauze/gauze_tuning.hpp>

#include "support/embedder.hpp"
#include "test_files.hpp"

namespace {

using gauze::Image;
using gauze::Plan;
using gauze::Problem;
using gauze::problems;
using gauze::tool::TestDirectory;

gauze::Engine engine_with(const std::string &tuning_file) {
    gauze::EngineOptions options;
    options.tuning_file = tuning_file;
    return gauze::Engine(options);
}

bool has(const std::string &text, const std::string &part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

// Returns the first candidate of another kernel than the default's.
std::string other_kernel(const Problem &problem) {
    const std::vector<std::string> candidates = problem.candidates();
    const std::string own = candidates.front().substr(0, candidates.front().find(':'));
    const auto other =
        std::find_if(candidates.begin(), candidates.end(),
                     [&](const std::string &candidate) { return !candidate.starts_with(own); });
    REQUIRE(other != candidates.end());
    return *other;
}

} // namespace

TEST_SUITE("tuned plans") {
    TEST_CASE("what is added decides for later plans, of this engine and others") {
        const TestDirectory directory;
        const gauze::Engine engine = engine_with(directory / "tuning.txt");
        CHECK(gauze::tuning_file(engine) == directory / "tuning.txt");
        const auto plan_on = [](const gauze::Engine &on, const std::string &variant = "") {
            return on.plan(gauze::correlate(embedder::cross()), Image::f32(60, 40),
                           gauze::PlanOptions().with_variant(variant));
        };
        const Plan before = plan_on(engine);
        REQUIRE(problems(before).size() == 1);
        const Problem problem = problems(before).front();
        const std::vector<std::string> candidates = problem.candidates();
        CHECK(problem.name() == "correlate taps=3 f32 small");
        REQUIRE(candidates.size() > 3);
        for (const std::string &candidate : candidates)
            CHECK(plan_on(engine, candidate).variant() == candidate);

        const std::string &winner = candidates.back();
        problem.add_results({{candidates.front(), 2.0, 1.0, ""}, {winner, 1.0, 0.5, ""}});
        for (const gauze::Engine &each : {engine, engine_with(directory / "tuning.txt")}) {
            const Plan after = plan_on(each);
            CHECK(after.variant() == winner);
            CHECK(has(after.explain(), "chosen because: tuned on this device, by " +
                                           (directory / "tuning.txt") + " (0.5 of the default"));
            const std::vector<float> pixels = embedder::random_pixels(60 * 40);
            std::vector<float> expected(pixels.size()), got(pixels.size());
            before.run(pixels, expected);
            after.run(pixels, got);
            CHECK(got == expected);
        }
        CHECK(has(engine_with(directory / "tuning.txt").device().tuning,
                  "the user's own: 1 problem"));

        problem.add_results({{winner, 0.0, 1.0, "wrong: 5 off"}});
        const Plan last = plan_on(engine);
        CHECK(last.variant() == candidates.front());
        // Another process's engine is not disturbed, and one without the file does not know.
        CHECK(gauze::tuning_file(engine_with("off")).empty());
    }

    TEST_CASE("what is added of its methods decides how an automatic Gaussian is computed") {
        const TestDirectory directory;
        const gauze::Engine engine = engine_with(directory / "tuning.txt");
        const auto plan = [&](double sigma, const std::string &variant = "") {
            return engine.plan(gauze::gaussian(sigma), Image::f32(61, 47),
                               gauze::PlanOptions().with_variant(variant));
        };
        const Problem problem = gauze::method_problem(plan(3.75));
        CHECK(problem.name() == "gaussian taps=31 f32 small");
        const std::vector<std::string> methods = problem.candidates();
        REQUIRE(methods.size() == 2);
        CHECK(std::set<std::string>(methods.begin(), methods.end()) ==
              std::set<std::string>{"fir", "recursive"});
        for (const std::string &winner : methods) {
            const std::string &loser = winner == methods[0] ? methods[1] : methods[0];
            problem.add_results({{winner, 1.0, 0.5, ""}, {loser, 2.0, 1.0, ""}});
            const Plan after = plan(3.75);
            CHECK(has(after.explain(), "method: " + winner + ", for tuned on this device, by"));
            CHECK((after.variant().find("recursive_") == 0) == (winner == "recursive"));
            // Plans of the plan's filter go the same way, whatever the size.
            const Plan large = engine.plan(after.filter(), Image::f32(3000, 2000));
            CHECK_FALSE(has(large.explain(), "method: "));
            CHECK((large.variant().find("recursive_") == 0) == (winner == "recursive"));
            // Which method is asked about does not depend on the one that is taken.
            CHECK(gauze::method_problem(after).candidates() == methods);
            std::vector<float> pixels = embedder::random_pixels(61 * 47), got(pixels.size());
            after.run(pixels, got);
            const std::size_t bytes = pixels.size() * sizeof(float);
            CHECK(after.verify(pixels.data(), bytes, got.data(), bytes).within_bound);
        }

        const auto refused = [&](const Plan &of) {
            embedder::check_refused(embedder::outcome_of([&] { gauze::method_problem(of); }),
                                    GAUZE_ERROR_UNSUPPORTED, "no results of methods are kept");
        };
        refused(plan(1.0));
        refused(plan(20.0));
        refused(plan(3.75, "separable_passes"));
        refused(engine.plan(gauze::box(2), Image::f32(61, 47)));
        gauze::Gaussian by_taps;
        by_taps.sigma = {3.75, 3.75, 0, 0};
        by_taps.method = gauze::GaussianMethod::fir;
        refused(engine.plan(gauze::gaussian(by_taps), Image::f32(61, 47)));
        embedder::check_refused(embedder::outcome_of([&] {
                                    problem.add_results({{"box", 1.0, 0.5, ""}});
                                }),
                                GAUZE_ERROR_INVALID_ARGUMENT,
                                "no kernel for this problem is called 'box'");
    }

    TEST_CASE("slabs of a fleet are computed as the whole image is") {
        const TestDirectory directory;
        const gauze::Engine engine = engine_with(directory / "tuning.txt");
        constexpr std::int64_t width = 640;
        constexpr std::int64_t height =
            1700; // of the medium class, which slabs of 100 rows are not of
        const gauze::ImageDesc image = Image::f32(width, height);
        const gauze::Filter filter = gauze::gaussian(3.75);
        const auto decide = [&](const gauze::ImageDesc &desc, const std::string &winner,
                                const std::string &loser) {
            const Problem problem = gauze::method_problem(engine.plan(filter, desc));
            problem.add_results({{winner, 1.0, 0.5, ""}, {loser, 2.0, 1.0, ""}});
        };
        decide(image, "fir", "recursive");
        decide(Image::f32(width, 100), "recursive", "fir");
        REQUIRE(has(engine.plan(filter, image).explain(), "method: fir"));
        REQUIRE(has(engine.plan(filter, Image::f32(width, 100)).explain(), "method: recursive"));

        const std::vector<float> pixels = embedder::random_pixels(width * height);
        std::vector<float> expected(pixels.size()), got(pixels.size());
        engine.plan(filter, image).run(pixels, expected);
        gauze::FleetOptions options;
        options.slab = 100;
        const std::size_t bytes = pixels.size() * sizeof(float);
        gauze::Fleet({engine, engine})
            .plan(filter, image, options)
            .run(gauze::HostPixels(pixels.data(), bytes), gauze::HostTarget{got.data(), bytes});
        CHECK(got == expected);
    }

    TEST_CASE("a plan that times beside a baseline") {
        const gauze::Engine engine = engine_with("off");
        const gauze::ImageDesc desc = Image::f32(300, 200);
        const Plan baseline = engine.plan(gauze::box(1), desc);
        const Plan plan =
            engine.plan(gauze::box(1), desc, gauze::PlanOptions().with_variant("box_plain"));
        Image source = engine.image(desc);
        Image target = engine.image(desc);
        const std::vector<float> pixels(300 * 200, 1.0F);
        source.write(pixels.data(), pixels.size() * sizeof(float));
        const gauze::Comparison found = plan.compare(baseline, source, target, 3);
        CHECK(found.time_ms > 0);
        CHECK(found.baseline_ms > 0);
        CHECK(found.ratio > 0);
        const gauze::Engine another = engine_with("off");
        embedder::check_refused(embedder::outcome_of([&] {
                                    plan.compare(another.plan(gauze::box(1), desc), source, target,
                                                 1);
                                }),
                                GAUZE_ERROR_INVALID_ARGUMENT, "the baseline belongs to another");
    }

    TEST_CASE("what plans say of their kernels can be asked for") {
        const gauze::Engine engine = engine_with("off");
        const auto plan = [&](const std::string &variant) {
            return engine.plan(gauze::box(12, 2), Image::f32(90, 70),
                               gauze::PlanOptions().with_variant(variant));
        };
        CHECK(problems(plan("")).size() == 2);
        const Plan two = plan("box_plain:GROUP_X=1; box_strips:BAND=16,STRIP=512");
        CHECK(two.variant() == "box_plain:GROUP_X=1; box_strips:BAND=16,STRIP=512");
        CHECK(plan(two.variant()).variant() == two.variant());
        const std::string own = plan("").variant();
        CHECK(plan("; box_plain:GROUP_X=64").variant() ==
              own.substr(0, own.find(';')) + "; box_plain:GROUP_X=64");
        CHECK(plan("box_plain:GROUP_X=64;").variant() ==
              "box_plain:GROUP_X=64; " + own.substr(own.find(';') + 2));
        embedder::check_refused(embedder::outcome_of([&] { plan("box_plain;;"); }),
                                GAUZE_ERROR_INVALID_ARGUMENT,
                                "has 3 parts; the filter has 2 passes");
    }

    TEST_CASE("of several passes one can be tuned, the others left to the library") {
        const TestDirectory directory;
        const gauze::Engine engine = engine_with(directory / "tuning.txt");
        const auto plan = [&](const std::string &variant = "") {
            return engine.plan(gauze::dog(1, 2, gauze::GaussianMethod::fir), Image::f32(90, 70),
                               gauze::PlanOptions().with_variant(variant));
        };
        const Plan before = plan();
        REQUIRE(problems(before).size() == 3);
        const Problem problem = problems(before)[2];
        const std::vector<std::string> candidates = problem.candidates();
        CHECK(problem.name() == "difference f32 small");
        REQUIRE(candidates.size() == 3);
        const std::string gaussians =
            before.variant().substr(0, before.variant().find("difference_plain:"));
        CHECK(before.variant() == gaussians + candidates.front());
        for (const std::string &candidate : candidates)
            CHECK(plan(";;" + candidate).variant() == gaussians + candidate);
        problem.add_results({{candidates.back(), 1, 0.5, ""}});
        CHECK(plan().variant() == gaussians + candidates.back());
    }

    struct NamedFilter {
        std::string name;
        gauze::Filter filter;
    };

    // Filters of several passes, some with Gaussians by taps, some by exponentials, which the device and results choose.
    std::vector<NamedFilter> filters_of_several_passes() {
        std::vector<NamedFilter> filters{
            {"small boxes", gauze::box(2, 3)},
            {"boxes", gauze::box(20, 3)},
            {"difference of boxes", gauze::dog(5, 8, gauze::GaussianMethod::box)},
            {"difference of taps and exponentials", gauze::dog(1, 20)},
        };
        for (const double sigma : {1.0, 2.0, 20.0}) {
            gauze::Gaussian smoothing;
            smoothing.sigma = {sigma, sigma, 0, 0};
            const std::string text = " of sigma " + std::to_string(sigma);
            filters.push_back({"unsharp" + text, gauze::unsharp(sigma, 1)});
            filters.push_back(
                {"deviation" + text, gauze::local_deviation(gauze::LocalMean::of_gaussian(sigma))});
            filters.push_back({"structure" + text, gauze::structure(smoothing, 0, 1, smoothing)});
        }
        return filters;
    }

    TEST_CASE("each problem of a filter of several passes can be tuned") {
        const gauze::Engine engine = engine_with("off");
        for (const NamedFilter &named : filters_of_several_passes()) {
            const auto plan = [&](const std::string &variant = "") {
                return engine.plan(named.filter, Image::f32(2048, 2048),
                                   gauze::PlanOptions().with_variant(variant));
            };
            const std::vector<Problem> found = problems(plan());
            for (std::size_t i = 0; i < found.size(); ++i) {
                const std::vector<std::string> candidates = found[i].candidates();
                REQUIRE_FALSE(candidates.empty());
                for (const std::string &candidate : {candidates.front(), candidates.back()}) {
                    CAPTURE(named.name);
                    CAPTURE(found[i].name());
                    CAPTURE(candidate);
                    REQUIRE_FALSE(candidate.empty());
                    const std::string variant =
                        std::string(i, ';') + candidate + std::string(found.size() - 1 - i, ';');
                    CAPTURE(variant);
                    const embedder::Outcome outcome = embedder::outcome_of([&] { plan(variant); });
                    // A kernel may not take the images between passes, but the default does.
                    if (candidate != candidates.front() &&
                        outcome.status == GAUZE_ERROR_UNSUPPORTED)
                        continue;
                    REQUIRE(outcome.status == GAUZE_OK);
                    if (candidate.find(':') != std::string::npos) // no chain's name
                        CHECK(plan(variant).variant().find(candidate) != std::string::npos);
                }
            }
        }
    }

    TEST_CASE("a plan's own variant gives the plan again") {
        const gauze::Engine engine = engine_with("off");
        for (const NamedFilter &named : filters_of_several_passes())
            for (const std::int64_t side : {61, 512, 2048})
                for (const gauze::Type type : {gauze::Type::f32, gauze::Type::u8}) {
                    const gauze::ImageDesc image(type, side, side);
                    CAPTURE(named.name);
                    CAPTURE(side);
                    const std::string own = engine.plan(named.filter, image).variant();
                    CAPTURE(own);
                    CHECK(engine.plan(named.filter, image, gauze::PlanOptions().with_variant(own))
                              .variant() == own);
                }
    }

    TEST_CASE("a forced kernel that wants aligned rows runs on buffers that have them") {
        const gauze::Engine engine = engine_with("off");
        const gauze::ImageDesc image = Image::f32(192, 75);
        gauze::Gaussian smoothing;
        smoothing.sigma = {2, 2, 0, 0};
        const gauze::Filter filter = gauze::gradient_magnitude(smoothing);
        const std::string combine = "derivative_combine:GROUP=64,ITEM=";
        std::string variant = engine.plan(filter, image).variant();
        REQUIRE(has(variant, combine));
        variant = variant.substr(0, variant.find(combine)) + combine + "4";
        const Plan plan = engine.plan(filter, image, gauze::PlanOptions().with_variant(variant));
        CHECK(plan.variant() == variant);
        const std::vector<float> pixels = embedder::random_pixels(192 * 75);
        std::vector<float> got(pixels.size());
        plan.run(pixels, got);
        CHECK(plan.verify(pixels.data(), pixels.size() * sizeof(float), got.data(),
                          got.size() * sizeof(float))
                  .within_bound);
        CHECK(plan.workspace_bytes() > 0);

        // Memory of the host that starts anywhere is refused when it is given.
        std::vector<float> memory(2 * pixels.size() + 64);
        const auto misplaced = [&](std::size_t place) {
            return clCreateBuffer(engine.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                  pixels.size() * sizeof(float), memory.data() + place, nullptr);
        };
        const bool is_odd = reinterpret_cast<std::uintptr_t>(memory.data()) % 64 == 0;
        const cl_mem source = misplaced(is_odd ? 1 : 0);
        const cl_mem target = misplaced(pixels.size() + 32);
        const embedder::Outcome refused =
            embedder::outcome_of([&] { plan.enqueue(engine.queue(), source, target); });
        CHECK(refused.status == GAUZE_ERROR_UNSUPPORTED);
        CHECK(has(refused.text, "rows start at no multiple of four values"));
        clReleaseMemObject(source);
        clReleaseMemObject(target);
    }

    TEST_CASE("both steps of a guided filter, and non-local means, go by results") {
        const TestDirectory directory;
        const gauze::Engine engine = engine_with(directory / "tuning.txt");
        const auto guided = [](const gauze::Engine &on) {
            return on.plan(gauze::guided(8, 0.01), Image::f32(90, 70));
        };
        const auto own_of = [](const Plan &plan) {
            std::vector<std::string> names;
            for (const Problem &problem : problems(plan))
                names.push_back(problem.name());
            return names;
        };
        const Plan before = guided(engine);
        REQUIRE(own_of(before) ==
                std::vector<std::string>{"guided slopes own f32 small taps<=63",
                                         "guided results own f32 small taps<=63"});
        // Another kernel for each step: results of one must not decide the other.
        const std::string slopes = other_kernel(problems(before)[0]);
        const std::string results = other_kernel(problems(before)[1]);
        const std::string first = before.variant().substr(0, before.variant().find("; "));
        const std::string second = before.variant().substr(before.variant().find("; ") + 2);
        problems(before)[1].add_results({{results, 1.0, 0.5, ""}});
        CHECK(guided(engine).variant() == first + "; " + results);
        problems(before)[0].add_results({{slopes, 1.0, 0.5, ""}});
        for (const gauze::Engine &each : {engine, engine_with(directory / "tuning.txt")}) {
            const Plan after = guided(each);
            CHECK(after.variant() == slopes + "; " + results);
            CHECK(has(after.explain(), "chosen because: tuned on this device, by "));
            const std::vector<float> pixels = embedder::random_pixels(90 * 70);
            std::vector<float> got(pixels.size());
            after.run(pixels, got);
            CHECK(after.verify(pixels, {got}).within_bound);
        }
        problems(before)[0].add_results({{slopes, 0.0, 1.0, "wrong: 5 off"}});
        CHECK(guided(engine).variant() == first + "; " + results);

        const auto nlm = [&] {
            return engine.plan(gauze::non_local_means(0.4), Image::f32(90, 70));
        };
        REQUIRE(own_of(nlm()) == std::vector<std::string>{"nlm patch7 window<=21 f32 small"});
        const std::string other = other_kernel(problems(nlm()).front());
        problems(nlm()).front().add_results({{other, 1.0, 0.5, ""}});
        CHECK(nlm().variant() == other);
        // Windows of another class were not measured.
        const Plan small =
            engine.plan(gauze::non_local_means(0.4, {7, 9, 0.0}), Image::f32(90, 70));
        CHECK(has(small.explain(), "chosen because: preferred on devices of class "));
    }

    TEST_CASE("devices and contexts that share a file") {
        const TestDirectory directory;
        const auto plan_on = [](const gauze::Engine &on) {
            return on.plan(gauze::correlate(embedder::cross()), Image::f32(60, 40));
        };
        const std::vector<float> pixels = embedder::random_pixels(60 * 40);
        std::vector<std::vector<float>> results;
        std::vector<gauze::Engine> engines;
        for (const gauze::DeviceInfo &device : gauze::devices().devices)
            if (device.platform == embedder::engine().device().platform) {
                gauze::EngineOptions options;
                options.device = std::to_string(device.index);
                options.tuning_file = directory / "tuning.txt";
                engines.emplace_back(options);
            }
        for (std::size_t i = 0; i < engines.size(); ++i) {
            const Plan before = plan_on(engines[i]);
            // Results of other devices have no effect here.
            CHECK(before.explain().find("tuned on this device") == std::string::npos);
            const Problem problem = problems(before).front();
            const std::vector<std::string> candidates = problem.candidates();
            const std::string &winner = candidates.at(candidates.size() - 1 - i);
            problem.add_results({{winner, 1, 0.5, ""}});
            // Another context of the device.
            gauze::EngineOptions options;
            options.device = std::to_string(engines[i].device().index);
            options.tuning_file = directory / "tuning.txt";
            for (const gauze::Engine &engine : {engines[i], gauze::Engine(options)}) {
                const Plan plan = plan_on(engine);
                CHECK(plan.variant() == winner);
                results.emplace_back(pixels.size());
                plan.run(pixels, results.back());
                CHECK(results.back() == results.front());
            }
        }
        MESSAGE(engines.size(), " devices");
    }

    TEST_CASE("recursive filters along both axes at once, or axis by axis") {
        const TestDirectory directory;
        const gauze::Engine engine = engine_with(directory / "tuning.txt");
        gauze::Gaussian options;
        options.sigma = {1.5, 1.5, 0, 0};
        options.method = gauze::GaussianMethod::recursive;
        const auto plan = [&](const std::string &variant) {
            return engine.plan(gauze::gaussian(options), Image::f32(200, 150),
                               gauze::PlanOptions().with_variant(variant));
        };
        const Plan before = plan("");
        REQUIRE(problems(before).size() == 1);
        const Problem problem = problems(before).front();
        const std::vector<std::string> candidates = problem.candidates();
        CHECK(has(problem.name(), "recursive-plane sections<="));
        CHECK(std::count(candidates.begin(), candidates.end(), "axes") == 1);
        const auto fused =
            std::find_if(candidates.begin(), candidates.end(),
                         [](const std::string &c) { return c.find("recursive_fused:") == 0; });
        REQUIRE(fused != candidates.end());
        CHECK(plan("axes").variant().find("recursive_fused") == std::string::npos);
        problem.add_results({{"axes", 2, 1, ""}, {*fused, 1, 0.5, ""}});
        CHECK(plan("").variant() == *fused);
        problem.add_results({{"axes", 1, 0.25, ""}});
        const Plan axes = plan("");
        CHECK(axes.variant() == plan("axes").variant());
        CHECK(has(axes.explain(), "refused: all axes at once: tuned on this device"));
    }

    TEST_CASE("separable volumes along all axes at once, or axis by axis") {
        const TestDirectory directory;
        const gauze::Engine engine = engine_with(directory / "tuning.txt");
        const auto plan = [&](std::size_t taps, const std::string &variant = "") {
            gauze::SeparableTaps along;
            for (std::size_t axis = 0; axis < 3; ++axis)
                along.values[axis].assign(taps, 1.0 / static_cast<double>(taps));
            gauze::ImageDesc desc(gauze::Type::f32, 40, 30);
            desc.extent[2] = 20;
            return engine.plan(gauze::separable(along), desc,
                               gauze::PlanOptions().with_variant(variant));
        };
        const Plan before = plan(5);
        REQUIRE(problems(before).size() == 1);
        const Problem problem = problems(before).front();
        const std::vector<std::string> candidates = problem.candidates();
        CHECK(problem.name() == "separable volume taps<=5 f32 small");
        CHECK(std::count(candidates.begin(), candidates.end(), "axes") == 1);
        CHECK(plan(5, candidates.front()).variant() == before.variant());
        const auto march =
            std::find_if(candidates.rbegin(), candidates.rend(),
                         [](const std::string &c) { return c.find("separable_march:") == 0; });
        REQUIRE(march != candidates.rend());
        problem.add_results({{"axes", 2, 1, ""}, {*march, 1, 0.5, ""}});
        const Plan whole = plan(5);
        CHECK(whole.variant() == *march);
        CHECK(has(whole.explain(), "chosen because: tuned on this device"));
        problem.add_results({{"axes", 1, 0.25, ""}});
        const Plan axes = plan(5);
        CHECK(axes.variant() == plan(5, "axes").variant());
        CHECK(has(axes.explain(), "refused: all axes at once: tuned on this device"));
        const std::vector<float> pixels = embedder::random_pixels(40 * 30 * 20);
        std::vector<float> expected(pixels.size()), got(pixels.size());
        whole.run(pixels, expected);
        axes.run(pixels, got);
        CHECK(got == expected);

        // There are more taps than a kernel for all axes takes: the passes are tuned.
        const Plan longer = plan(11);
        REQUIRE(problems(longer).size() == 2);
        CHECK(problems(longer)[1].name() == "separable taps<=11 f32 small");
    }

    TEST_CASE("SSIMULACRA 2 takes its kernels by results, too") {
        const TestDirectory directory;
        const gauze::Engine engine = engine_with(directory / "tuning.txt");
        const gauze::ImageDesc desc = Image::u8(60, 40, 3);
        const auto metric = [&](const std::string &variant = "") {
            return engine.ssimulacra2(desc, desc, variant);
        };
        const gauze::Ssimulacra2 before = metric();
        REQUIRE(problems(before).size() == 2);
        const char *const names[] = {"xyb channels=3 u8 small", "ssimulacra2 small"};
        for (std::size_t i = 0; i < 2; ++i) {
            const Problem problem = problems(before)[i];
            const std::vector<std::string> candidates = problem.candidates();
            CHECK(problem.name() == names[i]);
            REQUIRE(candidates.size() > 1);
            CHECK(has(before.explain(), candidates.front()));
            const std::string &winner = candidates.back();
            CHECK(has(metric(i == 0 ? winner + ";" : ";" + winner).explain(), winner));
            problem.add_results({{winner, 1, 0.5, ""}});
            CHECK(has(metric().explain(), winner));
            problem.add_results({{winner, 0, 1, "wrong"}});
            CHECK(has(metric().explain(), candidates.front()));
        }
        // Neither is a kernel for the other's pass.
        const std::string planes = problems(before)[0].candidates().front();
        embedder::check_refused(embedder::outcome_of([&] {
                                    problems(before)[1].add_results({{planes, 1, 1, ""}});
                                }),
                                GAUZE_ERROR_INVALID_ARGUMENT,
                                "no kernel for this problem is called 'xyb_");
    }

    TEST_CASE("a problem outlives what it was made from") {
        const TestDirectory directory;
        const auto problems_of_two = [&] {
            const gauze::Engine engine = engine_with(directory / "tuning.txt");
            const gauze::ImageDesc desc = Image::u8(60, 40, 3);
            return std::vector<Problem>{problems(engine.plan(gauze::box(1), desc)).front(),
                                        problems(engine.ssimulacra2(desc, desc)).back()};
        }();
        for (const Problem &problem : problems_of_two) {
            const std::vector<std::string> candidates = problem.candidates();
            REQUIRE(!candidates.empty());
            problem.add_results({{candidates.back(), 1, 0.5, ""}});
            CHECK(has(gauze::tool::read_bytes(directory / "tuning.txt"), problem.name()));
        }
    }

    TEST_CASE("boxes of a few pixels take kernels of both kinds by results, too") {
        const TestDirectory directory;
        const gauze::Engine engine = engine_with(directory / "tuning.txt");
        const auto plan = [&] { return engine.plan(gauze::box(2), Image::f32(200, 150)); };
        const Problem problem = problems(plan()).front();
        const std::vector<std::string> candidates = problem.candidates();
        CHECK(has(problem.name(), "box taps<=7 f32 small"));
        for (const char *kernel : {"box_plain:", "correlate_plain:"}) {
            const auto one =
                std::find_if(candidates.begin(), candidates.end(),
                             [&](const std::string &c) { return c.find(kernel) == 0; });
            REQUIRE(one != candidates.end());
            problem.add_results({{*one, 1, kernel[0] == 'b' ? 0.5 : 0.25, ""}});
            CHECK(plan().variant() == *one);
        }
    }
}
