// Every kernel of filters of a pixel and the mean of those around it, and whole filters, against the reference in
// double with the filter's bound.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "families/family.hpp"
#include "families/local/kernels.hpp"
#include "families/reference.hpp"
#include "plan/plan.hpp"
#include "plan/verify.hpp"
#include "support/correlate_case.hpp"
#include "support/pairwise.hpp"
#include "support/passes.hpp"
#include "support/under_test.hpp"
#include "support/unit.hpp"

namespace {

using namespace gz;
using namespace support;

constexpr LocalResult all_results[] = {LocalResult::unsharp, LocalResult::high_pass,
                                       LocalResult::variance, LocalResult::deviation,
                                       LocalResult::normalized};

Filter local(LocalResult result, const Filter &mean, double amount = 0.75, double threshold = 0.125,
             double epsilon = 0.5) {
    Local filter{result, {mean}};
    filter.amount = amount;
    filter.threshold = threshold;
    filter.epsilon = epsilon;
    return Filter::local(filter);
}

Filter gaussian(double sigma, GaussianMethod method = GaussianMethod::fir, double sigma_z = 0.0) {
    Gaussian result{{sigma, sigma, sigma_z, 0.0}};
    result.method = method;
    return Filter::gaussian(result);
}

struct LocalCase : ImageCase {
    Filter filter = local(LocalResult::unsharp, gaussian(1.0));
    std::string variant;
};

std::string run(const LocalCase &test, Tally &tally) {
    std::minstd_rand random(5);
    const PlanDesc desc = make_plan_desc(test);
    const std::vector<std::byte> source = make_source(desc, random);
    return run_and_compare(test.filter, desc, test.variant, source, random, tally,
                           [&](const ReferenceJob &job) -> BoundOf {
                               const double bound = job.filter.error_bound(largest_magnitude(job));
                               return [=](double exact) {
                                   return bound +
                                          storing_error(desc.target.type, std::abs(exact) + bound);
                               };
                           });
}

void run_all(const std::vector<LocalCase> &cases) {
    Tally tally;
    for (const LocalCase &test : cases) {
        INFO(test.variant, " ", test.name(), " ", gz::to_text(test.filter));
        CHECK(run(test, tally) == "");
    }
    CHECK((tally.ran > 0 || support::is_shared()));
    MESSAGE(tally.ran, " cases on ", engine()->facts().name, ", ", tally.misfits,
            " that do not fit it, worst ", tally.worst, " of the bound");
}

// The same, and the bits of the steps that a fused kernel stands for.
std::string run_fused(const LocalCase &test, Tally &tally) {
    std::minstd_rand random(5);
    const PlanDesc desc = make_plan_desc(test);
    const std::vector<std::byte> source = make_source(desc, random);
    const std::vector<std::byte> before = make_target(desc, random);
    const std::vector<std::byte> got = run_forced(test.filter, desc, test.variant, source, before);
    if (got.empty()) {
        ++tally.misfits;
        return "";
    }
    const std::vector<std::byte> steps =
        run_forced(test.filter, desc, gz::step_by_step, source, before);
    if (const std::string where = first_difference(steps, got, desc); !where.empty())
        return where;
    return run(test, tally);
}

void run_all_fused(const std::vector<LocalCase> &cases) {
    Tally tally;
    for (const LocalCase &test : cases) {
        INFO(test.variant, " ", test.name(), " ", gz::to_text(test.filter));
        CHECK(run_fused(test, tally) == "");
    }
    CHECK((tally.ran > 0 || support::is_shared()));
    MESSAGE(tally.ran, " cases on ", engine()->facts().name, ", ", tally.misfits,
            " that do not fit it, worst ", tally.worst, " of the bound");
}

std::vector<std::string> kernels() {
    std::vector<std::string> names = support::kernels_under_test<LocalPass>();
    for (const std::string &name : support::kernels_under_test<SquarePass>())
        names.push_back(name);
    return names;
}

const gz::Kernel &spec_of(const std::string &kernel) {
    const std::vector<gz::Kernel> &all = local_kernels();
    return *std::find_if(all.begin(), all.end(),
                         [&](const gz::Kernel &own) { return own.name == kernel; });
}

// Pixels that are no floats are stored as such first. The mean is one step, and so is that of squares.
std::vector<LocalCase> pairwise_cases_of(const std::string &kernel, const Limits &limits) {
    const gz::Kernel &spec = spec_of(kernel);
    const bool is_square = spec.takes(SquarePass());
    const std::vector<std::pair<int, int>> sizes = pairwise_sizes(limits);
    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    counts.push_back(is_square ? 3 : 5);
    append_counts(counts, spec.tunables);
    std::vector<LocalCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        LocalCase test;
        static_cast<ImageCase &>(test) = image_of(row, sizes);
        const LocalResult result = all_results[row[image] + (is_square ? 2 : 0)];
        test.filter = local(result, gaussian(0.7));
        const std::string own =
            kernel + ":" + gz::to_text(config_of(spec.tunables, row, image + 1));
        test.variant = test.src_type == PixelType::f32 ? "; " : "; ; ";
        if (is_square)
            test.variant += own + "; ; ";
        else
            test.variant += (test.filter.get<Local>().has_squares() ? "; ; " : "") + own;
        cases.push_back(test);
    }
    return cases;
}

