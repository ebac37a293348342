// How far along an axis a result reads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace gz {

struct Reach {
    std::int64_t before = 0, after = 0; // pixels
    bool is_whole = false;              // all of the axis, wherever the result is

    std::int64_t apron() const { return before + after; }
    bool is_own_pixel() const { return !is_whole && before == 0 && after == 0; }
};

// Reaches along x, y, z and t.
using AxesReach = std::array<Reach, 4>;

// Returns the reach that covers both.
inline Reach cover(const Reach &one, const Reach &other) {
    return {std::max(one.before, other.before), std::max(one.after, other.after),
            one.is_whole || other.is_whole};
}

inline AxesReach cover(const AxesReach &one, const AxesReach &other) {
    AxesReach result;
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = cover(one[i], other[i]);
    return result;
}

// Returns the reach of a filter that reads the results of another, `first`, in that filter's source. A border may
// fold its reads back to results that lie beyond its own pixel: there `first` reaches as far to the other side.
inline Reach after(const Reach &first, const Reach &second) {
    const bool is_whole = first.is_whole || second.is_whole;
    if (second.is_own_pixel())
        return first;
    const std::int64_t either = std::max(first.before, first.after);
    return {either + second.before, either + second.after, is_whole};
}

inline AxesReach after(const AxesReach &first, const AxesReach &second) {
    AxesReach result;
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = after(first[i], second[i]);
    return result;
}

} // namespace gz
