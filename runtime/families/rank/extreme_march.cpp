// Minima and maxima over boxes for GPUs, groups that march down the image. See cl/rank/extreme_march.cl.
#include <algorithm>
#include <cstdlib>

#include "core/error.hpp"
#include "families/rank/kernels.hpp"
#include "families/rank/march_pass.hpp"
#include "plan/columns.hpp"
#include "plan/problem.hpp"

namespace gz {

namespace {

struct Settings {
    int group, step, resident, passes, streams;
};

const std::vector<Setting<Settings>> tunables = {
    {"GROUP", &Settings::group, {64, 96, 128, 192}},
    {"STEP", &Settings::step, {8, 10}},
    {"RESIDENT",
     &Settings::resident,
     {1, 2, 3, 4, 5, 6, 8, 12, 16}},       // groups that a compute unit runs at a time
    {"PASSES", &Settings::passes, {1, 2}}, // 2: along y, and then along x
    {"STREAMS", &Settings::streams, {0, 1}}};

MarchLayout layout_of(const ExtremePass &pass, const Settings &settings) {
    const Geometry &g = pass.geometry;
    return march_layout(pass, g.taps_x > 1 ? pass.channels : 1, settings.group, g.anchor_x,
                        g.taps_x - 1 - g.anchor_x);
}

// Extremes in local memory beside the rows: those of whole blocks of an item's columns, and, where windows along x hold
// many, those of four blocks each.
int levels_of(const ExtremePass &pass, const MarchLayout &layout) {
    constexpr int few = 4;
    const int columns = layout.columns;
    const int before = pass.geometry.anchor_x;
    const int after = pass.geometry.taps_x - 1 - before;
    const int first = before >= columns - 1 ? -((before - (columns - 1)) / columns) : 1;
    const int whole = (after + 1) / columns - first;
    return pass.geometry.taps_x == 1 || whole <= 0 ? 0 : whole <= few ? 1 : 2;
}

// Local memory holds the rows of a part of a step along x, and the extremes of their blocks.
std::size_t bytes_along(const ExtremePass &pass, const Settings &settings,
                        const MarchLayout &layout, int parts) {
    if (pass.geometry.taps_x == 1)
        return sizeof(std::uint32_t);
    const int blocks =
        levels_of(pass, layout) * rows_of_words(layout, settings.step) / parts * settings.group;
    return bytes_of_rows(layout, settings.step) / static_cast<std::size_t>(parts) +
           static_cast<std::size_t>(blocks) * sizeof(std::uint32_t);
}

// Words of the blocks of rows that have entered.
std::size_t words_of_blocks(const ExtremePass &pass, const Settings &settings) {
    const int apron = pass.geometry.taps_y - 1;
    if (apron < settings.step)
        return 1;
    const int blocks = apron / settings.step - 1;
    const int rests = apron % settings.step == 0 ? 0 : blocks + 1;
    return std::max<std::size_t>(
        static_cast<std::size_t>(4 * settings.group) * static_cast<std::size_t>(blocks + rests), 1);
}

// Whether windows see pixels that the border repeats and that they do not cover anyway.
bool folds(const ExtremePass &pass) {
    const Geometry &g = pass.geometry;
    if (g.border_mode == BORDER_CONSTANT)
        return false;
    const auto sees_more = [&](int taps, int anchor) {
        const int difference = std::abs(taps - 1 - 2 * anchor); // of pixels on either side
        return g.border_mode == BORDER_WRAP         ? taps > 1
               : g.border_mode == BORDER_REFLECT    ? difference > 1
               : g.border_mode == BORDER_REFLECT101 ? difference > 0
                                                    : false;
    };
    const bool is_inside = g.valid_left <= 0 && g.width <= g.valid_right * pass.channels &&
                           g.valid_top <= 0 && g.height <= g.valid_bottom;
    return !is_inside || sees_more(g.taps_x, g.anchor_x) || sees_more(g.taps_y, g.anchor_y);
}

// Whether some items' values of a row lie apart in the image: those that a border mirrors, or next to an edge that
// is between an item's values.
bool gathers(const ExtremePass &pass, const MarchLayout &layout) {
    const Geometry &g = pass.geometry;
    return (folds(pass) && g.border_mode != BORDER_WRAP) || has_edges_between(pass, layout);
}

// The place of each of an item's values.
std::size_t bytes_of_places(const ExtremePass &pass, const Settings &settings,
                            const MarchLayout &layout) {
    const bool has_places = folds(pass) && gathers(pass, layout);
    const int count = has_places ? settings.group * layout.columns : 1;
    return static_cast<std::size_t>(count) * sizeof(std::int32_t);
}

// Wide groups keep as few parts of a step as fit what NVIDIA's devices have.
int parts_of(const ExtremePass &pass, const Settings &settings, const MarchLayout &layout,
             const DeviceFacts &facts) {
    constexpr int wide = 192;
    constexpr std::uint64_t room = 47 * 1024;
    if (settings.group < wide)
        return 1;
    const int rows = rows_of_words(layout, settings.step);
    const std::size_t others = words_of_blocks(pass, settings) * sizeof(std::uint32_t) +
                               bytes_of_places(pass, settings, layout);
    int parts = 1;
    while (parts < rows &&
           (rows % parts != 0 || bytes_along(pass, settings, layout, parts) + others >
                                     std::min(facts.usable_local_memory(), room)))
        ++parts;
    return parts;
}

Launch launch(const ExtremePass &pass, const Settings &settings, const DeviceFacts &facts) {
    const MarchLayout layout = layout_of(pass, settings);
    const int parts = parts_of(pass, settings, layout, facts);
    Launch result = launch_march(
        pass, layout, {settings.group, settings.step, settings.resident, settings.streams},
        "rank/extreme_march.cl", "extreme_march", facts);
    result.program.defines["IS_MAXIMUM"] = pass.is_maximum ? 1 : 0;
    result.program.defines["ANCHOR_X"] = pass.geometry.anchor_x;
    result.program.defines["PARTS"] = parts;
    result.program.defines["LEVELS"] = levels_of(pass, layout);
    result.program.defines["FOLDS"] = folds(pass) ? 1 : 0;
    result.program.defines["GATHERS"] = gathers(pass, layout) ? 1 : 0;
    result.arguments.push_back(LocalMemory{bytes_along(pass, settings, layout, parts)});
    result.arguments.push_back(
        LocalMemory{words_of_blocks(pass, settings) * sizeof(std::uint32_t)});
    result.arguments.push_back(LocalMemory{bytes_of_places(pass, settings, layout)});
    return result;
}

// The pass along y, to an image of the boxes' columns, and the pass along x from there.
struct TwoPasses {
    ExtremePass along_y, along_x;
    std::uint64_t bytes; // of the image between
};

TwoPasses two_passes(const ExtremePass &pass) {
    const BoxColumns columns = columns_of(pass);
    TwoPasses result{pass, pass, 0};
    const PixelType type = key_kind(pass) == KeyKind::floats ? PixelType::f32 : pass.src_type;
    Geometry &y = result.along_y.geometry;
    Geometry &x = result.along_x.geometry;
    const std::int64_t pitch = ceil_div(columns.count, 16) * 16;
    // Values before the first, so that vectors of the target are vectors here.
    const std::int64_t first = columns.first_column;
    y.dst_first = 0;
    y.dst_row = pitch;
    y.dst_slice = pitch * y.height;
    y.dst_volume = y.dst_slice * y.slices;
    y.dst_plane = y.dst_volume * y.volumes;
    y.src_first += first;
    y.width = columns.count;
    y.valid_left -= columns.first_column / pass.channels;
    y.valid_right -= columns.first_column / pass.channels;
    y.taps_x = 1;
    y.anchor_x = 0;
    result.along_y.dst_type = type;
    result.along_y.alignment = first % 16 == 0 ? pass.alignment : 1;
    x.src_first = -first;
    x.src_row = y.dst_row;
    x.src_slice = y.dst_slice;
    x.src_volume = y.dst_volume;
    x.src_plane = y.dst_plane;
    x.valid_left = std::max(x.valid_left, columns.first_column / pass.channels);
    x.valid_right = std::min(x.valid_right, (columns.first_column + columns.count) / pass.channels);
    x.valid_top = 0;
    x.valid_bottom = x.height;
    x.taps_y = 1;
    x.anchor_y = 0;
    result.along_x.src_type = type;
    result.along_x.alignment = result.along_y.alignment;
    result.bytes = static_cast<std::uint64_t>(pitch * y.height * pass.batch()) * size_of(type);
    return result;
}

Work work(const ExtremePass &pass, const Settings &settings, const DeviceFacts &facts) {
    if (settings.passes == 1)
        return launch(pass, settings, facts);
    const TwoPasses passes = two_passes(pass);
    Work result;
    result.workspace = {passes.bytes};
    result.launches = {launch(passes.along_y, settings, facts),
                       launch(passes.along_x, settings, facts)};
    result.launches[0].arguments[1] = WorkspaceBuffer();
    result.launches[1].arguments[0] = WorkspaceBuffer();
    return result;
}

std::string refusal(const ExtremePass &pass, const Settings &settings) {
    const Geometry &g = pass.geometry;
    if (g.anchor_x < 0 || g.anchor_x >= g.taps_x || g.anchor_y < 0 || g.anchor_y >= g.taps_y)
        return "the anchor lies beyond the box";
    const MarchLayout layout = layout_of(pass, settings);
    if (layout.pixels() < layout.columns)
        return text("boxes of ", pass.geometry.taps_x, " columns leave no results of a group of ",
                    settings.group, " items");
    return "";
}

// As many groups are resident as the compiler's registers for an item allow; more of them, which wait for others, take
// up to a third longer. Few wide groups read rows that leave from the cache, which holds the rows of all groups.
Settings measured_on_nvidia(const ExtremePass &pass, int step, int most) {
    const std::size_t bytes = key_bytes(pass);
    if (bytes == 4)
        return most <= 9    ? Settings{128, 8, 8, 1, 0}
               : most <= 19 ? Settings{128, 8, 2, 1, 1}
                            : Settings{192, step, 1, 1, 1};
    if (bytes == 2)
        return most <= 3   ? Settings{64, 8, 8, 1, 0}
               : most <= 9 ? Settings{64, 8, 4, 1, 0}
                           : Settings{128, step, 2, 1, 1};
    return most <= 5    ? Settings{128, 8, 6, 1, 0}
           : most <= 9  ? Settings{128, 8, 5, 1, 0}
           : most <= 19 ? Settings{128, 8, 5, 1, 1}
                        : Settings{128, step, 3, 1, 1};
}

} // namespace

Kernel extreme_march() {
    KernelSpec<ExtremePass, Settings> spec;
    spec.name = "extreme_march";
    spec.folder = "rank";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = refusal;
    // Measured on an H200 where pixels are u8 or f32 of one channel; otherwise an earlier form of this kernel was, on an
    // H200 or an H100.
    spec.preferred = [](const ExtremePass &pass, const DeviceFacts &facts) {
        const int rows = pass.geometry.taps_y - 1;
        const bool packs = keys_of_word(pass) == 2;
        const int step = rows % 10 == 0 && rows >= 20 ? 10 : 8;
        const int most = std::max(pass.geometry.taps_x, pass.geometry.taps_y);
        std::vector<Settings> result;
        if (pass.channels > 1 && pass.geometry.taps_x > 1) {
            // A channel has part of a group's items, and all of the pixels around its results.
            const std::size_t bytes = size_of(pass.src_type);
            if (most <= 9 && bytes == 2)
                result.push_back({128, 8, 2, 1, 1});
            else if (most <= 9 && !packs)
                result.push_back({128, 8, 8, 1, 0});
            else if (most <= 19 && bytes == 2)
                result.push_back({64, 8, 8, 1, 0});
            else if (most <= 19 ||
                     (most <= 63 && bytes != 2)) // 1 to 8 % faster than 128 items (H200)
                result.push_back({192, 8, 2, 1, 1});
            else if (most > 63 && packs)
                result.push_back({192, step, 4, 2, 1});
            result.push_back({128, step, most > 63 ? 4 : 2, most > 63 ? 2 : 1, 1});
        } else if (facts.device_class == DeviceClass::nvidia_gpu)
            result.push_back(measured_on_nvidia(pass, step, most));
        if (most <= 9)
            result.push_back({packs ? 64 : 128, 8, 8, 1, 0});
        else if (most <= 19)
            result.push_back({64, 8, packs ? 8 : 4, 1, 0});
        else if (packs)
            result.push_back({128, step, 3 + 1, 1, most > 63});
        else if (most <= 37)
            result.push_back({64, step, 4, 1, 1});
        for (const int group : {128, 96, 64})
            result.push_back({group, step, most <= 37 ? 4 : 2, 1, 1});
        for (const int group : {192, 128, 64})
            result.push_back({group, step, 4, 2, 1});
        return result;
    };
    spec.rank = [](const ExtremePass &pass, const Settings &, const DeviceFacts &facts) {
        const int rank = RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = 3}(facts);
        return Rank{longer_side(pass.geometry) <= max_marching_side ? rank : 0};
    };
    return spec;
}

} // namespace gz
