// Cubes of dense taps in three dimensions, one filter or several. See cl/correlate_march.cl.
#include <algorithm>

#include "kernel/kernels.hpp"

namespace gz {

namespace {

constexpr int most_at_a_time = 4; // filters that a march can share

bool is_cube(const VolumePass &pass) {
    const int size = pass.geometry.taps_x;
    return (size == 3 || size == 5 || size == 7) && pass.geometry.taps_y == size &&
           pass.volume.taps_z == size && pass.volume.taps_t == 1;
}

std::string refusal(const VolumePass &pass, const Config &) {
    if (!is_cube(pass))
        return "the taps are not a cube of 3, 5 or 7 along x, y and z";
    return march_refusal(pass);
}

// Some filters, from number `first` on, in one launch.
Launch make_launch(const VolumePass &pass, const Config &config, std::size_t first, int count,
                   const DeviceFacts &facts) {
    const int size = pass.geometry.taps_x;
    March march = march_of(pass, config, facts, size, count * size);
    Launch launch = std::move(march.launch);
    launch.program.file = "correlate_march.cl";
    launch.program.entry = "correlate_march";
    launch.program.defines["SIZE"] = size;
    launch.program.defines["FILTERS"] = count;
    launch.arguments = {
        SourceBuffer(),
        TargetBuffer{first},
        by_value(pass.geometry),
        by_value(pass.volume),
        by_value(march.depth),
        by_value(march.chunks),
        taps_argument(bytes_of(pass.taps.data() + first * pass.taps_of_one(),
                               static_cast<std::size_t>(count) * pass.taps_of_one()),
                      facts),
        local_vectors(2 * march.row_vectors * march.rows)};
    for (int i = 1; i < count; ++i)
        launch.arguments.emplace_back(TargetBuffer{first + static_cast<std::size_t>(i)});
    return launch;
}

Work work(const VolumePass &pass, const Config &config, const DeviceFacts &facts) {
    Work result;
    for (int first = 0; first < pass.filters;) {
        const int count = std::min(config.at("FILTERS"), pass.filters - first);
        result.launches.push_back(
            make_launch(pass, config, static_cast<std::size_t>(first), count, facts));
        first += count;
    }
    return result;
}

Config shaped(int group_x, int group_y, int item_y, int filters, int depth) {
    return {{"GROUP_X", group_x},
            {"GROUP_Y", group_y},
            {"ITEM_Y", item_y},
            {"FILTERS", filters},
            {"DEPTH", depth}};
}

// Measured on NVIDIA (H200, 512x512x512 f32). Filters share the loads as long as registers hold the
// results of all; a deep chunk repeats less at its ends.
Config fastest(const VolumePass &pass, const DeviceFacts &facts) {
    const int size = pass.geometry.taps_x;
    const bool is_bank = pass.filters > 1;
    const int filters = !is_bank ? 1 : size == 3 ? 4 : size == 5 ? 2 : 1;
    const int item_y = size == (is_bank ? 3 : 5) ? 2 : 1;
    return with_fitting_depth(pass, shaped(16, 8, item_y, filters, 128), facts);
}

} // namespace

VolumeSpec correlate_march() {
    VolumeSpec spec;
    spec.name = "correlate_march";
    spec.tunables = {{"GROUP_X", {8, 16, 32}},
                     {"GROUP_Y", {4, 8}},
                     {"ITEM_Y", {1, 2}},
                     {"FILTERS", {1, 2, most_at_a_time}},
                     {"DEPTH", {16, 32, 64, 128}}};
    spec.refusal = refusal;
    spec.preferred = [](const VolumePass &pass, const DeviceFacts &facts) {
        return std::vector<Config>{fastest(pass, facts), shaped(16, 4, 1, 1, 32),
                                   shaped(8, 4, 1, 1, 16)};
    };
    spec.work = work;
    spec.details = [](const VolumePass &pass, const Config &config) {
        return text(pass.taps_of_one(), " taps, ", config.at("DEPTH"), " slices of a group");
    };
    return spec;
}

} // namespace gz
