// Correlation for CPUs, a strip of a band of rows per item. See cl/correlate_strips.cl.
#include "kernel/correlate_kernels.hpp"

namespace gz {

namespace {

Launch launch(const CorrelatePass &pass, const Config &config) {
    const int bucket = bucket_of(pass);
    const std::vector<float> taps = strided_taps(pass, bucket);
    Launch result;
    result.program = {"correlate_strips.cl", "correlate_strips", common_defines(pass)};
    result.program.defines["BUCKET"] = bucket;
    for (const auto &[name, value] : config)
        result.program.defines[name] = value;
    result.range = batched_range(pass, parts(pass.geometry.width, config.at("STRIP")),
                                 parts(pass.geometry.height, config.at("BAND")), 1, 1);
    result.arguments = {SourceBuffer(), TargetBuffer(), by_value(pass.geometry),
                        ConstantData{bytes_of(taps.data(), taps.size())}};
    return result;
}

} // namespace

CorrelateSpec correlate_strips() {
    CorrelateSpec spec;
    spec.name = "correlate_strips";
    spec.tunables = {{"STRIP", {128, 512, 1024}}, {"BAND", {16, 64, 256}}};
    spec.refusal = [](const CorrelatePass &) { return std::string(); };
    spec.preferred = [](const CorrelatePass &pass, const DeviceFacts &) {
        // The rows kept in private memory should stay in a core's first cache, and the rows that are filtered twice, once
        // for each band they border on, should be few.
        const int strip = bucket_of(pass) <= 15 ? 512 : 128;
        return std::vector<Config>{{{"STRIP", strip}, {"BAND", pass.geometry.height >= 512 ? 64 : 16}}};
    };
    spec.launch = launch;
    spec.details = [](const CorrelatePass &, const Config &) { return std::string(); };
    return spec;
}

} // namespace gz
