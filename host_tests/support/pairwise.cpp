#include "support/pairwise.hpp"

#include <random>
#include <set>
#include <tuple>

namespace support {

namespace {

using Pair =
    std::tuple<std::size_t, int, std::size_t, int>; // parameter, value, later parameter, value

template <class Visit> void for_each_pair(const std::vector<int> &row, Visit &&visit) {
    for (std::size_t a = 0; a < row.size(); ++a)
        for (std::size_t b = a + 1; b < row.size(); ++b)
            visit(Pair{a, row[a], b, row[b]});
}

} // namespace

std::vector<std::vector<int>> pairwise(const std::vector<int> &counts) {
    std::set<Pair> open;
    for (std::size_t a = 0; a < counts.size(); ++a)
        for (std::size_t b = a + 1; b < counts.size(); ++b)
            for (int i = 0; i < counts[a]; ++i)
                for (int j = 0; j < counts[b]; ++j)
                    open.insert({a, i, b, j});

    // Greedy: of a few random rows around a pair that is still open, the one that closes the most.
    constexpr int candidates = 40;
    std::minstd_rand random(1);
    std::vector<std::vector<int>> rows;
    while (!open.empty()) {
        std::vector<int> best;
        int best_gain = -1;
        for (int c = 0; c < candidates; ++c) {
            std::vector<int> row;
            for (const int count : counts)
                row.push_back(static_cast<int>(random() % static_cast<unsigned>(count)));
            const auto [a, i, b, j] = *open.begin();
            row[a] = i;
            row[b] = j;
            int gain = 0;
            for_each_pair(row,
                          [&](const Pair &pair) { gain += static_cast<int>(open.count(pair)); });
            if (gain > best_gain) {
                best_gain = gain;
                best = row;
            }
        }
        for_each_pair(best, [&](const Pair &pair) { open.erase(pair); });
        rows.push_back(best);
    }
    return rows;
}

} // namespace support
