// Non-local means, an item per pixel. See cl/edge/nlm_plain.cl.
#include "families/edge/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group_x;
};

Work work(const NonLocalPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const int group = settings.group_x;
    Launch result;
    result.program = {"edge/nlm_plain.cl", "nlm_plain", weight_defines(pass)};
    Defines &defines = result.program.defines;
    defines["GROUP_X"] = group;
    defines["PATCH"] = pass.patch;
    defines["MOST"] = 2 * (most_radius(pass) + pass.patch / 2) + 1;
    result.range =
        batched_range(pass, ceil_div(g.width / pass.channels, group), g.height, group, 1);
    result.arguments = {SourceBuffer(), TargetBuffer(), by_value(g), by_value(pass.terms),
                        by_value(pass.patches)};
    return result;
}

} // namespace

Kernel nlm_plain() {
    KernelSpec<NonLocalPass, Settings> spec;
    spec.name = "nlm_plain";
    spec.folder = "edge";
    spec.tunables = {{"GROUP_X", &Settings::group_x, {1, 64}}};
    spec.preferred = [](const NonLocalPass &, const DeviceFacts &) {
        return std::vector<Settings>{{.group_x = 64}, {.group_x = 1}};
    };
    spec.work = work;
    spec.rank = [](const NonLocalPass &, const Settings &, const DeviceFacts &) { return Rank{1}; };
    return spec;
}

} // namespace gz
