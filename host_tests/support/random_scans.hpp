// Scans that nobody designed, as users may mistype, round, or miscompute them.
#pragma once

#include <random>
#include <vector>

#include "families/recursive/recursion.hpp"

namespace support {

// One to three scans along an axis in one direction. Terms are drawn in one of several ways: with
// magnitudes from 1e-30 to 1e30, as products of poles and zeros that may be equal, cancel each other
// or lie on the unit circle, as designs of which few digits are left or a digit is wrong. Some are
// refused, as unstable or as no numbers.
std::vector<gz::Scan> random_scans(std::minstd_rand &random, int axis = 0, bool forward = true);

} // namespace support
