#include "plan/columns.hpp"

namespace gz {

BoxColumns columns_of(const ImagePass &pass) {
    const Geometry &g = pass.geometry;
    int first = -g.anchor_x;
    int end = g.width / pass.channels + g.taps_x - 1 - g.anchor_x;
    if (first < g.valid_left || end > g.valid_right) {
        first = g.valid_left;
        end = g.valid_right;
    }
    const int count = (end - first) * pass.channels;
    return {count, first * pass.channels, count};
}

} // namespace gz
