// Summed-area tables on tiles, for GPUs. See cl/sat/sat_tiled.cl.
#include "families/sat/kernels.hpp"
#include "families/sat/sat_tile.hpp"

namespace gz {

namespace {

// The shape of the groups of sat_before, and the items of a run of sat_left.
constexpr int before_lanes = 32;
constexpr int before_parts = 8;
constexpr int left_run = 16;

Work work(const SatPass &pass, const SatTileSettings &settings, const DeviceFacts &) {
    const SatTile shape(pass, settings);
    Defines defines = sat_tile_defines(pass, shape);
    defines["BEFORE_LANES"] = before_lanes;
    defines["BEFORE_PARTS"] = before_parts;
    defines["LEFT_RUN"] = left_run;
    const auto launch = [&](const char *entry, std::int64_t groups) {
        Launch result;
        result.program = {"sat/sat_tiled.cl", entry, defines};
        result.range = batched_range(pass, groups, 1, shape.group(), 1);
        return result;
    };
    const SatMemory memory{pass, shape};
    const WorkspaceBuffer columns{0};
    const WorkspaceBuffer rows{1};
    const ByValue geometry = by_value(pass.geometry);
    const LocalMemory chunks = memory.chunks(), items = memory.items(), stacks = memory.stacks();

    Work result;
    result.workspace = {memory.bytes(shape.sums_of_columns()),
                        memory.bytes(shape.sums_of_rows(pass))};

    Launch tile_sums = launch("sat_sums", shape.columns * shape.bands);
    tile_sums.arguments = {SourceBuffer(), columns, rows, geometry, chunks, items, stacks};
    result.launches.push_back(std::move(tile_sums));

    const std::int64_t column_groups =
        ceil_div(shape.sums_of_columns() / shape.bands, before_lanes);
    Launch before = launch("sat_before", 1);
    before.range = batched_range(
        pass, column_groups + ceil_div(shape.sums_of_rows(pass) / shape.columns, before_lanes), 1,
        before_lanes, before_parts);
    before.arguments = {columns, rows, geometry, by_value(static_cast<std::int32_t>(column_groups)),
                        memory.local(std::int64_t{before_lanes} * before_parts)};
    result.launches.push_back(std::move(before));

    Launch left = launch("sat_left", shape.columns * pass.channels);
    left.arguments = {rows, geometry, items, memory.local(shape.group() / left_run)};
    result.launches.push_back(std::move(left));

    Launch tiled = launch("sat_tiled", shape.columns * shape.bands);
    tiled.arguments = {SourceBuffer(), TargetBuffer(), columns, rows,  geometry,
                       chunks,         items,          items,   stacks};
    result.launches.push_back(std::move(tiled));
    return result;
}

} // namespace

Kernel sat_tiled() {
    KernelSpec<SatPass, SatTileSettings> spec;
    spec.name = "sat_tiled";
    spec.folder = "sat";
    spec.tunables = sat_tile_tunables();
    spec.preferred = [](const SatPass &pass, const DeviceFacts &facts) {
        // Measured on NVIDIA (H200), 8192x8192: 0.73 and 0.66 of the time of groups of 512 items with three channels of f32 and
        // u8, 0.84 with one of u8, up to 1.02 of f32.
        std::vector<SatTileSettings> result{{32, 4, 8}, {32, 8, 8}, {16, 4, 4}};
        // Measured on NVIDIA (H100, H200): 0.93 to 0.99 of the time where tiles are few.
        constexpr std::int64_t few = std::int64_t{1} << 24; // values
        if (facts.device_class == DeviceClass::nvidia_gpu && pass.values() <= few)
            result.insert(result.begin(), {16, 4, 8});
        return result;
    };
    spec.work = work;
    spec.details = sat_tile_details;
    spec.rank = [](const SatPass &, const SatTileSettings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 2, .nothing_shared = 2, .tiles = 4}(facts)};
    };
    return spec;
}

} // namespace gz
