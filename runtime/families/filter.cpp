#include "families/filter.hpp"

#include "core/error.hpp"

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
