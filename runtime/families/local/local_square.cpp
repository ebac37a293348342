// The squares of pixels. See cl/local/local_square.cl.
#include "families/local/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group, item;
};

Work work(const SquarePass &pass, const Settings &settings, const DeviceFacts &) {
    const int group = settings.group;
    const int item = settings.item;
    Launch result;
    result.program = {"local/local_square.cl", "local_square", type_defines(pass)};
    result.program.defines["GROUP"] = group;
    result.program.defines["ITEM"] = item;
    result.range = batched_range(pass, ceil_div(pass.geometry.width, std::int64_t{group} * item),
                                 pass.geometry.height, group, 1);
    result.arguments = {SourceBuffer(), TargetBuffer(), by_value(pass.geometry)};
    return result;
}

} // namespace

Kernel local_square() {
    KernelSpec<SquarePass, Settings> spec;
    spec.name = "local_square";
    spec.folder = "local";
    spec.tunables = {{"GROUP", &Settings::group, {1, 64}}, {"ITEM", &Settings::item, {1, 4, 16}}};
    spec.refusal = [](const SquarePass &pass, const Settings &settings) -> std::string {
        return settings.item == 4 && pass.alignment < 4 ? "rows start at no multiple of four values"
                                                        : "";
    };
    spec.preferred = [](const SquarePass &, const DeviceFacts &facts) {
        return facts.is_cpu()
                   ? std::vector<Settings>{{.group = 64, .item = 16}, {.group = 1, .item = 16}}
                   : std::vector<Settings>{{.group = 64, .item = 4},
                                           {.group = 64, .item = 1},
                                           {.group = 1, .item = 1}};
    };
    spec.work = work;
    spec.rank = [](const SquarePass &, const Settings &, const DeviceFacts &) { return Rank{1}; };
    return spec;
}

} // namespace gz
