#include "kernel/volume_pass.hpp"

#include <algorithm>
#include <limits>

namespace gz {

int longest_side(const VolumePass &pass) {
    return std::max(
        {pass.geometry.taps_x, pass.geometry.taps_y, pass.volume.taps_z, pass.volume.taps_t});
}

TapsArgument dense_taps(const VolumePass &pass, std::size_t filter) {
    // Half of the constant memory that every device has.
    constexpr std::size_t most_bytes = 32 * 1024;
    std::vector<std::byte> bytes =
        bytes_of(pass.taps.data() + filter * pass.taps_of_one(), pass.taps_of_one());
    const bool are_few = bytes.size() <= most_bytes;
    return {ConstantData{std::move(bytes), !are_few}, are_few};
}

namespace {

constexpr std::int64_t march_item_x = 4;

std::int64_t tiles(const VolumePass &pass, const Config &config) {
    return ceil_div(pass.geometry.width, config.at("GROUP_X") * march_item_x) *
           ceil_div(pass.geometry.height,
                    std::int64_t{config.at("GROUP_Y")} * config.at("ITEM_Y")) *
           pass.geometry.volumes * pass.planes;
}

} // namespace

std::string march_refusal(const VolumePass &pass) {
    const Geometry &g = pass.geometry;
    const std::int64_t rows =
        std::max(std::abs(std::int64_t{g.valid_top}), std::int64_t{g.valid_bottom});
    if ((rows + 1) * g.src_row > std::numeric_limits<std::int32_t>::max())
        return "a slice of the source has more values than it counts";
    return "";
}

March march_of(const VolumePass &pass, const Config &config, const DeviceFacts &facts, int most,
               int sums) {
    const Geometry &g = pass.geometry;
    const int group_x = config.at("GROUP_X");
    const int group_y = config.at("GROUP_Y");
    const int item_y = config.at("ITEM_Y");
    March march;
    march.row_vectors =
        group_x - 1 + static_cast<int>(ceil_div(march_item_x + (most - 1) * pass.channels, 4));
    march.rows = group_y * item_y + most - 1;
    march.depth = std::min(config.at("DEPTH"), g.slices);
    march.chunks = static_cast<gz_int>(ceil_div(g.slices, std::int64_t{march.depth}));
    Launch &launch = march.launch;
    launch.program.defines = type_defines(pass);
    Defines &defines = launch.program.defines;
    defines["GROUP_X"] = group_x;
    defines["GROUP_Y"] = group_y;
    defines["ITEM_Y"] = item_y;
    defines["BY_VALUE"] = facts.misreads_arguments ? 0 : 1;
    defines["ALIGNED"] = pass.alignment >= march_item_x ? 1 : 0;
    launch.range =
        batched_range(pass, ceil_div(g.width, group_x * march_item_x),
                      ceil_div(g.height, std::int64_t{group_y} * item_y), group_x, group_y);
    launch.range.global[2] = static_cast<std::size_t>(march.chunks * g.volumes * pass.planes);
    // A CPU holds the sums of all items of a group in memory.
    if (facts.is_cpu())
        launch.private_bytes =
            static_cast<std::size_t>(group_x * group_y * sums * item_y * march_item_x) *
            sizeof(float);
    return march;
}

LocalMemory local_vectors(int count) {
    return {static_cast<std::size_t>(count) * 4 * sizeof(float)};
}

Config with_fitting_depth(const VolumePass &pass, Config config, const DeviceFacts &facts) {
    constexpr int least = 16;
    int &depth = config.at("DEPTH");
    while (depth > least &&
           tiles(pass, config) * ceil_div(pass.geometry.slices, std::int64_t{depth}) <
               8 * facts.compute_units)
        depth /= 2;
    return config;
}

} // namespace gz
