// The stages of a line against the scans themselves, in double.
#include <algorithm>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "families/recursive/line_filter.hpp"
#include "support/difference.hpp"
#include "support/exact_scans.hpp"
#include "support/iir_designs.hpp"

using namespace gz;

namespace {

using Line = std::vector<double>;

// Runs the stages in double, as the kernels do.
Line run(const std::vector<LineStage> &stages, const Line &x, const Border &border = {}) {
    Line y = x;
    for (const LineStage &stage : stages) {
        const Line in = y;
        const std::size_t n = in.size();
        if (stage.has_taps()) {
            const auto length = static_cast<std::int64_t>(n);
            for (std::int64_t i = 0; i < length; ++i) {
                double sum = 0.0;
                for (std::size_t k = 0; k < stage.taps.size(); ++k) {
                    const std::int64_t at = fold(i + stage.first_tap + static_cast<std::int64_t>(k),
                                                 length, border.mode);
                    sum +=
                        stage.taps[k] * (at < 0 ? border.value : in[static_cast<std::size_t>(at)]);
                }
                y[static_cast<std::size_t>(i)] = sum;
            }
            continue;
        }
        const Line &line = stage.start_line == LineStage::StartLine::own ? in : x;
        const auto start = [&](std::size_t state) {
            if (stage.start_states.empty())
                return 0.0;
            const StartWeights &weights = stage.start_states[state];
            double sum = weights.constant;
            for (std::size_t i = 0; i < weights.near.size(); ++i)
                sum += weights.near[i] * line[i];
            for (std::size_t i = 0; i < weights.far.size(); ++i)
                sum += weights.far[i] * line[n - 1 - i];
            return sum;
        };
        std::size_t state = 0;
        for (std::size_t i = 0; i < n; ++i)
            y[i] = stage.direct * in[i];
        const auto filter = [&](const Section &section, bool forward) {
            std::array<double, 2> own{start(state), start(state + 1)};
            state += 2;
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t at = forward ? i : n - 1 - i;
                y[at] += added(section, own);
                step(section, own, in[at]);
            }
        };
        for (const Section &section : stage.causal)
            filter(section, true);
        for (const Section &section : stage.anticausal)
            filter(section, false);
    }
    return y;
}

// Returns the largest difference between a stage's weights of start states and those that its powers stand for, over the
// largest weight.
double difference_of_powers(const LineStage &stage, std::int64_t length) {
    double difference = 0.0;
    const auto n = static_cast<std::size_t>(length);
    std::size_t state = 0;
    const auto compare = [&](const Section &section) {
        const StartPowers &powers = stage.start_powers.at(state / 2);
        std::array<Line, 2> weights{Line(n, 0.0), Line(n, 0.0)};
        const auto add = [&](std::array<double, 2> own, std::size_t at) {
            for (std::size_t k = 0; k < 2; ++k)
                weights[k][at] += own[k];
        };
        add(powers.of_first, 0);
        add(powers.of_last, n - 1);
        for (const bool is_near : {true, false}) {
            std::array<double, 2> own = is_near ? powers.near : powers.far;
            for (std::size_t i = 1; i + 1 < n; ++i) {
                add(own, is_near ? i : n - 1 - i);
                step(section, own, 0.0);
            }
        }
        for (std::size_t k = 0; k < 2; ++k, ++state) {
            const StartWeights &table = stage.start_states[state];
            Line all(n, 0.0);
            for (std::size_t i = 0; i < table.near.size(); ++i)
                all[i] += table.near[i];
            for (std::size_t i = 0; i < table.far.size(); ++i)
                all[n - 1 - i] += table.far[i];
            double largest = 1e-3; // where weights cancel, they are nothing but rounding
            for (const double weight : all)
                largest = std::max(largest, std::abs(weight));
            for (std::size_t i = 0; i < n; ++i)
                difference = std::max(difference, std::abs(all[i] - weights[k][i]) / largest);
        }
    };
    std::for_each(stage.causal.begin(), stage.causal.end(), compare);
    std::for_each(stage.anticausal.begin(), stage.anticausal.end(), compare);
    return difference;
}

