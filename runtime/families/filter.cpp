#include "families/filter.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "families/recursive/recursive.hpp"

namespace gz {

Filter Filter::gaussian(const Gaussian &gaussian) {
    check(gaussian);
    return gaussian.method == GaussianMethod::automatic ? Filter(gaussian) : by_method(gaussian);
}

Filter Filter::with_component(std::int64_t component, const Filter &other) const {
    require(component >= 0 && component < max_components, "the component is ", component,
            "; it must be from 0 to ", max_components - 1);
    const auto with_taps = [](const Filter &filter) -> Correlate {
        const Filter settled = without_device(filter);
        const Correlate *const taps = settled.get_if<Correlate>();
        require(taps != nullptr, "a filter that is ", to_text(filter),
                " has no taps; only filters with taps can differ between components");
        return *taps;
    };
    return gz::with_component(with_taps(*this), component, with_taps(other));
}

std::size_t Filter::source_count() const {
    const Guided *const guided = get_if<Guided>();
    return guided && guided->guide == Guide::image ? 2 : 1;
}

std::size_t Filter::target_count() const {
    const Bank *const bank = get_if<Bank>();
    return bank ? bank->filters.size() : 1;
}

const Filter &Filter::for_target(std::size_t i) const {
    const Bank *const bank = get_if<Bank>();
    return bank ? bank->filters.at(i) : *this;
}

void Filter::check_border(const Border &border) const {
    std::visit([&](const auto &own) { gz::check_border(own, border); }, *description_);
}

double Filter::error_bound(double largest) const {
    return std::visit([&](const auto &own) { return gz::error_bound(own, largest); },
                      *description_);
}

double Filter::rounding_bound(double largest) const {
    return std::visit([&](const auto &own) { return gz::rounding_bound(own, largest); },
                      *description_);
}

AxesReach Filter::reach() const {
    return std::visit([](const auto &own) { return reach_of(own); }, *description_);
}

namespace {

AxesReach cover_all(const std::vector<Filter> &filters, double accuracy) {
    AxesReach result;
    for (const Filter &filter : filters)
        result = cover(result, filter.reach_within(accuracy));
    return result;
}

// Where results are sums of several filters' results, these share the accuracy.
double share(double accuracy, const std::vector<Filter> &filters) {
    return accuracy / static_cast<double>(filters.size());
}

template <class D> AxesReach reach_of(const D &own, double) {
    return gz::reach_of(own);
}

AxesReach reach_of(const Recursion &recursion, double accuracy) {
    return gz::reach_within(recursion, accuracy);
}

AxesReach reach_of(const Gaussian &gaussian, double accuracy) {
    const AxesReach reach = by_method(gaussian).reach_within(accuracy);
    const RecursiveGaussian recursive = try_recursive(gaussian);
    return recursive.recursion ? cover(reach, reach_of(*recursive.recursion, accuracy)) : reach;
}

AxesReach reach_of(const Difference &difference, double accuracy) {
    return cover_all(difference.filters, share(accuracy, difference.filters));
}

// A magnitude changes by no more than its derivatives do in all, and an eigenvalue by no more than twice that of
// the mean entry. No orientation is of recursive filters. A product of derivatives changes by what each does times the
// other; a mean then reads products, of which the range is twice the largest.
AxesReach reach_of(const Derivative &derivative, double accuracy) {
    if (derivative.means.empty())
        return cover_all(derivative.filters, share(accuracy, derivative.filters));
    double gain = 1.0;
    for (const double own : derivative.gains)
        gain = std::max(gain, own);
    return after(cover_all(derivative.filters, accuracy / (2.0 * gain)),
                 derivative.means.front().reach_within(accuracy / (2.0 * gain * gain)));
}

AxesReach reach_of(const Bank &bank, double accuracy) {
    return cover_all(bank.filters, accuracy);
}

AxesReach reach_of(const Local &local, double accuracy) {
    switch (local.result) {
    case LocalResult::unsharp:
        return local.mean().reach_within(accuracy / std::max(1.0, std::abs(local.amount)));
    case LocalResult::high_pass:
    case LocalResult::variance:
        return local.mean().reach_within(accuracy);
    case LocalResult::deviation:
        // A variance that should be 0 has the root of its error, which is three times that of the means.
        return local.mean().reach_within(accuracy * accuracy / 3.0);
    case LocalResult::normalized:
        break;
    }
    return local.mean().reach_within(0.0);
}

} // namespace

AxesReach Filter::reach_within(double accuracy) const {
    return std::visit([&](const auto &own) { return reach_of(own, accuracy); }, *description_);
}

bool Filter::rounds_once(const Rounded &images) const {
    return std::visit([&](const auto &own) { return gz::rounds_once(own, images); }, *description_);
}

Results Filter::results() const {
    return std::visit([](const auto &own) { return results_of(own); }, *description_);
}

void Filter::compute(const ReferenceJob &job, ModesAs modes, const RowSink<double> &sink) const {
    std::visit([&](const auto &own) { gz::compute(own, job, modes, sink); }, *description_);
}

std::string to_text(const Filter &filter) {
    return std::visit([](const auto &own) { return to_text(own); }, filter.description());
}

} // namespace gz
