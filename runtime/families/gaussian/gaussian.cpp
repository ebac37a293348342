#include "families/gaussian/gaussian.hpp"

#include <cmath>

#include "core/error.hpp"
#include "families/filter.hpp"
#include "families/recursive/recursive.hpp"

namespace gz {

namespace {

// Returns the radius of the taps along an axis, as gaussian_taps() does.
int radius_of(double sigma, double truncate) {
    return static_cast<int>(truncate * sigma + 0.5);
}

void check_radius(const Gaussian &gaussian, std::size_t axis) {
    require(gaussian.derivative[axis] == 0 ||
                radius_of(gaussian.sigma[axis], gaussian.truncate) > 0,
            "sigma is ", gaussian.sigma[axis], " along ", axis_name[axis],
            ": a radius of 0 leaves no derivative");
}

Correlate sampled(const Gaussian &gaussian) {
    const std::string excess = excess_of_taps(gaussian);
    require(excess.empty(), excess);
    AxisTaps taps;
    for (std::size_t i = 0; i < 4; ++i) {
        const double sigma = gaussian.sigma[i];
        const int derivative = gaussian.derivative[i];
        if (sigma == 0.0)
            continue;
        taps.values[i] = gaussian_taps(sigma, derivative, gaussian.truncate);
        check_radius(gaussian, i);
    }
    return separable(taps, "gaussian");
}

// Boxes of 2 r + 1 pixels have the variance ((2 r + 1)^2 - 1) / 12 each (Wells 1986).
Box boxes_like(const Gaussian &gaussian) {
    constexpr int iterations = 3;
    Box box;
    box.stands_for_gaussian = true;
    box.iterations = iterations;
    for (std::size_t i = 0; i < 4; ++i) {
        const double sigma = gaussian.sigma[i];
        require(gaussian.derivative[i] == 0, "the derivative is of order ", gaussian.derivative[i],
                " along ", axis_name[i], "; boxes have none");
        if (sigma == 0.0)
            continue;
        const double radius = (std::sqrt(12.0 * sigma * sigma / iterations + 1.0) - 1.0) / 2.0;
        require(radius <= static_cast<double>(max_box_radius), "sigma is ", sigma, " along ",
                axis_name[i], ", too large for boxes");
        box.radius[i] = std::llround(radius);
        require(box.radius[i] > 0, "sigma is ", sigma, " along ", axis_name[i],
                ": boxes of one pixel would leave the image as it is");
    }
    return checked(box);
}

// Returns the Gaussian as the sums of exponentials that an automatic one is computed by where it has more
// taps than the limit.
Recursion instead_of_taps(const Gaussian &gaussian, const std::string &excess) {
    require(gaussian.truncate == Gaussian().truncate, excess,
            ". The recursive method cuts nothing off: it takes another truncate only where it is "
            "asked for by name");
    RecursiveGaussian recursive = try_recursive(gaussian);
    if (!recursive.recursion)
        fail(recursive.status, excess,
             ". The recursive method refuses it too: ", recursive.refusal);
    return std::move(*recursive.recursion);
}

} // namespace

// Returns why there are more taps along an axis than the limit; "" where there are not.
std::string excess_of_taps(const Gaussian &gaussian) {
    require(std::isfinite(gaussian.truncate) && gaussian.truncate > 0.0, "truncate is ",
            gaussian.truncate, "; it must be a positive number of sigmas");
    for (std::size_t i = 0; i < 4; ++i) {
        const double radius = gaussian.truncate * gaussian.sigma[i];
        if (radius + 0.5 >= static_cast<double>(max_axis_taps / 2 + 1))
            return text("sigma is ", gaussian.sigma[i], " along ", axis_name[i],
                        ", and taps cut off at ", gaussian.truncate, " sigma have a radius of ",
                        radius, "; ", max_axis_taps / 2, " is the largest");
    }
    return "";
}

void check(const Gaussian &gaussian) {
    bool filtered = false;
    for (std::size_t i = 0; i < 4; ++i) {
        const double sigma = gaussian.sigma[i];
        const int derivative = gaussian.derivative[i];
        require(std::isfinite(sigma) && sigma >= 0.0, "sigma is ", sigma, " along ", axis_name[i],
                "; it must be a positive number of pixels");
        require(derivative >= 0 && derivative <= 2, "the derivative is of order ", derivative,
                " along ", axis_name[i], "; 0, 1 and 2 are supported");
        require(sigma > 0.0 || derivative == 0, "the derivative is of order ", derivative,
                " along ", axis_name[i], ", which has no sigma");
        filtered = filtered || sigma > 0.0;
    }
    require(filtered, "no axis has a sigma");
    if (gaussian.method != GaussianMethod::automatic)
        return;
    check_accuracy(gaussian);
    const std::string excess = excess_of_taps(gaussian);
    if (!excess.empty()) {
        instead_of_taps(gaussian, excess);
        return;
    }
    for (std::size_t i = 0; i < 4; ++i)
        check_radius(gaussian, i);
}

Filter by_method(const Gaussian &gaussian) {
    switch (gaussian.method) {
    case GaussianMethod::recursive:
        return recursive_gaussian(gaussian);
    case GaussianMethod::box:
        return boxes_like(gaussian);
    case GaussianMethod::fir:
        return sampled(gaussian);
    case GaussianMethod::automatic:
        break;
    }
    const std::string excess = excess_of_taps(gaussian);
    return excess.empty() ? Filter(sampled(gaussian)) : Filter(instead_of_taps(gaussian, excess));
}

Filter without_device(const Filter &filter) {
    const Gaussian *const gaussian = filter.get_if<Gaussian>();
    return gaussian ? by_method(*gaussian) : filter;
}

std::string to_text(const Gaussian &gaussian) {
    return to_text(by_method(gaussian));
}

// Whether an automatic Gaussian has taps depends on the device, but not what it refuses.
void check_border(const Gaussian &, const Border &border) {
    refuse_border_zero(border, "gaussian");
}

double error_bound(const Gaussian &gaussian, double largest) {
    return by_method(gaussian).error_bound(largest);
}

double rounding_bound(const Gaussian &gaussian, double largest) {
    return by_method(gaussian).rounding_bound(largest);
}

AxesReach reach_of(const Gaussian &gaussian) {
    return by_method(gaussian).reach();
}

bool rounds_once(const Gaussian &, const Rounded &) {
    return false;
}

Results results_of(const Gaussian &) {
    return Results::pixels;
}

void compute(const Gaussian &gaussian, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink) {
    by_method(gaussian).compute(job, modes, sink);
}

std::vector<double> gaussian_taps(double sigma, int derivative, double truncate) {
    const int radius = radius_of(sigma, truncate);
    std::vector<double> taps;
    double sum = 0.0;
    for (int i = -radius; i <= radius; ++i) {
        const double x = i / sigma;
        taps.push_back(std::exp(-0.5 * x * x));
        sum += taps.back();
    }
    for (int i = -radius; i <= radius; ++i) {
        double &tap = taps[static_cast<std::size_t>(i + radius)];
        tap /= sum;
        const double x = i / sigma;
        if (derivative == 1)
            tap *= x / sigma;
        else if (derivative == 2)
            tap *= (x * x - 1.0) / (sigma * sigma);
    }
    return taps;
}

} // namespace gz
