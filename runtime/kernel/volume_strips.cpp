// Dense taps in three or four dimensions on CPUs. See cl/volume_strips.cl.
#include "kernel/kernels.hpp"

namespace gz {

namespace {

constexpr int vector_width = 16;

Launch make_launch(const VolumePass &pass, const Config &config, std::size_t filter) {
    const Geometry &g = pass.geometry;
    const int vectors = config.at("VECTORS");
    Launch launch;
    launch.program = {"volume_strips.cl", "volume_strips", type_defines(pass)};
    launch.program.defines["VECTORS"] = vectors;
    const TapsArgument taps = dense_taps(pass, filter);
    launch.program.defines["FEW_TAPS"] = taps.are_few ? 1 : 0;
    launch.range = batched_range(pass, ceil_div(g.width, std::int64_t{vector_width} * vectors),
                                 g.height, 1, 1);
    launch.arguments = {SourceBuffer(), TargetBuffer{filter}, by_value(g), by_value(pass.volume),
                        taps.data};
    return launch;
}

Work work(const VolumePass &pass, const Config &config, const DeviceFacts &) {
    Work result;
    for (int i = 0; i < pass.filters; ++i)
        result.launches.push_back(make_launch(pass, config, static_cast<std::size_t>(i)));
    return result;
}

} // namespace

VolumeSpec volume_strips() {
    VolumeSpec spec;
    spec.name = "volume_strips";
    spec.tunables = {{"VECTORS", {1, 2, 4}}};
    spec.refusal = [](const VolumePass &, const Config &) { return std::string(); };
    spec.preferred = [](const VolumePass &, const DeviceFacts &) {
        return std::vector<Config>{{{"VECTORS", 4}}};
    };
    spec.work = work;
    spec.details = [](const VolumePass &pass, const Config &config) {
        return text(pass.taps_of_one(), " taps, strips of ", config.at("VECTORS") * vector_width,
                    " values");
    };
    return spec;
}

} // namespace gz
