// Every kernel of edge-aware filters: the bits of the stated order of sums, and the bound of the formula in double.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/fma.hpp"
#include "edge/edge_cases.hpp"
#include "families/edge/weights.hpp"
#include "support/formulas.hpp"

namespace {

using namespace gz;
using namespace support;

struct BilateralCase : ImageCase {
    std::string variant;
    std::array<std::int64_t, 3> radius{1, 1, 0};
    double sigma_space = 1.0;
    double sigma_range = 0.25; // of the source's largest value: see largest_of()
    double accuracy = 0.0;

    Bilateral filter() const;
};

Bilateral BilateralCase::filter() const {
    return bilateral(sigma_space, sigma_range * largest_of(src_type), radius, accuracy);
}

// A row of results in f32, in the stated order.
class OrderedRow {
public:
    OrderedRow(const Bilateral &filter, const ReferenceJob &job)
        : filter_(filter), exponent_(exponent_of(filter)), origin_(job.region.source_origin[0]),
          width_(job.region.extent[0]), channels_(job.source.channels) {}

    const float *row(const ExtendedPlane &source, std::int64_t y) {
        const auto &radius = filter_.radius;
        source.read_row(y, origin_, width_, middle_);
        std::vector<float> sums(middle_.size(), 0.0F);
        std::vector<float> weights(static_cast<std::size_t>(width_), weight_of(1.0F));
        std::size_t place = 0;
        for (std::int64_t z = -radius[2]; z <= radius[2]; ++z)
            for (std::int64_t j = -radius[1]; j <= radius[1]; ++j) {
                source.neighbour(z, 0).read_row(y + j, origin_ - radius[0], width_ + 2 * radius[0],
                                                line_);
                for (std::int64_t i = -radius[0]; i <= radius[0]; ++i, ++place)
                    if (i != 0 || j != 0 || z != 0)
                        add(i + radius[0], exponent_.space[place], sums, weights);
            }
        for (std::size_t i = 0; i < middle_.size(); ++i)
            middle_[i] +=
                formulas::quotient(sums[i], weights[i / static_cast<std::size_t>(channels_)]);
        return middle_.data();
    }

private:
    void add(std::int64_t shift, float space, std::vector<float> &sums,
             std::vector<float> &weights) const {
        for (std::int64_t x = 0; x < width_; ++x) {
            std::array<float, 4> differences{};
            float square = 0.0F;
            for (std::int64_t c = 0; c < channels_; ++c) {
                const auto at = static_cast<std::size_t>(c);
                differences[at] = line_[static_cast<std::size_t>((x + shift) * channels_ + c)] -
                                  middle_[static_cast<std::size_t>(x * channels_ + c)];
                square = gz::fma(differences[at], differences[at], square);
            }
            const float v = std::max(gz::fma(square, -exponent_.scale, space), 0.0F);
            const float weight = weight_of(v);
            weights[static_cast<std::size_t>(x)] += weight;
            for (std::int64_t c = 0; c < channels_; ++c) {
                float &sum = sums[static_cast<std::size_t>(x * channels_ + c)];
                sum = gz::fma(weight, differences[static_cast<std::size_t>(c)], sum);
            }
        }
    }

