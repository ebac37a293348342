// Polynomials with real coefficients: their roots, to some 30 digits.
#pragma once

#include <vector>

#include "core/double_double.hpp"

namespace gz {

// Coefficients of c[0] + c[1] u + c[2] u^2 + ...
using Polynomial = std::vector<DoubleDouble>;

// Returns the value at u.
ComplexDoubleDouble value_at(const Polynomial &polynomial, ComplexDoubleDouble u);

// Returns the coefficients of the product.
Polynomial product(const Polynomial &p, const Polynomial &q);

// Roots of a polynomial. The coefficients of the product of their factors are those of the polynomial
// to its last digits but few, also where roots occur several times: an m-fold root comes as a ring of
// m roots around it, the product of whose factors is exact.
struct Roots {
    std::vector<DoubleDouble> real;
    std::vector<ComplexDoubleDouble> upper; // one of each conjugate pair, the one above the axis
    // The sum of the coefficients' errors in the product of all factors, over the sum of their
    // magnitudes.
    double backward_error = 0.0;
};

// Returns the z of c[0] z^n + c[1] z^(n-1) + ... + c[n] = 0. The first and the last coefficient are not 0.
// After D. A. Bini, Numerical computation of polynomial zeros by means of Aberth's method, Numerical
// Algorithms 13, 1996, for the start, O. Aberth's iteration, and then K. Weierstrass's for all roots at once.
Roots roots_of(const Polynomial &c);

// Whether all poles z of 1 / (1 + a[1] u + a[2] u^2 + ...), u = 1/z, lie inside the unit circle: I.
// Schur's and A. Cohn's test. a[0] is 1.
bool is_stable(Polynomial a);

} // namespace gz
