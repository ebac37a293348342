// Tests which method automatic Gaussians take, and why.
#include <doctest/doctest.h>

#include <string>

#include "core/error.hpp"
#include "device/tuning.hpp"
#include "families/family.hpp"
#include "families/gaussian/lowering.hpp"
#include "plan/plan.hpp"
#include "support/image_case.hpp"
#include "support/unit.hpp"

namespace {

using gz::DeviceClass;
using gz::Filter;
using gz::Gaussian;
using gz::Settled;

Gaussian gaussian_of(double sigma_x, double sigma_y) {
    Gaussian gaussian;
    gaussian.sigma = {sigma_x, sigma_y, 0, 0};
    return gaussian;
}

bool has(const Settled &settled, const std::string &part) {
    return settled.reasons.find(part) != std::string::npos;
}

// Whether it takes taps, and says `reason`.
bool takes_taps(const Gaussian &gaussian, DeviceClass device_class, const std::string &reason,
                const std::string &forced = "") {
    const Settled settled = gz::settle(Filter::gaussian(gaussian), {device_class, forced});
    return settled.filter.is<gz::Correlate>() && has(settled, "method: fir, ") &&
           has(settled, reason);
}

bool is_recursive(const Gaussian &gaussian, DeviceClass device_class, const std::string &reason,
                  const std::string &forced = "") {
    const Settled settled = gz::settle(Filter::gaussian(gaussian), {device_class, forced});
    return settled.filter.is<gz::Recursion>() && has(settled, "method: recursive, ") &&
           has(settled, reason);
}

gz::PlanDesc images_of(gz::PixelType type, const gz::Axes &extent, int channels = 1) {
    gz::PlanDesc desc;
    desc.source = desc.target = support::make_image(type, extent, channels);
    return gz::complete(desc);
}

// Returns a measurement of a method that came with the library, on such a device.
std::string line_of(const gz::DeviceFacts &facts, const std::string &problem,
                    const std::string &method, double ratio, const std::string &bad = "") {
    gz::TuningRecord record;
    record.kernel = method;
    record.vendor = facts.vendor;
    record.architecture = facts.architecture;
    record.device = facts.name;
    record.driver = facts.driver;
    record.device_class = gz::name_of(facts.device_class);
    record.problem = problem;
    record.time_ms = ratio;
    record.ratio = ratio;
    record.bad = bad;
    return gz::to_line(record) + "\n";
}

} // namespace

