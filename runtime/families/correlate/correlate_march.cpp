// Cubes of dense taps in three dimensions, one filter or several. See cl/correlate/correlate_march.cl.
#include <algorithm>

#include "families/correlate/kernels.hpp"

namespace gz {

namespace {

constexpr int most_at_a_time = 4; // filters that a march can share

bool is_cube(const VolumePass &pass) {
    const int size = pass.geometry.taps_x;
    return (size == 3 || size == 5 || size == 7) && pass.geometry.taps_y == size &&
           pass.volume.taps_z == size && pass.volume.taps_t == 1;
}

std::string refusal(const VolumePass &pass, const MarchSettings &) {
    if (!is_cube(pass))
        return "the taps are not a cube of 3, 5 or 7 along x, y and z";
    return march_refusal(pass);
}

// Launches a march for some filters, from number `first` on.
Launch make_launch(const VolumePass &pass, const MarchSettings &settings, std::size_t first,
                   int count, const DeviceFacts &facts) {
    const int size = pass.geometry.taps_x;
    March march = march_of(pass, settings, facts, size, count * size);
    Launch launch = std::move(march.launch);
    launch.program.file = "correlate/correlate_march.cl";
    launch.program.entry = "correlate_march";
    launch.program.defines["SIZE"] = size;
    launch.program.defines["FILTERS"] = count;
    launch.program.defines["RING"] = settings.ring;
    launch.arguments = {
        SourceBuffer(),
        TargetBuffer{first},
        by_value(pass.geometry),
        by_value(pass.volume),
        by_value(march.depth),
        by_value(march.chunks),
        taps_argument(launch.program.defines,
                      bytes_of(pass.taps.data() + first * pass.taps_of_one(),
                               static_cast<std::size_t>(count) * pass.taps_of_one()),
                      facts),
        local_vectors(settings.ring * march.vectors)};
    for (int i = 1; i < count; ++i)
        launch.arguments.emplace_back(TargetBuffer{first + static_cast<std::size_t>(i)});
    return launch;
}

Work work(const VolumePass &pass, const MarchSettings &settings, const DeviceFacts &facts) {
    Work result;
    for (int first = 0; first < pass.filters;) {
        const int count = std::min(settings.filters, pass.filters - first);
        result.launches.push_back(
            make_launch(pass, settings, static_cast<std::size_t>(first), count, facts));
        first += count;
    }
    return result;
}

MarchSettings shaped(int group_x, int group_y, int item_y, int ring, int filters, int depth) {
    return {.group_x = group_x,
            .group_y = group_y,
            .item_y = item_y,
            .depth = depth,
            .ring = ring,
            .filters = filters};
}

// Measured on NVIDIA (H200, 512x512x512 f32; cubes of 3 of integers and f16 too). Filters share the loads as long as
// registers hold the results of all; a deep chunk repeats less at its ends. Few taps wait for memory: they want
// wide tiles, and more than one slice on its way where these need no registers.
MarchSettings fastest(const VolumePass &pass, const DeviceFacts &facts) {
    const int size = pass.geometry.taps_x;
    if (pass.filters > 1)
        return shaped(16, 8, size == 3 ? 2 : 1, 2, size == 3 ? 4 : size == 5 ? 2 : 1, 128);
    const bool async = is_async(pass, facts);
    if (size == 3)
        return async ? shaped(32, 8, 2, 3, 1, 256) : shaped(32, 8, 1, 2, 1, 128);
    if (!async)
        return shaped(16, 8, size == 5 ? 2 : 1, 2, 1, 128);
    return shaped(8, 8, size == 5 ? 2 : 1, 2, 1, 256);
}

} // namespace

Kernel correlate_march() {
    KernelSpec<VolumePass, MarchSettings> spec;
    spec.name = "correlate_march";
    spec.folder = "correlate";
    spec.tunables = {{"GROUP_X", &MarchSettings::group_x, {8, 16, 32}},
                     {"GROUP_Y", &MarchSettings::group_y, {4, 8}},
                     {"ITEM_Y", &MarchSettings::item_y, {1, 2}},
                     {"FILTERS", &MarchSettings::filters, {1, 2, most_at_a_time}},
                     {"RING", &MarchSettings::ring, {2, 3}},
                     {"DEPTH", &MarchSettings::depth, {16, 32, 64, 128, 256}}};
    spec.refusal = refusal;
    spec.preferred = [](const VolumePass &pass, const DeviceFacts &facts) {
        MarchSettings first = with_fitting_depth(pass, fastest(pass, facts), facts);
        // Measured on NVIDIA (H200): volumes of 48 to 96 pixels a side take 0.5 to 0.7 of the time in groups of 8 columns.
        if (pass.filters == 1 && !keeps_cores_busy(pass, first, facts))
            first.group_x = 8;
        return std::vector<MarchSettings>{first, shaped(16, 4, 1, 2, 1, 32),
                                          shaped(8, 4, 1, 2, 1, 16)};
    };
    spec.work = work;
    spec.details = [](const VolumePass &pass, const MarchSettings &settings) {
        return text(pass.taps_of_one(), " taps, ", settings.depth, " slices of a group");
    };
    spec.rank = [](const VolumePass &pass, const auto &, const DeviceFacts &facts) {
        return rank_of_dense(pass, facts, {.strips = 1, .nothing_shared = 3, .tiles = 3});
    };
    return spec;
}

} // namespace gz
