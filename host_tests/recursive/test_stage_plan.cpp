// Stages of the field's own designs: their number, their exactness, and the refused designs.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "core/error.hpp"
#include "families/filter.hpp"
#include "families/recursive/stage_plan.hpp"
#include "support/difference.hpp"
#include "support/exact_scans.hpp"
#include "support/iir_designs.hpp"
#include "support/random_scans.hpp"

using namespace gz;

namespace {

using Line = std::vector<double>;

std::size_t stride(std::size_t usual) {
    return support::wants_all_designs() ? 1 : usual;
}

// A line that is 0 outside, through the stages in numbers of a type, sample by sample.
template <class Number> Line run(const std::vector<LineStage> &stages, const Line &line) {
    std::vector<Number> x(line.begin(), line.end());
    for (const LineStage &stage : stages) {
        const auto n = static_cast<std::int64_t>(x.size());
        std::vector<Number> y(x.size(), Number(0));
        for (std::int64_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < stage.taps.size(); ++k) {
                const std::int64_t at = i + stage.first_tap + static_cast<std::int64_t>(k);
                if (at >= 0 && at < n)
                    y[static_cast<std::size_t>(i)] +=
                        static_cast<Number>(stage.taps[k]) * x[static_cast<std::size_t>(at)];
            }
        for (std::size_t i = 0; i < x.size(); ++i)
            y[i] += static_cast<Number>(stage.direct) * x[i];
        const auto filter = [&](const Section &section, bool forward) {
            const auto sign = static_cast<Number>(section.sign);
            const auto rest = static_cast<Number>(section.sign * section.rest);
            const auto decay = static_cast<Number>(section.sign * section.decay);
            const auto w_weight = static_cast<Number>(section.w_weight);
            const auto v_weight = static_cast<Number>(section.v_weight);
            Number w(0), v(0);
            for (std::size_t i = 0; i < x.size(); ++i) {
                const std::size_t at = forward ? i : x.size() - 1 - i;
                y[at] += w_weight * w + v_weight * v;
                v = decay * v + (x[at] - rest * w);
                w = sign * w + v;
            }
        };
        for (const Section &section : stage.causal)
            filter(section, true);
        for (const Section &section : stage.anticausal)
            filter(section, false);
        x = std::move(y);
    }
    return {x.begin(), x.end()};
}

Line noise(std::size_t count) {
    std::minstd_rand random(7);
    Line line(count);
    for (double &value : line)
        value = static_cast<float>(std::uniform_real_distribution<double>(-1.0, 1.0)(random));
    return line;
}

// "b/b/b,a,a ..." as the command reads it.
std::string to_text(const std::vector<Scan> &scans) {
    std::ostringstream text;
    text << std::setprecision(17);
    for (const Scan &scan : scans) {
        text << (scan.forward ? "+x:" : "-x:");
        for (std::size_t i = 0; i < scan.feedforward.size(); ++i)
            text << (i > 0 ? "/" : "") << scan.feedforward[i];
        for (const double a : scan.feedback)
            text << ',' << a;
        text << ' ';
    }
    return text.str();
}

bool is_stable_as_written(const std::vector<Scan> &scans) {
    return std::all_of(scans.begin(), scans.end(),
                       [](const Scan &scan) { return is_stable(transfer_function(scan).a); });
}

struct Count {
    int tried = 0, unstable = 0, wide = 0, stages = 0;
    double disagreement = 0.0, error = 0.0, bound = 0.0;
};

void check_designs(const std::vector<support::Design> &designs, std::size_t usual_stride) {
    std::map<std::string, Count> families;
    for (std::size_t i = 0; i < designs.size(); i += stride(usual_stride)) {
        const support::Design &design = designs[i];
        const std::vector<Scan> scans = support::to_scans(design);
        CAPTURE(design.family);
        CAPTURE(design.order);
        CAPTURE(design.cutoff);
        Count &count = families[design.family];
        ++count.tried;
        if (!is_stable_as_written(scans)) {
            ++count.unstable;
            CHECK_THROWS_AS(Filter::recursive(scans, {}), Error);
            continue;
        }
        const auto plan = stage_plan({scans, {}}, {});
        REQUIRE(plan);
        CHECK(plan->disagreement <= most_disagreement);
        CHECK(plan->rounding.expected <= 3e-6);
        CHECK(plan->rounding.bound <= 5e-5);
        CHECK(plan->rounding.bound >= plan->rounding.expected);
        const Line x = noise(400);
        const double error =
            support::largest_difference(run<double>(plan->stages, x), support::exact(scans, x)) /
            plan->rounding.gain;
        CHECK(error <= 1e-8);
        count.wide += plan->stages.front().precision == Precision::twice;
        count.stages += static_cast<int>(plan->stages.size());
        count.disagreement = std::max(count.disagreement, plan->disagreement);
        count.error = std::max(count.error, error);
        count.bound = std::max(count.bound, plan->rounding.bound);
    }
    for (const auto &[family, count] : families)
        MESSAGE(family << ": " << count.tried << " tried, " << count.unstable
                       << " unstable as written, " << count.wide << " in wider states, "
                       << count.stages << " stages, response off by " << count.disagreement
                       << ", results in double by " << count.error << ", bound " << count.bound);
}

// Both directions at once on a line that is long on either side.
void check_both_ways(const std::vector<support::Design> &designs, std::size_t usual_stride) {
    std::size_t several = 0;
    std::size_t tried = 0;
    for (std::size_t i = 0; i < designs.size(); i += stride(usual_stride)) {
        const support::Design &design = designs[i];
        const std::vector<Scan> scans = support::to_scans(design);
        if (!is_stable_as_written(scans))
            continue;
        CAPTURE(design.family);
        CAPTURE(design.order);
        CAPTURE(design.cutoff);
        const auto plan = stage_plan({scans, scans}, {});
        REQUIRE(plan);
        CHECK(plan->disagreement <= most_disagreement);
        CHECK(plan->rounding.expected <= 3e-6);
        ++tried;
        several += plan->stages.size() > 1 ? 1U : 0U;
    }
    CHECK(tried > 0);
    MESSAGE(several << " of " << tried << " take more than one stage");
}

} // namespace

