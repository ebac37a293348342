// The part of RankPass that kernels with tables of extremes share.
#pragma once

#include <string>
#include <vector>

#include "families/rank/rank_pass.hpp"

namespace gz {

#include "lib/footprint.clh"
static_assert(sizeof(FootprintRead) == 8 && sizeof(FootprintPart) == 12,
              "OpenCL C lays the structs out without padding");

// A read of 2^level pixels of a window, the first of which is at a place from the window's first pixel on.
struct TableRead {
    int x, y, z, level;
};

// Returns reads that see all pixels of the window and no others, by slice, level and row.
std::vector<TableRead> table_reads(const WindowPass &pass);

// Whether a network is faster on CPUs where it takes the pass, and comes first: its work grows with the pixels of the
// window, that of tables with their reads. Measured on PoCL, with disks and crosses.
bool is_for_network(const RankPass &pass);

// Returns why kernels of extremes cannot take the pass; "" where they can.
std::string extreme_refusal(const RankPass &pass);

} // namespace gz
