// One image less another. See cl/difference/difference_plain.cl.
#include "families/difference/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group;
};

} // namespace

Kernel difference_plain() {
    KernelSpec<DifferencePass, Settings> spec;
    spec.name = "difference_plain";
    spec.folder = "difference";
    spec.tunables = {{"GROUP", &Settings::group, {1, 64, 256}}};
    spec.preferred = [](const DifferencePass &, const DeviceFacts &) {
        return std::vector<Settings>{{.group = 256}, {.group = 64}, {.group = 1}};
    };
    spec.work = [](const DifferencePass &pass, const Settings &settings,
                   const DeviceFacts &) -> Work {
        const int group = settings.group;
        Launch launch;
        launch.program = {"difference/difference_plain.cl", "difference_plain", type_defines(pass)};
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
    spec.rank = [](const DifferencePass &, const Settings &, const DeviceFacts &) {
        return Rank{1};
    };
    return spec;
}

} // namespace gz
