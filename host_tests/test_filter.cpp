// Filters: the data that they keep, their refusals, and their error bounds.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "families/filter.hpp"
#include "support/unit.hpp"

using gz::AxisTaps;
using gz::Box;
using gz::Filter;
using gz::Gaussian;
using gz::Status;
using gz::Taps;
using support::check_refused;
using support::make_axis_taps;
using support::make_taps;
using support::Rank;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Filter sampled(Gaussian gaussian) {
    gaussian.method = gz::GaussianMethod::fir;
    return Filter::gaussian(gaussian);
}

// Both ways to make a filter refuse the same.
void check_both_refuse(Status status, std::initializer_list<std::string> parts, const Taps &taps) {
    check_refused(status, parts, [&] { static_cast<void>(Filter::correlate(taps)); });
    check_refused(status, parts, [&] { static_cast<void>(Filter::convolve(taps)); });
}

void check_separable_refused(Status status, std::initializer_list<std::string> parts,
                             const AxisTaps &taps) {
    check_refused(status, parts, [&] { static_cast<void>(Filter::separable(taps)); });
}

void check_gaussian_refused(Status status, std::initializer_list<std::string> parts,
                            const Gaussian &gaussian) {
    check_refused(status, parts, [&] { static_cast<void>(Filter::gaussian(gaussian)); });
}

void check_box_refused(Status status, std::initializer_list<std::string> parts, const Box &box) {
    check_refused(status, parts, [&] { static_cast<void>(Filter::box(box)); });
}

// Returns the result of a correlation with the taps at place 0 of a line.
template <class Line> double correlated(const std::vector<double> &taps, Line &&line) {
    const auto radius = static_cast<std::int64_t>(taps.size() / 2);
    double sum = 0.0;
    for (std::size_t i = 0; i < taps.size(); ++i)
        sum += taps[i] * line(static_cast<double>(static_cast<std::int64_t>(i) - radius));
    return sum;
}

} // namespace

