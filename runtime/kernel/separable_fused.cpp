// Separable correlation of tiles in one pass by way of local memory. See cl/separable_fused.cl.
#include <algorithm>

#include "kernel/kernels.hpp"
#include "kernel/tile_classes.hpp"

namespace gz {

namespace {

constexpr int most_taps = 63;

// Taps that fill their bucket, around the anchor, have a program without conditions.
bool is_exact(const CorrelatePass &pass) {
    const Geometry &g = pass.geometry;
    return g.taps_x == tap_bucket(g.taps_x).most && g.taps_y == tap_bucket(g.taps_y).most &&
           g.anchor_x == g.taps_x / 2;
}

// Values of an aligned read: up to 16 bytes of what an item takes, 4 where programs are shared; 1
// where none can be aligned.
int vector_of(const CorrelatePass &pass, const Config &config) {
    const int size = static_cast<int>(size_of(pass.src_type));
    for (const int vector : {16, 8, 4})
        if (vector * size <= 16 && (vector == 4 || is_exact(pass)) &&
            vector <= config.at("ROW_ITEM") && vector <= pass.alignment)
            return vector;
    return 1;
}

// How many values past an aligned address those lie that an item starts from.
int shift_of(const CorrelatePass &pass, int vector) {
    return -(pass.geometry.anchor_x * pass.channels) & (vector - 1);
}

TileShape shape_of(const CorrelatePass &pass, const Config &config) {
    const Geometry &g = pass.geometry;
    const int vector = vector_of(pass, config);
    const int step = std::max(vector, 4);
    const int shift = shift_of(pass, vector);
    const int most_shift = is_exact(pass) || vector == 1 ? shift : step - 1;
    const int item = config.at("ROW_ITEM");
    const std::int64_t needed =
        most_shift + item + std::int64_t{tap_bucket(g.taps_x).most - 1} * pass.channels;
    TileShape shape;
    shape.width = config.at("TILE_X");
    shape.height = config.at("TILE_Y");
    shape.apron_left = g.anchor_x * pass.channels + shift;
    shape.apron_right =
        std::max(static_cast<int>(ceil_div(needed, step)) * step - item - shape.apron_left, 0);
    shape.apron_top = g.anchor_y;
    shape.apron_bottom = g.taps_y - 1 - g.anchor_y;
    return shape;
}

int group_of(const Config &config) {
    return config.at("TILE_X") / config.at("COLUMN_X") *
           (config.at("TILE_Y") / config.at("COLUMN_Y"));
}

std::string refusal(const CorrelatePass &pass, const Config &config) {
    if (std::string reason = separable_refusal(pass, most_taps); !reason.empty())
        return reason;
    // The largest keep more in the arrays of their items than PoCL's stack holds.
    const int group = group_of(config);
    return group < 32 || group > 1024 ? text("groups would be of ", group, " items") : "";
}

Work work(const CorrelatePass &pass, const Config &config, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const TapBucket along_x = tap_bucket(g.taps_x);
    const TapBucket along_y = tap_bucket(g.taps_y);
    const TileShape shape = shape_of(pass, config);

    Launch result;
    result.program = {"separable_fused.cl", "separable_fused", separable_defines(pass, facts)};
    Defines &defines = result.program.defines;
    const bool exact = is_exact(pass);
    defines["LEAST_X"] = exact ? along_x.most : along_x.least;
    defines["BUCKET_X"] = along_x.most;
    defines["LEAST_Y"] = exact ? along_y.most : along_y.least;
    defines["BUCKET_Y"] = along_y.most;
    const int vector = vector_of(pass, config);
    defines["VECTOR"] = vector;
    defines["SHIFT"] = exact ? shift_of(pass, vector) : vector == 1 ? 0 : -1;
    for (const auto &[name, value] : config)
        defines[name] = value;
    result.range = batched_range(pass, ceil_div(g.width, shape.width),
                                 ceil_div(g.height, shape.height), group_of(config), 1);
    const auto rows = static_cast<std::size_t>(shape.height + along_y.most - 1);
    const auto pitch = static_cast<std::size_t>(shape.width / 4 + 1); // vectors of 4 values
    const int columns = shape.apron_left + shape.width + shape.apron_right;
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(classify(g, pass.channels, shape)),
                        taps_argument(bucketed_taps(pass, along_x, along_y), facts),
                        by_value(static_cast<std::int32_t>(shift_of(pass, vector))),
                        LocalMemory{rows * pitch * 4 * sizeof(float)},
                        LocalMemory{static_cast<std::size_t>(columns) * sizeof(std::int32_t)}};
    return result;
}

Config shaped(int tile_x, int tile_y, int row_item, int column_x, int column_y) {
    return {{"TILE_X", tile_x},
            {"TILE_Y", tile_y},
            {"ROW_ITEM", row_item},
            {"COLUMN_X", column_x},
            {"COLUMN_Y", column_y}};
}

// Measured on NVIDIA (H200, 16384x16384). Many taps want high tiles, whose apron is less beside them.
// An item reads up to 16 bytes and writes 4 values at once. Then smaller ones for devices with less
// room.
std::vector<Config> preferred(const CorrelatePass &pass, const DeviceFacts &) {
    const int taps = std::max(pass.geometry.taps_x, pass.geometry.taps_y);
    std::vector<Config> result;
    if (facts_of(pass.src_type).is_integer)
        result.push_back(shaped(64, 128, 16, 4, 8));
    else if (taps <= 3)
        result.push_back(shaped(128, 32, 8, 2, 16));
    else if (taps <= 5)
        result.push_back(shaped(64, 32, 8, 1, 16));
    else if (taps >= 15)
        result.push_back(shaped(64, 128, 8, 4, 8));
    result.push_back(shaped(64, 64, 8, 4, 8));
    result.push_back(shaped(64, 32, 8, 2, 8));
    return result;
}

std::string details(const CorrelatePass &pass, const Config &config) {
    return "tile " + describe(pass, shape_of(pass, config), vector_of(pass, config) > 1);
}

} // namespace

CorrelateSpec separable_fused() {
    CorrelateSpec spec;
    spec.name = "separable_fused";
    spec.tunables = {{"TILE_X", {64, 128, 256}},
                     {"TILE_Y", {32, 64, 128}},
                     {"ROW_ITEM", {4, 8, 16}},
                     {"COLUMN_X", {1, 2, 4}},
                     {"COLUMN_Y", {8, 16}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = details;
    return spec;
}

} // namespace gz