TEST_SUITE("method") {
    TEST_CASE("measurements of methods are kept by taps, types, size and kind of image") {
        using gz::PixelType;
        const auto problem = [](const Gaussian &gaussian, const gz::PlanDesc &images) {
            return gz::method_problem(gaussian, images);
        };
        const gz::PlanDesc large = images_of(PixelType::f32, {5000, 4000, 1, 1});
        // Radii of 15 and 14, of which the first fills the program of 31 taps.
        CHECK(problem(gaussian_of(3.75, 3.75), large) == "gaussian taps=31 f32 large");
        CHECK(problem(gaussian_of(3.5, 3.5), large) == "gaussian taps<=31 f32 large");
        CHECK(problem(gaussian_of(3.75, 3.5), large) == "gaussian taps<=31 f32 large");
        CHECK(problem(gaussian_of(3.25, 3.75), large) == "gaussian taps<=31 f32 large");
        CHECK(problem(gaussian_of(3.75, 3.25), large) == "gaussian taps<=31 f32 large");
        CHECK(problem(gaussian_of(6.0, 1.5), large) == "gaussian taps<=31 f32 large");
        CHECK(problem(gaussian_of(1.75, 1.75), large) == "gaussian taps=15 f32 large");
        CHECK(problem(gaussian_of(1.5, 1.5), large) == "gaussian taps<=15 f32 large");
        CHECK(problem(gaussian_of(7.75, 7.75), large) == "gaussian taps=63 f32 large");
        CHECK(problem(gaussian_of(14.0, 1.4), large) == "gaussian taps<=63 f32 large");
        CHECK(problem(gaussian_of(3.75, 3.75), images_of(PixelType::u8, {1000, 1000, 1, 1}, 3)) ==
              "gaussian taps=31 u8 medium channels");
        CHECK(problem(gaussian_of(3.75, 3.75), images_of(PixelType::f16, {64, 64, 1, 1})) ==
              "gaussian taps=31 f16 small");
        Gaussian volume = gaussian_of(3.75, 3.75);
        volume.sigma[2] = 3.75;
        CHECK(problem(volume, images_of(PixelType::u8, {50, 50, 50, 1})) ==
              "gaussian taps=31 u8 small volume");
        gz::PlanDesc other = large;
        other.target.type = PixelType::u8;
        CHECK(problem(gaussian_of(3.75, 3.75), other) == "gaussian taps=31 f32-u8 large");
        other = large;
        other.region.extent = {100, 100, 1, 1};
        CHECK(problem(gaussian_of(3.75, 3.75), other) == "gaussian taps=31 f32 small");

        const auto kept = [&](const Gaussian &gaussian) {
            return !problem(gaussian, large).empty();
        };
        CHECK_FALSE(kept(gaussian_of(1.3, 1.3)));   // 11 taps
        CHECK_FALSE(kept(gaussian_of(7.9, 7.9)));   // 65 taps
        CHECK_FALSE(kept(gaussian_of(200.0, 3.0))); // a mean of far more
        CHECK_FALSE(kept(gaussian_of(3.75, 0.0)));
        Gaussian gaussian = gaussian_of(3.75, 3.75);
        gaussian.truncate = 3.0;
        CHECK_FALSE(kept(gaussian));
        gaussian = gaussian_of(3.75, 3.75);
        gaussian.accuracy = 1e-5;
        CHECK_FALSE(kept(gaussian));
        gaussian = gaussian_of(3.75, 3.75);
        gaussian.sigma[3] = 3.75;
        CHECK_FALSE(kept(gaussian));
    }

    TEST_CASE("measurements decide, where nothing is forced") {
        gz::DeviceFacts facts = support::make_facts(DeviceClass::nvidia_gpu);
        facts.architecture = "sm_90";
        const std::string problem = "gaussian taps=31 f32 large";
        gz::PlanDesc images = images_of(gz::PixelType::f32, {5000, 4000, 1, 1});
        const gz::SourceTree tree("");
        const auto settled = [&](const Filter &filter, const std::string &lines,
                                 const std::string &forced = "") {
            const gz::Tuning tuning("", facts, tree, {}, {lines});
            return gz::settle(filter,
                              {facts.device_class, forced, facts.architecture, &tuning, &images});
        };
        const Filter filter = Filter::gaussian(gaussian_of(3.75, 3.75));
        const std::string fir = line_of(facts, problem, "fir", 1.0);
        const std::string recursive = line_of(facts, problem, "recursive", 0.5);

        const Settled unmeasured = settled(filter, "");
        CHECK(unmeasured.filter.is<gz::Correlate>());
        CHECK(has(unmeasured, "is up to"));
        CHECK(unmeasured.problem == problem);
        CHECK(unmeasured.methods == std::vector<std::string>{"fir", "recursive"});
        const Settled measured = settled(filter, fir + recursive);
        CHECK(measured.filter.is<gz::Recursion>());
        CHECK(has(measured, "method: recursive, for shipped result for"));
        CHECK(has(measured, problem));
        CHECK(measured.problem == problem);
        CHECK(measured.methods == std::vector<std::string>{"fir", "recursive"});
        CHECK(settled(filter, line_of(facts, problem, "recursive", 1.5) + fir)
                  .filter.is<gz::Correlate>());

        // Above the class's limit the default is the other one.
        const Filter longer = Filter::gaussian(gaussian_of(4.5, 4.5));
        const std::string of_longer = "gaussian taps=37 f32 large";
        CHECK(settled(longer, "").methods == std::vector<std::string>{"recursive", "fir"});
        const Settled by_taps = settled(longer, line_of(facts, of_longer, "recursive", 1.0) +
                                                    line_of(facts, of_longer, "fir", 0.75));
        CHECK(by_taps.filter.is<gz::Correlate>());
        CHECK(has(by_taps, "method: fir, for shipped result for"));

        // Results of other problems, other names and bad ones do not count.
        CHECK(settled(filter, line_of(facts, of_longer, "recursive", 0.5))
                  .filter.is<gz::Correlate>());
        CHECK(settled(filter, line_of(facts, problem, "box", 0.1) +
                                  line_of(facts, problem, "recursive", 0.5))
                  .filter.is<gz::Recursion>());
        CHECK(settled(filter, fir + line_of(facts, problem, "recursive", 0.5, "wrong"))
                  .filter.is<gz::Correlate>());

        // A forced kernel and a method asked for come first.
        const Settled forced = settled(filter, fir + recursive, "separable_stream");
        CHECK(forced.filter.is<gz::Correlate>());
        CHECK(has(forced, "a kernel of that is forced"));
        CHECK(forced.problem.empty());
        CHECK(settled(longer, line_of(facts, of_longer, "fir", 0.75), "recursive_tiled")
                  .filter.is<gz::Recursion>());
        Gaussian gaussian = gaussian_of(3.75, 3.75);
        gaussian.method = gz::GaussianMethod::fir;
        CHECK(settled(Filter::gaussian(gaussian), fir + recursive).filter.is<gz::Correlate>());
        images.store = gz::Store::truncate;
        CHECK(settled(filter, fir + recursive).filter.is<gz::Correlate>());
        CHECK(has(settled(longer, ""), "integers are to be truncated"));
        images.store = gz::Store::saturate;

        // Filters that have Gaussians as parts go by the same measurements.
        const Settled difference = settled(
            Filter::difference(filter, Filter::gaussian(gaussian_of(1.0, 1.0))), fir + recursive);
        CHECK(difference.filter.get<gz::Difference>().first().is<gz::Recursion>());
        CHECK(difference.filter.get<gz::Difference>().second().is<gz::Correlate>());
        CHECK(difference.problem.empty());
    }

    TEST_CASE("the method of an automatic Gaussian follows from its mean sigma and the device") {
        for (const DeviceClass device_class : support::all_device_classes) {
            CAPTURE(gz::name_of(device_class));
            const double sigma = gz::largest_sigma_of_taps(device_class);
            CHECK(takes_taps(gaussian_of(sigma, sigma), device_class, "is up to"));
            CHECK(takes_taps(gaussian_of(0.0, 1.0), device_class, "sigma 1 is up to"));
            CHECK(takes_taps(gaussian_of(sigma + 1.5, sigma - 2.0), device_class, "is up to"));
            CHECK(is_recursive(gaussian_of(sigma + 0.5, sigma), device_class, "is above"));
            CHECK(is_recursive(gaussian_of(0.0, 100.0), device_class, "sigma 100 is above"));
        }
    }

    TEST_CASE("a CPU's vectors decide how long taps may be") {
        const auto method_of = [](double sigma, const std::string &architecture) {
            return gz::settle(Filter::gaussian(gaussian_of(sigma, sigma)),
                              {DeviceClass::pocl_cpu, "", architecture});
        };
        CHECK(method_of(2.5, "x86-avx512").filter.is<gz::Correlate>());
        CHECK(method_of(3.5, "x86-avx512").filter.is<gz::Recursion>());
        CHECK(method_of(1.5, "x86-avx2").filter.is<gz::Correlate>());
        CHECK(method_of(2.5, "x86-avx2").filter.is<gz::Recursion>());
        CHECK(method_of(5.5, "arm64").filter.is<gz::Correlate>());
        CHECK(has(method_of(2.5, "x86-avx2"), "class pocl-cpu, x86-avx2"));
        // Both filters of a difference, too.
        const Filter difference = Filter::difference(Filter::gaussian(gaussian_of(2.5, 2.5)),
                                                     Filter::gaussian(gaussian_of(5.0, 5.0)));
        CHECK(has(gz::settle(difference, {DeviceClass::pocl_cpu, "", "x86-avx512"}),
                  "method: fir, for sigma 2.5 is up to 3"));
    }

    TEST_CASE("what is asked for comes first") {
        const DeviceClass device_class = DeviceClass::other_gpu;
        Gaussian gaussian = gaussian_of(20.0, 20.0);
        gaussian.accuracy = 1e-6;
        CHECK(is_recursive(gaussian, device_class, "is above"));
        gaussian.accuracy = 1e-12;
        CHECK(takes_taps(gaussian, device_class, "recursion is refused: the accuracy is 1e-12"));
        gaussian.accuracy = 0.0;
        support::check_refused(gz::Status::invalid_argument, {"accuracy is 0"},
                               [&] { Filter::gaussian(gaussian); });
        gaussian = gaussian_of(20.0, 20.0);
        gaussian.truncate = 3.0;
        CHECK(takes_taps(gaussian, device_class, "cut off at 3 sigma"));
        // Below the smallest sigma of recursion.
        CHECK(takes_taps(gaussian_of(0.3, 50.0), device_class, "sigma is 0.3"));
        gaussian.truncate = 4.0;
        CHECK(takes_taps(gaussian, device_class, "forced", "separable_passes:GROUP_X=8"));
        CHECK(is_recursive(gaussian_of(1.0, 1.0), device_class, "forced", "recursive_plain"));
    }

    TEST_CASE(
        "where taps do not fit, exponentials are taken on every device, or both are refused") {
        using gz::Status;
        using support::check_refused;
        for (const DeviceClass device_class : support::all_device_classes)
            for (const double sigma : {512.0, 600.0, 10000.0}) {
                CAPTURE(gz::name_of(device_class));
                CAPTURE(sigma);
                CHECK(is_recursive(gaussian_of(sigma, 3.0), device_class,
                                   "taps cut off at 4 sigma would be more than the 4095"));
            }
        const auto refuses = [](const Gaussian &gaussian, const std::string &part) {
            check_refused(Status::invalid_argument,
                          {"along x, and taps cut off at", "2047 is the largest", part},
                          [&] { Filter::gaussian(gaussian); });
        };
        refuses(gaussian_of(600.0, 0.3), "refuses it too: sigma is 0.3 along y");
        refuses(gaussian_of(10001.0, 3.0), "refuses it too: sigma is 10001 along x");
        Gaussian gaussian = gaussian_of(600.0, 3.0);
        gaussian.accuracy = 1e-12;
        refuses(gaussian, "refuses it too: the accuracy is 1e-12");
        gaussian.truncate = 5.0;
        refuses(gaussian, "takes another truncate only where it is asked for by name");
        gaussian.method = gz::GaussianMethod::fir;
        check_refused(Status::invalid_argument, {"sigma is 600 along x", "radius of 3000"},
                      [&] { Filter::gaussian(gaussian); });
        Gaussian along_t = gaussian_of(600.0, 0.0);
        along_t.sigma[3] = 1.0;
        check_refused(Status::unsupported, {"sigma is 600 along x", "sigma is 1 along t"},
                      [&] { Filter::gaussian(along_t); });
    }

    TEST_CASE("other filters stay as they are, and differences are settled by their parts") {
        const auto settled = [](const Filter &filter) {
            return gz::settle(filter, {DeviceClass::other_gpu, ""});
        };
        Gaussian gaussian = gaussian_of(20.0, 20.0);
        gaussian.method = gz::GaussianMethod::fir;
        CHECK(settled(Filter::gaussian(gaussian)).filter.is<gz::Correlate>());
        CHECK(settled(Filter::gaussian(gaussian)).reasons.empty());
        const Filter large = Filter::gaussian(gaussian_of(20.0, 20.0));
        CHECK(settled(large.with_component(1, large)).filter.is<gz::Correlate>());
        CHECK(settled(Filter::box({{2, 2, 0, 0}, 1})).filter.is<gz::Box>());
        const Settled difference = settled(Filter::dog(1.0, 20.0));
        REQUIRE(difference.filter.is<gz::Difference>());
        CHECK(difference.filter.get<gz::Difference>().first().is<gz::Correlate>());
        CHECK(difference.filter.get<gz::Difference>().second().is<gz::Recursion>());
        CHECK(has(difference, "method: fir, for sigma 1 is up to"));
        CHECK(has(difference, "method: recursive, for sigma 20 is above"));
    }

    TEST_CASE(
        "both filters of a difference are run at once, unless what is forced cannot do that") {
        gz::PlanDesc desc;
        desc.source = desc.target = support::make_image(gz::PixelType::f32, {640, 480, 1, 1});
        desc = gz::complete(desc);
        const gz::DeviceFacts facts = support::make_facts(DeviceClass::other_gpu);
        const auto chain_of = [&](gz::GaussianMethod method, const std::string &forced) {
            const gz::Graph graph = gz::lower(Filter::dog(5.0, 8.0, method), desc);
            const gz::Chain *const chain =
                gz::forced_chain(graph.links.at(0), graph.links, gz::Forced(forced), facts);
            return chain ? chain->name == gz::filter_by_filter ? "each" : "both" : "any";
        };
        const auto recursive = [&](const std::string &forced) -> std::string {
            return chain_of(gz::GaussianMethod::recursive, forced);
        };
        CHECK(recursive("") == "any");
        CHECK(recursive("axes") == "any");
        for (const char *forced : {"recursive_tiled:LANES=4", "recursive_plain",
                                   "recursive_tiled; recursive_march", "; recursive_march"})
            CHECK(recursive(forced) == "both");
        for (const char *forced : {"filters", "recursive_lookback", "recursive_segments", ";;;;"})
            CHECK(recursive(forced) == "each");
        const auto boxes = [&](const std::string &forced) -> std::string {
            return chain_of(gz::GaussianMethod::box, forced);
        };
        for (const char *forced : {"box_columns", ";;;;;"})
            CHECK(boxes(forced) == "both");
        for (const char *forced : {"filters", ";;;;;;"})
            CHECK(boxes(forced) == "each");
        // "filters" is not a kernel's name.
        CHECK(gz::settle(Filter::dog(20.0, 30.0), {DeviceClass::other_gpu, "filters"})
                  .filter.get<gz::Difference>()
                  .first()
                  .is<gz::Recursion>());
    }

    TEST_CASE("on no device a problem has a candidate that results cannot name") {
        gz::PlanDesc desc;
        desc.source = desc.target = support::make_image(gz::PixelType::f32, {640, 480, 1, 1});
        desc = gz::complete(desc);
        for (const DeviceClass device : {DeviceClass::pocl_cpu, DeviceClass::nvidia_gpu,
                                         DeviceClass::amd_gpu, DeviceClass::other_gpu}) {
            const gz::DeviceFacts facts = support::make_facts(device);
            for (const Filter &filter :
                 {Filter::dog(5.0, 8.0, gz::GaussianMethod::box),
                  Filter::dog(5.0, 8.0, gz::GaussianMethod::recursive),
                  Filter::box({{5, 5, 0, 0}, 3}), Filter::box({{50, 50, 0, 0}, 3})}) {
                const gz::Graph graph = gz::lower(filter, desc);
                const auto links = gz::problem_links(graph.links, facts);
                CHECK_FALSE(links.empty());
                for (const gz::Link *link : links)
                    for (const std::string &candidate : gz::candidates(*link, facts)) {
                        CAPTURE(gz::problem_of(*link));
                        CHECK_FALSE(candidate.substr(0, candidate.find(':')).empty());
                    }
            }
        }
    }

    TEST_CASE("a plan runs the method that was settled on, and says so") {
        gz::PlanDesc desc;
        desc.source = desc.target = support::make_image(gz::PixelType::f32, {40, 30, 1, 1});
        const auto plan = [&](double sigma, const gz::Border &border) {
            gz::PlanDesc own = desc;
            own.border = border;
            return gz::Plan(support::engine(), Filter::gaussian(gaussian_of(sigma, sigma)), own,
                            "");
        };
        const gz::Plan large = plan(12.0, {});
        CHECK(large.filter().is<gz::Recursion>());
        CHECK(large.explain().find("method: recursive, for sigma 12 is above") !=
              std::string::npos);
        CHECK(large.explain().find("grouping: automatic; ") != std::string::npos);
        CHECK(large.variant().find("recursive_") == 0);
        CHECK(plan(1.0, {}).filter().is<gz::Correlate>());
        // Refusals do not depend on the method.
        for (const double sigma : {1.0, 12.0, 600.0})
            support::check_refused(gz::Status::invalid_argument, {"border zero"}, [&] {
                plan(sigma, {gz::BorderMode::zero, 0.0});
            });
    }
}
