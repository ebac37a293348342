// Dense taps in three or four dimensions on CPUs. See cl/correlate/volume_strips.cl.
#include <algorithm>

#include "families/correlate/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int strip, band;
};

constexpr int vector_width = 16; // values of a vector

int slices_of(const VolumePass &pass) {
    return pass.volume.taps_t * pass.volume.taps_z;
}

int longest_row_or_column(const VolumePass &pass) {
    return std::max(pass.geometry.taps_x, pass.geometry.taps_y);
}

// The bytes of the rings of rows; the gaps that the .cl leaves between rows count too.
std::size_t private_bytes(const VolumePass &pass, int strip) {
    constexpr int between = 32;
    const int longest = longest_row_or_column(pass);
    const int values = (longest + 3) * (strip + (longest - 1) * pass.channels + between);
    return static_cast<std::size_t>(slices_of(pass)) * static_cast<std::size_t>(values) *
           sizeof(float);
}

Launch make_launch(const VolumePass &pass, const Settings &settings, const DeviceFacts &facts,
                   std::size_t filter) {
    const Geometry &g = pass.geometry;
    Launch launch;
    launch.program = {"correlate/volume_strips.cl", "volume_strips", type_defines(pass)};
    Defines &defines = launch.program.defines;
    defines["STRIP"] = settings.strip;
    defines["SLICES"] = slices_of(pass);
    defines["LONGEST"] = longest_row_or_column(pass);
    // llvmpipe's compiler takes long for four.
    defines["ROWS"] = facts.device_class == DeviceClass::mesa_cpu ? 1 : 4;
    defines["ALIGNED"] = pass.alignment >= vector_width ? 1 : 0;
    const TapsArgument taps = dense_taps(pass, filter);
    defines["FEW_TAPS"] = taps.are_few ? 1 : 0;
    const std::int32_t band = settings.band; // an argument: it depends on the image's size
    launch.range = batched_range(pass, ceil_div(g.width, settings.strip),
                                 ceil_div(g.height, std::int64_t{band}), 1, 1);
    launch.arguments = {SourceBuffer(), TargetBuffer{filter}, by_value(g), by_value(pass.volume),
                        taps.data,      by_value(band)};
    launch.private_bytes = private_bytes(pass, settings.strip);
    return launch;
}

Work work(const VolumePass &pass, const Settings &settings, const DeviceFacts &facts) {
    Work result;
    for (int i = 0; i < pass.filters; ++i)
        result.launches.push_back(make_launch(pass, settings, facts, static_cast<std::size_t>(i)));
    return result;
}

// Strips are long while the rings stay near a core. Bands are high, so that an item's start counts little, but not so
// high that cores stay idle.
std::vector<Settings> preferred(const VolumePass &pass, const DeviceFacts &facts) {
    constexpr std::size_t near_bytes = 128 * 1024;
    std::vector<Settings> result;
    for (const int strip : {1024, 256, 64}) {
        if (strip > 64 && private_bytes(pass, strip) > near_bytes)
            continue;
        const std::int64_t strips = ceil_div(pass.geometry.width, strip) * pass.batch();
        int band = 256;
        while (band > 16 && strips * ceil_div(pass.geometry.height, band) < 4 * facts.cores())
            band /= 4;
        result.push_back({.strip = strip, .band = band});
    }
    return result;
}

} // namespace

Kernel volume_strips() {
    KernelSpec<VolumePass, Settings> spec;
    spec.name = "volume_strips";
    spec.folder = "correlate";
    spec.tunables = {{"STRIP", &Settings::strip, {64, 256, 1024}},
                     {"BAND", &Settings::band, {16, 64, 256}}};
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const VolumePass &pass, const Settings &settings) {
        return text(pass.taps_of_one(), " taps, strips of ", settings.strip, " values, bands of ",
                    settings.band, " rows");
    };
    spec.rank = [](const VolumePass &pass, const auto &, const DeviceFacts &facts) {
        return rank_of_dense(pass, facts, {.strips = 3, .nothing_shared = 1, .tiles = 1});
    };
    return spec;
}

} // namespace gz
