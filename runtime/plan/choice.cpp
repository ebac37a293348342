#include "plan/choice.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "core/error.hpp"
#include "device/environment.hpp"

namespace gz {

namespace {

struct WantedKernel {
    std::string name;
    Config values; // values of some tunables
};

WantedKernel parse(const std::string &forced) {
    WantedKernel result;
    std::istringstream parts(forced);
    std::getline(parts, result.name, ':');
    std::string setting;
    while (std::getline(parts, setting, ',')) {
        const std::size_t equals = setting.find('=');
        int value = 0;
        const char *end = setting.data() + setting.size();
        const auto number = equals == std::string::npos
                                ? std::from_chars_result{end, std::errc::invalid_argument}
                                : std::from_chars(setting.data() + equals + 1, end, value);
        require(number.ec == std::errc() && number.ptr == end, "variant '", forced, "' has '",
                setting, "' where NAME=NUMBER is expected");
        result.values[setting.substr(0, equals)] = value;
    }
    return result;
}

std::string names_of(const std::vector<RankedKernel> &kernels) {
    std::string names;
    for (const RankedKernel &ranked : kernels)
        names += (names.empty() ? "" : ", ") + ranked.kernel->name;
    return names;
}

void check_values(const Kernel &spec, const Config &values) {
    for (const auto &[name, value] : values) {
        const auto tunable =
            std::find_if(spec.tunables.begin(), spec.tunables.end(),
                         [&name = name](const Tunable &t) { return t.name == name; });
        require(tunable != spec.tunables.end(), spec.name, " has no tunable ", name);
        require(std::count(tunable->values.begin(), tunable->values.end(), value) > 0, spec.name,
                " cannot take ", name, "=", value);
    }
}

// The first configuration that fits the device and has the wanted values, or why there is none.
struct Fitting {
    std::optional<Config> config;
    Work work;
    std::string refusal;
    std::vector<std::string> objections; // to configurations that would fit
};

std::string hash_of(const Kernel &spec, const Tuning &tuning) {
    return tuning.spec_hash(spec.file, to_text(spec.tunables));
}

// Returns why results speak against a configuration; "" where they do not.
std::string objection(const Kernel &spec, const Pass &pass, const Config &config,
                      const Tuning *tuning) {
    if (!tuning)
        return "";
    return tuning->objection(pass.problem(), spec.name, to_text(config),
                             [&] { return hash_of(spec, *tuning); });
}

// Whether a core has local memory for one group of a launch alone, which then waits for memory with nothing else to do.
bool fills_core(const Work &work, const DeviceFacts &facts) {
    return std::any_of(work.launches.begin(), work.launches.end(), [&](const Launch &launch) {
        return 2 * local_memory_of(launch) > facts.local_memory;
    });
}

// Moves configurations whose groups fill a core behind the others, where that is known.
void put_fillers_last(std::vector<Config> &configs, const Kernel &spec, const Pass &pass,
                      const DeviceFacts &facts) {
    if (!facts.local_memory_is_of_core)
        return;
    std::stable_partition(configs.begin(), configs.end(), [&](const Config &config) {
        return spec.refusal(pass, config).empty() &&
               !fills_core(spec.work(pass, config, facts), facts);
    });
}

Fitting fit(const Kernel &spec, const Pass &pass, const ChoiceOn &on, const Config &wanted) {
    const DeviceFacts &facts = on.facts;
    Fitting result;
    std::vector<Config> candidates = spec.preferred(pass, facts);
    for (Config &candidate : candidates)
        for (const auto &[name, value] : wanted)
            candidate[name] = value;
    put_fillers_last(candidates, spec, pass, facts);
    const auto takes = [&](const Config &config) {
        std::string reason = spec.refusal(pass, config);
        if (reason.empty()) {
            result.work = spec.work(pass, config, facts);
            reason = misfit(result.work, facts);
        }
        if (reason.empty() && !(reason = objection(spec, pass, config, on.tuning)).empty())
            result.objections.push_back(spec.name + ": " + to_text(config) + ": " + reason);
        if (reason.empty())
            result.config = config;
        else if (result.refusal.empty())
            result.refusal = to_text(config) + ": " + reason;
        return reason.empty();
    };
    const auto has_wanted = [&](const Config &config) {
        return std::all_of(wanted.begin(), wanted.end(), [&](const auto &value) {
            return config.at(value.first) == value.second;
        });
    };
    if (std::any_of(candidates.begin(), candidates.end(), takes))
        return result;
    // There may be hundreds: they are made only here.
    for (const Config &config : all_configs(spec.tunables))
        if (has_wanted(config) && takes(config))
            break;
    return result;
}

Choice chosen(const Kernel &spec, const Pass &pass, Fitting fitting, std::string rule) {
    const Config &config = *fitting.config;
    return {spec.name, config, std::move(fitting.work), spec.details(pass, config), std::move(rule),
            {},        false};
}

// Finds the kernel of that name among those for the pass, in any order.
const Kernel *find(const std::vector<RankedKernel> &kernels, const std::string &name) {
    const auto found =
        std::find_if(kernels.begin(), kernels.end(),
                     [&](const RankedKernel &ranked) { return ranked.kernel->name == name; });
    return found == kernels.end() ? nullptr : found->kernel;
}

std::size_t groups_of(const Launch &launch) {
    std::size_t groups = 1;
    for (std::size_t i = 0; i < 3; ++i)
        groups *= launch.range.global[i] / launch.range.local[i];
    return groups;
}

std::size_t most_groups_of(const Work &work) {
    std::size_t most = 0;
    for (const Launch &launch : work.launches)
        most = std::max(most, groups_of(launch));
    return most;
}

// Whether work leaves cores of the device without a group.
bool leaves_idle(const Work &work, const DeviceFacts &facts) {
    return static_cast<std::int64_t>(most_groups_of(work)) < facts.cores();
}

// Whether the choice without any results has groups for all cores.
bool default_fills(const Pass &pass, const DeviceFacts &facts) {
    for (const RankedKernel &ranked : kernels_for(pass, facts))
        if (const Fitting fitting = fit(*ranked.kernel, pass, facts, {}); fitting.config)
            return !leaves_idle(fitting.work, facts);
    return false;
}

// Whether the choice without any results has no drawback.
bool default_is_good(const Pass &pass, const DeviceFacts &facts) {
    const std::vector<RankedKernel> kernels = kernels_for(pass, facts);
    return !kernels.empty() && kernels.front().rank.against.empty();
}

// The choice of a result, where it names one that is taken. suits_larger: it is not, as it would leave cores idle or has
// another drawback here, which the choice without any results would not: it was measured on an image for more groups, as
// all results of a class of sizes are, or on a device of fewer cores.
struct MeasuredChoice {
    std::optional<Choice> choice{};
    bool suits_larger = false;
};

MeasuredChoice choice_of(const Pass &pass, const ChoiceOn &on, const Tuning::Result &result,
                         std::vector<std::string> &refused) {
    const TuningRecord &record = result.record;
    const Kernel *const spec = find_kernel(pass, record.kernel);
    if (!spec)
        return {};
    const std::string name = record.kernel + ": ";
    const bool is_current = record.spec_hash == hash_of(*spec, *on.tuning);
    // Results that come with the library are reviewed when a kernel changes; the user's own are not.
    if (result.level == TuningLevel::user && !is_current) {
        refused.push_back(name + record.config + ": tuned when the kernel was another one");
        return {};
    }
    Fitting fitting;
    bool suits_larger = false;
    try {
        const WantedKernel wanted = parse(record.kernel + ":" + record.config);
        check_values(*spec, wanted.values);
        require(wanted.values.size() == spec->tunables.size(), "not all tunables have values");
        fitting = fit(*spec, pass, on, wanted.values);
        if (fitting.config) {
            std::string why;
            // A class of problems holds more than the pass that was measured.
            if (result.level != TuningLevel::user)
                why = spec->rank(pass, *fitting.config, on.facts).against;
            suits_larger = !why.empty() && default_is_good(pass, on.facts);
            if (why.empty() && result.level != TuningLevel::user &&
                leaves_idle(fitting.work, on.facts)) {
                suits_larger = default_fills(pass, on.facts);
                // A small image may have too few groups in any configuration, and was measured so.
                if (suits_larger || result.level != TuningLevel::device)
                    why = text("has ", most_groups_of(fitting.work), " groups for ",
                               on.facts.cores(), " cores");
            }
            if (!why.empty())
                fitting.refusal = record.config + ": " + why;
        }
    } catch (const Error &error) {
        fitting.refusal = record.config + ": " + error.what();
    }
    if (!fitting.refusal.empty()) {
        refused.push_back(name + fitting.refusal);
        return {.suits_larger = suits_larger};
    }
    Choice choice =
        chosen(*spec, pass, std::move(fitting),
               on.tuning->rule(result) +
                   (is_current ? "" : ", measured on an earlier version of the kernel"));
    choice.refused = refused;
    choice.is_proven = is_current && record.is_of(on.facts) && record.driver == on.facts.driver;
    return {std::move(choice)};
}

// Returns the choice that results of devices like this one name. confirmed: receives the rule of a result by
// which the default is as fast as any.
std::optional<Choice> first_measured(const Pass &pass, const ChoiceOn &on,
                                     std::vector<std::string> &refused, std::string &confirmed) {
    if (!on.tuning)
        return std::nullopt;
    for (const Tuning::Result &result : on.tuning->results(pass.problem())) {
        if (result.record.ratio > ratio_of_note && counts(pass, on, result)) {
            confirmed = "; " + on.tuning->rule(result);
            return std::nullopt;
        }
        MeasuredChoice measured = choice_of(pass, on, result, refused);
        if (measured.choice)
            return std::move(measured.choice);
        if (measured.suits_larger)
            return std::nullopt;
    }
    return std::nullopt;
}

// Returns why kernels that are wanted more than the first one come after it.
std::vector<std::string> why_better_are_last(const std::vector<RankedKernel> &kernels) {
    std::vector<std::string> reasons;
    for (const RankedKernel &ranked : kernels)
        if (ranked.rank.wanted > kernels.front().rank.wanted)
            reasons.push_back(ranked.kernel->name + ": " + ranked.rank.against);
    return reasons;
}

// Returns the first kernel that can run; nothing where none can: then `refused` holds the reasons. Where nothing was
// measured, kernels that the device wants less than `least_wanted` do not count.
std::optional<Choice> first_fitting(const Pass &pass, const ChoiceOn &on,
                                    std::vector<std::string> &refused, int least_wanted = 0) {
    std::string confirmed;
    if (auto choice = first_measured(pass, on, refused, confirmed))
        return choice;
    const std::vector<RankedKernel> kernels = kernels_for(pass, on.facts);
    for (std::string &why : why_better_are_last(kernels))
        refused.push_back(std::move(why));
    for (const RankedKernel &ranked : kernels) {
        if (ranked.rank.wanted < least_wanted)
            continue;
        const Kernel &spec = *ranked.kernel;
        Fitting fitting = fit(spec, pass, on, {});
        if (fitting.config) {
            refused.insert(refused.end(), fitting.objections.begin(), fitting.objections.end());
            Choice choice = chosen(
                spec, pass, std::move(fitting),
                text("preferred on devices of class ", name_of(on.facts.device_class), confirmed));
            choice.refused = refused;
            return choice;
        }
        refused.push_back(spec.name + ": " + fitting.refusal);
    }
    return std::nullopt;
}

} // namespace

Choice choose(const Pass &pass, const ChoiceOn &on, const std::string &forced,
              const std::string &forced_by, const std::string &others) {
    const DeviceFacts &facts = on.facts;
    if (!forced.empty()) {
        const WantedKernel wanted = parse(forced);
        const std::vector<RankedKernel> kernels = kernels_for(pass, facts);
        const Kernel *const spec = find(kernels, wanted.name);
        require(spec != nullptr, "no kernel for this filter is called '", wanted.name,
                "'; there are ", names_of(kernels), others.empty() ? "" : ", ", others);
        check_values(*spec, wanted.values);
        Fitting fitting = fit(*spec, pass, facts, wanted.values);
        if (!fitting.config)
            fail(Status::unsupported, "kernel ", spec->name, ", forced by ", forced_by,
                 ", cannot run on ", facts.name, ": ", fitting.refusal);
        return chosen(*spec, pass, std::move(fitting), "forced by " + forced_by);
    }

    std::vector<std::string> refused;
    if (std::optional<Choice> choice = first_fitting(pass, on, refused))
        return std::move(*choice);
    std::string reasons;
    for (const std::string &reason : refused)
        reasons += "; " + reason;
    fail(Status::unsupported, "no kernel can run on ", facts.name, reasons);
}

bool counts(const Pass &pass, const ChoiceOn &on, const Tuning::Result &result) {
    const Kernel *const spec = find_kernel(pass, result.record.kernel);
    return spec && (result.level != TuningLevel::user ||
                    result.record.spec_hash == hash_of(*spec, *on.tuning));
}

std::optional<Choice> choose_measured(const Pass &pass, const ChoiceOn &on,
                                      const Tuning::Result &result,
                                      std::vector<std::string> &refused) {
    return choice_of(pass, on, result, refused).choice;
}

std::vector<std::string> candidates(const Pass &pass, const DeviceFacts &facts) {
    std::vector<std::string> firsts, preferred, others;
    for (const RankedKernel &ranked : kernels_for(pass, facts)) {
        const Kernel &spec = *ranked.kernel;
        const auto add = [&](const Config &config, std::vector<std::string> &to) {
            const std::string variant = spec.name + ":" + to_text(config);
            for (const auto *list : {&firsts, &preferred, &others})
                if (std::find(list->begin(), list->end(), variant) != list->end())
                    return;
            if (spec.refusal(pass, config).empty() &&
                misfit(spec.work(pass, config, facts), facts).empty())
                to.push_back(variant);
        };
        const Fitting first = fit(spec, pass, facts, {});
        if (!first.config)
            continue;
        add(*first.config, firsts);
        for (const Config &config : spec.preferred(pass, facts))
            add(config, preferred);
        for (const Config &config : all_configs(spec.tunables))
            add(config, others);
    }
    for (const auto *list : {&preferred, &others})
        firsts.insert(firsts.end(), list->begin(), list->end());
    return firsts;
}

std::optional<std::string> spec_hash(const Pass &pass, const Tuning &tuning,
                                     const std::string &variant) {
    const Kernel *const spec = find_kernel(pass, variant.substr(0, variant.find(':')));
    return spec ? std::optional(hash_of(*spec, tuning)) : std::nullopt;
}

std::vector<std::string> parts_of_variant(const std::string &variant) {
    std::vector<std::string> parts;
    std::istringstream stream(variant);
    for (std::string part; std::getline(stream, part, ';');)
        parts.push_back(part.substr(std::min(part.find_first_not_of(' '), part.size())));
    if (!variant.empty() && variant.back() == ';')
        parts.emplace_back();
    return parts;
}

Forced::Forced(const std::string &given)
    : variant(given.empty() ? environment("GAUZE_VARIANT") : given),
      by(given.empty() ? "GAUZE_VARIANT" : "the caller"), parts(parts_of_variant(variant)) {}

std::string Forced::of_pass(std::size_t number, bool combines) const {
    if (has_parts())
        return number < parts.size() ? parts[number] : "";
    return combines || names_chain(variant) ? "" : variant;
}

std::string explain(const std::string &pass, const Choice &choice) {
    const std::size_t count = choice.work.launches.size();
    const std::string launches = count == 0 ? "in the launch of the pass before"
                                            : text(count, count == 1 ? " launch" : " launches");
    std::string lines =
        text(pass, ": ", choice.variant(), choice.details.empty() ? "" : ", ", choice.details, "; ",
             launches, "\nchosen because: ", choice.rule, "\n");
    for (const std::string &reason : choice.refused)
        lines += text("refused: ", reason, "\n");
    return lines;
}

std::optional<Choice> choose_if_any(const Pass &pass, const ChoiceOn &on) {
    std::vector<std::string> refused;
    return first_fitting(pass, on, refused);
}

std::optional<Choice> choose_if_wanted(const Pass &pass, const ChoiceOn &on) {
    std::vector<std::string> refused;
    return first_fitting(pass, on, refused, 1);
}

bool names_kernel(const std::string &variant, const Pass &pass, const DeviceFacts &facts) {
    return find(kernels_for(pass, facts), variant.substr(0, variant.find(':'))) != nullptr;
}

} // namespace gz
