// Second-order sections as scans.
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "families/recursive/recursion.hpp"

namespace gz {

namespace {

constexpr const char *coefficient_name[] = {"b0", "b1", "b2", "a0", "a1", "a2"};
constexpr std::size_t a0 = 3;

void check(const std::array<double, 6> &row, std::size_t number) {
    for (std::size_t i = 0; i < row.size(); ++i)
        require(std::abs(row[i]) <= std::numeric_limits<float>::max(), "section ", number, " has ",
                coefficient_name[i], " = ", row[i], "; it must be finite in f32");
    require(row[a0] == 1.0, "section ", number, " has a0 = ", row[a0],
            "; it must be 1: divide the section by it");
}

// Subtracted from 0, so that a term of 0 is not -0.
Scan scan_of(const std::array<double, 6> &row, int axis, bool forward) {
    return {axis, forward, {row[0], row[1], row[2]}, {0.0 - row[4], 0.0 - row[5]}};
}

} // namespace

Recursion sections(const Sections &sections, const RecursiveOptions &options) {
    for (std::size_t i = 0; i < sections.rows.size(); ++i)
        check(sections.rows[i], i);
    std::vector<Scan> scans;
    bool any = false;
    for (std::size_t axis = 0; axis < 4; ++axis) {
        const int direction = sections.direction[axis];
        require(direction >= -1 && direction <= 1, "direction[", axis, "] is ", direction,
                "; it must be 1, -1, or 0 where the axis is not filtered");
        if (direction == 0)
            continue;
        if (axis == 3)
            fail(Status::unsupported, "direction[3] is ", direction,
                 "; only sections along x, y and z are supported so far");
        any = true;
        for (const std::array<double, 6> &row : sections.rows)
            scans.push_back(scan_of(row, static_cast<int>(axis), direction == 1));
    }
    require(any, "direction is 0 along every axis: none is filtered");
    require(!scans.empty() && scans.size() <= max_scans, "there are ", sections.rows.size(),
            " sections, ", scans.size(), " along all axes; 1 to ", max_scans, " are possible");
    return recursive(std::move(scans), options);
}

} // namespace gz
