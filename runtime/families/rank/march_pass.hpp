// How groups that march down an image divide it: see cl/lib/extreme_rows.clh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/facts.hpp"
#include "families/rank/rank_pass.hpp"
#include "plan/kernel.hpp"

namespace gz {

// A group's strip: an item reads `columns` values side by side, and has as many of one channel.
struct MarchLayout {
    int planes, columns, lanes; // lanes: items of a channel
    int left, right;            // of these, those without results

    std::int64_t pixels() const { return std::int64_t{columns} * (lanes - left - right); }
};

// before, after: pixels of a row that a result needs. planes: channels that lie apart.
MarchLayout march_layout(const ImagePass &pass, int planes, int group, int before, int after);

// Bytes of local memory for the places of an item's values, and for the keys of a step's rows.
std::size_t bytes_of_places(const MarchLayout &layout, int group);
std::size_t bytes_of_rows(const MarchLayout &layout, int step);

// Whether such vectors as an item reads and writes start where memory lets them.
bool has_march_vectors(const ImagePass &pass, const MarchLayout &layout);

// Strips of about one width, and bands of whole steps: as many as keep the device busy.
struct MarchRange {
    std::int32_t strip, band; // pixels, and rows
    NDRange range;
};
MarchRange march_range(const ImagePass &pass, const MarchLayout &layout, int group, int step,
                       int resident, const DeviceFacts &facts);

} // namespace gz
