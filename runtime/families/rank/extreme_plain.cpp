// Minima and maxima over boxes of any size in two launches. See cl/rank/extreme_plain.cl.
#include "families/rank/kernels.hpp"

namespace gz {

namespace {

#include "lib/box_columns.clh"

struct Settings {
    int group_x;
};

// The columns that the boxes reach, if all of them are in the image; otherwise all columns, as the border may
// fold to any of them.
BoxColumns columns_of(const ExtremePass &pass) {
    const Geometry &g = pass.geometry;
    int first = -g.anchor_x;
    int end = g.width / pass.channels + g.taps_x - 1 - g.anchor_x;
    if (first < g.valid_left || end > g.valid_right) {
        first = g.valid_left;
        end = g.valid_right;
    }
    const int count = (end - first) * pass.channels;
    return {count, first * pass.channels, count};
}

Launch launch(const ExtremePass &pass, const char *entry, int group, std::int64_t items) {
    Launch result;
    result.program = {"rank/extreme_plain.cl", entry, rank_defines(pass)};
    result.program.defines["GROUP_X"] = group;
    result.program.defines["IS_MAXIMUM"] = pass.is_maximum ? 1 : 0;
    result.range = batched_range(pass, ceil_div(items, group), pass.geometry.height, group, 1);
    return result;
}

Work work(const ExtremePass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const BoxColumns columns = columns_of(pass);
    Work result;
    result.workspace = {static_cast<std::uint64_t>(pass.batch() * g.height * columns.pitch) *
                        sizeof(std::int32_t)};
    result.launches = {launch(pass, "extreme_plain", settings.group_x, columns.count),
                       launch(pass, "extreme_rows", settings.group_x, g.width)};
    result.launches[0].arguments = {SourceBuffer(), WorkspaceBuffer(), by_value(g),
                                    by_value(columns)};
    result.launches[1].arguments = {WorkspaceBuffer(), TargetBuffer(), by_value(g),
                                    by_value(columns)};
    return result;
}

} // namespace

Kernel extreme_plain() {
    KernelSpec<ExtremePass, Settings> spec;
    spec.name = "extreme_plain";
    spec.folder = "rank";
    spec.tunables = {{"GROUP_X", &Settings::group_x, {1, 64}}};
    spec.preferred = [](const ExtremePass &, const DeviceFacts &) {
        return std::vector<Settings>{{.group_x = 64}, {.group_x = 1}};
    };
    spec.work = work;
    spec.rank = [](const ExtremePass &, const Settings &, const DeviceFacts &) { return Rank{1}; };
    return spec;
}

} // namespace gz
