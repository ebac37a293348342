// Erosion or dilation by weights, an item per value. See cl/morphology/morphology_weighted.cl.
#include "families/morphology/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group_x;
};

Work work(const WeightedPass &pass, const Settings &settings, const DeviceFacts &) {
    const int group = settings.group_x;
    Launch result = launch_on_window(pass, group);
    result.program = {"morphology/morphology_weighted.cl", "morphology_weighted",
                      type_defines(pass)};
    result.program.defines["GROUP_X"] = group;
    result.program.defines["KEY_KIND"] = static_cast<int>(KeyKind::floats); // as weights are
    result.program.defines["IS_MAXIMUM"] = pass.is_maximum ? 1 : 0;
    result.arguments.push_back(
        ConstantData{bytes_of(pass.weights.data(), pass.weights.size()), true});
    return result;
}

} // namespace

Kernel morphology_weighted() {
    KernelSpec<WeightedPass, Settings> spec;
    spec.name = "morphology_weighted";
    spec.folder = "morphology";
    spec.tunables = {{"GROUP_X", &Settings::group_x, {1, 64}}};
    spec.preferred = [](const WeightedPass &, const DeviceFacts &) {
        return std::vector<Settings>{{.group_x = 64}, {.group_x = 1}};
    };
    spec.work = work;
    spec.rank = [](const WeightedPass &, const Settings &, const DeviceFacts &) { return Rank{1}; };
    return spec;
}

} // namespace gz
