// Correlation by tiles with four classes of groups. See cl/correlate/correlate_tiled.cl.
#include "families/correlate/dense_tile.hpp"
#include "families/correlate/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group_x, group_y, item_x, item_y, apart;
};

const std::vector<Setting<Settings>> tunables = {{"GROUP_X", &Settings::group_x, {8, 16, 32}},
                                                 {"GROUP_Y", &Settings::group_y, {4, 8}},
                                                 {"ITEM_X", &Settings::item_x, {4, 8}},
                                                 {"ITEM_Y", &Settings::item_y, {2, 4, 8}},
                                                 // 1: free groups in a launch of their own
                                                 {"APART", &Settings::apart, {0, 1}}};

TileShape shape_of(const CorrelatePass &pass, const Settings &settings) {
    return tile_shape(pass, settings.group_x * settings.item_x, settings.group_y * settings.item_y);
}

// Returns the most registers that an item may take; 0: as many as the compiler likes. Measured on NVIDIA (H200), parts of
// the time without: 5x5 taps of f32 0.88, and 0.92 of what they took with 8 rows an item, of u8 0.97; 7x7 of f32 0.96;
// 15x15 of f32 0.95, of u8 0.97, as more items wait for instructions of long code. Small groups, which small images get:
// 5x5 and 7x7 of f32 0.85 in 1920x1080, 0.97 in 4096x4096.
int most_registers(const CorrelatePass &pass, const Settings &settings) {
    if (pass.channels != 1 || pass.src_type != pass.dst_type || pass.separable() ||
        settings.apart || settings.item_x != 4)
        return 0;
    const int bucket = bucket_of(pass);
    const auto is = [&](int group_x, int group_y, int item_y) {
        return settings.group_x == group_x && settings.group_y == group_y &&
               settings.item_y == item_y;
    };
    if (bucket == 15 && is(32, 8, 4))
        return pass.src_type == PixelType::f32 || pass.src_type == PixelType::u8 ? 40 : 0;
    if (pass.src_type == PixelType::f32)
        return bucket == 5 && is(32, 4, 4)                   ? 56
               : bucket == 7 && is(32, 4, 8)                 ? 60
               : (bucket == 5 || bucket == 7) && is(8, 4, 4) ? 64
                                                             : 0;
    if (pass.src_type == PixelType::u8)
        return bucket == 5 && is(8, 4, 8) ? 56 : 0;
    return 0;
}

// Groups of a launch: PART of the kernel.
enum class Part { all, free, others };

Launch launch_of(const CorrelatePass &pass, const Settings &settings, const DeviceFacts &facts,
                 Part part) {
    const Geometry &g = pass.geometry;
    const int bucket = bucket_of(pass);
    const bool exact = has_exact_body(bucket, facts);
    const TileShape shape = shape_of(pass, settings);
    const TileClasses classes = classify(g, pass.channels, shape);
    const std::vector<float> taps = strided_taps(pass.set(), bucket);
    const auto taps_bytes = bytes_of(taps.data(), taps.size());
    const bool has_values =
        exact && part != Part::others && facts.takes_by_value(taps_bytes.size());

    Launch result;
    result.program = {"correlate/correlate_tiled.cl", "correlate_tiled",
                      pixel_defines(pass, facts)};
    result.program.defines["SEPARABLE"] = pass.separable() ? 1 : 0;
    result.program.defines["BUCKET"] = bucket;
    result.program.defines["ALIGNED"] = has_vectors(pass) ? 1 : 0;
    result.program.defines["EXACT"] = exact ? 1 : 0;
    result.program.defines["BY_VALUE"] = has_values ? 1 : 0;
    result.program.defines["PART"] = static_cast<int>(part);
    add_defines(result.program.defines, tunables, settings);
    result.program.defines.erase("APART");
    limit_registers(result.program.defines, most_registers(pass, settings), facts);

    const std::int64_t columns = ceil_div(g.width, shape.width);
    const std::int64_t rows = ceil_div(g.height, shape.height);
    const std::int64_t free_columns = classes.free_right - classes.free_left;
    const std::int64_t free_rows = classes.free_bottom - classes.free_top;
    const auto range = [&](std::int64_t across, std::int64_t down) {
        return batched_range(pass, across, down, settings.group_x, settings.group_y);
    };
    result.range = part == Part::all    ? range(columns, rows)
                   : part == Part::free ? range(free_columns, free_rows)
                                        : range(columns * rows - free_columns * free_rows, 1);

    result.arguments = {SourceBuffer(), TargetBuffer(), by_value(g), by_value(classes)};
    if (has_values)
        result.arguments.emplace_back(ByValue{taps_bytes});
    result.arguments.emplace_back(ConstantData{taps_bytes});
    if (part == Part::others)
        result.arguments.emplace_back(by_value(static_cast<std::int32_t>(columns)));
    const auto tile_rows = static_cast<std::size_t>(shape.height + g.taps_y - 1);
    const auto tile_width = static_cast<std::size_t>(shape.width + (g.taps_x - 1) * pass.channels);
    if (part != Part::free)
        result.arguments.emplace_back(LocalMemory{tile_rows * tile_width * sizeof(float)});
    return result;
}

