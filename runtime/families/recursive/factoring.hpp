// Scans of any order as factors: sections of one or two poles with as many zeros, and a gain; and sums
// of such sections, as kernels run them.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "core/line_stage.hpp"
#include "families/recursive/polynomial.hpp"
#include "families/recursive/recursion.hpp"

namespace gz {

// A scan's response to z^n is b(u) / a(u), u = 1/z the delay of a sample; a[0] is 1.
struct TransferFunction {
    Polynomial b, a;
};
TransferFunction transfer_function(const Scan &scan);

// A product of them.
using Cascade = std::vector<TransferFunction>;
ComplexDoubleDouble response(const Cascade &chain, ComplexDoubleDouble u);

// 1 / (1 + den[0] u + den[1] u^2): the poles of one section of the kernels.
struct Poles {
    std::array<DoubleDouble, 2> den{};
    int order = 2;
    double radius = 0.0, angle = 0.0; // modulus and angle of the slower pole
};

// Poles with as many zeros at most, num[0] + num[1] u + num[2] u^2. Two real poles of different signs
// are two sections' poles.
struct Factor {
    std::array<DoubleDouble, 3> num{DoubleDouble(1.0)};
    std::vector<Poles> poles;
    int order = 0;
    double radius = 0.0, angle = 0.0; // modulus and angle of the slowest pole
};

// Points of the unit circle, or of one around all poles where some lie on the unit circle or outside:
// 257 at even angles, and more beside every pole, the closer the closer it is to the circle.
std::vector<ComplexDoubleDouble> test_points(const std::vector<Factor> &factors, double circle);

struct Factored {
    std::vector<Factor> factors;                  // each of a largest gain of 1
    std::vector<std::array<DoubleDouble, 3>> fir; // zeros for which there are no poles, likewise
    DoubleDouble gain{1.0};
    double radius = 0.0; // the largest modulus of a pole
    double circle = 1.0; // the radius of the circle that the gains are those on
};

// Which coefficients at the ends of a polynomial are left out before its roots are found: those that cannot
// be seen in the response, which would put roots next to 0 or far away, or exact zeros alone.
enum class Trim { invisible, zeros };
Factored factored(const Cascade &chain, Trim trim);

// Returns the sum of sections and a constant that equals gain times the product of the causal factors and,
// with u for 1/u, the anticausal ones: partial fractions modulo each section's own denominator, so that the
// poles of one section may be equal. A section's poles must differ from those of the others.
LineStage stage_of(const std::vector<Factor> &causal, const std::vector<Factor> &anticausal,
                   DoubleDouble gain);

// Returns the product of the causal numerators and, with u for 1/u, the anticausal ones, as taps.
LineStage taps_of(const std::vector<std::array<DoubleDouble, 3>> &causal,
                  const std::vector<std::array<DoubleDouble, 3>> &anticausal, DoubleDouble gain);

// Returns the response of a stage to u^-n, from its double constants.
ComplexDoubleDouble response(const LineStage &stage, ComplexDoubleDouble u);

} // namespace gz
