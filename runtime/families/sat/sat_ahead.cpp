// Summed-area tables of large images in one pass whose strips publish far ahead. See cl/sat/sat_ahead.cl.
#include <algorithm>

#include "families/sat/kernels.hpp"
#include "families/sat/sat_tile.hpp"

namespace gz {

namespace {

// Strips side by side that make a team: TEAM of the kernel.
constexpr int team = 16;
constexpr int most_words_of_item = 8;

struct Shape : SatTile { // a column of tiles is a strip
    using SatTile::SatTile;
    std::int64_t pitch() const { return bands * height(); } // rows that a strip publishes
    std::int64_t teams() const { return columns / team; }
    // Words that an item of a strip waits for at a time, at most: those of a row are shared by several items.
    int words_of_item() const {
        const std::int64_t items_of_row = group() / height();
        return static_cast<int>(ceil_div(team - 1 + teams(), items_of_row));
    }
};

// As the kernel lays them out.
std::int64_t words_of(const SatPass &pass, const Shape &shape) {
    return 1 + pass.batch() * (shape.columns + shape.teams()) * shape.pitch();
}

std::string refusal(const SatPass &pass, const SatTileSettings &settings) {
    if (pass.dst_type != PixelType::f32)
        return "only sums of f32 have a value to spare, for those that are not known yet";
    if (pass.channels != 1)
        return text(pass.channels, " channels");
    const Shape shape(pass, settings);
    if (words_of(pass, shape) >= std::int64_t{1} << 31)
        return "there are too many rows";
    if (shape.words_of_item() > most_words_of_item)
        return text(shape.columns, " strips side by side are too many");
    return "";
}

Work work(const SatPass &pass, const SatTileSettings &settings, const DeviceFacts &facts) {
    const Shape shape(pass, settings);
    Defines defines = sat_tile_defines(pass, shape);
    defines["TEAM"] = team;
    defines["WORDS"] = shape.words_of_item();
    defines["POLLS_ATOMICALLY"] = polls_atomically(facts) ? 1 : 0;
    const std::int64_t words = words_of(pass, shape);
    const WorkspaceBuffer shared{0};

    Work result;
    result.workspace = {static_cast<std::uint64_t>(words) * sizeof(std::uint32_t)};

    result.launches.push_back(clear_words(shared, words));

    const auto sums = [](std::int64_t count) {
        return LocalMemory{static_cast<std::size_t>(count) * sizeof(float)};
    };
    const auto group = static_cast<std::size_t>(shape.group());
    Launch march;
    march.program = {"sat/sat_ahead.cl", "sat_ahead", defines};
    march.local_bytes = sizeof(std::int32_t);
    march.range.local = {group, 1, 1};
    march.range.global = {static_cast<std::size_t>(pass.batch() * shape.columns) * group, 1, 1};
    march.arguments = {SourceBuffer(),
                       TargetBuffer(),
                       shared,
                       by_value(pass.geometry),
                       by_value(static_cast<std::int32_t>(shape.columns)),
                       by_value(static_cast<std::int32_t>(shape.pitch())),
                       sums(std::int64_t{shape.stacked} * shape.width()),
                       sums(std::int64_t{shape.height()} * (shape.lanes + 1)),
                       sums(shape.group()),
                       sums(shape.group())};
    result.launches.push_back(std::move(march));
    return result;
}

// Measured on NVIDIA (H200): 16384x16384 f32, of which every unit has a strip, takes 0.621 ms where sat_march takes 0.677; but
// 8192x8192 0.218 for 0.206, and u8, of which sat_march has fewer bytes to read, 0.93 for 0.81.
std::string drawback(const SatPass &pass, const SatTileSettings &settings,
                     const DeviceFacts &facts) {
    if (pass.src_type != PixelType::f32)
        return text("pixels of ", name_of(pass.src_type), " are read once in less time");
    const std::int64_t strips = pass.batch() * Shape(pass, settings).columns;
    const std::int64_t units = facts.cores();
    constexpr std::int64_t few_rows = 4096;
    if (4 * strips < 3 * units || strips > units)
        return text(strips, " strips are not one for each of ", units, " units");
    if (pass.geometry.height < few_rows)
        return text(pass.geometry.height, " rows are few");
    return "";
}

} // namespace

Kernel sat_ahead() {
    KernelSpec<SatPass, SatTileSettings> spec;
    spec.name = "sat_ahead";
    spec.folder = "sat";
    spec.tunables = {{"LANES", &SatTileSettings::lanes, {16, 32}},
                     {"STACKED", &SatTileSettings::stacked, {4, 8, 16}},
                     {"ROWS", &SatTileSettings::rows, {4, 8}}};
    spec.refusal = refusal;
    spec.preferred = [](const SatPass &, const DeviceFacts &) {
        return std::vector<SatTileSettings>{{32, 8, 8}, {16, 8, 4}, {16, 4, 4}};
    };
    spec.work = work;
    spec.details = [](const SatPass &pass, const SatTileSettings &settings) {
        const Shape shape(pass, settings);
        return text(shape.columns, " strips of ", shape.width(), ", tiles of ", shape.height(),
                    " rows", reads_vectors(pass) ? ", aligned vectors" : ", unaligned");
    };
    spec.rank = [](const SatPass &pass, const SatTileSettings &settings, const DeviceFacts &facts) {
        // Measured on NVIDIA alone.
        const int tiles = facts.device_class == DeviceClass::nvidia_gpu ? 5 : 1;
        return Rank{RankByHabit{.strips = 1, .nothing_shared = 1, .tiles = tiles}(facts),
                    drawback(pass, settings, facts)};
    };
    return spec;
}

} // namespace gz
