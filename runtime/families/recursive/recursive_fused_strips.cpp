// Both axes in one pass on CPUs, for filters that forget soon. See cl/recursive/recursive_fused_strips.cl.
#include <algorithm>

#include "families/recursive/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int strip, band;
};

constexpr int vector_width = 16; // values of a vector, and rows that are filtered along x at once
constexpr int longest_apron = longest_plane_reach;

std::optional<int> apron_of(const RecursivePlanePass &pass) {
    return plane_apron(pass, vector_width, longest_apron);
}

// Passes that are refused, as more matters, are ranked too.
int apron_or_longest(const RecursivePlanePass &pass) {
    return apron_of(pass).value_or(longest_apron);
}

std::string refusal(const RecursivePlanePass &pass, const Settings &) {
    return plane_refusal(pass, longest_apron);
}

Work work(const RecursivePlanePass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const int apron = *apron_of(pass);
    const std::int64_t strip = whole_values(settings.strip, pass.channels);
    const std::vector<const LineStage *> all = pass.all_axes();
    const bool signs = has_signs(all);
    std::vector<double> values;
    for (const LineStage *stage : all)
        append_sections(values, {stage}, signs);
    if (pass.is_cut)
        for (const LineStage *stage : all)
            append_far_weights(values, *stage, plane_order(pass), apron);
    std::vector<std::byte> axes = constants_of(values, StateType::floats);
    const bool small = facts.takes_by_value(axes.size());

    Launch launch;
    launch.program = {"recursive/recursive_fused_strips.cl", "recursive_fused_strips",
                      plane_defines(pass, small)};
    Defines &defines = launch.program.defines;
    defines["ALIGNED"] = pass.alignment >= vector_width ? 1 : 0;
    // Measured: vectors of rows by turns take memory 1.1 to 1.4 times as long as whole rows where rows of f32 lie whole pages
    // apart, and where a vector is no line of the cache. Else whole rows take up to 1.2 times as long.
    const std::int64_t row_bytes = g.dst_row * static_cast<std::int64_t>(size_of(pass.dst_type));
    defines["IN_RUNS"] = pass.dst_type != PixelType::f32 || lie_pages_apart(row_bytes) ? 1 : 0;
    defines["STRIP"] = settings.strip;
    defines["APRON"] = apron;
    defines["CUT"] = pass.is_cut ? 1 : 0;
    defines["PLANES"] = pass.second ? 2 : 1;
    launch.range =
        batched_range(pass, ceil_div(g.width, strip), ceil_div(g.height, settings.band), 1, 1);
    launch.arguments = {SourceBuffer(), TargetBuffer(), by_value(g),
                        by_value(static_cast<std::int32_t>(settings.band)),
                        array_argument(std::move(axes), small)};
    // A line and its sums, two blocks for each filter, at a cut one of results, and where the columns lie.
    const std::int64_t columns = strip + 2 * std::int64_t{apron} * pass.channels;
    const std::int64_t blocks = (pass.second ? 4 : 2) + (pass.is_cut ? 1 : 0);
    launch.private_bytes =
        static_cast<std::size_t>(((columns + strip + vector_width) * vector_width +
                                  blocks * apron * (strip + vector_width) + columns) *
                                 static_cast<std::int64_t>(sizeof(float)));
    Work result(std::move(launch));
    result.trips = 1;
    result.bytes_per_value = static_cast<double>(size_of(pass.src_type) + size_of(pass.dst_type));
    return result;
}

// Returns the pixels that the busiest core filters of one slice, those between strips and bands as often as they are
// filtered. The number of slices does not count: a slice has the same bits alone and among others.
double pixels_of_a_core(const RecursivePlanePass &pass, std::int64_t apron,
                        const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const std::int64_t strip = whole_values(settings.strip, pass.channels);
    const std::int64_t items = ceil_div(g.width, strip) * ceil_div(g.height, settings.band);
    const std::int64_t columns = std::min<std::int64_t>(strip, g.width) + 2 * apron * pass.channels;
    const std::int64_t rows = std::min<std::int64_t>(settings.band, g.height) + 2 * apron;
    return static_cast<double>(ceil_div(items, facts.cores())) * static_cast<double>(columns) *
           static_cast<double>(rows);
}

// Returns the settings by which the busiest core has the fewest pixels. Strips of 1024 values leave a core's cache.
std::vector<Settings> preferred(const RecursivePlanePass &pass, const DeviceFacts &facts) {
    std::vector<Settings> result;
    for (const int strip : {512, 256, 128})
        for (const int band : {1024, 512, 256, 128, 64})
            result.push_back({.strip = strip, .band = band});
    const auto pixels = [&, apron = apron_or_longest(pass)](const Settings &settings) {
        return pixels_of_a_core(pass, apron, settings, facts);
    };
    std::stable_sort(result.begin(), result.end(), [&](const Settings &one, const Settings &other) {
        return pixels(one) < pixels(other);
    });
    return result;
}

// Measured: a pass for both axes filters 2.5 pixels while passes for one axis each filter one, and saves launches, which
// take as long as some thousand pixels.
Rank rank(const RecursivePlanePass &pass, const Settings &settings, const DeviceFacts &facts) {
    if (habit_of(facts) != GroupHabit::strips)
        return Rank{0};
    const double area =
        static_cast<double>(pass.geometry.width) * static_cast<double>(pass.geometry.height);
    const double own = pixels_of_a_core(pass, apron_or_longest(pass), settings, facts);
    constexpr double as_fast = 2.5;
    constexpr double saved = 8192.0;
    if (own > as_fast * area / static_cast<double>(facts.cores()) + saved)
        return Rank{0, "the image is small beside the pixels that matter around each"};
    return Rank{1};
}

} // namespace

Kernel recursive_fused_strips() {
    KernelSpec<RecursivePlanePass, Settings> spec;
    spec.name = "recursive_fused_strips";
    spec.folder = "recursive";
    spec.tunables = {{"STRIP", &Settings::strip, {128, 256, 512, 1024}},
                     {"BAND", &Settings::band, {64, 128, 256, 512, 1024}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const RecursivePlanePass &pass, const Settings &settings) {
        const LineStage &stage = pass.axes[0];
        return text(stage.causal.size(), " causal and ", stage.anticausal.size(),
                    " anticausal sections along x and y",
                    pass.second ? " of each of two filters" : "", ", strips of ",
                    whole_values(settings.strip, pass.channels) / pass.channels, " columns with ",
                    *apron_of(pass), " more on either side");
    };
    spec.rank = rank;
    return spec;
}

} // namespace gz
