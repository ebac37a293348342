#include "families/correlate/separable_tile.hpp"

#include <algorithm>

namespace gz {

namespace {

using Settings = SeparableTile;

constexpr int most_taps = 63;

// Launches of no more groups start those at the edges first, as most run at once. On an H200 separable taps of radius 10 of
// 1920x1080 f32 took 17 us for 20 then; of larger images it costs time.
constexpr std::int64_t most_turned = 1024;

// Returns the values of an aligned read: up to 16 bytes of an item's values, 4 where programs are shared; 1
// where no read can be aligned.
int vector_of(const CorrelatePass &pass, const Settings &settings) {
    const int size = static_cast<int>(size_of(pass.src_type));
    for (const int vector : {16, 8, 4})
        if (vector * size <= 16 && (vector == 4 || fills_buckets(pass)) &&
            vector <= settings.row_item && vector <= pass.alignment)
            return vector;
    return 1;
}

// Returns how many values past an aligned address an item's reads start.
int shift_of(const CorrelatePass &pass, int vector) {
    return -(pass.geometry.anchor_x * pass.channels) & (vector - 1);
}

TileShape shape_of(const CorrelatePass &pass, const Settings &settings) {
    const Geometry &g = pass.geometry;
    const int vector = vector_of(pass, settings);
    const int step = std::max(vector, 4);
    const int shift = shift_of(pass, vector);
    const int most_shift = fills_buckets(pass) || vector == 1 ? shift : step - 1;
    const int item = settings.row_item;
    const std::int64_t needed =
        most_shift + item + std::int64_t{tap_bucket(g.taps_x).most - 1} * pass.channels;
    TileShape shape;
    shape.width = settings.tile_x;
    shape.height = settings.tile_y;
    shape.apron_left = g.anchor_x * pass.channels + shift;
    shape.apron_right =
        std::max(static_cast<int>(ceil_div(needed, step)) * step - item - shape.apron_left, 0);
    shape.apron_top = g.anchor_y;
    shape.apron_bottom = g.taps_y - 1 - g.anchor_y;
    return shape;
}

int group_of(const Settings &settings) {
    return settings.tile_x / settings.column_x * (settings.tile_y / settings.column_y);
}

} // namespace

const std::vector<Setting<SeparableTile>> &separable_tile_tunables() {
    static const std::vector<Setting<Settings>> tunables = {
        {"TILE_X", &Settings::tile_x, {64, 128, 256}},
        {"TILE_Y", &Settings::tile_y, {32, 64, 128}},
        {"ROW_ITEM", &Settings::row_item, {4, 8, 16}},
        {"COLUMN_X", &Settings::column_x, {1, 2, 4}},
        {"COLUMN_Y", &Settings::column_y, {8, 16}}};
    return tunables;
}

std::string separable_tile_refusal(const CorrelatePass &pass, const Settings &settings) {
    if (std::string reason = separable_refusal(pass, most_taps); !reason.empty())
        return reason;
    // The largest tiles keep more in the arrays of their items than PoCL's stack holds.
    const int group = group_of(settings);
    return group < 32 || group > 1024 ? text("groups would be of ", group, " items") : "";
}

Launch separable_tile_launch(const std::string &file, const std::string &kernel,
                             const CorrelatePass &pass, const SeparableTile &settings,
                             const DeviceFacts &facts, int fields) {
    const Geometry &g = pass.geometry;
    const TapBucket along_x = tap_bucket(g.taps_x);
    const TapBucket along_y = tap_bucket(g.taps_y);
    const TileShape shape = shape_of(pass, settings);

    Launch result;
    result.program = {file, kernel, bucketed_defines(pass, facts)};
    Defines &defines = result.program.defines;
    const bool exact = fills_buckets(pass);
    const int vector = vector_of(pass, settings);
    defines["VECTOR"] = vector;
    defines["SHIFT"] = exact ? shift_of(pass, vector) : vector == 1 ? 0 : -1;
    add_defines(defines, separable_tile_tunables(), settings);
    const std::int64_t across = ceil_div(g.width, shape.width);
    const std::int64_t down = ceil_div(g.height, shape.height);
    const bool turned = across * down <= most_turned;
    result.range =
        batched_range(pass, turned ? down : across, turned ? across : down, group_of(settings), 1);
    const auto rows = static_cast<std::size_t>((shape.height + along_y.most - 1) * fields);
    const auto pitch = static_cast<std::size_t>(shape.width / 4 + 1); // vectors of 4 values
    const int columns = shape.apron_left + shape.width + shape.apron_right;
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(classify(g, pass.channels, shape)),
                        taps_argument(defines, bucketed_taps(pass, along_x, along_y), facts),
                        by_value(static_cast<std::int32_t>(shift_of(pass, vector))),
                        by_value(static_cast<std::int32_t>(turned ? 1 : 0)),
                        LocalMemory{rows * pitch * 4 * sizeof(float)},
                        LocalMemory{static_cast<std::size_t>(columns) * sizeof(std::int32_t)}};
    return result;
}

