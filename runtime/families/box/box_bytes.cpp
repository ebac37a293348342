// Means over small boxes of bytes for CPUs. See cl/box/box_bytes.cl.
#include <algorithm>
#include <optional>

#include "families/box/kernels.hpp"

namespace gz {

namespace {

using gz_ushort = std::uint16_t;
#include "lib/box_bytes.clh"
static_assert(sizeof(Divisor) == 8, "OpenCL C lays the struct out without padding");

constexpr int vector_width = 16; // values of a vector

// Returns the divisor of boxes of an area, which is odd; nothing where no product gives the quotient of every sum.
std::optional<Divisor> divisor_of(std::int64_t area, Store store) {
    constexpr std::int64_t most = 0xffff;
    const std::int64_t bias = store == Store::truncate ? 0 : area / 2;
    const std::int64_t largest = 255 * area + bias;
    if (area < 3 || largest > most)
        return std::nullopt;
    for (int shift = 0; std::int64_t{1} << shift <= area; ++shift) {
        const std::int64_t unit = std::int64_t{1} << (16 + shift);
        const std::int64_t factor = unit / area + 1;
        // The product is too large by less than sum / area * excess / unit, where quotients miss the next integer by
        // 1 / area at least.
        const std::int64_t excess = factor * area - unit;
        if (factor <= most && largest * excess < unit)
            return Divisor{static_cast<gz_ushort>(bias), static_cast<gz_ushort>(factor),
                           static_cast<gz_ushort>(shift), 0};
    }
    return std::nullopt;
}

Work work(const BoxPass &pass, const BoxStripSettings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const int strip = settings.strip;
    const std::int32_t band = settings.band;
    Launch result;
    result.program = {"box/box_bytes.cl", "box_bytes", type_defines(pass)};
    result.program.defines["STRIP"] = strip;
    result.program.defines["ALIGNED"] = pass.alignment >= vector_width ? 1 : 0;
    result.range = range_of_strips(pass, settings);
    result.arguments = {SourceBuffer(), TargetBuffer(), by_value(g), by_value(band),
                        by_value(*divisor_of(area_of(pass), pass.store))};
    constexpr std::size_t rows = 4, most_lanes = 32;
    result.private_bytes =
        (1 + rows) *
        (static_cast<std::size_t>(strip + 2 * BOX_BYTES_RADIUS * pass.channels) + 4 * most_lanes) *
        sizeof(gz_ushort);
    return result;
}

std::string refusal(const BoxPass &pass, const BoxStripSettings &) {
    const Geometry &g = pass.geometry;
    if (pass.src_type != PixelType::u8 || pass.dst_type != PixelType::u8)
        return "the images are not both of bytes";
    if (std::max(g.anchor_x, g.anchor_y) > BOX_BYTES_RADIUS)
        return text("boxes have a radius of more than ", BOX_BYTES_RADIUS);
    if (sum_of(pass) == BoxSum::f32)
        return "the border's constant is no byte";
    return divisor_of(area_of(pass), pass.store) ? "" : "no product gives the mean of every sum";
}

} // namespace

Kernel box_bytes() {
    KernelSpec<BoxPass, BoxStripSettings> spec;
    spec.name = "box_bytes";
    spec.folder = "box";
    spec.tunables = box_strip_tunables();
    spec.refusal = refusal;
    spec.preferred = preferred_strips;
    spec.work = work;
    // Measured with AVX2 and AVX-512: 0.4 to 0.9 of the time of box_strips.
    spec.rank = [](const BoxPass &pass, const BoxStripSettings &settings,
                   const DeviceFacts &facts) {
        constexpr RankByHabit rank{.strips = 6, .nothing_shared = 3, .tiles = 0};
        return Rank{refusal(pass, settings).empty() ? rank(facts) : 0};
    };
    return spec;
}

} // namespace gz
