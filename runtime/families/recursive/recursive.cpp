#include "families/recursive/recursive.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <limits>
#include <string_view>

#include "core/error.hpp"
#include "families/recursive/gaussian_modes.hpp"
#include "families/recursive/line_filter.hpp"
#include "families/recursive/polynomial.hpp"

namespace gz {

namespace {

using Complex = std::complex<double>;

std::string name_of(const Scan &scan) {
    return std::string(scan.forward ? "+" : "-") + axis_name[scan.axis];
}

void check_terms(const std::vector<double> &terms, const char *kind, std::size_t number,
                 std::size_t fewest, std::size_t most) {
    require(terms.size() >= fewest && terms.size() <= most, "scan ", number, " has ", terms.size(),
            " ", kind, " terms; ", fewest, " to ", most, " are possible");
    for (const double term : terms)
        require(std::abs(term) <= std::numeric_limits<float>::max(), "scan ", number, " has the ",
                kind, " term ", term, "; it must be finite in f32");
}

Polynomial denominator(const Scan &scan) {
    Polynomial a{DoubleDouble(1.0)};
    for (const double coefficient : scan.feedback)
        a.emplace_back(-coefficient);
    while (a.back().high == 0.0)
        a.pop_back();
    return a;
}

// Largest modulus of a scan's poles.
double slowest(const Scan &scan) {
    const Roots poles = roots_of(denominator(scan));
    double modulus = 0.0;
    for (const DoubleDouble &p : poles.real)
        modulus = std::max(modulus, std::abs(p.high));
    for (const ComplexDoubleDouble &p : poles.upper)
        modulus = std::max(modulus, magnitude(p));
    return modulus;
}

void check(const Scan &scan, std::size_t number) {
    require(scan.axis >= 0 && scan.axis < 4, "scan ", number, " is along axis ", scan.axis,
            "; there are axes 0 to 3");
    if (scan.axis == 3)
        fail(Status::unsupported, "scan ", number,
             " is along t; only scans along x, y and z are supported so far");
    check_terms(scan.feedforward, "feedforward", number, 1, max_feedforward);
    check_terms(scan.feedback, "feedback", number, 0, max_feedback);
}

// Zeros at the end are dropped: they would be poles and zeros at 0.
void trim(std::vector<double> &terms, std::size_t fewest) {
    while (terms.size() > fewest && terms.back() == 0.0)
        terms.pop_back();
}

// Adds the same scans in the other direction.
void add_other_direction(std::vector<Scan> &scans) {
    const std::size_t count = scans.size();
    scans.reserve(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto first = std::find_if(scans.begin(), scans.end(), [&](const Scan &scan) {
            return scan.axis == scans[i].axis;
        });
        require(first->forward == scans[i].forward, "scan ", i, " is along ", name_of(scans[i]),
                " and scan ", first - scans.begin(), " along ", name_of(*first),
                "; for zero phase all scans along an axis are written in one direction");
    }
    for (std::size_t i = 0; i < count; ++i) {
        scans.push_back(scans[i]);
        scans.back().forward = !scans[i].forward;
    }
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(separator, start), text.size());
        parts.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

std::vector<std::vector<std::size_t>> trips_of(const std::string &grouping,
                                               const std::vector<Scan> &scans) {
    std::vector<std::vector<std::size_t>> trips;
    if (grouping.empty())
        return trips;
    if (grouping == "cascade" || grouping == "overlap") {
        for (std::size_t i = 0; i < scans.size(); ++i)
            if (grouping == "cascade" || i == 0)
                trips.push_back({i});
            else
                trips.front().push_back(i);
        return trips;
    }
    std::vector<std::size_t> order;
    for (const std::string_view trip : split(grouping, '_')) {
        trips.emplace_back();
        for (const std::string_view text : split(trip, ',')) {
            std::size_t number = 0;
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), number);
            require(error == std::errc() && end == text.data() + text.size() &&
                        number < scans.size(),
                    "the grouping \"", grouping, "\" has \"", text,
                    "\", which is no number of a scan from 0 to ", scans.size() - 1);
            require(std::find(order.begin(), order.end(), number) == order.end(), "the grouping \"",
                    grouping, "\" has scan ", number, " twice");
            // Scans of one axis commute on an extended line only.
            for (const std::size_t before : order)
                require(before < number || scans[before].axis != scans[number].axis,
                        "the grouping \"", grouping, "\" has scan ", before, " before scan ",
                        number, " of the same axis");
            order.push_back(number);
            trips.back().push_back(number);
        }
    }
    require(order.size() == scans.size(), "the grouping \"", grouping, "\" has ", order.size(),
            " of ", scans.size(), " scans");
    return trips;
}