namespace {

Settings shaped(int tile_x, int tile_y, int row_item, int column_x, int column_y) {
    return {.tile_x = tile_x,
            .tile_y = tile_y,
            .row_item = row_item,
            .column_x = column_x,
            .column_y = column_y};
}

} // namespace

std::string separable_tile_drawback(const CorrelatePass &pass, const SeparableTile &settings,
                                    const DeviceFacts &facts) {
    // A pass of more taps than any bucket holds, which kernels of tiles refuse, has no shape.
    if (habit_of(facts) != GroupHabit::tiles || !separable_refusal(pass, most_taps).empty())
        return "";
    const TileShape shape = shape_of(pass, settings);
    if (shape.width <= 64 && shape.height <= 32)
        return "";
    const std::int64_t groups = ceil_div(pass.geometry.width, shape.width) *
                                ceil_div(pass.geometry.height, shape.height) * pass.batch();
    const bool is_smaller = shape.width <= 64 && shape.height <= 64;
    return 2 * groups < (is_smaller ? 3 : 6) * facts.cores()
               ? text("tiles are large: ", groups, " for ", facts.cores(), " cores")
               : "";
}

// Measured on NVIDIA (H200, 16384x16384): many taps need high tiles, whose apron is small beside them. An
// item reads up to 16 bytes and writes 4 values at once. Smaller tiles follow for devices with less room; they come first
// where large ones leave cores without groups (1920x1080: 0.74 to 0.92 of the time, 640x480: 0.66 to 0.8).
std::vector<SeparableTile> separable_tile_preferred(const CorrelatePass &pass, int fields,
                                                    const DeviceFacts &facts) {
    const int taps = std::max(pass.geometry.taps_x, pass.geometry.taps_y);
    std::vector<Settings> result;
    if (fields > 1)
        result.push_back(taps <= 7 ? shaped(64, 32, 8, 2, 8) : shaped(64, 64, 8, 2, 8));
    else if (facts_of(pass.src_type).is_integer)
        result.push_back(shaped(64, 128, 16, 4, 8));
    else if (taps <= 3)
        result.push_back(shaped(128, 32, 8, 2, 16));
    else if (taps <= 5)
        result.push_back(shaped(64, 32, 8, 1, 16));
    else if (taps <= 11 && pass.src_type == PixelType::f16)
        result.push_back(shaped(64, 64, 8, 2, 8));
    else if (taps >= 15)
        result.push_back(shaped(64, 128, 8, 4, 8));
    result.push_back(shaped(64, 64, 8, 4, 8));
    result.push_back(shaped(64, 32, 8, 2, 8));
    const auto is_good = [&](const Settings &settings) {
        return separable_tile_drawback(pass, settings, facts).empty();
    };
    if (fields == 1 && !is_good(result.front())) {
        const int row_item = facts_of(pass.src_type).is_integer ? 16 : 8;
        const Settings smaller = shaped(64, 64, row_item, 2, 8);
        result.insert(result.begin(),
                      taps > 7 && is_good(smaller) ? smaller : shaped(64, 32, row_item, 1, 8));
    }
    return result;
}

std::string separable_tile_details(const CorrelatePass &pass, const Settings &settings) {
    return "tile " + describe(pass, shape_of(pass, settings), vector_of(pass, settings) > 1);
}

} // namespace gz
