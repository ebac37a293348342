// How far along an axis a result reads.
#pragma once

#include <algorithm>
#include <array>
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

// Returns the reach of a filter that reads the results of another, `first`, in that filter's source.
inline Reach after(const Reach &first, const Reach &second) {
    return {first.before + second.before, first.after + second.after,
            first.is_whole || second.is_whole};
}

} // namespace gz