// Means of each bucket of taps, with and without the same number along both axes.
std::vector<LocalCase> fused_cases_of(const std::string &kernel, const Limits &limits) {
    const gz::Kernel &spec = spec_of(kernel);
    gz::AxisTaps lopsided;
    lopsided.values[0] = {0.5, 0.25, 0.25};
    lopsided.values[1] = {0.25, 0.25, 0.125, 0.125, 0.125, 0.125};
    lopsided.anchor = gz::Axes{0, 4, 0, 0};
    const std::vector<Filter> means{gaussian(0.5),
                                    gaussian(1.0),
                                    gaussian(2.0),
                                    gaussian(3.5),
                                    Filter::box({{3, 0, 0, 0}, 1}),
                                    Filter::box({{1, 2, 0, 0}, 1}),
                                    Filter::separable(lopsided)};
    const std::vector<std::pair<int, int>> sizes = pairwise_sizes(limits);
    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    counts.insert(counts.end(), {static_cast<int>(means.size()), 5});
    append_counts(counts, spec.tunables);
    std::vector<LocalCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        LocalCase test;
        static_cast<ImageCase &>(test) = image_of(row, sizes);
        test.filter =
            local(all_results[row[image + 1]], means[static_cast<std::size_t>(row[image])]);
        test.variant = kernel + ":" + gz::to_text(config_of(spec.tunables, row, image + 2));
        cases.push_back(test);
    }
    return cases;
}

std::vector<LocalCase> whole_cases() {
    const std::vector<std::pair<int, int>> sizes{{1, 1}, {37, 1}, {2, 9}, {40, 31}};
    const std::vector<Filter> means{gaussian(1.5),
                                    gaussian(2.0, GaussianMethod::recursive),
                                    gaussian(1.0, GaussianMethod::fir, 0.8),
                                    Filter::box({{2, 3, 0, 0}, 1}),
                                    Filter::box({{1, 1, 2, 0}, 2}),
                                    gaussian(8.0, GaussianMethod::recursive)};
    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    counts.insert(counts.end(), {static_cast<int>(means.size()), 5});
    std::vector<LocalCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        LocalCase test;
        static_cast<ImageCase &>(test) = image_of(row, sizes);
        test.filter =
            local(all_results[row[image + 1]], means[static_cast<std::size_t>(row[image])]);
        if (test.slices > 1)
            test.slices = 4;
        cases.push_back(test);
    }
    return cases;
}

