// Summed-area tables in one pass, of groups that march down strips and share words. See cl/lib/sat_strips.clh.
#pragma once

#include "families/sat/sat_tile.hpp"

namespace gz {

// A column of tiles is a strip; `team` of them side by side are a team.
struct SatStrips : SatTile {
    int team, tiles_ahead; // beyond the last one, of which rows are published too

    SatStrips(const SatPass &pass, const SatTileSettings &settings, int strips_of_team, int ahead)
        : SatTile(pass, settings), team(strips_of_team), tiles_ahead(ahead) {}

    std::int64_t pitch() const { return (bands + tiles_ahead) * height(); } // rows of a strip
    std::int64_t teams() const { return columns / team; }
    // Strips of all slices.
    std::int64_t count(const SatPass &pass) const { return pass.batch() * columns; }
    std::int64_t words(const SatPass &pass) const; // as the kernels lay them out
};

const std::vector<Setting<SatTileSettings>> &sat_strips_tunables();

// Returns why kernels of strips refuse a pass, "" where they do not.
std::string sat_strips_refusal(const SatPass &pass, const SatStrips &strips, int most_channels);

// Returns the work of a kernel: it is given the words that groups share, cleared, and after the geometry the number of
// strips, their pitch and local memory for so many floats each.
Work sat_strips_work(const SatPass &pass, const SatStrips &strips, const DeviceFacts &facts,
                     const std::string &kernel, Defines more_defines,
                     const std::vector<std::int64_t> &local_floats);

// A line for explain().
std::string sat_strips_details(const SatPass &pass, const SatTileSettings &settings);

} // namespace gz
