// Pixels to XYB planes on GPUs, tile by tile. See cl/xyb_tiled.cl.
#include "kernel/kernels.hpp"

namespace gz {

XybSpec xyb_tiled() {
    XybSpec spec;
    spec.name = "xyb_tiled";
    spec.refusal = [](const XybPass &, const Config &) { return std::string(); };
    spec.preferred = [](const XybPass &, const DeviceFacts &) {
        return std::vector<Config>{Config()};
    };
    spec.work = [](const XybPass &pass, const Config &, const DeviceFacts &) -> Work {
        constexpr int tile = 32;
        constexpr std::size_t group = tile / 2 * (tile / 2);
        // Pixels of the smaller scales of a tile.
        constexpr std::size_t smaller = 256 + 64 + 16 + 4 + 1;
        Launch launch = xyb_launch(pass, "xyb_tiled", {tile, tile});
        launch.range.local = {group, 1, 1};
        launch.range.global[0] *= group;
        launch.arguments.push_back(LocalMemory{3 * smaller * sizeof(float)});
        return launch;
    };
    spec.details = [](const XybPass &, const Config &) { return std::string(); };
    return spec;
}

} // namespace gz
