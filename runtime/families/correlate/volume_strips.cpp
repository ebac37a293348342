// Dense taps in three or four dimensions on CPUs. See cl/correlate/volume_strips.cl.
#include "families/correlate/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int vectors;
};

constexpr int vector_width = 16;

Launch make_launch(const VolumePass &pass, const Settings &settings, std::size_t filter) {
    const Geometry &g = pass.geometry;
    const int vectors = settings.vectors;
    Launch launch;
    launch.program = {"correlate/volume_strips.cl", "volume_strips", type_defines(pass)};
    launch.program.defines["VECTORS"] = vectors;
    const TapsArgument taps = dense_taps(pass, filter);
    launch.program.defines["FEW_TAPS"] = taps.are_few ? 1 : 0;
    launch.range = batched_range(pass, ceil_div(g.width, std::int64_t{vector_width} * vectors),
                                 g.height, 1, 1);
    launch.arguments = {SourceBuffer(), TargetBuffer{filter}, by_value(g), by_value(pass.volume),
                        taps.data};
    return launch;
}

Work work(const VolumePass &pass, const Settings &settings, const DeviceFacts &) {
    Work result;
    for (int i = 0; i < pass.filters; ++i)
        result.launches.push_back(make_launch(pass, settings, static_cast<std::size_t>(i)));
    return result;
}

} // namespace

Kernel volume_strips() {
    KernelSpec<VolumePass, Settings> spec;
    spec.name = "volume_strips";
    spec.folder = "correlate";
    spec.tunables = {{"VECTORS", &Settings::vectors, {1, 2, 4}}};
    spec.preferred = [](const VolumePass &, const DeviceFacts &) {
        return std::vector<Settings>{{.vectors = 4}};
    };
    spec.work = work;
    spec.details = [](const VolumePass &pass, const Settings &settings) {
        return text(pass.taps_of_one(), " taps, strips of ", settings.vectors * vector_width,
                    " values");
    };
    spec.rank = [](const VolumePass &pass, const auto &, const DeviceFacts &facts) {
        return rank_of_dense(pass, facts, {.strips = 3, .nothing_shared = 1, .tiles = 1});
    };
    return spec;
}

} // namespace gz
