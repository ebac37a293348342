// The classes of groups against the inequalities of tile_classes.hpp, tried on every group.
#include <doctest/doctest.h>

#include <array>
#include <cctype>

#include "plan/tile_classes.hpp"
#include "support/tile_coverage.hpp"
#include "support/unit.hpp"

using gz::Geometry;
using gz::TileClasses;
using gz::TileShape;
using support::draw;

namespace {

struct Groups {
    std::int64_t columns, rows;
};

Groups groups_of(const Geometry &g, const TileShape &shape) {
    return {(g.width + shape.width - 1) / shape.width,
            (g.height + shape.height - 1) / shape.height};
}

// Whether a tile of W values (or rows) from l on and its aprons lie in L to R, R included.
bool lies_inside(std::int64_t l, std::int64_t W, std::int64_t before, std::int64_t after,
                 std::int64_t L, std::int64_t R) {
    return l - before >= L && l + W - 1 + after <= R;
}

bool is_free_on_read(const Geometry &g, int channels, const TileShape &shape, std::int64_t column,
                     std::int64_t row) {
    const std::int64_t first = static_cast<std::int64_t>(g.valid_left) * channels;
    const std::int64_t last = static_cast<std::int64_t>(g.valid_right) * channels - 1;
    return lies_inside(column * shape.width, shape.width, shape.apron_left, shape.apron_right,
                       first, last) &&
           lies_inside(row * shape.height, shape.height, shape.apron_top, shape.apron_bottom,
                       g.valid_top, g.valid_bottom - 1);
}

bool is_free_on_write(const Geometry &g, const TileShape &shape, std::int64_t column,
                      std::int64_t row) {
    return lies_inside(column * shape.width, shape.width, 0, 0, 0, g.width - 1) &&
           lies_inside(row * shape.height, shape.height, 0, 0, 0, g.height - 1);
}

// Tells the classes apart as the kernel does.
bool says_free_on_read(const TileClasses &classes, std::int64_t column, std::int64_t row) {
    return column >= classes.free_left && column < classes.free_right && row >= classes.free_top &&
           row < classes.free_bottom;
}

bool says_free_on_write(const TileClasses &classes, std::int64_t column, std::int64_t row) {
    return column < classes.whole_columns && row < classes.whole_rows;
}

// The numbers in a text, in order.
std::vector<std::int64_t> numbers_in(const std::string &text) {
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < text.size();) {
        if (!std::isdigit(static_cast<unsigned char>(text[i]))) {
            ++i;
            continue;
        }
        std::size_t used = 0;
        numbers.push_back(std::stoll(text.substr(i), &used));
        i += used;
    }
    return numbers;
}

struct TileCase {
    Geometry geometry{};
    int channels = 1;
    TileShape shape;
};

TileCase random_case(std::minstd_rand &random) {
    const auto number = [&](int low, int high) {
        return static_cast<int>(draw(random, low, high));
    };
    TileCase test;
    test.channels = number(1, 4);
    const int width = number(1, 60);
    Geometry &g = test.geometry;
    g.width = width * test.channels;
    g.height = number(1, 60);
    if (random() % 2) { // the region is a part of a larger image
        g.valid_left = -number(0, 30);
        g.valid_right = width + number(0, 30);
        g.valid_top = -number(0, 30);
        g.valid_bottom = g.height + number(0, 30);
    } else {
        g.valid_right = width;
        g.valid_bottom = g.height;
    }
    test.shape.width = number(1, 40);
    test.shape.height = number(1, 40);
    // Aprons in values, also wider than the image.
    test.shape.apron_left = number(0, 20) * test.channels;
    test.shape.apron_right = number(0, 20) * test.channels;
    test.shape.apron_top = number(0, 20);
    test.shape.apron_bottom = number(0, 20);
    if (random() % 4 == 0)
        test.shape.width = test.shape.height = 100; // larger than any image
    return test;
}

} // namespace

