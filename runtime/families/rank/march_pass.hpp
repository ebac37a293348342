// How groups that march down an image divide it: see cl/lib/extreme_rows.clh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

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

// Rows of words of a step's keys.
int rows_of_words(const MarchLayout &layout, int step);

// Bytes of local memory for the keys of a step's rows.
std::size_t bytes_of_rows(const MarchLayout &layout, int step);

// Whether the source begins or ends between the values of an item.
bool has_edges_between(const ImagePass &pass, const MarchLayout &layout);

struct MarchSettings {
    int group, step, resident, streams; // resident: groups that a compute unit runs at a time
};

// Returns the launch of such a kernel: strips of about one width, and bands of whole steps, as many as keep the
// device busy. What the kernel alone takes is added to its defines and to its arguments.
Launch launch_march(const ImagePass &pass, const MarchLayout &layout, const MarchSettings &settings,
                    const std::string &file, const std::string &entry, const DeviceFacts &facts);

} // namespace gz
