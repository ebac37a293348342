#include "families/rank/rank.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "core/error.hpp"

namespace gz {

namespace {

RankFilter made(Window window, const char *name) {
    RankFilter filter{checked(std::move(window)), 0, name};
    return filter;
}

// Sorting takes all of the window's pixels; extremes of boxes do not look at each of them.
void check_count(const RankFilter &filter) {
    const std::int64_t count = filter.window.count();
    const bool is_extreme = filter.is_minimum() || filter.is_maximum();
    require((is_extreme && filter.window.is_box()) || count <= max_rank_pixels, "the ",
            to_text(filter.window), " has ", count, " pixels; a ", filter.name, " of up to ",
            max_rank_pixels, " is supported");
}

// The axes' ranges of the pixels that count.
struct Extent {
    Axes first, last;
};

Extent extent_of(const Window &window) {
    Extent result{window.size, {-1, -1, -1, -1}};
    std::int64_t i = 0;
    for (std::int64_t t = 0; t < window.size[3]; ++t)
        for (std::int64_t z = 0; z < window.size[2]; ++z)
            for (std::int64_t y = 0; y < window.size[1]; ++y)
                for (std::int64_t x = 0; x < window.size[0]; ++x, ++i)
                    if (window.has(i)) {
                        const Axes at{x, y, z, t};
                        for (std::size_t axis = 0; axis < 4; ++axis) {
                            result.first[axis] = std::min(result.first[axis], at[axis]);
                            result.last[axis] = std::max(result.last[axis], at[axis]);
                        }
                    }
    return result;
}

// Returns the same pixels in the smallest box.
Window trimmed(const Window &window) {
    if (window.is_box())
        return window;
    const Extent extent = extent_of(window);
    Window result;
    for (std::size_t axis = 0; axis < 4; ++axis) {
        result.size[axis] = extent.last[axis] - extent.first[axis] + 1;
        result.anchor[axis] = window.anchor[axis] - extent.first[axis];
    }
    bool is_whole = true;
    for (std::int64_t t = extent.first[3]; t <= extent.last[3]; ++t)
        for (std::int64_t z = extent.first[2]; z <= extent.last[2]; ++z)
            for (std::int64_t y = extent.first[1]; y <= extent.last[1]; ++y)
                for (std::int64_t x = extent.first[0]; x <= extent.last[0]; ++x) {
                    const bool counts = window.has(
                        ((t * window.size[2] + z) * window.size[1] + y) * window.size[0] + x);
                    result.footprint.push_back(counts ? 1 : 0);
                    is_whole = is_whole && counts;
                }
    if (is_whole)
        result.footprint.clear();
    return result;
}

} // namespace

std::int64_t Window::count() const {
    return is_box() ? volume()
                    : std::ssize(footprint) - std::count(footprint.begin(), footprint.end(), 0);
}

AxesReach Window::reach() const {
    AxesReach result;
    for (std::size_t axis = 0; axis < 4; ++axis)
        result[axis] = {std::max<std::int64_t>(0, anchor[axis]),
                        std::max<std::int64_t>(0, size[axis] - 1 - anchor[axis])};
    return result;
}

Window checked(Window window) {
    const bool is_volume = window.size[2] > 1;
    for (std::size_t axis = 0; axis < 4; ++axis) {
        const std::int64_t size = window.size[axis];
        const std::int64_t most =
            axis == 3 ? 1
            : !window.footprint.empty()
                ? (is_volume ? max_footprint_side_in_volumes : max_footprint_side)
                : max_window_side;
        require(size >= 1 && size <= most, "the window's size is ", size, " along ",
                axis_name[axis], "; it must be from 1 to ", most);
        require(window.anchor[axis] >= 0 && window.anchor[axis] < size, "the window's anchor is ",
                window.anchor[axis], " along ", axis_name[axis], "; it must be from 0 to ",
                size - 1);
    }
    require(window.footprint.empty() ||
                static_cast<std::int64_t>(window.footprint.size()) == window.volume(),
            "the footprint has ", window.footprint.size(), " values; its size is ",
            to_text(window.size));
    require(window.count() > 0, "no pixel of the footprint counts");
    return trimmed(window);
}

Window mirrored(const Window &window) {
    Window result = window;
    for (std::size_t axis = 0; axis < 4; ++axis)
        result.anchor[axis] = window.size[axis] - 1 - window.anchor[axis];
    std::reverse(result.footprint.begin(), result.footprint.end());
    return result;
}

std::string to_text(const Window &window) {
    return window.is_box()
               ? text("box of ", to_text(window.size), " pixels")
               : text("footprint of ", window.count(), " pixels in ", to_text(window.size));
}

RankFilter minimum(Window window) {
    return made(std::move(window), "minimum");
}

RankFilter maximum(Window window) {
    RankFilter filter = made(std::move(window), "maximum");
    filter.rank = filter.window.count() - 1;
    return filter;
}

RankFilter median(Window window) {
    RankFilter filter = made(std::move(window), "median");
    filter.rank = filter.window.count() / 2;
    check_count(filter);
    return filter;
}

RankFilter percentile(Window window, double percent) {
    require(percent >= 0.0 && percent <= 100.0, "the percentile is ", percent,
            "; it must be from 0 to 100");
    RankFilter filter = made(std::move(window), "percentile");
    const std::int64_t count = filter.window.count();
    filter.rank = std::min(count - 1,
                           static_cast<std::int64_t>(static_cast<double>(count) * percent / 100.0));
    check_count(filter);
    return filter;
}

RankFilter ranked(Window window, std::int64_t rank) {
    RankFilter filter = made(std::move(window), "rank");
    const std::int64_t count = filter.window.count();
    require(rank >= -count && rank < count, "the rank is ", rank, "; it must be from ", -count,
            " to ", count - 1, " for a ", to_text(filter.window));
    filter.rank = rank < 0 ? rank + count : rank;
    check_count(filter);
    return filter;
}

std::string to_text(const RankFilter &filter) {
    const std::string which = filter.name == "percentile" || filter.name == "rank"
                                  ? text(filter.name, ", number ", filter.rank, " from the least,")
                                  : filter.name;
    return which + " of a " + to_text(filter.window);
}

void check_border(const RankFilter &filter, const Border &border) {
    refuse_border_zero(border, to_text(filter));
}

double error_bound(const RankFilter &, double) {
    return 0.0;
}

double rounding_bound(const RankFilter &, double) {
    return 0.0;
}

AxesReach reach_of(const RankFilter &filter) {
    return filter.window.reach();
}

bool rounds_once(const RankFilter &, const Rounded &images) {
    return facts_of(images.target).is_integer;
}

Results results_of(const RankFilter &) {
    return Results::pixels;
}

} // namespace gz
