// Numbers of about 32 digits, each the sum of two doubles, and complex numbers of them. After T. J.
// Dekker, A floating-point technique for extending the available precision, Numerische Mathematik
// 18, 1971, with a fused multiply-add in place of his splitting. Code that uses them must not be
// compiled with contraction.
#pragma once

#include "core/fma.hpp"

namespace gz {

struct DoubleDouble {
    double high = 0.0, low = 0.0; // |low| is at most half a unit in the last place of high

    constexpr DoubleDouble() = default;
    constexpr DoubleDouble(double h, double l = 0.0) : high(h), low(l) {}
};

namespace double_double {

// Returns a + b exactly.
inline DoubleDouble sum(double a, double b) {
    const double s = a + b;
    const double part = s - a;
    return {s, (a - (s - part)) + (b - part)};
}

// The same where |a| >= |b|.
inline DoubleDouble ordered_sum(double a, double b) {
    const double s = a + b;
    return {s, b - (s - a)};
}

} // namespace double_double

inline DoubleDouble operator-(DoubleDouble a) {
    return {-a.high, -a.low};
}
inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    DoubleDouble s = double_double::sum(a.high, b.high);
    const DoubleDouble rest = double_double::sum(a.low, b.low);
    s = double_double::ordered_sum(s.high, s.low + rest.high);
    return double_double::ordered_sum(s.high, s.low + rest.low);
}
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) {
    return a + -b;
}
inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    const double p = a.high * b.high;
    const double rest = fma(a.high, b.high, -p);
    return double_double::ordered_sum(p, rest + (a.high * b.low + a.low * b.high));
}
inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
    const double first = a.high / b.high;
    const DoubleDouble rest = a - b * DoubleDouble(first);
    const double second = rest.high / b.high;
    const DoubleDouble last = rest - b * DoubleDouble(second);
    return double_double::ordered_sum(first, second) + DoubleDouble(last.high / b.high);
}

inline double to_double(DoubleDouble a) {
    return a.high;
}

struct ComplexDoubleDouble {
    DoubleDouble re, im;

    constexpr ComplexDoubleDouble() = default;
    constexpr ComplexDoubleDouble(DoubleDouble r, DoubleDouble i = {}) : re(r), im(i) {}
};

inline ComplexDoubleDouble operator+(ComplexDoubleDouble a, ComplexDoubleDouble b) {
    return {a.re + b.re, a.im + b.im};
}
inline ComplexDoubleDouble operator-(ComplexDoubleDouble a, ComplexDoubleDouble b) {
    return {a.re - b.re, a.im - b.im};
}
inline ComplexDoubleDouble operator*(ComplexDoubleDouble a, ComplexDoubleDouble b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline ComplexDoubleDouble operator*(DoubleDouble a, ComplexDoubleDouble b) {
    return {a * b.re, a * b.im};
}
inline ComplexDoubleDouble conj(ComplexDoubleDouble a) {
    return {a.re, -a.im};
}
// |a|, to double's precision.
inline double magnitude(ComplexDoubleDouble a) {
    return std::hypot(a.re.high, a.im.high);
}
inline ComplexDoubleDouble operator/(ComplexDoubleDouble a, ComplexDoubleDouble b) {
    // Scaled, so that the squares neither overflow nor vanish.
    const double size = std::abs(b.re.high) + std::abs(b.im.high);
    const DoubleDouble scale(std::ldexp(1.0, size > 0.0 ? -std::ilogb(size) : 0));
    b = scale * b;
    const DoubleDouble inverse = scale / (b.re * b.re + b.im * b.im);
    return inverse * (a * conj(b));
}

} // namespace gz
