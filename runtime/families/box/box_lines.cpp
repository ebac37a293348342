// Means over boxes for CPUs in two launches, for boxes that are long beside the image. See
// cl/box_lines.cl.
#include <algorithm>

#include "families/box/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int strip, rows;
};

bool has_narrow_columns(const BoxPass &pass) {
    return largest_of_columns(pass) < 0x1p31;
}

// Values of a row of sums that an item has at a time: CHUNK of the kernel.
constexpr int chunk = 528;

Launch launch(const BoxPass &pass, const char *entry, int strip) {
    Launch result;
    result.program = {"box/box_lines.cl", entry,
                      has_narrow_columns(pass) ? box_defines_of_narrow_columns(pass)
                                               : box_defines(pass)};
    result.program.defines["CHUNK"] = chunk;
    result.program.defines["STRIP"] = strip;
    return result;
}

Work work(const BoxPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const BoxColumns columns = columns_of(pass);
    const int strip = settings.strip;
    // A work-item first fills its box and then moves it over a good part of the box's own size, so that
    // filling costs little beside moving.
    constexpr std::int32_t least = 1024;
    const std::int32_t band = std::max(least, g.taps_y);
    const std::int32_t pixels = std::max(least, g.taps_x);
    const std::int32_t rows = settings.rows;
    const std::size_t value = sum_of(pass) == BoxSum::i64 && !has_narrow_columns(pass)
                                  ? sizeof(std::int64_t)
                                  : sizeof(float);

    Work result;
    result.workspace = {static_cast<std::uint64_t>(pass.batch() * g.height * columns.pitch) *
                        value};
    Launch down = launch(pass, "box_down", strip);
    down.range =
        batched_range(pass, ceil_div(columns.count, strip), ceil_div(g.height, band), 1, 1);
    down.arguments = {SourceBuffer(), WorkspaceBuffer(), by_value(g), by_value(columns),
                      by_value(band)};
    down.private_bytes = 4 * static_cast<std::size_t>(strip) * value;
    Launch along = launch(pass, "box_along", strip);
    along.range = batched_range(pass, ceil_div(g.width / pass.channels, pixels),
                                ceil_div(g.height, rows), 1, 1);
    along.arguments = {WorkspaceBuffer(),       TargetBuffer(),          by_value(g),
                       by_value(columns),       by_value(pixels),        by_value(rows),
                       by_value(area_of(pass)), by_value(share_of(pass))};
    append_other(pass, along);
    along.private_bytes = 2 * chunk * value;
    result.launches = {std::move(down), std::move(along)};
    return result;
}

// Wide strips read whole cache lines in order; narrow ones give every core some work.
std::vector<Settings> preferred(const BoxPass &pass, const DeviceFacts &facts) {
    const std::int64_t cores = facts.cores();
    int strip = 1024;
    while (strip > 64 && ceil_div(columns_of(pass).count, strip) * pass.batch() < 2 * cores)
        strip /= 4;
    int rows = 64;
    while (rows > 4 && ceil_div(pass.geometry.height, rows) * pass.batch() < 4 * cores)
        rows /= 4;
    return {{.strip = strip, .rows = rows}};
}

} // namespace

Kernel box_lines() {
    KernelSpec<BoxPass, Settings> spec;
    spec.name = "box_lines";
    spec.folder = "box";
    spec.tunables = {{"STRIP", &Settings::strip, {64, 256, 1024}},
                     {"ROWS", &Settings::rows, {4, 16, 64}}};
    spec.preferred = preferred;
    spec.work = work;
    spec.rank = [](const BoxPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 4, .nothing_shared = 1, .tiles = 1}(facts)};
    };
    return spec;
}

} // namespace gz
