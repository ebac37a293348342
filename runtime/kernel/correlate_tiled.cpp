// Correlation by tiles with four classes of groups. See cl/correlate_tiled.cl.
#include "kernel/kernels.hpp"
#include "kernel/tile_classes.hpp"

namespace gz {

namespace {

constexpr int vector_width = 4; // values of an aligned read

int rounded_up(int value) {
    return (value + vector_width - 1) / vector_width * vector_width;
}

bool is_aligned(const CorrelatePass &pass) {
    return pass.alignment >= vector_width;
}

TileShape shape_of(const CorrelatePass &pass, const Config &config) {
    const Geometry &g = pass.geometry;
    TileShape shape;
    shape.width = config.at("GROUP_X") * config.at("ITEM_X");
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

// Whether the kernel has a second, unrolled body for exactly bucket x bucket taps.
bool has_exact_body(int bucket, const DeviceFacts &facts) {
    return bucket <= 15 && !facts.misreads_arguments;
}

Work work(const CorrelatePass &pass, const Config &config, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const int bucket = bucket_of(pass);
    const bool exact = has_exact_body(bucket, facts);
    const TileShape shape = shape_of(pass, config);
    const std::vector<float> taps = strided_taps(pass.set(), bucket);

    Launch result;
    result.program = {"correlate_tiled.cl", "correlate_tiled", type_defines(pass)};
    result.program.defines["SEPARABLE"] = pass.separable() ? 1 : 0;
    result.program.defines["BUCKET"] = bucket;
    result.program.defines["ALIGNED"] = is_aligned(pass) ? 1 : 0;
    result.program.defines["EXACT"] = exact ? 1 : 0;
    for (const auto &[name, value] : config)
        result.program.defines[name] = value;
    result.range =
        batched_range(pass, ceil_div(g.width, shape.width), ceil_div(g.height, shape.height),
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
    return result;
}

Config shaped(int group_x, int group_y, int item_x, int item_y) {
    return {{"GROUP_X", group_x}, {"GROUP_Y", group_y}, {"ITEM_X", item_x}, {"ITEM_Y", item_y}};
}

// Measured on NVIDIA (H200, 16384x16384 f32). Tall items reuse what they load once there are enough
// taps to reuse it for, until their unrolled body outgrows the instruction cache.
Config fastest(const CorrelatePass &pass) {
    const int bucket = bucket_of(pass);
    if (bucket <= 3 && size_of(pass.src_type) == 4)
        return shaped(32, 4, 4, 4);
    if (bucket <= (pass.separable() ? 9 : 7))
        return bucket == 5 && size_of(pass.src_type) == 4 ? shaped(32, 8, 4, 8)
                                                          : shaped(32, 4, 4, 8);
    return bucket <= 15 ? shaped(32, 8, 4, 4) : shaped(32, 8, 4, 8);
}

// The fastest, then smaller ones for devices or images with less room.
std::vector<Config> preferred(const CorrelatePass &pass, const DeviceFacts &) {
    return {fastest(pass), shaped(16, 4, 4, 4), shaped(8, 8, 4, 4)};
}

std::string details(const CorrelatePass &pass, const Config &config) {
    return "tile " + describe(pass, shape_of(pass, config), is_aligned(pass));
}

} // namespace

CorrelateSpec correlate_tiled() {
    CorrelateSpec spec;
    spec.name = "correlate_tiled";
    spec.tunables = {
        {"GROUP_X", {8, 16, 32}}, {"GROUP_Y", {4, 8}}, {"ITEM_X", {4, 8}}, {"ITEM_Y", {4, 8}}};
    spec.refusal = [](const CorrelatePass &pass, const Config &) {
        return tap_refusal(pass, std::end(tap_buckets)[-1]);
    };
    spec.preferred = preferred;
    spec.work = work;
    spec.details = details;
    return spec;
}

} // namespace gz
