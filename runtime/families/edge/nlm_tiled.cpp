// Non-local means for GPUs, by tiles in local memory. See cl/edge/nlm_tiled.cl.
#include "families/edge/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int columns, rows, column;
    int kept; // 1 where items keep pixels of their columns and runs
};

const std::vector<Setting<Settings>> tunables = {{"COLUMNS", &Settings::columns, {32, 64, 96, 128}},
                                                 {"ROWS", &Settings::rows, {16, 32}},
                                                 {"COLUMN", &Settings::column, {8, 16}},
                                                 {"KEPT", &Settings::kept, {0, 1}}};

// Items of groups: an item keeps so much that no more fit on a unit twice.
constexpr int most_items = 256;

int items_of(const Settings &settings) {
    return settings.columns * (settings.rows / settings.column);
}

// Results in a row: each that the columns suffice for, but for the same number in each run.
int tile_x_of(const NonLocalPass &pass, const Settings &settings) {
    const int runs = settings.columns / settings.column;
    return (settings.columns - pass.patch + 1) / runs * runs;
}

LocalMemory floats(int count) {
    return {static_cast<std::size_t>(count) * sizeof(float)};
}

Work work(const NonLocalPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const int halo = pass.halo(), tile_x = tile_x_of(pass, settings), rows = settings.rows;
    Launch result;
    result.program = {"edge/nlm_tiled.cl", "nlm_tiled", weight_defines(pass)};
    Defines &defines = result.program.defines;
    add_defines(defines, tunables, settings);
    defines["PATCH"] = pass.patch;
    defines["MOST_RADIUS"] = most_radius(pass);
    result.range = batched_range(pass, ceil_div(g.width / pass.channels, tile_x),
                                 ceil_div(g.height, rows), items_of(settings), 1);
    const int pitch = (tile_x + 2 * (most_radius(pass) + pass.patch / 2)) | 1;
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(pass.terms),
                        by_value(pass.patches),
                        floats(pitch * (rows + 2 * halo) * pass.channels),
                        floats(2 * (settings.columns + 2) * rows)};
    return result;
}

std::string refusal(const NonLocalPass &, const Settings &settings) {
    return items_of(settings) > most_items ? text("groups have more than ", most_items, " items")
                                           : "";
}

} // namespace

Kernel nlm_tiled() {
    KernelSpec<NonLocalPass, Settings> spec;
    spec.name = "nlm_tiled";
    spec.folder = "edge";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = refusal;
    // Measured on NVIDIA (H100, 4096x4096, patches of 7 pixels): columns of 8 rows take 31 % longer, and other tiles
    // up to 10 %. Pixels that are not kept, 3 %, and 27 % of three channels. Elsewhere there may be no registers for
    // them.
    spec.preferred = [](const NonLocalPass &, const DeviceFacts &facts) {
        const int kept = facts.device_class == DeviceClass::nvidia_gpu ? 1 : 0;
        std::vector<Settings> result;
        for (const int rows : {32, 16})
            for (const int columns : {64, 32})
                result.push_back({.columns = columns, .rows = rows, .column = 16, .kept = kept});
        return result;
    };
    spec.rank = [](const NonLocalPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = 4}(facts)};
    };
    return spec;
}

} // namespace gz
