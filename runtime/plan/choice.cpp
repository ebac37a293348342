#include "plan/choice.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "core/error.hpp"

namespace gz {

namespace {

struct Forced {
    std::string name;
    Config values; // of some tunables
};

Forced parse(const std::string &forced) {
    Forced result;
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

template <class Pass> std::string names_of(const std::vector<KernelSpec<Pass>> &kernels) {
    std::string names;
    for (const KernelSpec<Pass> &spec : kernels)
        names += (names.empty() ? "" : ", ") + spec.name;
    return names;
}

template <class Pass> void check_values(const KernelSpec<Pass> &spec, const Config &values) {
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

template <class Pass> std::string hash_of(const KernelSpec<Pass> &spec, const Tuning &tuning) {
    return tuning.spec_hash(spec.name, to_text(spec.tunables));
}

// What results have against a configuration; "" for nothing.
template <class Pass>
std::string objection(const KernelSpec<Pass> &spec, const Pass &pass, const Config &config,
                      const Tuning *tuning) {
    if (!tuning)
        return "";
    return tuning->objection(problem_of(pass), spec.name, to_text(config),
                             [&] { return hash_of(spec, *tuning); });
}

template <class Pass>
Fitting fit(const KernelSpec<Pass> &spec, const Pass &pass, const ChoiceOn &on,
            const Config &wanted) {
    const DeviceFacts &facts = on.facts;
    Fitting result;
    std::vector<Config> candidates = spec.preferred(pass, facts);
    for (Config &candidate : candidates)
        for (const auto &[name, value] : wanted)
            candidate[name] = value;
    for (const Config &config : all_configs(spec.tunables))
        if (std::all_of(wanted.begin(), wanted.end(),
                        [&](const auto &value) { return config.at(value.first) == value.second; }))
            candidates.push_back(config);
    for (const Config &config : candidates) {
        std::string reason = spec.refusal(pass, config);
        if (reason.empty()) {
            result.work = spec.work(pass, config, facts);
            reason = misfit(result.work, facts);
        }
        if (reason.empty() && !(reason = objection(spec, pass, config, on.tuning)).empty())
            result.objections.push_back(spec.name + ": " + to_text(config) + ": " + reason);
        if (reason.empty()) {
            result.config = config;
            return result;
        }
        if (result.refusal.empty())
            result.refusal = to_text(config) + ": " + reason;
    }
    return result;
}

template <class Pass>
Choice chosen(const KernelSpec<Pass> &spec, const Pass &pass, Fitting fitting, std::string rule) {
    const Config &config = *fitting.config;
    return {spec.name, config, std::move(fitting.work), spec.details(pass, config), std::move(rule),
            {},        false};
}

template <class Pass>
const KernelSpec<Pass> *find(const std::vector<KernelSpec<Pass>> &kernels,
                             const std::string &name) {
    const auto found = std::find_if(kernels.begin(), kernels.end(),
                                    [&](const KernelSpec<Pass> &k) { return k.name == name; });
    return found == kernels.end() ? nullptr : &*found;
}

template <class Pass>
std::string unsuited(const KernelSpec<Pass> &spec, const Pass &pass, const Config &config,
                     const DeviceFacts &facts) {
    return spec.unsuited ? spec.unsuited(pass, config, facts) : "";
}

// The same of what is taken without any results.
template <class Pass>
std::string unsuited(const KernelSpec<Pass> &spec, const Pass &pass, const DeviceFacts &facts) {
    return spec.unsuited ? spec.unsuited(pass, spec.preferred(pass, facts).front(), facts) : "";
}

std::size_t groups_of(const Launch &launch) {
    std::size_t groups = 1;
    for (std::size_t i = 0; i < 3; ++i)
        groups *= launch.range.global[i] / launch.range.local[i];
    return groups;
}

// Why work that was fast elsewhere would leave parts of this device idle, "" if it would not.
std::string idleness(const Work &work, const Tuning::Result &result, const DeviceFacts &facts) {
    if (result.level == TuningLevel::user || result.level == TuningLevel::device)
        return "";
    std::size_t most = 0;
    for (const Launch &launch : work.launches)
        most = std::max(most, groups_of(launch));
    return most < facts.compute_units
               ? text("has ", most, " groups for ", facts.compute_units, " compute units")
               : "";
}

// What results of devices like this one say. confirmed: receives the rule of one that the default is as
// fast as any.
template <class Pass>
std::optional<Choice> first_measured(const Pass &pass, const ChoiceOn &on,
                                     std::vector<std::string> &refused, std::string &confirmed) {
    if (!on.tuning)
        return std::nullopt;
    for (const Tuning::Result &result : on.tuning->results(problem_of(pass))) {
        if (result.record.ratio > ratio_of_note && counts(pass, on, result)) {
            confirmed = "; " + on.tuning->rule(result);
            return std::nullopt;
        }
        if (auto choice = choose_measured(pass, on, result, refused))
            return choice;
    }
    return std::nullopt;
}

// Moves kernels that do not suit the pass behind the others. Why the first one was; "" where it was not.
template <class Pass>
std::string put_unsuited_last(std::vector<KernelSpec<Pass>> &kernels, const Pass &pass,
                              const DeviceFacts &facts) {
    const std::string reason = unsuited(kernels.front(), pass, facts);
    const std::string why = reason.empty() ? "" : kernels.front().name + ": " + reason;
    std::stable_partition(kernels.begin(), kernels.end(), [&](const KernelSpec<Pass> &spec) {
        return unsuited(spec, pass, facts).empty();
    });
    return why;
}

// The first kernel that can run; else why none can.
template <class Pass>
std::optional<Choice> first_fitting(const Pass &pass, const ChoiceOn &on,
                                    std::vector<std::string> &refused) {
    std::string confirmed;
    if (auto choice = first_measured(pass, on, refused, confirmed))
        return choice;
    std::vector<KernelSpec<Pass>> kernels = kernels_for(pass, on.facts.device_class);
    if (std::string why = put_unsuited_last(kernels, pass, on.facts); !why.empty())
        refused.push_back(std::move(why));
    for (const KernelSpec<Pass> &spec : kernels) {
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

template <class Pass>
Choice choose(const Pass &pass, const ChoiceOn &on, const std::string &forced,
              const std::string &forced_by, const std::string &others) {
    const DeviceFacts &facts = on.facts;
    if (!forced.empty()) {
        const Forced wanted = parse(forced);
        const auto kernels = kernels_for(pass, facts.device_class);
        const KernelSpec<Pass> *const spec = find(kernels, wanted.name);
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

template <class Pass>
bool counts(const Pass &pass, const ChoiceOn &on, const Tuning::Result &result) {
    const auto kernels = kernels_for(pass, on.facts.device_class);
    const KernelSpec<Pass> *const spec = find(kernels, result.record.kernel);
    return spec && (result.level != TuningLevel::user ||
                    result.record.spec_hash == hash_of(*spec, *on.tuning));
}

template <class Pass>
std::optional<Choice> choose_measured(const Pass &pass, const ChoiceOn &on,
                                      const Tuning::Result &result,
                                      std::vector<std::string> &refused) {
    const TuningRecord &record = result.record;
    const auto kernels = kernels_for(pass, on.facts.device_class);
    const KernelSpec<Pass> *const spec = find(kernels, record.kernel);
    if (!spec)
        return std::nullopt;
    const std::string name = record.kernel + ": ";
    const bool is_current = record.spec_hash == hash_of(*spec, *on.tuning);
    // What came with the library was looked at since; what the user measured was not.
    if (result.level == TuningLevel::user && !is_current) {
        refused.push_back(name + record.config + ": tuned when the kernel was another one");
        return std::nullopt;
    }
    Fitting fitting;
    try {
        const Forced wanted = parse(record.kernel + ":" + record.config);
        check_values(*spec, wanted.values);
        require(wanted.values.size() == spec->tunables.size(), "not all tunables have values");
        fitting = fit(*spec, pass, on, wanted.values);
        if (fitting.config) {
            std::string why;
            // A class of problems is wider than what was measured of it.
            if (result.level != TuningLevel::user)
                why = unsuited(*spec, pass, *fitting.config, on.facts);
            if (why.empty())
                why = idleness(fitting.work, result, on.facts);
            if (!why.empty())
                fitting.refusal = record.config + ": " + why;
        }
    } catch (const Error &error) {
        fitting.refusal = record.config + ": " + error.what();
    }
    if (!fitting.refusal.empty()) {
        refused.push_back(name + fitting.refusal);
        return std::nullopt;
    }
    Choice choice =
        chosen(*spec, pass, std::move(fitting),
               on.tuning->rule(result) +
                   (is_current ? "" : ", measured on an earlier version of the kernel"));
    choice.refused = refused;
    choice.is_proven = is_current && record.is_of(on.facts) && record.driver == on.facts.driver;
    return choice;
}

template <class Pass>
std::vector<std::string> candidates(const Pass &pass, const DeviceFacts &facts) {
    std::vector<std::string> firsts, preferred, others;
    std::vector<KernelSpec<Pass>> kernels = kernels_for(pass, facts.device_class);
    put_unsuited_last(kernels, pass, facts);
    for (const KernelSpec<Pass> &spec : kernels) {
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

template <class Pass>
std::string spec_hash(const Pass &pass, const Tuning &tuning, const std::string &variant) {
    const std::string name = variant.substr(0, variant.find(':'));
    const auto kernels = kernels_for(pass, DeviceClass::other_gpu);
    const KernelSpec<Pass> *const spec = find(kernels, name);
    return spec ? hash_of(*spec, tuning) : "";
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

std::string explain(const std::string &pass, const Choice &choice) {
    const std::size_t count = choice.work.launches.size();
    std::string lines = text(pass, ": ", choice.variant(), choice.details.empty() ? "" : ", ",
                             choice.details, "; ", count, count == 1 ? " launch\n" : " launches\n",
                             "chosen because: ", choice.rule, "\n");
    for (const std::string &reason : choice.refused)
        lines += text("refused: ", reason, "\n");
    return lines;
}

template <class Pass> std::optional<Choice> choose_if_any(const Pass &pass, const ChoiceOn &on) {
    std::vector<std::string> refused;
    return first_fitting(pass, on, refused);
}

#define GZ_INSTANTIATE(Pass)                                                                       \
    template Choice choose(const Pass &, const ChoiceOn &, const std::string &,                    \
                           const std::string &, const std::string &);                              \
    template std::optional<Choice> choose_if_any(const Pass &, const ChoiceOn &);                  \
    template bool counts(const Pass &, const ChoiceOn &, const Tuning::Result &);                  \
    template std::optional<Choice> choose_measured(                                                \
        const Pass &, const ChoiceOn &, const Tuning::Result &, std::vector<std::string> &);       \
    template std::vector<std::string> candidates(const Pass &, const DeviceFacts &);               \
    template std::string spec_hash(const Pass &, const Tuning &, const std::string &);
GZ_INSTANTIATE(CorrelatePass)
GZ_INSTANTIATE(VolumePass)
GZ_INSTANTIATE(BoxPass)
GZ_INSTANTIATE(DifferencePass)
GZ_INSTANTIATE(RecursivePass)
GZ_INSTANTIATE(RecursivePlanePass)
GZ_INSTANTIATE(SatPass)
GZ_INSTANTIATE(XybPass)
GZ_INSTANTIATE(Ssimulacra2Pass)
#undef GZ_INSTANTIATE

} // namespace gz
