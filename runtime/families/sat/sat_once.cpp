// Summed-area tables of few tiles in one launch. See cl/sat/sat_once.cl.
#include "families/sat/kernels.hpp"
#include "families/sat/sat_tile.hpp"

namespace gz {

namespace {

Work work(const SatPass &pass, const SatTileSettings &settings, const DeviceFacts &facts) {
    const SatTile tile(pass, settings);
    const SatMemory memory{pass, tile};
    const std::int64_t tiles = pass.batch() * tile.columns * tile.bands;
    const WorkspaceBuffer columns{0}, rows{1}, totals{2};

    Work result;
    result.workspace = sat_others_workspace(pass, tile);
    const SharedWords shared = share_words(WorkspaceBuffer{3}, 1 + tiles, facts, result);
    if (shared.workspace_bytes > 0)
        result.workspace.push_back(shared.workspace_bytes);
    Launch once;
    once.program = {"sat/sat_once.cl", "sat_once", sat_tile_defines(pass, tile)};
    once.program.defines["POLLS_ATOMICALLY"] = polls_atomically(facts) ? 1 : 0;
    once.program.defines["SELF_CLEARS"] = shared.self_clears;
    once.local_bytes = 2 * sizeof(std::int32_t);
    once.range.local = {static_cast<std::size_t>(tile.group()), 1, 1};
    once.range.global = {static_cast<std::size_t>(tiles * tile.group()), 1, 1};
    once.arguments = {SourceBuffer(),
                      TargetBuffer(),
                      columns,
                      rows,
                      totals,
                      shared.words,
                      shared.to_clear,
                      by_value(pass.geometry),
                      memory.chunks(),
                      memory.items(),
                      memory.items(),
                      memory.stacks(),
                      memory.local(std::int64_t{pass.channels} * tile.height())};
    if (!fences_reach_all(facts))
        once.unfit = "groups of the device may not see in order what others write";
    result.launches.push_back(std::move(once));
    return result;
}

// Measured on NVIDIA (H200), f32 and u8 of one channel and of three, 256x256 to 4096x4096: larger tiles, which add up fewer sums
// of others, where there are still enough of them. Three channels of so many tiles are faster in four launches. Two channels and four
// take tiles as three did before these were read by vectors.
SatTileSettings shape_of(const SatPass &pass) {
    constexpr std::int64_t few = std::int64_t{1} << 22, few_of_several = std::int64_t{1} << 21;
    const bool larger_fit = pass.sum_bytes() <= sizeof(float); // local memory
    if (pass.channels == 3 || !larger_fit ||
        pass.values() < (pass.channels == 1 ? few : few_of_several))
        return {32, 8, 8};
    if (pass.channels > 1)
        return {64, 4, 16};
    return facts_of(pass.src_type).is_integer ? SatTileSettings{64, 8, 8}
                                              : SatTileSettings{32, 8, 16};
}

// Measured as above: 0.4 to 0.95 of the time of two and four launches up to these shares of a tile's values.
std::string drawback(const SatPass &pass, const SatTileSettings &settings) {
    const SatTile tile(pass, settings);
    const bool is_usual = pass.channels == 1 && !facts_of(pass.src_type).is_integer;
    constexpr int few_bands = 16;
    return sat_others_drawback(pass, tile, !is_usual ? 50 : tile.bands <= few_bands ? 55 : 40);
}

} // namespace

Kernel sat_once() {
    KernelSpec<SatPass, SatTileSettings> spec;
    spec.name = "sat_once";
    spec.folder = "sat";
    spec.tunables = sat_tile_tunables();
    spec.preferred = [](const SatPass &pass, const DeviceFacts &) {
        return std::vector<SatTileSettings>{
            shape_of(pass), {32, 8, 8}, {16, 8, 8}, {16, 4, 8}, {16, 4, 4}};
    };
    spec.work = work;
    spec.details = sat_tile_details;
    spec.rank = [](const SatPass &pass, const SatTileSettings &settings, const DeviceFacts &facts) {
        // Measured on NVIDIA alone.
        const int tiles = facts.device_class == DeviceClass::nvidia_gpu ? 7 : 1;
        return Rank{RankByHabit{.strips = 1, .nothing_shared = 1, .tiles = tiles}(facts),
                    drawback(pass, settings)};
    };
    return spec;
}

} // namespace gz