TEST_SUITE("filter") {
    TEST_CASE("a correlation keeps its taps, a convolution turns them round") {
        const Taps taps = make_taps(3, 2, 2, 1, {1, 2, 3, 4, 5, 7});
        const Filter correlate = Filter::correlate(taps);
        CHECK(correlate.get<gz::Correlate>().name == "correlate");
        CHECK(correlate.get<gz::Correlate>().taps().values == taps.values);
        CHECK(correlate.get<gz::Correlate>().taps().size == taps.size);
        CHECK(correlate.get<gz::Correlate>().taps().anchor == taps.anchor);
        const Filter convolve = Filter::convolve(taps);
        CHECK(convolve.get<gz::Correlate>().name == "convolve");
        CHECK(convolve.get<gz::Correlate>().taps().values == std::vector<double>{7, 5, 4, 3, 2, 1});
        CHECK(convolve.get<gz::Correlate>().taps().size == taps.size);
        CHECK(convolve.get<gz::Correlate>().taps().anchor == gz::Axes{0, 0, 0, 0});
    }

    TEST_CASE("the factors are those of the correlation's taps") {
        const Taps product = make_taps(2, 3, 0, 0, {1, 2, 3, 6, 5, 10});
        for (const Filter &filter : {Filter::correlate(product), Filter::convolve(product)}) {
            CAPTURE(filter.get<gz::Correlate>().name);
            REQUIRE(filter.get<gz::Correlate>().factors().has_value());
            for (std::size_t j = 0; j < 3; ++j)
                for (std::size_t i = 0; i < 2; ++i)
                    CHECK(filter.get<gz::Correlate>().factors()->x[i] *
                              filter.get<gz::Correlate>().factors()->y[j] ==
                          doctest::Approx(filter.get<gz::Correlate>().taps().values[2 * j + i])
                              .epsilon(1e-15));
        }
        const Taps none = make_taps(3, 3, Rank::full);
        CHECK_FALSE(Filter::correlate(none).get<gz::Correlate>().factors().has_value());
        CHECK_FALSE(Filter::convolve(none).get<gz::Correlate>().factors().has_value());
    }

    TEST_CASE("sizes below one are refused") {
        check_both_refuse(Status::invalid_argument, {"0", "along x"},
                          {{0, 1, 1, 1}, {0, 0, 0, 0}, {}});
        check_both_refuse(Status::invalid_argument, {"0", "along y"},
                          {{1, 0, 1, 1}, {0, 0, 0, 0}, {}});
        check_both_refuse(Status::invalid_argument, {"0", "along z"},
                          {{1, 1, 0, 1}, {0, 0, 0, 0}, {}});
        check_both_refuse(Status::invalid_argument, {"0", "along t"},
                          {{1, 1, 1, 0}, {0, 0, 0, 0}, {}});
        check_both_refuse(Status::invalid_argument, {"-3", "along x"},
                          {{-3, 1, 1, 1}, {0, 0, 0, 0}, {}});
    }

    TEST_CASE("anchors outside the taps are refused") {
        const std::vector<double> six(6, 1.0);
        check_both_refuse(Status::invalid_argument, {"anchor", "-1", "along x", "2"},
                          make_taps(3, 2, -1, 0, six));
        check_both_refuse(Status::invalid_argument, {"anchor", "3", "along x", "2"},
                          make_taps(3, 2, 3, 0, six));
        check_both_refuse(Status::invalid_argument, {"anchor", "2", "along y", "1"},
                          make_taps(3, 2, 0, 2, six));
        check_both_refuse(Status::invalid_argument, {"anchor", "1", "along z"},
                          {{3, 2, 1, 1}, {0, 0, 1, 0}, six});
        check_both_refuse(Status::invalid_argument, {"anchor", "-7", "along t"},
                          {{3, 2, 1, 1}, {0, 0, 0, -7}, six});
        for (const std::int64_t x : {0, 2})
            for (const std::int64_t y : {0, 1})
                CHECK(Filter::correlate(make_taps(3, 2, x, y, six))
                          .get<gz::Correlate>()
                          .taps()
                          .anchor == gz::Axes{x, y, 0, 0});
    }

    TEST_CASE("taps that are not finite in f32 are refused, the first by its place and value") {
        const auto with = [](double k) { return make_taps(2, 2, 0, 0, {1, 2, 3, k}); };
        check_both_refuse(Status::invalid_argument, {"tap 3", "nan"}, with(std::nan("")));
        check_both_refuse(Status::invalid_argument, {"tap 3", "inf"}, with(infinity));
        check_both_refuse(Status::invalid_argument, {"tap 3", "-inf"}, with(-infinity));
        check_both_refuse(Status::invalid_argument, {"tap 3", "1e+39"}, with(1e39));
        check_both_refuse(Status::invalid_argument, {"tap 3", "-1e+39"}, with(-1e39));
        const double largest = std::numeric_limits<float>::max();
        CHECK(Filter::correlate(with(-largest)).get<gz::Correlate>().taps().values[3] == -largest);
    }

    TEST_CASE("a count of values that is not the size's is refused") {
        check_both_refuse(Status::invalid_argument, {"3x2", "6", "5"},
                          make_taps(3, 2, 0, 0, std::vector<double>(5, 1.0)));
        check_both_refuse(Status::invalid_argument, {"3x2", "6", "7"},
                          make_taps(3, 2, 0, 0, std::vector<double>(7, 1.0)));
        check_both_refuse(Status::invalid_argument, {"1x1", "0"}, make_taps(1, 1, 0, 0, {}));
    }

    TEST_CASE("sizes up to the largest are taken, others are unsupported") {
        const auto ones = [](std::int64_t width, std::int64_t height) {
            return make_taps(width, height, Rank::one);
        };
        CHECK(Filter::correlate(ones(gz::max_taps, gz::max_taps))
                  .get<gz::Correlate>()
                  .factors()
                  .has_value());
        check_both_refuse(Status::unsupported, {"64", "along x", "63"}, ones(64, 1));
        check_both_refuse(Status::unsupported, {"100", "along y", "63"}, ones(1, 100));
        // Not even read, however large.
        check_both_refuse(
            Status::unsupported, {"4611686018427387904", "along x"},
            {{std::int64_t{1} << 62, std::int64_t{1} << 62, 1, 1}, {0, 0, 0, 0}, {1}});
    }

    TEST_CASE("taps along z or t: up to 15 along each axis, and never separable") {
        const Filter filter =
            Filter::convolve({{3, 3, 3, 2}, {1, 1, 0, 0}, std::vector<double>(54, 1.0)});
        CHECK(filter.get<gz::Correlate>().taps().size == gz::Axes{3, 3, 3, 2});
        CHECK(filter.get<gz::Correlate>().taps().anchor == gz::Axes{1, 1, 2, 1});
        CHECK(filter.get<gz::Correlate>().correlation.is_volume());
        CHECK_FALSE(filter.get<gz::Correlate>().factors().has_value());
        CHECK(filter.get<gz::Correlate>().correlation.sum_of_magnitudes() == 54.0);
        check_both_refuse(Status::unsupported, {"16", "along x", "15", "volume"},
                          {{16, 1, 2, 1}, {0, 0, 0, 0}, std::vector<double>(32, 1.0)});
        check_both_refuse(Status::unsupported, {"16", "along t", "15"},
                          {{1, 1, 1, 16}, {0, 0, 0, 0}, std::vector<double>(16, 1.0)});
        check_both_refuse(Status::invalid_argument, {"1x1x1x2", "need 2 values"},
                          {{1, 1, 1, 2}, {0, 0, 0, 0}, {1}});
        support::check_refused(Status::unsupported, {"1x1x2", "components"}, [] {
            Filter::correlate({{1, 1, 1, 1}, {0, 0, 0, 0}, {1}})
                .with_component(1, Filter::correlate({{1, 1, 2, 1}, {0, 0, 0, 0}, {1, 1}}));
        });
    }

    TEST_CASE("the error bound is that of a chain of fused multiply-adds") {
        // 9 fma and a rounding each, on taps of magnitude 45 in all.
        const Filter dense =
            Filter::correlate(make_taps(3, 3, 1, 1, {1, -2, 3, -4, 5, -6, 7, -8, -9}));
        REQUIRE_FALSE(dense.get<gz::Correlate>().factors().has_value());
        const double u = 0x1p-24;
        CHECK(dense.error_bound(2.0) >= 10 * u * 45 * 2.0);
        CHECK(dense.error_bound(2.0) <= 12 * u * 45 * 2.0);
        // 3 + 3 fma, a rounding of each factor, and 4 u of tolerance.
        const Filter separable =
            Filter::correlate(make_taps(3, 3, 1, 1, std::vector<double>(9, -5.0)));
        REQUIRE(separable.get<gz::Correlate>().factors().has_value());
        CHECK(separable.error_bound(2.0) >= 12 * u * 45 * 2.0);
        CHECK(separable.error_bound(2.0) <= 14 * u * 45 * 2.0);
    }

    TEST_CASE("the error bound grows with the number of taps, their magnitudes and the pixels") {
        for (const Rank rank : {Rank::one, Rank::full}) {
            double last = 0.0;
            for (std::int64_t size = 2; size <= gz::max_taps; ++size) {
                const Filter filter = Filter::correlate(make_taps(size, size, rank));
                REQUIRE(filter.get<gz::Correlate>().factors().has_value() == (rank == Rank::one));
                REQUIRE(filter.error_bound(1.0) > last);
                last = filter.error_bound(1.0);
            }
        }
        const Filter one = Filter::correlate(make_taps(1, 1, 0, 0, {0.5}));
        const Filter larger = Filter::correlate(make_taps(1, 1, 0, 0, {-2.0}));
        CHECK(one.error_bound(1.0) > 0.0);
        CHECK(larger.error_bound(1.0) == 4.0 * one.error_bound(1.0));
        CHECK(one.error_bound(256.0) == 256.0 * one.error_bound(1.0));
        CHECK(one.error_bound(0.0) < 1e-44); // underflow alone
    }
}

