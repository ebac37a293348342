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
};

template <class Pass>
Fitting fit(const KernelSpec<Pass> &spec, const Pass &pass, const DeviceFacts &facts,
            const Config &wanted) {
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
    return {spec.name,       config, std::move(fitting.work), spec.details(pass, config),
            std::move(rule), {}};
}

// The first kernel that can run; else why none can.
template <class Pass>
std::optional<Choice> first_fitting(const Pass &pass, const DeviceFacts &facts,
                                    std::vector<std::string> &refused) {
    for (const KernelSpec<Pass> &spec : kernels_for(pass, facts.device_class)) {
        Fitting fitting = fit(spec, pass, facts, {});
        if (fitting.config) {
            Choice choice =
                chosen(spec, pass, std::move(fitting),
                       text("preferred on devices of class ", name_of(facts.device_class)));
            choice.refused = refused;
            return choice;
        }
        refused.push_back(spec.name + ": " + fitting.refusal);
    }
    return std::nullopt;
}

} // namespace

template <class Pass>
Choice choose(const Pass &pass, const DeviceFacts &facts, const std::string &forced,
              const std::string &forced_by, const std::string &others) {
    if (!forced.empty()) {
        const Forced wanted = parse(forced);
        const auto kernels = kernels_for(pass, facts.device_class);
        const auto spec =
            std::find_if(kernels.begin(), kernels.end(),
                         [&](const KernelSpec<Pass> &k) { return k.name == wanted.name; });
        require(spec != kernels.end(), "no kernel for this filter is called '", wanted.name,
                "'; there are ", names_of(kernels), others.empty() ? "" : ", ", others);
        check_values(*spec, wanted.values);
        Fitting fitting = fit(*spec, pass, facts, wanted.values);
        if (!fitting.config)
            fail(Status::unsupported, "kernel ", spec->name, ", forced by ", forced_by,
                 ", cannot run on ", facts.name, ": ", fitting.refusal);
        return chosen(*spec, pass, std::move(fitting), "forced by " + forced_by);
    }

    std::vector<std::string> refused;
    if (std::optional<Choice> choice = first_fitting(pass, facts, refused))
        return std::move(*choice);
    std::string reasons;
    for (const std::string &reason : refused)
        reasons += "; " + reason;
    fail(Status::unsupported, "no kernel can run on ", facts.name, reasons);
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

template <class Pass>
std::optional<Choice> choose_if_any(const Pass &pass, const DeviceFacts &facts) {
    std::vector<std::string> refused;
    return first_fitting(pass, facts, refused);
}

template std::optional<Choice> choose_if_any(const RecursivePlanePass &, const DeviceFacts &);
template Choice choose(const CorrelatePass &, const DeviceFacts &, const std::string &,
                       const std::string &, const std::string &);
template Choice choose(const BoxPass &, const DeviceFacts &, const std::string &,
                       const std::string &, const std::string &);
template Choice choose(const DifferencePass &, const DeviceFacts &, const std::string &,
                       const std::string &, const std::string &);
template Choice choose(const RecursivePass &, const DeviceFacts &, const std::string &,
                       const std::string &, const std::string &);
template Choice choose(const RecursivePlanePass &, const DeviceFacts &, const std::string &,
                       const std::string &, const std::string &);
template Choice choose(const VolumePass &, const DeviceFacts &, const std::string &,
                       const std::string &, const std::string &);
template Choice choose(const SatPass &, const DeviceFacts &, const std::string &,
                       const std::string &, const std::string &);
template Choice choose(const XybPass &, const DeviceFacts &, const std::string &,
                       const std::string &, const std::string &);
template Choice choose(const Ssimulacra2Pass &, const DeviceFacts &, const std::string &,
                       const std::string &, const std::string &);

} // namespace gz
