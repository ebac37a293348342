// Means over boxes of pixels, by groups that march down strips in stacks of rows. See cl/box/box_march.cl.
#include <algorithm>
#include <utility>

#include "families/box/kernels.hpp"
#include "plan/rounds.hpp"

namespace gz {

namespace {

struct Settings {
    int lanes, stacks, segment, groups; // groups: of each core

    int items() const { return lanes * stacks; }
    int step() const { return 4 * stacks; } // rows, as in the kernel
};

const std::vector<Setting<Settings>> tunables = {
    {"LANES", &Settings::lanes, {32, 64, 128, 256}},
    {"STACKS", &Settings::stacks, {2, 4}},
    {"SEGMENT", &Settings::segment, {16, 32, 48, 64, 96, 128}},
    {"GROUPS", &Settings::groups, {1, 2, 4, 8, 16}}};

// NVIDIA's cores have registers for so many items of this kernel.
constexpr int most_items = 512;

// Values of a segment of a row: whole pixels.
int segment_of(const BoxPass &pass, const Settings &settings) {
    return pass.channels == 3 ? settings.segment / 2 * 3 : settings.segment;
}

std::int64_t segments_of(const BoxPass &pass, const Settings &settings) {
    return 4 * settings.lanes / segment_of(pass, settings);
}

std::int64_t radius_of(const BoxPass &pass) {
    return std::int64_t{pass.geometry.anchor_x} * pass.channels;
}

// Values before a strip that are summed too: up to the pixel before its first box, and in whole vectors.
std::int64_t apron_of(const BoxPass &pass) {
    return 4 * ceil_div(radius_of(pass) + pass.channels, 4);
}

// Values that a group makes in a row: the most that it has sums for, in whole lines of the cache where that leaves
// out few. Not positive where boxes are too wide.
std::int64_t strip_of(const BoxPass &pass, const Settings &settings) {
    constexpr std::int64_t line = 32;
    const std::int64_t most =
        segments_of(pass, settings) * segment_of(pass, settings) - apron_of(pass) - radius_of(pass);
    return most >= 2 * line ? most / line * line : most / 4 * 4;
}

// Strips of all slices; 1 where there is no image.
std::int64_t strips_of(const BoxPass &pass, const Settings &settings) {
    return std::max<std::int64_t>(
        ceil_div(pass.geometry.width, strip_of(pass, settings)) * pass.batch(), 1);
}

// Bands are as high as leaves no more groups than the settings say: cores that have one group more than others work
// while these wait.
std::int64_t band_of(const BoxPass &pass, const Settings &settings, const DeviceFacts &facts) {
    return rows_of_band(pass.geometry.height, strips_of(pass, settings),
                        facts.cores() * settings.groups, settings.step());
}

Work work(const BoxPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const int lanes = settings.lanes;
    const std::int64_t strip = strip_of(pass, settings);
    const std::int64_t band = band_of(pass, settings, facts);

    Launch result;
    result.program = {"box/box_march.cl", "box_march", box_defines(pass)};
    result.program.defines["LANES"] = lanes;
    result.program.defines["STACKS"] = settings.stacks;
    result.program.defines["SEGMENT"] = settings.segment;
    result.program.defines["ALIGNED"] = pass.alignment >= 4 ? 1 : 0;
    result.range = batched_range(pass, ceil_div(g.width, strip), ceil_div(g.height, band),
                                 settings.items(), 1);
    const auto vectors = [](std::int64_t count) {
        return LocalMemory{static_cast<std::size_t>(count) * 4 * sizeof(float)};
    };
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(static_cast<std::int32_t>(band)),
                        by_value(static_cast<std::int32_t>(strip)),
                        by_value(static_cast<std::int32_t>(apron_of(pass))),
                        by_value(area_of(pass)),
                        by_value(share_of(pass)),
                        vectors(settings.items()),
                        vectors(std::int64_t{settings.step()} * (lanes + 1)),
                        vectors(segments_of(pass, settings) * pass.channels * settings.stacks),
                        vectors(settings.step())};
    append_other(pass, result);
    return result;
}

// Whether boxes are too narrow: a box is less than the running sums that it is the difference of, whose roundings it has.
bool is_too_narrow(const BoxPass &pass, const Settings &settings) {
    constexpr int most_of_box = 8;
    return sum_of(pass) == BoxSum::f32 &&
           segment_of(pass, settings) / pass.channels > most_of_box * pass.geometry.taps_x;
}

std::string refusal(const BoxPass &pass, const Settings &settings) {
    if (sum_of(pass) == BoxSum::i64)
        return "sums of boxes need more than 32 bits";
    if (settings.items() > most_items)
        return text("groups have more than ", most_items, " items");
    // No more than half of what is summed may belong to other strips.
    if (strip_of(pass, settings) < 2 * settings.lanes)
        return text("boxes are too wide for ", settings.lanes, " lanes");
    // Sums on the way are of a box and the segments where it starts and ends.
    const int pixels = segment_of(pass, settings) / pass.channels;
    const double most =
        largest_of_columns(pass) * (static_cast<double>(pass.geometry.taps_x) + 2 * pixels);
    if (sum_of(pass) == BoxSum::i32 && most >= 0x1p31)
        return "sums of boxes need more than 32 bits";
    if (is_too_narrow(pass, settings))
        return text("boxes are too narrow for segments of ", pixels, " pixels");
    return "";
}

// Returns how many groups of each core finish first, where so many of them run at a time: a group starts slowly, with the
// rows of its first boxes. The fastest of radii of 15 and 50 of 16384x16384, 4096x4096 and 1920x1080 f32 on an H200.
int fastest_groups(const BoxPass &pass, Settings settings, int at_once, const DeviceFacts &facts) {
    constexpr double first_rows = 16;
    const Geometry &g = pass.geometry;
    const auto band_with = [&](int groups) {
        settings.groups = groups;
        return band_of(pass, settings, facts);
    };
    return soonest_of(tunables.back().values, static_cast<double>(strips_of(pass, settings)),
                      g.height, static_cast<double>(facts.cores() * at_once), g.taps_y + first_rows,
                      band_with, lost_with_edges_first);
}

// Boxes of few segments take fewer sums, and few values of a row may be left over. Measured on an H200, radii of 15 to 100:
// 0.8 to 1.0 of the time of segments of 32.
int fastest_segment(int channels, int lanes) {
    if (lanes < 128)
        return 32;
    if (channels == 3)
        return lanes < 256 ? 64 : 96;
    return channels == 1 ? 64 : 128;
}

// The radius alone decides on the program, so that a new size of image compiles nothing: strips that are mostly aprons take
// more lanes. Groups of 256 lanes are slower where others fit.
std::vector<Settings> preferred(const BoxPass &pass, const DeviceFacts &facts) {
    std::vector<Settings> result;
    for (const auto &[lanes, stacks] : {std::pair{64, 4}, {128, 4}, {256, 2}}) {
        Settings settings{.lanes = lanes,
                          .stacks = stacks,
                          .segment = fastest_segment(pass.channels, lanes),
                          .groups = 1};
        while (is_too_narrow(pass, settings) && settings.segment > 16)
            settings.segment = settings.segment > 32 ? 32 : 16;
        if (strip_of(pass, settings) > 0)
            settings.groups = fastest_groups(pass, settings, most_items / settings.items(), facts);
        result.push_back(settings);
    }
    if (strip_of(pass, result[1]) < 2 * result[1].lanes) // which is refused
        std::swap(result[0], result[2]);
    else if (strip_of(pass, result[0]) < 3 * result[0].lanes)
        std::swap(result[0], result[1]);
    return result;
}

} // namespace

Kernel box_march() {
    KernelSpec<BoxPass, Settings> spec;
    spec.name = "box_march";
    spec.folder = "box";
    spec.tunables = tunables;
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const BoxPass &pass, const Settings &settings) {
        return text("strips of ", strip_of(pass, settings), " values",
                    pass.alignment >= 4 ? ", aligned vectors" : ", unaligned");
    };
    // Measured on NVIDIA (H200), radii of 15 and 50: 0.3 to 0.85 of the time of box_columns and box_tiled. Of no other
    // device is anything known.
    spec.rank = [](const BoxPass &, const Settings &, const DeviceFacts &facts) {
        if (facts.device_class == DeviceClass::nvidia_gpu)
            return Rank{6};
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = 3}(facts)};
    };
    return spec;
}

} // namespace gz
