// Recursive filters, described: scans along the axes, and pairs of exponentials.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace gz {

// y[n] = sum over i of feedforward[i] x[n - i] + sum over i of feedback[i] y[n - 1 - i], n counting
// in the direction of the scan.
struct Scan {
    int axis = 0; // x, y, z, t
    bool forward = true;
    std::vector<double> feedforward{1.0};
    std::vector<double> feedback;
};

// The response of a symmetric or odd filter along one axis: what a pixel of 1 among zeros leaves n
// pixels further along the axis is the sum over k of Re(weights[k] poles[k]^|n|); odd: times the
// sign of n, and 0 at n = 0. A pair of conjugate poles is one mode.
struct Modes {
    std::vector<std::complex<double>> poles, weights;
    double direct = 0.0; // more at n = 0
    bool odd = false;

    bool empty() const { return poles.empty() && direct == 0.0; }
};

// How the caller wants scans to be run. A hint: results are the same but for rounding.
struct Grouping {
    // Numbers of the scans that one trip through memory computes, in the order of the trips; none:
    // chosen automatically. A trip along several axes is one along each, for axes commute; scans of
    // one axis keep their order.
    std::vector<std::vector<std::size_t>> trips;
    std::int64_t tile = 0; // pixels along each filtered axis; 0: chosen automatically
};

// What modes stand in for: the response wanted at distances 0, 1, ..., of the parity of the modes,
// and the sum over all distances of how far theirs is from it.
struct Approximated {
    std::vector<double> response; // none: the modes are meant as they are
    double distance = 0.0;
};

// A filter that is a product of filters along the axes: each the scans along it, in the order in
// which they are written, and then its modes.
struct Recursion {
    std::vector<Scan> scans;
    std::array<Modes, 4> modes;
    // The image is extended by its border once, and all of this runs on what that gives. Else
    // every scan starts from nothing at the edge of what the one before it gave (and there are no
    // modes).
    bool extended = true;
    std::array<Approximated, 4> approximated{};
    Grouping grouping{};
    // Whether what a pixel leaves behind fades. If not, there is nothing to extend an image to.
    bool stable = true;
    // The error bound that the caller wants to be held to, of full scale; 0: the library's own.
    double accuracy = 0.0;

    // What is done along an axis makes a constant this many times as large.
    double gain(int axis) const;
    // Whether anything is done along an axis.
    bool filters(int axis) const {
        return !modes[static_cast<std::size_t>(axis)].empty() ||
               std::any_of(scans.begin(), scans.end(),
                           [axis](const Scan &scan) { return scan.axis == axis; });
    }
};

} // namespace gz
