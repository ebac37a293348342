#include "families/correlate/correlate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"

namespace gz {

namespace {

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

// Keeps rows filtered along x alone from overflow and from vanishing where the final results do neither:
// moves a power of two from one axis to the other, which changes no bits except at the limits of f32's range.
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
    // `most` is the largest gain of rows, then planes, then volumes filtered so far; `later` is how much
    // later axes enlarge the error of a step that underflows.
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

const Correlation &Correlate::of(std::int64_t component) const {
    const auto own = components.find(component);
    return own == components.end() ? correlation : own->second;
}

Correlate correlate(Taps taps) {
    check(taps);
    return {"correlate", from_box_of_taps(std::move(taps))};
}

Correlate convolve(Taps taps) {
    check(taps);
    return {"convolve", from_box_of_taps(reversed(taps))};
}

Correlate separable(const AxisTaps &taps, std::string name) {
    return {std::move(name), from_axes(taps)};
}

Correlate with_component(Correlate filter, std::int64_t component, const Correlate &other) {
    for (const Correlate *one : {&std::as_const(filter), &other})
        if (one->correlation.is_volume())
            fail(Status::unsupported, "taps of ", to_text(one->taps().size),
                 " extend along z or t; only those along x and y can differ between components");
    require(other.components.empty(), "the taps of a component differ between components "
                                      "themselves");
    filter.components.insert_or_assign(component, other.correlation);
    return filter;
}

std::string to_text(const Correlate &filter) {
    const auto describe = [](const Correlation &correlation) {
        return text(to_text(correlation.taps.size), " taps, as a correlation anchored at ",
                    to_place(correlation.taps.anchor),
                    correlation.factors ? ", separable" : ", not separable");
    };
    std::string result = filter.name + " " + describe(filter.correlation);
    for (const auto &[component, correlation] : filter.components)
        result += text("; component ", component, " ", describe(correlation));
    return result;
}

void check_border(const Correlate &filter, const Border &border) {
    refuse_border_zero(border, to_text(filter));
}

double rounding_bound(const Correlate &filter, double largest) {
    double bound = filter.correlation.error_bound(largest);
    for (const auto &[component, correlation] : filter.components)
        bound = std::max(bound, correlation.error_bound(largest));
    return bound;
}

double error_bound(const Correlate &filter, double largest) {
    return rounding_bound(filter, largest);
}

AxesReach reach_of(const Correlate &filter) {
    AxesReach result;
    const auto add = [&](const Taps &taps) {
        for (std::size_t i = 0; i < 4; ++i)
            result[i] = cover(result[i], {taps.anchor[i], taps.size[i] - 1 - taps.anchor[i]});
    };
    add(filter.taps());
    for (const auto &[component, correlation] : filter.components)
        add(correlation.taps);
    return result;
}

bool rounds_once(const Correlate &, const Rounded &) {
    return false;
}

Results results_of(const Correlate &) {
    return Results::pixels;
}

} // namespace gz
