// Summed-area tables, a column and then a row an item. See cl/sat_plain.cl.
#include "kernel/kernels.hpp"

namespace gz {

namespace {

Launch launch(const SatPass &pass, const char *entry, int group, std::int64_t items, int channels) {
    Launch result;
    result.program = {"sat_plain.cl", entry, type_defines(pass)};
    result.program.defines["GROUP"] = group;
    result.range = batched_range(pass, ceil_div(items, group), channels, group, 1);
    return result;
}

Work work(const SatPass &pass, const Config &config, const DeviceFacts &) {
    const int group = config.at("GROUP");
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

SatSpec sat_plain() {
    SatSpec spec;
    spec.name = "sat_plain";
    spec.tunables = {{"GROUP", {1, 16, 64}}};
    spec.refusal = [](const SatPass &, const Config &) { return std::string(); };
    spec.preferred = [](const SatPass &, const DeviceFacts &facts) {
        return std::vector<Config>{{{"GROUP", facts.is_cpu() ? 16 : 64}}, {{"GROUP", 1}}};
    };
    spec.work = work;
    spec.details = [](const SatPass &, const Config &) { return std::string(); };
    return spec;
}

} // namespace gz
