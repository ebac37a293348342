// Separable correlation of rows that stream through local memory once. See cl/correlate/separable_stream.cl.
#include "families/correlate/separable_stream.hpp"

#include <algorithm>

#include "families/correlate/kernels.hpp"
#include "plan/rounds.hpp"

namespace gz {

namespace {

struct Settings {
    int group, row_item, column_x, groups; // groups: of each core
};

const std::vector<Setting<Settings>> tunables = {
    {"GROUP", &Settings::group, {64, 128, 256}},
    {"ROW_ITEM", &Settings::row_item, {8, 16, 32}},
    {"COLUMN_X", &Settings::column_x, {1, 2, 4}},
    {"GROUPS", &Settings::groups, {2, 4, 6, 8, 12, 16, 24, 32}}};

constexpr int most_taps = 63;
constexpr int most_sums = 128; // that an item keeps: more would not fit its registers

// Values that a group makes of a row, and rows that it filters at a time.
int strip_of(const Settings &settings) {
    return settings.group * settings.column_x;
}

int rows_of(const Settings &settings) {
    return settings.row_item / settings.column_x;
}

int sums_of(const CorrelatePass &pass, const Settings &settings) {
    return tap_bucket(pass.geometry.taps_y).most * settings.column_x;
}

// Rows of results that a group makes: as many as leave no more groups than the settings say, and whole steps.
std::int64_t band_of(const CorrelatePass &pass, const Settings &settings,
                     const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const std::int64_t bands = std::max<std::int64_t>(
        facts.cores() * settings.groups / strips_of(pass, strip_of(settings)), 1);
    const std::int64_t apron = g.taps_y - 1;
    return ceil_div(ceil_div(g.height, bands) + apron, rows_of(settings)) * rows_of(settings) -
           apron;
}

std::string refusal(const CorrelatePass &pass, const Settings &settings) {
    if (std::string reason = separable_refusal(pass, most_taps, true); !reason.empty())
        return reason;
    if (rows_of(settings) < 8)
        return text(rows_of(settings), " rows at a time are too few");
    const int sums = sums_of(pass, settings);
    return sums > most_sums ? text(sums, " sums an item are too many") : "";
}

// Returns the most registers that an item may take; 0: as many as the compiler likes. Measured on NVIDIA (H200, f32 of
// three channels): 11 and 15 taps take 0.965 of the time, as five groups run at a time for four.
int most_registers(const CorrelatePass &pass, const Settings &settings) {
    const int taps = tap_bucket(pass.geometry.taps_y).most;
    return pass.channels == 3 && pass.src_type == PixelType::f32 && settings.group == 128 &&
                   settings.column_x == 2 && taps >= 11 && taps <= 15
               ? 96
               : 0;
}

Work work(const CorrelatePass &given, const Settings &settings, const DeviceFacts &facts) {
    const CorrelatePass pass = with_denormals(given, facts);
    const Geometry &g = pass.geometry;
    const TapBucket along_x = tap_bucket(g.taps_x);
    const TapBucket along_y = tap_bucket(g.taps_y);
    const bool exact = fills_buckets(pass);
    const int shift = shift_of_vectors(pass);
    const int most_shift = exact || !has_vectors(pass) ? shift : 3;
    const int strip = strip_of(settings);
    const int rows = rows_of(settings);
    const int vectors =
        static_cast<int>(ceil_div(most_shift + strip + (along_x.most - 1) * pass.channels, 4));
    const std::int64_t band = band_of(pass, settings, facts);

    Launch result;
    result.program = {"correlate/separable_stream.cl", "separable_stream",
                      bucketed_defines(pass, facts)};
    Defines &defines = result.program.defines;
    defines["ALIGNED"] = has_vectors(pass) ? 1 : 0;
    defines["SHIFT"] = exact || !has_vectors(pass) ? shift : -1;
    defines["VECTORS"] = vectors;
    defines["GROUP"] = settings.group;
    defines["ROW_ITEM"] = settings.row_item;
    defines["COLUMN_X"] = settings.column_x;
    defines["FRAMES"] = 0;
    limit_registers(defines, most_registers(pass, settings), facts);
    result.range =
        batched_range(pass, ceil_div(g.width, strip), ceil_div(g.height, band), settings.group, 1);
    CorrelatePass upward = pass; // taps along y in reverse
    std::vector<float> &taps = upward.sets.front().taps;
    std::reverse(taps.begin() + g.taps_x, taps.end());
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        taps_argument(defines, bucketed_taps(upward, along_x, along_y), facts),
                        by_value(static_cast<std::int32_t>(band)),
                        by_value(static_cast<std::int32_t>(shift)),
                        local_vectors(rows * (vectors | 1)),
                        local_vectors(rows * (strip / 4 + 1)),
                        local_vectors(vectors)};
    append_other(pass.subtraction, result);
    return result;
}

// Returns how many groups run at a time on a core of NVIDIA's, by the registers that its compiler gives items.
int groups_at_once(const CorrelatePass &pass, const Settings &settings) {
    return groups_of_registers(64 + sums_of(pass, settings) * 3 / 2, settings.group);
}

// Returns how many groups of each core finish first: a group starts slowly.
int fastest_groups(const CorrelatePass &pass, Settings settings, const DeviceFacts &facts) {
    constexpr int first_rows = 8; // for which a group could march in the time that its start takes
    const Geometry &g = pass.geometry;
    const std::int64_t at_once = facts.cores() * groups_at_once(pass, settings);
    return soonest_of(tunables.back().values,
                      static_cast<double>(strips_of(pass, strip_of(settings))), g.height,
                      static_cast<double>(at_once), g.taps_y + first_rows, [&](int groups) {
                          settings.groups = groups;
                          return band_of(pass, settings, facts);
                      });
}

// Measured on NVIDIA (H200). Strips are wide beside their aprons. Taps that may not exist are asked for less often by
// items of two columns; the sums of longer ones leave no registers for these, or for large groups.
Settings shape_of(const CorrelatePass &pass) {
    const Geometry &g = pass.geometry;
    const int most_for_two = fills_buckets(pass) ? 21 : 31;
    const bool several = pass.channels > 1;
    const bool two = (several || !fills_buckets(pass)) && g.taps_y <= most_for_two;
    const bool wide_apron = (g.taps_x - 1) * pass.channels > 64 && g.taps_y <= 21;
    return {.group = several && (!two || wide_apron) ? 256 : 128,
            .row_item = 16,
            .column_x = two ? 2 : 1,
            .groups = 1};
}

std::vector<Settings> preferred(const CorrelatePass &pass, const DeviceFacts &facts) {
    // Smaller groups follow for wide aprons, and for devices with less room.
    std::vector<Settings> result{{.group = 128, .row_item = 16, .column_x = 1, .groups = 2},
                                 {.group = 64, .row_item = 8, .column_x = 1, .groups = 2}};
    if (!separable_refusal(pass, most_taps, true).empty())
        return result;
    result.insert(result.begin(), shape_of(pass));
    for (Settings &settings : result)
        settings.groups = fastest_groups(pass, settings, facts);
    return result;
}

} // namespace

