#include "families/gaussian/lowering.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "families/correlate/correlate_pass.hpp"
#include "families/correlate/kernels.hpp"
#include "families/family.hpp"
#include "families/recursive/kernels.hpp"
#include "families/recursive/recursive.hpp"
#include "plan/choice.hpp"
#include "plan/problem.hpp"

namespace gz {

namespace {

// Where sums of exponentials overtake taps, for problems that nobody measured. A GPU hides the arithmetic of short taps
// behind its memory; so does a CPU's vector unit, the longer the wider its vectors are. Measured with PoCL 3.1 on two
// cores: at 2.6 with AVX-512 for 4096x4096 pixels of f32 or u8, at 3.5 for three channels and at 4.3 for 1920x1080; with
// AVX2 at 1.8, 1.7 and 3.
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

int taps_of(double sigma) {
    return 2 * static_cast<int>(Gaussian().truncate * sigma + 0.5) + 1;
}

// Fewer taps are nowhere slower than exponentials, and more are nowhere faster.
constexpr int fewest_measured = 12;
constexpr int most_measured = 63;

bool fills_bucket(int taps) {
    return taps <= most_measured && taps == tap_bucket(taps).most;
}

constexpr const char *by_taps = "fir";
constexpr const char *by_recursion = "recursive";

// How a Gaussian is to be computed, and what Settled has of it.
struct MethodChoice {
    bool recursive;
    std::string reason;
    std::string problem{};
    std::vector<std::string> methods{};
};

bool names_one_of(const std::string &variant, const std::vector<Kernel> &kernels) {
    const std::string name = variant.substr(0, variant.find(':'));
    return std::any_of(kernels.begin(), kernels.end(),
                       [&](const Kernel &kernel) { return kernel.name == name; });
}

enum class ForcedMethod { none, taps, recursion };

// Returns the method that a forced variant asks for. Parts for several passes ask for one if they name kernels of that
// alone: a plan's own variant has kernels of both where Gaussians of both are in its filter.
ForcedMethod forced_method(const std::string &variant) {
    const std::vector<std::string> parts = parts_of_variant(variant);
    const auto names = [&](const std::vector<Kernel> &kernels) {
        return std::any_of(parts.begin(), parts.end(),
                           [&](const std::string &part) { return names_one_of(part, kernels); });
    };
    const bool recursion = names(recursive_kernels());
    const bool taps = parts.size() == 1 ? !recursion : names(correlate_kernels());
    return recursion == taps ? ForcedMethod::none
           : recursion       ? ForcedMethod::recursion
                             : ForcedMethod::taps;
}

MethodChoice choose(const Gaussian &gaussian, const Settling &on) {
    const double sigma = mean_sigma(gaussian);
    const double largest = largest_sigma_of_taps(on.device_class, on.architecture);
    MethodChoice choice{sigma > largest,
                        text("sigma ", sigma, " is ", sigma > largest ? "above " : "up to ",
                             largest, ", where exponentials overtake taps on devices of class ",
                             name_of(on.device_class), on.architecture.empty() ? "" : ", ",
                             on.architecture)};
    if (!on.images)
        return choice;
    choice.problem = method_problem(gaussian, *on.images);
    if (choice.problem.empty())
        return choice;
    choice.methods = {by_taps, by_recursion};
    if (choice.recursive)
        std::swap(choice.methods[0], choice.methods[1]);
    if (!on.tuning)
        return choice;
    for (const Tuning::Result &result : on.tuning->results(choice.problem)) {
        const std::string &method = result.record.kernel;
        if (method != by_taps && method != by_recursion)
            continue;
        choice.recursive = method == by_recursion;
        choice.reason = on.tuning->rule(result);
        break;
    }
    return choice;
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

std::string method_problem(const Gaussian &gaussian, const PlanDesc &images) {
    const Gaussian usual;
    const int taps = taps_of(mean_sigma(gaussian));
    if (taps < fewest_measured || taps > most_measured || gaussian.sigma[3] > 0.0 ||
        gaussian.truncate != usual.truncate || gaussian.accuracy != usual.accuracy)
        return "";
    int axes = 0;
    bool fills = true;
    for (const double sigma : gaussian.sigma) {
        axes += sigma > 0.0 ? 1 : 0;
        fills = fills && (sigma == 0.0 || fills_bucket(taps_of(sigma)));
    }
    if (axes < 2)
        return "";
    const std::int64_t channels = images.source.channels;
    const bool is_volume = gaussian.sigma[2] > 0.0; // of any channels
    return text("gaussian taps", fills ? "=" : "<=", tap_bucket(taps).most, " ",
                image_text(types_text(images.source.type, images.target.type),
                           images.pixels() * channels, is_volume ? 1 : static_cast<int>(channels)),
                is_volume ? " volume" : "");
}

Settled settle(const Gaussian &gaussian, const Settling &on) {
    if (!excess_of_taps(gaussian).empty())
        return {by_method(gaussian),
                text("method: recursive, for taps cut off at ", gaussian.truncate,
                     " sigma would be more than the ", max_axis_taps, " that an axis can have\n")};
    const auto taps = [&](const std::string &reason) -> Settled {
        return {by_method(gaussian), text("method: fir, for ", reason, "\n")};
    };
    const ForcedMethod forced = forced_method(on.forced);
    const bool forces_recursive = forced == ForcedMethod::recursion;
    if (forced == ForcedMethod::taps)
        return taps("a kernel of that is forced");
    if (on.images && on.images->store == Store::truncate && !forces_recursive)
        return taps("integers are to be truncated");
    MethodChoice choice =
        forces_recursive ? MethodChoice{true, "a kernel of that is forced"} : choose(gaussian, on);
    const auto with_problem = [&](Settled settled) {
        settled.problem = std::move(choice.problem);
        settled.methods = std::move(choice.methods);
        return settled;
    };
    if (!choice.recursive)
        return with_problem(taps(choice.reason));
    if (gaussian.truncate != Gaussian().truncate)
        return taps(text("taps cut off at ", gaussian.truncate, " sigma are asked for"));
    RecursiveGaussian recursive = try_recursive(gaussian);
    if (!recursive.recursion)
        return taps("recursion is refused: " + recursive.refusal);
    return with_problem(
        {std::move(*recursive.recursion), text("method: recursive, for ", choice.reason, "\n")});
}

Graph lower(const Gaussian &gaussian, const PlanDesc &desc) {
    return lower(by_method(gaussian), desc);
}

} // namespace gz
