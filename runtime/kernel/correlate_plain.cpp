// Correlation with an item per value: any size, any device, no speed. See cl/correlate_plain.cl.
#include "kernel/correlate_kernels.hpp"

namespace gz {

namespace {

Launch launch(const CorrelatePass &pass, const Config &config, const DeviceFacts &) {
    const int group_x = config.at("GROUP_X");
    const int group_y = config.at("GROUP_Y");
    Launch result;
    result.program = {"correlate_plain.cl", "correlate_plain", common_defines(pass)};
    for (const auto &[name, value] : config)
        result.program.defines[name] = value;
    result.range = batched_range(pass, parts(pass.geometry.width, group_x),
                                 parts(pass.geometry.height, group_y), group_x, group_y);
    result.arguments = {SourceBuffer(), TargetBuffer(), by_value(pass.geometry),
                        ConstantData{bytes_of(pass.taps.data(), pass.taps.size())}};
    return result;
}

} // namespace

CorrelateSpec correlate_plain() {
    CorrelateSpec spec;
    spec.name = "correlate_plain";
    spec.tunables = {{"GROUP_X", {1, 16, 64}}, {"GROUP_Y", {1, 4}}};
    spec.refusal = [](const CorrelatePass &, const Config &) { return std::string(); };
    spec.preferred = [](const CorrelatePass &, const DeviceFacts &facts) {
        // On a CPU a group is a loop: one row of it vectorises.
        if (facts.is_cpu())
            return std::vector<Config>{{{"GROUP_X", 64}, {"GROUP_Y", 1}}};
        return std::vector<Config>{{{"GROUP_X", 64}, {"GROUP_Y", 4}},
                                   {{"GROUP_X", 16}, {"GROUP_Y", 4}}};
    };
    spec.launch = launch;
    spec.details = [](const CorrelatePass &, const Config &) { return std::string(); };
    return spec;
}

} // namespace gz
