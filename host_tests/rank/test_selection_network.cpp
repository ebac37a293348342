// Networks do what they say: their statements are read and run on the host.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "families/rank/rank.hpp"
#include "families/rank/selection_network.hpp"
#include "support/unit.hpp"

namespace {

using namespace gz;

// Runs a network's statements over an image of the pixels that its tile's windows cover, row after row.
std::vector<std::vector<int>> run(const std::string &statements, const std::vector<int> &image,
                                  int width) {
    std::map<std::string, int> values;
    std::map<int, std::vector<int>> rows;
    std::istringstream lines(statements);
    for (std::string line; std::getline(lines, line);) {
        for (char &c : line)
            if (std::string("(),;=").find(c) != std::string::npos)
                c = ' ';
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "RESULTS") {
            int y = -1;
            words >> y;
            REQUIRE(rows.count(y) == 0);
            for (std::string name; words >> name;)
                rows[y].push_back(values.at(name));
            continue;
        }
        REQUIRE(kind == "T");
        std::string name, made, a, b, less;
        words >> name >> made >> a >> b;
        REQUIRE(values.count(name) == 0);
        if (made == "AT") {
            values[name] = image.at(static_cast<std::size_t>(std::stoi(b) * width + std::stoi(a)));
        } else if (made == "REST") {
            words >> less;
            REQUIRE(values.at(less) == std::min(values.at(a), values.at(b)));
            values[name] = values.at(a) + values.at(b) - values.at(less);
        } else {
            REQUIRE((made == "LESS" || made == "MORE"));
            values[name] = made == "LESS" ? std::min(values.at(a), values.at(b))
                                          : std::max(values.at(a), values.at(b));
        }
    }
    std::vector<std::vector<int>> result;
    for (auto &[y, row] : rows) {
        REQUIRE(y == static_cast<int>(result.size()));
        result.push_back(std::move(row));
    }
    return result;
}

std::vector<std::vector<int>> expected(const NetworkShape &shape, const std::vector<int> &image,
                                       int width) {
    std::vector<std::vector<int>> rows;
    for (int y = 0; y < shape.tile_y; ++y)
        for (int x = 0; x < shape.tile_x; ++x) {
            if (x == 0)
                rows.emplace_back();
            std::vector<int> pixels;
            for (int j = 0; j < shape.window_y; ++j)
                for (int i = 0; i < shape.window_x; ++i)
                    if (shape.footprint.empty() ||
                        shape.footprint[static_cast<std::size_t>(j * shape.window_x + i)])
                        pixels.push_back(image[static_cast<std::size_t>((y + j) * width + x + i)]);
            std::sort(pixels.begin(), pixels.end());
            rows.back().push_back(pixels[static_cast<std::size_t>(shape.rank)]);
        }
    return rows;
}

void check(const NetworkShape &shape, int sums, std::minstd_rand &random) {
    CAPTURE(shape.window_x);
    CAPTURE(shape.window_y);
    CAPTURE(shape.rank);
    CAPTURE(shape.tile_x);
    CAPTURE(shape.tile_y);
    const NetworkText network = selection_network(shape, sums);
    const int width = shape.window_x + shape.tile_x - 1;
    const int height = shape.window_y + shape.tile_y - 1;
    for (const unsigned range : {2U, 2U, 5U, 1000U}) {
        std::vector<int> image;
        for (int i = 0; i < width * height; ++i)
            image.push_back(static_cast<int>(random() % range));
        CHECK(run(network.statements, image, width) == expected(shape, image, width));
    }
}

} // namespace

