// Tests which taps count as a row times a column, and reversed taps.
#include <doctest/doctest.h>

#include <cmath>

#include "families/correlate/taps.hpp"
#include "support/unit.hpp"

using gz::Taps;
using support::draw;
using support::make_taps;

namespace {

// The product of a random row and column without small values, rounded to f32.
Taps random_product(std::minstd_rand &random, std::int64_t width, std::int64_t height) {
    const auto factor = [&] {
        const double magnitude = static_cast<double>(draw(random, 2500, 10000)) / 9999.0;
        return random() % 2 ? magnitude : -magnitude;
    };
    std::vector<double> x, y, values;
    for (std::int64_t i = 0; i < width; ++i)
        x.push_back(factor());
    for (std::int64_t j = 0; j < height; ++j)
        y.push_back(factor());
    for (const double b : y)
        for (const double a : x)
            values.push_back(static_cast<double>(static_cast<float>(a * b)));
    return make_taps(width, height, 0, 0, values);
}

// Sum of the distances between the taps and the product of the factors.
double distance(const Taps &taps, const gz::SeparableTaps &factors) {
    double sum = 0.0;
    std::size_t at = 0;
    for (const double b : factors.y)
        for (const double a : factors.x)
            sum += std::abs(taps.values[at++] - a * b);
    return sum;
}

// 1 inside a circle around the middle, else 0.
Taps disk(std::int64_t radius) {
    std::vector<double> values;
    for (std::int64_t j = -radius; j <= radius; ++j)
        for (std::int64_t i = -radius; i <= radius; ++i)
            values.push_back(i * i + j * j <= radius * radius ? 1.0 : 0.0);
    return make_taps(2 * radius + 1, 2 * radius + 1, radius, radius, values);
}

} // namespace