double sum_of_magnitudes(const std::vector<double> &response) {
    double sum = 0.0;
    for (std::size_t n = 0; n < response.size(); ++n)
        sum += (n == 0 ? 1.0 : 2.0) * std::abs(response[n]);
    return sum;
}

// Returns the product over all axes of the sum of the magnitudes of the response that modes stand for, to which their
// distance from it is added so many times.
double product_of_sums(const Recursion &recursion, double distances) {
    double product = 1.0;
    for (const Approximated &approximated : recursion.approximated)
        if (!approximated.response.empty())
            product *= sum_of_magnitudes(approximated.response) + distances * approximated.distance;
    return product;
}

// Returns the error of results of pixels from 0 to 1 for each unit of what is negligible.
double error_by_negligible(const Recursion &recursion) {
    const auto axes = std::count_if(
        recursion.approximated.begin(), recursion.approximated.end(),
        [](const Approximated &approximated) { return !approximated.response.empty(); });
    return static_cast<double>(axes) * product_of_sums(recursion, 0.0);
}

// Modes along the axes that have a sigma.
Recursion with_modes(const Gaussian &gaussian, int count) {
    Recursion recursion;
    for (std::size_t i = 0; i < 4; ++i) {
        if (gaussian.sigma[i] == 0.0)
            continue;
        GaussianModes along = gaussian_modes(gaussian.sigma[i], gaussian.derivative[i], count);
        recursion.modes[i] = std::move(along.modes);
        recursion.approximated[i] = std::move(along.approximated);
    }
    return recursion;
}

} // namespace

void check_accuracy(const Gaussian &gaussian) {
    require(std::isfinite(gaussian.accuracy) && gaussian.accuracy > 0.0, "the accuracy is ",
            gaussian.accuracy, "; it must be a positive worst error");
}

RecursiveGaussian try_recursive(const Gaussian &gaussian) {
    check_accuracy(gaussian);
    double unit = 1.0; // of the accuracy
    for (std::size_t i = 0; i < 4; ++i) {
        const double sigma = gaussian.sigma[i];
        if (sigma == 0.0)
            continue;
        if (i == 3)
            return {{},
                    Status::unsupported,
                    text("sigma is ", sigma,
                         " along t; only Gaussians along x, y and z are supported so far")};
        if (!(sigma >= min_recursive_sigma && sigma <= max_recursive_sigma))
            return {{},
                    Status::invalid_argument,
                    text("sigma is ", sigma, " along ", axis_name[i],
                         "; a recursive Gaussian's is from ", min_recursive_sigma, " to ",
                         max_recursive_sigma)};
        unit *= std::pow(sigma, -gaussian.derivative[i]);
    }
    double best = 0.0;
    for (int count = fewest_gaussian_modes; count <= most_gaussian_modes; ++count) {
        Recursion recursion = with_modes(gaussian, count);
        recursion.name = "gaussian";
        recursion.rounding = std::clamp(gaussian.accuracy / 50.0, 1e-6, 2e-5);
        // The errors of constants cancel, so that pixels from 0 to 1 meet half of the bound.
        best = approximation_bound(recursion) / 2.0 / unit;
        if (best > gaussian.accuracy)
            continue;
        const double left = (gaussian.accuracy - best) * unit / error_by_negligible(recursion);
        // Derivatives are exact for constants, ramps and x^2 / 2, which go on far away.
        const bool is_derivative =
            std::any_of(gaussian.derivative.begin(), gaussian.derivative.end(),
                        [](int order) { return order > 0; });
        recursion.negligible = is_derivative ? half_of_rounding
                                             : std::clamp(std::min(gaussian.accuracy / 20.0, left),
                                                          half_of_rounding, 5e-5);
        return {std::move(recursion)};
    }
    return {{},
            Status::invalid_argument,
            text("the accuracy is ", gaussian.accuracy,
                 "; the best of recursive Gaussians like this is ", best)};
}

Recursion recursive_gaussian(const Gaussian &gaussian) {
    RecursiveGaussian recursive = try_recursive(gaussian);
    if (!recursive.recursion)
        fail(recursive.status, recursive.refusal);
    return std::move(*recursive.recursion);
}

