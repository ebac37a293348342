#include "core/half.hpp"

#include <cmath>
#include <limits>

namespace gz {

// IEEE 754-2019, section 3.4, binary16: 1 sign bit, 5 exponent bits with bias 15, 10 fraction bits.
double half_to_double(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 31;
    const int fraction = bits & 1023;
    double magnitude = 0.0;
    if (exponent == 31)
        magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                             : std::numeric_limits<double>::infinity();
    else if (exponent == 0)
        magnitude = std::ldexp(fraction, -24);
    else
        magnitude = std::ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

std::uint16_t half_from_float(float value) {
    const int sign = std::signbit(value) ? 0x8000 : 0;
    const float magnitude = std::abs(value);
    int bits = 0;
    if (std::isnan(value))
        bits = 0x7e00;
    else if (magnitude >= 65520.0F) // halfway from the largest half to what would be the next
        bits = 0x7c00;
    else if (magnitude < 0x1p-14F)
        bits = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 24)));
    else {
        int exponent = 0;
        const float fraction = std::frexp(magnitude, &exponent); // in [0.5, 1)
        // A fraction that rounds up to 2048 carries into the exponent, as it must.
        bits = ((exponent + 13) << 10) + static_cast<int>(std::nearbyint(std::ldexp(fraction, 11)));
    }
    return static_cast<std::uint16_t>(sign | bits);
}

} // namespace gz
