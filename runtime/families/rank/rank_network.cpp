// Ranks of small windows for GPUs, in registers. See cl/rank/rank_network.cl.
#include <algorithm>

#include "core/error.hpp"
#include "families/rank/kernels.hpp"
#include "families/rank/network_pass.hpp"

namespace gz {

namespace {

struct Settings {
    int tile_x, tile_y, group_y, sums, max_registers;
};

constexpr int group_x = 32;

const std::vector<Setting<Settings>> tunables = {
    {"TILE_X", &Settings::tile_x, {2, 4, 8}},
    {"TILE_Y", &Settings::tile_y, {1, 2, 4}},
    {"GROUP_Y", &Settings::group_y, {4, 8}},
    {"SUMS", &Settings::sums, {0, 11, 12, 14}},
    {"MAX_REGISTERS", &Settings::max_registers, {0, 96, 112, 128}}};

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

NDRange range_of(const RankPass &pass, const Settings &settings) {
    const Geometry &g = pass.geometry;
    const std::int64_t results_x = std::int64_t{settings.tile_x} * keys_of_word(pass);
    const std::int64_t tiles = ceil_div(g.width / pass.channels, results_x) * pass.channels;
    return batched_range(pass, ceil_div(tiles, group_x),
                         ceil_div(g.height, std::int64_t{settings.tile_y} * settings.group_y),
                         group_x, settings.group_y);
}

Work work(const RankPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    Launch result;
    result.program = {"rank/rank_network.cl", "rank_network", rank_defines(pass)};
    Defines &defines = result.program.defines;
    add_defines(defines, tunables, settings);
    defines["GROUP_X"] = group_x;
    defines["ANCHOR_X"] = g.anchor_x;
    defines["VECTORS"] = vector_of(pass, settings);
    add_network(pass, network_shape(pass, settings.tile_x, settings.tile_y), settings.sums,
                result.program);
    result.range = range_of(pass, settings);
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(std::uint32_t{1}),
                        by_value(~std::uint32_t{0}),
                        LocalMemory{local_bytes(pass, settings)}};
    if (settings.max_registers > 0 && !facts.caps_registers)
        result.unfit = "caps an item's registers, which the driver cannot be told";
    return result;
}

std::string refusal(const RankPass &pass, const Settings &settings) {
    if (std::string reason = volume_refusal(pass); !reason.empty())
        return reason;
    constexpr int most_pixels = 121;
    const int most_results = pass.count <= 9 ? 32 : 16; // of a tile
    if (settings.tile_x * settings.tile_y > most_results)
        return text("tiles of ", settings.tile_x, "x", settings.tile_y,
                    " results take too many registers");
    if (settings.tile_x * keys_of_word(pass) < 4)
        return "a row of a tile has fewer than four results";
    return network_refusal(pass, most_pixels);
}

// Measured on an H200, where taller groups, which hold items to fewer registers, are slower.
std::vector<Settings> preferred(const RankPass &pass, const DeviceFacts &facts) {
    const bool has_pairs = keys_of_word(pass) == 2;
    const bool is_small = pass.count <= 25;
    const bool adds =
        facts.device_class == DeviceClass::nvidia_gpu && (has_pairs || pass.count > 9);
    Settings first{.tile_x = 4,
                   .tile_y = is_small ? 4 : 2,
                   .group_y = 4,
                   .sums = !adds                          ? 0
                           : has_pairs && pass.count > 25 ? 11
                           : has_pairs && pass.count > 9  ? 12
                           : is_small                     ? 14
                                                          : 12,
                   .max_registers = 0};
    if (!facts.caps_registers || pass.src_type != PixelType::u8 || vector_of(pass, first) == 0)
        return {first};
    // One more group of bytes runs at a time where an item keeps some words in memory: 3 to 8 % less time where there
    // are enough groups, 15 % more where there are few.
    Settings capped = first;
    if (pass.count <= 9)
        capped.tile_x = 8;
    capped.max_registers = pass.count <= 9 ? 96 : is_small ? 128 : 112;
    const NDRange range = range_of(pass, capped);
    std::int64_t groups = 1;
    for (std::size_t i = 0; i < 3; ++i)
        groups *= static_cast<std::int64_t>(range.global[i] / range.local[i]);
    if (groups < 8 * facts.cores())
        return {first};
    return {capped, first};
}

} // namespace

Kernel rank_network() {
    KernelSpec<RankPass, Settings> spec;
    spec.name = "rank_network";
    spec.folder = "rank";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.rank = [](const RankPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 2, .tiles = 3}(facts)};
    };
    return spec;
}

} // namespace gz
