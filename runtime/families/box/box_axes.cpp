// Means over boxes axis by axis, in two launches, for boxes that are wide. See cl/box/box_axes.cl.
#include <algorithm>

#include "families/box/kernels.hpp"
#include "plan/rounds.hpp"

namespace gz {

namespace {

struct Settings {
    int lanes, stacks; // of a group that marches down columns
    int items;         // of a group that marches along a row
    int groups;        // of the first kind, of each core

    int group() const { return lanes * stacks; }
    int step() const { return 4 * stacks; }   // rows, as in the kernel
    int columns() const { return 4 * lanes; } // values
};

const std::vector<Setting<Settings>> tunables = {{"LANES", &Settings::lanes, {8, 16, 32}},
                                                 {"STACKS", &Settings::stacks, {4, 8, 16, 32}},
                                                 {"ITEMS", &Settings::items, {32, 64, 128}},
                                                 {"GROUPS", &Settings::groups, {2, 4, 8}}};

// NVIDIA's cores have registers for so many items that march down columns.
constexpr int most_items = 512;

// Values of a segment of a row, as in the kernel.
int segment_of(const BoxPass &pass) {
    return pass.channels == 3 ? 12 : 16;
}

// The columns that sums are made of: whole vectors.
BoxColumns columns_of_vectors(const BoxPass &pass) {
    BoxColumns columns = columns_of(pass);
    constexpr int vector = 4;
    const int end = columns.first_column + columns.count;
    const int before = ((columns.first_column % vector) + vector) % vector;
    columns.first_column -= before;
    columns.count = end - columns.first_column;
    columns.pitch = ceil_div(columns.count, vector) * vector;
    return columns;
}

std::int64_t strips_of(const BoxPass &pass, const Settings &settings) {
    return std::max<std::int64_t>(
        ceil_div(columns_of_vectors(pass).count, settings.columns()) * pass.batch(), 1);
}

// The rows of a band: as many bands as leave no more groups than the settings say.
std::int64_t band_of(const BoxPass &pass, const Settings &settings, const DeviceFacts &facts) {
    return rows_of_band(pass.geometry.height, strips_of(pass, settings),
                        facts.cores() * settings.groups, settings.step());
}

// Values of a row that a group makes: all, unless so few rows leave cores without work.
std::int64_t length_of(const BoxPass &pass, const Settings &settings, const DeviceFacts &facts) {
    constexpr int groups_of_core = 16;
    const Geometry &g = pass.geometry;
    const std::int64_t chunk = std::int64_t{settings.items} * segment_of(pass);
    const std::int64_t rows = std::max<std::int64_t>(pass.batch() * g.height, 1);
    const std::int64_t parts = std::max<std::int64_t>(facts.cores() * groups_of_core / rows, 1);
    const std::int64_t least = std::max<std::int64_t>(
        ceil_div(g.width, parts), std::int64_t{g.taps_x} * pass.channels); // which fill a box
    return std::max<std::int64_t>(ceil_div(least, chunk), 1) * chunk;
}

Work work(const BoxPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const BoxColumns columns = columns_of_vectors(pass);
    const std::int64_t band = band_of(pass, settings, facts);
    const std::int64_t length = length_of(pass, settings, facts);
    const int items = settings.items;
    Defines defines = box_defines_of_narrow_columns(pass);
    defines["LANES"] = settings.lanes;
    defines["STACKS"] = settings.stacks;
    defines["ITEMS"] = items;
    defines["ALIGNED"] = pass.alignment >= 4 ? 1 : 0;
    const int words_of_total = sum_of(pass) == BoxSum::i64 ? 2 : 1;
    const auto vectors = [](std::int64_t count) {
        return LocalMemory{static_cast<std::size_t>(count) * 4 * sizeof(float)};
    };

    Work result;
    result.workspace = {static_cast<std::uint64_t>(pass.batch() * g.height * columns.pitch) *
                        sizeof(float)};
    Launch down;
    down.program = {"box/box_axes.cl", "box_axes_down", defines};
    down.range = batched_range(pass, ceil_div(columns.count, settings.columns()),
                               ceil_div(g.height, band), settings.group(), 1);
    down.arguments = {SourceBuffer(),
                      WorkspaceBuffer(),
                      by_value(g),
                      by_value(columns),
                      by_value(static_cast<std::int32_t>(band)),
                      vectors(2 * settings.group()),
                      vectors(2 * settings.lanes),
                      vectors(settings.step())};
    Launch along;
    along.program = {"box/box_axes.cl", "box_axes_along", defines};
    // Rows are the groups along x, of which NVIDIA's GPUs take more than 65535.
    along.range = batched_range(pass, g.height, ceil_div(g.width, length), items, 1);
    along.arguments = {WorkspaceBuffer(),
                       TargetBuffer(),
                       by_value(g),
                       by_value(columns),
                       by_value(static_cast<std::int32_t>(length)),
                       by_value(area_of(pass)),
                       by_value(share_of(pass)),
                       vectors(std::int64_t{items} * (segment_of(pass) / 4 + 1)),
                       vectors(std::int64_t{items} / 4 * pass.channels * words_of_total),
                       vectors(std::int64_t{2} * words_of_total)};
    append_other(pass, along);
    result.launches = {std::move(down), std::move(along)};
    return result;
}

std::string refusal(const BoxPass &pass, const Settings &settings) {
    // A segment's changes are of the columns that enter its boxes and of those that leave them.
    if (sum_of(pass) != BoxSum::f32 && 2 * segment_of(pass) * largest_of_columns(pass) >= 0x1p31)
        return text("sums of ", pass.geometry.taps_y, " rows need more than 32 bits");
    if (settings.group() > most_items)
        return text("groups have more than ", most_items, " items");
    if (outgrows_image(pass))
        return "boxes reach past the whole image";
    return "";
}

// Whether boxes are so wide that two launches are faster than one whose strips are mostly aprons. Measured on an H200 and an
// H100, f32: from a reach of 80 to 90 values on in 1920x1080, of 90 and beyond 100 in 4096x4096, of 125 and 140 in 16384x16384,
// of 230 and beyond 210 with three channels, and of more than 150 where rows start anywhere. At a radius of 300 box_tiled
// takes 3.9 times as long, at 1000 box_plain 9 times. Of no other device is anything known.
bool is_wide(const BoxPass &pass) {
    constexpr std::int64_t small = std::int64_t{1} << 23; // values
    const Geometry &g = pass.geometry;
    const bool is_float = sum_of(pass) == BoxSum::f32;
    const std::int64_t least = pass.channels > 1 || (is_float && pass.alignment < 4) ? 240
                               : pass.values() < small                               ? 90
                                                                                     : 125;
    return std::int64_t{g.anchor_x} * pass.channels >= least;
}

// Where the rows from those that enter boxes to those that leave them do not fit the cache, stacks of 512 items are at
// work on half as many columns at a time: 0.9 of the time at a radius of 200 to 300 (H200, 16384x16384 f32).
std::vector<Settings> preferred(const BoxPass &pass, const DeviceFacts &) {
    constexpr std::int64_t kept = std::int64_t{16} << 20; // bytes
    const Geometry &g = pass.geometry;
    std::vector<Settings> result;
    if (sum_of(pass) == BoxSum::f32 &&
        std::int64_t{g.width} * g.taps_y * static_cast<std::int64_t>(size_of(pass.src_type)) > kept)
        result.push_back({.lanes = 16, .stacks = 32, .items = 32, .groups = 2});
    result.push_back({.lanes = 16, .stacks = 16, .items = 32, .groups = 2});
    result.push_back({.lanes = 8, .stacks = 8, .items = 32, .groups = 2});
    return result;
}

} // namespace

Kernel box_axes() {
    KernelSpec<BoxPass, Settings> spec;
    spec.name = "box_axes";
    spec.folder = "box";
    spec.tunables = tunables;
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const BoxPass &pass, const Settings &settings) {
        return text("strips of ", settings.columns(), " columns, then rows",
                    pass.alignment >= 4 ? ", aligned vectors" : ", unaligned");
    };
    spec.rank = [](const BoxPass &pass, const Settings &, const DeviceFacts &facts) {
        if (facts.device_class == DeviceClass::nvidia_gpu)
            return Rank{is_wide(pass) ? 7 : 1};
        return Rank{
            RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = is_wide(pass) ? 5 : 1}(facts)};
    };
    return spec;
}

} // namespace gz
