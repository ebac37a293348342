// Pixels, their means and those of their squares combined. See cl/local/local_combine.cl.
#include "families/local/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group, item;
};

Work work(const LocalPass &pass, const Settings &settings, const DeviceFacts &) {
    const int group = settings.group;
    const int item = settings.item;
    Launch result;
    result.program = {"local/local_combine.cl", "local_combine", type_defines(pass)};
    result.program.defines["GROUP"] = group;
    result.program.defines["ITEM"] = item;
    result.program.defines["RESULT"] = static_cast<int>(pass.result);
    result.program.defines["SQUARES"] = pass.has_squares ? 1 : 0;
    result.range = batched_range(pass, ceil_div(pass.geometry.width, std::int64_t{group} * item),
                                 pass.geometry.height, group, 1);
    for (std::size_t i = 0; i < (pass.has_squares ? 3U : 2U); ++i)
        result.arguments.push_back(SourceBuffer{i});
    result.arguments.push_back(TargetBuffer());
    result.arguments.push_back(by_value(pass.geometry));
    result.arguments.push_back(by_value(pass.numbers));
    return result;
}

} // namespace

Kernel local_combine() {
    KernelSpec<LocalPass, Settings> spec;
    spec.name = "local_combine";
    spec.folder = "local";
    spec.tunables = {{"GROUP", &Settings::group, {1, 64}}, {"ITEM", &Settings::item, {1, 4, 16}}};
    spec.refusal = [](const LocalPass &pass, const Settings &settings) -> std::string {
        return settings.item == 4 && pass.alignment < 4 ? "rows start at no multiple of four values"
                                                        : "";
    };
    spec.preferred = [](const LocalPass &, const DeviceFacts &facts) {
        return facts.is_cpu()
                   ? std::vector<Settings>{{.group = 64, .item = 16}, {.group = 1, .item = 16}}
                   : std::vector<Settings>{{.group = 64, .item = 4},
                                           {.group = 64, .item = 1},
                                           {.group = 1, .item = 1}};
    };
    spec.work = work;
    spec.rank = [](const LocalPass &, const Settings &, const DeviceFacts &) { return Rank{1}; };
    return spec;
}

} // namespace gz
