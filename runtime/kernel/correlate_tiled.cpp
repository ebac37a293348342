// Correlation by tiles with four classes of groups. See cl/correlate_tiled.cl.
#include "kernel/correlate_kernels.hpp"
#include "kernel/tile_classes.hpp"

namespace gz {

namespace {

constexpr int vector_width = 4; // values an item makes along x

int rounded_up(int value) {
    return (value + vector_width - 1) / vector_width * vector_width;
}

bool is_aligned(const CorrelatePass &pass) {
    return pass.alignment >= vector_width;
}

TileShape shape_of(const CorrelatePass &pass, const Config &config) {
    const Geometry &g = pass.geometry;
    TileShape shape;
    shape.width = config.at("GROUP_X") * vector_width;
    shape.height = config.at("GROUP_Y") * config.at("ITEM_Y");
    shape.apron_left = g.anchor_x * pass.channels;
    shape.apron_right = (g.taps_x - 1 - g.anchor_x) * pass.channels;
    // Aligned reads take whole vectors, so that the apron ends where a vector does.
    if (is_aligned(pass)) {
        shape.apron_left = rounded_up(shape.apron_left);
        shape.apron_right = rounded_up(shape.apron_right);
    }
    shape.apron_top = g.anchor_y;
    shape.apron_bottom = g.taps_y - 1 - g.anchor_y;
    return shape;
}

// Whether the kernel has a second, unrolled body for exactly bucket x bucket taps: up to a size at
// which it still fits the instruction cache.
bool has_exact_body(const CorrelatePass &pass, int bucket, const DeviceFacts &facts) {
    return bucket <= (pass.separable ? 15 : 7) && !facts.misreads_arguments;
}

Launch launch(const CorrelatePass &pass, const Config &config, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const int bucket = bucket_of(pass);
    const bool exact = has_exact_body(pass, bucket, facts);
    const TileShape shape = shape_of(pass, config);
    const std::vector<float> taps = strided_taps(pass, bucket);

    Launch result;
    result.program = {"correlate_tiled.cl", "correlate_tiled", common_defines(pass)};
    result.program.defines["BUCKET"] = bucket;
    result.program.defines["ALIGNED"] = is_aligned(pass) ? 1 : 0;
    result.program.defines["EXACT"] = exact ? 1 : 0;
    for (const auto &[name, value] : config)
        result.program.defines[name] = value;
    result.range = batched_range(pass, parts(g.width, shape.width), parts(g.height, shape.height),
                                 config.at("GROUP_X"), config.at("GROUP_Y"));

    const auto taps_bytes = bytes_of(taps.data(), taps.size());
    result.arguments = {SourceBuffer(), TargetBuffer(), by_value(g),
                        by_value(classify(g, pass.channels, shape))};
    if (exact)
        result.arguments.emplace_back(ByValue{taps_bytes});
    result.arguments.emplace_back(ConstantData{taps_bytes});
    const auto tile_rows = static_cast<std::size_t>(shape.height + g.taps_y - 1);
    const auto tile_width = static_cast<std::size_t>(shape.width + (g.taps_x - 1) * pass.channels);
    result.arguments.emplace_back(LocalMemory{tile_rows * tile_width * sizeof(float)});
    if (config.at("SHARE_ROWS"))
        result.arguments.emplace_back(
            LocalMemory{tile_rows * static_cast<std::size_t>(shape.width) * sizeof(float)});
    return result;
}

Config shaped(int group_x, int group_y, int item_y, int share_rows) {
    return {
        {"GROUP_X", group_x}, {"GROUP_Y", group_y}, {"ITEM_Y", item_y}, {"SHARE_ROWS", share_rows}};
}

// Measured on NVIDIA (H200, 16384x16384 f32). Tall items reuse what they load once there are enough
// taps to reuse it for. Sharing filtered rows pays for many taps; for few, its local memory and
// barriers cost more than filtering rows again.
Config fastest(const CorrelatePass &pass) {
    const int bucket = bucket_of(pass);
    if (bucket <= 3)
        return shaped(32, 4, 4, 0);
    if (!pass.separable)
        return bucket <= 7 ? shaped(32, 4, 8, 0) : shaped(32, 8, 8, 0);
    switch (bucket) {
    case 5:
        return shaped(32, 8, 8, 0);
    case 7:
    case 9:
        return shaped(32, 4, 8, 0);
    case 15:
        return shaped(16, 16, 4, 1);
    default:
        return shaped(16, 8, 4, 1);
    }
}

// The fastest, then smaller ones for devices or images with less room.
std::vector<Config> preferred(const CorrelatePass &pass, const DeviceFacts &) {
    return {fastest(pass), shaped(16, 4, 4, 0), shaped(8, 8, 4, 0)};
}

std::string details(const CorrelatePass &pass, const Config &config) {
    const TileShape shape = shape_of(pass, config);
    return text("tile ", shape.width, "x", shape.height, ", ",
                is_aligned(pass) ? "aligned vectors" : "unaligned", "; ",
                describe(classify(pass.geometry, pass.channels, shape),
                         parts(pass.geometry.width, shape.width),
                         parts(pass.geometry.height, shape.height)));
}

} // namespace

CorrelateSpec correlate_tiled() {
    CorrelateSpec spec;
    spec.name = "correlate_tiled";
    spec.tunables = {{"GROUP_X", {8, 16, 32}},
                     {"GROUP_Y", {4, 8, 16}},
                     {"ITEM_Y", {4, 8}},
                     {"SHARE_ROWS", {0, 1}}};
    spec.refusal = [](const CorrelatePass &pass, const Config &config) {
        return std::string(config.at("SHARE_ROWS") && !pass.separable
                               ? "rows are shared only where taps are separable"
                               : "");
    };
    spec.preferred = preferred;
    spec.launch = launch;
    spec.details = details;
    return spec;
}

} // namespace gz
