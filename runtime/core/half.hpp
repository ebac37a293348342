// IEEE half precision as stored: exact to double, and back with round to nearest even.
#pragma once

#include <cstdint>

namespace gz {

double half_to_double(std::uint16_t bits);
std::uint16_t half_from_float(float value);

} // namespace gz
