#include "families/sat/sat_tile.hpp"

namespace gz {

SatTile::SatTile(const SatPass &pass, const SatTileSettings &settings)
    : lanes(settings.lanes), stacked(settings.stacked), rows(settings.rows),
      columns(ceil_div(pass.summed_values(), width())),
      bands(ceil_div(pass.summed_rows(), height())) {}

LocalMemory SatMemory::local(std::int64_t sums) const {
    return {static_cast<std::size_t>(sums) * pass.sum_bytes()};
}

std::uint64_t SatMemory::bytes(std::int64_t sums) const {
    return static_cast<std::uint64_t>(pass.batch() * sums) * pass.sum_bytes();
}

const std::vector<Setting<SatTileSettings>> &sat_tile_tunables() {
    static const std::vector<Setting<SatTileSettings>> tunables = {
        {"LANES", &SatTileSettings::lanes, {16, 32, 64}},
        {"STACKED", &SatTileSettings::stacked, {4, 8}},
        {"ROWS", &SatTileSettings::rows, {4, 8, 16}}};
    return tunables;
}

std::vector<std::uint64_t> sat_others_workspace(const SatPass &pass, const SatTile &tile) {
    const SatMemory memory{pass, tile};
    return {memory.bytes(tile.sums_of_columns()), memory.bytes(tile.sums_of_rows(pass)),
            memory.bytes(pass.channels * tile.bands * tile.columns)};
}

std::string sat_others_drawback(const SatPass &pass, const SatTile &tile, int most_percent) {
    // By a tile in the middle.
    const std::int64_t values =
        tile.bands / 2 * tile.width() +
        pass.channels * (tile.columns / 2 * tile.height() + tile.bands * tile.columns / 4);
    return 100 * values > most_percent * std::int64_t{tile.width()} * tile.height()
               ? text("each tile would add up ", values, " sums of others")
               : "";
}

Defines sat_tile_defines(const SatPass &pass, const SatTile &tile) {
    Defines defines = type_defines(pass);
    defines["LANES"] = tile.lanes;
    defines["STACKED"] = tile.stacked;
    defines["ROWS"] = tile.rows;
    defines["VECTORS"] = reads_vectors(pass) ? 1 : 0;
    return defines;
}

bool reads_vectors(const SatPass &pass) {
    return pass.alignment >= 4 && pass.first_value() % 4 == 0;
}

std::string sat_tile_details(const SatPass &pass, const SatTileSettings &settings) {
    const SatTile tile(pass, settings);
    return text(tile.columns, "x", tile.bands, " tiles of ", tile.width(), "x", tile.height(),
                reads_vectors(pass) ? ", aligned vectors" : ", unaligned");
}

} // namespace gz
