// Derivatives of images, by differences of three pixels or by Gaussians, and what is made of several of them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/border.hpp"
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
    orientation = GAUZE_DERIVATIVE_ORIENTATION,
    eigenvalue = GAUZE_DERIVATIVE_EIGENVALUE,
    structure = GAUZE_DERIVATIVE_STRUCTURE
};

// The fields of gauze_derivative in gauze.h.
struct DerivativeRequest {
    DerivativeMethod method = DerivativeMethod::central;
    DerivativeResult result = DerivativeResult::first;
    int dimensions = 2; // axes, from x on; of Gaussians those with a sigma count
    // Along which to derive: one for first, both for second and structure. The first one is the number of an
    // eigenvalue, the largest of which is 0.
    std::array<int, 2> axes{0, 0};
    Gaussian gaussian{};               // without derivatives
    std::optional<Gaussian> smoothing; // of structure
};

// A result that is made of several derivatives, pixel by pixel. A single derivative is a filter of another
// family.
struct Derivative {
    DerivativeResult result = DerivativeResult::magnitude; // neither first nor second
    // Along x, y, ...; of eigenvalues xx, xy, yy, or xx, xy, xz, yy, yz, zz; of a structure tensor's entry the
    // two that are multiplied, or the one that is squared.
    std::vector<Filter> filters;
    std::vector<double> gains; // of each: bound of its results for pixels up to 1
    std::string name;          // as people call the filter
    int number = 0;            // of an eigenvalue: the largest is 0
    std::vector<Filter> means; // of structure: the one that smooths the products
    double mean_gain = 1.0;    // the sum of magnitudes of its weights

    // Returns the mean's border, for the plan's: beyond the edge products of derivatives of a constant are 0.
    static Border border_of_products(Border border) {
        border.value = 0.0;
        return border;
    }
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

// Bounds |eigenvalue - exact eigenvalue| of a matrix of f32 by the root of the sum of squares of its entries.
inline constexpr double eigenvalue_error = 12.0 * 0x1p-24;

} // namespace gz
