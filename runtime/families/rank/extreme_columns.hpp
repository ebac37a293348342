// The columns that minima and maxima along y are wanted of, where those along x follow in another launch.
#pragma once

#include "families/rank/rank_pass.hpp"

namespace gz {

#include "lib/box_columns.clh"

// Returns the columns that the boxes reach, if all of them are in the image; otherwise all columns, as the border
// may fold to any of them.
inline BoxColumns extreme_columns(const ExtremePass &pass) {
    const Geometry &g = pass.geometry;
    int first = -g.anchor_x;
    int end = g.width / pass.channels + g.taps_x - 1 - g.anchor_x;
    if (first < g.valid_left || end > g.valid_right) {
        first = g.valid_left;
        end = g.valid_right;
    }
    const int count = (end - first) * pass.channels;
    return {count, first * pass.channels, count};
}

} // namespace gz
