// Dense taps, by items that go down columns. See cl/correlate/correlate_stream.cl.
#include <algorithm>

#include "families/correlate/dense_tile.hpp"
#include "families/correlate/kernels.hpp"
#include "plan/problem.hpp"
#include "plan/rounds.hpp"

namespace gz {

namespace {

struct Settings {
    int group, groups; // groups: of each core
};

const std::vector<Setting<Settings>> tunables = {
    {"GROUP", &Settings::group, {32, 64, 128}},
    {"GROUPS", &Settings::groups, {2, 4, 6, 8, 12, 16, 24, 32, 48, 64}}};

constexpr int least_taps = 2; // along an axis
constexpr int most_taps = most_unrolled;
constexpr int subgroup = 32; // items of NVIDIA's

// Values that a group makes of a row.
int strip_of(const Settings &settings) {
    return settings.group * values_of_vector;
}

// Vectors that an item reads of a row, for one of results.
int vectors_of(const CorrelatePass &pass) {
    const int values =
        shift_of_vectors(pass) + values_of_vector + (pass.geometry.taps_x - 1) * pass.channels;
    return static_cast<int>(ceil_div(values, values_of_vector));
}

std::int64_t band_of(const CorrelatePass &pass, const Settings &settings,
                     const DeviceFacts &facts) {
    return rows_of_band(pass.geometry.height, strips_of(pass, strip_of(settings)),
                        facts.cores() * settings.groups, 1);
}

std::string refusal(const CorrelatePass &pass) {
    if (std::string reason = tap_refusal(pass, most_taps); !reason.empty())
        return reason;
    if (pass.separable())
        return "the taps are separable";
    const int least = std::min(pass.geometry.taps_x, pass.geometry.taps_y);
    return least < least_taps ? text("an axis has ", least, " taps; it takes from ", least_taps)
                              : "";
}

Work work(const CorrelatePass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const std::int64_t band = band_of(pass, settings, facts);
    const std::vector<float> &taps = pass.set().taps;

    Launch result;
    result.program = {"correlate/correlate_stream.cl", "correlate_stream",
                      pixel_defines(pass, facts)};
    Defines &defines = result.program.defines;
    defines["TAPS_X"] = g.taps_x;
    defines["TAPS_Y"] = g.taps_y;
    defines["ALIGNED"] = has_vectors(pass) ? 1 : 0;
    defines["SHIFT"] = shift_of_vectors(pass);
    defines["GROUP"] = settings.group;
    result.range = batched_range(pass, ceil_div(g.width, strip_of(settings)),
                                 ceil_div(g.height, band), settings.group, 1);
    const auto bytes = bytes_of(taps.data(), taps.size());
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        taps_argument(defines, {bytes.begin(), bytes.end()}, facts),
                        by_value(static_cast<std::int32_t>(band)),
                        local_vectors(settings.group - 1 + vectors_of(pass))};
    return result;
}

// Returns how many subgroups of NVIDIA's a core runs at a time before each of them takes longer. Measured on an H200.
int subgroups_at_once(const CorrelatePass &pass) {
    return longer_side(pass.geometry) <= 5 ? 24 : 16;
}

// Returns how many groups of each core finish first.
int fastest_groups(const CorrelatePass &pass, Settings settings, const DeviceFacts &facts) {
    const std::int64_t at_once =
        facts.cores() * subgroups_at_once(pass) * subgroup / settings.group;
    return soonest_of(tunables.back().values,
                      static_cast<double>(strips_of(pass, strip_of(settings))),
                      pass.geometry.height, static_cast<double>(at_once), pass.geometry.taps_y - 1,
                      [&](int groups) {
                          settings.groups = groups;
                          return band_of(pass, settings, facts);
                      });
}

// Measured on NVIDIA (H200): small images want many groups of low bands.
std::vector<Settings> preferred(const CorrelatePass &pass, const DeviceFacts &facts) {
    const bool is_small = pass.values() <= most_of_small;
    const int wave = std::clamp(static_cast<int>(facts.wave), 32, 64);
    std::vector<Settings> result{{.group = wave, .groups = 16}};
    if (!is_small)
        result.insert(result.begin(), {.group = 128, .groups = 16});
    if (refusal(pass).empty())
        for (Settings &settings : result)
            settings.groups = fastest_groups(pass, settings, facts);
    return result;
}

// Measured on NVIDIA (H200), beside the tiles that are the fastest otherwise, f32 and u8, one and three channels of 1920x1080 to
// 16384x16384. Sizes without an unrolled body there take 0.3 to 0.9 of the time, most of them less than half. Of the
// others, squares of 3 to 9 in small images 0.73 to 0.97, and three channels of 11x11 in large ones 0.95; elsewhere up
// to 1.15, and small images of several channels and 9x9 or more up to 2.
bool is_fastest(const CorrelatePass &pass) {
    if (!refusal(pass).empty())
        return false;
    if (!fills_dense_bucket(pass))
        return true;
    const int bucket = bucket_of(pass);
    const bool is_byte = size_of(pass.src_type) == 1;
    if (pass.channels > 1) {
        const bool is_few = pass.values() <= most_of_small / 2;
        return is_few ? bucket <= (is_byte ? 3 : 7)
                      : bucket == 11 && pass.channels == 3 && size_of(pass.src_type) == 4 &&
                            pass.values() > most_of_small;
    }
    const bool is_few = pass.values() <= most_of_small / 4;
    return is_byte ? bucket == 3 && is_few
                   : (bucket <= 9 && is_few) || (bucket == 7 && pass.values() <= most_of_small);
}

} // namespace

Kernel correlate_stream() {
    KernelSpec<CorrelatePass, Settings> spec;
    spec.name = "correlate_stream";
    spec.folder = "correlate";
    spec.tunables = tunables;
    spec.refusal = [](const CorrelatePass &pass, const Settings &) { return refusal(pass); };
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const CorrelatePass &pass, const Settings &settings) {
        return text("strips of ", strip_of(settings), " values",
                    has_vectors(pass) ? ", aligned vectors" : ", unaligned");
    };
    spec.rank = [](const CorrelatePass &pass, const Settings &, const DeviceFacts &facts) {
        const bool wanted = facts.device_class == DeviceClass::nvidia_gpu && is_fastest(pass);
        return Rank{wanted ? 8 : 0};
    };
    return spec;
}

} // namespace gz
