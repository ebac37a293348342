// Pixels to XYB planes on GPUs, tile by tile. See cl/ssimulacra2/xyb_tiled.cl.
#include "families/ssimulacra2/kernels.hpp"

namespace gz {

namespace {

struct Settings {};

} // namespace

Kernel xyb_tiled() {
    KernelSpec<XybPass, Settings> spec;
    spec.name = "xyb_tiled";
    spec.folder = "ssimulacra2";
    spec.preferred = [](const XybPass &, const DeviceFacts &) {
        return std::vector<Settings>{Settings()};
    };
    spec.work = [](const XybPass &pass, const Settings &, const DeviceFacts &) -> Work {
        constexpr int tile = 32;
        constexpr std::size_t group = tile / 2 * (tile / 2);
        // Pixels of the smaller scales of a tile.
        constexpr int smaller = 256 + 64 + 16 + 4 + 1;
        Launch launch = xyb_launch(pass, "xyb_tiled", {tile, tile});
        launch.program.defines["TILE"] = tile;
        launch.program.defines["SMALLER"] = smaller;
        launch.range.local = {group, 1, 1};
        launch.range.global[0] *= group;
        launch.arguments.push_back(LocalMemory{std::size_t{3} * smaller * sizeof(float)});
        launch.local_bytes = group * sizeof(float); // what bytes are in linear light
        return launch;
    };
    spec.rank = [](const XybPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 1, .nothing_shared = 2, .tiles = 2}(facts)};
    };
    return spec;
}

} // namespace gz