Modes bspline_modes(int order) {
    std::vector<double> poles;
    switch (order) {
    case 2:
        poles = {std::sqrt(8.0) - 3.0};
        break;
    case 3:
        poles = {std::sqrt(3.0) - 2.0};
        break;
    case 4:
        poles = {std::sqrt(664.0 - std::sqrt(438976.0)) + std::sqrt(304.0) - 19.0,
                 std::sqrt(664.0 + std::sqrt(438976.0)) - std::sqrt(304.0) - 19.0};
        break;
    case 5:
        poles = {std::sqrt(67.5 - std::sqrt(4436.25)) + std::sqrt(26.25) - 6.5,
                 std::sqrt(67.5 + std::sqrt(4436.25)) - std::sqrt(26.25) - 6.5};
        break;
    default:
        fail(Status::invalid_argument, "the B-spline's order is ", order, "; 2 to 5 are supported");
    }
    // The product of (1 - p)^2 / ((1 - p z^-1) (1 - p z)), in partial fractions.
    Modes modes;
    for (const double p : poles) {
        double weight = 1.0;
        for (const double q : poles) {
            weight *= (1.0 - q) * (1.0 - q) / (1.0 - p * q);
            if (q != p)
                weight *= p / (p - q);
        }
        modes.poles.emplace_back(p);
        modes.weights.emplace_back(weight);
    }
    return modes;
}

Recursion recursive(std::vector<Scan> scans, const RecursiveOptions &options) {
    require(!scans.empty() && scans.size() <= max_scans, "there are ", scans.size(),
            " scans; 1 to ", max_scans, " are possible");
    Recursion recursion;
    for (std::size_t i = 0; i < scans.size(); ++i) {
        check(scans[i], i);
        trim(scans[i].feedforward, 1);
        trim(scans[i].feedback, 0);
        if (is_stable(denominator(scans[i])))
            continue;
        require(options.feedback == Feedback::unchecked, "scan ", i,
                " is unstable: its feedback, as it is written, has a pole of modulus ",
                std::setprecision(9), slowest(scans[i]),
                "; it must be below 1. Of designs of high order give second-order sections, whose "
                "rounding moves poles less (SciPy: output='sos')");
        recursion.stable = false;
    }
    require(options.tile >= 0 && options.tile <= max_tile, "the tile is ", options.tile,
            " pixels; it must be from 0 to ", max_tile);
    require(std::isfinite(options.accuracy) && options.accuracy >= 0.0, "the accuracy is ",
            options.accuracy, "; it must be a positive error bound, or 0 for the library's own");
    require(recursion.stable || options.accuracy == 0.0, "the accuracy is ", options.accuracy,
            ", but unstable scans have no error bound");
    recursion.accuracy = options.accuracy;
    if (options.phase == Phase::zero)
        add_other_direction(scans);
    recursion.grouping = {trips_of(options.grouping, scans), options.tile};
    recursion.scans = std::move(scans);
    return recursion;
}

Recursion bspline(int order) {
    Recursion recursion;
    recursion.name = "bspline";
    recursion.modes[0] = recursion.modes[1] = bspline_modes(order);
    return recursion;
}

double approximation_bound(const Recursion &recursion) {
    return product_of_sums(recursion, 1.0) - product_of_sums(recursion, 0.0);
}

namespace {

bool runs_both_ways(const Recursion &recursion) {
    for (const Scan &scan : recursion.scans)
        for (const Scan &other : recursion.scans)
            if (scan.axis == other.axis && scan.forward != other.forward)
                return true;
    return false;
}

Rounding of_border(const Recursion &recursion) {
    // Scans are planned alike for lines of any length.
    constexpr std::int64_t some_length = 64;
    Rounding all;
    double squares = 0.0;
    for (int axis = 0; axis < 3; ++axis)
        for (const StagePlan &plan : line_plans(recursion, axis, some_length)) {
            const Rounding &own = plan.rounding;
            all.bound += own.bound;
            // Pixels of both signs differ by twice the largest. Bounds of rounding allow for half of a rounding.
            for (const LineStage &stage : plan.stages)
                if (stage.negligible > half_of_rounding)
                    all.bound += 2.0 * stage.negligible;
            squares += own.expected * own.expected;
            all.peak = std::max(all.peak, own.peak * all.gain);
            all.underflow = all.underflow * own.gain + own.underflow;
            all.gain *= own.gain;
        }
    all.expected = std::sqrt(squares);
    return all;
}

} // namespace

