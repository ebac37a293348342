// Which kernel computes a pass, in which configuration, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/tuning.hpp"
#include "plan/kernel.hpp"

namespace gz {

struct Choice {
    std::string kernel;
    Config config;
    Work work;
    std::string details;              // of the work, for explain()
    std::string rule;                 // what decided
    std::vector<std::string> refused; // "name: why", for each candidate preferred to the chosen one
    // Whether its results were compared with the reference on this device when it was measured there.
    bool is_proven = false;

    std::string variant() const { return kernel + ":" + to_text(config); }
};

// The device that a kernel is chosen for, and what was measured on it.
struct ChoiceOn {
    const DeviceFacts &facts;
    const Tuning *tuning = nullptr; // none: what its class prefers

    ChoiceOn(const DeviceFacts &device) : facts(device) {}
    ChoiceOn(const DeviceFacts &device, const Tuning &results) : facts(device), tuning(&results) {}
};

// forced: "" to let results decide, and the device's class where there are none, else a kernel's name
// with or without values of tunables, as "correlate_tiled:GROUP_X=8"; forced_by says where it came
// from. Never falls back from what is forced. others: names of kernels that the caller would have
// taken besides.
Choice choose(const Pass &pass, const ChoiceOn &on, const std::string &forced,
              const std::string &forced_by, const std::string &others = "");

// The same where nothing is forced; nothing where no kernel can run on the device.
std::optional<Choice> choose_if_any(const Pass &pass, const ChoiceOn &on);

// Whether a result is of a kernel for the pass, as it is now. Where one comes that counts and that is
// no faster than this, of the default's time, the default is taken, which goes by the image's size too.
bool counts(const Pass &pass, const ChoiceOn &on, const Tuning::Result &result);
inline constexpr double ratio_of_note = 0.98;

// What a result for the pass, or for a problem that it stands for, says to take; nothing where it names
// no kernel for it, or one that cannot run: then `refused` says why.
std::optional<Choice> choose_measured(const Pass &pass, const ChoiceOn &on,
                                      const Tuning::Result &result,
                                      std::vector<std::string> &refused);

// Variants that can run, each a kernel with all of its values: those that the class of the device
// prefers first, each kernel's first of all.
std::vector<std::string> candidates(const Pass &pass, const DeviceFacts &facts);

// The hash of the kernel that a variant names, as Tuning has it; "" where the kernel is not for passes of
// this kind.
std::string spec_hash(const Pass &pass, const Tuning &tuning, const std::string &variant);

// The parts of a variant that has one for each of several passes, between ';', without the spaces that
// they begin with.
std::vector<std::string> parts_of_variant(const std::string &variant);

// Whether a variant, as above, names a kernel for the pass that a plan may run it on.
bool names_kernel(const std::string &variant, const Pass &pass, const DeviceFacts &facts);

// What explain() says of a choice, on lines of its own, the first of which begins with `pass`.
std::string explain(const std::string &pass, const Choice &choice);

} // namespace gz
