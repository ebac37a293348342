// Roots of polynomials with real coefficients.
#pragma once

#include <complex>
#include <vector>

namespace gz {

// The poles of 1 / (1 - a[0] z^-1 - ... - a[r-1] z^-r), largest modulus first, each as often as it
// occurs; conjugates follow one another, the one above the real axis first. Poles that lie so close
// together that rounding the coefficients could have parted them are moved to their mean.
std::vector<std::complex<double>> poles_of(const std::vector<double> &feedback);

// Coefficients of the product of two polynomials, lowest power first.
std::vector<double> product(const std::vector<double> &p, const std::vector<double> &q);

} // namespace gz
