// Means over boxes for CPUs, a strip of a band of rows per item. See cl/box/box_strips.cl.
#include <algorithm>

#include "families/box/kernels.hpp"

namespace gz {

namespace {

// The largest reach, to both sides together, of each class of boxes that share a program, in values.
constexpr int reaches[] = {64, 512, 4096, 8192};

constexpr int vector_width = 16; // values of a vector

std::int64_t reach_of(const BoxPass &pass) {
    return 2 * std::int64_t{pass.geometry.anchor_x} * pass.channels;
}

Work work(const BoxPass &pass, const BoxStripSettings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const int reach = *std::lower_bound(std::begin(reaches), std::end(reaches), reach_of(pass));
    const int strip = settings.strip;
    const std::int32_t band = settings.band;
    Launch result;
    result.program = {"box/box_strips.cl", "box_strips", box_defines_of_narrow_columns(pass)};
    result.program.defines["STRIP"] = strip;
    result.program.defines["ALIGNED"] = pass.alignment >= vector_width ? 1 : 0;
    result.program.defines["REACH"] = reach;
    result.range = range_of_strips(pass, settings);
    result.arguments = {SourceBuffer(), TargetBuffer(),          by_value(g),
                        by_value(band), by_value(area_of(pass)), by_value(share_of(pass))};
    append_other(pass, result);
    constexpr int rows = 4;
    constexpr std::size_t apart_bytes = 4096; // rows of sums are moved by less
    const auto columns = static_cast<std::size_t>(strip + reach + 48);
    result.private_bytes =
        ((2 + rows) * columns + 2 * static_cast<std::size_t>(reach + 16)) * sizeof(float) +
        apart_bytes;
    return result;
}

std::string refusal(const BoxPass &pass, const BoxStripSettings &) {
    if (reach_of(pass) > std::end(reaches)[-1])
        return text("boxes reach ", reach_of(pass), " values to both sides; it takes up to ",
                    std::end(reaches)[-1]);
    if (sum_of(pass) != BoxSum::f32 && largest_of_columns(pass) >= 0x1p31)
        return text("sums of ", pass.geometry.taps_y, " rows need more than 32 bits");
    return "";
}

// Measured on two Zen 4 cores with AVX-512 and AVX2, f32 and u8: bands of 1024 rows are as fast as two launches for boxes of
// 2401 rows, and take 1.1 to 1.2 times as long for 3001; bands of 256 are faster for 401, and take 1.3 times as long with
// AVX-512 for 801; bands of 64 take half of the time for 201, and 1.4 times as long with AVX-512 for 401.
std::string drawback(const BoxPass &pass, const BoxStripSettings &settings) {
    if (outgrows_image(pass))
        return "boxes are longer than the image";
    const int band = settings.band;
    const int rows = pass.geometry.taps_y;
    return 2 * rows > 5 * band ? text("bands of ", band, " rows are low beside boxes of ", rows)
                               : "";
}

} // namespace

Kernel box_strips() {
    KernelSpec<BoxPass, BoxStripSettings> spec;
    spec.name = "box_strips";
    spec.folder = "box";
    spec.tunables = box_strip_tunables();
    spec.refusal = refusal;
    spec.preferred = preferred_strips;
    spec.work = work;
    spec.rank = [](const BoxPass &pass, const BoxStripSettings &settings,
                   const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 5, .nothing_shared = 4, .tiles = 2}(facts),
                    drawback(pass, settings)};
    };
    return spec;
}

} // namespace gz
