#include "plan/tile_classes.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace gz {

namespace {

struct Span {
    std::int64_t begin = 0, end = 0;
};

// Tiles k in [0, count) of the given size with k size - before >= first and k size + size - 1 +
// after <= last.
Span free_tiles(std::int64_t count, std::int64_t size, std::int64_t before, std::int64_t after,
                std::int64_t first, std::int64_t last) {
    const std::int64_t begin = ceil_div(std::max<std::int64_t>(first + before, 0), size);
    const std::int64_t room = last + 1 - after; // tiles must end at or before this
    const std::int64_t end = room < 0 ? 0 : room / size;
    return {std::min(begin, count), std::clamp(end, std::min(begin, count), count)};
}

} // namespace

TileClasses classify(const Geometry &geometry, int channels, const TileShape &shape) {
    const std::int64_t columns = ceil_div(geometry.width, shape.width);
    const std::int64_t rows = ceil_div(geometry.height, shape.height);
    const Span x = free_tiles(columns, shape.width, shape.apron_left, shape.apron_right,
                              static_cast<std::int64_t>(geometry.valid_left) * channels,
                              static_cast<std::int64_t>(geometry.valid_right) * channels - 1);
    const Span y = free_tiles(rows, shape.height, shape.apron_top, shape.apron_bottom,
                              geometry.valid_top, geometry.valid_bottom - 1);
    TileClasses classes;
    classes.free_left = static_cast<gz_int>(x.begin);
    classes.free_right = static_cast<gz_int>(x.end);
    classes.free_top = static_cast<gz_int>(y.begin);
    classes.free_bottom = static_cast<gz_int>(y.end);
    classes.whole_columns = geometry.width / shape.width;
    classes.whole_rows = geometry.height / shape.height;
    return classes;
}

std::string describe(const TileClasses &classes, std::int64_t columns, std::int64_t rows) {
    const std::int64_t all = columns * rows;
    const std::int64_t read = static_cast<std::int64_t>(classes.free_right - classes.free_left) *
                              (classes.free_bottom - classes.free_top);
    const std::int64_t write =
        static_cast<std::int64_t>(classes.whole_columns) * classes.whole_rows;
    const std::int64_t both =
        static_cast<std::int64_t>(
            std::max(0, std::min(classes.free_right, classes.whole_columns) - classes.free_left)) *
        std::max(0, std::min(classes.free_bottom, classes.whole_rows) - classes.free_top);
    return text("groups ", columns, "x", rows, ": free on read and write ", both,
                ", free on read only ", read - both, ", free on write only ", write - both,
                ", checked on both ", all - read - write + both);
}

std::string describe(const ImagePass &pass, const TileShape &shape, bool aligned) {
    const Geometry &g = pass.geometry;
    return text(shape.width, "x", shape.height, ", ", aligned ? "aligned vectors" : "unaligned",
                "; ",
                describe(classify(g, pass.channels, shape), ceil_div(g.width, shape.width),
                         ceil_div(g.height, shape.height)));
}

} // namespace gz
