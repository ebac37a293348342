// Images subtracted from one another. See cl/morphology/morphology_combine.cl.
#include "families/morphology/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group;
};

Work work(const CombinePass &pass, const Settings &settings, const DeviceFacts &) {
    const int group = settings.group;
    const bool subtracts_first = pass.combination == Combination::first_less_source;
    Launch result;
    result.program = {"morphology/morphology_combine.cl", "morphology_combine", type_defines(pass)};
    result.program.defines["GROUP"] = group;
    result.program.defines["IMAGES"] = pass.images();
    result.program.defines["SUBTRACTS_FIRST"] = subtracts_first ? 1 : 0;
    result.range =
        batched_range(pass, ceil_div(pass.geometry.width, group), pass.geometry.height, group, 1);
    for (std::size_t i = 0; i < static_cast<std::size_t>(pass.images()); ++i)
        result.arguments.push_back(SourceBuffer{i});
    result.arguments.push_back(TargetBuffer());
    result.arguments.push_back(by_value(pass.geometry));
    return result;
}

} // namespace

Kernel morphology_combine() {
    KernelSpec<CombinePass, Settings> spec;
    spec.name = "morphology_combine";
    spec.folder = "morphology";
    spec.tunables = {{"GROUP", &Settings::group, {1, 64, 256}}};
    spec.preferred = [](const CombinePass &, const DeviceFacts &facts) {
        return std::vector<Settings>{{.group = facts.is_cpu() ? 256 : 64}, {.group = 1}};
    };
    spec.work = work;
    spec.rank = [](const CombinePass &, const Settings &, const DeviceFacts &) { return Rank{1}; };
    return spec;
}

} // namespace gz
