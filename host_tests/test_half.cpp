// Half precision against values known by hand and against the definition of rounding.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/half.hpp"

using gz::half_from_float;
using gz::half_to_double;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

float half_to_float(unsigned bits) {
    return static_cast<float>(half_to_double(static_cast<std::uint16_t>(bits)));
}

bool is_nan(unsigned bits) {
    return (bits & 0x7fff) > 0x7c00;
}

} // namespace

TEST_SUITE("half") {
    TEST_CASE("known values") {
        CHECK(half_to_double(0x3c00) == 1.0);
        CHECK(half_to_double(0xc000) == -2.0);
        CHECK(half_to_double(0x3555) == 0.333251953125);
        CHECK(half_to_double(0x7bff) == 65504.0);
        CHECK(half_to_double(0x0400) == 0x1p-14);
        CHECK(half_to_double(0x03ff) == 1023 * 0x1p-24);
        CHECK(half_to_double(0x0001) == 0x1p-24);
        CHECK(half_to_double(0x8001) == -0x1p-24);
        CHECK(half_to_double(0x7c00) == std::numeric_limits<double>::infinity());
        CHECK(half_to_double(0xfc00) == -std::numeric_limits<double>::infinity());
        CHECK(std::isnan(half_to_double(0x7c01)));
        CHECK(std::isnan(half_to_double(0xffff)));
    }

    TEST_CASE("larger bits are larger values") {
        for (unsigned bits = 0; bits < 0x7c00; ++bits)
            REQUIRE(half_to_float(bits) < half_to_float(bits + 1));
    }

    TEST_CASE("every bit pattern survives the way to f32 and back") {
        for (unsigned bits = 0; bits <= 0xffff; ++bits) {
            CAPTURE(bits);
            const std::uint16_t back = half_from_float(half_to_float(bits));
            if (is_nan(bits))
                REQUIRE(is_nan(back));
            else
                REQUIRE(back == bits);
        }
    }

    TEST_CASE("a float between any two neighbours goes to the nearer, halfway to the even one") {
        for (unsigned bits = 0; bits < 0x7bff; ++bits) {
            CAPTURE(bits);
            const float low = half_to_float(bits);
            const float high = half_to_float(bits + 1);
            const float middle =
                (low + high) / 2; // exact: f32 has more digits than two halves need
            const unsigned even = bits % 2 ? bits + 1 : bits;
            REQUIRE(half_from_float(middle) == even);
            REQUIRE(half_from_float(std::nextafter(middle, low)) == bits);
            REQUIRE(half_from_float(std::nextafter(middle, high)) == bits + 1);
            REQUIRE(half_from_float(-middle) == (even | 0x8000));
            REQUIRE(half_from_float(-std::nextafter(middle, low)) == (bits | 0x8000));
            REQUIRE(half_from_float(-std::nextafter(middle, high)) == ((bits + 1) | 0x8000));
        }
    }

    TEST_CASE("ties to even, by hand, in several binades") {
        CHECK(half_from_float(1.0F + 0x1p-11F) == 0x3c00);     // between 1 and 1 + 2^-10
        CHECK(half_from_float(1.0F + 3 * 0x1p-11F) == 0x3c02); // between 1 + 2^-10 and 1 + 2^-9
        CHECK(half_from_float(2.0F - 0x1p-11F) == 0x4000);     // carries into the exponent
        CHECK(half_from_float(2049.0F) == 0x6800);             // 2048
        CHECK(half_from_float(2051.0F) == 0x6802);             // 2052
        CHECK(half_from_float(0x1p-14F + 0x1p-25F) == 0x0400);
        CHECK(half_from_float(0x1p-14F - 0x1p-25F) == 0x0400); // the largest subnormal is odd
        CHECK(half_from_float(1.5F * 0x1p-24F) == 0x0002);
        CHECK(half_from_float(0x1p-25F) == 0x0000);
        CHECK(half_from_float(std::nextafter(0x1p-25F, 1.0F)) == 0x0001);
    }

    TEST_CASE("overflow") {
        CHECK(half_from_float(65504.0F) == 0x7bff);
        CHECK(half_from_float(65519.99F) == 0x7bff);
        CHECK(half_from_float(std::nextafter(65520.0F, 0.0F)) == 0x7bff);
        CHECK(half_from_float(65520.0F) == 0x7c00);
        CHECK(half_from_float(-65519.99F) == 0xfbff);
        CHECK(half_from_float(-65520.0F) == 0xfc00);
        CHECK(half_from_float(std::numeric_limits<float>::max()) == 0x7c00);
        CHECK(half_from_float(infinity) == 0x7c00);
        CHECK(half_from_float(-infinity) == 0xfc00);
    }

    TEST_CASE("zeros keep their sign, and so does what rounds to zero") {
        CHECK(half_from_float(0.0F) == 0x0000);
        CHECK(half_from_float(-0.0F) == 0x8000);
        CHECK(std::signbit(half_to_double(0x8000)));
        CHECK_FALSE(std::signbit(half_to_double(0x0000)));
        CHECK(half_from_float(-0x1p-26F) == 0x8000);
        CHECK(half_from_float(std::numeric_limits<float>::denorm_min()) == 0x0000);
        CHECK(half_from_float(-std::numeric_limits<float>::denorm_min()) == 0x8000);
    }
}
