// Means over boxes in one pass by way of local memory. See cl/box/box_tiled.cl.
#include <algorithm>

#include "families/box/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int rows, parts, band;
};

// These match the kernel's values.
int pixels_of(const BoxPass &pass) {
    return 32 / pass.channels;
}
int part_of(const BoxPass &pass) {
    return pixels_of(pass) * pass.channels;
}

Work work(const BoxPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const int part = part_of(pass);
    const int strip = settings.parts * part;
    const int rows = settings.rows;
    const std::int64_t columns = strip + 2 * std::int64_t{g.anchor_x} * pass.channels;
    // The pitch of rows is as many banks as there are parts, so that items of two rows meet different banks.
    constexpr std::int64_t banks = 32;
    const std::int64_t least = ceil_div(columns, part) * (part | 1);
    const std::int64_t pitch = ceil_div(least, banks) * banks + settings.parts;
    const std::int64_t whole = (pitch / (part | 1) + 1) * pass.channels;
    const bool is_f32 = sum_of(pass) == BoxSum::f32;

    Launch result;
    result.program = {"box/box_tiled.cl", "box_tiled", box_defines_of_narrow_columns(pass)};
    result.program.defines["PARTS"] = settings.parts;
    result.program.defines["ROWS"] = rows;
    result.range = batched_range(pass, ceil_div(g.width, strip), ceil_div(g.height, settings.band),
                                 rows * settings.parts, 1);
    const auto bytes = [](std::int64_t count, std::size_t size) {
        return LocalMemory{static_cast<std::size_t>(count) * size};
    };
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(static_cast<std::int32_t>(settings.band)),
                        by_value(area_of(pass)),
                        by_value(share_of(pass)),
                        by_value(static_cast<std::int32_t>(pitch)),
                        bytes(columns, is_f32 ? 2 * sizeof(float) : sizeof(std::int32_t)),
                        bytes(columns, sizeof(std::int32_t)),
                        bytes(rows * (pitch + whole), sizeof(float))};
    append_other(pass, result);
    return result;
}

std::string refusal(const BoxPass &pass, const Settings &) {
    // The sum of a part of a row.
    if (sum_of(pass) != BoxSum::f32 && largest_of_columns(pass) * pixels_of(pass) >= 0x1p31)
        return text("sums of ", pass.geometry.taps_y, " rows need more than 32 bits");
    const std::int64_t reach = 2 * std::int64_t{pass.geometry.anchor_x} * pass.channels;
    return reach > 65536 ? text("a row of ", reach, " values more than the strip is too long") : "";
}

Settings shaped(int rows, int parts, int band) {
    return {.rows = rows, .parts = parts, .band = band};
}

// Takes as many rows at a time as fit local memory, then strips as wide as fit. High bands fill few boxes
// anew, but leave fewer groups to share the work.
std::vector<Settings> preferred(const BoxPass &pass, const DeviceFacts &facts) {
    std::vector<Settings> result;
    for (const int rows : {16, 8, 4})
        for (const int parts_x : {16, 8}) {
            const std::int64_t strips = ceil_div(pass.geometry.width, parts_x * part_of(pass));
            int band = 1024;
            while (band > 64 &&
                   strips * pass.batch() * ceil_div(pass.geometry.height, band) < 2 * facts.cores())
                band /= 4;
            result.push_back(shaped(rows, parts_x, band));
        }
    return result;
}

} // namespace

Kernel box_tiled() {
    KernelSpec<BoxPass, Settings> spec;
    spec.name = "box_tiled";
    spec.folder = "box";
    spec.tunables = {{"ROWS", &Settings::rows, {4, 8, 16}},
                     {"PARTS", &Settings::parts, {8, 16}},
                     {"BAND", &Settings::band, {64, 256, 1024}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const BoxPass &pass, const Settings &settings) {
        return text("strips of ", settings.parts * part_of(pass), "x", settings.band);
    };
    spec.rank = [](const BoxPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 2, .nothing_shared = 2, .tiles = 4}(facts)};
    };
    return spec;
}

} // namespace gz