TEST_SUITE("separable filter") {
    TEST_CASE("keeps the taps of each axis, and anchors them in the middle") {
        const Filter filter = Filter::separable(make_axis_taps({1, 2, 3, 4}, {5, 6, 7}));
        CHECK(filter.get<gz::Correlate>().name == "separable");
        REQUIRE(filter.get<gz::Correlate>().factors().has_value());
        CHECK(filter.get<gz::Correlate>().factors()->x == std::vector<double>{1, 2, 3, 4});
        CHECK(filter.get<gz::Correlate>().factors()->y == std::vector<double>{5, 6, 7});
        CHECK(filter.get<gz::Correlate>().taps().values.empty());
        CHECK(filter.get<gz::Correlate>().taps().size == gz::Axes{4, 3, 1, 1});
        CHECK(filter.get<gz::Correlate>().taps().anchor == gz::Axes{2, 1, 0, 0});
        CHECK(filter.get<gz::Correlate>().correlation.sum_of_magnitudes() == 180.0);
        CHECK(gz::to_text(filter) ==
              "separable 4x3 taps, as a correlation anchored at (2, 1), separable");
    }

    TEST_CASE("an axis without taps is not filtered; one along z or t scales") {
        const Filter along_y = Filter::separable(make_axis_taps({}, {5, 6}));
        CHECK(along_y.get<gz::Correlate>().factors()->x == std::vector<double>{1});
        CHECK(along_y.get<gz::Correlate>().factors()->y == std::vector<double>{5, 6});
        CHECK(along_y.get<gz::Correlate>().taps().size == gz::Axes{1, 2, 1, 1});
        const Filter scaled =
            Filter::separable({{{{1, 2}, {3, 4}, {0.5}, {-4}}}, gz::Axes{0, 1, 0, 0}});
        CHECK(scaled.get<gz::Correlate>().factors()->x == std::vector<double>{1, 2});
        CHECK(scaled.get<gz::Correlate>().factors()->y == std::vector<double>{-6, -8});
        CHECK(scaled.get<gz::Correlate>().taps().anchor == gz::Axes{0, 1, 0, 0});
    }

    TEST_CASE("no taps at all and too many are refused; taps along z and t are not") {
        check_separable_refused(Status::invalid_argument, {"no taps"}, {});
        const auto ones = [](std::int64_t count) {
            return std::vector<double>(static_cast<std::size_t>(count), 1.0);
        };
        CHECK(Filter::separable(make_axis_taps(ones(gz::max_axis_taps), ones(gz::max_axis_taps)))
                  .get<gz::Correlate>()
                  .taps()
                  .size == gz::Axes{4095, 4095, 1, 1});
        check_separable_refused(Status::invalid_argument, {"4096 taps", "along x", "4095"},
                                make_axis_taps(ones(4096), {}));
        check_separable_refused(Status::invalid_argument, {"5000 taps", "along y", "4095"},
                                make_axis_taps({}, ones(5000)));
        check_separable_refused(Status::invalid_argument, {"4096 taps", "along t"},
                                {{{{1}, {1}, {1, 1}, ones(4096)}}, std::nullopt});
        const Filter filter = Filter::separable({{{{2}, {}, {1, 3}, {1, 1, 2}}}, std::nullopt});
        CHECK(filter.get<gz::Correlate>().factors()->z == std::vector<double>{1, 3});
        CHECK(filter.get<gz::Correlate>().factors()->t == std::vector<double>{1, 1, 2});
        CHECK(filter.get<gz::Correlate>().taps().anchor == gz::Axes{0, 0, 1, 1});
        CHECK(filter.get<gz::Correlate>().correlation.sum_of_magnitudes() == 32.0);
    }

    TEST_CASE("taps that are not finite in f32 are refused, also once they are scaled") {
        check_separable_refused(Status::invalid_argument, {"tap 1", "nan"},
                                make_axis_taps({1, std::nan("")}, {}));
        check_separable_refused(Status::invalid_argument, {"tap 0", "-inf"},
                                make_axis_taps({1}, {-infinity}));
        check_separable_refused(Status::invalid_argument, {"tap 2", "1e+39"},
                                make_axis_taps({}, {1, 2, 1e39}));
        check_separable_refused(Status::invalid_argument, {"tap 0", "1e+40"},
                                {{{{1}, {1e20}, {1e20}, {}}}, std::nullopt});
    }

    TEST_CASE("what one axis has far too much and the other too little moves between them") {
        const double u = 0x1p-24;
        for (const double scale : {1e30, 1e-30}) {
            gz::AxisTaps taps;
            taps.values[0] = {scale, -2.0 * scale};
            taps.values[1] = {1.0 / scale, 3.0 / scale, 5.0 / scale};
            const Filter filter = Filter::separable(taps);
            const gz::SeparableTaps &factors = filter.get<gz::Correlate>().factors().value();
            CHECK(std::abs(factors.x[0]) + std::abs(factors.x[1]) < 2.0);
            CHECK(std::abs(factors.x[0]) + std::abs(factors.x[1]) >= 1.0);
            for (std::size_t i = 0; i < 2; ++i)
                for (std::size_t j = 0; j < 3; ++j)
                    CHECK(factors.x[i] * factors.y[j] == taps.values[0][i] * taps.values[1][j]);
            CHECK(filter.error_bound(1e10) < 20 * u * 27 * 1e10);
        }
        // Factors are not rescaled where the sums of the whole are too large in any case, nor in ordinary
        // cases.
        for (const double scale : {1e4, 1e38}) {
            gz::AxisTaps taps;
            taps.values[0] = {scale};
            taps.values[1] = {scale};
            CHECK(Filter::separable(taps).get<gz::Correlate>().factors()->x == taps.values[0]);
        }
    }

    TEST_CASE("rows that overflow before columns make them small again have no bound") {
        gz::AxisTaps taps;
        taps.values[0] = {1e8};
        taps.values[1] = {1e-8};
        CHECK(std::isfinite(Filter::separable(taps).error_bound(1e30)));
        CHECK(std::isinf(Filter::separable(taps).error_bound(1e31)));
    }

    TEST_CASE("anchors outside an axis's taps are refused") {
        const auto anchored = [](const gz::Axes &anchor) {
            return AxisTaps{{{{1, 2, 3}, {}, {}, {}}}, anchor};
        };
        check_separable_refused(Status::invalid_argument, {"anchor", "-1", "along x", "2"},
                                anchored({-1, 0, 0, 0}));
        check_separable_refused(Status::invalid_argument, {"anchor", "3", "along x", "2"},
                                anchored({3, 0, 0, 0}));
        check_separable_refused(Status::invalid_argument, {"anchor", "1", "along y", "0"},
                                anchored({0, 1, 0, 0}));
        check_separable_refused(Status::invalid_argument, {"anchor", "2", "along t", "0"},
                                anchored({0, 0, 0, 2}));
        CHECK(Filter::separable(anchored({2, 0, 0, 0})).get<gz::Correlate>().taps().anchor ==
              gz::Axes{2, 0, 0, 0});
    }
}

