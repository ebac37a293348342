// The field's own designs through the kernels that are chosen for them, against their recurrences in
// double-double.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "core/error.hpp"
#include "families/recursive/line_filter.hpp"
#include "families/recursive/recursive.hpp"
#include "support/difference.hpp"
#include "support/exact_scans.hpp"
#include "support/iir_designs.hpp"
#include "support/image_case.hpp"
#include "support/passes.hpp"
#include "support/random_scans.hpp"
#include "support/unit.hpp"

namespace {

using namespace gz;
using namespace support;

using Line = std::vector<double>;

struct Count {
    int tried = 0, unstable = 0, right = 0, wide = 0, passes = 0;
    double error = 0.0, of_bound = 0.0, of_expected = 0.0;
};

// Returns the inputs for which errors of filters are largest: an impulse, a step, samples of changing signs,
// the signs of the response backwards, noise, random signs, and a sine at the slowest pole.
std::vector<Line> inputs_for(const std::vector<Scan> &scans, std::size_t length) {
    std::vector<Line> inputs(7, Line(length, 0.0));
    inputs[0][length / 7] = 1.0;
    std::minstd_rand random(3);
    Line impulse(length, 0.0);
    impulse[0] = 1.0;
    const Line response = exact(scans, impulse);
    double angle = 0.3;
    double radius = 0.0;
    for (const Scan &scan : scans) {
        Polynomial a = transfer_function(scan).a;
        while (a.size() > 1 && a.back().high == 0.0)
            a.pop_back();
        const Roots poles = roots_of(a);
        for (const ComplexDoubleDouble &p : poles.upper)
            if (magnitude(p) > radius) {
                radius = magnitude(p);
                angle = std::atan2(p.im.high, p.re.high);
            }
    }
    for (std::size_t n = 0; n < length; ++n) {
        inputs[1][n] = n >= length / 9 ? 1.0 : 0.0;
        inputs[2][n] = n % 2 == 0 ? 1.0 : -1.0;
        inputs[3][n] = response[length - 1 - n] < 0.0 ? -1.0 : 1.0;
        inputs[4][n] =
            static_cast<float>(std::uniform_real_distribution<double>(-1.0, 1.0)(random));
        inputs[5][n] = random() % 2 == 0 ? 1.0 : -1.0;
        inputs[6][n] = static_cast<float>(std::sin(angle * static_cast<double>(n)));
    }
    return inputs;
}

// The inputs as rows, or as columns; the result likewise.
std::vector<Line> through_kernels(const Filter &filter, const std::vector<Line> &inputs, int axis,
                                  const Border &border) {
    const auto length = static_cast<std::int64_t>(inputs[0].size());
    const auto count = static_cast<std::int64_t>(inputs.size());
    const Axes extent = axis == 0 ? Axes{length, count, 1, 1} : Axes{count, length, 1, 1};
    ImageDesc like;
    like.type = PixelType::f32;
    like.channels = 1;
    PlanDesc desc;
    desc.source = desc.target = packed(like, extent, 1);
    desc.border = border;
    desc.region.extent = extent;
    std::vector<float> pixels(static_cast<std::size_t>(length * count));
    const auto at = [&](std::size_t line, std::size_t n) {
        return axis == 0 ? line * inputs[0].size() + n : n * inputs.size() + line;
    };
    for (std::size_t line = 0; line < inputs.size(); ++line)
        for (std::size_t n = 0; n < inputs[line].size(); ++n)
            pixels[at(line, n)] = static_cast<float>(inputs[line][n]);
    std::vector<std::byte> source(pixels.size() * sizeof(float));
    std::memcpy(source.data(), pixels.data(), source.size());
    const std::vector<std::byte> got = run_forced(filter, desc, "", source, source);
    REQUIRE(got.size() == source.size());
    std::memcpy(pixels.data(), got.data(), got.size());
    std::vector<Line> results = inputs;
    for (std::size_t line = 0; line < inputs.size(); ++line)
        for (std::size_t n = 0; n < inputs[line].size(); ++n)
            results[line][n] = pixels[at(line, n)];
    return results;
}

enum class Ways { forwards, backwards, both };

void check_designs(const std::vector<Design> &designs, std::size_t usual_stride, Ways ways,
                   BorderMode mode, int axis, std::size_t length = 2000) {
    std::map<std::string, Count> families;
    const std::size_t stride = wants_all_designs() ? 1 : usual_stride;
    for (std::size_t i = 0; i < designs.size(); i += stride) {
        const Design &design = designs[i];
        std::vector<Scan> scans = to_scans(design, axis, ways != Ways::backwards);
        INFO(design.family, " of order ", design.order, ", ", design.cutoff);
        Count &count = families[design.family];
        ++count.tried;
        if (!std::all_of(scans.begin(), scans.end(),
                         [](const Scan &scan) { return is_stable(transfer_function(scan).a); })) {
            ++count.unstable;
            CHECK_THROWS_AS(Filter::recursive(scans, {}), Error);
            continue;
        }
        const std::vector<Line> inputs = inputs_for(to_scans(design), length);
        if (ways == Ways::both) {
            const std::vector<Scan> back = to_scans(design, axis, false);
            scans.insert(scans.end(), back.begin(), back.end());
        }
        const Filter filter = Filter::recursive(scans, {});
        const Border border{mode, 0.25};
        const std::vector<Line> results = through_kernels(filter, inputs, axis, border);
        Recursion recursion = filter.get<gz::Recursion>();
        recursion.extended = mode != BorderMode::zero;
        Rounding rounding{0.0, 0.0, 1.0};
        for (const StagePlan &plan :
             line_plans(recursion, axis, static_cast<std::int64_t>(length))) {
            rounding.bound += plan.rounding.bound;
            rounding.expected += plan.rounding.expected;
            rounding.gain *= plan.rounding.gain;
            count.passes += static_cast<int>(plan.stages.size());
            for (const LineStage &stage : plan.stages)
                count.wide += stage.precision == Precision::twice ? 1 : 0;
        }
        double error = 0.0;
        for (std::size_t line = 0; line < inputs.size(); ++line) {
            const Line expected =
                mode == BorderMode::zero
                    ? exact(scans, inputs[line])
                    : exact(scans, inputs[line], border, static_cast<std::int64_t>(16 * length));
            error = std::max(error, largest_difference(results[line], expected));
        }
        error /= rounding.gain;
        CHECK(error <= rounding.bound);
        CHECK(error <= 2e-6);
        count.right += error <= 2e-6 ? 1 : 0;
        count.error = std::max(count.error, error);
        count.of_bound = std::max(count.of_bound, error / rounding.bound);
        count.of_expected = std::max(count.of_expected, error / rounding.expected);
    }
    for (const auto &[family, count] : families)
        MESSAGE(family << ": " << count.tried << " tried, " << count.right << " right, "
                       << count.unstable << " unstable as written; "
                       << static_cast<double>(count.passes) /
                              std::max(1, count.tried - count.unstable)
                       << " passes, " << count.wide << " in wider states; error " << count.error
                       << ", " << count.of_bound << " of its bound, " << count.of_expected
                       << " of what is expected");
}

// Filters that are accepted meet the bounds that they state.
void check_random(std::uint32_t seed, int count, std::size_t length) {
    std::minstd_rand random(seed);
    int accepted = 0;
    double of_bound = 0.0;
    for (int i = 0; i < count; ++i) {
        const int axis = i % 2;
        const std::vector<Scan> scans = random_scans(random, axis, i % 3 != 0);
        CAPTURE(i);
        std::optional<Filter> filter;
        try {
            filter = Filter::recursive(scans, {});
            rounding_of(filter->get<Recursion>());
        } catch (const Error &) {
            continue;
        }
        ++accepted;
        const std::vector<Scan> &taken = filter->get<Recursion>().scans;
        const std::vector<Line> inputs = inputs_for(taken, length);
        const Border border{BorderMode::zero, 0.0};
        const std::vector<Line> results = through_kernels(*filter, inputs, axis, border);
        const double bound = filter->error_bound(1.0);
        for (std::size_t line = 0; line < inputs.size(); ++line) {
            const double error = largest_difference(results[line], exact(taken, inputs[line]));
            CHECK(error <= bound);
            if (bound > 0.0)
                of_bound = std::max(of_bound, error / bound);
        }
    }
    MESSAGE(accepted << " of " << count << " accepted; worst error over bound " << of_bound);
    CHECK(accepted > count / 3);
}

} // namespace

