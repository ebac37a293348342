// Chains of scans at random against plain loops over each line, and groupings of one chain against
// one another, on every kernel.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "families/family.hpp"
#include "families/recursive/recursive.hpp"
#include "families/reference.hpp"
#include "support/difference.hpp"
#include "support/image_case.hpp"
#include "support/passes.hpp"

namespace {

using namespace gz;
using namespace support;

// A scan of these poles, conjugates both, that leaves constants as they are.
Scan scan_of(const std::vector<std::complex<double>> &poles, int axis, bool forward) {
    std::vector<std::complex<double>> terms{1.0};
    for (const auto &pole : poles) {
        terms.emplace_back(0.0);
        for (std::size_t i = terms.size(); --i > 0;)
            terms[i] -= terms[i - 1] * pole;
    }
    Scan scan{axis, forward, {0.0}, {}};
    for (const auto &term : terms)
        scan.feedforward[0] += term.real();
    for (std::size_t i = 1; i < terms.size(); ++i)
        scan.feedback.push_back(-terms[i].real());
    return scan;
}

// An image as it is filtered by plain loops.
struct Plain {
    Axes extent;
    std::vector<long double> values;

    // Calls change(line) for each line along an axis.
    template <class Change> void for_each_line(std::size_t axis, Change &&change) {
        const std::int64_t steps[] = {1, extent[0], extent[0] * extent[1]};
        const std::int64_t n = extent[axis];
        std::vector<long double> line(static_cast<std::size_t>(n));
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(values.size()); ++i) {
            if (i / steps[axis] % n != 0)
                continue; // not the first of its line
            const auto at = [&](std::size_t k) -> long double & {
                return values[static_cast<std::size_t>(i +
                                                       static_cast<std::int64_t>(k) * steps[axis])];
            };
            for (std::size_t k = 0; k < line.size(); ++k)
                line[k] = at(k);
            change(line);
            for (std::size_t k = 0; k < line.size(); ++k)
                at(k) = line[k];
        }
    }
};

void run_scan(const Scan &scan, std::vector<long double> &line) {
    if (!scan.forward)
        std::reverse(line.begin(), line.end());
    std::vector<long double> y(line.size(), 0.0L);
    for (std::size_t n = 0; n < y.size(); ++n) {
        for (std::size_t i = 0; i < scan.feedforward.size() && i <= n; ++i)
            y[n] += scan.feedforward[i] * line[n - i];
        for (std::size_t i = 0; i < scan.feedback.size() && i < n; ++i)
            y[n] += scan.feedback[i] * y[n - 1 - i];
    }
    line = std::move(y);
    if (!scan.forward)
        std::reverse(line.begin(), line.end());
}

// padding: samples after which a sample's response has faded.
void run_plainly(const std::vector<Scan> &scans, const Border &border, std::int64_t padding,
                 Plain &image) {
    if (border.mode == BorderMode::zero) {
        for (const Scan &scan : scans)
            image.for_each_line(static_cast<std::size_t>(scan.axis),
                                [&](auto &line) { run_scan(scan, line); });
        return;
    }
    for (int axis = 0; axis < 3; ++axis) {
        std::vector<Scan> along;
        for (const Scan &scan : scans)
            if (scan.axis == axis)
                along.push_back(scan);
        if (along.empty())
            continue;
        // All scans leave constants as they are, so that the border's constant stays what it is.
        image.for_each_line(static_cast<std::size_t>(axis), [&](std::vector<long double> &line) {
            const auto n = static_cast<std::int64_t>(line.size());
            std::vector<long double> wide;
            for (std::int64_t i = -padding; i < n + padding; ++i) {
                const std::int64_t at = fold(i, n, border.mode);
                wide.push_back(at < 0 ? border.value : line[static_cast<std::size_t>(at)]);
            }
            for (const Scan &scan : along)
                run_scan(scan, wide);
            std::copy_n(wide.begin() + padding, n, line.begin());
        });
    }
}

// Pixels of the first plane of an f32 image, as they lie in memory.
std::vector<double> pixels_of(const std::vector<std::byte> &memory, const ImageDesc &desc,
                              const Axes &origin, const Axes &extent) {
    std::vector<double> values;
    for (std::int64_t z = 0; z < extent[2]; ++z)
        for (std::int64_t y = 0; y < extent[1]; ++y)
            for (std::int64_t x = 0; x < extent[0]; ++x)
                values.push_back(load_pixel(
                    desc.type,
                    memory.data() +
                        desc.byte_of({origin[0] + x, origin[1] + y, origin[2] + z, origin[3]}, 0)));
    return values;
}

// A filter's results on a kernel; none where it does not fit.
std::vector<double> results_of(const Filter &filter, const ImageCase &test,
                               const std::string &kernel) {
    std::minstd_rand random(11);
    const PlanDesc desc = make_plan_desc(test);
    const std::vector<std::byte> source = make_source(desc, random);
    const std::vector<std::byte> before = make_target(desc, random);
    const std::vector<std::byte> got = run_forced(filter, desc, kernel, source, before);
    if (got.empty())
        return {};
    CHECK(written_outside(before, got, desc) == "");
    return pixels_of(got, desc.target, desc.region.target_origin, desc.region.extent);
}