TEST_SUITE("gaussian filter") {
    TEST_CASE("an axis with a sigma has taps of its own, another one none") {
        const Filter filter = sampled({{2.0, 0.75, 0, 0}, {1, 0, 0, 0}, 3.0});
        CHECK(filter.get<gz::Correlate>().name == "gaussian");
        REQUIRE(filter.get<gz::Correlate>().factors().has_value());
        CHECK(filter.get<gz::Correlate>().factors()->x == gz::gaussian_taps(2.0, 1, 3.0));
        CHECK(filter.get<gz::Correlate>().factors()->y == gz::gaussian_taps(0.75, 0, 3.0));
        CHECK(filter.get<gz::Correlate>().taps().size == gz::Axes{13, 5, 1, 1});
        CHECK(filter.get<gz::Correlate>().taps().anchor == gz::Axes{6, 2, 0, 0});
        CHECK(sampled({{0, 1.0, 0, 0}}).get<gz::Correlate>().factors()->x ==
              std::vector<double>{1});
        CHECK(sampled({{1.0, 0, 0, 0}}).get<gz::Correlate>().taps().size == gz::Axes{9, 1, 1, 1});
    }

    TEST_CASE("sigmas that are no numbers of pixels are refused") {
        check_gaussian_refused(Status::invalid_argument, {"no axis"}, {});
        check_gaussian_refused(Status::invalid_argument, {"sigma", "-1", "along x"},
                               {{-1.0, 1.0, 0, 0}});
        check_gaussian_refused(Status::invalid_argument, {"sigma", "nan", "along y"},
                               {{1.0, std::nan(""), 0, 0}});
        check_gaussian_refused(Status::invalid_argument, {"sigma", "inf", "along y"},
                               {{1.0, infinity, 0, 0}});
        check_gaussian_refused(Status::invalid_argument, {"sigma", "-0.5", "along t"},
                               {{1.0, 1.0, 0, -0.5}});
        CHECK(sampled({{1.0, 1.0, 0.5, 2.0}}).get<gz::Correlate>().factors()->t.size() == 17);
    }

    TEST_CASE("radii up to the largest are taken") {
        CHECK(sampled({{511.8, 0, 0, 0}}).get<gz::Correlate>().taps().size ==
              gz::Axes{4095, 1, 1, 1});
        Gaussian by_taps{{512.0, 0, 0, 0}};
        by_taps.method = gz::GaussianMethod::fir;
        check_gaussian_refused(Status::invalid_argument, {"sigma", "512", "along x", "2047"},
                               by_taps);
        check_gaussian_refused(Status::invalid_argument, {"sigma", "1e+300", "along y"},
                               {{0, 1e300, 0, 0}});
        CHECK(sampled({{512.0, 0, 0, 0}, {}, 3.0}).get<gz::Correlate>().taps().size[0] ==
              2 * 1536 + 1);
    }

    TEST_CASE("other orders of derivatives, and some of no Gaussian, are refused") {
        check_gaussian_refused(Status::invalid_argument, {"derivative", "3", "along x"},
                               {{1.0, 0, 0, 0}, {3, 0, 0, 0}});
        check_gaussian_refused(Status::invalid_argument, {"derivative", "-1", "along y"},
                               {{1.0, 1.0, 0, 0}, {0, -1, 0, 0}});
        check_gaussian_refused(Status::invalid_argument, {"derivative", "1", "along y", "no sigma"},
                               {{1.0, 0, 0, 0}, {0, 1, 0, 0}});
    }

    TEST_CASE("a derivative without neighbours to take it from is refused") {
        for (const int order : {1, 2}) {
            gz::Gaussian gaussian;
            gaussian.sigma = {3.0, 0.12, 0.0, 0.0};
            gaussian.derivative[1] = order;
            check_refused(Status::invalid_argument, {"sigma is 0.12 along y", "radius of 0"},
                          [&] { Filter::gaussian(gaussian); });
            gaussian.sigma[1] = 0.125;
            CHECK(sampled(gaussian).get<gz::Correlate>().factors()->y.size() == 3);
        }
    }

    TEST_CASE("truncate must be a positive number") {
        for (const double truncate : {0.0, -4.0, infinity, std::nan("")})
            check_gaussian_refused(Status::invalid_argument, {"truncate", gz::text(truncate)},
                                   {{1.0, 0, 0, 0}, {0, 0, 0, 0}, truncate});
    }

    TEST_CASE("taps: as many as the radius says, of sum 1, symmetric, of the Gaussian's ratios") {
        for (const double sigma : {0.1, 0.3, 0.5, 1.0, 1.7, 3.0, 20.0})
            for (const double truncate : {0.5, 3.0, 4.0, 8.0}) {
                CAPTURE(sigma);
                CAPTURE(truncate);
                const std::vector<double> taps = gz::gaussian_taps(sigma, 0, truncate);
                const auto radius = static_cast<std::size_t>(truncate * sigma + 0.5);
                REQUIRE(taps.size() == 2 * radius + 1);
                CHECK(correlated(taps, [](double) { return 1.0; }) == doctest::Approx(1.0));
                for (std::size_t i = 0; i <= radius; ++i) {
                    const auto x = static_cast<double>(i);
                    CHECK(taps[radius - i] == taps[radius + i]);
                    CHECK(taps[radius + i] ==
                          doctest::Approx(taps[radius] * std::exp(-x * x / (2.0 * sigma * sigma)))
                              .epsilon(1e-12));
                }
            }
        CHECK(gz::gaussian_taps(1.0, 0, 4.4).size() == 9);
        CHECK(gz::gaussian_taps(1.0, 0, 4.5).size() == 11);
    }

    TEST_CASE("derivatives of a ramp, a parabola and what they are blind to") {
        for (const double sigma : {1.0, 1.7, 3.0, 20.0}) {
            CAPTURE(sigma);
            // Eight sigmas leave out nothing that shows; from sigma 1 on samples are as good as the
            // integral.
            const std::vector<double> first = gz::gaussian_taps(sigma, 1, 8.0);
            const std::vector<double> second = gz::gaussian_taps(sigma, 2, 8.0);
            const auto near = [](double value) { return doctest::Approx(value).epsilon(1e-5); };
            CHECK(correlated(first, [](double x) { return 3.0 * x + 7.0; }) == near(3.0));
            CHECK(correlated(first, [](double x) { return 5.0 - 0.25 * x; }) == near(-0.25));
            CHECK(correlated(first, [](double x) { return x * x; }) == doctest::Approx(0.0));
            CHECK(correlated(second, [](double x) { return 0.5 * x * x; }) == near(1.0));
            CHECK(std::abs(correlated(second, [](double x) { return 9.0 * x; })) < 1e-9);
            CHECK(std::abs(correlated(second, [](double) { return 1.0; })) < 1e-5);
        }
    }
}

