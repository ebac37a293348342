// Non-local means for GPUs, by tiles in local memory. See cl/edge/nlm_tiled.cl.
#include "families/edge/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int items, tile_x, tile_y, column, run;
};

const std::vector<Setting<Settings>> tunables = {{"ITEMS", &Settings::items, {64, 128, 256}},
                                                 {"TILE_X", &Settings::tile_x, {32, 64}},
                                                 {"TILE_Y", &Settings::tile_y, {16, 32}},
                                                 {"COLUMN", &Settings::column, {8, 16}},
                                                 {"RUN", &Settings::run, {4, 8, 16}}};

LocalMemory floats(int count) {
    return {static_cast<std::size_t>(count) * sizeof(float)};
}

Work work(const NonLocalPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const int halo = pass.halo(), radius = pass.radius;
    const int tile_x = settings.tile_x, tile_y = settings.tile_y;
    Launch result;
    result.program = {"edge/nlm_tiled.cl", "nlm_tiled", weight_defines(pass)};
    Defines &defines = result.program.defines;
    add_defines(defines, tunables, settings);
    defines["PATCH"] = pass.patch;
    result.range = batched_range(pass, ceil_div(g.width / pass.channels, tile_x),
                                 ceil_div(g.height, tile_y), settings.items, 1);
    // Rows are an odd number of values apart.
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(pass.terms),
                        floats(((tile_x + 2 * halo) | 1) * (tile_y + 2 * halo) * pass.channels),
                        floats(((tile_x + radius + pass.patch - 1) | 1) * (tile_y + radius)),
                        floats(((tile_x + radius) | 1) * (tile_y + radius))};
    return result;
}

} // namespace

Kernel nlm_tiled() {
    KernelSpec<NonLocalPass, Settings> spec;
    spec.name = "nlm_tiled";
    spec.folder = "edge";
    spec.tunables = tunables;
    spec.work = work;
    // Not measured: large tiles make few weights that serve no result but of other tiles.
    spec.preferred = [](const NonLocalPass &, const DeviceFacts &) {
        std::vector<Settings> result;
        for (const int items : {256, 128, 64})
            for (const int tile_y : {32, 16})
                for (const int tile_x : {64, 32})
                    result.push_back({.items = items,
                                      .tile_x = tile_x,
                                      .tile_y = tile_y,
                                      .column = 8,
                                      .run = 8});
        return result;
    };
    spec.rank = [](const NonLocalPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = 4}(facts)};
    };
    return spec;
}

} // namespace gz
