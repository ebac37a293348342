// Summed-area tables of few tiles, for GPUs. See cl/sat/sat_gather.cl.
#include "families/sat/kernels.hpp"
#include "families/sat/sat_tile.hpp"

namespace gz {

namespace {

Work work(const SatPass &pass, const SatTileSettings &settings, const DeviceFacts &) {
    const SatTile tile(pass, settings);
    const Defines defines = sat_tile_defines(pass, tile);
    const auto launch = [&](const char *entry) {
        Launch result;
        result.program = {"sat/sat_gather.cl", entry, defines};
        result.range = batched_range(pass, tile.columns * tile.bands, 1, tile.group(), 1);
        return result;
    };
    const SatMemory memory{pass, tile};
    const WorkspaceBuffer columns{0};
    const WorkspaceBuffer rows{1};
    const WorkspaceBuffer totals{2};
    const ByValue geometry = by_value(pass.geometry);

    Work result;
    result.workspace = sat_others_workspace(pass, tile);

    const LocalMemory lines = memory.local(std::int64_t{pass.channels} * tile.height());
    Launch tile_sums = launch("sat_totals");
    tile_sums.arguments = {SourceBuffer(), columns,         rows, totals, geometry, memory.chunks(),
                           memory.items(), memory.stacks(), lines};
    result.launches.push_back(std::move(tile_sums));

    Launch gather = launch("sat_gather");
    gather.arguments = {SourceBuffer(), TargetBuffer(), columns,         rows,
                        totals,         geometry,       memory.chunks(), memory.items(),
                        memory.items(), memory.stacks()};
    result.launches.push_back(std::move(gather));
    return result;
}

std::string drawback(const SatPass &pass, const SatTileSettings &settings) {
    // Measured on NVIDIA (H200), with 1 to 4 channels: as fast as four launches with 1.0 to 1.25 times the tile's values.
    return sat_others_drawback(pass, SatTile(pass, settings), 120);
}

} // namespace

Kernel sat_gather() {
    KernelSpec<SatPass, SatTileSettings> spec;
    spec.name = "sat_gather";
    spec.folder = "sat";
    spec.tunables = sat_tile_tunables();
    // Measured on NVIDIA (H200), 256x256 to 4096x4096.
    spec.preferred = [](const SatPass &pass, const DeviceFacts &) {
        constexpr std::int64_t few = std::int64_t{1} << 20;
        SatTileSettings first =
            pass.channels == 1 ? SatTileSettings{16, 8, 8} : SatTileSettings{32, 4, 8};
        // Wider tiles of bytes take 0.9 of the time; larger images than narrow ones are for are faster by other kernels.
        if (pass.channels == 1 && pass.src_type == PixelType::u8 && pass.values() >= few &&
            drawback(pass, first).empty())
            first.lanes = 32;
        return std::vector<SatTileSettings>{first, {16, 4, 8}, {16, 4, 4}};
    };
    spec.work = work;
    spec.details = sat_tile_details;
    spec.rank = [](const SatPass &pass, const SatTileSettings &settings, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 2, .nothing_shared = 2, .tiles = 6}(facts),
                    drawback(pass, settings)};
    };
    return spec;
}

} // namespace gz
