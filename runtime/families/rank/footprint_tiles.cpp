// Minima and maxima over footprints for GPUs, a tile in local memory per group. See cl/rank/footprint_tiles.cl.
#include <algorithm>

#include "core/error.hpp"
#include "families/rank/footprint_pass.hpp"
#include "families/rank/kernels.hpp"
#include "families/rank/network_pass.hpp"

namespace gz {

namespace {

struct Settings {
    int group_x, group_y, item_y;
};

const std::vector<Setting<Settings>> tunables = {{"GROUP_X", &Settings::group_x, {32, 64}},
                                                 {"GROUP_Y", &Settings::group_y, {4, 8}},
                                                 {"ITEM_Y", &Settings::item_y, {2, 4, 8}}};

// Rows of results of a tile.
int rows_of_tile(const RankPass &pass, const Settings &settings) {
    return settings.group_y * settings.item_y * keys_of_word(pass);
}

// Words of a row of a tile's table.
int pitch_of(const RankPass &pass, const Settings &settings) {
    return settings.group_x + pass.geometry.taps_x - 1;
}

// The same sums as in the .cl file.
std::size_t words_of_tile(const RankPass &pass, const Settings &settings) {
    const int rows = settings.group_y * settings.item_y + pass.geometry.taps_y - 1;
    return static_cast<std::size_t>(pitch_of(pass, settings)) * static_cast<std::size_t>(rows);
}

// The reads of a group: places in a tile's table, and the parts that read one table each.
struct Reads {
    std::vector<std::int32_t> places;
    std::vector<FootprintPart> parts;
};

Reads reads_of(const RankPass &pass, int pitch) {
    constexpr std::size_t at_a_time = 4;
    Reads result;
    const auto fill_up = [&] { // what is read twice is the same as once
        while (result.places.size() % at_a_time != 0)
            result.places.push_back(result.places.back());
    };
    for (const TableRead &read : table_reads(pass)) {
        std::vector<FootprintPart> &parts = result.parts;
        if (parts.empty() || parts.back().slice != read.z || parts.back().level != read.level) {
            fill_up();
            parts.push_back({read.z, read.level, 0});
        }
        result.places.push_back(read.y * pitch + read.x);
        parts.back().end = static_cast<gz_int>((result.places.size() + at_a_time - 1) / at_a_time);
    }
    fill_up();
    return result;
}

Work work(const RankPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const int pitch = pitch_of(pass, settings);
    const int tile_y = rows_of_tile(pass, settings);
    const Reads reads = reads_of(pass, pitch);
    Launch result;
    result.program = {"rank/footprint_tiles.cl", "footprint_tiles", rank_defines(pass)};
    Defines &defines = result.program.defines;
    add_defines(defines, tunables, settings);
    defines["SUMS"] = 0;
    defines["IS_MAXIMUM"] = pass.rank == 0 ? 0 : 1;
    defines["WINDOW_X"] = g.taps_x;
    defines["WINDOW_Y"] = g.taps_y;
    result.range =
        batched_range(pass, ceil_div(g.width / pass.channels, settings.group_x) * pass.channels,
                      ceil_div(g.height, tile_y), settings.group_x, settings.group_y);
    const std::size_t folded = static_cast<std::size_t>(pitch + tile_y + g.taps_y - 1);
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(pass.volume),
                        ConstantData{bytes_of(reads.parts.data(), reads.parts.size())},
                        by_value(static_cast<std::int32_t>(reads.parts.size())),
                        ConstantData{bytes_of(reads.places.data(), reads.places.size())},
                        LocalMemory{words_of_tile(pass, settings) * sizeof(std::uint32_t)},
                        LocalMemory{folded * sizeof(std::int32_t)}};
    return result;
}

std::string refusal(const RankPass &pass, const Settings &settings) {
    // Items keep what they bring in registers.
    constexpr std::size_t most_of_item = 64;
    const std::size_t items = static_cast<std::size_t>(settings.group_x * settings.group_y);
    if (words_of_tile(pass, settings) > most_of_item * items)
        return text("a tile takes more than ", most_of_item, " words of each item");
    return extreme_refusal(pass);
}

} // namespace

Kernel footprint_tiles() {
    KernelSpec<RankPass, Settings> spec;
    spec.name = "footprint_tiles";
    spec.folder = "rank";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = refusal;
    spec.preferred = [](const RankPass &, const DeviceFacts &) {
        std::vector<Settings> result;
        for (const int item_y : {8, 4, 2})
            for (const int group_y : {8, 4})
                result.push_back({.group_x = 32, .group_y = group_y, .item_y = item_y});
        return result;
    };
    spec.rank = [](const RankPass &pass, const Settings &, const DeviceFacts &facts) {
        // On an H200 networks are several times as fast where they take the pass.
        const int wanted = network_refusal(pass, pass.count).empty() && pass.is_flat() ? 2 : 4;
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 1, .tiles = wanted}(facts)};
    };
    return spec;
}

} // namespace gz
