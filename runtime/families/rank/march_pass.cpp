#include "families/rank/march_pass.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace gz {

MarchLayout march_layout(const ImagePass &pass, int planes, int group, int before, int after) {
    MarchLayout layout{};
    layout.planes = planes;
    layout.columns = key_kind(pass) == KeyKind::floats ? 4 : 8;
    layout.lanes = group / planes;
    layout.left = static_cast<int>(ceil_div(before, layout.columns));
    layout.right = static_cast<int>(ceil_div(after, layout.columns));
    return layout;
}

std::size_t bytes_of_places(const MarchLayout &layout, int group) {
    return static_cast<std::size_t>(group * layout.columns) * sizeof(std::int32_t);
}

std::size_t bytes_of_rows(const MarchLayout &layout, int step) {
    const int rows = layout.columns == 4 ? step : step / 2; // of words
    return static_cast<std::size_t>(rows * layout.planes * layout.columns * (layout.lanes + 1)) *
           sizeof(std::uint32_t);
}

bool has_march_vectors(const ImagePass &pass, const MarchLayout &layout) {
    return pass.alignment >= layout.columns &&
           (key_kind(pass) != KeyKind::floats || pass.src_type == PixelType::f32);
}

MarchRange march_range(const ImagePass &pass, const MarchLayout &layout, int group, int step,
                       int resident, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const std::int64_t width = g.width / layout.planes;
    const std::int64_t most = std::max<std::int64_t>(layout.pixels(), 1);
    const std::int64_t even = ceil_div(ceil_div(width, ceil_div(width, most)), 32) * 32;
    const std::int64_t strip = std::min(even, most);
    const std::int64_t strips = ceil_div(width, strip);
    const std::int64_t groups = static_cast<std::int64_t>(facts.compute_units) * resident;
    const std::int64_t bands = std::max<std::int64_t>(groups / (strips * pass.batch()), 1);
    const std::int64_t band = ceil_div(ceil_div(g.height, bands), step) * step;
    return {static_cast<std::int32_t>(strip), static_cast<std::int32_t>(band),
            batched_range(pass, strips, ceil_div(g.height, band), group, 1)};
}

} // namespace gz
