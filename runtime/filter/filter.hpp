// Filters: what to compute. Immutable values that know nothing of OpenCL.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filter/border.hpp"
#include "filter/recursion.hpp"
#include "filter/taps.hpp"

namespace gz {

// out[p] = sum over j of k[j] in[p + j - anchor], with one set of taps. A convolution is the
// correlation with its reversed taps: one formula, one order of arithmetic.
struct Correlation {
    Taps taps; // without values where `factors` are what was given
    // Set where the taps are run axis by axis.
    std::optional<SeparableTaps> factors;

    // Whether other slices than a pixel's own matter to it.
    bool is_volume() const { return taps.size[2] > 1 || taps.size[3] > 1; }

    double sum_of_magnitudes() const;

    // Bound of |result - exact result| for a source whose magnitudes, border included, reach
    // `largest`, in f32 before the result is stored. A chain of n fused multiply-adds errs by at
    // most n u / (1 - n u) of the sum of the magnitudes of its terms, u = 2^-24 (Higham, Accuracy
    // and Stability of Numerical Algorithms, 2nd ed., section 3.1); one u more each for rounding a
    // tap and the border's constant, the tolerance of separable taps, and half of f32's smallest
    // number for each tap and each step that may underflow. Infinite where f32 may overflow on the
    // way.
    double error_bound(double largest) const;
};

// The mean of a box of pixels, several times over.
struct Box {
    Axes radius{0, 0, 0, 0};
    int iterations = 1;

    Axes size() const {
        return {2 * radius[0] + 1, 2 * radius[1] + 1, 2 * radius[2] + 1, 2 * radius[3] + 1};
    }
    bool is_volume() const { return radius[2] > 0 || radius[3] > 0; }
    // As Correlation's, for floating-point pixels. One sum of 2 r + 1 pixels along x adds as many
    // times; it is then carried on by adding and subtracting over at most max(4096, 2 r + 1)
    // pixels, each step of which errs by u of the sum. Sums along y are carried in two floats.
    double error_bound(double largest) const;
};

enum class GaussianMethod : gauze_gaussian_method {
    automatic = GAUZE_GAUSSIAN_AUTO,
    fir = GAUZE_GAUSSIAN_FIR,
    recursive = GAUZE_GAUSSIAN_RECURSIVE,
    box = GAUZE_GAUSSIAN_BOX
};

// A Gaussian, or its derivatives.
struct Gaussian {
    std::array<double, 4> sigma{0, 0, 0, 0}; // 0: not along this axis
    std::array<int, 4> derivative{0, 0, 0, 0};
    double truncate = 4.0; // radius in sigmas, of sampled taps
    GaussianMethod method = GaussianMethod::automatic;
    // How far results of the recursive method, and so of the automatic one, may be from the exact ones, for
    // pixels from 0 to 1, rounding aside. Derivatives of order n are measured in units of sigma^-n.
    double accuracy = 1e-3;
};

// Taps along each axis, none where it is not filtered; anchors default to the middle.
struct AxisTaps {
    std::array<std::vector<double>, 4> values;
    std::optional<Axes> anchor;
};

enum class Feedback { stable, unchecked };
// zero: after all scans the same ones run in the other direction, so that nothing is shifted.
enum class Phase { as_written, zero };

// How scans are to be run, and what they may be.
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

struct Dog;
struct Bank;

class Filter {
public:
    static Filter correlate(Taps taps);
    static Filter convolve(Taps taps);
    static Filter separable(const AxisTaps &taps);
    static Filter gaussian(const Gaussian &gaussian);
    static Filter box(const Box &box);
    static Filter recursive(std::vector<Scan> scans, const RecursiveOptions &options = {});
    // A scan for each row, along one axis after the other.
    static Filter sections(const Sections &sections, const RecursiveOptions &options = {});
    // Inclusive sums of all pixels above and to the left.
    static Filter sat();
    // Coefficients of the B-spline of a degree ("order") of 2 to 5 that goes through the pixels
    // along x and y.
    static Filter bspline(int order);
    // The Gaussian of the first sigma less that of the second, along x and y.
    static Filter dog(double sigma, double other_sigma,
                      GaussianMethod method = GaussianMethod::automatic);
    static Filter difference(Dog dog);
    // Several filters of one image, each with a target of its own.
    static Filter bank(std::vector<Filter> filters);
    // This filter, but with the taps of `other` for one component: channel c of plane p of an image
    // with n channels is component p n + c.
    Filter with_component(std::int64_t component, const Filter &other) const;