TEST_SUITE("taps") {
    TEST_CASE("products of a row and a column are recognised, and the factors multiply back") {
        std::minstd_rand random(1);
        for (int turn = 0; turn < 300; ++turn) {
            const Taps taps = random_product(random, draw(random, 1, 15), draw(random, 1, 15));
            CAPTURE(gz::to_text(taps.size));
            const auto factors = gz::factors_of(taps);
            REQUIRE(factors.has_value());
            REQUIRE(factors->x.size() == static_cast<std::size_t>(taps.size[0]));
            REQUIRE(factors->y.size() == static_cast<std::size_t>(taps.size[1]));
            CHECK(distance(taps, *factors) <= gz::separable_tolerance * taps.sum_of_magnitudes());
        }
    }

    TEST_CASE("one tap changed by a thousandth, and they are a product no more") {
        std::minstd_rand random(2);
        for (int turn = 0; turn < 300; ++turn) {
            Taps taps = random_product(random, draw(random, 2, 15), draw(random, 2, 15));
            CAPTURE(gz::to_text(taps.size));
            REQUIRE(gz::factors_of(taps).has_value());
            taps.values[random() % taps.values.size()] *= 1.001;
            CHECK_FALSE(gz::factors_of(taps).has_value());
        }
    }

    TEST_CASE("the tolerance is where it says") {
        // The factors {1, 1 + e} and {1 / (1 + e), 1} miss the first tap by e; the sum is 4 + e.
        const auto taps = [](double e) { return make_taps(2, 2, 0, 0, {1, 1, 1, 1 + e}); };
        CHECK(gz::factors_of(taps(0.99 * 4 * gz::separable_tolerance)).has_value());
        CHECK_FALSE(gz::factors_of(taps(1.01 * 4 * gz::separable_tolerance)).has_value());
    }

    TEST_CASE("the decision does not depend on the scale of the taps") {
        for (const double scale : {0x1p-80, -1.0, 0x1p80}) {
            CAPTURE(scale);
            const auto scaled = [&](std::vector<double> values) {
                for (double &k : values)
                    k *= scale;
                return make_taps(3, 2, 0, 0, values);
            };
            const Taps product = scaled({1, 2, 3, 2, 4, 6});
            const auto factors = gz::factors_of(product);
            REQUIRE(factors.has_value());
            CHECK(distance(product, *factors) <= 1e-15 * product.sum_of_magnitudes());
            CHECK_FALSE(gz::factors_of(scaled({1, 2, 3, 2, 4, 7})).has_value());
        }
    }

    TEST_CASE("a row alone and a column alone are products, zeros among them or not") {
        const std::vector<double> values{0.25, 0.0, -3.0, 0.0, 7.5};
        const auto row = gz::factors_of(make_taps(5, 1, 2, 0, values));
        REQUIRE(row.has_value());
        CHECK(distance(make_taps(5, 1, 2, 0, values), *row) == 0.0);
        CHECK(row->y == std::vector<double>{1.0});
        const auto column = gz::factors_of(make_taps(1, 5, 0, 2, values));
        REQUIRE(column.has_value());
        CHECK(column->x == std::vector<double>{7.5});
        CHECK(distance(make_taps(1, 5, 0, 2, values), *column) <= 1e-15);
        CHECK(gz::factors_of(make_taps(1, 1, 0, 0, {-2.0})).has_value());
    }

    TEST_CASE("one tap that is not zero, anywhere, is a product") {
        for (std::size_t at = 0; at < 9; ++at) {
            std::vector<double> values(9, 0.0);
            values[at] = -0.5;
            const auto factors = gz::factors_of(make_taps(3, 3, 1, 1, values));
            REQUIRE(factors.has_value());
            CHECK(distance(make_taps(3, 3, 1, 1, values), *factors) == 0.0);
        }
    }

    TEST_CASE("taps of higher rank are no products") {
        CHECK_FALSE(gz::factors_of(disk(1)).has_value());
        CHECK_FALSE(gz::factors_of(disk(3)).has_value());
        CHECK_FALSE(gz::factors_of(make_taps(2, 2, 0, 0, {1, 0, 0, 1})).has_value());
        CHECK_FALSE(
            gz::factors_of(make_taps(3, 3, 1, 1, {0, 1, 0, 1, -4, 1, 0, 1, 0})).has_value());
    }

    TEST_CASE("taps that are all zero, or extend along z or t, are no products") {
        CHECK_FALSE(gz::factors_of(make_taps(3, 2, 0, 0, std::vector<double>(6, 0.0))).has_value());
        CHECK_FALSE(gz::factors_of(make_taps(1, 1, 0, 0, {0.0})).has_value());
        CHECK_FALSE(gz::factors_of({{1, 1, 2, 1}, {0, 0, 0, 0}, {1, 1}}).has_value());
        CHECK_FALSE(gz::factors_of({{1, 1, 1, 2}, {0, 0, 0, 0}, {1, 1}}).has_value());
    }

    TEST_CASE("reversing turns both axes round and the anchor with them") {
        const Taps taps = make_taps(3, 2, 2, 0, {1, 2, 3, 4, 5, 6});
        const Taps turned = gz::reversed(taps);
        CHECK(turned.values == std::vector<double>{6, 5, 4, 3, 2, 1});
        CHECK(turned.size == taps.size);
        CHECK(turned.anchor == gz::Axes{0, 1, 0, 0});
        // The anchor stays on the tap that it was on.
        CHECK(turned.values[1 * 3 + 0] == taps.values[0 * 3 + 2]);
        const Taps again = gz::reversed(turned);
        CHECK(again.values == taps.values);
        CHECK(again.anchor == taps.anchor);
        // The middle of an even size moves.
        CHECK(gz::reversed(make_taps(4, 1, 2, 0, {1, 2, 3, 4})).anchor == gz::Axes{1, 0, 0, 0});
    }

    TEST_CASE("sum of magnitudes") {
        CHECK(make_taps(2, 2, 0, 0, {1, -2, 0.5, 0}).sum_of_magnitudes() == 3.5);
        CHECK(make_taps(1, 1, 0, 0, {0}).sum_of_magnitudes() == 0.0);
    }
}
