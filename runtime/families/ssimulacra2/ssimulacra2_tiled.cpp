// Errors and their sums on GPUs, tile by tile. See cl/ssimulacra2/ssimulacra2_tiled.cl.
#include <algorithm>
#include <bit>

#include "families/ssimulacra2/kernels.hpp"
#include "plan/image_pass.hpp"

namespace gz {

namespace {

struct Settings {
    int tile_x, tile_y, row_item, rows, spare;
};

const std::vector<Setting<Settings>> tunables = {{"TILE_X", &Settings::tile_x, {32, 64}},
                                                 {"TILE_Y", &Settings::tile_y, {16, 32, 64}},
                                                 {"ROW_ITEM", &Settings::row_item, {4, 8}},
                                                 {"ROWS", &Settings::rows, {4, 8, 16}},
                                                 {"SPARE", &Settings::spare, {0, 1}}};

constexpr std::int64_t parts_of_sums = 8;

int group_of(const Settings &settings) {
    return settings.tile_x * (settings.tile_y / BLOCK);
}

Work work(const Ssimulacra2Pass &pass, const Settings &settings, const DeviceFacts &facts) {
    const WorkPieces pieces{settings.tile_x, settings.tile_y};
    const auto group = static_cast<std::size_t>(group_of(settings));
    Launch launch;
    launch.program = {"ssimulacra2/ssimulacra2_tiled.cl", "ssimulacra2_tiled", {}};
    add_defines(launch.program.defines, tunables, settings);
    launch.range.local = {group, 1, 1};
    launch.range.global = {static_cast<std::size_t>(count_of(pass.pyramid, pieces)) * group, 3, 1};
    // Four filtered quantities of the tile; then the sums of all items, and pairs of parts of them.
    const std::int64_t pitch = pieces.columns + 4 * settings.spare;
    const std::int64_t filtered = 4 * pitch * (pieces.rows + 2 * APRON);
    const std::int64_t sums = SUMS * (group_of(settings) + 2 * parts_of_sums);
    launch.arguments = {
        LocalMemory{static_cast<std::size_t>(std::max(filtered, sums)) * sizeof(float)}};
    const int last = static_cast<int>(std::bit_floor(std::min(facts.max_group_size, 256U)));
    return ssimulacra2_work(pass, std::move(launch), pieces, last);
}

Settings shaped(int tile_x, int tile_y, int row_item, int rows, int spare) {
    return {.tile_x = tile_x, .tile_y = tile_y, .row_item = row_item, .rows = rows, .spare = spare};
}

} // namespace

Kernel ssimulacra2_tiled() {
    KernelSpec<Ssimulacra2Pass, Settings> spec;
    spec.name = "ssimulacra2_tiled";
    spec.folder = "ssimulacra2";
    spec.tunables = tunables;
    spec.preferred = [](const Ssimulacra2Pass &, const DeviceFacts &) {
        return std::vector<Settings>{shaped(64, 32, 8, 8, 1), shaped(32, 32, 8, 8, 1)};
    };
    spec.work = work;
    spec.rank = [](const Ssimulacra2Pass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 1, .nothing_shared = 2, .tiles = 2}(facts)};
    };
    return spec;
}

} // namespace gz
