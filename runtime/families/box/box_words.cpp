// Means over boxes of integers, by groups that march down strips and read words. See cl/box/box_words.cl.
#include <algorithm>
#include <limits>
#include <utility>

#include "families/box/kernels.hpp"
#include "plan/rounds.hpp"

namespace gz {

namespace {

struct Settings {
    int lanes, rows, groups; // groups: of each core
};

const std::vector<Setting<Settings>> tunables = {
    {"LANES", &Settings::lanes, {96, 192, 384}},
    {"ROWS", &Settings::rows, {4, 8}},
    {"GROUPS", &Settings::groups, {1, 2, 3, 4, 6, 8, 12, 16, 32}}};

// These match the kernel's constants.
constexpr int part = 12;
constexpr int listed = 64;

// Values of a word.
std::int64_t per_word(const BoxPass &pass) {
    return 4 / static_cast<std::int64_t>(size_of(pass.src_type));
}

std::int64_t radius_of(const BoxPass &pass) {
    return std::int64_t{pass.geometry.anchor_x} * pass.channels;
}

// Sums that a group has in a row.
std::int64_t columns_of(const BoxPass &pass, const Settings &settings) {
    return settings.lanes * per_word(pass);
}

// Values of a row that a group makes, and those before them that it sums too.
struct Strip {
    std::int64_t values, apron;
};

// The strip is in whole sectors of the cache where that leaves out few; not positive where boxes are too wide. The
// apron starts with the word before that of the value before the first box, and with a sector where there are sums left
// for that.
Strip strip_of(const BoxPass &pass, const Settings &settings) {
    const std::int64_t word = per_word(pass), sector = 8 * word;
    const auto apron_of = [&](std::int64_t unit) {
        return unit * ceil_div(radius_of(pass) + pass.channels + word, unit);
    };
    const std::int64_t columns = columns_of(pass, settings) - radius_of(pass);
    Strip strip{columns - apron_of(word), apron_of(word)};
    const std::int64_t unit = strip.values >= 2 * sector ? sector : word;
    strip.values -= strip.values % unit;
    if (strip.values + apron_of(sector) <= columns)
        strip.apron = apron_of(sector);
    return strip;
}

// Strips of all slices; 1 where there is no image.
std::int64_t strips_of(const BoxPass &pass, const Settings &settings) {
    return std::max<std::int64_t>(
        ceil_div(pass.geometry.width, strip_of(pass, settings).values) * pass.batch(), 1);
}

// Bands are as high as leaves no more groups than the settings say.
std::int64_t band_of(const BoxPass &pass, const Settings &settings, const DeviceFacts &facts) {
    return rows_of_band(pass.geometry.height, strips_of(pass, settings),
                        facts.cores() * settings.groups, settings.rows);
}

// Whether results are the low bits of floats: see result_of() and IS_QUICK in cl/lib/box.clh.
bool is_quick(const BoxPass &pass) {
    constexpr std::int64_t most = 15000;
    return pass.src_type == PixelType::u8 && pass.dst_type == PixelType::u8 &&
           pass.store == Store::saturate && area_of(pass) <= most;
}

// Returns the most registers that an item may take; 0: as many as the compiler likes. Measured on NVIDIA (H200): radii of
// 15 and 50 of u8 take 0.99 and 0.965 of the time, as six groups run at a time for five.
int most_registers(const BoxPass &pass, const Settings &settings) {
    return pass.src_type == PixelType::u8 && pass.channels == 1 && settings.lanes == 192 &&
                   settings.rows == 4
               ? 56
               : 0;
}

Work work(const BoxPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const std::int64_t lanes = settings.lanes, rows = settings.rows, word = per_word(pass);
    const Strip strip = strip_of(pass, settings);
    const std::int64_t band = band_of(pass, settings, facts);

    Launch result;
    result.program = {"box/box_words.cl", "box_words", box_defines(pass)};
    Defines &defines = result.program.defines;
    defines["LANES"] = settings.lanes;
    defines["ROWS"] = settings.rows;
    limit_registers(defines, most_registers(pass, settings), facts);
    defines["ALIGNED"] = pass.alignment >= word ? 1 : 0;
    defines["QUICK"] = is_quick(pass) ? 1 : 0;
    defines["FIRST_PLANE"] =
        static_cast<int>((strip.apron - radius_of(pass) - pass.channels) % word);
    defines["LAST_PLANE"] = static_cast<int>(radius_of(pass) % word);
    result.range = batched_range(pass, ceil_div(g.width, strip.values), ceil_div(g.height, band),
                                 settings.lanes, 1);
    const auto words = [](std::int64_t count) {
        return LocalMemory{static_cast<std::size_t>(count) * sizeof(std::uint32_t)};
    };
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(static_cast<std::int32_t>(band)),
                        by_value(static_cast<std::int32_t>(strip.values)),
                        by_value(static_cast<std::int32_t>(strip.apron)),
                        by_value(area_of(pass)),
                        by_value(share_of(pass)),
                        words(2 * rows * columns_of(pass, settings)),
                        words(rows * pass.channels * lanes / part),
                        words(std::max<std::int64_t>(listed, 4 * rows))};
    return result;
}

std::string refusal(const BoxPass &pass, const Settings &settings) {
    const BoxSum sum = sum_of(pass);
    if (sum == BoxSum::f32)
        return "sums of boxes are no integers";
    if (sum == BoxSum::i64)
        return "sums of boxes need more than 32 bits";
    const auto bytes = static_cast<std::int64_t>(size_of(pass.src_type));
    if (pass.geometry.src_row * bytes * settings.rows > std::numeric_limits<std::int32_t>::max())
        return "rows of a step are too far apart for 32 bits";
    // Other strips may need 3 of 4 parts of the sums.
    const std::int64_t columns = columns_of(pass, settings);
    return 4 * strip_of(pass, settings).values < columns
               ? text("boxes are too wide for ", columns, " sums")
               : "";
}

// Returns how many groups of each core finish first, where so many of them run at a time: a group starts slowly, with the
// rows of its first boxes.
int fastest_groups(const BoxPass &pass, Settings settings, int at_once, const DeviceFacts &facts) {
    constexpr double first_rows = 8;
    const Geometry &g = pass.geometry;
    return soonest_of(tunables.back().values, static_cast<double>(strips_of(pass, settings)),
                      g.height, static_cast<double>(facts.cores() * at_once),
                      g.taps_y / 2.0 + first_rows, [&](int groups) {
                          settings.groups = groups;
                          return band_of(pass, settings, facts);
                      });
}

// The radius alone decides on the program, so that a new size of image compiles nothing: strips that are mostly aprons
// take more lanes. NVIDIA's cores have registers for about so many items of each kind; groups of 384 items take a quarter
// longer for a value that they sum.
std::vector<Settings> preferred(const BoxPass &pass, const DeviceFacts &facts) {
    const bool has_whole_pixels = per_word(pass) % pass.channels == 0; // in a word
    const int items_of_4_rows = has_whole_pixels ? 896 : 576;
    const int items_of_8_rows = has_whole_pixels ? 704 : 512;
    std::vector<std::pair<double, Settings>> candidates;
    for (const int lanes : {96, 192, 384}) {
        const bool has_many = lanes * per_word(pass) > 384; // sums for little local memory
        Settings settings{.lanes = lanes, .rows = has_many ? 4 : 8, .groups = 1};
        const std::int64_t strip = strip_of(pass, settings).values;
        if (strip <= 0)
            continue;
        const int items = has_many ? items_of_4_rows : items_of_8_rows;
        settings.groups = fastest_groups(pass, settings, std::max(items / lanes, 1), facts);
        candidates.emplace_back(static_cast<double>(columns_of(pass, settings)) /
                                    static_cast<double>(strip) * (lanes == 384 ? 1.25 : 1.0),
                                settings);
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<Settings> result;
    for (const auto &candidate : candidates)
        result.push_back(candidate.second);
    if (result.empty()) // which is refused
        result.push_back({.lanes = 384, .rows = 4, .groups = 1});
    return result;
}

} // namespace

Kernel box_words() {
    KernelSpec<BoxPass, Settings> spec;
    spec.name = "box_words";
    spec.folder = "box";
    spec.tunables = tunables;
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const BoxPass &pass, const Settings &settings) {
        return text("strips of ", strip_of(pass, settings).values, " values",
                    pass.alignment >= per_word(pass) ? ", aligned words" : ", unaligned");
    };
    // Measured on NVIDIA (H100 and H200, radii of 15 and 50): u8 takes 0.43 to 0.6 of the time of box_march, u16 0.7 to
    // 0.85; where rows start at no multiple of a word, 1.3 times as long. On other devices nothing was measured.
    spec.rank = [](const BoxPass &pass, const Settings &settings, const DeviceFacts &facts) {
        if (!refusal(pass, settings).empty())
            return Rank{0};
        if (facts.device_class == DeviceClass::nvidia_gpu)
            return Rank{pass.alignment >= per_word(pass) ? 7 : 5};
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = 2}(facts)};
    };
    return spec;
}

} // namespace gz
