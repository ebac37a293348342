// Correlation with taps of any size, an item per value. See cl/correlate/correlate_plain.cl.
#include "families/correlate/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group_x, group_y;
};

const std::vector<Setting<Settings>> tunables = {{"GROUP_X", &Settings::group_x, {1, 16, 64}},
                                                 {"GROUP_Y", &Settings::group_y, {1, 4}}};

Work work(const CorrelatePass &pass, const Settings &settings, const DeviceFacts &) {
    std::vector<TapPlace> places;
    std::vector<float> taps;
    for (const TapSet &set : pass.sets) {
        places.push_back({set.taps_x, set.taps_y, set.anchor_x, set.anchor_y, set.separable ? 1 : 0,
                          static_cast<gz_int>(taps.size())});
        taps.insert(taps.end(), set.taps.begin(), set.taps.end());
    }
    const int group_x = settings.group_x;
    const int group_y = settings.group_y;
    Launch result;
    result.program = {"correlate/correlate_plain.cl", "correlate_plain", type_defines(pass)};
    add_defines(result.program.defines, tunables, settings);
    result.range = batched_range(pass, ceil_div(pass.geometry.width, group_x),
                                 ceil_div(pass.geometry.height, group_y), group_x, group_y);
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(pass.geometry),
                        ConstantData{bytes_of(places.data(), places.size())},
                        ConstantData{bytes_of(taps.data(), taps.size()), true},
                        by_value(static_cast<std::int32_t>(places.size()))};
    append_other(pass.subtraction, result);
    return result;
}

} // namespace

Kernel correlate_plain() {
    KernelSpec<CorrelatePass, Settings> spec;
    spec.name = "correlate_plain";
    spec.folder = "correlate";
    spec.tunables = tunables;
    spec.preferred = [](const CorrelatePass &, const DeviceFacts &facts) {
        // On a CPU a group is a loop: one row of it vectorises.
        if (facts.is_cpu())
            return std::vector<Settings>{{.group_x = 64, .group_y = 1}};
        return std::vector<Settings>{{.group_x = 64, .group_y = 4}, {.group_x = 16, .group_y = 4}};
    };
    spec.work = work;
    spec.rank = [](const CorrelatePass &pass, const auto &, const DeviceFacts &facts) {
        return CorrelateRank{.strips = 4,
                             .plain_gpu = 4,
                             .few_taps = 2,
                             .separable = 3,
                             .nothing_shared = 6,
                             .tiles = 5}(pass, facts);
    };
    return spec;
}

} // namespace gz