Plain source_of(const ImageCase &test) {
    std::minstd_rand random(11);
    const PlanDesc desc = make_plan_desc(test);
    const std::vector<double> values = pixels_of(make_source(desc, random), desc.source,
                                                 desc.region.source_origin, desc.region.extent);
    return {desc.region.extent, {values.begin(), values.end()}};
}

double largest_of(const Plain &image, const Border &border) {
    long double largest = std::abs(border.value);
    for (const long double value : image.values)
        largest = std::max(largest, std::abs(value));
    return static_cast<double>(largest);
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const gz::Kernel &spec : support::kernels_of(RecursivePass(), DeviceClass::other_gpu))
        names.push_back(spec.name);
    return names;
}

constexpr BorderMode borders[] = {BorderMode::clamp,      BorderMode::constant, BorderMode::reflect,
                                  BorderMode::reflect101, BorderMode::wrap,     BorderMode::zero};

// ---- random chains ----

struct Chain {
    std::vector<Scan> scans;
    double modulus = 0.0; // the largest of its poles
    std::string text;
};

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    double real(double from, double to) {
        return from + (to - from) * (static_cast<double>(engine_()) / 4294967296.0);
    }
    int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }

private:
    std::mt19937 engine_;
};

// slowest: the largest modulus of a pole; one pole in four has it.
Chain random_chain(Random &random, int axes, double slowest) {
    Chain chain;
    const int count = 1 + random.below(4);
    for (int i = 0; i < count; ++i) {
        std::vector<std::complex<double>> poles;
        const int order = 1 + random.below(5);
        while (static_cast<int>(poles.size()) < order) {
            const double modulus =
                random.below(4) == 0 ? slowest : random.real(0.1, std::min(slowest, 0.95));
            chain.modulus = std::max(chain.modulus, modulus);
            if (order - static_cast<int>(poles.size()) >= 2 && random.below(3) > 0) {
                poles.push_back(std::polar(modulus, random.real(0.1, 3.0)));
                poles.push_back(std::conj(poles.back()));
            } else {
                poles.emplace_back(random.below(5) == 0 ? -modulus : modulus);
            }
        }
        const int axis = random.below(axes);
        const bool forward = random.below(2) == 0;
        chain.scans.push_back(scan_of(poles, axis, forward));
        chain.text += (forward ? " +" : " -") + std::string(1, "xyz"[axis]);
        for (const auto &pole : poles)
            chain.text += " " + std::to_string(pole.real()) + (pole.imag() < 0 ? "" : "+") +
                          std::to_string(pole.imag()) + "i";
    }
    return chain;
}

// Returns a size by the number of axes; sizes are near the edges of chunks and tiles.
const std::vector<Axes> &sizes_of(int axes) {
    static const std::vector<Axes> lists[] = {
        {{1, 1, 1, 1}, {2, 1, 1, 1}, {15, 1, 1, 1}, {64, 1, 1, 1}, {65, 1, 1, 1}, {1027, 1, 1, 1}},
        {{1, 1, 1, 1},
         {17, 64, 1, 1},
         {65, 33, 1, 1},
         {1, 131, 1, 1},
         {129, 1, 1, 1},
         {63, 2, 1, 1}},
        {{1, 1, 1, 1}, {5, 3, 17, 1}, {16, 1, 66, 1}, {1, 65, 4, 1}, {33, 7, 2, 1}}};
    return lists[axes - 1];
}

// Returns a configuration of a kernel, the library's own in one of two cases.
std::string random_variant(Random &random, const gz::Kernel &spec) {
    if (random.below(2) == 0)
        return spec.name;
    const std::vector<Config> configs = all_configs(spec.tunables);
    return spec.name + ":" +
           gz::to_text(
               configs[static_cast<std::size_t>(random.below(static_cast<int>(configs.size())))]);
}

