// Summed-area tables, a column and then a row an item. See cl/sat/sat_plain.cl.
#include "families/sat/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group;
};

Launch launch(const SatPass &pass, const char *entry, int group, std::int64_t items, int channels) {
    Launch result;
    result.program = {"sat/sat_plain.cl", entry, type_defines(pass)};
    result.program.defines["GROUP"] = group;
    result.range = batched_range(pass, ceil_div(items, group), channels, group, 1);
    return result;
}

Work work(const SatPass &pass, const Settings &settings, const DeviceFacts &) {
    const int group = settings.group;
    Work result;
    result.workspace = {
        static_cast<std::uint64_t>(pass.batch() * pass.geometry.height * pass.summed_values()) *
        pass.sum_bytes()};
    result.launches = {launch(pass, "sat_columns", group, pass.summed_values(), 1),
                       launch(pass, "sat_rows", group, pass.geometry.height, pass.channels)};
    result.launches[0].arguments = {SourceBuffer(), WorkspaceBuffer(), by_value(pass.geometry)};
    result.launches[1].arguments = {WorkspaceBuffer(), TargetBuffer(), by_value(pass.geometry)};
    return result;
}

} // namespace

Kernel sat_plain() {
    KernelSpec<SatPass, Settings> spec;
    spec.name = "sat_plain";
    spec.folder = "sat";
    spec.tunables = {{"GROUP", &Settings::group, {1, 16, 64}}};
    spec.preferred = [](const SatPass &, const DeviceFacts &facts) {
        return std::vector<Settings>{{.group = facts.is_cpu() ? 16 : 64}, {.group = 1}};
    };
    spec.work = work;
    spec.rank = [](const SatPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 3, .nothing_shared = 4, .tiles = 3}(facts)};
    };
    return spec;
}

} // namespace gz
