// Weights of edge-aware filters: exp(-u), where u says how unlike two pixels are.
#pragma once

#include <array>
#include <string>

namespace gz {

// Kernels make weights of v = top - unit u, in one of two ways.
struct WeightScale {
    double top, unit;
};

// The way that has the same bits everywhere. A weight is a function of max(v, 0), where v = 1 - u / weight_reach: a
// polynomial p0 v^3 + p1 v^2 + p2 v + p3, squared four times, with p4, p5 and p6 added after the first three. Rounded to
// f32 at each step it is within weight_error of exp(-u), and less than 1e-20 where v is 0: pixels that differ without
// measure change nothing.
inline constexpr double weight_reach = 18.0;
inline constexpr double weight_error = 1.5e-6;
inline constexpr std::array<float, 7> weight_terms = {0.293249905F,   -0.313464969F, 0.934487402F,
                                                      0.0465397313F,  0.0624572039F, 0.029112963F,
                                                      -0.00110816525F};
float weight_of(float v);

// The device's own exp2(v), with v = -u / ln 2. OpenCL has it within 3 units in the last place, and NVIDIA its
// approximate one within 2: weights are within least_accuracy of exp(-u), the rounding of v aside. Those of patches are
// less by exp(-weight_reach).
inline constexpr double least_accuracy = 1e-6;

// Whether weights are made by the device. accuracy: 0, or least_accuracy or more.
inline bool are_of_device(double accuracy) {
    return accuracy > 0.0;
}
WeightScale weight_scale(double accuracy);

// Refuses accuracies that cannot be had. what: the filter.
void check_accuracy(double accuracy, const char *what);

// The line of explain() about weights.
std::string weights_text(double accuracy);

// Bounds the error of a weighted mean of n pixels whose magnitudes reach `largest`. exponent_steps: roundings of u.
double mean_error(double pixels, double exponent_steps, double largest);

} // namespace gz
