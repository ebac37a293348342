#include "core/fma.hpp"

#include <bit>
#include <cstdint>
#include <limits>

#include "core/double_double.hpp"

namespace gz {

namespace {

// Returns high + low, where high is that sum rounded, rounded to odd: what is inexact gets a last bit of 1, so that
// rounding once more to fewer digits is as if there had been one rounding. S. Boldo and G. Melquiond, Emulation of
// FMA and correctly rounded sums: proved algorithms using rounding to odd, IEEE Transactions on Computers 57, 2008.
double to_odd(DoubleDouble sum) {
    const auto bits = std::bit_cast<std::uint64_t>(sum.high);
    if (sum.low == 0.0 || !std::isfinite(sum.high) || (bits & 1) != 0)
        return sum.high;
    const double towards = (sum.low > 0.0 ? 1 : -1) * std::numeric_limits<double>::infinity();
    return std::nextafter(sum.high, towards);
}

// Returns a * b exactly, of numbers in [1/2, 1): T. J. Dekker, see double_double.hpp.
DoubleDouble product(double a, double b) {
    constexpr double splitter = 134217729.0; // 2^27 + 1
    const auto high_half = [](double value) {
        const double scaled = splitter * value;
        return scaled - (scaled - value);
    };
    const double a_high = high_half(a);
    const double a_low = a - a_high;
    const double b_high = high_half(b);
    const double b_low = b - b_high;
    const double p = a * b;
    return {p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

} // namespace

float fma_in_steps(float a, float b, float c) {
    // The product is exact in double.
    const double product = static_cast<double>(a) * static_cast<double>(b);
    return static_cast<float>(to_odd(double_double::sum(product, static_cast<double>(c))));
}

double fma_in_steps(double a, double b, double c) {
    if (a == 0.0 || b == 0.0 || c == 0.0 || !std::isfinite(a) || !std::isfinite(b) ||
        !std::isfinite(c))
        return a * b + c;
    // Both factors in [1/2, 1), so that nothing overflows.
    int a_exponent = 0;
    int b_exponent = 0;
    const DoubleDouble p = product(std::frexp(a, &a_exponent), std::frexp(b, &b_exponent));
    const int exponent = a_exponent + b_exponent;
    constexpr int far =
        200; // in binary digits, where one summand is less than a rounding of the other
    const int c_exponent = std::ilogb(c) - exponent;
    if (c_exponent > far)
        return c;
    const double addend =
        c_exponent < -far ? std::copysign(std::ldexp(1.0, -far), c) : std::ldexp(c, -exponent);
    const DoubleDouble low = double_double::sum(addend, p.low);
    const DoubleDouble high = double_double::sum(p.high, low.high);
    const double rest = to_odd(double_double::sum(low.low, high.low));
    return std::ldexp(high.high + rest, exponent);
}

#ifdef __MINGW32__

namespace {

[[gnu::target("fma")]] float fma_of_processor(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}

[[gnu::target("fma")]] double fma_of_processor(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}

const bool processor_has_fma = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("fma") != 0;
}();

} // namespace

float fma(float a, float b, float c) {
    return processor_has_fma ? fma_of_processor(a, b, c) : fma_in_steps(a, b, c);
}

double fma(double a, double b, double c) {
    return processor_has_fma ? fma_of_processor(a, b, c) : fma_in_steps(a, b, c);
}

#endif

} // namespace gz