Line expected(const Recursion &recursion, const Border &border, const Line &x,
              std::int64_t padding) {
    return recursion.extended ? support::exact(recursion.scans, x, border, padding)
                              : support::exact(recursion.scans, x);
}

Line noise(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    Line line(n);
    for (double &value : line)
        value = std::uniform_real_distribution<double>(0.0, 1.0)(random);
    return line;
}

// Returns the feedback coefficients of these poles, and a feedforward one that makes constants stay.
Scan scan_of(const std::vector<std::complex<double>> &poles, bool forward) {
    std::vector<std::complex<double>> polynomial{1.0};
    for (const auto &pole : poles) {
        std::vector<std::complex<double>> next(polynomial.size() + 1, 0.0);
        for (std::size_t i = 0; i < polynomial.size(); ++i) {
            next[i] += polynomial[i];
            next[i + 1] -= polynomial[i] * pole;
        }
        polynomial = next;
    }
    Scan scan{0, forward, {0.0}, {}};
    for (std::size_t i = 0; i < polynomial.size(); ++i) {
        scan.feedforward[0] += polynomial[i].real();
        if (i > 0)
            scan.feedback.push_back(-polynomial[i].real());
    }
    return scan;
}

// Returns the largest difference, over the largest value.
double worst(const Line &found, const Line &expected) {
    double error = 0.0;
    double largest = 1.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        error = std::max(error, support::difference(found[i], expected[i]));
        largest = std::max(largest, std::abs(expected[i]));
    }
    return error / largest;
}

const std::vector<std::vector<Scan>> &chains() {
    using C = std::complex<double>;
    static const C a(0.7, 0.2), b(0.8, 0.1), c(-0.3, 0.5);
    static const std::vector<std::vector<Scan>> result{
        {scan_of({0.8}, true)},
        {scan_of({0.8}, false)},
        {scan_of({-0.6}, true), scan_of({-0.6}, false)},
        {scan_of({a, std::conj(a)}, true), scan_of({a, std::conj(a)}, false)},
        {scan_of({0.85, b, std::conj(b)}, true), scan_of({0.85, b, std::conj(b)}, false)},
        {scan_of({0.85, b, std::conj(b)}, false), scan_of({0.85, b, std::conj(b)}, true)},
        {scan_of({0.9}, true), scan_of({a, std::conj(a)}, true), scan_of({0.5}, true)},
        {scan_of({0.9, 0.6, c, std::conj(c)}, true), scan_of({0.3}, false)},
        // Poles that occur twice and three times.
        {scan_of({0.8}, true), scan_of({0.8}, true), scan_of({0.8}, false), scan_of({0.8}, false)},
        {scan_of({0.7, 0.7, 0.7}, true), scan_of({0.7, 0.7, 0.7}, false)},
        {scan_of({0.8}, true), scan_of({0.8}, false), scan_of({0.5}, true), scan_of({0.5}, false)},
        {{0, true, {0.3, 0.2}, {0.5}}, {0, false, {0.25, -0.1, 0.05}, {1.2, -0.4}}},
        // A scan that is only a factor, and one of feedback with a gap.
        {{0, true, {2.0}, {}}, {0, true, {0.4}, {0.0, 0.6}}},
        {scan_of({0.995}, true), scan_of({0.99, 0.98}, false)},
        // More zeros than poles, delays, and poles left of the imaginary axis.
        {{0, true, {0.3, -0.2, 0.1, 0.25, -0.4, 0.3}, {0.6}},
         {0, false, {0.3, 0.0, 0.1, 0.0, 0.7}, {0.5}}},
        {{0, true, {0.1, 0.2, 0.4, 0.2, 0.15}, {}}, {0, false, {0.0, 0.0, 0.5}, {0.2, 0.3}}},
        {{0, false, {0.0, 0.5}, {}}, {0, true, {2.0}, {}}, {0, true, {0.0, 0.0, 0.0, 1.0}, {-0.9}}},
        {scan_of({-0.9, -0.7}, true), scan_of({-0.95, 0.3}, false)},
    };
    return result;
}