    const Bilateral &filter_;
    BilateralExponent exponent_;
    std::int64_t origin_, width_, channels_;
    std::vector<float> middle_, line_;
};

std::vector<std::array<std::int64_t, 3>> all_radii(const Limits &limits) {
    std::vector<std::array<std::int64_t, 3>> result{{1, 1, 0}, {2, 0, 0}, {0, 3, 0}, {0, 0, 0},
                                                    {4, 4, 0}, {3, 5, 0}, {1, 1, 1}, {2, 1, 2}};
    if (limits.taps > 9) {
        result.push_back({7, 7, 0});
        result.push_back({15, 12, 0});
    }
    return result;
}

std::vector<BilateralCase> pairwise_cases_of(const std::string &kernel, const Limits &limits) {
    constexpr double sigmas_space[] = {0.5, 2.0, 100.0};
    constexpr double sigmas_range[] = {0.02, 0.3, 1e6};
    const gz::Kernel &spec = edge_kernel(kernel);
    const std::vector<std::pair<int, int>> sizes = pairwise_sizes(limits);
    const std::vector<std::array<std::int64_t, 3>> radii = all_radii(limits);
    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    counts.insert(counts.end(), {static_cast<int>(radii.size()), 3, 3, 2});
    append_counts(counts, spec.tunables);
    std::vector<BilateralCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[image + i]); };
        BilateralCase test;
        static_cast<ImageCase &>(test) = image_of(row, sizes);
        test.radius = radii[at(0)];
        test.sigma_space = sigmas_space[at(1)];
        test.sigma_range = sigmas_range[at(2)];
        test.accuracy = at(3) ? least_accuracy : 0.0;
        test.variant = kernel + ":" + gz::to_text(config_of(spec.tunables, row, image + 4));
        cases.push_back(test);
    }
    return cases;
}

// Images of three tiles an axis or more, and regions within them.
std::vector<BilateralCase> several_tiles_of(const std::string &kernel) {
    std::vector<BilateralCase> cases;
    std::size_t turn = 0;
    for (const PixelType type : {PixelType::u8, PixelType::f32, PixelType::f16})
        for (const int channels : {1, 3})
            for (const RegionKind region : {RegionKind::whole, RegionKind::neighbours}) {
                BilateralCase test;
                const int times = region == RegionKind::whole ? 1 : 2;
                static_cast<ImageCase &>(test) = image_of_tiles(
                    type, type, channels, times * 420, times * 40, region,
                    turn % 2 ? Layout::odd_offset_and_pitch : Layout::padded_aligned);
                take_turn(test, kernel, turn, type);
                test.radius = {3, 2, 0};
                test.sigma_space = 1.5;
                cases.push_back(test);
                ++turn;
            }
    return cases;
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("edge kernels: pairwise") {
        for (const std::string &kernel : support::kernels_under_test<BilateralPass>())
            run_edge_cases<OrderedRow>(sample_of(pairwise_cases_of(kernel, {})));
    }
    TEST_CASE("edge kernels: several tiles") {
        for (const std::string &kernel : support::kernels_under_test<BilateralPass>())
            run_edge_cases<OrderedRow>(sample_of(several_tiles_of(kernel)));
    }
}

TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("edge kernels: small") {
        for (const std::string &kernel : support::kernels_under_test<BilateralPass>())
            run_edge_cases<OrderedRow>(sample_of(pairwise_cases_of(kernel, {24, 9})));
    }
}

