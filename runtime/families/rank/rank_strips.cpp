// Ranks of small windows for CPUs, a strip of a band of rows per item. See cl/rank/rank_strips.cl.
#include <algorithm>

#include "core/error.hpp"
#include "families/rank/kernels.hpp"
#include "families/rank/network_pass.hpp"
#include "plan/bands.hpp"

namespace gz {

namespace {

struct Settings {
    int strip, tile_y, vector_bytes;
};

const std::vector<Setting<Settings>> tunables = {
    {"STRIP", &Settings::strip, {512, 1024, 4096}},
    {"TILE_Y", &Settings::tile_y, {1, 2, 4, 8}},
    {"VECTOR_BYTES", &Settings::vector_bytes, {32, 64}}};

Work work(const RankPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const std::int64_t strips = ceil_div(g.width, settings.strip);
    const std::int32_t band = rows_of_band(pass, strips, g.taps_y, facts);
    Launch result;
    result.program = {"rank/rank_strips.cl", "rank_strips", rank_defines(pass)};
    add_defines(result.program.defines, tunables, settings);
    add_network(pass, network_shape(pass, 1, settings.tile_y), 0, result.program);
    result.range = batched_range(pass, strips, ceil_div(g.height, band), 1, 1);
    result.arguments = {SourceBuffer(), TargetBuffer(), by_value(g), by_value(pass.volume),
                        by_value(band)};
    const int lanes = settings.vector_bytes / static_cast<int>(key_bytes(pass));
    const int row = settings.strip + (g.taps_x - 1) * pass.channels + std::max(lanes, 16);
    result.private_bytes =
        static_cast<std::size_t>(pass.volume.taps_z * (settings.tile_y + g.taps_y - 1) * row) *
        key_bytes(pass);
    return result;
}

} // namespace

Kernel rank_strips() {
    KernelSpec<RankPass, Settings> spec;
    spec.name = "rank_strips";
    spec.folder = "rank";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = [](const RankPass &pass, const Settings &settings) {
        if (std::string reason = volume_tile_refusal(pass, settings.tile_y); !reason.empty())
            return reason;
        // A network of so many pixels takes PoCL 6 s to compile.
        constexpr int most_pixels = 125;
        return network_refusal(pass, most_pixels);
    };
    spec.preferred = [](const RankPass &pass, const DeviceFacts &facts) {
        // Taller tiles share more, and wide strips read whole pages in order; vectors longer than the device's take
        // several registers. Measured with AVX2 and AVX-512.
        const int rows = pass.geometry.taps_y;
        const bool is_byte = key_bytes(pass) == 1;
        const int tile = !pass.is_flat() ? 1 : rows > 3 ? 8 : is_byte ? 2 : 4;
        const bool has_long_vectors = facts.architecture == "x86-avx512";
        std::vector<Settings> result;
        for (const int strip : {4096, 1024, 512})
            for (const int bytes : {has_long_vectors ? 64 : 32, has_long_vectors ? 32 : 64})
                result.push_back({.strip = strip, .tile_y = tile, .vector_bytes = bytes});
        return result;
    };
    spec.rank = [](const RankPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 3, .nothing_shared = 0, .tiles = 0}(facts)};
    };
    return spec;
}

} // namespace gz
