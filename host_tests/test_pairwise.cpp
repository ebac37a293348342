// The selections of combinations that the kernels' tests are made of.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "support/pairwise.hpp"

namespace {

void check_covers_all_pairs(const std::vector<int> &counts) {
    const std::vector<std::vector<int>> rows = support::pairwise(counts);
    std::set<std::tuple<std::size_t, int, std::size_t, int>> seen;
    for (const std::vector<int> &row : rows) {
        REQUIRE(row.size() == counts.size());
        for (std::size_t a = 0; a < row.size(); ++a) {
            REQUIRE(row[a] >= 0);
            REQUIRE(row[a] < counts[a]);
            for (std::size_t b = a + 1; b < row.size(); ++b)
                seen.insert({a, row[a], b, row[b]});
        }
    }
    std::size_t pairs = 0;
    std::size_t largest = 0;
    for (std::size_t a = 0; a < counts.size(); ++a)
        for (std::size_t b = a + 1; b < counts.size(); ++b) {
            const auto here =
                static_cast<std::size_t>(counts[a]) * static_cast<std::size_t>(counts[b]);
            pairs += here;
            largest = std::max(largest, here);
        }
    CHECK(seen.size() == pairs);
    // No fewer rows than the two longest parameters need; no row that adds nothing.
    CHECK(rows.size() >= largest);
    CHECK(rows.size() <= pairs);
}

} // namespace

TEST_SUITE("pairwise") {
    TEST_CASE("every pair of values of every two parameters occurs") {
        check_covers_all_pairs({2, 2});
        check_covers_all_pairs({3, 4, 5});
        check_covers_all_pairs({1, 1, 1});
        check_covers_all_pairs({1, 7});
        check_covers_all_pairs({2, 2, 2, 2, 2, 2, 2, 2});
        check_covers_all_pairs({5, 2, 4, 2, 2, 12, 19, 5, 3, 3, 3, 3, 3, 2});
    }

    TEST_CASE("far fewer rows than the product of all") {
        CHECK(support::pairwise({4, 4, 4, 4, 4, 4}).size() <= 40);             // of 4096
        CHECK(support::pairwise({2, 2, 2, 2, 2, 2, 2, 2, 2, 2}).size() <= 16); // of 1024
    }

    TEST_CASE("the same rows every time") {
        CHECK(support::pairwise({3, 4, 5, 2}) == support::pairwise({3, 4, 5, 2}));
    }

    TEST_CASE("one parameter has no pairs") {
        CHECK(support::pairwise({}).empty());
        CHECK(support::pairwise({4}).empty());
    }
}
