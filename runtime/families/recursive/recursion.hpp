// Recursive filters, described: scans along the axes, and pairs of exponentials.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "core/line_stage.hpp"
#include "core/types.hpp"
#include "families/description.hpp"

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

// How the caller wants scans to be run. This is a hint: results are the same but for rounding.
struct Grouping {
    // Numbers of the scans that each trip through memory computes, in the order of the trips; empty: chosen
    // automatically. A trip along several axes runs along each, as axes commute; scans of one axis keep their
    // order.
    std::vector<std::vector<std::size_t>> trips;
    std::int64_t tile = 0; // pixels along each filtered axis; 0: chosen automatically
};

// The response that modes stand in for, at distances 0, 1, ..., with the parity of the modes, and the sum
// over all distances of the modes' difference from it.
struct Approximated {
    std::vector<double> response; // empty: the modes stand for themselves
    double distance = 0.0;
};

// A filter that is a product of filters along the axes: each the scans along it, in the order in
// which they are written, and then its modes.
struct Recursion {
    std::vector<Scan> scans;
    std::array<Modes, 4> modes;
    // Whether the image is extended by its border once, and everything runs on the extended image. If not,
    // every scan starts from nothing at the edge of the result of the scan before it (and there are no
    // modes).
    bool extended = true;
    std::array<Approximated, 4> approximated{};
    Grouping grouping{};
    // Whether the response to a pixel fades. If not, images cannot be extended.
    bool stable = true;
    // The largest error by rounding expected of modes, over the largest result.
    double rounding = 3e-6;
    // The share of results of modes that pixels far away along an axis may make up: see LineStage.
    double negligible = half_of_rounding;
    // The largest error by rounding allowed, over the largest result that scans can have; 0: the expected
    // error decides.
    double accuracy = 0.0;
    std::string name = "recursive"; // as the user named the filter

    // Returns the factor by which the filter along an axis scales a constant.
    double gain(int axis) const;
    // Whether the filter does anything along an axis.
    bool filters(int axis) const {
        return !modes[static_cast<std::size_t>(axis)].empty() ||
               std::any_of(scans.begin(), scans.end(),
                           [axis](const Scan &scan) { return scan.axis == axis; });
    }
};

enum class Feedback { stable, unchecked };
// zero: after all scans the same scans run in the other direction, so that nothing is shifted.
enum class Phase { as_written, zero };

// How scans are to be run, and which scans are allowed.
struct RecursiveOptions {
    // Trips through memory as the numbers of their scans: "0,1_2,3" makes two trips of two scans
    // each; "cascade" a trip for each scan, "overlap" one for all; "": chosen automatically.
    std::string grouping;
    std::int64_t tile = 0; // pixels; 0: chosen automatically
    Feedback feedback = Feedback::stable;
    Phase phase = Phase::as_written;
    double accuracy = 0.0; // the error bound wanted, of full scale; 0: the library's own
};

// Second-order sections, the same along each axis that is filtered.
struct Sections {
    std::vector<std::array<double, 6>> rows;  // b0 b1 b2 a0 a1 a2, as scipy.signal's sos; a0 is 1
    std::array<int, 4> direction{1, 0, 0, 0}; // along x, y, z, t: 1 or -1; 0: not filtered
};

// These refuse unstable scans, unless the options allow them, and values out of range.
Recursion recursive(std::vector<Scan> scans, const RecursiveOptions &options = {});
// A scan for each row, along one axis after the other.
Recursion sections(const Sections &sections, const RecursiveOptions &options = {});
// Returns the filter that gives the coefficients of the B-spline of a degree ("order") of 2 to 5 that goes
// through the pixels along x and y.
Recursion bspline(int order);

std::string to_text(const Recursion &filter);
void check_border(const Recursion &filter, const Border &border);
double error_bound(const Recursion &filter, double largest);
double rounding_bound(const Recursion &filter, double largest);
AxesReach reach_of(const Recursion &filter);
// The same, cut where what is further away changes a result by no more than `accuracy`, times the range of the
// pixels; whole where that is more than max_reach away.
AxesReach reach_within(const Recursion &filter, double accuracy);
bool rounds_once(const Recursion &filter, const Rounded &images);
Results results_of(const Recursion &filter);
void compute(const Recursion &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink);

inline constexpr std::size_t max_scans = 1024; // as they are written
inline constexpr std::size_t max_feedback = 4096;
inline constexpr std::size_t max_feedforward = 4096;
inline constexpr std::int64_t max_tile = 65536;
inline constexpr std::int64_t max_reach = 1 << 22; // pixels

} // namespace gz