bool streams_best(const CorrelatePass &pass, const DeviceFacts &facts) {
    if (facts.device_class != DeviceClass::nvidia_gpu ||
        !separable_refusal(pass, most_taps, true).empty())
        return false;
    const int taps = std::max(pass.geometry.taps_x, pass.geometry.taps_y);
    const bool integers = facts_of(pass.src_type).is_integer;
    // One launch for two where frames follow, f32 of one and three channels: 0.43 to 0.95 of the time from 512x512 to
    // 8192x8192, but 1.03 for 5 taps of 16384x16384, and 1.23 for 29, which do not fill their program, of 1920x1080.
    constexpr int few_taps = 5, most_unfilled = 19;
    constexpr std::int64_t large = std::int64_t{1} << 26; // pixels
    if (pass.has_frames && !integers && (taps <= most_unfilled || fills_buckets(pass)) &&
        (taps > few_taps || pass.values() / pass.channels < large))
        return true;
    const bool several = pass.channels > (integers ? 2 : 1);
    const int one = pass.src_type == PixelType::f16 ? 11 : 12;
    const int least = integers ? (several ? 15 : 46) : (several ? 9 : one);
    if (taps < least)
        return false;
    // Bands may not be too low for their apron: tiles do with fewer rows. More than 31 taps that do not fill their program
    // pay in large images only: 4096x4096 f32 took 1.2 times as long as in tiles.
    const int aprons = integers && several   ? 4
                       : several             ? 2
                       : taps <= 31          ? 3
                       : fills_buckets(pass) ? 1
                                             : 32;
    const Settings settings = shape_of(pass);
    const std::int64_t rows = pass.geometry.height * strips_of(pass, strip_of(settings));
    const std::int64_t at_once = facts.cores() * groups_at_once(pass, settings);
    return rows >= aprons * at_once * (pass.geometry.taps_y - 1);
}

Kernel separable_stream() {
    KernelSpec<CorrelatePass, Settings> spec;
    spec.name = "separable_stream";
    spec.folder = "correlate";
    spec.tunables = tunables;
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const CorrelatePass &pass, const Settings &settings) {
        return text("strips of ", strip_of(settings), " values, ", rows_of(settings),
                    " rows at a time", has_vectors(pass) ? ", aligned vectors" : ", unaligned");
    };
    spec.rank = [](const CorrelatePass &pass, const Settings &, const DeviceFacts &facts) {
        if (streams_best(pass, facts))
            return Rank{7};
        // The other kernel that subtracts an image reads all pixels of a window for each result.
        const bool is_fastest_of_two = pass.subtraction != Subtraction::none && pass.separable() &&
                                       habit_of(facts) == GroupHabit::tiles;
        return Rank{is_fastest_of_two ? 4 : 0};
    };
    return spec;
}

} // namespace gz
