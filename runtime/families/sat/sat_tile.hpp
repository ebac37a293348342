// Kernels of summed-area tables that take tiles. See cl/lib/sat_tile.clh.
#pragma once

#include "families/sat/sat_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

struct SatTileSettings {
    int lanes, stacked, rows;
};

// Tiles of LANES x STACKED items, each with a chunk of values of each of ROWS rows.
struct SatTile {
    static constexpr int chunk = 4; // values
    int lanes, stacked, rows;
    std::int64_t columns, bands; // of tiles

    SatTile(const SatPass &pass, const SatTileSettings &settings);

    int group() const { return lanes * stacked; }
    int width() const { return lanes * chunk; } // values
    int height() const { return stacked * rows; }
    // Values that tiles hand on: sums of columns, a line for each band; sums of rows, a line for each column of tiles and
    // channel.
    std::int64_t sums_of_columns() const { return bands * columns * width(); }
    std::int64_t sums_of_rows(const SatPass &pass) const {
        return columns * pass.channels * bands * height();
    }
};

// Memory for sums, and the local memory that kernels of cl/lib/sat_tiles.clh want.
struct SatMemory {
    const SatPass &pass;
    const SatTile &tile;

    LocalMemory local(std::int64_t sums) const;
    std::uint64_t bytes(std::int64_t sums) const; // of as many for each slice
    LocalMemory chunks() const { return local(std::int64_t{tile.height()} * (tile.lanes + 1)); }
    LocalMemory items() const { return local(tile.group()); }
    LocalMemory stacks() const { return local(std::int64_t{tile.stacked} * tile.width()); }
};

const std::vector<Setting<SatTileSettings>> &sat_tile_tunables();

// The memory of kernels of cl/lib/sat_others.clh, whose tiles add up what they need of all others: bytes of the sums of columns and
// of rows, and of the totals.
std::vector<std::uint64_t> sat_others_workspace(const SatPass &pass, const SatTile &tile);
// Returns why they are not taken where a tile adds up more sums than so many percent of its own values; "" where they may be.
std::string sat_others_drawback(const SatPass &pass, const SatTile &tile, int most_percent);

// The macros of cl/lib/sat_tile.clh, and those of the pixels' types.
Defines sat_tile_defines(const SatPass &pass, const SatTile &tile);
bool reads_vectors(const SatPass &pass);

// A line for explain(), of kernels whose groups have a tile each.
std::string sat_tile_details(const SatPass &pass, const SatTileSettings &settings);

} // namespace gz
