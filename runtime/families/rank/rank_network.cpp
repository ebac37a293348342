// Ranks of small windows for GPUs, in registers. See cl/rank/rank_network.cl.
#include <algorithm>

#include "core/error.hpp"
#include "families/rank/kernels.hpp"
#include "families/rank/network_pass.hpp"

namespace gz {

namespace {

struct Settings {
    int tile_x, tile_y, group_y, sums;
};

constexpr int group_x = 32;

const std::vector<Setting<Settings>> tunables = {{"TILE_X", &Settings::tile_x, {2, 4, 8}},
                                                 {"TILE_Y", &Settings::tile_y, {1, 2, 4}},
                                                 {"GROUP_Y", &Settings::group_y, {4, 8}},
                                                 {"SUMS", &Settings::sums, {0, 11, 12, 14}}};

// The pixels that an item reads and writes at a time; 0: each by itself.
int vector_of(const RankPass &pass, const Settings &settings) {
    const bool is_possible = pass.channels == 1 && pass.alignment >= 4 && reads_words(pass) &&
                             (pass.src_type != PixelType::u8 || settings.tile_x >= 4);
    return is_possible ? std::min(pass.alignment, settings.tile_x * keys_of_word(pass)) : 0;
}

// The columns and rows that a group at a border reads, as the .cl file has them.
std::size_t local_bytes(const RankPass &pass, const Settings &settings) {
    const Geometry &g = pass.geometry;
    const std::int64_t tiles = (group_x + pass.channels - 2) / pass.channels + 1;
    const std::int64_t results_x = std::int64_t{settings.tile_x} * keys_of_word(pass);
    const std::int64_t columns =
        in_fours(g.anchor_x) + tiles * results_x + in_fours(g.taps_x - 1 - g.anchor_x);
    const std::int64_t rows = settings.group_y * settings.tile_y + g.taps_y - 1;
    return static_cast<std::size_t>(columns + rows) * sizeof(std::int32_t);
}

Work work(const RankPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const std::int64_t results_x = std::int64_t{settings.tile_x} * keys_of_word(pass);
    Launch result;
    result.program = {"rank/rank_network.cl", "rank_network", rank_defines(pass)};
    Defines &defines = result.program.defines;
    add_defines(defines, tunables, settings);
    defines["GROUP_X"] = group_x;
    defines["ANCHOR_X"] = g.anchor_x;
    defines["VECTORS"] = vector_of(pass, settings);
    add_network(pass, network_shape(pass, settings.tile_x, settings.tile_y), settings.sums,
                result.program);
    const std::int64_t tiles = ceil_div(g.width / pass.channels, results_x) * pass.channels;
    result.range =
        batched_range(pass, ceil_div(tiles, group_x),
                      ceil_div(g.height, std::int64_t{settings.tile_y} * settings.group_y), group_x,
                      settings.group_y);
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(std::uint32_t{1}),
                        by_value(~std::uint32_t{0}),
                        LocalMemory{local_bytes(pass, settings)}};
    return result;
}

std::string refusal(const RankPass &pass, const Settings &settings) {
    if (std::string reason = volume_refusal(pass); !reason.empty())
        return reason;
    constexpr int most_pixels = 121;
    constexpr int most_results = 16; // of a tile, and fewer where windows are large
    if (settings.tile_x * settings.tile_y > most_results)
        return text("tiles of ", settings.tile_x, "x", settings.tile_y,
                    " results take too many registers");
    if (settings.tile_x * keys_of_word(pass) < 4)
        return "a row of a tile has fewer than four results";
    return network_refusal(pass, most_pixels);
}

} // namespace

Kernel rank_network() {
    KernelSpec<RankPass, Settings> spec;
    spec.name = "rank_network";
    spec.folder = "rank";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = refusal;
    // Measured on an H200, where taller groups, which hold items to fewer registers, are slower.
    spec.preferred = [](const RankPass &pass, const DeviceFacts &facts) {
        const bool has_pairs = keys_of_word(pass) == 2;
        const bool is_small = pass.count <= 25;
        const bool adds =
            facts.device_class == DeviceClass::nvidia_gpu && (has_pairs || pass.count > 9);
        return std::vector<Settings>{{.tile_x = 4,
                                      .tile_y = is_small ? 4 : 2,
                                      .group_y = 4,
                                      .sums = !adds                          ? 0
                                              : has_pairs && pass.count > 25 ? 11
                                              : has_pairs && pass.count > 9  ? 12
                                              : is_small                     ? 14
                                                                             : 12}};
    };
    spec.rank = [](const RankPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 2, .tiles = 3}(facts)};
    };
    return spec;
}

} // namespace gz
