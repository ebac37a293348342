// Minima and maxima over footprints for CPUs, a strip of a band of rows per item. See cl/rank/footprint_strips.cl.
#include <algorithm>
#include <bit>

#include "core/error.hpp"
#include "families/rank/footprint_pass.hpp"
#include "families/rank/kernels.hpp"
#include "plan/bands.hpp"

namespace gz {

namespace {

struct Settings {
    int strip, tile_y, block, vector_bytes;
};

const std::vector<Setting<Settings>> tunables = {
    {"STRIP", &Settings::strip, {128, 256, 512, 1024, 2048}},
    {"TILE_Y", &Settings::tile_y, {2, 4}},
    {"BLOCK", &Settings::block, {4, 8}}, // vectors of results at a time
    {"VECTOR_BYTES", &Settings::vector_bytes, {32, 64}}};

// The levels of the tables that a strip keeps of each row, a bit each.
unsigned levels_of(const RankPass &pass) {
    unsigned levels = 0;
    for (const WindowRun &run : pass.window)
        levels |= std::bit_floor(static_cast<unsigned>(run.count));
    return levels;
}

// Keys of a table, with what vectors read beyond.
int pitch_of(const RankPass &pass, const Settings &settings) {
    const int lanes = settings.vector_bytes / static_cast<int>(key_bytes(pass));
    return settings.strip + (pass.geometry.taps_x - 1) * pass.channels + std::max(lanes, 16);
}

std::size_t private_bytes(const RankPass &pass, const Settings &settings) {
    const int rows = settings.tile_y + pass.geometry.taps_y - 1;
    const int tables = rows * std::popcount(levels_of(pass)) + 1;
    return static_cast<std::size_t>(tables) * static_cast<std::size_t>(pitch_of(pass, settings)) *
               key_bytes(pass) +
           static_cast<std::size_t>(2 * rows) * sizeof(void *);
}

Work work(const RankPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const unsigned levels = levels_of(pass);
    const int pitch = pitch_of(pass, settings);
    std::vector<FootprintRead> reads;
    for (const TableRead &read : table_reads(pass)) {
        const int table = std::popcount(levels & ((1U << read.level) - 1U));
        reads.push_back({read.y, table * pitch + read.x * pass.channels});
    }
    const std::int64_t strips = ceil_div(g.width, settings.strip);
    const std::int32_t band = rows_of_band(pass, strips, g.taps_y, facts);
    Launch result;
    result.program = {"rank/footprint_strips.cl", "footprint_strips", rank_defines(pass)};
    Defines &defines = result.program.defines;
    add_defines(defines, tunables, settings);
    defines["IS_MAXIMUM"] = pass.rank == 0 ? 0 : 1;
    defines["PITCH"] = pitch;
    defines["WINDOW_X"] = g.taps_x;
    defines["WINDOW_Y"] = g.taps_y;
    defines["LEVELS"] = static_cast<int>(levels);
    defines["TABLES"] = std::popcount(levels);
    result.range = batched_range(pass, strips, ceil_div(g.height, band), 1, 1);
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(band),
                        ConstantData{bytes_of(reads.data(), reads.size()), true},
                        by_value(static_cast<std::int32_t>(reads.size()))};
    result.private_bytes = private_bytes(pass, settings);
    return result;
}

std::string refusal(const RankPass &pass, const Settings &) {
    const std::string reason = volume_refusal(pass);
    return reason.empty() ? extreme_refusal(pass) : reason;
}

} // namespace

Kernel footprint_strips() {
    KernelSpec<RankPass, Settings> spec;
    spec.name = "footprint_strips";
    spec.folder = "rank";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = refusal;
    // Wide strips share what lies between them, until their rows leave the cache.
    spec.preferred = [](const RankPass &pass, const DeviceFacts &) {
        constexpr std::size_t most_bytes = 192 * 1024;
        std::vector<Settings> result;
        for (const int strip : {2048, 1024, 512, 256, 128})
            for (const int bytes : {64, 32}) {
                const Settings settings{
                    .strip = strip, .tile_y = 4, .block = 4, .vector_bytes = bytes};
                if (strip == 128 || private_bytes(pass, settings) <= most_bytes)
                    result.push_back(settings);
            }
        return result;
    };
    spec.rank = [](const RankPass &pass, const Settings &, const DeviceFacts &facts) {
        const int wanted = is_for_network(pass) ? 2 : 4;
        return Rank{RankByHabit{.strips = wanted, .nothing_shared = 0, .tiles = 0}(facts)};
    };
    return spec;
}

} // namespace gz
