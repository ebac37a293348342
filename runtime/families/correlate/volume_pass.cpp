#include "families/correlate/volume_pass.hpp"
#include "families/correlate/kernels.hpp"
#include "plan/problem.hpp"

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

std::int64_t tiles(const VolumePass &pass, const MarchSettings &settings) {
    return ceil_div(pass.geometry.width, settings.group_x * march_item_x) *
           ceil_div(pass.geometry.height, std::int64_t{settings.group_y} * settings.item_y) *
           pass.geometry.volumes * pass.planes;
}

} // namespace

std::string march_refusal(const VolumePass &pass) {
    const Geometry &g = pass.geometry;
    const std::int64_t rows = std::int64_t{g.valid_bottom} - g.valid_top;
    const auto bytes = static_cast<std::int64_t>(size_of(pass.src_type));
    if (rows * g.src_row * bytes > std::numeric_limits<std::uint32_t>::max())
        return "a slice of the source has more bytes than it counts";
    return "";
}

bool is_async(const VolumePass &pass, const DeviceFacts &facts) {
    return facts.copies_to_local && pass.src_type == PixelType::f32;
}

March march_of(const VolumePass &pass, const MarchSettings &settings, const DeviceFacts &facts,
               int most, int sums) {
    const Geometry &g = pass.geometry;
    const int group_x = settings.group_x;
    const int group_y = settings.group_y;
    const int item_y = settings.item_y;
    March march;
    march.rows = group_y * item_y + most - 1;
    march.vectors =
        march.rows *
        (group_x - 1 + static_cast<int>(ceil_div(march_item_x + (most - 1) * pass.channels, 4)));
    march.depth = std::min(settings.depth, g.slices);
    march.chunks = static_cast<gz_int>(ceil_div(g.slices, std::int64_t{march.depth}));
    Launch &launch = march.launch;
    launch.program.defines = type_defines(pass);
    Defines &defines = launch.program.defines;
    defines["GROUP_X"] = group_x;
    defines["GROUP_Y"] = group_y;
    defines["ITEM_Y"] = item_y;
    defines["COPIES_TO_LOCAL"] = facts.copies_to_local ? 1 : 0;
    defines["ALIGNED"] = pass.alignment >= march_item_x ? 1 : 0;
    launch.range =
        batched_range(pass, ceil_div(g.width, group_x * march_item_x),
                      ceil_div(g.height, std::int64_t{group_y} * item_y), group_x, group_y);
    launch.range.global[2] = static_cast<std::size_t>(march.chunks * g.volumes * pass.planes);
    // On a CPU the sums of all items of a group are in memory.
    if (facts.is_cpu())
        launch.private_bytes =
            static_cast<std::size_t>(group_x * group_y * sums * item_y * march_item_x) *
            sizeof(float);
    return march;
}

LocalMemory local_vectors(int count) {
    return {static_cast<std::size_t>(count) * 4 * sizeof(float)};
}

bool keeps_cores_busy(const VolumePass &pass, const MarchSettings &settings,
                      const DeviceFacts &facts) {
    constexpr int items_of_core = 448;
    return tiles(pass, settings) * ceil_div(pass.geometry.slices, std::int64_t{settings.depth}) *
               settings.group_x * settings.group_y >=
           items_of_core * facts.cores();
}

MarchSettings with_fitting_depth(const VolumePass &pass, MarchSettings settings,
                                 const DeviceFacts &facts) {
    constexpr int least = 16;
    while (settings.depth > least && !keeps_cores_busy(pass, settings, facts))
        settings.depth /= 2;
    return settings;
}

std::string problem_of(const VolumePass &pass) {
    // Filters of a bank share registers, and taps along t can use configurations that those of a cube cannot.
    const char *const kind = pass.separable           ? "separable volume "
                             : pass.filters > 1       ? "volume-bank "
                             : pass.volume.taps_t > 1 ? "volume-4d "
                                                      : "volume ";
    return kind + up_to("taps", longest_side(pass), {3, 5, 7, 9, 15}) + " " + image_text(pass);
}

Rank rank_of_dense(const VolumePass &pass, const DeviceFacts &facts, const RankByHabit &ranks) {
    return pass.separable ? Rank::never() : Rank{ranks(facts)};
}

const std::vector<Kernel> &kernels_of(const VolumePass &) {
    return correlate_kernels();
}

} // namespace gz
