// Ranks of boxes of middle size for GPUs, by networks over tiles in local memory. See cl/rank/rank_tiled.cl.
#include "core/error.hpp"
#include "families/rank/kernels.hpp"
#include "families/rank/network_pass.hpp"

namespace gz {

namespace {

struct Settings {
    int tile_x, tile_y, group_x, group_y, sums, mirrors;
};

const std::vector<Setting<Settings>> tunables = {
    {"TILE_X", &Settings::tile_x, {2, 4}},      {"TILE_Y", &Settings::tile_y, {1, 2, 4}},
    {"GROUP_X", &Settings::group_x, {32, 48}},  {"GROUP_Y", &Settings::group_y, {4, 8}},
    {"SUMS", &Settings::sums, {0, 11, 12, 14}}, {"MIRRORS", &Settings::mirrors, {0, 1}}};

// Windows of up to so many pixels whose networks are unrolled as a whole.
constexpr int most_unrolled = 125;
// The same of mirrored ones, and of those that take the registers of tall groups.
constexpr int most_mirrored = 225, most_of_tall_groups = 169;

// Words between two channels in local memory: items of several read words of different banks at a time.
std::int64_t channel_pitch(const RankPass &pass, std::int64_t columns) {
    if (pass.channels == 1)
        return columns;
    constexpr std::int64_t banks = 32;
    const std::int64_t apart = ceil_div(banks, pass.channels); // or as many the other way round
    std::int64_t pitch = columns;
    while (pitch % banks != apart && pitch % banks != banks - apart)
        ++pitch;
    return pitch;
}

Work work(const RankPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const std::int64_t width = std::int64_t{settings.tile_x} * (settings.group_x / pass.channels);
    const std::int64_t height = std::int64_t{settings.tile_y} * settings.group_y;
    Launch result;
    result.program = {"rank/rank_tiled.cl", "rank_tiled", rank_defines(pass)};
    Defines &defines = result.program.defines;
    add_defines(defines, tunables, settings);
    defines["ANCHOR_X"] = g.anchor_x;
    defines["VECTORS"] = pass.alignment >= 4 && reads_words(pass);
    NetworkShape shape = network_shape(pass, settings.tile_x, settings.tile_y);
    shape.mirrors = settings.mirrors != 0;
    add_network(pass, shape, settings.sums, result.program);
    result.range = batched_range(pass, ceil_div(g.width / pass.channels, width),
                                 ceil_div(g.height, height * keys_of_word(pass)), settings.group_x,
                                 settings.group_y);
    const std::int64_t columns = in_fours(g.anchor_x) + width + in_fours(g.taps_x - 1 - g.anchor_x);
    const std::int64_t rows = pass.volume.taps_z * (height + g.taps_y - 1);
    const std::int64_t pitch = channel_pitch(pass, columns);
    defines["CHANNEL_PITCH"] = static_cast<int>(pitch);
    const auto words = static_cast<std::size_t>(pitch * pass.channels * rows);
    // Two results of a key of two.
    const std::int64_t results = width * pass.channels * height * keys_of_word(pass);
    const std::size_t result_bytes =
        pass.channels == 1 ? 4 : static_cast<std::size_t>(results) * key_bytes(pass);
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(pass.volume),
                        by_value(std::uint32_t{1}),
                        by_value(~std::uint32_t{0}),
                        LocalMemory{words * sizeof(std::uint32_t)},
                        LocalMemory{result_bytes}};
    return result;
}

std::string refusal(const RankPass &pass, const Settings &settings) {
    const bool mirrors = settings.mirrors != 0;
    if (std::string reason = volume_tile_refusal(pass, settings.tile_y); !reason.empty())
        return reason;
    if (settings.group_x == 48 && pass.channels != 3)
        return "a row of the group has 48 items, which suits three channels";
    if (mirrors && !pass.is_box)
        return "quarters of the tile are mirrored, which takes boxes";
    if (mirrors && (settings.tile_x != 4 || settings.tile_y == 1))
        return "a quarter of the tile has less than two results side by side";
    const Geometry &g = pass.geometry;
    if (mirrors && (g.taps_x < settings.tile_x || g.taps_y < settings.tile_y))
        return text("the box is shorter than a tile of ", settings.tile_x, "x", settings.tile_y);
    // Networks that are longer take minutes to compile.
    constexpr int most_of_results = 8 * 121;
    if (!mirrors && pass.count * settings.tile_x * settings.tile_y > most_of_results)
        return text("a network of ", settings.tile_x, "x", settings.tile_y, " windows of ",
                    pass.count, " pixels is too long");
    return network_refusal(pass, mirrors ? most_mirrored : most_unrolled);
}

} // namespace

Kernel rank_tiled() {
    KernelSpec<RankPass, Settings> spec;
    spec.name = "rank_tiled";
    spec.folder = "rank";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = refusal;
    // Measured on an H200; the longest networks take fewer registers in low groups.
    spec.preferred = [](const RankPass &pass, const DeviceFacts &facts) {
        const bool is_unrolled = !pass.is_flat() || pass.count <= most_unrolled;
        const bool is_longest = pass.count > most_of_tall_groups;
        const bool has_channels = pass.channels > 1;
        const int sums = has_channels && pass.count <= 25 ? 14
                         : is_unrolled || is_longest      ? 11
                                                          : 12;
        const bool has_pairs = keys_of_word(pass) == 2;
        const bool is_short = pass.count <= (has_channels && !has_pairs ? 81 : 49);
        const bool suits_wide = has_pairs ? is_short || pass.count > 81 : is_unrolled;
        // Mirrored networks take so many registers that few groups run at a time.
        Settings first{.tile_x = 4,
                       .tile_y = !pass.is_flat() ? 1
                                 : is_unrolled   ? 2
                                                 : 4,
                       .group_x = pass.channels == 3 && is_unrolled && suits_wide ? 48 : 32,
                       .group_y = is_longest || is_short ? 4 : 8,
                       .sums = facts.device_class == DeviceClass::nvidia_gpu ? sums : 0,
                       .mirrors = is_unrolled ? 0 : 1};
        if (has_channels && pass.count <= 9 && pass.is_flat())
            first.tile_y = 4;
        Settings lower = first; // which takes less local memory
        lower.group_y = 4;
        return std::vector<Settings>{first, lower};
    };
    spec.rank = [](const RankPass &pass, const Settings &, const DeviceFacts &facts) {
        // Smaller windows fit the registers, and sorted tiles suit larger ones.
        const bool has_pairs = keys_of_word(pass) == 2;
        const bool is_nvidia = facts.device_class == DeviceClass::nvidia_gpu;
        const bool reads_scattered = pass.channels > 1; // without local memory, one value at a time
        const int fewest = !pass.is_flat()   ? 2
                           : reads_scattered ? (has_pairs ? 2 : 10)
                           : has_pairs       ? (pass.is_box && !is_nvidia ? 26 : 50)
                           : is_nvidia       ? 81
                                             : 82;
        const int most = !is_nvidia  ? most_unrolled
                         : has_pairs ? most_of_tall_groups
                                     : most_mirrored;
        const int rank = RankByHabit{.strips = 0, .nothing_shared = 1, .tiles = 4}(facts);
        return Rank{pass.count >= fewest && pass.count <= most ? rank : 0};
    };
    return spec;
}

} // namespace gz
