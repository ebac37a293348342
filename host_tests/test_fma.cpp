// fma in operations that round each for itself, beside that of the C library, or of the processor.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "core/fma.hpp"

namespace {

template <class T, class Bits> bool is_same(T a, T b) {
    return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b) || (std::isnan(a) && std::isnan(b));
}

// Returns how many of so many random triples differ. spread: of exponents, in binary digits.
template <class T, class Bits> int differences(int count, int spread) {
    std::mt19937_64 random(20260101);
    std::uniform_real_distribution<T> value(-1, 1);
    std::uniform_int_distribution<int> exponent(-spread, spread);
    // Few digits: exact sums, and halves of a unit in the last place.
    const auto number = [&](bool is_short) {
        const T x = is_short ? std::nearbyint(std::ldexp(value(random), 10)) : value(random);
        return std::ldexp(x, exponent(random));
    };
    int differing = 0;
    for (int i = 0; i < count; ++i) {
        const T a = number(i % 3 == 0);
        const T b = number(i % 5 == 0);
        // A sum that nearly vanishes shows what the product loses.
        const T c = i % 4 == 0 ? -a * b : number(i % 7 == 0);
        differing += !is_same<T, Bits>(gz::fma_in_steps(a, b, c), gz::fma(a, b, c));
    }
    return differing;
}

} // namespace

TEST_SUITE("fma") {
    TEST_CASE("in steps is the same as at once") {
        for (const int spread : {0, 3, 30, 60})
            CHECK(differences<float, std::uint32_t>(300000, spread) == 0);
        for (const int spread : {0, 3, 30, 100, 200})
            CHECK(differences<double, std::uint64_t>(300000, spread) == 0);
    }

    TEST_CASE("extremes") {
        constexpr float largest = std::numeric_limits<float>::max();
        constexpr float least = std::numeric_limits<float>::denorm_min();
        constexpr float infinite = std::numeric_limits<float>::infinity();
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        const std::array<float, 15> values{0.0F,     -0.0F,    1.0F,      -1.0F,    0.1F,
                                           least,    -least,   1.0e-38F,  3.0e-20F, largest,
                                           -largest, infinite, -infinite, 1.0e20F,  nan};
        for (const float a : values)
            for (const float b : values)
                for (const float c : values) {
                    CAPTURE(a);
                    CAPTURE(b);
                    CAPTURE(c);
                    CHECK(
                        is_same<float, std::uint32_t>(gz::fma_in_steps(a, b, c), gz::fma(a, b, c)));
                    CHECK(is_same<double, std::uint64_t>(
                        gz::fma_in_steps(double{a}, double{b}, double{c}),
                        gz::fma(double{a}, double{b}, double{c})));
                }
    }
}
