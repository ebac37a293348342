#include "filter/filter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "filter/recursive.hpp"

namespace gz {

namespace {

constexpr const char *axis_name[] = {"x", "y", "z", "t"};
constexpr double u = 0x1p-24; // unit roundoff of f32

void check_anchor(std::int64_t anchor, std::int64_t size, std::size_t axis) {
    require(anchor >= 0 && anchor < size, "the anchor is ", anchor, " along ", axis_name[axis],
            "; it must be from 0 to ", size - 1);
}

void check_values(const std::vector<double> &values) {
    for (std::size_t i = 0; i < values.size(); ++i)
        require(std::abs(values[i]) <= std::numeric_limits<float>::max(), "tap ", i, " is ",
                values[i], "; taps must be finite in f32");
}

void check(const Taps &taps) {
    for (std::size_t i = 0; i < 4; ++i) {
        require(taps.size[i] >= 1, "taps have the size ", taps.size[i], " along ", axis_name[i],
                "; at least one tap is needed");
        check_anchor(taps.anchor[i], taps.size[i], i);
    }
    const bool is_volume = taps.size[2] > 1 || taps.size[3] > 1;
    const std::int64_t most = is_volume ? max_volume_taps : max_taps;
    std::int64_t count = 1;
    for (std::size_t i = 0; i < 4; ++i) {
        if (taps.size[i] > most)
            fail(Status::unsupported, "taps have the size ", taps.size[i], " along ", axis_name[i],
                 "; up to ", most, " are supported", is_volume ? " in a volume" : "",
                 ", and up to ", max_axis_taps, " given per axis");
        count *= taps.size[i];
    }
    require(taps.values.size() == static_cast<std::size_t>(count), "taps of ", to_text(taps.size),
            " need ", count, " values, not ", taps.values.size());
    check_values(taps.values);
}

Correlation from_box_of_taps(Taps taps) {
    std::optional<SeparableTaps> factors = factors_of(taps);
    return {std::move(taps), std::move(factors)};
}

double sum_of_magnitudes_of(const std::vector<double> &values) {
    double sum = 0.0;
    for (const double k : values)
        sum += std::abs(k);
    return sum;
}

// Rows filtered along x alone neither overflow nor vanish where what comes after them does not: a
// power of two moves from one axis to the other, which changes no bits but at the ends of f32.
void balance(SeparableTaps &factors) {
    const double sum_x = sum_of_magnitudes_of(factors.x);
    if (sum_x == 0.0)
        return;
    constexpr int ordinary = 32;
    const int power = std::ilogb(sum_x);
    const double sum_y = std::ldexp(sum_of_magnitudes_of(factors.y), power);
    if (std::abs(power) <= ordinary || sum_y > std::numeric_limits<float>::max())
        return;
    for (double &k : factors.x)
        k = std::ldexp(k, -power);
    for (double &k : factors.y)
        k = std::ldexp(k, power);
}

Correlation from_axes(const AxisTaps &given) {
    Correlation result;
    bool filtered = false;
    for (std::size_t i = 0; i < 4; ++i) {
        const auto count = static_cast<std::int64_t>(given.values[i].size());
        require(count <= max_axis_taps, "there are ", count, " taps along ", axis_name[i],
                "; an axis can have ", max_axis_taps);
        check_values(given.values[i]);
        filtered = filtered || count > 0;
        result.taps.size[i] = std::max<std::int64_t>(count, 1);
        result.taps.anchor[i] = given.anchor ? (*given.anchor)[i] : result.taps.size[i] / 2;
        check_anchor(result.taps.anchor[i], result.taps.size[i], i);
    }
    require(filtered, "there are no taps along any axis");
    SeparableTaps factors{given.values[0], given.values[1]};
    if (factors.x.empty())
        factors.x = {1.0};
    if (factors.y.empty())
        factors.y = {1.0};
    // A single tap along z or t scales the result.
    for (std::size_t i = 2; i < 4; ++i)
        if (given.values[i].size() > 1)
            (i == 2 ? factors.z : factors.t) = given.values[i];
        else if (!given.values[i].empty())
            for (double &k : factors.y)
                k *= given.values[i][0];
    balance(factors);
    check_values(factors.y);
    result.factors = std::move(factors);
    return result;
}

// The sums of the magnitudes of the taps along each axis.
std::array<double, 4> sums_of_magnitudes(const SeparableTaps &factors) {
    const auto of_volume = [](const std::vector<double> &taps) {
        return taps.empty() ? 1.0 : sum_of_magnitudes_of(taps);
    };
    return {sum_of_magnitudes_of(factors.x), sum_of_magnitudes_of(factors.y), of_volume(factors.z),
            of_volume(factors.t)};
}

} // namespace

double Correlation::sum_of_magnitudes() const {
    if (!taps.values.empty())
        return taps.sum_of_magnitudes();
    double product = 1.0;
    for (const double sum : sums_of_magnitudes(*factors))
        product *= sum;
    return product;
}

double Correlation::error_bound(double largest) const {
    const double magnitude = sum_of_magnitudes();
    // What rows, then planes, then volumes that are filtered so far may reach; and what later axes
    // make of a step that underflows.
    double most = magnitude;
    double later = 1.0;
    const Axes &size = taps.size;
    double length = static_cast<double>(size[0] * size[1] * size[2] * size[3]);
    const double steps = static_cast<double>((size[0] + 1) * size[1]) *
                         (is_volume() ? 2.0 * static_cast<double>(size[2] * size[3]) : 1.0);
    double rounding = 2.0 * u;
    if (factors) {
        length = static_cast<double>(size[0] + size[1]);
        rounding = 3.0 * u + (taps.values.empty() ? 0.0 : separable_tolerance);
        for (std::size_t i = 2; i < 4; ++i)
            if (size[i] > 1) {
                length += static_cast<double>(size[i]);
                rounding += u;
            }
        double so_far = 1.0;
        later = 1.0 + magnitude;
        for (const double sum : sums_of_magnitudes(*factors)) {
            so_far *= sum;
            most = std::max(most, so_far);
            if (is_volume())
                later *= 1.0 + sum;
        }
    }
    if (most * largest > std::numeric_limits<float>::max())
        return std::numeric_limits<double>::infinity();
    const double chain = length * u;
    constexpr double half_of_smallest = 0x1p-150;
    const double underflow = half_of_smallest * steps * (1.0 + largest) * later;
    return (chain / (1.0 - chain) + rounding) * magnitude * largest + underflow;
}

double Box::error_bound(double largest) const {
    const Axes sizes = size();
    const auto width = static_cast<double>(sizes[0]);
    double steps = width + 2.0 * std::max(4096.0, width) + 16.0;
    double most = width * static_cast<double>(sizes[1]);
    // Along z and t a pass each, of means.
    for (std::size_t i = 2; i < 4; ++i)
        if (radius[i] > 0) {
            const auto length = static_cast<double>(sizes[i]);
            steps += 2.0 * std::max(4096.0, length) + 16.0;
            most = std::max(most, length);
        }
    if (most * largest > std::numeric_limits<float>::max())
        return std::numeric_limits<double>::infinity();
    return iterations * (steps * u * largest + 3.0 * 0x1p-149);
}

Filter::Filter(std::string name, Correlation correlation)
    : name_(std::move(name)), correlation_(std::move(correlation)) {}

Filter Filter::correlate(Taps taps) {
    check(taps);
    return {"correlate", from_box_of_taps(std::move(taps))};
}

Filter Filter::convolve(Taps taps) {
    check(taps);
    return {"convolve", from_box_of_taps(reversed(taps))};
}

Filter Filter::separable(const AxisTaps &taps) {
    return {"separable", from_axes(taps)};
}

namespace {

// Why there are more taps along an axis than there can be; "" where there are not.
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

Correlation sampled(const Gaussian &gaussian) {
    const std::string excess = excess_of_taps(gaussian);
    require(excess.empty(), excess);
    AxisTaps taps;
    for (std::size_t i = 0; i < 4; ++i) {
        const double sigma = gaussian.sigma[i];
        const int derivative = gaussian.derivative[i];
        if (sigma == 0.0)
            continue;
        taps.values[i] = gaussian_taps(sigma, derivative, gaussian.truncate);
        require(derivative == 0 || taps.values[i].size() > 1, "sigma is ", sigma, " along ",
                axis_name[i], ": a radius of 0 leaves no derivative");
    }
    return from_axes(taps);
}

// The exponentials of an automatic Gaussian that has more taps than there can be.
Recursion instead_of_taps(const Gaussian &gaussian, const std::string &excess) {
    require(gaussian.truncate == Gaussian().truncate, excess,
            ". The recursive method cuts nothing off: it takes another truncate only where it is "
            "asked for by name");
    try {
        return recursive_gaussian(gaussian);
    } catch (const Error &error) {
        fail(error.status(), excess, ". The recursive method refuses it too: ", error.what());
    }
}

// Boxes of 2 r + 1 pixels have the variance ((2 r + 1)^2 - 1) / 12 each (Wells 1986).
Box boxes_like(const Gaussian &gaussian) {
    constexpr int iterations = 3;
    Box box;
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
    return box;
}

} // namespace

Filter Filter::gaussian(const Gaussian &gaussian) {
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
    switch (gaussian.method) {
    case GaussianMethod::recursive: {
        Filter filter("gaussian", {});
        filter.recursion_ = recursive_gaussian(gaussian);
        return filter;
    }
    case GaussianMethod::box: {
        Filter filter = box(boxes_like(gaussian));
        filter.name_ = "gaussian";
        return filter;
    }
    case GaussianMethod::fir:
        return {"gaussian", sampled(gaussian)};
    case GaussianMethod::automatic:
        break;
    }
    check_accuracy(gaussian);
    const std::string excess = excess_of_taps(gaussian);
    Filter filter("gaussian", excess.empty() ? sampled(gaussian) : Correlation());
    if (!excess.empty())
        filter.recursion_ = instead_of_taps(gaussian, excess);
    filter.automatic_ = gaussian;
    return filter;
}

Filter Filter::box(const Box &box) {
    for (std::size_t i = 0; i < 4; ++i) {
        require(box.radius[i] >= 0 && box.radius[i] <= max_box_radius, "the radius is ",
                box.radius[i], " along ", axis_name[i], "; it must be from 0 to ", max_box_radius);
    }
    require(box.iterations >= 1 && box.iterations <= max_box_iterations, "there are ",
            box.iterations, " iterations; 1 to ", max_box_iterations, " are supported");
    Filter filter("box", {});
    filter.box_ = box;
    return filter;
}

Filter Filter::with_component(std::int64_t component, const Filter &other) const {
    require(component >= 0 && component < max_components, "the component is ", component,
            "; it must be from 0 to ", max_components - 1);
    for (const Filter *filter : {this, &other})
        require(filter->has_taps(), "a filter that is ", to_text(*filter),
                " has no taps; only filters with taps can differ between components");
    for (const Filter *filter : {this, &other})
        if (filter->correlation_.is_volume())
            fail(Status::unsupported, "taps of ", to_text(filter->taps().size),
                 " extend along z or t; only those along x and y can differ between components");
    require(other.components_.empty(), "the taps of a component differ between components "
                                       "themselves");
    Filter result = *this;
    result.automatic_.reset(); // only taps can differ
    result.components_.insert_or_assign(component, other.correlation_);
    return result;
}

namespace {

// The error bound of one Gaussian less another, whose results are up to `largest`.
double difference_bound(double first, double second, double largest) {
    return (first + second) * (1.0 + 2.0 * u) + 2.0 * u * largest;
}

} // namespace

const Correlation &Filter::correlation(std::int64_t component) const {
    const auto own = components_.find(component);
    return own == components_.end() ? correlation_ : own->second;
}

std::size_t Filter::target_count() const {
    return bank_ ? bank_->filters.size() : 1;
}

const Filter &Filter::for_target(std::size_t i) const {
    return bank_ ? bank_->filters.at(i) : *this;
}

Filter Filter::bank(std::vector<Filter> filters) {
    require(!filters.empty() && filters.size() <= max_bank, "the bank has ", filters.size(),
            " filters; it must be from 1 to ", max_bank);
    for (const Filter &filter : filters)
        require(!filter.bank() && !filter.is_sat(), "a filter of the bank is a ", to_text(filter),
                "; banks and summed-area tables cannot be in one");
    Filter result("bank", {});
    result.bank_ = std::make_shared<const Bank>(Bank{std::move(filters)});
    return result;
}

double Filter::error_bound(double largest) const {
    if (bank_)
        fail(Status::internal, "a bank has a bound for each of its filters");
    if (dog_)
        return difference_bound(dog_->first.error_bound(largest), dog_->second.error_bound(largest),
                                largest);
    if (recursion_)
        return largest * approximation_bound(*recursion_) + rounding_bound(largest);
    return rounding_bound(largest);
}

double Filter::rounding_bound(double largest) const {
    if (is_sat_)
        return std::numeric_limits<double>::infinity();
    if (dog_)
        return difference_bound(dog_->first.rounding_bound(largest),
                                dog_->second.rounding_bound(largest), largest);
    if (recursion_)
        return gz::rounding_bound(*recursion_, largest);
    if (box_)
        return box_->error_bound(largest);
    double bound = correlation_.error_bound(largest);
    for (const auto &[component, correlation] : components_)
        bound = std::max(bound, correlation.error_bound(largest));
    return bound;
}

double sat_error_bound(std::int64_t x, std::int64_t y, double magnitudes) {
    const double steps = u * static_cast<double>(x + y);
    const double share = steps / (1.0 - steps);
    if (steps >= 1.0 || !((1.0 + share) * magnitudes <= facts_of(PixelType::f32).highest))
        return std::numeric_limits<double>::infinity();
    return share * magnitudes;
}

std::string to_text(const Filter &filter) {
    if (const std::optional<Box> &box = filter.box())
        return text(filter.name() == "box" ? "" : "gaussian as ", "box of ", to_text(box->size()),
                    " pixels, ", box->iterations, box->iterations == 1 ? " time" : " times");
    if (filter.is_sat())
        return "summed-area table";
    if (const Bank *bank = filter.bank()) {
        std::string result = text("bank of ", bank->filters.size(), ":");
        for (const Filter &one : bank->filters)
            result += text(&one == bank->filters.data() ? " " : "; ", to_text(one));
        return result;
    }
    if (const Dog *dog = filter.dog())
        return text("difference of ", to_text(dog->first), " and ", to_text(dog->second));
    if (const std::optional<Recursion> &recursion = filter.recursion())
        return filter.name() + ": " + to_text(*recursion);
    const auto describe = [](const Correlation &correlation) {
        return text(to_text(correlation.taps.size), " taps, as a correlation anchored at ",
                    to_place(correlation.taps.anchor),
                    correlation.factors ? ", separable" : ", not separable");
    };
    std::string result = filter.name() + " " + describe(filter.correlation());
    for (const auto &[component, correlation] : filter.components())
        result += text("; component ", component, " ", describe(correlation));
    return result;
}

std::vector<double> gaussian_taps(double sigma, int derivative, double truncate) {
    const auto radius = static_cast<int>(truncate * sigma + 0.5);
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
