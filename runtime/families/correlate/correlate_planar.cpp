// Dense taps over pixels of several components, by tiles that have each by itself. See cl/correlate/correlate_planar.cl.
#include "families/correlate/dense_tile.hpp"
#include "families/correlate/kernels.hpp"

namespace gz {

namespace {

constexpr int quad = 4; // results of an item side by side

struct Settings {
    int quads, group_y, item_y;
};

const std::vector<Setting<Settings>> tunables = {{"QUADS", &Settings::quads, {8, 16}},
                                                 {"GROUP_Y", &Settings::group_y, {2, 4, 8}},
                                                 {"ITEM_Y", &Settings::item_y, {2, 4, 8}}};

constexpr int most_taps = 31;     // along an axis
constexpr std::int64_t slack = 8; // floats that the last vectors of taps read beyond a tile

TileShape shape_of(const CorrelatePass &pass, const Settings &settings) {
    return tile_shape(pass, settings.quads * quad * pass.channels,
                      settings.group_y * settings.item_y);
}

Work work(const CorrelatePass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const int bucket = bucket_of(pass);
    const bool exact = has_exact_body(bucket, facts);
    const TileShape shape = shape_of(pass, settings);
    const std::vector<float> taps = strided_taps(pass.set(), bucket);
    const auto taps_bytes = bytes_of(taps.data(), taps.size());
    const bool by_value = exact && facts.takes_by_value(taps_bytes.size());

    Launch result;
    result.program = {"correlate/correlate_planar.cl", "correlate_planar",
                      pixel_defines(pass, facts)};
    result.program.defines["BUCKET"] = bucket;
    result.program.defines["ALIGNED"] = has_vectors(pass) ? 1 : 0;
    result.program.defines["EXACT"] = exact ? 1 : 0;
    result.program.defines["BY_VALUE"] = by_value ? 1 : 0;
    add_defines(result.program.defines, tunables, settings);
    result.range =
        batched_range(pass, ceil_div(g.width, shape.width), ceil_div(g.height, shape.height),
                      settings.quads * pass.channels, settings.group_y);
    result.arguments = {SourceBuffer(), TargetBuffer(), gz::by_value(g),
                        gz::by_value(classify(g, pass.channels, shape))};
    if (by_value)
        result.arguments.emplace_back(ByValue{taps_bytes});
    result.arguments.emplace_back(ConstantData{taps_bytes});
    const std::int64_t pitch = quad * (settings.quads + ceil_div(g.taps_x - 1, quad));
    const std::int64_t floats = pass.channels * pitch * (shape.height + g.taps_y - 1) + slack;
    result.arguments.emplace_back(LocalMemory{static_cast<std::size_t>(floats) * sizeof(float)});
    return result;
}

std::string refusal(const CorrelatePass &pass, const Settings &settings) {
    if (std::string reason = tap_refusal(pass, most_taps); !reason.empty())
        return reason;
    if (pass.separable())
        return "the taps are separable";
    if (pass.channels == 1)
        return "pixels have one component";
    const int group = settings.quads * pass.channels * settings.group_y;
    return group < 32 || group > 512 ? text("groups would be of ", group, " items") : "";
}

bool is_small(const CorrelatePass &pass) {
    return pass.values() <= most_of_small;
}

// Measured on NVIDIA (H200), beside correlate_tiled: three channels of 15x15 f32 take 0.86 of the time, of 1920x1080 0.62, and
// 0.59 with 11x11; four channels of 11x11 0.77, u8 of three 0.88. Where it was slower: three channels of up to 11x11 of
// large f32 images, 1.15 to 1.3 of the time, and two of 15x15, 1.03. 9x9 of small images by estimate.
bool is_fastest(const CorrelatePass &pass) {
    const int bucket = bucket_of(pass);
    if (pass.channels < 3 || bucket < 9 || bucket > 15)
        return false;
    if (bucket == 15 || is_small(pass))
        return true;
    return bucket == 11 && (pass.channels == 4 || size_of(pass.src_type) == 1);
}

std::vector<Settings> preferred(const CorrelatePass &pass, const DeviceFacts &) {
    const Settings wide{.quads = 16, .group_y = 4, .item_y = 4};
    const Settings first = bucket_of(pass) >= 15 ? Settings{.quads = 8, .group_y = 8, .item_y = 4}
                           : is_small(pass)      ? Settings{.quads = 16, .group_y = 8, .item_y = 2}
                                                 : wide;
    return {first, wide, {.quads = 8, .group_y = 4, .item_y = 2}};
}

} // namespace

Kernel correlate_planar() {
    KernelSpec<CorrelatePass, Settings> spec;
    spec.name = "correlate_planar";
    spec.folder = "correlate";
    spec.tunables = tunables;
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const CorrelatePass &pass, const Settings &settings) {
        return "tile " + describe(pass, shape_of(pass, settings), has_vectors(pass));
    };
    spec.rank = [](const CorrelatePass &pass, const auto &, const DeviceFacts &facts) {
        const bool wanted = facts.device_class == DeviceClass::nvidia_gpu && is_fastest(pass);
        return Rank{wanted ? 7 : 0};
    };
    return spec;
}

} // namespace gz
