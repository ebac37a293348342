#include "families/gaussian/lowering.hpp"

#include <utility>

#include "core/error.hpp"
#include "families/family.hpp"
#include "families/recursive/kernels.hpp"
#include "families/recursive/recursive.hpp"

namespace gz {

namespace {

// Where sums of exponentials overtake taps. A GPU hides the arithmetic of short taps behind its memory; so does
// a CPU's vector unit, the longer the wider its vectors are. Measured with PoCL 3.1 on two cores: at 2.6 with AVX-512
// for 4096x4096 pixels of f32 or u8, at 3.5 for three channels and at 4.3 for 1920x1080; with AVX2 at 1.8, 1.7 and 3.
constexpr double largest_on_gpus = 4.0;
// 31 taps: a program for more is slower at once. 33 take 1.27 times as long as exponentials on an H200, with 16384x16384
// pixels of f32, and as long with 1920x1080; with three channels 0.9 of it.
constexpr double largest_on_nvidia = 3.8;
constexpr double largest_on_cpus = 6.0;
constexpr double largest_with_avx512 = 3.0;
constexpr double largest_with_avx2 = 2.0;

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

double largest_sigma_of_taps(DeviceClass device_class, const std::string &architecture) {
    switch (device_class) {
    case DeviceClass::pocl_cpu:
        return architecture == "x86-avx512" ? largest_with_avx512
               : architecture == "x86-avx2" ? largest_with_avx2
                                            : largest_on_cpus;
    case DeviceClass::intel_cpu:
    case DeviceClass::mesa_cpu:
    case DeviceClass::other_cpu:
    case DeviceClass::oclgrind:
        return largest_on_cpus;
    case DeviceClass::nvidia_gpu:
        return largest_on_nvidia;
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
    const double largest = largest_sigma_of_taps(on.device_class, on.architecture);
    const auto taps = [&](const std::string &reason) -> Settled {
        return {by_method(gaussian), text("method: fir, for ", reason, "\n")};
    };
    const std::string crossover =
        text("sigma ", sigma, " is ", sigma > largest ? "above " : "up to ", largest,
             ", where exponentials overtake taps on devices of "
             "class ",
             name_of(on.device_class), on.architecture.empty() ? "" : ", ", on.architecture);
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