Work work(const CorrelatePass &pass, const Settings &settings, const DeviceFacts &facts) {
    const TileClasses classes = classify(pass.geometry, pass.channels, shape_of(pass, settings));
    const bool has_free =
        classes.free_right > classes.free_left && classes.free_bottom > classes.free_top;
    if (!settings.apart || !has_free)
        return launch_of(pass, settings, facts, Part::all);
    Work result;
    result.launches = {launch_of(pass, settings, facts, Part::free)};
    Launch others = launch_of(pass, settings, facts, Part::others);
    if (others.range.global[0] > 0)
        result.launches.push_back(std::move(others));
    return result;
}

Settings shaped(int group_x, int group_y, int item_x, int item_y) {
    return {.group_x = group_x, .group_y = group_y, .item_x = item_x, .item_y = item_y, .apart = 0};
}

// Small images wait for memory and for code: more groups, of items of few rows, pay. Measured on NVIDIA (H200), 1024x1024 to
// 4096x4096 f32 and u8 and 1920x1080 with three channels: 0.66 to 0.97 of the time of large images' shapes.
Settings fastest_of_small(const CorrelatePass &pass) {
    const int bucket = bucket_of(pass);
    const bool is_larger = pass.values() > most_of_small / 2;
    if (bucket > 3 && is_larger && size_of(pass.src_type) == 1)
        return shaped(8, 8, 4, 4);
    const bool is_wide =
        bucket == 7 || bucket == 15 || (bucket == 5 && (is_larger || pass.channels > 1));
    return is_wide ? shaped(16, 8, 4, 2) : shaped(8, 8, 4, 2);
}

// Measured on NVIDIA (H200, 16384x16384 f32). Tall items reuse what they load once there are enough
// taps to reuse it for, until their unrolled body outgrows the instruction cache.
Settings fastest(const CorrelatePass &pass, const DeviceFacts &facts) {
    const int bucket = bucket_of(pass);
    if (facts.device_class == DeviceClass::nvidia_gpu && !pass.separable() && bucket <= 15 &&
        pass.values() <= most_of_small)
        return fastest_of_small(pass);
    if (bucket == 5 && facts.caps_registers && most_registers(pass, shaped(32, 4, 4, 4)) > 0)
        return shaped(32, 4, 4, 4);
    if (bucket == 5 && pass.channels == 3 && !pass.separable() && size_of(pass.src_type) == 4)
        return shaped(32, 4, 4, 8);
    if (bucket <= 3 && size_of(pass.src_type) == 4)
        return shaped(32, 4, 4, 4);
    if (bucket == 5 && facts.caps_registers && most_registers(pass, shaped(8, 4, 4, 8)) > 0)
        return shaped(8, 4, 4, 8); // u8: 0.94 of the time of 32x4 items
    if (bucket <= (pass.separable() ? 9 : 7))
        return bucket == 5 && size_of(pass.src_type) == 4 ? shaped(32, 8, 4, 8)
                                                          : shaped(32, 4, 4, 8);
    if (bucket <= 11 && pass.channels == 3 && !pass.separable() && size_of(pass.src_type) == 4)
        return shaped(32, 4, 4, 8); // measured on an H100
    return bucket <= 15 ? shaped(32, 8, 4, 4) : shaped(32, 8, 4, 8);
}

// Returns the fastest shape, then smaller ones for devices or images with less room. Where groups share a core's local
// memory, free groups go without: with it, as few would run at once as the others.
std::vector<Settings> preferred(const CorrelatePass &pass, const DeviceFacts &facts) {
    std::vector<Settings> result = {fastest(pass, facts), shaped(32, 8, 4, 4), shaped(32, 4, 4, 4),
                                    shaped(16, 4, 4, 4), shaped(8, 8, 4, 4)};
    for (Settings &settings : result)
        settings.apart = facts.local_memory_is_of_core ? 1 : 0;
    return result;
}

std::string details(const CorrelatePass &pass, const Settings &settings) {
    return "tile " + describe(pass, shape_of(pass, settings), has_vectors(pass));
}

} // namespace

Kernel correlate_tiled() {
    KernelSpec<CorrelatePass, Settings> spec;
    spec.name = "correlate_tiled";
    spec.folder = "correlate";
    spec.tunables = tunables;
    spec.refusal = [](const CorrelatePass &pass, const Settings &) {
        return tap_refusal(pass, std::end(tap_buckets)[-1]);
    };
    spec.preferred = preferred;
    spec.work = work;
    spec.details = details;
    spec.rank = [](const CorrelatePass &pass, const auto &, const DeviceFacts &facts) {
        return CorrelateRank{.strips = 3,
                             .plain_gpu = 2,
                             .few_taps = 4,
                             .separable = 4,
                             .nothing_shared = 5,
                             .tiles = 6}(pass, facts);
    };
    return spec;
}

} // namespace gz
