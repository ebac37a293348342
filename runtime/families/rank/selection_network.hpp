// Networks of minima and maxima that select a rank, written as OpenCL statements: a tile of results at once, as
// windows that overlap share their sorting.
//
// All windows of a tile share a core of pixels, which is sorted first. The tile is then split in halves: each
// merges the sorted columns or rows that its own windows add to the core, until a half is one result. Values
// that can no longer be the wanted rank are dropped on the way, and the last merge is the formula of one rank.
// The idea of halving tiles is from A. Adams, "Fast Median Filters using Separable Sorting Networks", 2021;
// merges are K. Batcher's odd-even merges, 1968.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gz {

// The window of a network, and the results that it makes.
struct NetworkShape {
    int window_x = 3, window_y = 3;
    std::vector<std::uint8_t> footprint{}; // x fastest; empty: the whole box
    int rank = 4;                          // among the window's pixels that count, from 0
    int tile_x = 1, tile_y = 1;            // results
    // Quarters of the tile, which has even sides, are one text that runs four times, mirrored: longer to run
    // and shorter to compile. For boxes that are at least as long as the tile along each axis.
    bool mirrors = false;

    bool operator<(const NetworkShape &other) const;
};

struct NetworkText {
    // Statements over the type T, in an order that keeps few values alive:
    //   T v1 = AT(x, y);       pixel (x, y) of those that the tile's windows cover, from (0, 0) on
    //   T v3 = LESS(v1, v2);   the smaller one
    //   T v4 = MORE(v1, v2);   the larger one
    //   T v4 = REST(v1, v2, v3);  the same from their smaller one v3, for `sums` of 16 pairs
    //   RESULTS(y, v3, v4, ...)   row y of the results
    // Where quarters are mirrored, the text of what they share is followed by
    //   EACH_HALF { statements, with AT_OF_HALF(x, y)
    //   EACH_QUARTER { statements, with AT_OF_QUARTER(x, y), and the upper left quarter's results
    //   } }
    // where pixels and results are those of the mirrored place: along x in the right half, and along y in
    // lower quarters.
    std::string statements;
    int comparators = 0; // minima and maxima
};

// Safe to call from many threads; the texts of recent calls are kept.
NetworkText selection_network(const NetworkShape &shape, int sums = 0);

// Returns the number of minima and maxima for each result: what the network costs.
double comparators_per_result(const NetworkShape &shape);

} // namespace gz
