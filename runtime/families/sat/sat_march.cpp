// Summed-area tables of large images in one pass. See cl/sat/sat_march.cl.
#include "families/sat/kernels.hpp"
#include "families/sat/sat_tile.hpp"

namespace gz {

namespace {

struct Shape : SatTile { // a column of tiles is a strip
    using SatTile::SatTile;
    // Rows that a strip publishes, with those of the tile beyond the last one that it goes ahead to.
    std::int64_t pitch() const { return (bands + 1) * height(); }
};

// Strips side by side that make a team: FELLOWS of the kernel.
constexpr int fellows = 8;

// As the kernel lays them out.
std::int64_t words_of(const SatPass &pass, const Shape &shape) {
    const std::int64_t teams = shape.columns / fellows;
    return 1 + pass.batch() * (shape.columns + teams) * shape.pitch();
}

std::string refusal(const SatPass &pass, const SatTileSettings &settings) {
    if (pass.dst_type != PixelType::f32)
        return "only sums of f32 have a value to spare, for those that are not known yet";
    if (pass.channels != 1)
        return text(pass.channels, " channels");
    const Shape shape(pass, settings);
    if (words_of(pass, shape) >= std::int64_t{1} << 31)
        return "there are too many rows";
    return "";
}

Work work(const SatPass &pass, const SatTileSettings &settings, const DeviceFacts &facts) {
    const Shape shape(pass, settings);
    Defines defines = sat_tile_defines(pass, shape);
    defines["FELLOWS"] = fellows;
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
    march.program = {"sat/sat_march.cl", "sat_march", defines};
    march.local_bytes = sizeof(std::int32_t);
    march.range.local = {group, 1, 1};
    march.range.global = {static_cast<std::size_t>(pass.batch() * shape.columns) * group, 1, 1};
    march.arguments = {SourceBuffer(),
                       TargetBuffer(),
                       shared,
                       by_value(pass.geometry),
                       by_value(static_cast<std::int32_t>(shape.columns)),
                       by_value(static_cast<std::int32_t>(shape.pitch())),
                       sums(std::int64_t{shape.height()} * (shape.lanes + 1)),
                       sums(shape.height()),
                       sums(std::int64_t{shape.stacked} * shape.width())};
    result.launches.push_back(std::move(march));
    return result;
}

constexpr SatTileSettings wide{32, 16, 4}, narrow{16, 16, 8};

std::int64_t strips_of(const SatPass &pass, const SatTileSettings &settings) {
    return pass.batch() * SatTile(pass, settings).columns;
}

// Wide strips where they are enough for most of the device's units. Measured on NVIDIA (H100), 256x256 to 16384x16384.
SatTileSettings usual(const SatPass &pass, const DeviceFacts &facts) {
    return 3 * strips_of(pass, wide) >= 2 * facts.cores() ? wide : narrow;
}

// Groups march from one end to the other: where most of the units have a group, all have one. The teams begin, and end,
// one after the other. Measured as above: what takes four launches is as fast from about so many rows on, where few units
// have a strip.
std::string drawback(const SatPass &pass, const DeviceFacts &facts) {
    constexpr std::int64_t few_rows = 512, many_rows = 1536;
    const std::int64_t rows = pass.geometry.height;
    const std::int64_t units = facts.cores();
    const std::int64_t strips = strips_of(pass, usual(pass, facts));
    if ((rows > many_rows && 4 * strips < 3 * units) ||
        (strips > units && 8 * strips < 7 * ceil_div(strips, units) * units))
        return text(strips, " strips would leave units idle, of ", units);
    if (rows < few_rows && strips > units)
        return text(rows, " rows are few for ", strips, " strips");
    return "";
}

} // namespace

Kernel sat_march() {
    KernelSpec<SatPass, SatTileSettings> spec;
    spec.name = "sat_march";
    spec.folder = "sat";
    spec.tunables = {{"LANES", &SatTileSettings::lanes, {16, 32}},
                     {"STACKED", &SatTileSettings::stacked, {4, 8, 16}},
                     {"ROWS", &SatTileSettings::rows, {4, 8}}};
    spec.refusal = refusal;
    spec.preferred = [](const SatPass &pass, const DeviceFacts &facts) {
        return std::vector<SatTileSettings>{usual(pass, facts), {16, 8, 4}, {16, 4, 4}};
    };
    spec.work = work;
    spec.details = [](const SatPass &pass, const SatTileSettings &settings) {
        const Shape shape(pass, settings);
        return text(shape.columns, " strips of ", shape.width(), ", tiles of ", shape.height(),
                    " rows", reads_vectors(pass) ? ", aligned vectors" : ", unaligned");
    };
    spec.rank = [](const SatPass &pass, const SatTileSettings &, const DeviceFacts &facts) {
        // Measured on NVIDIA alone.
        const int tiles = facts.device_class == DeviceClass::nvidia_gpu ? 5 : 1;
        return Rank{RankByHabit{.strips = 1, .nothing_shared = 1, .tiles = tiles}(facts),
                    drawback(pass, facts)};
    };
    return spec;
}

} // namespace gz
