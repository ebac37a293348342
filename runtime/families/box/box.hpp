// Means over boxes of pixels.
#pragma once

#include "families/description.hpp"

namespace gz {

// The mean of a box of pixels, several times over.
struct Box {
    Axes radius{0, 0, 0, 0};
    int iterations = 1;
    bool stands_for_gaussian = false;

    Axes size() const {
        return {2 * radius[0] + 1, 2 * radius[1] + 1, 2 * radius[2] + 1, 2 * radius[3] + 1};
    }
    bool is_volume() const { return radius[2] > 0 || radius[3] > 0; }
    // Returns the same bound as Correlation's, for floating-point pixels. One sum of 2 r + 1 pixels along x
    // takes as many additions; it is then updated by adding and subtracting over at most max(4096, 2 r + 1)
    // pixels, and each step errs by u of the sum. Sums along y are kept in two floats.
    double error_bound(double largest) const;
};

// Refuses radii and iterations out of range.
Box checked(const Box &box);

std::string to_text(const Box &filter);
void check_border(const Box &filter, const Border &border);
double error_bound(const Box &filter, double largest);
double rounding_bound(const Box &filter, double largest);
AxesReach reach_of(const Box &filter);
bool rounds_once(const Box &filter, const Rounded &images);
Results results_of(const Box &filter);
void compute(const Box &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink);

inline constexpr std::int64_t max_box_radius = (std::int64_t{1} << 20) - 1;
inline constexpr int max_box_iterations = 16;

} // namespace gz