TEST_SUITE("designs") {
    TEST_CASE("coefficients that nobody designed") {
        check_random(5, wants_all_designs() ? 1000 : 24, 1500);
    }

    TEST_CASE("designs as b and a along rows") {
        check_designs(families(), 41, Ways::forwards, BorderMode::zero, 0);
    }
    TEST_CASE("designs as b and a up columns") {
        check_designs(families(), 83, Ways::backwards, BorderMode::zero, 1);
    }
    TEST_CASE("multiple poles, notches, excess zeros and delays") {
        check_designs(others(), 23, Ways::forwards, BorderMode::zero, 0);
    }
    TEST_CASE("designs as sections") {
        check_designs(sections(), 29, Ways::forwards, BorderMode::zero, 0);
    }
    TEST_CASE("designs there and back from nothing") {
        check_designs(families(), 97, Ways::both, BorderMode::zero, 0);
        check_designs(sections(), 61, Ways::both, BorderMode::zero, 1);
    }
    TEST_CASE("designs there and back on extended lines") {
        std::size_t turn = 0;
        for (const BorderMode mode : all_border_modes) {
            std::vector<Design> some;
            const std::vector<Design> all = families();
            // Takes designs that fade within the padding of the exact results.
            for (std::size_t i = turn; i < all.size(); i += std::size(all_border_modes))
                if (all[i].cutoff >= 0.1 && all[i].order <= 6)
                    some.push_back(all[i]);
            check_designs(some, 47, Ways::both, mode, static_cast<int>(turn % 2), 700);
            ++turn;
        }
    }
    TEST_CASE("poles next to the circle") {
        check_designs(distances(), 6, Ways::forwards, BorderMode::zero, 0, 30000);
    }
}
