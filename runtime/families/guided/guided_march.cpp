// Guided filters for GPUs, whose groups march down strips. See cl/guided/guided_march.cl.
#include <algorithm>
#include <utility>

#include "families/guided/kernels.hpp"
#include "plan/rounds.hpp"

namespace gz {

namespace {

struct Settings {
    int lanes, rows, groups; // groups: of each core
};

const std::vector<Setting<Settings>> tunables = {
    {"LANES", &Settings::lanes, {64, 128, 256, 512, 1024}},
    {"ROWS", &Settings::rows, {4, 8, 16}},
    {"GROUPS", &Settings::groups, {1, 2, 3, 4, 6, 8, 12, 16, 32}}};

// Sums of columns go on for no more rows, which bounds their roundings.
constexpr std::int64_t most_rows = 2048;

// The sums of a stage.
int fields_of(const GuidedPass &pass) {
    return pass.stage == GuidedStage::slopes && pass.guides > 0 ? 4 : 2;
}

// Values whose running sums begin anew: about as many as a square has in a row, as a running sum has the roundings of
// all that it came through.
int segment_of(const GuidedPass &pass) {
    return pass.geometry.taps_x < 16 ? 16 : 32;
}

// Columns of squares whose sums along x are made anew for each: so few are added sooner than running sums are made of
// them, and without the roundings of these. Else 0.
int taps_of(const GuidedPass &pass) {
    return pass.geometry.taps_x <= 5 ? pass.geometry.taps_x : 0;
}

// Values before a strip that are summed too: up to the one before its first square, and in whole sectors of the cache.
std::int64_t apron_of(const GuidedPass &pass) {
    return 8 * ceil_div(pass.geometry.anchor_x + 1, 8);
}

// Values that a group makes in a row, in whole lines of the cache where that leaves out few. Not positive where squares
// are too wide.
std::int64_t strip_of(const GuidedPass &pass, const Settings &settings) {
    constexpr std::int64_t line = 32;
    const std::int64_t most = settings.lanes - apron_of(pass) - pass.geometry.anchor_x;
    return most >= 2 * line ? most / line * line : most;
}

// Strips of all slices; 1 where there is no image.
std::int64_t strips_of(const GuidedPass &pass, const Settings &settings) {
    return std::max<std::int64_t>(
        ceil_div(pass.geometry.width, strip_of(pass, settings)) * pass.batch(), 1);
}

// Bands are as high as leaves no more groups than the settings say, and no more rows than sums go on for.
std::int64_t band_of(const GuidedPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const std::int64_t rows = settings.rows;
    return std::min<std::int64_t>(rows_of_band(pass.geometry.height, strips_of(pass, settings),
                                               facts.cores() * settings.groups, rows),
                                  most_rows / rows * rows);
}

Work work(const GuidedPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const int lanes = settings.lanes, rows = settings.rows;
    const std::int64_t strip = strip_of(pass, settings);
    const std::int64_t band = band_of(pass, settings, facts);
    const int lines = fields_of(pass) * rows;
    const double size = g.taps_x;
    Launch result;
    result.program = {"guided/guided_march.cl", "guided_march", guided_defines(pass)};
    Defines &defines = result.program.defines;
    defines["LANES"] = lanes;
    defines["ROWS"] = rows;
    defines["TAPS"] = taps_of(pass);
    defines["SEGMENT"] = segment_of(pass);
    defines["STAGE"] = static_cast<int>(pass.stage);
    if (pass.stage == GuidedStage::results)
        defines["SRC_TYPE"] = static_cast<int>(PixelType::f32); // slopes and offsets
    result.range =
        batched_range(pass, ceil_div(g.width, strip), ceil_div(g.height, band), lanes, 1);
    result.arguments = images_of_stage(pass);
    const auto words = [](std::int64_t count) {
        return LocalMemory{static_cast<std::size_t>(count) * sizeof(float)};
    };
    const auto add = [&](Argument argument) { result.arguments.push_back(std::move(argument)); };
    add(by_value(static_cast<std::int32_t>(band)));
    add(by_value(static_cast<std::int32_t>(strip)));
    add(by_value(static_cast<std::int32_t>(apron_of(pass))));
    add(by_value(static_cast<float>(1.0 / (size * size))));
    add(words(std::int64_t{lines} * (lanes + 4)));
    add(words(std::int64_t{lines} * lanes / segment_of(pass)));
    add(words(2 * std::int64_t{rows}));
    return result;
}

std::string refusal(const GuidedPass &pass, const Settings &settings) {
    if (pass.channels != 1)
        return text("pixels have ", pass.channels, " channels");
    // Other strips may need 7 of 8 parts of the sums: that still takes less time than boxes step by step.
    return 8 * strip_of(pass, settings) < settings.lanes
               ? text("squares are too wide for ", settings.lanes, " lanes")
               : "";
}

// Returns how many groups of each core finish first, where so many of them run at a time. The rows of a group's first
// squares take it as long as two thirds as many others.
int fastest_groups(const GuidedPass &pass, Settings settings, int at_once,
                   const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const auto strips = static_cast<double>(strips_of(pass, settings));
    return of_least_cost(tunables.back().values, [&](int groups) {
        settings.groups = groups;
        const std::int64_t band = band_of(pass, settings, facts);
        const double rounds =
            rounds_after_start(strips * static_cast<double>(ceil_div(g.height, band)),
                               static_cast<double>(facts.cores() * at_once));
        return rounds * (static_cast<double>(band) + g.taps_y * 2.0 / 3.0);
    });
}

// Measured on NVIDIA (H200, 8192x8192): groups of 512 and 1024 items take 1.4 and 1.7 times as long as those of 256 for a
// column that they sum, and those of 128 longer than that, as their strips are narrow. Cores have registers for 512 items
// at a time. Steps of 16 rows save a tenth of the time of slopes of an image that guides itself, where bands are high
// enough; other stages have no registers for them, and other devices may have less local memory.
std::vector<Settings> preferred(const GuidedPass &pass, const DeviceFacts &facts) {
    constexpr int items = 512;
    constexpr std::int64_t high = 64;
    const bool may_be_16 = facts.device_class == DeviceClass::nvidia_gpu &&
                           pass.stage == GuidedStage::slopes && pass.guides == 0;
    std::vector<std::pair<double, Settings>> candidates;
    for (const auto &[lanes, cost] : {std::pair{128, 1.5}, {256, 1.0}, {512, 1.4}, {1024, 1.7}}) {
        const int most_fields = lanes > 512 ? 1 : lanes > 256 ? 2 : 4; // local memory for 8 rows
        Settings settings{
            .lanes = lanes, .rows = fields_of(pass) > most_fields ? 4 : 8, .groups = 1};
        const std::int64_t strip = strip_of(pass, settings);
        if (strip <= 0)
            continue;
        settings.groups = fastest_groups(pass, settings, std::max(items / lanes, 1), facts);
        if (may_be_16 && lanes <= 256 && band_of(pass, settings, facts) >= high)
            settings.rows = 16;
        candidates.emplace_back(cost * lanes / static_cast<double>(strip), settings);
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<Settings> result;
    for (const auto &candidate : candidates)
        result.push_back(candidate.second);
    return result;
}

} // namespace

Kernel guided_march() {
    KernelSpec<GuidedPass, Settings> spec;
    spec.name = "guided_march";
    spec.folder = "guided";
    spec.tunables = tunables;
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const GuidedPass &pass, const Settings &settings) {
        return text("strips of ", strip_of(pass, settings), " columns");
    };
    spec.rank = [](const GuidedPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = 2}(facts)};
    };
    return spec;
}

} // namespace gz
