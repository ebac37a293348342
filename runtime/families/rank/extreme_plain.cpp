// Minima and maxima over boxes of any size in two launches. See cl/rank/extreme_plain.cl.
#include "families/rank/kernels.hpp"
#include "plan/columns.hpp"
#include "plan/problem.hpp"

namespace gz {

namespace {

struct Settings {
    int group_x;
};

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
    // Long boxes are cut where no other kernel takes them.
    spec.rank = [](const ExtremePass &pass, const Settings &, const DeviceFacts &) {
        return Rank{longer_side(pass.geometry) <= max_marching_side ? 1 : 0};
    };
    return spec;
}

} // namespace gz