TEST_SUITE("tile classes") {
    TEST_CASE("every group of random geometries is in the class that the inequalities say") {
        std::minstd_rand random(7);
        std::array<int, 4> met{}; // groups of each class
        for (int turn = 0; turn < 3000; ++turn) {
            const TileCase test = random_case(random);
            const Groups groups = groups_of(test.geometry, test.shape);
            const TileClasses classes = gz::classify(test.geometry, test.channels, test.shape);
            std::array<std::int64_t, 4> count{}; // both free, read only, write only, neither
            CAPTURE(turn);
            for (std::int64_t row = 0; row < groups.rows; ++row)
                for (std::int64_t column = 0; column < groups.columns; ++column) {
                    CAPTURE(column);
                    CAPTURE(row);
                    const bool read =
                        is_free_on_read(test.geometry, test.channels, test.shape, column, row);
                    const bool write = is_free_on_write(test.geometry, test.shape, column, row);
                    REQUIRE(says_free_on_read(classes, column, row) == read);
                    REQUIRE(says_free_on_write(classes, column, row) == write);
                    const std::size_t which = (read ? 0U : 2U) + (write ? 0U : 1U);
                    ++count[which];
                    ++met[which];
                }
            const std::string text = gz::describe(classes, groups.columns, groups.rows);
            CAPTURE(text);
            REQUIRE(numbers_in(text) == std::vector<std::int64_t>{groups.columns, groups.rows,
                                                                  count[0], count[1], count[2],
                                                                  count[3]});
        }
        for (const int groups : met)
            CHECK(groups > 100);
    }

    TEST_CASE("the bounds that the kernel compares with are ordered and within the grid") {
        std::minstd_rand random(8);
        for (int turn = 0; turn < 1000; ++turn) {
            const TileCase test = random_case(random);
            const Groups groups = groups_of(test.geometry, test.shape);
            const TileClasses classes = gz::classify(test.geometry, test.channels, test.shape);

            REQUIRE(classes.free_left >= 0);
            REQUIRE(classes.free_left <= classes.free_right);
            REQUIRE(classes.free_right <= groups.columns);
            REQUIRE(classes.free_top >= 0);
            REQUIRE(classes.free_top <= classes.free_bottom);
            REQUIRE(classes.free_bottom <= groups.rows);
            REQUIRE(classes.whole_columns <= groups.columns);
            REQUIRE(classes.whole_rows <= groups.rows);
        }
    }

    TEST_CASE(
        "512 pixels in tiles of 32: every group writes freely, those at the edges read checked") {
        Geometry g{};
        g.width = g.height = g.valid_right = g.valid_bottom = 512;
        const TileShape shape{32, 32, 1, 1, 1, 1};
        const TileClasses classes = gz::classify(g, 1, shape);
        CHECK(classes.whole_columns == 16);
        CHECK(classes.whole_rows == 16);
        CHECK(classes.free_left == 1);
        CHECK(classes.free_right == 15);
        CHECK(classes.free_top == 1);
        CHECK(classes.free_bottom == 15);
        CHECK(gz::describe(classes, 16, 16) ==
              "groups 16x16: free on read and write 196, free on read only 0, "
              "free on write only 60, checked on both 0");
        // One pixel less, and the last column and row are checked on write as well.
        g.width = g.height = g.valid_right = g.valid_bottom = 511;
        const TileClasses smaller = gz::classify(g, 1, shape);
        CHECK(smaller.whole_columns == 15);
        CHECK(smaller.whole_rows == 15);
        CHECK(smaller.free_right == 15);
    }

    TEST_CASE("taps of one pixel read every whole tile freely") {
        Geometry g{};
        g.width = g.valid_right = 64;
        g.height = g.valid_bottom = 64;
        const TileClasses classes = gz::classify(g, 1, {16, 8, 0, 0, 0, 0});
        CHECK(classes.free_left == 0);
        CHECK(classes.free_right == 4);
        CHECK(classes.free_bottom == 8);
    }

    TEST_CASE("a region inside a larger image reads freely all round") {
        Geometry g{};
        g.width = g.height = 64;
        g.valid_left = g.valid_top = -5;
        g.valid_right = g.valid_bottom = 69;
        const TileShape fits{16, 16, 5, 5, 5, 5};
        CHECK(gz::classify(g, 1, fits).free_left == 0);
        CHECK(gz::classify(g, 1, fits).free_right == 4);
        const TileShape too_wide{16, 16, 6, 6, 6, 6};
        CHECK(gz::classify(g, 1, too_wide).free_left == 1);
        CHECK(gz::classify(g, 1, too_wide).free_right == 3);
    }

    TEST_CASE("tests know which classes of groups they never ran") {
        Geometry g{};
        g.width = g.height = g.valid_right = g.valid_bottom = 511;
        support::TileCoverage coverage;
        coverage.count_classes(
            gz::describe(gz::classify(g, 1, TileShape{32, 32, 1, 1, 1, 1}), 16, 16),
            {"aligned", "few taps"});
        // At the image's last column and row all is checked.
        CHECK(coverage.missing_classes({"aligned"}) == "aligned, free on read only");
        CHECK(coverage.missing({"few taps, free on read and write"}) == "");
        CHECK(coverage.missing({"unaligned, checked on both"}) == "unaligned, checked on both");

        gz::Work work;
        work.launches.resize(1);
        work.launches[0].program.entry = "some_kernel";
        work.launches[0].range = {{64, 8, 1}, {16, 4, 1}};
        coverage.count_groups(work);
        CHECK(coverage.missing_groups("some_kernel") == "some_kernel had at most 4x2 groups");
        CHECK(coverage.missing_groups("another") == "another never ran");
        work.launches[0].range.global[1] = 12;
        coverage.count_groups(work);
        CHECK(coverage.missing_groups("some_kernel") == "");
    }
}
