// The bilateral filter for GPUs, by tiles in local memory. See cl/edge/bilateral_tiled.cl.
#include "core/error.hpp"
#include "families/edge/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group_x, group_y, columns;
};

const std::vector<Setting<Settings>> tunables = {{"GROUP_X", &Settings::group_x, {16, 32}},
                                                 {"GROUP_Y", &Settings::group_y, {4, 8}},
                                                 {"COLUMNS", &Settings::columns, {1, 2, 4}}};

Work work(const BilateralPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const std::int64_t span = std::int64_t{settings.group_x} * settings.columns;
    Launch result;
    result.program = {"edge/bilateral_tiled.cl", "bilateral_tiled", weight_defines(pass)};
    Defines &defines = result.program.defines;
    add_defines(defines, tunables, settings);
    defines["WINDOW_X"] = g.taps_x;
    defines["WINDOW_Y"] = g.taps_y;
    defines["WINDOW_Z"] = pass.volume.taps_z;
    result.range =
        batched_range(pass, ceil_div(g.width / pass.channels, span),
                      ceil_div(g.height, settings.group_y), settings.group_x, settings.group_y);
    const std::int64_t pixels =
        (span + g.taps_x - 1) * (settings.group_y + g.taps_y - 1) * pass.volume.taps_z;
    result.arguments = {
        SourceBuffer(),
        TargetBuffer(),
        by_value(g),
        by_value(pass.volume),
        by_value(pass.terms),
        ConstantData{bytes_of(pass.space.data(), pass.space.size()), true},
        LocalMemory{static_cast<std::size_t>(pixels * pass.channels) * sizeof(float)}};
    return result;
}

} // namespace

Kernel bilateral_tiled() {
    KernelSpec<BilateralPass, Settings> spec;
    spec.name = "bilateral_tiled";
    spec.folder = "edge";
    spec.tunables = tunables;
    spec.work = work;
    // Not measured: long rows share most, and smaller tiles fit local memory.
    spec.preferred = [](const BilateralPass &, const DeviceFacts &) {
        std::vector<Settings> result;
        for (const int columns : {4, 2, 1})
            for (const int group_y : {8, 4})
                for (const int group_x : {32, 16})
                    result.push_back({.group_x = group_x, .group_y = group_y, .columns = columns});
        return result;
    };
    spec.rank = [](const BilateralPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = 4}(facts)};
    };
    return spec;
}

} // namespace gz
