// Non-local means: means of the pixels of a window that weigh those most whose surroundings are alike.
#pragma once

#include <cstdint>
#include <string>

#include "families/description.hpp"
#include "families/edge/weights.hpp"

namespace gz {

inline constexpr std::int64_t max_nlm_patch = 15, max_nlm_window = 63;

// Each slice by itself: the mean of the pixels q of the square window around p, each weighed by exp(-D / strength^2),
// where D is the mean, over channels too, of the squares of differences between the square patches around p and q: Buades,
// Coll and Morel, 2005. All channels of a pixel have one weight. The border extends what patches and windows see.
//
// In f32 pixels are multiplied by scale_of(), so that a square of 1/2 leaves no weight by itself. Squares of a pixel are a
// chain of fma by channel from 1/2 on, which ends at 1: what its bits count more than those of 1/2 is an integer up to 2^23.
// Sums of these over a patch are exact, in any order. A weight is a function of v = 1 - sum / 2^23, and is made of the sum as
// the bits of a float: see distance_scale(). Weights, and weights times pixels, are added to those of the pixel itself by
// pairs of opposite places of the window, (1, 0) to (r, 0) and then row by row below, of each pair the upper or left first.
struct NonLocalMeans {
    std::int64_t patch = 7, window = 21; // pixels a side, odd
    double strength = 1.0;
    double accuracy = 0.0; // of weights: see weights.hpp

    // Pixels on each side of a result that are read.
    std::int64_t reach() const { return window / 2 + patch / 2; }
};

NonLocalMeans non_local_means(const NonLocalMeans &wanted);

float scale_of(const NonLocalMeans &filter, int channels);

// Weights have v as fma(f, -unit, top), where f is the float of the bits of 2^-100 and a sum of squares.
WeightScale distance_scale(double accuracy);

std::string to_text(const NonLocalMeans &filter);
void check_border(const NonLocalMeans &filter, const Border &border);
double error_bound(const NonLocalMeans &filter, double largest);
double rounding_bound(const NonLocalMeans &filter, double largest);
AxesReach reach_of(const NonLocalMeans &filter);
bool rounds_once(const NonLocalMeans &filter, const Rounded &images);
Results results_of(const NonLocalMeans &filter);
void compute(const NonLocalMeans &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink);

} // namespace gz
