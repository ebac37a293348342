// Means over boxes of any size in two launches. See cl/box/box_plain.cl.
#include <algorithm>

#include "families/box/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group_x;
};

Launch launch(const BoxPass &pass, const char *entry, int group,
              const std::array<std::int64_t, 2> &items) {
    Launch result;
    result.program = {"box/box_plain.cl", entry, box_defines(pass)};
    result.program.defines["GROUP_X"] = group;
    result.range = batched_range(pass, ceil_div(items[0], group), items[1], group, 1);
    return result;
}

Work work(const BoxPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const int group = settings.group_x;
    const BoxColumns columns = columns_of(pass);
    // A work-item first fills its box and then moves it over a good part of the box's own size, so that
    // filling costs little beside moving.
    const std::int32_t rows = std::max(256, g.taps_y);
    const std::int32_t pixels = std::max(64, g.taps_x);
    const std::size_t value = sum_of(pass) == BoxSum::i64 ? sizeof(std::int64_t) : sizeof(float);

    Work result;
    result.workspace = {static_cast<std::uint64_t>(pass.batch() * g.height * columns.pitch) *
                        value};
    result.launches = {
        launch(pass, "box_columns", group, {columns.count, ceil_div(g.height, rows)}),
        launch(pass, "box_rows", group,
               {g.height, ceil_div(g.width / pass.channels, pixels) * pass.channels})};
    result.launches[0].arguments = {SourceBuffer(), WorkspaceBuffer(), by_value(g),
                                    by_value(columns), by_value(rows)};
    result.launches[1].arguments = {
        WorkspaceBuffer(),       TargetBuffer(),   by_value(g),
        by_value(columns),       by_value(pixels), by_value(area_of(pass)),
        by_value(share_of(pass))};
    append_other(pass, result.launches[1]);
    return result;
}

} // namespace

Kernel box_plain() {
    KernelSpec<BoxPass, Settings> spec;
    spec.name = "box_plain";
    spec.folder = "box";
    spec.tunables = {{"GROUP_X", &Settings::group_x, {1, 64}}};
    spec.preferred = [](const BoxPass &, const DeviceFacts &) {
        return std::vector<Settings>{{.group_x = 64}, {.group_x = 1}};
    };
    spec.work = work;
    spec.rank = [](const BoxPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 3, .nothing_shared = 5, .tiles = 3}(facts)};
    };
    return spec;
}

} // namespace gz
