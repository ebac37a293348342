// The one description of a kernel family. Build options, launches, the choice of a kernel, forcing
// one from outside and the generic tests are all derived from it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "device/facts.hpp"
#include "device/launch.hpp"

namespace gz {

struct Tunable {
    std::string name; // of the macro in the .cl, or of a number that goes into the launch alone
    std::vector<int> values;
};

// A value for each tunable.
using Config = std::map<std::string, int>;

std::string to_text(const Config &config); // "GROUP_X=8,GROUP_Y=8"

template <class Pass> struct KernelSpec {
    std::string name; // of the family: the stem of its .cl and its kernel function
    std::vector<Tunable> tunables;
    // Why the kernel cannot compute the pass in the configuration; "" where it can.
    std::function<std::string(const Pass &, const Config &)> refusal;
    // Configurations to try first on the device, best first.
    std::function<std::vector<Config>(const Pass &, const DeviceFacts &)> preferred;
    // The launches on the device, complete, for a configuration that takes its values from the
    // tunables and that is not refused.
    std::function<Work(const Pass &, const Config &, const DeviceFacts &)> work;
    // What explain() adds about the work; "" for nothing.
    std::function<std::string(const Pass &, const Config &)> details;
    // Why another kernel is to be preferred to this configuration on the device, for an image of this
    // size; "" where not. None: there is never a reason.
    std::function<std::string(const Pass &, const Config &, const DeviceFacts &)> unsuited{};
};

std::string to_text(const std::vector<Tunable> &tunables); // "GROUP_X=1|8,GROUP_Y=1|8"

// Every combination of the tunables' values.
std::vector<Config> all_configs(const std::vector<Tunable> &tunables);

// Why a launch, or one of several, does not fit the device, "" where it does. Trusts no driver to
// say so itself.
std::string misfit(const Launch &launch, const DeviceFacts &facts);
std::string misfit(const Work &work, const DeviceFacts &facts);

// POLLS_ATOMICALLY of cl/lib/shared_words.clh: whether words that other groups publish are read by atomic
// functions.
bool polls_atomically(const DeviceFacts &facts);

// The launch that comes before one whose groups share words: tickets, then words to be published.
Launch clear_words(const Argument &words, std::int64_t count, int tickets = 1);

} // namespace gz
