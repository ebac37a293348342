// The kernels' own formulas on floats, which are made of operations that the host has too.
#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "core/fma.hpp"

namespace formulas {
using gz::fma;
using std::copysign;
using std::fabs;
using std::fmax;
using std::fmin;
inline float as_float(std::uint32_t bits) {
    return std::bit_cast<float>(bits);
}
inline std::uint32_t as_uint(float value) {
    return std::bit_cast<std::uint32_t>(value);
}
#define REAL float
#define AS_REAL as_float
#define AS_BITS as_uint
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wuseless-cast"
#include "lib/arithmetic.clh"
#include "lib/root.clh"
// It needs those above.
#include "lib/eigenvalues.clh"
#pragma GCC diagnostic pop
#undef REAL
#undef AS_REAL
#undef AS_BITS
} // namespace formulas
