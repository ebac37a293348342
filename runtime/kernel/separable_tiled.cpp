// Separable correlation in one pass by way of local memory. See cl/separable_tiled.cl.
#include <algorithm>

#include "kernel/kernels.hpp"
#include "kernel/tile_classes.hpp"

namespace gz {

namespace {

constexpr int vector_width = 4; // values of an aligned read

constexpr int most_taps = 45;

bool is_aligned(const CorrelatePass &pass) {
    return pass.alignment >= vector_width;
}

// Vectors from a row in local memory to the next: see ODD_PITCH in the kernel.
int odd_pitch(int vectors) {
    return (vectors + 6) / 8 * 8 + 1;
}

int rounded_up(int value) {
    return (value + vector_width - 1) / vector_width * vector_width;
}

TileShape shape_of(const CorrelatePass &pass, const Config &config) {
    const Geometry &g = pass.geometry;
    TileShape shape;
    shape.width = config.at("TILE_X");
    shape.height = config.at("BAND");
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

std::string refusal(const CorrelatePass &pass, const Config &config) {
    if (std::string reason = tap_refusal(pass, most_taps); !reason.empty())
        return reason;
    if (!pass.separable())
        return "the taps are not separable";
    // A group reads whole rows of its tile at a time.
    const int group =
        config.at("TILE_X") / config.at("COLUMN_X") * (config.at("STEP_Y") / config.at("COLUMN_Y"));
    return group % (config.at("TILE_X") / vector_width) == 0 ? "" : "its groups are too small";
}

Work work(const CorrelatePass &pass, const Config &config, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const TapBucket along_x = tap_bucket(g.taps_x);
    const TapBucket along_y = tap_bucket(g.taps_y);
    const TileShape shape = shape_of(pass, config);
    const int group =
        config.at("TILE_X") / config.at("COLUMN_X") * (config.at("STEP_Y") / config.at("COLUMN_Y"));

    const std::vector<std::byte> bytes = bucketed_taps(pass, along_x, along_y);

    Launch result;
    result.program = {"separable_tiled.cl", "separable_tiled", type_defines(pass)};
    Defines &defines = result.program.defines;
    defines["LEAST_X"] = along_x.least;
    defines["BUCKET_X"] = along_x.most;
    defines["LEAST_Y"] = along_y.least;
    defines["BUCKET_Y"] = along_y.most;
    defines["ALIGNED"] = is_aligned(pass) ? 1 : 0;
    defines["BY_VALUE"] = facts.misreads_arguments ? 0 : 1;
    for (const auto &[name, value] : config)
        if (name != "BAND") // an argument: it depends on the image's size
            defines[name] = value;
    result.range =
        batched_range(pass, parts(g.width, shape.width), parts(g.height, shape.height), group, 1);
    const int step = config.at("STEP_Y");
    const int vectors = (shape.width + (along_x.most - 1) * pass.channels + 6) / vector_width;
    // Told, not worked out in the kernel: Oclgrind 21.10 errs in the i2 that Clang makes of x & 3.
    const int shift = -(g.anchor_x * pass.channels) & (vector_width - 1);
    const auto raw = static_cast<std::size_t>(step * odd_pitch(vectors));
    const auto ring =
        static_cast<std::size_t>((step + along_y.most - 1) * odd_pitch(shape.width / vector_width));
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(classify(g, pass.channels, shape)),
                        facts.misreads_arguments ? Argument(ConstantData{bytes})
                                                 : Argument(ByValue{bytes}),
                        by_value(static_cast<std::int32_t>(config.at("BAND"))),
                        by_value(static_cast<std::int32_t>(shift)),
                        LocalMemory{raw * vector_width * sizeof(float)},
                        LocalMemory{ring * vector_width * sizeof(float)}};
    return result;
}

Config shaped(int tile_x, int step_y, int row_item, int column_x, int column_y, int band) {
    return {{"TILE_X", tile_x},     {"STEP_Y", step_y},     {"ROW_ITEM", row_item},
            {"COLUMN_X", column_x}, {"COLUMN_Y", column_y}, {"BAND", band}};
}

// High bands filter few rows twice, but leave fewer groups to share the work.
int band_of(const CorrelatePass &pass, int tile_x, const DeviceFacts &facts) {
    const std::int64_t strips = parts(pass.geometry.width, tile_x) * pass.batch();
    int band = 512;
    while (band > 32 && strips * parts(pass.geometry.height, band) < 8 * facts.compute_units)
        band /= 4;
    return band;
}

// Measured on NVIDIA (H200, 16384x16384 f32): few taps want many items, many taps want each item to
// make more of what it reads. Then a smaller one for devices or taps with less room.
std::vector<Config> preferred(const CorrelatePass &pass, const DeviceFacts &facts) {
    const int taps = std::max(pass.geometry.taps_x, pass.geometry.taps_y);
    std::vector<Config> result;
    if (taps <= 11)
        result.push_back(shaped(128, 32, 8, 2, 8, band_of(pass, 128, facts)));
    if (taps > 11 && taps <= 15)
        result.push_back(shaped(128, 32, 16, 4, 8, band_of(pass, 128, facts)));
    if (taps > 15 && taps <= 21)
        result.push_back(shaped(128, 16, 8, 2, 8, band_of(pass, 128, facts)));
    result.push_back(shaped(64, 32, 16, 4, 8, band_of(pass, 64, facts)));
    result.push_back(shaped(64, 16, 8, 2, 8, band_of(pass, 64, facts)));
    return result;
}

std::string details(const CorrelatePass &pass, const Config &config) {
    return "strips of " + describe(pass, shape_of(pass, config), is_aligned(pass));
}

} // namespace

CorrelateSpec separable_tiled() {
    CorrelateSpec spec;
    spec.name = "separable_tiled";
    spec.tunables = {{"TILE_X", {64, 128}}, {"STEP_Y", {16, 32}},  {"ROW_ITEM", {8, 16}},
                     {"COLUMN_X", {2, 4}},  {"COLUMN_Y", {8, 16}}, {"BAND", {32, 128, 512}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = details;
    return spec;
}

} // namespace gz
