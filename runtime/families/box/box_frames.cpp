// All iterations of a small box for the pixels beside a border. See cl/box/box_frames.cl.
#include <algorithm>

#include "families/box/kernels.hpp"
#include "plan/lowering.hpp"

namespace gz {

namespace {

struct Settings {
    int group;
};

const std::vector<Setting<Settings>> tunables = {{"GROUP", &Settings::group, {64, 256}}};

// Which pixels an iteration may read along an axis, and what it reads beyond them.
struct Line {
    std::int64_t first, end;
    bool constant;
};

// Appends the taps of all iterations for the result at i, from `reach` pixels before it to as many after it, and the share of
// the border's constant in it.
void append_taps(std::vector<float> &table, std::int64_t i, const Line &line, std::int64_t radius,
                 int iterations) {
    const std::int64_t reach = iterations * radius;
    const std::int64_t size = 2 * reach + 1;
    const auto at = [](std::int64_t place) { return static_cast<std::size_t>(place); };
    // Places in the taps of the pixels that there are.
    const std::int64_t first = std::clamp<std::int64_t>(line.first - i + reach, 0, size - 1);
    const std::int64_t last = std::clamp<std::int64_t>(line.end - 1 - i + reach, 0, size - 1);
    std::vector<double> taps(at(size), 0.0);
    std::vector<double> sums(at(size + 1), 0.0);
    double outside = 0.0;
    taps[at(reach)] = 1.0;
    for (int k = 0; k < iterations; ++k) {
        for (std::int64_t j = 0; j < size; ++j)
            sums[at(j + 1)] = sums[at(j)] + taps[at(j)];
        for (std::int64_t j = 0; j < size; ++j)
            taps[at(j)] = (sums[at(std::min(j + radius + 1, size))] -
                           sums[at(std::max<std::int64_t>(j - radius, 0))]) /
                          static_cast<double>(2 * radius + 1);
        for (std::int64_t j = 0; j < size; ++j) {
            if (j >= first && j <= last)
                continue;
            (line.constant ? outside : taps[at(j < first ? first : last)]) += taps[at(j)];
            taps[at(j)] = 0.0;
        }
    }
    for (const double tap : taps)
        table.push_back(static_cast<float>(tap));
    table.push_back(static_cast<float>(outside));
}

// The taps of each pixel that they reach past the border from, and of all others, which lie from `same` to `last`.
struct AxisTable {
    std::int64_t same, last;
    std::vector<float> taps;
};
AxisTable table_along(std::size_t axis, const BoxFramesPass &pass) {
    const Geometry &g = pass.geometry;
    const bool constant = g.border_mode == BORDER_CONSTANT;
    const Line line = axis == 0 ? Line{g.valid_left, g.valid_right, constant}
                                : Line{g.valid_top, g.valid_bottom, constant};
    const std::int64_t length = axis == 0 ? g.width / pass.channels : g.height;
    const int radius = pass.radius[axis];
    const std::int64_t reach = pass.iterations * std::int64_t{radius};
    AxisTable table{};
    table.same = std::clamp<std::int64_t>(line.first + reach, 0, length);
    table.last = std::clamp<std::int64_t>(line.end - reach, table.same, length);
    for (std::int64_t i = 0; i < table.same; ++i)
        append_taps(table.taps, i, line, radius, pass.iterations);
    append_taps(table.taps, reach, {0, 2 * reach + 1, constant}, radius, pass.iterations);
    for (std::int64_t i = table.last; i < length; ++i)
        append_taps(table.taps, i, line, radius, pass.iterations);
    return table;
}

Work work(const BoxFramesPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const FramedAxis &x = pass.axes[0];
    const FramedAxis &y = pass.axes[1];
    const auto tiles_of = [](std::int64_t width, std::int64_t width_of_tile, std::int64_t height,
                             std::int64_t height_of_tile) {
        return ceil_div(width, width_of_tile) * ceil_div(height, height_of_tile);
    };
    const auto lying = [&](const Part &part) {
        return tiles_of(g.width, LONG_SIDE, part.length(), SHORT_SIDE);
    };
    const auto standing = [&](const Part &part) {
        return tiles_of(part.length() * pass.channels, SHORT_SIDE, y.inner.length(), LONG_SIDE);
    };
    const AxisTable along_x = table_along(0, pass);
    const AxisTable along_y = table_along(1, pass);
    BoxFrames frames{};
    frames.begin_x = narrow(x.inner.begin);
    frames.end_x = narrow(x.inner.end);
    frames.begin_y = narrow(y.inner.begin);
    frames.end_y = narrow(y.inner.end);
    frames.same_x = narrow(along_x.same);
    frames.last_x = narrow(along_x.last);
    frames.same_y = narrow(along_y.same);
    frames.last_y = narrow(along_y.last);
    frames.reach_x = g.anchor_x;
    frames.reach_y = g.anchor_y;
    frames.after_y = narrow(lying(y.before));
    frames.before_x = narrow(frames.after_y + lying(y.after));
    frames.after_x = narrow(frames.before_x + standing(x.before));
    frames.tiles = narrow(frames.after_x + standing(x.after));
    frames.has_constant = g.border_mode == BORDER_CONSTANT ? 1 : 0;
    const std::int64_t sums = std::max(LONG_SIDE * (SHORT_SIDE + 2 * std::int64_t{g.anchor_y}),
                                       SHORT_SIDE * (LONG_SIDE + 2 * std::int64_t{g.anchor_y}));

    Launch result;
    result.program = {"box/box_frames.cl", "box_frames", type_defines(pass)};
    add_defines(result.program.defines, tunables, settings);
    result.range = batched_range(pass, frames.tiles, 1, settings.group, 1);
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(frames),
                        ConstantData{bytes_of(along_x.taps.data(), along_x.taps.size()), true},
                        ConstantData{bytes_of(along_y.taps.data(), along_y.taps.size()), true},
                        LocalMemory{static_cast<std::size_t>(sums) * sizeof(float)}};
    append_other(pass.subtraction, result);
    return result;
}

} // namespace

Kernel box_frames() {
    KernelSpec<BoxFramesPass, Settings> spec;
    spec.name = "box_frames";
    spec.folder = "box";
    spec.tunables = tunables;
    spec.preferred = [](const BoxFramesPass &, const DeviceFacts &facts) {
        return std::vector<Settings>{{.group = facts.is_cpu() ? 64 : 256}, {.group = 64}};
    };
    spec.work = work;
    spec.rank = [](const auto &, const auto &, const auto &) { return Rank{1}; };
    spec.details = [](const BoxFramesPass &pass, const Settings &) {
        const auto depths = [](const FramedAxis &axis) {
            return text(axis.before.length(), " and ", axis.after.length());
        };
        return text("frames of ", depths(pass.axes[0]), " columns and of ", depths(pass.axes[1]),
                    " rows");
    };
    return spec;
}

} // namespace gz