TEST_SUITE("edge") {
    TEST_CASE("bilateral: weights are within the stated error of exp(-u)") {
        double worst = 0.0;
        constexpr int steps = 1 << 20;
        for (int i = 0; i <= steps; ++i) {
            const float v = static_cast<float>(i) / steps;
            const double exact = std::exp(-weight_reach * (1.0 - static_cast<double>(v)));
            worst = std::max(worst, std::abs(static_cast<double>(weight_of(v)) - exact));
        }
        CHECK(worst <= weight_error);
        CHECK(worst > 0.5 * weight_error); // the statement is no larger than it need be
        CHECK(weight_of(0.0F) < 1e-20F);
    }

    TEST_CASE("bilateral: quotients are within a unit in the last place or so") {
        std::minstd_rand random(3);
        for (int i = 0; i < 100000; ++i) {
            const float a = static_cast<float>(random()) / 1e6F - 1000.0F;
            const float b = std::ldexp(1.0F + static_cast<float>(random() % 8388608) / 8388608.0F,
                                       static_cast<int>(random() % 20) - 1);
            const double exact = static_cast<double>(a) / static_cast<double>(b);
            CHECK(std::abs(static_cast<double>(formulas::quotient(a, b)) - exact) <=
                  0x1p-23 * std::abs(exact));
        }
    }

    TEST_CASE("bilateral: by hand") {
        // Three pixels, of which the last is too different to count.
        const double near = std::exp(-0.5 - 0.5 * 0.25);
        const std::vector<float> got =
            filtered(bilateral(1.0, 0.2, {1, 0, 0}), {0.5F, 0.6F, 100.0F}, {3, 1, 1, 1});
        CHECK(static_cast<double>(got[1]) ==
              doctest::Approx((0.6 + near * 0.5) / (1.0 + near)).epsilon(1e-6));
        CHECK(got[2] == 100.0F);
        // Sigmas that are far larger than distances and differences: the mean.
        const std::vector<float> mean =
            filtered(bilateral(1e6, 1e6, {1, 1, 0}), {1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3, 1, 1});
        CHECK(static_cast<double>(mean[4]) == doctest::Approx(5.0).epsilon(1e-6));
        // Channels have one weight: the first does not differ, and is smoothed no more than the second.
        const std::vector<float> both =
            filtered(bilateral(1e6, 1.0, {1, 0, 0}), {1, 1, 2, 101, 3, 201}, {3, 1, 1, 1}, {}, 2);
        CHECK(both == std::vector<float>{1, 1, 2, 101, 3, 201});
    }

    TEST_CASE("bilateral: an image without differences stays as it is") {
        const std::vector<float> flat(35, 0.1F);
        CHECK(filtered(bilateral(3.0, 1e-6, {6, 6, 0}), flat, {7, 5, 1, 1}) == flat);
    }

    TEST_CASE("bilateral: results near pixels that are not finite are not finite") {
        std::vector<float> row(9, 1.0F);
        row[4] = std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> got = filtered(bilateral(1.0, 1.0, {2, 0, 0}), row, {9, 1, 1, 1});
        for (std::size_t i = 0; i < row.size(); ++i)
            CHECK(std::isfinite(got[i]) == (i < 2 || i > 6));
    }

    TEST_CASE("bilateral: what is refused, and texts") {
        const auto refused = [](std::initializer_list<std::string> parts, double space,
                                double range, const std::array<std::int64_t, 3> &radius) {
            check_refused(Status::invalid_argument, parts,
                          [&] { static_cast<void>(bilateral(space, range, radius)); });
        };
        refused({"sigma in space", "0"}, 0.0, 1.0, {1, 1, 0});
        refused({"sigma in space", "nan"}, NAN, 1.0, {1, 1, 0});
        refused({"sigma of the range", "-1"}, 1.0, -1.0, {1, 1, 0});
        refused({"sigma of the range", "inf"}, 1.0, INFINITY, {1, 1, 0});
        refused({"radius is 16 along y", "15"}, 1.0, 1.0, {1, 16, 0});
        refused({"radius is -1 along x"}, 1.0, 1.0, {-1, 1, 0});
        check_refused(Status::invalid_argument, {"zero", "constant 0"}, [] {
            Filter(bilateral(1.0, 1.0, {1, 1, 0})).check_border({BorderMode::zero, 0});
        });
        CHECK(to_text(bilateral(2.0, 0.5, {4, 4, 0})) ==
              "bilateral filter of sigma 2 in space and 0.5 of the range, radius 4x4");
        CHECK(to_text(bilateral(2.0, 0.5, {4, 4, 1})) ==
              "bilateral filter of sigma 2 in space and 0.5 of the range, radius 4x4x1");
        CHECK(bilateral_radius(2.0) == 4);
        CHECK(bilateral_radius(0.2) == 0);
        const AxesReach reach = Filter(bilateral(1.0, 1.0, {3, 2, 1})).reach();
        CHECK(reach[0].before == 3);
        CHECK(reach[1].after == 2);
        CHECK(reach[2].before == 1);
    }
}
