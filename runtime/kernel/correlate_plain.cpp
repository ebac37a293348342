// Correlation with taps of any size, an item per value. See cl/correlate_plain.cl.
#include "kernel/kernels.hpp"

namespace gz {

namespace {

Work work(const CorrelatePass &pass, const Config &config, const DeviceFacts &) {
    std::vector<TapPlace> places;
    std::vector<float> taps;
    for (const TapSet &set : pass.sets) {
        places.push_back({set.taps_x, set.taps_y, set.anchor_x, set.anchor_y, set.separable ? 1 : 0,
                          static_cast<gz_int>(taps.size())});
        taps.insert(taps.end(), set.taps.begin(), set.taps.end());
    }
    const int group_x = config.at("GROUP_X");
    const int group_y = config.at("GROUP_Y");
    Launch result;
    result.program = {"correlate_plain.cl", "correlate_plain", type_defines(pass)};
    for (const auto &[name, value] : config)
        result.program.defines[name] = value;
    result.range = batched_range(pass, ceil_div(pass.geometry.width, group_x),
                                 ceil_div(pass.geometry.height, group_y), group_x, group_y);
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(pass.geometry),
                        ConstantData{bytes_of(places.data(), places.size())},
                        ConstantData{bytes_of(taps.data(), taps.size()), true},
                        by_value(static_cast<std::int32_t>(places.size()))};
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
    spec.work = work;
    spec.details = [](const CorrelatePass &, const Config &) { return std::string(); };
    return spec;
}

} // namespace gz
