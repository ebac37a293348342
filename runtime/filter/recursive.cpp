#include "filter/recursive.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/error.hpp"
#include "filter/gaussian_modes.hpp"
#include "filter/polynomial.hpp"

namespace gz {

namespace {

using Complex = std::complex<double>;

constexpr const char *axis_name[] = {"x", "y", "z", "t"};

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

// Largest modulus of a scan's poles.
double slowest(const Scan &scan) {
    const std::vector<Complex> poles = poles_of(scan.feedback);
    return poles.empty() ? 0.0 : std::abs(poles.front());
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

// Longest response that is looked at: that of a pole of 1 - 1e-5 has faded by then.
constexpr std::int64_t longest_response = std::int64_t{1} << 22;
constexpr double faded = 1e-12;

// The sum of the magnitudes of what a pixel of 1 leaves behind.
double sum_of_magnitudes(const Scan &scan) {
    const double modulus = slowest(scan);
    if (modulus >= 1.0)
        return std::numeric_limits<double>::infinity();
    // Of poles that lie together the response fades later.
    const double samples = modulus == 0.0 ? 0.0 : 2.0 * std::log(faded) / std::log(modulus);
    const auto count = std::min(longest_response, static_cast<std::int64_t>(samples) + 64);
    const std::size_t order = scan.feedback.size();
    std::vector<double> last(std::max<std::size_t>(order, 1), 0.0); // y[n - i] at (n - i) % order
    double sum = 0.0;
    for (std::int64_t n = 0; n < count; ++n) {
        const auto at = static_cast<std::size_t>(n);
        double y = at < scan.feedforward.size() ? scan.feedforward[at] : 0.0;
        for (std::size_t i = 0; i < order; ++i)
            y += scan.feedback[i] * last[(at + order - 1 - i) % order];
        last[at % last.size()] = y;
        sum += std::abs(y);
    }
    return sum;
}

double sum_of_magnitudes(const Modes &modes) {
    double modulus = 0.0;
    for (const Complex &pole : modes.poles)
        modulus = std::max(modulus, std::abs(pole));
    const auto count =
        static_cast<std::size_t>(modulus == 0.0 ? 1.0 : 2.0 + std::log(faded) / std::log(modulus));
    std::vector<double> response(count, 0.0);
    for (std::size_t k = 0; k < modes.poles.size(); ++k) {
        Complex power = modes.weights[k];
        for (double &value : response) {
            value += power.real();
            power *= modes.poles[k];
        }
    }
    response[0] = modes.odd ? 0.0 : response[0] + modes.direct;
    return sum_of_magnitudes(response);
}

// The same, had modes nothing to cancel: how large the states that are added up can be.
double sum_apart(const Modes &modes) {
    double sum = std::abs(modes.direct);
    for (std::size_t k = 0; k < modes.poles.size(); ++k)
        sum += std::abs(modes.weights[k]) * 2.0 / (1.0 - std::abs(modes.poles[k]));
    return sum;
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

Recursion recursive_gaussian(const Gaussian &gaussian) {
    check_accuracy(gaussian);
    // Above it f32 rounds by more than three modes err: over long lines of one value by up to 1e-4, of
    // derivatives 2e-4 sigma^-order.
    constexpr double most_sigma_of_many_modes = 1000.0;
    int most_modes = most_gaussian_modes;
    double unit = 1.0; // of the accuracy
    for (std::size_t i = 0; i < 4; ++i) {
        const double sigma = gaussian.sigma[i];
        if (sigma == 0.0)
            continue;
        if (i == 3)
            fail(Status::unsupported, "sigma is ", sigma,
                 " along t; only Gaussians along x, y and z are supported so far");
        require(sigma >= min_recursive_sigma && sigma <= max_recursive_sigma, "sigma is ", sigma,
                " along ", axis_name[i], "; a recursive Gaussian's is from ", min_recursive_sigma,
                " to ", max_recursive_sigma);
        unit *= std::pow(sigma, -gaussian.derivative[i]);
        if (sigma > most_sigma_of_many_modes)
            most_modes = fewest_gaussian_modes;
    }
    double best = 0.0;
    for (int count = fewest_gaussian_modes; count <= most_modes; ++count) {
        Recursion recursion = with_modes(gaussian, count);
        // The errors of constants cancel, so that pixels from 0 to 1 meet half of the bound.
        best = approximation_bound(recursion) / 2.0 / unit;
        if (best <= gaussian.accuracy)
            return recursion;
    }
    fail(Status::invalid_argument, "the accuracy is ", gaussian.accuracy,
         "; the best of recursive Gaussians like this is ", best);
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

Filter Filter::recursive(std::vector<Scan> scans, const RecursiveOptions &options) {
    require(!scans.empty() && scans.size() <= max_scans, "there are ", scans.size(),
            " scans; 1 to ", max_scans, " are possible");
    Recursion recursion;
    for (std::size_t i = 0; i < scans.size(); ++i) {
        check(scans[i], i);
        const double modulus = slowest(scans[i]);
        if (modulus < 1.0)
            continue;
        require(options.feedback == Feedback::unchecked, "scan ", i,
                " is unstable: its feedback has a pole of modulus ", modulus,
                "; it must be below 1");
        recursion.stable = false;
    }
    require(options.tile >= 0 && options.tile <= max_tile, "the tile is ", options.tile,
            " pixels; it must be from 0 to ", max_tile);
    recursion.grouping = {trips_of(options.grouping, scans), options.tile};
    recursion.scans = std::move(scans);
    Filter filter("recursive", {});
    filter.recursion_ = std::move(recursion);
    return filter;
}

Filter Filter::sat() {
    Filter filter("sat", {});
    filter.is_sat_ = true;
    return filter;
}

Filter Filter::bspline(int order) {
    Recursion recursion;
    recursion.modes[0] = recursion.modes[1] = bspline_modes(order);
    Filter filter("bspline", {});
    filter.recursion_ = std::move(recursion);
    return filter;
}

Filter Filter::dog(double sigma, double other_sigma, GaussianMethod method) {
    const auto part = [&](double s) {
        Gaussian gaussian;
        gaussian.sigma = {s, s, 0, 0};
        gaussian.method = method;
        return Filter::gaussian(gaussian);
    };
    return difference({part(sigma), part(other_sigma)});
}

Filter Filter::difference(Dog dog) {
    Filter filter("dog", {});
    filter.dog_ = std::make_shared<const Dog>(std::move(dog));
    return filter;
}

double approximation_bound(const Recursion &recursion) {
    double exact = 1.0;
    double with_distance = 1.0;
    for (const Approximated &approximated : recursion.approximated) {
        if (approximated.response.empty())
            continue;
        const double sum = sum_of_magnitudes(approximated.response);
        exact *= sum;
        with_distance *= sum + approximated.distance;
    }
    return with_distance - exact;
}

double rounding_bound(const Recursion &recursion) {
    // Full scale of a chain: recursive filters are held to this, see test_reference.cpp's oracles.
    constexpr double of_scans = 2e-6;
    // Eight roundings, of all that modes add up.
    constexpr double of_modes = 8.0 * 0x1p-24;
    double scans = 1.0;
    for (const Scan &scan : recursion.scans)
        scans *= sum_of_magnitudes(scan);
    double bound = recursion.scans.empty() ? 0.0 : of_scans * scans;
    std::array<double, 4> sums{1.0, 1.0, 1.0, 1.0};
    for (std::size_t i = 0; i < 4; ++i)
        if (!recursion.modes[i].empty())
            sums[i] = sum_of_magnitudes(recursion.modes[i]);
    for (std::size_t i = 0; i < 4; ++i) {
        if (recursion.modes[i].empty())
            continue;
        double others = scans;
        for (std::size_t j = 0; j < 4; ++j)
            others *= i == j ? 1.0 : sums[j];
        bound += of_modes * sum_apart(recursion.modes[i]) * others;
    }
    return bound;
}

Bordered bordered(Recursion recursion, const Border &border) {
    if (border.mode != BorderMode::zero)
        return {std::move(recursion), border};
    recursion.extended = recursion.scans.empty();
    return {std::move(recursion), {BorderMode::constant, 0.0}};
}

void check_border(const Filter &filter, const Border &border) {
    if (const Dog *dog = filter.dog()) {
        check_border(dog->first, border);
        check_border(dog->second, border);
        return;
    }
    if (const Bank *bank = filter.bank()) {
        for (const Filter &one : bank->filters)
            check_border(one, border);
        return;
    }
    const bool zero = border.mode == BorderMode::zero;
    const auto name = name_of(border.mode);
    require(zero || !filter.is_sat(), "the border is ", name,
            "; a summed-area table starts from nothing, which is the border zero");
    require(zero || !filter.recursion() || filter.recursion()->stable, "the border is ", name,
            "; unstable scans must start from nothing, which is the border zero");
    // Whether an automatic Gaussian has taps depends on the device, but not what it refuses.
    require(
        !zero || filter.is_sat() || (filter.recursion() && !filter.automatic()),
        "the border zero is for recursive filters and summed-area tables; for a filter that is ",
        to_text(filter), " there is constant 0");
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
