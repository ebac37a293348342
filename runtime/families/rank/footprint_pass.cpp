#include "families/rank/footprint_pass.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace gz {

std::vector<TableRead> table_reads(const WindowPass &pass) {
    const Geometry &g = pass.geometry;
    std::vector<TableRead> reads;
    for (const WindowRun &run : pass.window) {
        const int level = static_cast<int>(std::bit_width(static_cast<unsigned>(run.count))) - 1;
        const int rest = run.count - (1 << level);
        const TableRead first{run.x / pass.channels + g.anchor_x, run.y + g.anchor_y,
                              run.z + pass.volume.anchor_z, level};
        reads.push_back(first);
        if (rest > 0)
            reads.push_back({first.x + rest, first.y, first.z, level});
    }
    const auto order_of = [](const TableRead &read) {
        return std::tuple(read.z, read.level, read.y, read.x);
    };
    std::sort(reads.begin(), reads.end(),
              [&](const TableRead &a, const TableRead &b) { return order_of(a) < order_of(b); });
    return reads;
}

bool is_for_network(const RankPass &pass) {
    return static_cast<std::size_t>(pass.count) < 2 * table_reads(pass).size();
}

std::string extreme_refusal(const RankPass &pass) {
    return pass.rank == 0 || pass.rank == pass.count - 1
               ? ""
               : "the rank is neither the least nor the largest";
}

} // namespace gz