TEST_SUITE("stage plan") {
    TEST_CASE("the field's designs as b and a") {
        check_designs(support::families(), 9);
    }
    TEST_CASE("multiple poles, notches, excess zeros, delays") {
        check_designs(support::others(), 7);
    }
    TEST_CASE("second-order sections") {
        check_designs(support::sections(), 5);
    }
    TEST_CASE("poles next to the circle") {
        check_designs(support::distances(), 1);
    }
    TEST_CASE("zero phase") {
        check_both_ways(support::families(), 37);
        check_both_ways(support::sections(), 17);
    }

    TEST_CASE("coefficients that nobody designed are refused, or meet their bound") {
        std::minstd_rand random(11);
        std::map<std::string, int> refusals;
        int accepted = 0;
        double worst = 0.0;
        const int count = support::wants_all_designs() ? 20000 : 250;
        std::vector<Line> inputs(3, Line(300, 0.0));
        inputs[0][0] = 1.0;
        inputs[1] = Line(300, 1.0);
        inputs[2] = noise(300);
        for (int i = 0; i < count; ++i) {
            const std::vector<Scan> scans = support::random_scans(random);
            CAPTURE(i);
            CAPTURE(to_text(scans));
            try {
                const Filter filter = Filter::recursive(scans, {});
                const auto plan = stage_plan({filter.get<gz::Recursion>().scans, {}}, {});
                REQUIRE(plan);
                CHECK(plan->disagreement <= most_disagreement);
                ++accepted;
                const bool is_single = plan->stages.front().precision == Precision::single;
                const double bound =
                    is_single ? filter.error_bound(1.0) : 1e-8 * plan->rounding.gain + 1e-280;
                for (const Line &x : inputs) {
                    const Line expected = support::exact(filter.get<gz::Recursion>().scans, x);
                    const double error = support::largest_difference(
                        is_single ? run<float>(plan->stages, x) : run<double>(plan->stages, x),
                        expected);
                    CHECK(error <= bound);
                    worst = std::max(worst, error / bound);
                }
            } catch (const Error &error) {
                ++refusals[std::string(error.what()).substr(0, 60)];
            }
        }
        MESSAGE(accepted << " of " << count << " accepted; worst error over bound " << worst);
        for (const auto &[text, times] : refusals)
            MESSAGE(times << " times: " << text);
        CHECK(accepted > count / 4);
    }

    TEST_CASE("a bound that is asked for") {
        const std::vector<Scan> scans = support::to_scans(
            {"butterworth",
             4,
             0.1,
             {support::to_coefficients(
                 support::design(support::Prototype::butterworth, support::Band::low, 4, {0.1}))}});
        for (const double bound : {1e-4, 1e-5, 1e-6, 3e-7}) {
            Wanted wanted;
            wanted.bound = bound;
            const auto plan = stage_plan({scans, {}}, wanted);
            REQUIRE(plan);
            CHECK(plan->rounding.bound <= bound);
        }
        Wanted too_much;
        too_much.bound = 1e-9;
        CHECK_THROWS_AS(stage_plan({scans, {}}, too_much), Error);
    }

    TEST_CASE("plans are kept") {
        const std::vector<Scan> scans{{0, true, {0.3, 0.1}, {0.5, 0.1}}};
        CHECK(stage_plan({scans, {}}, {}) == stage_plan({scans, {}}, {}));
        CHECK(stage_plan({scans, {}}, {}) != stage_plan({{}, scans}, {}));
    }

    TEST_CASE("what f32 cannot hold has no bound") {
        const Filter filter = Filter::recursive({{0, true, {1.0}, {0.9}}}, {});
        CHECK(std::isfinite(filter.error_bound(1.0)));
        CHECK(std::isinf(filter.error_bound(3e38)));
        // The error of numbers below the smallest does not depend on the largest.
        CHECK(filter.error_bound(1e-42) > 1e-39);
        CHECK(std::isinf(Filter::recursive({{0, true, {1.0}, {1.0}}}, {"", 0, Feedback::unchecked})
                             .error_bound(1.0)));
    }
}
