// Every kernel of non-local means: the bits of the stated order of sums, and the bound of the formula in double.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/fma.hpp"
#include "edge/edge_cases.hpp"
#include "families/edge/nlm.hpp"
#include "families/edge/weights.hpp"
#include "families/family.hpp"
#include "support/formulas.hpp"

namespace {

using namespace gz;
using namespace support;

struct NonLocalCase : ImageCase {
    std::string variant;
    std::int64_t patch = 3, window = 5;
    double strength = 0.3; // of the source's largest value: see largest_of()
    double accuracy = 0.0;

    NonLocalMeans filter() const {
        return non_local_means({patch, window, strength * largest_of(src_type), accuracy});
    }
};

std::uint32_t bits_of(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

float of_bits(std::uint32_t bits) {
    float value = 0.0F;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// A row of results in f32, in the stated order, each by itself.
class OrderedRow {
public:
    OrderedRow(const NonLocalMeans &filter, const ReferenceJob &job)
        : filter_(filter), origin_(job.region.source_origin[0]), width_(job.region.extent[0]),
          channels_(job.source.channels),
          scale_(scale_of(filter, static_cast<int>(job.source.channels))), unscale_(1.0F / scale_) {
    }

    const float *row(const ExtendedPlane &source, std::int64_t y) {
        const std::int64_t reach = filter_.reach(), radius = filter_.window / 2;
        lines_.resize(static_cast<std::size_t>(2 * reach + 1));
        for (std::int64_t j = -reach; j <= reach; ++j)
            source.read_row(y + j, origin_ - reach, width_ + 2 * reach,
                            lines_[static_cast<std::size_t>(j + reach)]);
        for (std::vector<float> &line : lines_)
            for (float &value : line)
                value *= scale_;
        const float centre = weight_of(1.0F);
        weights_.assign(static_cast<std::size_t>(width_), centre);
        results_.clear();
        for (std::int64_t x = 0; x < width_; ++x)
            for (std::int64_t c = 0; c < channels_; ++c)
                results_.push_back(centre * value(x, 0, c));
        for (std::int64_t j = 0; j <= radius; ++j)
            for (std::int64_t i = j == 0 ? 1 : -radius; i <= radius; ++i) {
                add(-i, -j);
                add(i, j);
            }
        for (std::size_t i = 0; i < results_.size(); ++i)
            results_[i] =
                unscale_ *
                formulas::quotient(results_[i], weights_[i / static_cast<std::size_t>(channels_)]);
        return results_.data();
    }

private:
    float value(std::int64_t x, std::int64_t y, std::int64_t c) const {
        const std::int64_t reach = filter_.reach();
        return lines_[static_cast<std::size_t>(y + reach)]
                     [static_cast<std::size_t>((x + reach) * channels_ + c)];
    }

    // Adds the pixels that lie (i, j) from the results.
    void add(std::int64_t i, std::int64_t j) {
        const std::int64_t half = filter_.patch / 2;
        std::vector<std::uint32_t> columns;
        for (std::int64_t x = -half; x < width_ + half; ++x) {
            std::uint32_t sum = 0;
            for (std::int64_t k = -half; k <= half; ++k) {
                float square = 0.5F;
                for (std::int64_t c = 0; c < channels_; ++c) {
                    const float difference = value(x + i, k + j, c) - value(x, k, c);
                    square = std::min(gz::fma(difference, difference, square), 1.0F);
                }
                sum += bits_of(square) - bits_of(0.5F);
            }
            columns.push_back(sum);
        }
        for (std::int64_t x = 0; x < width_; ++x) {
            std::uint32_t distance = bits_of(0x1p-100F);
            for (std::int64_t k = 0; k < filter_.patch; ++k)
                distance += columns[static_cast<std::size_t>(x + k)];
            const float v = gz::fma(of_bits(distance), -0x1p100F, 2.0F);
            const float weight = weight_of(std::max(v, 0.0F));
            weights_[static_cast<std::size_t>(x)] += weight;
            for (std::int64_t c = 0; c < channels_; ++c) {
                float &sum = results_[static_cast<std::size_t>(x * channels_ + c)];
                sum = gz::fma(weight, value(x + i, j, c), sum);
            }
        }
    }

    const NonLocalMeans &filter_;
    std::int64_t origin_, width_, channels_;
    float scale_, unscale_;
    std::vector<std::vector<float>> lines_;
    std::vector<float> weights_, results_;
};

struct Sides {
    std::int64_t patch, window;
};

// few: for a simulator, to which windows of hundreds of patches are many.
std::vector<NonLocalCase> pairwise_cases_of(const std::string &kernel, bool few) {
    std::vector<Sides> sides{{1, 3}, {3, 5}, {5, 1}, {7, 3}};
    if (!few) {
        for (const Sides &more : {Sides{9, 3}, Sides{11, 7}, Sides{13, 5}, Sides{15, 9}})
            sides.push_back(more);
        for (const Sides &wide : {Sides{3, 11}, Sides{7, 21}, Sides{3, 35}, Sides{1, 63}})
            sides.push_back(wide);
    }
    constexpr double strengths[] = {0.02, 0.3, 1e6};
    const gz::Kernel &spec = edge_kernel(kernel);
    const std::vector<std::pair<int, int>> sizes =
        few ? std::vector<std::pair<int, int>>{{1, 1}, {9, 7}, {21, 12}}
            : std::vector<std::pair<int, int>>{{1, 1}, {1, 37}, {37, 1}, {33, 31}, {17, 45}};
    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    counts.insert(counts.end(), {static_cast<int>(sides.size()), 3, 2});
    append_counts(counts, spec.tunables);
    std::vector<NonLocalCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[image + i]); };
        NonLocalCase test;
        static_cast<ImageCase &>(test) = image_of(row, sizes);
        test.patch = sides[at(0)].patch;
        test.window = sides[at(0)].window;
        test.strength = strengths[at(1)];
        test.accuracy = at(2) ? least_accuracy : 0.0;
        test.variant = kernel + ":" + gz::to_text(config_of(spec.tunables, row, image + 3));
        cases.push_back(test);
    }
    return cases;
}

