// The kernel of cl/lib/separable_tile.clh, around which separable_fused and others are made.
#pragma once

#include <string>
#include <vector>

#include "families/correlate/correlate_pass.hpp"
#include "plan/tile_classes.hpp"

namespace gz {

struct SeparableTile {
    int tile_x, tile_y, row_item, column_x, column_y;
};

const std::vector<Setting<SeparableTile>> &separable_tile_tunables();

// Why the kernel cannot take the pass with these settings; "" where it can.
std::string separable_tile_refusal(const CorrelatePass &pass, const SeparableTile &settings);

// Why tiles are too large for the image and the device; "" where they are not.
std::string separable_tile_drawback(const CorrelatePass &pass, const SeparableTile &settings,
                                    const DeviceFacts &facts);

// The settings to try first where each reading is correlated `fields` times.
std::vector<SeparableTile> separable_tile_preferred(const CorrelatePass &pass, int fields,
                                                    const DeviceFacts &facts);

// A launch with all macros and arguments that the kernel has for the pass, whose taps all fields have.
Launch separable_tile_launch(const std::string &file, const std::string &kernel,
                             const CorrelatePass &pass, const SeparableTile &settings,
                             const DeviceFacts &facts, int fields);

// A line for explain().
std::string separable_tile_details(const CorrelatePass &pass, const SeparableTile &settings);

} // namespace gz
