// Correlations of images that have several of a kernel's tiles along each axis. They are few, and several
// images share a program: compiling takes most of the time.
#pragma once

#include <string>
#include <vector>

#include "support/correlate_case.hpp"
#include "support/tile_coverage.hpp"

namespace support {

// Cases of one kernel; correlate_plain has none, as its items have no tiles.
std::vector<CorrelateCase> cases_of_several_tiles(const std::string &kernel);

// Two of them for a simulator that sees what items share and what they access: images that end where tiles
// do, for kernels that have classes of groups.
std::vector<CorrelateCase> few_of_several_tiles(const std::string &kernel);

// Counts the groups of a case by class.
void count_groups(const CorrelateCase &test, TileCoverage &coverage);

// Returns what all these cases of a kernel together never ran; "" for nothing.
std::string missing(const std::string &kernel, const TileCoverage &coverage);

// An image of so many pixels, whole or, where it is the region, with pixels around it that the kernel
// reads; its rows start at multiples of 64 bytes, unless the layout is odd.
ImageCase image_of_tiles(gz::PixelType src, gz::PixelType dst, int channels, int width, int height,
                         RegionKind region, Layout layout = Layout::padded_aligned);

} // namespace support
