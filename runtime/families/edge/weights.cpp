#include "families/edge/weights.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/fma.hpp"

namespace gz {

float weight_of(float v) {
    const std::array<float, 7> &p = weight_terms;
    float y = fma(p[0], v, p[1]);
    y = fma(y, v, p[2]);
    y = fma(y, v, p[3]);
    y = fma(y, y, p[4]);
    y = fma(y, y, p[5]);
    y = fma(y, y, p[6]);
    return y * y;
}

WeightScale weight_scale(double accuracy) {
    constexpr double log2_e = 1.44269504088896340736;
    return are_of_device(accuracy) ? WeightScale{0.0, log2_e}
                                   : WeightScale{1.0, 1.0 / weight_reach};
}

void check_accuracy(double accuracy, const char *what) {
    require(accuracy == 0.0 || (accuracy >= least_accuracy && std::isfinite(accuracy)), "the ",
            what, "'s accuracy is ", accuracy,
            "; it must be 0, for the same bits on every device, or at least ", least_accuracy);
}

std::string weights_text(double accuracy) {
    return are_of_device(accuracy)
               ? text("weights: the device's exp2 and division, as the accuracy ", accuracy,
                      " allows")
               : "weights: a polynomial, with the same bits on every device";
}

// An error of k w in each weight moves the mean by up to 2 k max |d|, and one of k in all n of them by n k max |d|, where
// |d|, the distance of a pixel from the mean, is at most twice the largest magnitude. The sum of weights is at least 1.
double mean_error(double pixels, double exponent_steps, double largest) {
    constexpr double u = 0x1p-24; // unit roundoff of f32
    const double exponent = weight_reach * exponent_steps * u;
    const double differences = 2.0 * largest;
    const double weights = 2.0 * exponent + (pixels - 1.0) * weight_error;
    const double sums = 2.0 * pixels * u;
    constexpr double quotient_and_pixel = 8.0 * u;
    return differences * (weights + sums + quotient_and_pixel);
}

} // namespace gz
