// Networks do what they say: their statements are read and run on the host.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "families/rank/rank.hpp"
#include "families/rank/selection_network.hpp"
#include "support/unit.hpp"

namespace {

using namespace gz;

using Rows = std::vector<std::vector<int>>;

// Networks have thousands of values: only what fails is told to the test.
void expect(bool holds, const std::string &line) {
    if (!holds)
        FAIL("not as a network is written: ", line);
}

// Runs a network's statements over an image of the pixels that its tile's windows cover, row after row.
class Run {
public:
    Run(const NetworkShape &shape, const std::string &statements, const std::vector<int> &image)
        : shape_(shape), image_(image),
          results_(static_cast<std::size_t>(shape.tile_y),
                   std::vector<int>(static_cast<std::size_t>(shape.tile_x), -1)) {
        std::istringstream text(statements);
        for (std::string line; std::getline(text, line);)
            lines_.push_back(line);
        Values values;
        CHECK(run_from(0, values) == lines_.size());
    }
    const Rows &results() const { return results_; }

private:
    using Values = std::unordered_map<std::string, int>;

    // Returns the line after the last. What halves and quarters add to the values is theirs alone.
    std::size_t run_from(std::size_t i, Values &values) {
        while (i < lines_.size()) {
            std::string line = lines_[i++];
            for (char &c : line)
                if (std::string("(),;=").find(c) != std::string::npos)
                    c = ' ';
            std::istringstream words(line);
            std::string kind;
            words >> kind;
            if (kind == "}")
                return i;
            if (kind == "EACH_HALF" || kind == "EACH_QUARTER") {
                bool &mirrors = kind == "EACH_HALF" ? is_right_ : is_lower_;
                expect(!mirrors, line);
                Values first = values, second = values;
                const std::size_t after = run_from(i, first);
                mirrors = true;
                expect(run_from(i, second) == after, line);
                mirrors = false;
                i = after;
            } else if (kind == "RESULTS") {
                store(words, values, line);
            } else {
                std::string name;
                words >> name;
                expect(kind == "T" && values.emplace(name, made(words, values, line)).second, line);
            }
        }
        return i;
    }

    int made(std::istream &words, const Values &values, const std::string &line) const {
        std::string made, a, b, less;
        words >> made >> a >> b;
        if (made.rfind("AT", 0) == 0) {
            expect(made == "AT" || made == "AT_OF_HALF" || made == "AT_OF_QUARTER", line);
            const int width = shape_.window_x + shape_.tile_x - 1;
            const int height = shape_.window_y + shape_.tile_y - 1;
            int x = std::stoi(a), y = std::stoi(b);
            if (is_right_ && made != "AT")
                x = width - 1 - x;
            if (is_lower_ && made == "AT_OF_QUARTER")
                y = height - 1 - y;
            return image_.at(static_cast<std::size_t>(y * width + x));
        }
        if (made == "REST") {
            words >> less;
            expect(values.at(less) == std::min(values.at(a), values.at(b)), line);
            return values.at(a) + values.at(b) - values.at(less);
        }
        expect(made == "LESS" || made == "MORE", line);
        return made == "LESS" ? std::min(values.at(a), values.at(b))
                              : std::max(values.at(a), values.at(b));
    }

    void store(std::istream &words, const Values &values, const std::string &line) {
        int x = 0, y = -1;
        words >> y;
        for (std::string name; words >> name; ++x) {
            int &result =
                results_.at(static_cast<std::size_t>(is_lower_ ? shape_.tile_y - 1 - y : y))
                    .at(static_cast<std::size_t>(is_right_ ? shape_.tile_x - 1 - x : x));
            expect(result == -1, line);
            result = values.at(name);
        }
        expect(x == (shape_.mirrors ? shape_.tile_x / 2 : shape_.tile_x), line);
    }

    const NetworkShape &shape_;
    const std::vector<int> &image_;
    Rows results_;
    std::vector<std::string> lines_;
    bool is_right_ = false, is_lower_ = false;
};

Rows expected(const NetworkShape &shape, const std::vector<int> &image, int width) {
    Rows rows;
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
    CAPTURE(shape.mirrors);
    const NetworkText network = selection_network(shape, sums);
    const int width = shape.window_x + shape.tile_x - 1;
    const int height = shape.window_y + shape.tile_y - 1;
    for (const unsigned range : {2U, 2U, 1000U}) {
        std::vector<int> image;
        for (int i = 0; i < width * height; ++i)
            image.push_back(static_cast<int>(random() % range));
        CHECK(Run(shape, network.statements, image).results() == expected(shape, image, width));
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
    check({12, 13, {}, 78, 4, 4}, 12, random);
}

TEST_CASE("networks of mirrored quarters select the same") {
    std::minstd_rand random(4);
    int turn = 0;
    for (const int x : {2, 3, 4, 5, 8})
        for (const int y : {2, 4, 5, 6, 7})
            for (const auto &[tile_x, tile_y] :
                 {std::pair(2, 2), std::pair(4, 2), std::pair(2, 4), std::pair(4, 4)})
                if (tile_x <= x && tile_y <= y) {
                    const int ranks[] = {0, x * y / 3, x * y / 2, x * y - 1};
                    ++turn;
                    check({x, y, {}, ranks[turn % 4], tile_x, tile_y, true}, turn % 17, random);
                }
    check({13, 12, {}, 78, 4, 4, true}, 12, random);
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
    const NetworkText mirrored = selection_network({15, 15, {}, 112, 4, 4, true});
    const NetworkText whole = selection_network({15, 15, {}, 112, 4, 4});
    CHECK(mirrored.comparators < 1.25 * whole.comparators);
    CHECK(mirrored.statements.size() < .7 * static_cast<double>(whole.statements.size()));
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