Rounding rounding_of(const Recursion &recursion) {
    Rounding all = of_border(recursion);
    // Where scans start from nothing, their order matters, and stages may be others.
    if (recursion.extended && runs_both_ways(recursion)) {
        Recursion cut = recursion;
        cut.extended = false;
        cut.modes = {};
        const Rounding other = of_border(cut);
        all.bound = std::max(all.bound, other.bound);
        all.expected = std::max(all.expected, other.expected);
        all.gain = std::max(all.gain, other.gain);
        all.peak = std::max(all.peak, other.peak);
        all.underflow = std::max(all.underflow, other.underflow);
    }
    return all;
}

double rounding_bound(const Recursion &recursion, double largest) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (!recursion.stable)
        return infinity;
    const Rounding rounding = rounding_of(recursion);
    // A number that f32 cannot hold leaves results unbounded.
    if (!(rounding.peak * largest <= std::numeric_limits<float>::max()))
        return infinity;
    return rounding.bound * rounding.gain * largest + rounding.underflow;
}

Bordered bordered(Recursion recursion, const Border &border) {
    if (border.mode != BorderMode::zero)
        return {std::move(recursion), border};
    recursion.extended = recursion.scans.empty();
    return {std::move(recursion), {BorderMode::constant, 0.0}};
}

void check_border(const Recursion &recursion, const Border &border) {
    require(border.mode == BorderMode::zero || recursion.stable, "the border is ",
            name_of(border.mode),
            "; unstable scans must start from nothing, which is the border zero");
}

// Returns the modes' difference from the response that they stand for, plus the bound of rounding.
double error_bound(const Recursion &recursion, double largest) {
    return largest * approximation_bound(recursion) + rounding_bound(recursion, largest);
}

AxesReach reach_of(const Recursion &recursion) {
    AxesReach result;
    for (std::size_t axis = 0; axis < 4; ++axis)
        result[axis].is_whole = recursion.filters(static_cast<int>(axis));
    return result;
}

bool rounds_once(const Recursion &, const Rounded &) {
    return false;
}

Results results_of(const Recursion &) {
    return Results::pixels;
}

std::string rounding_text(const Recursion &recursion, const Border &border) {
    if (!recursion.stable)
        return "rounding: scans that do not fade have no bound\n";
    const Recursion own = bordered(recursion, border).recursion;
    const Rounding rounding = of_border(own);
    constexpr std::int64_t some_length = 64;
    double written = 0.0;
    double disagreement = 0.0;
    Precision precision = Precision::single;
    for (int axis = 0; axis < 3; ++axis)
        for (const StagePlan &plan : line_plans(own, axis, some_length)) {
            written = std::max(written, plan.written);
            disagreement = std::max(disagreement, plan.disagreement);
            for (const LineStage &stage : plan.stages)
                precision = std::max(precision, stage.precision);
        }
    const char *const states = precision == Precision::single ? "f32"
                               : precision == Precision::anchored
                                   ? "f32 that is made anew from sums, or in double or pairs of f32"
                                   : "double or in pairs of f32";
    std::string result =
        text("rounding: expected error ", rounding.expected, ", bound ", rounding.bound,
             " of full scale, ", rounding.gain, " times the largest pixel; states in ", states,
             "; the response of what runs is off by ", disagreement, " of the largest\n");
    constexpr double visible = 1e-6;
    if (written > visible)
        result += text(
            "coefficients: their own rounding to double may have moved the response by ", written,
            " of the largest before it came here; second-order sections are moved less\n");
    return result;
}

std::string to_text(const Grouping &grouping) {
    std::string result;
    for (const std::vector<std::size_t> &trip : grouping.trips) {
        result += result.empty() ? "" : "_";
        for (const std::size_t &number : trip)
            result += text(&number == trip.data() ? "" : ",", number);
    }
    if (result.empty())
        result = "automatic";
    return grouping.tile == 0 ? result
                              : text(result, ", tiles of ", grouping.tile, " pixels asked for");
}

std::string to_text(const Recursion &recursion) {
    return recursion.name + ": " + scans_text(recursion);
}

std::string scans_text(const Recursion &recursion) {
    std::string result;
    for (const Scan &scan : recursion.scans)
        result +=
            text(result.empty() ? "" : ", ", name_of(scan), " of order ", scan.feedback.size());
    for (std::size_t i = 0; i < 4; ++i)
        if (!recursion.modes[i].empty())
            result += text(result.empty() ? "" : ", ", recursion.modes[i].poles.size(),
                           " modes along ", axis_name[i]);
    return result;
}

} // namespace gz