TEST_CASE("networks select the rank of every window of a tile") {
    std::minstd_rand random(3);
    int turn = 0;
    for (int x = 1; x <= 6; ++x)
        for (int y = 1; y <= 6; ++y)
            for (const auto &[tile_x, tile_y] :
                 {std::pair(1, 1), std::pair(4, 2), std::pair(3, 5)}) {
                const int count = x * y;
                if (count == 1)
                    continue;
                const int ranks[] = {0, count / 3, count / 2, count - 1};
                ++turn;
                check({x, y, {}, ranks[turn % 4], tile_x, tile_y}, turn % 17, random);
                NetworkShape shape{x, y, {}, 0, tile_x, tile_y};
                for (int i = 0; i < count; ++i)
                    shape.footprint.push_back(i < 2 || random() % 3 ? 1 : 0);
                const auto kept =
                    static_cast<int>(std::count(shape.footprint.begin(), shape.footprint.end(), 1));
                shape.rank = turn % kept;
                check(shape, turn % 17, random);
            }
    check({9, 9, {}, 40, 4, 2}, 11, random);
    check({15, 15, {}, 112, 4, 4}, 12, random);
}

TEST_CASE("networks share what windows have in common") {
    const auto per_result = [](int side, int tile_x, int tile_y) {
        return comparators_per_result({side, side, {}, side * side / 2, tile_x, tile_y});
    };
    CHECK(per_result(3, 1, 1) < 40.0);
    CHECK(per_result(3, 4, 4) < 20.0);
    CHECK(per_result(5, 8, 2) < 61.0);
    CHECK(per_result(7, 4, 4) < 128.0);
    CHECK(per_result(11, 4, 2) < 400.0);
}

TEST_CASE("windows are trimmed, and refused out of range") {
    const auto window = [](Axes size, Axes anchor, std::vector<std::uint8_t> footprint = {}) {
        Window result;
        result.size = size;
        result.anchor = anchor;
        result.footprint = std::move(footprint);
        return result;
    };
    const Window whole = checked(window({3, 2, 1, 1}, {1, 1, 0, 0}, {0, 1, 1, 0, 2, 1}));
    CHECK(whole.is_box());
    CHECK(whole.size == Axes{2, 2, 1, 1});
    CHECK(whole.anchor == Axes{0, 1, 0, 0});
    const Window cross = checked(window({3, 3, 1, 1}, {1, 1, 0, 0}, {0, 1, 0, 1, 1, 1, 0, 1, 0}));
    CHECK(cross.count() == 5);
    CHECK(mirrored(cross).footprint == cross.footprint);
    // The anchor may lie outside of the pixels that count.
    CHECK(checked(window({3, 1, 1, 1}, {2, 0, 0, 0}, {1, 0, 0})).anchor[0] == 2);
    CHECK(mirrored(checked(window({3, 1, 1, 1}, {2, 0, 0, 0}, {1, 0, 0}))).anchor[0] == -2);
    for (const Window &bad :
         {window({0, 1, 1, 1}, {0, 0, 0, 0}), window({3, 3, 1, 1}, {3, 0, 0, 0}),
          window({3, 3, 1, 1}, {0, -1, 0, 0}), window({1, 1, 1, 2}, {0, 0, 0, 0}),
          window({2, 1, 1, 1}, {0, 0, 0, 0}, {0, 0}), window({2, 1, 1, 1}, {0, 0, 0, 0}, {1}),
          window({64, 1, 1, 1}, {0, 0, 0, 0}, std::vector<std::uint8_t>(64, 1)),
          window({max_window_side + 1, 1, 1, 1}, {0, 0, 0, 0})})
        CHECK_THROWS_AS(checked(bad), Error);
    CHECK_THROWS_AS(gz::median(window({64, 63, 1, 1}, {0, 0, 0, 0})), Error);
    CHECK_THROWS_AS(gz::percentile(window({3, 3, 1, 1}, {1, 1, 0, 0}), 100.5), Error);
    CHECK_THROWS_AS(gz::ranked(window({3, 3, 1, 1}, {1, 1, 0, 0}), 9), Error);
    CHECK(gz::ranked(window({3, 3, 1, 1}, {1, 1, 0, 0}), -9).rank == 0);
    CHECK(gz::percentile(window({3, 3, 1, 1}, {1, 1, 0, 0}), 100.0).rank == 8);
    CHECK(gz::median(window({4, 1, 1, 1}, {2, 0, 0, 0})).rank == 2);
}
