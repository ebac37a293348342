// Summed-area tables of large images in one pass whose strips publish far ahead. See cl/sat/sat_ahead.cl.
#include "families/sat/kernels.hpp"
#include "families/sat/sat_strip_tile.hpp"

namespace gz {

namespace {

constexpr int team = 16; // strips
constexpr int most_words_of_item = 8;

SatStrips strips_of(const SatPass &pass, const SatTileSettings &settings) {
    return {pass, settings, team, 0};
}

// Returns how many words an item waits for at a time, at most: those of a row are shared by several items.
int words_of_item(const SatStrips &strips) {
    const std::int64_t items_of_row = strips.group() / strips.height();
    return static_cast<int>(ceil_div(strips.team - 1 + strips.teams(), items_of_row));
}

std::string refusal(const SatPass &pass, const SatTileSettings &settings) {
    const SatStrips strips = strips_of(pass, settings);
    if (std::string reason = sat_strips_refusal(pass, strips, 2); !reason.empty())
        return reason;
    return words_of_item(strips) > most_words_of_item
               ? text(strips.columns, " strips side by side are too many")
               : "";
}

Work work(const SatPass &pass, const SatTileSettings &settings, const DeviceFacts &facts) {
    const SatStrips strips = strips_of(pass, settings);
    return sat_strips_work(pass, strips, facts, "sat_ahead", {{"WORDS", words_of_item(strips)}},
                           {std::int64_t{strips.stacked} * strips.width(),
                            pass.channels * strips.height() * (strips.lanes + 1),
                            pass.channels * strips.group(), pass.channels * strips.group()});
}

// Measured on NVIDIA (H200): 16384x16384 f32, of which nearly every unit has a strip, takes 0.621 ms where sat_march takes
// 0.677, 14336x4096 0.164 for 0.187; but 8192x8192 0.218 for 0.206, rows that start at odd addresses (13000x5000) 0.248 for 0.229,
// and u8, of which sat_march has fewer bytes to read, 0.93 for 0.81. Two channels of 8192x8192 take 0.387 where sat_tiled takes 0.427;
// three took 1.45, for 0.64, and four 1.06, for 0.86: an item makes sums along rows for each channel.
std::string drawback(const SatPass &pass, const SatTileSettings &settings,
                     const DeviceFacts &facts) {
    constexpr int aligned = 16; // values
    constexpr std::int64_t few_rows = 4096;
    if (pass.src_type != PixelType::f32)
        return text("pixels of ", name_of(pass.src_type), " are read once in less time");
    if (pass.alignment < aligned)
        return "rows start at odd addresses";
    const std::int64_t strips = strips_of(pass, settings).count(pass);
    const std::int64_t units = facts.cores();
    if (4 * strips < 3 * units || strips > units)
        return text(strips, " strips are not one for each of ", units, " units");
    return pass.geometry.height < few_rows ? text(pass.geometry.height, " rows are few") : "";
}

} // namespace

Kernel sat_ahead() {
    KernelSpec<SatPass, SatTileSettings> spec;
    spec.name = "sat_ahead";
    spec.folder = "sat";
    spec.tunables = sat_strips_tunables();
    spec.refusal = refusal;
    spec.preferred = [](const SatPass &, const DeviceFacts &) {
        return std::vector<SatTileSettings>{{32, 8, 8}, {16, 8, 4}, {16, 4, 4}};
    };
    spec.work = work;
    spec.details = sat_strips_details;
    spec.rank = [](const SatPass &pass, const SatTileSettings &settings, const DeviceFacts &facts) {
        // Measured on NVIDIA alone.
        const int tiles = facts.device_class == DeviceClass::nvidia_gpu ? 5 : 1;
        return Rank{RankByHabit{.strips = 1, .nothing_shared = 1, .tiles = tiles}(facts),
                    drawback(pass, settings, facts)};
    };
    return spec;
}

} // namespace gz
