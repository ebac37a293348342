// Correlation for CPUs, a strip of a band of rows per item. See cl/correlate/correlate_strips.cl.
#include <algorithm>

#include "families/correlate/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int strip, band;
};

constexpr int vector_width = 16; // values of a vector

// A core makes so many products sooner than a second one wakes: on two Zen 4 cores 13 and 13 taps of 64x64 take 19 us in
// one band and 25 in four (the tenth percentile), on two of a Xeon 65x65 13 in one and 81 in two.
constexpr std::int64_t few_products = 150'000;

// The bytes of the ring of rows that four rows of the target are computed from, and, where rows are filtered
// first, of a part of a row with its apron; the gaps that the .cl leaves between them count too.
std::size_t private_bytes(const CorrelatePass &pass, int bucket, int strip) {
    constexpr int between = 96;
    const int apron = (bucket - 1) * pass.channels;
    const int slots = bucket + 3;
    const int values = pass.separable()
                           ? slots * (strip + between) + std::min(strip, 512) + apron + between
                           : slots * (strip + apron + between);
    return static_cast<std::size_t>(values) * sizeof(float);
}

Work work(const CorrelatePass &pass, const Settings &settings, const DeviceFacts &facts) {
    const int bucket = bucket_of(pass);
    const std::vector<float> taps = strided_taps(pass.set(), bucket);
    Launch result;
    result.program = {"correlate/correlate_strips.cl", "correlate_strips", type_defines(pass)};
    result.program.defines["SEPARABLE"] = pass.separable() ? 1 : 0;
    result.program.defines["BUCKET"] = bucket;
    result.program.defines["ALIGNED"] = pass.alignment >= vector_width ? 1 : 0;
    result.program.defines["STRIP"] = settings.strip;
    // llvmpipe's compiler takes ten times as long for four.
    result.program.defines["ROWS"] = facts.device_class == DeviceClass::mesa_cpu ? 1 : 4;
    const std::int32_t band = settings.band; // an argument: it depends on the image's size
    result.range = batched_range(pass, ceil_div(pass.geometry.width, settings.strip),
                                 ceil_div(pass.geometry.height, band), 1, 1);
    result.arguments = {SourceBuffer(), TargetBuffer(), by_value(pass.geometry),
                        ConstantData{bytes_of(taps.data(), taps.size())}, by_value(band)};
    result.private_bytes = private_bytes(pass, bucket, settings.strip);
    return result;
}

// Long strips read whole pages in order. Bands are high, so that few rows are read twice, once for
// each band they border on, but not so high that cores stay idle.
std::vector<Settings> preferred(const CorrelatePass &pass, const DeviceFacts &facts) {
    const int strip = bucket_of(pass) <= 15 ? 4096 : 512;
    const Geometry &g = pass.geometry;
    const std::int64_t strips = ceil_div(g.width, strip) * pass.batch();
    const std::int64_t taps =
        pass.separable() ? g.taps_x + g.taps_y : std::int64_t{g.taps_x} * g.taps_y;
    const std::int64_t products = pass.values() * taps;
    if (products <= few_products)
        return {{.strip = strip, .band = g.height <= 64 ? 64 : 256}};
    int band = 256;
    while (band > 16 && strips * ceil_div(g.height, band) < 4 * facts.cores())
        band /= 4;
    return {{.strip = strip, .band = band}};
}

} // namespace

Kernel correlate_strips() {
    KernelSpec<CorrelatePass, Settings> spec;
    spec.name = "correlate_strips";
    spec.folder = "correlate";
    spec.tunables = {{"STRIP", &Settings::strip, {128, 512, 4096}},
                     {"BAND", &Settings::band, {16, 64, 256}}};
    spec.refusal = [](const CorrelatePass &pass, const Settings &) {
        return tap_refusal(pass, std::end(tap_buckets)[-1]);
    };
    spec.preferred = preferred;
    spec.work = work;
    spec.rank = [](const CorrelatePass &pass, const auto &, const DeviceFacts &facts) {
        return CorrelateRank{.strips = 6,
                             .plain_gpu = 3,
                             .few_taps = 1,
                             .separable = 2,
                             .nothing_shared = 4,
                             .tiles = 4}(pass, facts);
    };
    return spec;
}

} // namespace gz