    const std::string &name() const { return name_; } // as the user called it
    // What it is, besides a correlation: at most one of these.
    const std::optional<Box> &box() const { return box_; }
    const std::optional<Recursion> &recursion() const { return recursion_; }
    bool is_sat() const { return is_sat_; }
    const Dog *dog() const { return dog_.get(); }
    const Bank *bank() const { return bank_.get(); }
    // Targets of its plans, and the filter that the pixels of one come from.
    std::size_t target_count() const;
    const Filter &for_target(std::size_t i) const;
    // What a Gaussian was described as, if its method is to be chosen: see plan/method.hpp. It is one
    // with taps, but where they are too many.
    const std::optional<Gaussian> &automatic() const { return automatic_; }
    bool has_taps() const { return !box_ && !recursion_ && !is_sat_ && !dog_ && !bank_; }
    // Components that have no taps of their own are filtered by this.
    const Correlation &correlation() const { return correlation_; }
    const Taps &taps() const { return correlation_.taps; }
    const std::optional<SeparableTaps> &factors() const { return correlation_.factors; }
    const Correlation &correlation(std::int64_t component) const;
    // Components with taps of their own.
    const std::map<std::int64_t, Correlation> &components() const { return components_; }

    // The largest of all components. Of a recursive filter: what its modes lack of the response that
    // they stand for, and rounding_bound(). infinite: see
    // sat_error_bound().
    double error_bound(double largest) const;
    // Bound of what rounding in f32 adds to a recursive filter, as its own scans and modes define
    // it; of others the same as error_bound().
    double rounding_bound(double largest) const;

private:
    Filter(std::string name, Correlation correlation);

    std::string name_;
    Correlation correlation_;
    std::map<std::int64_t, Correlation> components_;
    std::optional<Box> box_;
    std::optional<Recursion> recursion_;
    bool is_sat_ = false;
    std::shared_ptr<const Dog> dog_;
    std::shared_ptr<const Bank> bank_;
    std::optional<Gaussian> automatic_;
};

// As Filter::error_bound, of the entry of a summed-area table that sums x + 1 columns of y + 1 pixels
// whose magnitudes add up to `magnitudes`. Kernels add one box of pixels to the next, beside it or
// below it, and take none out again: no pixel is in more than x + y sums that round.
double sat_error_bound(std::int64_t x, std::int64_t y, double magnitudes);

// The result of one filter less that of another: by passes of each filter and one that subtracts, or,
// where they allow it, by passes of both that do so too.
struct Dog {
    enum class Passes { of_both, of_each };

    Filter first, second;
    Passes passes = Passes::of_both;
};

// Filters of one image, the result of each by itself.
struct Bank {
    std::vector<Filter> filters;
};

// Refuses a border that the filter cannot have.
void check_border(const Filter &filter, const Border &border);

// "correlate 3x5 taps, as a correlation anchored at (1, 2), separable"
std::string to_text(const Filter &filter);

// Largest sizes of taps along an axis.
inline constexpr std::int64_t max_taps = 63;        // of a box of taps along x and y
inline constexpr std::int64_t max_volume_taps = 15; // of one that extends along z or t
inline constexpr std::int64_t max_axis_taps = 4095; // of taps given per axis
inline constexpr std::int64_t max_box_radius = (std::int64_t{1} << 20) - 1;
inline constexpr int max_box_iterations = 16;
inline constexpr std::size_t max_scans = 1024; // as they are written
inline constexpr std::size_t max_feedback = 4096;
inline constexpr std::size_t max_feedforward = 4096;
inline constexpr std::int64_t max_tile = 65536;
// The range of sigma of a recursive Gaussian. Below it sampled taps are few; above it poles are closer to
// 1 than f32 bears.
inline constexpr double min_recursive_sigma = 0.5;
inline constexpr double max_recursive_sigma = 10000.0;
inline constexpr std::size_t max_bank = 16;          // filters of a bank
inline constexpr std::int64_t max_components = 1024; // that can have taps of their own

// The taps of a Gaussian along one axis, or of its derivative: exp(-i^2 / (2 sigma^2)), |i| <=
// int(truncate sigma + 0.5), divided by their sum; for a derivative times its polynomial (-1)^n
// He_n(i / sigma) / sigma^n, mirrored so that the correlation with a ramp gives its slope.
std::vector<double> gaussian_taps(double sigma, int derivative, double truncate);

} // namespace gz
