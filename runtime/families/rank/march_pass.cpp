#include "families/rank/march_pass.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace gz {

MarchLayout march_layout(const ImagePass &pass, int planes, int group, int before, int after) {
    MarchLayout layout{};
    layout.planes = planes;
    layout.columns = 4 * keys_of_word(pass);
    layout.lanes = group / planes;
    layout.left = static_cast<int>(ceil_div(before, layout.columns));
    layout.right = static_cast<int>(ceil_div(after, layout.columns));
    return layout;
}

int rows_of_words(const MarchLayout &layout, int step) {
    return layout.columns == 4 ? step : step / 2;
}

std::size_t bytes_of_rows(const MarchLayout &layout, int step) {
    return static_cast<std::size_t>(rows_of_words(layout, step) * layout.planes * layout.columns *
                                    (layout.lanes + 1)) *
           sizeof(std::uint32_t);
}

bool has_edges_between(const ImagePass &pass, const MarchLayout &layout) {
    const Geometry &g = pass.geometry;
    return g.valid_left * pass.channels % layout.columns != 0 ||
           g.valid_right * pass.channels % layout.columns != 0;
}

Launch launch_march(const ImagePass &pass, const MarchLayout &layout, const MarchSettings &settings,
                    const std::string &file, const std::string &entry, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const bool has_vectors = pass.alignment >= layout.columns && reads_words(pass);
    Launch result;
    result.program = {file, entry, rank_defines(pass)};
    Defines &defines = result.program.defines;
    defines["SUMS"] = 0;
    defines["GROUP"] = settings.group;
    defines["STEP"] = settings.step;
    defines["STREAMS"] = settings.streams;
    defines["WINDOW_X"] = g.taps_x;
    defines["WINDOW_Y"] = g.taps_y;
    defines["VECTORS"] = has_vectors ? 1 : 0;

    const std::int64_t width = g.width / layout.planes;
    const std::int64_t most = std::max<std::int64_t>(layout.pixels(), 1);
    const std::int64_t even = ceil_div(ceil_div(width, ceil_div(width, most)), 32) * 32;
    const std::int64_t strip = std::min(even, most);
    const std::int64_t strips = ceil_div(width, strip);
    const std::int64_t groups = facts.cores() * settings.resident;
    const std::int64_t bands = std::max<std::int64_t>(groups / (strips * pass.batch()), 1);
    const std::int64_t band = ceil_div(ceil_div(g.height, bands), settings.step) * settings.step;
    result.range = batched_range(pass, strips, ceil_div(g.height, band), settings.group, 1);
    result.arguments = {SourceBuffer(), TargetBuffer(), by_value(g),
                        by_value(static_cast<std::int32_t>(strip)),
                        by_value(static_cast<std::int32_t>(band))};
    return result;
}

} // namespace gz
