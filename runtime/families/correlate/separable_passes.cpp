// Separable correlation with any number of taps in three launches. See cl/correlate/separable_passes.cl.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/fma.hpp"
#include "families/correlate/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int vector, group_x;
};

const std::vector<Setting<Settings>> tunables = {{"VECTOR", &Settings::vector, {4, 16}},
                                                 {"GROUP_X", &Settings::group_x, {1, 64}}};

constexpr std::int64_t pitch_step = 64; // values: pitches between launches are multiples of it

#include "lib/separable_between.clh"
static_assert(sizeof(Between) == 32, "OpenCL C lays the struct out without padding");

// The work of an item in each launch: values that it extends, values that it filters along x, and rows that it
// filters along y, as many as registers hold.
struct ItemSizes {
    int extend, row, column;
};
ItemSizes items_of(const Settings &settings) {
    return settings.vector == 4 ? ItemSizes{1, 8, 16} : ItemSizes{1024, 64, 4};
}

Between between_of(const CorrelatePass &pass) {
    const Geometry &g = pass.geometry;
    // The rows that the taps reach, if all of them are in the image; otherwise all rows, as the border may
    // fold to any of them.
    int first = -g.anchor_y;
    int end = g.height + g.taps_y - 1 - g.anchor_y;
    if (first < g.valid_top || end > g.valid_bottom) {
        first = g.valid_top;
        end = g.valid_bottom;
    }
    Between between{};
    between.first_row = first;
    between.rows = end - first;
    between.begin = -g.anchor_x * pass.channels;
    between.extended = g.width + (g.taps_x - 1) * pass.channels;
    between.filtered_pitch = ceil_div(g.width, pitch_step) * pitch_step;
    // Windows of the last values reach further.
    between.extended_pitch = ceil_div(between.extended, pitch_step) * pitch_step + 2 * pitch_step;
    return between;
}

// Returns the border's constant filtered along x, by the same chain as pixels.
float filtered_constant(const CorrelatePass &pass) {
    float sum = 0.0F;
    for (int i = 0; i < pass.geometry.taps_x; ++i)
        sum = fma(pass.set().taps[static_cast<std::size_t>(i)], pass.geometry.border_value, sum);
    return sum;
}

// src and dst: what the launch reads and writes.
Launch launch(const CorrelatePass &pass, const Settings &settings, const char *entry, PixelType src,
              PixelType dst, const std::array<std::int64_t, 2> &items) {
    Launch result;
    result.program = {"correlate/separable_passes.cl", entry, type_defines(pass)};
    result.program.defines["SRC_TYPE"] = static_cast<int>(src);
    result.program.defines["DST_TYPE"] = static_cast<int>(dst);
    add_defines(result.program.defines, tunables, settings);
    const ItemSizes sizes = items_of(settings);
    result.program.defines["EXTEND_ITEM"] = sizes.extend;
    result.program.defines["ROW_ITEM"] = sizes.row;
    result.program.defines["COLUMN_Y"] = sizes.column;
    const int group = settings.group_x;
    result.range = batched_range(pass, ceil_div(items[0], group), items[1], group, 1);
    return result;
}

Work work(const CorrelatePass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const Between between = between_of(pass);
    const int vector = settings.vector;
    const ItemSizes sizes = items_of(settings);
    const auto buffer_bytes = [&](std::int64_t pitch) {
        return static_cast<std::uint64_t>(pass.batch() * between.rows * pitch) * sizeof(float);
    };
    const float *taps = pass.set().taps.data();
    const auto along_x = bytes_of(taps, static_cast<std::size_t>(g.taps_x));
    const auto along_y = bytes_of(taps + g.taps_x, static_cast<std::size_t>(g.taps_y));

    Work result;
    result.workspace = {buffer_bytes(between.extended_pitch), buffer_bytes(between.filtered_pitch)};
    result.launches = {launch(pass, settings, "separable_extend", pass.src_type, PixelType::f32,
                              {ceil_div(between.extended_pitch, sizes.extend), between.rows}),
                       launch(pass, settings, "separable_rows", PixelType::f32, PixelType::f32,
                              {ceil_div(between.filtered_pitch, sizes.row), between.rows}),
                       launch(pass, settings, "separable_columns", PixelType::f32, pass.dst_type,
                              {ceil_div(g.width, vector), ceil_div(g.height, sizes.column)})};
    result.launches[0].arguments = {SourceBuffer(), WorkspaceBuffer{0}, by_value(g),
                                    by_value(between)};
    result.launches[1].arguments = {WorkspaceBuffer{0}, WorkspaceBuffer{1}, by_value(between),
                                    ConstantData{along_x}, by_value(g.taps_x)};
    result.launches[2].arguments = {WorkspaceBuffer{1},
                                    TargetBuffer(),
                                    by_value(g),
                                    by_value(between),
                                    ConstantData{along_y},
                                    by_value(g.taps_y),
                                    by_value(filtered_constant(pass))};
    return result;
}

} // namespace

Kernel separable_passes() {
    KernelSpec<CorrelatePass, Settings> spec;
    spec.name = "separable_passes";
    spec.folder = "correlate";
    spec.tunables = tunables;
    spec.refusal = [](const CorrelatePass &pass, const Settings &) {
        return separable_refusal(pass, std::numeric_limits<int>::max());
    };
    spec.preferred = [](const CorrelatePass &, const DeviceFacts &facts) {
        if (facts.is_cpu())
            return std::vector<Settings>{{.vector = 16, .group_x = 1}};
        return std::vector<Settings>{{.vector = 4, .group_x = 64}, {.vector = 4, .group_x = 1}};
    };
    spec.work = work;
    spec.details = [](const CorrelatePass &pass, const Settings &) {
        const Between between = between_of(pass);
        return text(between.rows, " rows of f32 in between");
    };
    spec.rank = [](const CorrelatePass &pass, const auto &, const DeviceFacts &facts) {
        return CorrelateRank{.strips = 5,
                             .plain_gpu = 6,
                             .few_taps = 3,
                             .separable = 5,
                             .nothing_shared = 3,
                             .tiles = 3}(pass, facts);
    };
    return spec;
}

} // namespace gz
