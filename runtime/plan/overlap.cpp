#include "plan/overlap.hpp"

#include <algorithm>

namespace gz {

namespace {

struct Span {
    std::int64_t begin, end;
    bool meets(const Span &other) const { return begin < other.end && other.begin < end; }
};

Span bytes_of(const PixelBox &box) {
    Axes last;
    for (std::size_t i = 0; i < 4; ++i)
        last[i] = box.origin[i] + box.extent[i] - 1;
    return {box.base + box.desc.byte_of(box.origin, 0),
            box.base + box.desc.byte_of(last, box.desc.planes - 1) + box.desc.pixel_bytes()};
}

bool is_flat(const PixelBox &box) {
    return box.extent[2] == 1 && box.extent[3] == 1 && box.desc.planes == 1;
}

} // namespace

bool share_bytes(const PixelBox &a, const PixelBox &b) {
    if (!bytes_of(a).meets(bytes_of(b)))
        return false;
    const std::int64_t pitch = a.desc.pitch[1];
    if (!is_flat(a) || !is_flat(b) || b.desc.pitch[1] != pitch)
        return true;

    // Box b starts `column` bytes into row `row`, counted from where a starts; its rows may run on
    // into the next row.
    const std::int64_t distance = bytes_of(b).begin - bytes_of(a).begin;
    const std::int64_t column = (distance % pitch + pitch) % pitch;
    const std::int64_t row = (distance - column) / pitch;
    const std::int64_t a_width = a.extent[0] * a.desc.pixel_bytes();
    const std::int64_t b_width = b.extent[0] * b.desc.pixel_bytes();
    const Span a_rows{0, a.extent[1]};
    const Span b_rows{row, row + b.extent[1]};
    const Span b_next_rows{row + 1, row + 1 + b.extent[1]};
    return (column < a_width && a_rows.meets(b_rows)) ||
           (column + b_width > pitch && a_rows.meets(b_next_rows));
}

} // namespace gz
