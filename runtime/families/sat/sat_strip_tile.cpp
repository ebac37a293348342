#include "families/sat/sat_strip_tile.hpp"

namespace gz {

std::int64_t SatStrips::words(const SatPass &pass) const {
    return 1 + pass.batch() * pass.channels * (columns + teams()) * pitch();
}

const std::vector<Setting<SatTileSettings>> &sat_strips_tunables() {
    static const std::vector<Setting<SatTileSettings>> tunables = {
        {"LANES", &SatTileSettings::lanes, {16, 32}},
        {"STACKED", &SatTileSettings::stacked, {4, 8, 16}},
        {"ROWS", &SatTileSettings::rows, {4, 8}}};
    return tunables;
}

std::string sat_strips_refusal(const SatPass &pass, const SatStrips &strips, int most_channels) {
    if (pass.dst_type != PixelType::f32)
        return "only sums of f32 have a value to spare, for those that are not known yet";
    if (pass.channels > most_channels)
        return text(pass.channels, " channels");
    return strips.words(pass) >= std::int64_t{1} << 31 ? "there are too many rows" : "";
}

Work sat_strips_work(const SatPass &pass, const SatStrips &strips, const DeviceFacts &facts,
                     const std::string &kernel, Defines more_defines,
                     const std::vector<std::int64_t> &local_floats) {
    Defines defines = sat_tile_defines(pass, strips);
    defines["TEAM"] = strips.team;
    defines["POLLS_ATOMICALLY"] = polls_atomically(facts) ? 1 : 0;

    Work result;
    const SharedWords shared = words_cleared_before(WorkspaceBuffer{0}, strips.words(pass), result);
    result.workspace = {shared.workspace_bytes};

    const auto group = static_cast<std::size_t>(strips.group());
    Launch march;
    defines["SELF_CLEARS"] = shared.self_clears;
    defines.merge(more_defines);
    march.program = {"sat/" + kernel + ".cl", kernel, std::move(defines)};
    march.local_bytes = sizeof(std::int32_t);
    march.range.local = {group, 1, 1};
    march.range.global = {static_cast<std::size_t>(strips.count(pass)) * group, 1, 1};
    march.arguments = {SourceBuffer(),
                       TargetBuffer(),
                       shared.words,
                       by_value(pass.geometry),
                       by_value(static_cast<std::int32_t>(strips.columns)),
                       by_value(static_cast<std::int32_t>(strips.pitch()))};
    for (const std::int64_t floats : local_floats)
        march.arguments.emplace_back(LocalMemory{static_cast<std::size_t>(floats) * sizeof(float)});
    result.launches.push_back(std::move(march));
    return result;
}

std::string sat_strips_details(const SatPass &pass, const SatTileSettings &settings) {
    const SatTile tile(pass, settings);
    return text(tile.columns, " strips of ", tile.width(), ", tiles of ", tile.height(), " rows",
                reads_vectors(pass) ? ", aligned vectors" : ", unaligned");
}

} // namespace gz