constexpr std::size_t lengths[] = {1, 2, 3, 17, 64, 331};

} // namespace

TEST_SUITE("line filter") {
    TEST_CASE("a chain of scans that start from nothing") {
        for (std::size_t i = 0; i < chains().size(); ++i)
            for (const std::size_t n : lengths) {
                const Recursion recursion{chains()[i], {}, false};
                const Line x = noise(n, 1);
                const auto stages = line_stages(recursion, 0, {}, static_cast<std::int64_t>(n));
                CAPTURE(i);
                CAPTURE(n);
                CAPTURE(stages.size());
                CHECK(worst(run(stages, x, {BorderMode::constant, 0.0}),
                            expected(recursion, {}, x, 0)) < 1e-9);
            }
    }

    TEST_CASE("a chain of scans on the extended line") {
        for (const BorderMode mode : all_border_modes)
            for (std::size_t i = 0; i < chains().size(); ++i)
                for (const std::size_t n : lengths) {
                    const Recursion recursion{chains()[i], {}, true};
                    const Border border{mode, 0.7};
                    const Line x = noise(n, 2);
                    const auto stages =
                        line_stages(recursion, 0, border, static_cast<std::int64_t>(n));
                    CAPTURE(name_of(mode));
                    CAPTURE(i);
                    CAPTURE(n);
                    CAPTURE(stages.size());
                    CHECK(worst(run(stages, x, border), expected(recursion, border, x, 6000)) <
                          1e-8);
                    const LineStage &first = stages.front();
                    CHECK(first.start_powers.size() == first.start_states.size() / 2);
                    if (!first.start_powers.empty())
                        CHECK(difference_of_powers(first, static_cast<std::int64_t>(n)) < 1e-9);
                }
    }

    TEST_CASE("few stages") {
        const auto count = [](const std::vector<Scan> &scans, bool extended) {
            return line_stages({scans, {}, extended}, 0, {}, 1000).size();
        };
        // A pair of directions is one trip through memory.
        for (const bool extended : {false, true}) {
            CHECK(count(chains()[2], extended) == 1);
            CHECK(count(chains()[3], extended) == 1);
            CHECK(count(chains()[4], extended) == 1);
        }
        // Ten pairs of poles on an arc: added up, they would cancel in f32.
        std::vector<Scan> arc;
        for (int k = 0; k < 10; ++k)
            arc.push_back(scan_of(
                {std::polar(0.9, 0.05 + 0.03 * k), std::polar(0.9, -0.05 - 0.03 * k)}, true));
        const std::vector<LineStage> stages =
            line_stages({arc, {}, true}, 0, {BorderMode::clamp, 0.0}, 1000);
        CHECK((stages.size() > 1 || stages.front().precision == Precision::twice));
    }

    TEST_CASE("orders up to 20") {
        std::mt19937 random(3);
        for (int order = 1; order <= 20; ++order) {
            std::vector<std::complex<double>> poles;
            while (static_cast<int>(poles.size()) + 2 <= order) {
                const double modulus = std::uniform_real_distribution<double>(0.1, 0.9)(random);
                const double angle = std::uniform_real_distribution<double>(0.2, 3.0)(random);
                poles.push_back(std::polar(modulus, angle));
                poles.push_back(std::polar(modulus, -angle));
            }
            if (static_cast<int>(poles.size()) < order)
                poles.emplace_back(0.5);
            const Line x = noise(200, 4);
            for (const bool extended : {false, true}) {
                const Recursion recursion{
                    {scan_of(poles, true), scan_of(poles, false)}, {}, extended};
                const Border border{BorderMode::reflect};
                CAPTURE(order);
                CAPTURE(extended);
                const Border outside = extended ? border : Border{BorderMode::constant, 0.0};
                CHECK(worst(run(line_stages(recursion, 0, border, 200), x, outside),
                            expected(recursion, border, x, 1000)) < 1e-8);
            }
        }
    }
}
