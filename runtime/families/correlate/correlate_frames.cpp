// 3x3x3x3 dense taps. See cl/correlate/correlate_frames.cl.
#include <algorithm>

#include "families/correlate/kernels.hpp"

namespace gz {

namespace {

constexpr int size = 3; // of the taps along each axis

struct Settings : MarchSettings {
    int stack;
};

std::string refusal(const VolumePass &pass, const Settings &) {
    if (pass.geometry.taps_x != size || pass.geometry.taps_y != size ||
        pass.volume.taps_z != size || pass.volume.taps_t != size)
        return "the taps are not 3 along each of x, y, z and t";
    return march_refusal(pass);
}

Launch make_launch(const VolumePass &pass, const Settings &settings, std::size_t filter,
                   const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    March march = march_of(pass, settings, facts, size, size * settings.stack);
    Launch launch = std::move(march.launch);
    launch.program.file = "correlate/correlate_frames.cl";
    launch.program.entry = "correlate_frames";
    launch.program.defines["STACK"] = settings.stack;
    launch.program.defines["RING"] = settings.ring; // of frames
    const std::int64_t stacks = ceil_div(g.slices, std::int64_t{settings.stack});
    const std::int64_t depth = std::min(settings.depth, g.volumes);
    const std::int64_t chunks = ceil_div(g.volumes, depth);
    launch.range.global[2] = static_cast<std::size_t>(stacks * chunks * pass.planes);
    const int deep = settings.stack + size - 1; // slices of a frame that a group holds
    launch.arguments = {
        SourceBuffer(),
        TargetBuffer{filter},
        by_value(g),
        by_value(pass.volume),
        by_value(static_cast<std::int32_t>(stacks)),
        by_value(static_cast<std::int32_t>(depth)),
        by_value(static_cast<std::int32_t>(chunks)),
        taps_argument(launch.program.defines,
                      bytes_of(pass.taps.data() + filter * pass.taps_of_one(), pass.taps_of_one()),
                      facts),
        local_vectors(settings.ring * deep * march.vectors)};
    return launch;
}

Work work(const VolumePass &pass, const Settings &settings, const DeviceFacts &facts) {
    Work result;
    for (int i = 0; i < pass.filters; ++i)
        result.launches.push_back(make_launch(pass, settings, static_cast<std::size_t>(i), facts));
    return result;
}

Settings shaped(int group_x, int group_y, int stack, int depth) {
    return {{.group_x = group_x, .group_y = group_y, .item_y = 1, .depth = depth}, stack};
}

} // namespace

Kernel correlate_frames() {
    KernelSpec<VolumePass, Settings> spec;
    spec.name = "correlate_frames";
    spec.folder = "correlate";
    spec.tunables = {{"GROUP_X", &Settings::group_x, {8, 16}},
                     {"GROUP_Y", &Settings::group_y, {4, 8}},
                     {"ITEM_Y", &Settings::item_y, {1, 2}},
                     {"STACK", &Settings::stack, {1, 2, 4}},
                     {"DEPTH", &Settings::depth, {4, 8, 16, 32}}};
    spec.refusal = refusal;
    spec.preferred = [](const VolumePass &, const DeviceFacts &facts) {
        // Measured on NVIDIA (H200, eight volumes of 256x256x256 f32). Elsewhere there may be fewer registers.
        const int stack = facts.device_class == DeviceClass::nvidia_gpu ? 4 : 2;
        return std::vector<Settings>{shaped(16, 8, stack, 32), shaped(16, 4, 1, 32),
                                     shaped(8, 4, 1, 8)};
    };
    spec.work = work;
    spec.details = [](const VolumePass &, const Settings &settings) {
        return text("81 taps, ", settings.stack, " slices and ", settings.depth,
                    " volumes of a group");
    };
    spec.rank = [](const VolumePass &pass, const auto &, const DeviceFacts &facts) {
        return rank_of_dense(pass, facts, {.strips = 1, .nothing_shared = 3, .tiles = 3});
    };
    return spec;
}

} // namespace gz