TEST_SUITE("box filter") {
    TEST_CASE("keeps its radii and iterations") {
        const Filter filter = Filter::box({{3, 1, 0, 0}, 2});
        CHECK(to_text(filter).find("box of ") == 0);
        REQUIRE(filter.is<gz::Box>());
        CHECK(filter.get<gz::Box>().radius == gz::Axes{3, 1, 0, 0});
        CHECK(filter.get<gz::Box>().size() == gz::Axes{7, 3, 1, 1});
        CHECK(filter.get<gz::Box>().iterations == 2);
        CHECK(gz::to_text(filter) == "box of 7x3 pixels, 2 times");
        CHECK(gz::to_text(Filter::box({{0, 0, 0, 0}, 1})) == "box of 1x1 pixels, 1 time");
        CHECK_FALSE(Filter::correlate(make_taps(3, 3, Rank::one)).is<gz::Box>());
    }

    TEST_CASE("radii and iterations out of their ranges are refused") {
        check_box_refused(Status::invalid_argument, {"radius", "-1", "along x", "1048575"},
                          {{-1, 0, 0, 0}, 1});
        check_box_refused(Status::invalid_argument, {"radius", "1048576", "along y", "1048575"},
                          {{0, 1048576, 0, 0}, 1});
        check_box_refused(Status::invalid_argument, {"radius", "-5", "along z"},
                          {{1, 1, -5, 0}, 1});
        check_box_refused(Status::invalid_argument, {"0 iterations", "16"}, {{1, 1, 0, 0}, 0});
        check_box_refused(Status::invalid_argument, {"17 iterations", "16"}, {{1, 1, 0, 0}, 17});
        CHECK(Filter::box({{gz::max_box_radius, gz::max_box_radius, 0, 0}, 16})
                  .get<gz::Box>()
                  .size() == gz::Axes{2097151, 2097151, 1, 1});
    }

    TEST_CASE("the bound grows with the row, the pixels and the iterations, until sums overflow") {
        const auto bound = [](std::int64_t x, std::int64_t y, int iterations, double largest) {
            return Filter::box({{x, y, 0, 0}, iterations}).error_bound(largest);
        };
        CHECK(bound(1, 1, 1, 1.0) > 0.0);
        CHECK(bound(1, 1, 1, 1.0) < 1e-3);
        CHECK(bound(10000, 1, 1, 1.0) > bound(1, 1, 1, 1.0));
        CHECK(bound(1, 10000, 1, 1.0) == bound(1, 1, 1, 1.0));
        CHECK(bound(1, 1, 3, 1.0) == doctest::Approx(3.0 * bound(1, 1, 1, 1.0)));
        CHECK(bound(1, 1, 1, 256.0) == doctest::Approx(256.0 * bound(1, 1, 1, 1.0)));
        CHECK(bound(1, 1, 1, 3e37) < infinity);
        CHECK(bound(1, 1, 1, 4e37) == infinity); // 9 of them
    }
}

