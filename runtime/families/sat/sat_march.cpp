// Summed-area tables of large images in one pass. See cl/sat/sat_march.cl.
#include "families/sat/kernels.hpp"
#include "families/sat/sat_strip_tile.hpp"

namespace gz {

namespace {

constexpr int team = 8; // strips
constexpr int tiles_ahead = 1;

SatStrips strips_of(const SatPass &pass, const SatTileSettings &settings) {
    return {pass, settings, team, tiles_ahead};
}

std::string refusal(const SatPass &pass, const SatTileSettings &settings) {
    return sat_strips_refusal(pass, strips_of(pass, settings), 1);
}

Work work(const SatPass &pass, const SatTileSettings &settings, const DeviceFacts &facts) {
    const SatStrips strips = strips_of(pass, settings);
    return sat_strips_work(pass, strips, facts, "sat_march", {},
                           {std::int64_t{strips.height()} * (strips.lanes + 1), strips.height(),
                            std::int64_t{strips.stacked} * strips.width()});
}

constexpr SatTileSettings wide{32, 16, 4}, narrow{16, 16, 8};

// Wide strips where they are enough for most of the device's units. Measured on NVIDIA (H100), 256x256 to 16384x16384.
SatTileSettings usual(const SatPass &pass, const DeviceFacts &facts) {
    return 3 * strips_of(pass, wide).count(pass) >= 2 * facts.cores() ? wide : narrow;
}

// Groups march from one end to the other: where most of the units have a group, all have one. The teams begin, and end,
// one after the other. Measured as above: what takes four launches is as fast from about so many rows on, where few units
// have a strip.
std::string drawback(const SatPass &pass, const DeviceFacts &facts) {
    constexpr std::int64_t few_rows = 512, many_rows = 1536;
    const std::int64_t rows = pass.geometry.height;
    const std::int64_t units = facts.cores();
    const std::int64_t strips = strips_of(pass, usual(pass, facts)).count(pass);
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
    spec.tunables = sat_strips_tunables();
    spec.refusal = refusal;
    spec.preferred = [](const SatPass &pass, const DeviceFacts &facts) {
        return std::vector<SatTileSettings>{usual(pass, facts), {16, 8, 4}, {16, 4, 4}};
    };
    spec.work = work;
    spec.details = sat_strips_details;
    spec.rank = [](const SatPass &pass, const SatTileSettings &, const DeviceFacts &facts) {
        // Measured on NVIDIA alone.
        const int tiles = facts.device_class == DeviceClass::nvidia_gpu ? 5 : 1;
        return Rank{RankByHabit{.strips = 1, .nothing_shared = 1, .tiles = tiles}(facts),
                    drawback(pass, facts)};
    };
    return spec;
}

} // namespace gz