// A row of floats filtered by a plan of its own.
std::vector<float> filtered(const Filter &filter, const std::vector<float> &row) {
    return support::filtered(filter, row, {static_cast<std::int64_t>(row.size()), 1, 1, 1});
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("local kernels: pairwise") {
        for (const std::string &kernel : kernels())
            run_all(sample_of(pairwise_cases_of(kernel, {})));
        for (const std::string &kernel : support::kernels_under_test<FusedLocalPass>())
            run_all_fused(sample_of(fused_cases_of(kernel, {})));
    }
}

TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("local kernels: small") {
        for (const std::string &kernel : kernels())
            run_all(sample_of(pairwise_cases_of(kernel, {40, 40})));
        for (const std::string &kernel : support::kernels_under_test<FusedLocalPass>())
            run_all_fused(sample_of(fused_cases_of(kernel, {40, 40})));
    }
}

TEST_SUITE("local") {
    TEST_CASE("local: whole filters, of images and volumes, are within their bounds") {
        run_all(sample_of(whole_cases()));
    }

    TEST_CASE("local: by hand") {
        using Row = std::vector<float>;
        const Row row{3, 3, 3, 9, 3, 3, 0, 3};
        const Filter three = Filter::box({{1, 0, 0, 0}, 1});
        // Means of three: 3 3 5 5 5 2 2 2; of squares: 9 9 33 33 33 6 6 6.
        CHECK(filtered(local(LocalResult::high_pass, three), row) ==
              Row{0, 0, -2, 4, -2, 1, -2, 1});
        CHECK(filtered(local(LocalResult::unsharp, three, 0.5, 0.0), row) ==
              Row{3, 3, 2, 11, 2, 3.5F, -1, 3.5F});
        CHECK(filtered(local(LocalResult::unsharp, three, 0.5, 1.0), row) ==
              Row{3, 3, 2, 11, 2, 3, -1, 3});
        CHECK(filtered(local(LocalResult::unsharp, three, -1.0, 2.0), row) ==
              Row{3, 3, 3, 5, 3, 3, 0, 3});
        const Row variance = filtered(local(LocalResult::variance, three), row);
        const Row deviation = filtered(local(LocalResult::deviation, three), row);
        const Row normalized = filtered(local(LocalResult::normalized, three, 0, 0, 2.0), row);
        const double expected[] = {0, 0, 8, 8, 8, 2, 2, 2};
        const double difference[] = {0, 0, -2, 4, -2, 1, -2, 1};
        for (std::size_t i = 0; i < row.size(); ++i) {
            CHECK(std::abs(static_cast<double>(variance[i]) - expected[i]) < 2e-5);
            CHECK(std::abs(static_cast<double>(deviation[i]) - std::sqrt(expected[i])) <
                  (expected[i] > 0 ? 1e-5 : 5e-3));
            CHECK(std::abs(static_cast<double>(normalized[i]) -
                           difference[i] / std::max(std::sqrt(expected[i]), 2.0)) < 1e-5);
        }
    }

    TEST_CASE("local: bad input is named") {
        constexpr Status invalid = Status::invalid_argument;
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        const Filter mean = gaussian(1.0);
        check_refused(invalid, {"the amount is nan"},
                      [&] { local(LocalResult::unsharp, mean, nan); });
        check_refused(invalid, {"the amount is inf"},
                      [&] { local(LocalResult::unsharp, mean, 1e300 * 1e300); });
        check_refused(invalid, {"the threshold is nan"},
                      [&] { local(LocalResult::unsharp, mean, 1.0, nan); });
        check_refused(invalid, {"the threshold is -1"},
                      [&] { local(LocalResult::unsharp, mean, 1.0, -1.0); });
        check_refused(invalid, {"epsilon is 0"},
                      [&] { local(LocalResult::normalized, mean, 0.0, 0.0, 0.0); });
        check_refused(invalid, {"epsilon is nan"},
                      [&] { local(LocalResult::normalized, mean, 0.0, 0.0, nan); });
    }
}
