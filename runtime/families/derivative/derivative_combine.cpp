// Images of derivatives combined. See cl/derivative/derivative_combine.cl.
#include "families/derivative/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group, item;
};

Work work(const CombinationPass &pass, const Settings &settings, const DeviceFacts &) {
    const int group = settings.group;
    const int item = settings.item;
    Launch result;
    result.program = {"derivative/derivative_combine.cl", "derivative_combine", type_defines(pass)};
    result.program.defines["GROUP"] = group;
    result.program.defines["ITEM"] = item;
    result.program.defines["IMAGES"] = pass.images;
    result.program.defines["RESULT"] = static_cast<int>(pass.result);
    result.range = batched_range(pass, ceil_div(pass.geometry.width, std::int64_t{group} * item),
                                 pass.geometry.height, group, 1);
    for (std::size_t i = 0; i < static_cast<std::size_t>(pass.images); ++i)
        result.arguments.push_back(SourceBuffer{i});
    result.arguments.push_back(TargetBuffer());
    result.arguments.push_back(by_value(pass.geometry));
    return result;
}

} // namespace

Kernel derivative_combine() {
    KernelSpec<CombinationPass, Settings> spec;
    spec.name = "derivative_combine";
    spec.folder = "derivative";
    spec.tunables = {{"GROUP", &Settings::group, {1, 64}}, {"ITEM", &Settings::item, {1, 4, 16}}};
    spec.refusal = [](const CombinationPass &pass, const Settings &settings) -> std::string {
        return settings.item == 4 && pass.alignment < 4 ? "rows start at no multiple of four values"
                                                        : "";
    };
    spec.preferred = [](const CombinationPass &, const DeviceFacts &facts) {
        return facts.is_cpu()
                   ? std::vector<Settings>{{.group = 64, .item = 16}, {.group = 1, .item = 16}}
                   : std::vector<Settings>{{.group = 64, .item = 4},
                                           {.group = 64, .item = 1},
                                           {.group = 1, .item = 1}};
    };
    spec.work = work;
    spec.rank = [](const CombinationPass &, const Settings &, const DeviceFacts &) {
        return Rank{1};
    };
    return spec;
}

} // namespace gz
