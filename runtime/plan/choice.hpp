// Chooses the kernel for a pass and its configuration, and says why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/tuning.hpp"
#include "plan/graph.hpp"
#include "plan/kernel.hpp"

namespace gz {

struct Choice {
    std::string kernel;
    Config config;
    Work work;
    std::string details;              // details of the work, for explain()
    std::string rule;                 // the rule that decided
    std::vector<std::string> refused; // "name: why", for each candidate preferred to the chosen one
    // Whether the kernel's results were compared with the reference on this device when it was measured
    // there.
    bool is_proven = false;

    std::string variant() const { return kernel + ":" + to_text(config); }
};

// The device that a kernel is chosen for, and its measurements.
struct ChoiceOn {
    const DeviceFacts &facts;
    const Tuning *tuning = nullptr; // none: the choice of its class

    ChoiceOn(const DeviceFacts &device) : facts(device) {}
    ChoiceOn(const DeviceFacts &device, const Tuning &results) : facts(device), tuning(&results) {}
};

// forced: "" to let results decide, and the device's class where there are none; otherwise a kernel's name
// with or without values of tunables, as "correlate_tiled:GROUP_X=8"; forced_by says where it came from. A
// forced kernel is never replaced by another. others: names of kernels that the caller would have taken as
// well.
Choice choose(const Pass &pass, const ChoiceOn &on, const std::string &forced,
              const std::string &forced_by, const std::string &others = "");

// Chooses where nothing is forced; returns nothing where no kernel can run on the device.
std::optional<Choice> choose_if_any(const Pass &pass, const ChoiceOn &on);
// The same of kernels that results of measurements name or that the device wants.
std::optional<Choice> choose_if_wanted(const Pass &pass, const ChoiceOn &on);

// Whether a result is for a kernel of the pass, as the kernel is now. If the first result that counts takes
// no less than this share of the default's time, the default is taken, which depends on the image's size too.
bool counts(const Pass &pass, const ChoiceOn &on, const Tuning::Result &result);
inline constexpr double ratio_of_note = 0.98;

// Returns the choice of a result for the pass, or for a problem that it stands for; nothing where the result
// names no kernel for it, or one that cannot run: then `refused` says why.
std::optional<Choice> choose_measured(const Pass &pass, const ChoiceOn &on,
                                      const Tuning::Result &result,
                                      std::vector<std::string> &refused);

// Returns the variants that can run, each a kernel with all of its values: first the best of each kernel,
// then the others that the device's class prefers, then the rest.
std::vector<std::string> candidates(const Pass &pass, const DeviceFacts &facts);

// Returns the hash of the kernel that a variant names, as Tuning has it; nothing where the kernel is not for the
// pass.
std::optional<std::string> spec_hash(const Pass &pass, const Tuning &tuning,
                                     const std::string &variant);

// Splits a variant for several passes at ';' into one part for each, without the spaces that they begin with.
std::vector<std::string> parts_of_variant(const std::string &variant);

// The variant that a caller or the environment forces on a plan, and its parts.
struct Forced {
    std::string variant; // "" for nothing
    const char *by;
    std::vector<std::string> parts;

    // given: "" for the environment's GAUZE_VARIANT.
    explicit Forced(const std::string &given);

    bool has_parts() const { return parts.size() > 1; } // one for each pass
    // Returns the variant for a pass that follows `number` others, "" for the library's choice. combines: the
    // pass only puts results of others together, and a kernel for all passes is not for it.
    std::string of_pass(std::size_t number, bool combines) const;
};

// Whether a variant, as above, names a kernel for the pass that a plan may run it on.
bool names_kernel(const std::string &variant, const Pass &pass, const DeviceFacts &facts);

// Returns what explain() says of a choice, on separate lines, the first of which begins with `pass`.
std::string explain(const std::string &pass, const Choice &choice);

} // namespace gz
