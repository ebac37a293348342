// Non-local means: means of the pixels of a window that weigh those most whose surroundings are alike.
#pragma once

#include <cstdint>
#include <string>

#include "families/description.hpp"

namespace gz {

inline constexpr std::int64_t max_nlm_patch = 15, max_nlm_window = 63;

// Each slice by itself: the mean of the pixels q of the square window around p, each weighed by exp(-D / strength^2),
// where D is the mean, over channels too, of the squares of differences between the square patches around p and q: Buades,
// Coll and Morel, 2005. All channels of a pixel have one weight. The border extends what patches and windows see.
//
// In f32 squares of a pixel are one chain of fma by channel; those of a patch are added down its columns and then along
// the row of these sums, both as P(n) says; weights, and weights times pixels, are added to those of the pixel itself by
// pairs of opposite places of the window, (1, 0) to (r, 0) and then row by row below, of each pair the upper or left first.
//   P(n) = the sum of the largest power of two up to n of terms, in halves, and so on of the rest:
//   P(7) = (((a + b) + (c + d)) + (e + f)) + g
struct NonLocalMeans {
    std::int64_t patch = 7, window = 21; // pixels a side, odd
    double strength = 1.0;
    double accuracy = 0.0; // of weights: see weights.hpp

    // Pixels on each side of a result that are read.
    std::int64_t reach() const { return window / 2 + patch / 2; }
};

NonLocalMeans non_local_means(const NonLocalMeans &wanted);

// Weights have v as fma(e, -scale, top), where e is the sum of squares of differences of two patches.
float scale_of(const NonLocalMeans &filter, int channels);

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
