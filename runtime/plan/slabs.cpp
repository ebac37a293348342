#include "plan/slabs.hpp"

#include <algorithm>

namespace gz {

namespace {

// Pixels from `first` up to `end` of a line that repeats, fewer than it has.
std::vector<Run> wrapped(std::int64_t first, std::int64_t end, std::int64_t length) {
    if (first < 0)
        return {{first + length, -first}, {0, end}};
    return {{first, length - first}, {0, end - length}};
}

} // namespace

std::int64_t Span::length() const {
    std::int64_t sum = 0;
    for (const Run &run : read)
        sum += run.count;
    return sum;
}

Span span_of(const Axis &axis, std::int64_t first, std::int64_t count, BorderMode mode) {
    const std::int64_t start = axis.origin + first;
    const Span whole{first, count, {{0, axis.length}}, start};
    if (axis.reach.is_whole)
        return whole;
    const std::int64_t begin = start - axis.reach.before;
    const std::int64_t end = start + count + axis.reach.after;
    const bool is_below = begin < 0;
    const bool is_above = end > axis.length;
    std::int64_t low = std::max<std::int64_t>(begin, 0);
    std::int64_t high = std::min(end, axis.length);
    if (mode == BorderMode::wrap && (is_below || is_above)) {
        if (end - begin >= axis.length)
            return whole;
        return {first, count, wrapped(begin, end, axis.length), axis.reach.before};
    }
    // Pixels that the border folds back must lie in the slab, and be folded twice only where they are in the
    // image.
    if (mode == BorderMode::reflect || mode == BorderMode::reflect101) {
        if (is_below)
            high = std::max(high, std::min(axis.reach.before + 1, axis.length));
        if (is_above)
            low = std::min(low, std::max<std::int64_t>(axis.length - axis.reach.after - 1, 0));
    }
    return {first, count, {{low, high - low}}, start - low};
}

std::vector<Span> spans_of(const Axis &axis, std::int64_t most, BorderMode mode) {
    std::vector<Span> result;
    for (std::int64_t first = 0; first < axis.extent; first += most)
        result.push_back(span_of(axis, first, std::min(most, axis.extent - first), mode));
    return result;
}

} // namespace gz
