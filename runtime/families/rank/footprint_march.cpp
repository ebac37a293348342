// Minima and maxima of footprints whose rows are runs around one column, groups that march down the image. See
// cl/rank/footprint_march.cl.
#include <algorithm>
#include <set>
#include <string>

#include "core/error.hpp"
#include "families/rank/footprint_pass.hpp"
#include "families/rank/kernels.hpp"
#include "plan/rounds.hpp"

namespace gz {

namespace {

struct Settings {
    int group, columns, band;
};

const std::vector<Setting<Settings>> tunables = {{"GROUP", &Settings::group, {32, 64, 128}},
                                                 {"COLUMNS", &Settings::columns, {4, 8}},
                                                 {"BAND", &Settings::band, {32, 64, 128, 256}}};

// Registers hold no more of a row, nor of a column.
constexpr int largest_half = 16, most_rows = 33;

// Half the width of each row, without the pixel in the middle; none where rows are not so.
struct Shape {
    std::vector<int> halves;
    int middle = 0; // the column of the runs' middles, from the pixel itself on
    int first = 0;  // the first row
};

Shape shape_of(const RankPass &pass) {
    Shape shape;
    const auto column_of = [&](const WindowRun &run) { return run.x / pass.channels; };
    shape.first = pass.window.front().y;
    shape.middle = column_of(pass.window.front()) + (pass.window.front().count - 1) / 2;
    for (const WindowRun &run : pass.window) {
        const bool is_next = run.y == shape.first + static_cast<int>(shape.halves.size());
        const int half = (run.count - 1) / 2;
        if (!is_next || run.count % 2 == 0 || column_of(run) + half != shape.middle)
            return {};
        shape.halves.push_back(half);
    }
    return shape;
}

int largest(const Shape &shape) {
    return *std::max_element(shape.halves.begin(), shape.halves.end());
}

// The widths of runs to make, from a single pixel on: each from one that is at least half as wide.
std::vector<int> levels_of(const Shape &shape) {
    const std::set<int> wanted(shape.halves.begin(), shape.halves.end());
    std::vector<int> levels{0};
    for (const int half : wanted)
        while (levels.back() < half)
            levels.push_back(std::min(half, std::max(1, 2 * levels.back())));
    return levels;
}

std::string statements_of(const Shape &shape, const std::vector<int> &levels) {
    std::string result;
    for (std::size_t i = 1; i < levels.size(); ++i)
        result += text("STEP(", i, ", ", levels[i - 1], ", ", levels[i], ")\n");
    for (std::size_t j = 0; j < shape.halves.size(); ++j) {
        const int half = shape.halves[shape.halves.size() - 1 - j];
        const auto level = std::find(levels.begin(), levels.end(), half) - levels.begin();
        result += text("ROW(", j, ", ", level, ")\n");
    }
    return result;
}

std::int64_t strips_of(const RankPass &pass, const Settings &settings) {
    return ceil_div(pass.geometry.width / pass.channels, settings.group * settings.columns) *
           pass.channels;
}

Work work(const RankPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const Shape shape = shape_of(pass);
    const std::vector<int> levels = levels_of(shape);
    const int apron = largest(shape), rows = static_cast<int>(shape.halves.size());
    const int columns = settings.columns, results = keys_of_word(pass);
    const std::int64_t strips = strips_of(pass, settings);
    // Low images have bands as low as leave each unit of the device a few groups.
    std::int32_t band = settings.band;
    while (band > 2 * rows &&
           strips * pass.batch() * ceil_div(g.height, band * results) < 4 * facts.cores())
        band /= 2;
    Launch result;
    result.program = {"rank/footprint_march.cl", "footprint_march", rank_defines(pass)};
    result.program.generated = statements_of(shape, levels);
    Defines &defines = result.program.defines;
    defines["SUMS"] = 0;
    defines["GROUP"] = settings.group;
    defines["COLUMNS"] = columns;
    defines["IS_MAXIMUM"] = pass.rank == 0 ? 0 : 1;
    defines["APRON"] = apron;
    defines["WINDOW_Y"] = rows;
    defines["LEVELS"] = static_cast<int>(levels.size());
    defines["ALIGNED"] = pass.channels == 1 && pass.alignment >= 4 ? 1 : 0;
    result.range =
        batched_range(pass, strips, ceil_div(g.height, band * results), settings.group, 1);
    const int pitch =
        (settings.group - 1) * columns + 4 * static_cast<int>(ceil_div(columns + 2 * apron, 4));
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(static_cast<std::int32_t>(shape.middle - apron)),
                        by_value(static_cast<std::int32_t>(shape.first)),
                        by_value(band),
                        LocalMemory{2 * static_cast<std::size_t>(pitch) * sizeof(std::uint32_t)}};
    return result;
}

std::string refusal(const RankPass &pass, const Settings &settings) {
    if (const std::string reason = extreme_refusal(pass); !reason.empty())
        return reason;
    if (const std::string reason = volume_refusal(pass); !reason.empty())
        return reason;
    const Shape shape = shape_of(pass);
    if (shape.halves.empty())
        return "a row of the footprint is not one run of pixels around the middle of the others";
    if (largest(shape) > largest_half || shape.halves.size() > most_rows)
        return text("the footprint has more than ", 2 * largest_half + 1, " pixels along x or ",
                    most_rows, " along y");
    // An item keeps results of all rows.
    constexpr std::size_t most_results = 132;
    if (shape.halves.size() * static_cast<std::size_t>(settings.columns) > most_results)
        return text("an item has more than ", most_results, " results");
    return "";
}

// Returns the height of bands with which all groups finish first. An item has registers for its results and about 50 more,
// and NVIDIA's cores run at most 32 groups. Within 10 % of the best of 12 sizes and disks of f32 measured on an H100.
int soonest_band(const RankPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const std::int64_t strips = strips_of(pass, settings) * pass.batch();
    const int registers = g.taps_y * settings.columns + 50;
    const std::int64_t at_once = std::min(groups_of_registers(registers, settings.group), 32);
    return soonest_of(tunables.back().values, static_cast<double>(strips),
                      ceil_div(g.height, keys_of_word(pass)),
                      static_cast<double>(facts.cores() * at_once), static_cast<double>(g.taps_y),
                      [](int band) { return band; });
}

} // namespace

Kernel footprint_march() {
    KernelSpec<RankPass, Settings> spec;
    spec.name = "footprint_march";
    spec.folder = "rank";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = refusal;
    spec.preferred = [](const RankPass &pass, const DeviceFacts &facts) {
        const bool is_wide = keys_of_word(pass) == 2 && pass.geometry.taps_y <= 15;
        std::vector<Settings> result;
        for (const int columns : {is_wide ? 8 : 4, 4}) {
            Settings settings{.group = 32, .columns = columns, .band = 0};
            settings.band = soonest_band(pass, settings, facts);
            result.push_back(settings);
        }
        return result;
    };
    // On NVIDIA (H100) 3 to 8 times as fast as footprint_tiles. Networks are faster where footprints are small.
    spec.rank = [](const RankPass &pass, const Settings &, const DeviceFacts &facts) {
        const int few = pass.channels > 1 ? 49 : keys_of_word(pass) == 2 ? 29 : 13;
        const bool is_first = facts.device_class == DeviceClass::nvidia_gpu && pass.count > few;
        const int wanted = is_first ? 5 : 1;
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = wanted}(facts)};
    };
    return spec;
}

} // namespace gz
