// The bilateral filter, an item per pixel. See cl/edge/bilateral_plain.cl.
#include "families/edge/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group_x;
};

Work work(const BilateralPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const int group = settings.group_x;
    Launch result;
    result.program = {"edge/bilateral_plain.cl", "bilateral_plain", weight_defines(pass)};
    result.program.defines["GROUP_X"] = group;
    result.range =
        batched_range(pass, ceil_div(g.width / pass.channels, group), g.height, group, 1);
    result.arguments = {
        SourceBuffer(),       TargetBuffer(),
        by_value(g),          by_value(pass.volume),
        by_value(pass.terms), ConstantData{bytes_of(pass.space.data(), pass.space.size()), true}};
    return result;
}

} // namespace

Kernel bilateral_plain() {
    KernelSpec<BilateralPass, Settings> spec;
    spec.name = "bilateral_plain";
    spec.folder = "edge";
    spec.tunables = {{"GROUP_X", &Settings::group_x, {1, 64}}};
    spec.preferred = [](const BilateralPass &, const DeviceFacts &) {
        return std::vector<Settings>{{.group_x = 64}, {.group_x = 1}};
    };
    spec.work = work;
    spec.rank = [](const BilateralPass &, const Settings &, const DeviceFacts &) {
        return Rank{1};
    };
    return spec;
}

} // namespace gz
