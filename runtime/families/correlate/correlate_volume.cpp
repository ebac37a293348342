// Dense taps in three or four dimensions. See cl/correlate/correlate_volume.cl.
#include "families/correlate/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group_x, group_y, stack;
};

const std::vector<Setting<Settings>> tunables = {{"GROUP_X", &Settings::group_x, {1, 32, 64}},
                                                 {"GROUP_Y", &Settings::group_y, {1, 4}},
                                                 {"STACK", &Settings::stack, {1, 2, 4, 8}}};

// There are few sizes, as a program is compiled for each.
bool is_cube(const VolumePass &pass, const DeviceFacts &facts) {
    const int size = pass.geometry.taps_x;
    const auto is_size_or_one = [size](int taps) { return taps == size || taps == 1; };
    constexpr std::size_t most_taps = 7 * 7 * 7;
    return (size == 3 || size == 5 || size == 7) && pass.geometry.taps_y == size &&
           is_size_or_one(pass.volume.taps_z) && is_size_or_one(pass.volume.taps_t) &&
           pass.taps_of_one() <= most_taps &&
           facts.takes_by_value(pass.taps_of_one() * sizeof(float));
}

Launch make_launch(const VolumePass &pass, const Settings &settings, std::size_t filter,
                   const DeviceFacts &facts) {
    const int group_x = settings.group_x;
    const int group_y = settings.group_y;
    const int stack = settings.stack;
    const TapsArgument taps = dense_taps(pass, filter);
    const Geometry &g = pass.geometry;
    const std::int64_t stacks = ceil_div(g.slices, std::int64_t{stack});

    Launch launch;
    launch.program = {"correlate/correlate_volume.cl", "correlate_volume", type_defines(pass)};
    add_defines(launch.program.defines, tunables, settings);
    Defines &defines = launch.program.defines;
    defines["FEW_TAPS"] = taps.are_few ? 1 : 0;
    const bool cube = is_cube(pass, facts);
    defines["IS_CUBE"] = cube ? 1 : 0;
    if (cube) {
        defines["CUBE"] = g.taps_x;
        defines["ALONG_Z"] = pass.volume.taps_z;
        defines["ALONG_T"] = pass.volume.taps_t;
    }
    launch.range = batched_range(pass, ceil_div(g.width, group_x), ceil_div(g.height, group_y),
                                 group_x, group_y);
    launch.range.global[2] = static_cast<std::size_t>(stacks * g.volumes * pass.planes);
    launch.arguments = {SourceBuffer(),
                        TargetBuffer{filter},
                        by_value(g),
                        by_value(pass.volume),
                        by_value(static_cast<std::int32_t>(stacks)),
                        taps.data};
    if (cube)
        launch.arguments.emplace_back(ByValue{taps.data.bytes});
    return launch;
}

Work work(const VolumePass &pass, const Settings &settings, const DeviceFacts &facts) {
    Work result;
    for (int i = 0; i < pass.filters; ++i)
        result.launches.push_back(make_launch(pass, settings, static_cast<std::size_t>(i), facts));
    return result;
}

} // namespace

Kernel correlate_volume() {
    KernelSpec<VolumePass, Settings> spec;
    spec.name = "correlate_volume";
    spec.folder = "correlate";
    spec.tunables = tunables;
    spec.preferred = [](const VolumePass &pass, const DeviceFacts &facts) {
        // Measured on NVIDIA (H200): many taps need the registers that results take.
        const int few = pass.taps_of_one() > 200 ? 2 : 4;
        const int stack = pass.volume.taps_z > 1 && pass.geometry.slices >= few ? few : 1;
        // On a CPU a group is a loop: one row of it vectorises.
        if (facts.is_cpu())
            return std::vector<Settings>{{.group_x = 64, .group_y = 1, .stack = stack}};
        return std::vector<Settings>{{.group_x = 32, .group_y = 4, .stack = stack},
                                     {.group_x = 32, .group_y = 1, .stack = stack}};
    };
    spec.work = work;
    spec.details = [](const VolumePass &pass, const Settings &settings) {
        return text(pass.taps_of_one(), " taps, ", settings.stack, " results of an item along z");
    };
    spec.rank = [](const VolumePass &pass, const auto &, const DeviceFacts &facts) {
        return rank_of_dense(pass, facts, {.strips = 2, .nothing_shared = 2, .tiles = 2});
    };
    return spec;
}

} // namespace gz