TEST_SUITE("taps per component") {
    TEST_CASE("components have their own taps, the others those of the filter") {
        const Filter base = Filter::correlate(make_taps(3, 3, Rank::full));
        const Filter one = Filter::separable(make_axis_taps({1, 2, 3}, {}));
        const Filter two = sampled({{1.0, 0, 0, 0}});
        const Filter both = base.with_component(0, one).with_component(7, two);
        CHECK(both.get<gz::Correlate>().name == "correlate");
        CHECK(both.get<gz::Correlate>().components.size() == 2);
        CHECK(both.get<gz::Correlate>().of(0).factors->x == one.get<gz::Correlate>().factors()->x);
        CHECK(both.get<gz::Correlate>().of(7).factors->x == two.get<gz::Correlate>().factors()->x);
        CHECK(both.get<gz::Correlate>().of(1).taps.values ==
              base.get<gz::Correlate>().taps().values);
        CHECK(both.get<gz::Correlate>().correlation.taps.values ==
              base.get<gz::Correlate>().taps().values);
        CHECK(base.get<gz::Correlate>().components.empty()); // a filter is a value
        // The last word counts.
        CHECK(both.with_component(0, two).get<gz::Correlate>().of(0).factors->x ==
              two.get<gz::Correlate>().factors()->x);
        CHECK(both.with_component(0, two).get<gz::Correlate>().components.size() == 2);
        CHECK(gz::to_text(base.with_component(2, one)) ==
              "correlate 3x3 taps, as a correlation anchored at (1, 1), not separable; component 2 "
              "3x1 taps, as a correlation anchored at (1, 0), separable");
    }

    TEST_CASE("numbers of no component, boxes and components of components are refused") {
        const Filter taps = Filter::correlate(make_taps(3, 3, Rank::full));
        const Filter box = Filter::box({{1, 1, 0, 0}, 1});
        const auto refuse = [](std::initializer_list<std::string> parts, const Filter &base,
                               std::int64_t component, const Filter &other) {
            check_refused(Status::invalid_argument, parts,
                          [&] { static_cast<void>(base.with_component(component, other)); });
        };
        refuse({"component is -1", "1023"}, taps, -1, taps);
        refuse({"component is 1024", "1023"}, taps, 1024, taps);
        CHECK(taps.with_component(1023, taps).get<gz::Correlate>().components.size() == 1);
        refuse({"box", "no taps"}, taps, 0, box);
        refuse({"box", "no taps"}, box, 0, taps);
        refuse({"box", "no taps"}, box, 0, box);
        refuse({"differ between components"}, taps, 0, taps.with_component(1, taps));
    }

    TEST_CASE("the bound is the largest of all components'") {
        const Filter small = Filter::correlate(make_taps(1, 1, 0, 0, {0.5}));
        const Filter large = Filter::correlate(make_taps(1, 1, 0, 0, {2.0}));
        CHECK(small.with_component(3, large).error_bound(1.0) == large.error_bound(1.0));
        CHECK(large.with_component(3, small).error_bound(1.0) == large.error_bound(1.0));
    }
}
