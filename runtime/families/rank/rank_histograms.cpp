// Ranks of large boxes of bytes for CPUs, by histograms of windows side by side. See cl/rank/rank_histograms.cl.
#include <algorithm>

#include "core/error.hpp"
#include "families/rank/kernels.hpp"
#include "plan/bands.hpp"

namespace gz {

namespace {

struct Settings {
    int strip, vector_bytes;
};

const std::vector<Setting<Settings>> tunables = {
    {"STRIP", &Settings::strip, {64, 128, 256}},
    {"VECTOR_BYTES", &Settings::vector_bytes, {32, 64}}};

Work work(const RankPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const std::int64_t strips = ceil_div(g.width / pass.channels, settings.strip) * pass.channels;
    const std::int32_t band = rows_of_band(pass, strips, g.taps_y, facts);
    Launch result;
    result.program = {"rank/rank_histograms.cl", "rank_histograms", rank_defines(pass)};
    Defines &defines = result.program.defines;
    add_defines(defines, tunables, settings);
    defines["WINDOW_X"] = g.taps_x;
    defines["WINDOW_Y"] = g.taps_y;
    result.range = batched_range(pass, strips, ceil_div(g.height, band), 1, 1);
    result.arguments = {SourceBuffer(), TargetBuffer(), by_value(g), by_value(band),
                        by_value(pass.rank)};
    constexpr std::int64_t bins = 16 + 256;
    const std::int64_t counts = settings.strip + 2 * (std::int64_t{g.taps_x} - 1) + 32;
    const std::int64_t row = (settings.strip + std::int64_t{g.taps_x} - 1) * pass.channels + 64;
    result.private_bytes = static_cast<std::size_t>(bins * counts * 2 + 2 * row);
    return result;
}

std::string refusal(const RankPass &pass, const Settings &) {
    if (std::string reason = volume_refusal(pass); !reason.empty())
        return reason;
    if (pass.src_type != PixelType::u8 || key_kind(pass) != KeyKind::integers)
        return "it counts the pixels of each value, which are of 8 bits";
    if (!pass.is_box)
        return "the window is not a box";
    constexpr int most_pixels = 65535; // as counts have 16 bits
    if (pass.count > most_pixels)
        return text("a window has ", pass.count, " pixels, more than ", most_pixels);
    return "";
}

} // namespace

Kernel rank_histograms() {
    KernelSpec<RankPass, Settings> spec;
    spec.name = "rank_histograms";
    spec.folder = "rank";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = refusal;
    spec.preferred = [](const RankPass &, const DeviceFacts &facts) {
        const int bytes = facts.architecture == "x86-avx512" ? 64 : 32;
        std::vector<Settings> result;
        for (const int strip : {256, 128, 64})
            result.push_back({.strip = strip, .vector_bytes = bytes});
        return result;
    };
    spec.rank = [](const RankPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 3, .nothing_shared = 0, .tiles = 0}(facts)};
    };
    return spec;
}

} // namespace gz
