// Filters: what they keep, what they refuse, and what error they promise.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "filter/filter.hpp"
#include "support/unit.hpp"

using gz::Filter;
using gz::Status;
using gz::Taps;
using support::check_refused;
using support::make_taps;
using support::Rank;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Both ways to make a filter refuse the same.
void check_both_refuse(Status status, std::initializer_list<std::string> parts, const Taps &taps) {
    check_refused(status, parts, [&] { static_cast<void>(Filter::correlate(taps)); });
    check_refused(status, parts, [&] { static_cast<void>(Filter::convolve(taps)); });
}

} // namespace

TEST_SUITE("filter") {
    TEST_CASE("a correlation keeps its taps, a convolution turns them round") {
        const Taps taps = make_taps(3, 2, 2, 1, {1, 2, 3, 4, 5, 7});
        const Filter correlate = Filter::correlate(taps);
        CHECK(correlate.name() == "correlate");
        CHECK(correlate.taps().values == taps.values);
        CHECK(correlate.taps().size == taps.size);
        CHECK(correlate.taps().anchor == taps.anchor);
        const Filter convolve = Filter::convolve(taps);
        CHECK(convolve.name() == "convolve");
        CHECK(convolve.taps().values == std::vector<double>{7, 5, 4, 3, 2, 1});
        CHECK(convolve.taps().size == taps.size);
        CHECK(convolve.taps().anchor == gz::Axes{0, 0, 0, 0});
    }

    TEST_CASE("the factors are those of the correlation's taps") {
        const Taps product = make_taps(2, 3, 0, 0, {1, 2, 3, 6, 5, 10});
        for (const Filter &filter : {Filter::correlate(product), Filter::convolve(product)}) {
            CAPTURE(filter.name());
            REQUIRE(filter.factors().has_value());
            for (std::size_t j = 0; j < 3; ++j)
                for (std::size_t i = 0; i < 2; ++i)
                    CHECK(filter.factors()->x[i] * filter.factors()->y[j] ==
                          doctest::Approx(filter.taps().values[2 * j + i]).epsilon(1e-15));
        }
        const Taps none = make_taps(3, 3, Rank::full);
        CHECK_FALSE(Filter::correlate(none).factors().has_value());
        CHECK_FALSE(Filter::convolve(none).factors().has_value());
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
                CHECK(Filter::correlate(make_taps(3, 2, x, y, six)).taps().anchor ==
                      gz::Axes{x, y, 0, 0});
    }

    TEST_CASE("taps that are not finite in f32 are refused, the first by its place and value") {
        const auto with = [](double k) { return make_taps(2, 2, 0, 0, {1, 2, 3, k}); };
        check_both_refuse(Status::invalid_argument, {"tap 3", "nan"}, with(std::nan("")));
        check_both_refuse(Status::invalid_argument, {"tap 3", "inf"}, with(infinity));
        check_both_refuse(Status::invalid_argument, {"tap 3", "-inf"}, with(-infinity));
        check_both_refuse(Status::invalid_argument, {"tap 3", "1e+39"}, with(1e39));
        check_both_refuse(Status::invalid_argument, {"tap 3", "-1e+39"}, with(-1e39));
        const double largest = std::numeric_limits<float>::max();
        CHECK(Filter::correlate(with(-largest)).taps().values[3] == -largest);
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
        CHECK(Filter::correlate(ones(gz::max_taps, gz::max_taps)).factors().has_value());
        check_both_refuse(Status::unsupported, {"64", "along x", "63"}, ones(64, 1));
        check_both_refuse(Status::unsupported, {"100", "along y", "63"}, ones(1, 100));
        // Not even looked at, however large.
        check_both_refuse(
            Status::unsupported, {"4611686018427387904", "along x"},
            {{std::int64_t{1} << 62, std::int64_t{1} << 62, 1, 1}, {0, 0, 0, 0}, {1}});
    }

    TEST_CASE("taps along z or t are unsupported") {
        check_both_refuse(Status::unsupported, {"3x3x3", "z or t"},
                          {{3, 3, 3, 1}, {1, 1, 1, 0}, std::vector<double>(27, 1.0)});
        check_both_refuse(Status::unsupported, {"1x1x1x2", "z or t"},
                          {{1, 1, 1, 2}, {0, 0, 0, 0}, {1, 1}});
    }

    TEST_CASE("the error bound is that of a chain of fused multiply-adds") {
        // 9 fma and a rounding each, on taps of magnitude 45 in all.
        const Filter dense =
            Filter::correlate(make_taps(3, 3, 1, 1, {1, -2, 3, -4, 5, -6, 7, -8, -9}));
        REQUIRE_FALSE(dense.factors().has_value());
        const double u = 0x1p-24;
        CHECK(dense.error_bound(2.0) >= 10 * u * 45 * 2.0);
        CHECK(dense.error_bound(2.0) <= 12 * u * 45 * 2.0);
        // 3 + 3 fma, a rounding of each factor, and 4 u of tolerance.
        const Filter separable =
            Filter::correlate(make_taps(3, 3, 1, 1, std::vector<double>(9, -5.0)));
        REQUIRE(separable.factors().has_value());
        CHECK(separable.error_bound(2.0) >= 12 * u * 45 * 2.0);
        CHECK(separable.error_bound(2.0) <= 14 * u * 45 * 2.0);
    }

    TEST_CASE("the error bound grows with the number of taps, their magnitudes and the pixels") {
        for (const Rank rank : {Rank::one, Rank::full}) {
            double last = 0.0;
            for (std::int64_t size = 2; size <= gz::max_taps; ++size) {
                const Filter filter = Filter::correlate(make_taps(size, size, rank));
                REQUIRE(filter.factors().has_value() == (rank == Rank::one));
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
