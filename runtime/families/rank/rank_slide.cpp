// Ranks of large windows for CPUs, by sorted tiles. See cl/rank/rank_slide.cl.
#include <algorithm>

#include "core/error.hpp"
#include "families/rank/kernels.hpp"
#include "plan/problem.hpp"

namespace gz {

namespace {

struct Settings {
    int tile;
};

const std::vector<Setting<Settings>> tunables = {{"TILE", &Settings::tile, {32, 64, 128}}};

// Bytes of an item's workspace: pixels with their places twice, places in order, columns and rows.
std::int64_t item_bytes(const RankPass &pass, const Settings &settings) {
    const Geometry &g = pass.geometry;
    const std::int64_t count =
        std::int64_t{settings.tile + g.taps_x - 1} * (settings.tile + g.taps_y - 1);
    const std::int64_t pair = key_kind(pass) == KeyKind::floats ? 8 : 4;
    return ceil_div(count, 64) * 64 * (2 * pair + 2 + 2);
}

Work work(const RankPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    constexpr std::int64_t items_of_unit = 16;
    const std::int64_t tiles_x = ceil_div(g.width / pass.channels, settings.tile);
    const std::int64_t tiles_y = ceil_div(g.height, settings.tile);
    const std::int64_t tiles = tiles_x * pass.channels * tiles_y * pass.batch();
    const std::int64_t items = std::clamp<std::int64_t>(items_of_unit * facts.cores(), 1, tiles);
    const std::int64_t bytes = item_bytes(pass, settings);
    Launch launch;
    launch.program = {"rank/rank_slide.cl", "rank_slide", rank_defines(pass)};
    Defines &defines = launch.program.defines;
    add_defines(defines, tunables, settings);
    defines["WINDOW_X"] = g.taps_x;
    defines["WINDOW_Y"] = g.taps_y;
    defines["IS_BOX"] = pass.is_box ? 1 : 0;
    launch.range.global = {static_cast<std::size_t>(items), 1, 1};
    launch.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        WorkspaceBuffer(),
                        by_value(bytes),
                        by_value(tiles),
                        by_value(static_cast<std::int32_t>(tiles_x)),
                        by_value(static_cast<std::int32_t>(tiles_y)),
                        by_value(pass.rank)};
    if (!pass.is_box) {
        std::vector<WindowRun> window = pass.window;
        std::vector<std::uint8_t> inside(static_cast<std::size_t>(g.taps_x) *
                                         static_cast<std::size_t>(g.taps_y));
        for (WindowRun &run : window) {
            run.x = run.x / pass.channels + g.anchor_x;
            run.y += g.anchor_y;
            std::fill_n(inside.begin() + run.y * g.taps_x + run.x, run.count, std::uint8_t{1});
        }
        launch.arguments.push_back(ConstantData{bytes_of(window.data(), window.size()), true});
        launch.arguments.push_back(by_value(static_cast<std::int32_t>(window.size())));
        launch.arguments.push_back(ConstantData{bytes_of(inside.data(), inside.size()), true});
    }
    Work result = launch;
    result.workspace = {static_cast<std::uint64_t>(items * bytes)};
    return result;
}

std::string refusal(const RankPass &pass, const Settings &settings) {
    if (std::string reason = volume_refusal(pass); !reason.empty())
        return reason;
    const int longest = 257 - settings.tile;
    if (longer_side(pass.geometry) > longest)
        return text("tiles of ", settings.tile, " pixels take windows of up to ", longest,
                    " along each axis");
    return "";
}

} // namespace

Kernel rank_slide() {
    KernelSpec<RankPass, Settings> spec;
    spec.name = "rank_slide";
    spec.folder = "rank";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = refusal;
    spec.preferred = [](const RankPass &, const DeviceFacts &) {
        return std::vector<Settings>{{.tile = 64}, {.tile = 32}};
    };
    spec.rank = [](const RankPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 2, .nothing_shared = 0, .tiles = 0}(facts)};
    };
    return spec;
}

} // namespace gz
