#include "plan/method.hpp"

#include <optional>

#include "core/error.hpp"
#include "plan/choice.hpp"
#include "plan/pipeline.hpp"

namespace gz {

namespace {

// Where sums of exponentials overtake taps, for large f32 images. A GPU hides the arithmetic of short
// taps behind its memory; so does a CPU's vector unit, for longer.
constexpr double of_gpus = 4.0;
constexpr double of_cpus = 6.0;

double mean_sigma(const Gaussian &gaussian) {
    double sum = 0.0;
    int axes = 0;
    for (const double sigma : gaussian.sigma) {
        sum += sigma;
        axes += sigma > 0.0 ? 1 : 0;
    }
    return sum / axes;
}

Dog::Passes passes_of(DeviceClass device_class, const std::string &forced) {
    if (forced.empty() || forced == axis_by_axis)
        return Dog::Passes::of_both;
    const std::vector<std::string> parts = parts_of_variant(forced);
    RecursivePass both;
    both.second.emplace();
    // Passes of each, as many of the one as of the other, have one more that subtracts.
    const bool is_of_both = parts.size() > 1 ? parts.size() % 2 == 0
                                             : names_kernel(forced, both, device_class) ||
                                                   names_kernel(forced, BoxPass(), device_class);
    return is_of_both ? Dog::Passes::of_both : Dog::Passes::of_each;
}

} // namespace

double largest_sigma_of_taps(DeviceClass device_class) {
    switch (device_class) {
    case DeviceClass::pocl_cpu:
    case DeviceClass::mesa_cpu:
    case DeviceClass::other_cpu:
    case DeviceClass::oclgrind:
        return of_cpus;
    default:
        return of_gpus;
    }
}

Settled settle(const Filter &filter, DeviceClass device_class, const std::string &forced) {
    if (const Dog *dog = filter.dog()) {
        const std::string of_each = forced == filter_by_filter ? "" : forced;
        Settled first = settle(dog->first, device_class, of_each);
        Settled second = settle(dog->second, device_class, of_each);
        return {Filter::difference({std::move(first.filter), std::move(second.filter),
                                    passes_of(device_class, forced)}),
                first.reasons + second.reasons};
    }
    if (const Bank *bank = filter.bank()) {
        std::vector<Filter> filters;
        std::string reasons;
        for (const Filter &one : bank->filters) {
            Settled own = settle(one, device_class, forced);
            filters.push_back(std::move(own.filter));
            reasons += own.reasons;
        }
        return {Filter::bank(std::move(filters)), reasons};
    }
    if (!filter.automatic())
        return {filter, ""};
    Gaussian gaussian = *filter.automatic();
    if (filter.recursion())
        return {filter,
                text("method: recursive, for taps cut off at ", gaussian.truncate,
                     " sigma would be more than the ", max_axis_taps, " that an axis can have\n")};
    const double sigma = mean_sigma(gaussian);
    const double largest = largest_sigma_of_taps(device_class);
    const auto taps = [&](const std::string &reason) -> Settled {
        return {filter, text("method: fir, for ", reason, "\n")};
    };
    const std::string crossover =
        text("sigma ", sigma, " is ", sigma > largest ? "above " : "up to ", largest,
             ", where exponentials overtake taps on devices of "
             "class ",
             name_of(device_class));
    const bool forces_recursive = names_kernel(forced, RecursivePass(), device_class);
    if (!forced.empty() && !forces_recursive)
        return taps("a kernel of that is forced");
    if (!forces_recursive && sigma <= largest)
        return taps(crossover);
    if (gaussian.truncate != Gaussian().truncate)
        return taps(text("taps cut off at ", gaussian.truncate, " sigma are asked for"));
    gaussian.method = GaussianMethod::recursive;
    try {
        return {Filter::gaussian(gaussian),
                text("method: recursive, for ",
                     forces_recursive ? "a kernel of that is forced" : crossover, "\n")};
    } catch (const Error &error) {
        return taps(text("recursion is refused: ", error.what()));
    }
}

} // namespace gz
