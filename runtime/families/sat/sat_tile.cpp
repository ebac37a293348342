#include "families/sat/sat_tile.hpp"

namespace gz {

SatTile::SatTile(const SatPass &pass, const SatTileSettings &settings)
    : lanes(settings.lanes), stacked(settings.stacked), rows(settings.rows),
      chunk(pass.channels == 3 ? 3 : 4), columns(ceil_div(pass.summed_values(), width())),
      bands(ceil_div(pass.summed_rows(), height())) {}

LocalMemory SatMemory::local(std::int64_t sums) const {
    return {static_cast<std::size_t>(sums) * pass.sum_bytes()};
}

std::uint64_t SatMemory::bytes(std::int64_t sums) const {
    return static_cast<std::uint64_t>(pass.batch() * sums) * pass.sum_bytes();
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
    return pass.channels != 3 && pass.alignment >= 4 && pass.first_value() % 4 == 0;
}

std::string sat_tile_details(const SatPass &pass, const SatTileSettings &settings) {
    const SatTile tile(pass, settings);
    return text(tile.columns, "x", tile.bands, " tiles of ", tile.width(), "x", tile.height(),
                reads_vectors(pass) ? ", aligned vectors" : ", unaligned");
}

} // namespace gz
