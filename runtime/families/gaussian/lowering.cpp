#include "families/gaussian/lowering.hpp"

#include <utility>

#include "core/error.hpp"
#include "families/family.hpp"
#include "families/recursive/kernels.hpp"
#include "families/recursive/recursive.hpp"

namespace gz {

namespace {

// Where sums of exponentials overtake taps, for large f32 images. A GPU hides the arithmetic of short
// taps behind its memory; so does a CPU's vector unit, for longer.
constexpr double largest_on_gpus = 4.0;
constexpr double largest_on_cpus = 6.0;

double mean_sigma(const Gaussian &gaussian) {
    double sum = 0.0;
    int axes = 0;
    for (const double sigma : gaussian.sigma) {
        sum += sigma;
        axes += sigma > 0.0 ? 1 : 0;
    }
    return sum / axes;
}

bool is_recursive_kernel(const std::string &variant) {
    const std::string name = variant.substr(0, variant.find(':'));
    for (const Kernel &kernel : recursive_kernels())
        if (kernel.name == name)
            return true;
    return false;
}

} // namespace

double largest_sigma_of_taps(DeviceClass device_class) {
    switch (device_class) {
    case DeviceClass::pocl_cpu:
    case DeviceClass::intel_cpu:
    case DeviceClass::mesa_cpu:
    case DeviceClass::other_cpu:
    case DeviceClass::oclgrind:
        return largest_on_cpus;
    default:
        return largest_on_gpus;
    }
}

Settled settle(const Gaussian &gaussian, const Settling &on) {
    const std::string &forced = on.forced;
    if (!excess_of_taps(gaussian).empty())
        return {by_method(gaussian),
                text("method: recursive, for taps cut off at ", gaussian.truncate,
                     " sigma would be more than the ", max_axis_taps, " that an axis can have\n")};
    const double sigma = mean_sigma(gaussian);
    const double largest = largest_sigma_of_taps(on.device_class);
    const auto taps = [&](const std::string &reason) -> Settled {
        return {by_method(gaussian), text("method: fir, for ", reason, "\n")};
    };
    const std::string crossover =
        text("sigma ", sigma, " is ", sigma > largest ? "above " : "up to ", largest,
             ", where exponentials overtake taps on devices of "
             "class ",
             name_of(on.device_class));
    const bool forces_recursive = is_recursive_kernel(forced);
    if (!forced.empty() && !forces_recursive)
        return taps("a kernel of that is forced");
    if (!forces_recursive && sigma <= largest)
        return taps(crossover);
    if (gaussian.truncate != Gaussian().truncate)
        return taps(text("taps cut off at ", gaussian.truncate, " sigma are asked for"));
    RecursiveGaussian recursive = try_recursive(gaussian);
    if (!recursive.recursion)
        return taps("recursion is refused: " + recursive.refusal);
    return {std::move(*recursive.recursion),
            text("method: recursive, for ",
                 forces_recursive ? "a kernel of that is forced" : crossover, "\n")};
}

Graph lower(const Gaussian &gaussian, const PlanDesc &desc) {
    return lower(by_method(gaussian), desc);
}

} // namespace gz
