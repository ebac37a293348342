// One image less another. See cl/difference_plain.cl.
#include "kernel/kernels.hpp"

namespace gz {

DifferenceSpec difference_plain() {
    DifferenceSpec spec;
    spec.name = "difference_plain";
    spec.tunables = {{"GROUP", {1, 64, 256}}};
    spec.refusal = [](const DifferencePass &, const Config &) { return std::string(); };
    spec.preferred = [](const DifferencePass &, const DeviceFacts &facts) {
        return std::vector<Config>{{{"GROUP", facts.is_cpu() ? 256 : 64}}, {{"GROUP", 1}}};
    };
    spec.work = [](const DifferencePass &pass, const Config &config, const DeviceFacts &) -> Work {
        const int group = config.at("GROUP");
        Launch launch;
        launch.program = {"difference_plain.cl", "difference_plain", type_defines(pass)};
        launch.program.defines["GROUP"] = group;
        launch.range = batched_range(pass, ceil_div(pass.geometry.width, group),
                                     pass.geometry.height, group, 1);
        launch.arguments = {SourceBuffer{0}, SourceBuffer{1}, TargetBuffer(),
                            by_value(pass.geometry)};
        Work work(std::move(launch));
        work.trips = 1;
        work.bytes_per_value =
            static_cast<double>(2 * size_of(pass.src_type) + size_of(pass.dst_type));
        return work;
    };
    spec.details = [](const DifferencePass &, const Config &) { return std::string(); };
    return spec;
}

} // namespace gz
