// Derivatives of images, by differences of three pixels or by Gaussians, and what is made of several of them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "families/description.hpp"
#include "families/gaussian/gaussian.hpp"

namespace gz {

enum class DerivativeMethod : gauze_derivative_method {
    central = GAUZE_DERIVATIVE_CENTRAL,
    sobel = GAUZE_DERIVATIVE_SOBEL,
    prewitt = GAUZE_DERIVATIVE_PREWITT,
    scharr = GAUZE_DERIVATIVE_SCHARR,
    gaussian = GAUZE_DERIVATIVE_GAUSSIAN
};

enum class DerivativeResult : gauze_derivative_result {
    first = GAUZE_DERIVATIVE_FIRST,
    second = GAUZE_DERIVATIVE_SECOND,
    laplacian = GAUZE_DERIVATIVE_LAPLACIAN,
    magnitude = GAUZE_DERIVATIVE_MAGNITUDE,
    orientation = GAUZE_DERIVATIVE_ORIENTATION
};

// The fields of gauze_derivative in gauze.h.
struct DerivativeRequest {
    DerivativeMethod method = DerivativeMethod::central;
    DerivativeResult result = DerivativeResult::first;
    int dimensions = 2;            // axes, from x on; of Gaussians those with a sigma count
    std::array<int, 2> axes{0, 0}; // along which to derive: one for first, both for second
    Gaussian gaussian{};           // without derivatives
};

// A result that is made of several derivatives, pixel by pixel. A single derivative is a filter of another
// family.
struct Derivative {
    DerivativeResult result = DerivativeResult::magnitude; // laplacian, magnitude or orientation
    std::vector<Filter> filters;                           // along x, y, ...
    std::vector<double> gains; // of each: bound of its results for pixels up to 1
    std::string name;          // as people call the filter
};

// Returns the filter, of this family or another. Refuses methods that do not have the result, axes that are not
// among the dimensions, and what a Gaussian refuses.
Filter derivative(const DerivativeRequest &request);

std::string to_text(const Derivative &filter);
void check_border(const Derivative &filter, const Border &border);
double error_bound(const Derivative &filter, double largest);
double rounding_bound(const Derivative &filter, double largest);
AxesReach reach_of(const Derivative &filter);
bool rounds_once(const Derivative &filter, const Rounded &images);
Results results_of(const Derivative &filter);
// An orientation is that of the derivatives as f32 holds them: where these are next to nothing, their rounding
// may turn it anywhere.
void compute(const Derivative &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink);

// Bounds |orientation - exact orientation| of derivatives in f32, in radians.
inline constexpr double orientation_error = 5e-7;

} // namespace gz
