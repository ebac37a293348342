// Ranks of large boxes for GPUs, by sorted tiles in local memory. See cl/rank/rank_sets.cl.
#include <algorithm>

#include "core/error.hpp"
#include "families/rank/kernels.hpp"
#include "plan/problem.hpp"

namespace gz {

namespace {

struct Settings {
    int tile_x, tile_y, group, samples, scatters;
};

const std::vector<Setting<Settings>> tunables = {{"TILE_X", &Settings::tile_x, {16, 32}},
                                                 {"TILE_Y", &Settings::tile_y, {16, 32}},
                                                 {"GROUP", &Settings::group, {128, 256}},
                                                 {"SAMPLES", &Settings::samples, {256, 512}},
                                                 // pixels go to sets of columns and rows at once
                                                 {"SCATTERS", &Settings::scatters, {0, 1}}};

// The same sums as in the .cl file.
std::size_t local_bytes(const RankPass &pass, const Settings &settings) {
    const Geometry &g = pass.geometry;
    const std::int64_t columns = settings.tile_x + g.taps_x - 1;
    const std::int64_t rows = settings.tile_y + g.taps_y - 1;
    const std::int64_t quads = ceil_div(columns * rows, 128);
    const std::int64_t pitch = (quads | 1) * 4;
    const std::int64_t sets = (settings.tile_x + settings.tile_y) * pitch;
    const std::int64_t folded = columns + rows;
    const std::int64_t parts = 2 * std::int64_t{settings.group};
    std::int64_t words = 0;
    const std::int64_t padded = ceil_div(columns * rows, 4) * 4;
    if (settings.scatters != 0) {
        const bool has_halves = key_bytes(pass) == 2;
        const std::int64_t found = has_halves ? padded / 2 : 0;
        const std::int64_t lower = rows * settings.tile_x / 4;
        words =
            std::max((columns + rows) * pitch, (columns + settings.tile_y) * pitch + found + lower);
        if (has_halves) {
            const std::int64_t digits = 32 * (ceil_div(columns * rows, 32) | 1) / 2 * 3;
            words = std::max(words, padded + std::max<std::int64_t>(2048, digits) + parts) + 1;
        } else {
            words += 256;
        }
        words += folded + rows * ceil_div(columns, 32);
    } else if (key_bytes(pass) == 1) {
        words = sets + quads * 64 + 256 + parts + folded;
    } else {
        const std::int64_t area = std::max(sets, 2 * padded);
        const std::int64_t places = std::max<std::int64_t>(quads * 64, 2 * settings.samples);
        words = area + places + (2 * settings.samples + 1) + parts + folded;
    }
    return static_cast<std::size_t>(words) * sizeof(std::uint32_t);
}

Work work(const RankPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    Launch result;
    result.program = {"rank/rank_sets.cl", "rank_sets", rank_defines(pass)};
    Defines &defines = result.program.defines;
    add_defines(defines, tunables, settings);
    defines["WINDOW_X"] = g.taps_x;
    defines["WINDOW_Y"] = g.taps_y;
    defines["ANCHOR_X"] = g.anchor_x;
    defines["VECTORS"] = pass.channels == 1 && pass.alignment >= 4 && reads_words(pass);
    result.range =
        batched_range(pass, ceil_div(g.width / pass.channels, settings.tile_x) * pass.channels,
                      ceil_div(g.height, settings.tile_y), settings.group, 1);
    result.arguments = {SourceBuffer(), TargetBuffer(), by_value(g), by_value(pass.rank),
                        LocalMemory{local_bytes(pass, settings)}};
    return result;
}

std::string refusal(const RankPass &pass, const Settings &settings) {
    if (std::string reason = volume_refusal(pass); !reason.empty())
        return reason;
    if (!pass.is_box)
        return "the window is not a box";
    if (settings.scatters != 0 && key_bytes(pass) > 2)
        return "pixels are of more than two bytes";
    // A pixel's place is two bytes, with one that is in no window.
    const int longest = 256 - std::max(settings.tile_x, settings.tile_y);
    if (longer_side(pass.geometry) > longest)
        return text("such tiles take windows of up to ", longest, " along each axis");
    // Items keep their pixels in registers.
    const std::int64_t pixels = std::int64_t{settings.tile_x + pass.geometry.taps_x - 1} *
                                (settings.tile_y + pass.geometry.taps_y - 1);
    constexpr int most_of_item = 32;
    if (pixels > std::int64_t{most_of_item} * settings.group)
        return text("a tile has ", pixels, " pixels, more than ", most_of_item, " for each item");
    return "";
}

} // namespace

Kernel rank_sets() {
    KernelSpec<RankPass, Settings> spec;
    spec.name = "rank_sets";
    spec.folder = "rank";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = refusal;
    // Measured on an H200, where a sample of 512 costs more than it saves, and atomic operations are fast.
    spec.preferred = [](const RankPass &pass, const DeviceFacts &facts) {
        std::vector<Settings> result;
        if (facts.device_class == DeviceClass::nvidia_gpu && key_bytes(pass) <= 2)
            for (const int y : {32, 16})
                result.push_back(
                    {.tile_x = 32, .tile_y = y, .group = 256, .samples = 256, .scatters = 1});
        for (const auto &[x, y] : {std::pair{32, 32}, std::pair{32, 16}, std::pair{16, 16}})
            for (const int group : {256, 128})
                result.push_back(
                    {.tile_x = x, .tile_y = y, .group = group, .samples = 256, .scatters = 0});
        return result;
    };
    spec.rank = [](const RankPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = 2}(facts)};
    };
    return spec;
}

} // namespace gz