// Runs a kernel on random chains; slowest: see random_chain.
void run_chains(const gz::Kernel &spec, unsigned seed, int count) {
    Random random(seed);
    int ran = 0;
    double worst_share = 0.0;
    for (int i = 0; i < count; ++i) {
        const int axes = 1 + i % 3;
        const BorderMode mode = i % 2 == 0 ? BorderMode::zero : borders[random.below(5)];
        constexpr double moduli[] = {0.9, 0.99, 0.999, 0.9999};
        const double slowest = moduli[random.below(mode == BorderMode::zero ? 4 : 2)];
        const Chain chain = random_chain(random, axes, slowest);
        const Filter filter = Filter::recursive(chain.scans);
        const auto padding = static_cast<std::int64_t>(40.0 / (1.0 - chain.modulus)) + 20;
        const std::string variant = random_variant(random, spec);
        for (const Axes &size : sizes_of(axes)) {
            ImageCase test;
            test.width = static_cast<int>(size[0]);
            test.height = static_cast<int>(size[1]);
            test.slices = static_cast<int>(size[2]);
            test.border = mode;
            test.layout = all_layouts[random.below(3)];
            INFO(variant, " ", test.name(), ":", chain.text);
            const std::vector<double> got = results_of(filter, test, variant);
            if (got.empty())
                continue;
            Plain expected = source_of(test);
            const PlanDesc desc = make_plan_desc(test);
            const double bound = filter.error_bound(largest_of(expected, desc.border));
            run_plainly(chain.scans, desc.border, padding, expected);
            REQUIRE(got.size() == expected.values.size());
            const double worst = support::largest_difference(got, expected.values);
            CHECK(worst <= bound);
            worst_share = std::max(worst_share, worst / bound);
            ++ran;
        }
    }
    // Segments need longer lines than these.
    CHECK((ran > 0 || spec.name == "recursive_segments"));
    MESSAGE(spec.name, ": ", ran, " cases; the worst error is ", worst_share, " of its bound");
}

// ---- groupings ----

struct Grouped {
    std::string name;
    std::vector<Scan> scans;
    std::vector<std::string> groupings;
};

// Scans of the same poles there and back along x, and then along y, for each set of poles.
std::vector<Scan> there_and_back(const std::vector<std::vector<std::complex<double>>> &sets) {
    std::vector<Scan> scans;
    for (const auto &poles : sets)
        for (const int axis : {0, 1})
            for (const bool forward : {true, false})
                scans.push_back(scan_of(poles, axis, forward));
    return scans;
}

// Groupings that Chaurasia et al. 2015 name: 1xy_2x_2y is a trip of the scans of order 1 along x and y, one
// of those of order 2 along x, and one along y.
const std::vector<Grouped> &grouped() {
    static const std::complex<double> real(0.72), complex = std::polar(0.78, 0.35);
    static const std::vector<Grouped> list{
        {"Gaussian of order 3, scans of order 3",
         there_and_back({{real, complex, std::conj(complex)}}),
         {"", "0,1_2,3" /* 3x_3y */, "overlap" /* 3xy */, "cascade"}},
        {"Gaussian of order 3, scans of order 1 and 2",
         there_and_back({{real}, {complex, std::conj(complex)}}),
         {"", "0,1,4,5_2,3,6,7" /* 3x_3y */, "overlap" /* 3xy */, "0,1,2,3_4,5,6,7" /* 1xy_2xy */,
          "0,1,2,3_4,5_6,7" /* 1xy_2x_2y */, "cascade"}},
        {"three real poles",
         there_and_back({{0.9}, {0.8}, {0.5}}),
         {"", "0,1,2,3_4,5,6,7_8,9,10,11" /* 1xy_1xy_1xy */, "overlap", "cascade"}},
    };
    return list;
}

// Chains whose groupings agree where each is run on the kernel, or on the library's choice for "".
void compare_groupings(const std::vector<std::string> &kernels) {
    double worst_share = 0.0;
    int ran = 0;
    for (const std::string &kernel : kernels)
        for (const BorderMode border : borders) {
            ImageCase test;
            test.width = 83;
            test.height = 70;
            test.border = border;
            // Extended images have one result however the filter is written.
            std::vector<std::pair<std::string, std::vector<double>>> same;
            double bound = 0.0;
            for (const Grouped &chain : grouped()) {
                if (border == BorderMode::zero || &chain == &grouped().back())
                    same.clear();
                for (const std::string &grouping : chain.groupings) {
                    RecursiveOptions options;
                    options.grouping = grouping;
                    const Filter filter = Filter::recursive(chain.scans, options);
                    std::vector<double> got = results_of(filter, test, kernel);
                    if (got.empty())
                        continue;
                    bound = std::max(bound, filter.error_bound(largest_of(
                                                source_of(test), make_plan_desc(test).border)));
                    for (const auto &[other, results] : same) {
                        INFO(kernel, " ", name_of(border), " ", chain.name, " ", grouping,
                             " against ", other);
                        const double worst = support::largest_difference(got, results);
                        CHECK(worst <= 2.0 * bound);
                        worst_share = std::max(worst_share, worst / bound / 2.0);
                        ++ran;
                    }
                    same.emplace_back(chain.name + " " + grouping, std::move(got));
                }
            }
        }
    CHECK(ran > 0);
    MESSAGE(ran, " pairs; the largest difference is ", worst_share, " of what bounds allow");
}

} // namespace

TEST_SUITE("recursive chains") {
    TEST_CASE("random chains against plain loops") {
        unsigned seed = 1;
        for (const gz::Kernel &spec : support::kernels_of(RecursivePass(), DeviceClass::other_gpu))
            run_chains(spec, seed++, 6);
    }

    TEST_CASE("every grouping against every other") {
        compare_groupings({""});
    }

    TEST_CASE("every grouping against every other, on every kernel" * doctest::skip()) {
        compare_groupings(kernel_names());
    }
}