// Images of three tiles an axis or more, and regions within them.
std::vector<NonLocalCase> several_tiles_of(const std::string &kernel) {
    std::vector<NonLocalCase> cases;
    std::size_t turn = 0;
    for (const PixelType type : {PixelType::u8, PixelType::f32, PixelType::f16})
        for (const RegionKind region : {RegionKind::whole, RegionKind::neighbours}) {
            NonLocalCase test;
            const int channels = turn % 2 ? 3 : 1;
            static_cast<ImageCase &>(test) =
                image_of_tiles(type, type, channels, 300, 140, region,
                               turn % 2 ? Layout::odd_offset_and_pitch : Layout::padded_aligned);
            take_turn(test, kernel, turn, type);
            cases.push_back(test);
            ++turn;
        }
    return cases;
}

// The formula, pixel by pixel.
std::vector<double> by_formula(const std::vector<float> &pixels, std::int64_t width,
                               std::int64_t height, const NonLocalMeans &filter) {
    const auto at = [&](std::int64_t x, std::int64_t y) {
        const std::int64_t column = std::clamp<std::int64_t>(x, 0, width - 1);
        const std::int64_t row = std::clamp<std::int64_t>(y, 0, height - 1);
        return static_cast<double>(pixels[static_cast<std::size_t>(row * width + column)]);
    };
    const std::int64_t half = filter.patch / 2, radius = filter.window / 2;
    std::vector<double> results;
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x) {
            double sum = 0.0, weights = 0.0;
            for (std::int64_t v = y - radius; v <= y + radius; ++v)
                for (std::int64_t u = x - radius; u <= x + radius; ++u) {
                    double squares = 0.0;
                    for (std::int64_t j = -half; j <= half; ++j)
                        for (std::int64_t i = -half; i <= half; ++i)
                            squares += std::pow(at(u + i, v + j) - at(x + i, y + j), 2.0);
                    const double mean = squares / static_cast<double>(filter.patch * filter.patch);
                    const double weight = std::exp(-mean / (filter.strength * filter.strength));
                    weights += weight;
                    sum += weight * at(u, v);
                }
            results.push_back(sum / weights);
        }
    return results;
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("non-local kernels: pairwise") {
        for (const std::string &kernel : support::kernels_under_test<NonLocalPass>())
            run_edge_cases<OrderedRow>(sample_of(pairwise_cases_of(kernel, false)));
    }
    TEST_CASE("non-local kernels: several tiles") {
        for (const std::string &kernel : support::kernels_under_test<NonLocalPass>())
            if (kernel != "nlm_plain") // whose items have no tiles
                run_edge_cases<OrderedRow>(sample_of(several_tiles_of(kernel)));
    }
}

TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("non-local kernels: small") {
        for (const std::string &kernel : support::kernels_under_test<NonLocalPass>())
            run_edge_cases<OrderedRow>(sample_of(pairwise_cases_of(kernel, true)));
    }
}

TEST_SUITE("edge") {
    TEST_CASE("non-local means: the formula, pixel by pixel") {
        constexpr std::int64_t width = 19, height = 14;
        std::minstd_rand random(5);
        std::vector<float> pixels;
        for (std::int64_t i = 0; i < width * height; ++i)
            pixels.push_back((i % width < 9 ? 0.25F : 0.75F) +
                             static_cast<float>(random() % 1000) * 2e-4F);
        for (const NonLocalMeans &filter :
             {NonLocalMeans{7, 21, 0.1, 0.0}, NonLocalMeans{3, 5, 0.06, 0.0},
              NonLocalMeans{1, 9, 0.05, least_accuracy}}) {
            const std::vector<float> got = filtered(filter, pixels, {width, height, 1, 1});
            const std::vector<double> exact = by_formula(pixels, width, height, filter);
            double worst = 0.0;
            for (std::size_t i = 0; i < exact.size(); ++i)
                worst = std::max(worst, std::abs(static_cast<double>(got[i]) - exact[i]));
            CHECK(worst <= 2e-6);
            CHECK(got != pixels);
        }
    }

    TEST_CASE("non-local means: alike surroundings alone count") {
        // Stripes: a pixel's like are those of its own kind, and the mean of these is the pixel.
        std::vector<float> stripes;
        for (int i = 0; i < 30 * 20; ++i)
            stripes.push_back(i % 3 == 0 ? 200.0F : 10.0F);
        const std::vector<float> kept = filtered(non_local_means({3, 9, 5.0, 0.0}), stripes,
                                                 {30, 20, 1, 1}, {BorderMode::wrap, 0});
        for (std::size_t i = 0; i < kept.size(); ++i)
            CHECK(static_cast<double>(kept[i]) ==
                  doctest::Approx(static_cast<double>(stripes[i])).epsilon(2e-6));
        // Strength without measure: the mean of the window.
        const std::vector<float> mean =
            filtered(non_local_means({1, 3, 1e6, 0.0}), {1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3, 1, 1});
        CHECK(static_cast<double>(mean[4]) == doctest::Approx(5.0).epsilon(1e-6));
        // Channels have one weight: the first does not differ, and is smoothed no more than the second.
        const std::vector<float> both = filtered(non_local_means({1, 3, 1.0, 0.0}),
                                                 {1, 1, 1, 101, 1, 201}, {3, 1, 1, 1}, {}, 2);
        for (const std::size_t i : {0U, 1U, 2U, 3U, 4U, 5U})
            CHECK(static_cast<double>(both[i]) ==
                  doctest::Approx(i % 2 ? 1.0 + 100.0 * static_cast<double>(i / 2) : 1.0)
                      .epsilon(1e-6));
        // The distance is a mean: twice the channels with the same differences weigh alike.
        const std::vector<float> one =
            filtered(non_local_means({3, 3, 1.0, 0.0}), {0, 1, 0, 2}, {4, 1, 1, 1});
        const std::vector<float> two = filtered(non_local_means({3, 3, 1.0, 0.0}),
                                                {0, 0, 1, 1, 0, 0, 2, 2}, {4, 1, 1, 1}, {}, 2);
        for (std::size_t i = 0; i < one.size(); ++i)
            CHECK(two[2 * i] == doctest::Approx(one[i]).epsilon(1e-6));
    }

    TEST_CASE("non-local means: slices are filtered each by itself") {
        std::vector<float> both(2 * 12, 0.0F);
        std::fill(both.begin() + 12, both.end(), 50.0F);
        CHECK(filtered(non_local_means({3, 3, 1e6, 0.0}), both, {4, 3, 2, 1})[0] == 0.0F);
    }

    TEST_CASE("non-local means: results near pixels that are not finite are not finite") {
        std::vector<float> row(15, 1.0F);
        row[7] = std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> got =
            filtered(non_local_means({1, 5, 1.0, 0.0}), row, {15, 1, 1, 1});
        for (std::size_t i = 0; i < row.size(); ++i)
            CHECK(std::isfinite(got[i]) == (i < 5 || i > 9));
    }

    TEST_CASE("an accuracy lets GPUs make weights, and forced kernels") {
        const auto accuracy_on = [](DeviceClass device_class, const std::string &forced) {
            const Settled nlm = settle(non_local_means({7, 21, 1.0, 1e-5}), {device_class, forced});
            const Settled near =
                settle(bilateral(1.0, 1.0, {2, 2, 0}, 1e-5), {device_class, forced});
            const double accuracy = nlm.filter.get<NonLocalMeans>().accuracy;
            CHECK(near.filter.get<Bilateral>().accuracy == accuracy);
            CHECK(nlm.reasons.empty() == (accuracy > 0.0));
            CHECK(nlm.reasons == near.reasons);
            return accuracy;
        };
        CHECK(accuracy_on(DeviceClass::nvidia_gpu, "") == 1e-5);
        CHECK(accuracy_on(DeviceClass::plain_gpu, "") == 1e-5);
        CHECK(accuracy_on(DeviceClass::pocl_cpu, "") == 0.0);
        CHECK(accuracy_on(DeviceClass::pocl_cpu, "nlm_plain") == 1e-5);
        CHECK(weights_text(0.0) == "weights: a polynomial, with the same bits on every device");
        CHECK(settle(non_local_means({}), {DeviceClass::pocl_cpu, ""}).reasons.empty());
    }

    TEST_CASE("non-local means: what is refused, and texts") {
        const auto refused = [](std::initializer_list<std::string> parts,
                                const NonLocalMeans &wanted) {
            check_refused(Status::invalid_argument, parts,
                          [&] { static_cast<void>(non_local_means(wanted)); });
        };
        refused({"patch is 6", "odd, from 1 to 15"}, {6, 21, 1.0, 0.0});
        refused({"patch is 17"}, {17, 21, 1.0, 0.0});
        refused({"patch is -1"}, {-1, 21, 1.0, 0.0});
        refused({"window is 20", "odd, from 1 to 63"}, {7, 20, 1.0, 0.0});
        refused({"window is 65"}, {7, 65, 1.0, 0.0});
        refused({"window is 0"}, {7, 0, 1.0, 0.0});
        refused({"strength is 0"}, {7, 21, 0.0, 0.0});
        refused({"strength is -2"}, {7, 21, -2.0, 0.0});
        refused({"strength is nan"}, {7, 21, NAN, 0.0});
        refused({"strength is inf"}, {7, 21, INFINITY, 0.0});
        refused({"accuracy is 1e-07", "at least 1e-06"}, {7, 21, 1.0, 1e-7});
        refused({"accuracy is nan"}, {7, 21, 1.0, NAN});
        check_refused(Status::invalid_argument, {"zero", "constant 0"}, [] {
            Filter(non_local_means({7, 21, 1.0, 0.0})).check_border({BorderMode::zero, 0});
        });
        CHECK(to_text(non_local_means({7, 21, 0.5, 0.0})) ==
              "non-local means of strength 0.5, patch 7x7, window 21x21");
        const AxesReach reach = Filter(non_local_means({7, 21, 1.0, 0.0})).reach();
        CHECK(reach[0].before == 13);
        CHECK(reach[1].after == 13);
        CHECK(reach[2].before == 0);
    }
}
