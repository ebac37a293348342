// Separable correlation of integers by few taps, in registers. See cl/correlate/separable_columns.cl.
#include <algorithm>

#include "families/correlate/kernels.hpp"
#include "plan/rounds.hpp"

namespace gz {

namespace {

struct Settings {
    int group, item, band;
};

const std::vector<Setting<Settings>> tunables = {{"GROUP", &Settings::group, {64, 128}},
                                                 {"ITEM", &Settings::item, {4, 8, 16}},
                                                 {"BAND", &Settings::band, {32, 64, 96, 128}}};

constexpr int most_taps = 11;
constexpr int most_sums = 128; // that an item keeps: more would not fit its registers

bool is_aligned(const CorrelatePass &pass, const Settings &settings) {
    return pass.alignment >= settings.item;
}

// Values [left, right) of a row: items of them read nothing outside the source.
struct Inner {
    std::int64_t left = 0, right = 0;
};

Inner inner_of(const CorrelatePass &pass, const Settings &settings) {
    const Geometry &g = pass.geometry;
    const std::int64_t item = settings.item;
    // Items read whole words of 4 values.
    const auto apron = [&](std::int64_t pixels) { return 4 * ceil_div(pixels * pass.channels, 4); };
    const std::int64_t first = std::int64_t{g.valid_left} * pass.channels + apron(g.anchor_x);
    const std::int64_t end = std::min<std::int64_t>(
        g.width, std::int64_t{g.valid_right} * pass.channels - apron(g.taps_x - 1 - g.anchor_x));
    Inner inner;
    inner.left =
        std::min(ceil_div(std::max<std::int64_t>(first, 0), item) * item, std::int64_t{g.width});
    inner.right = std::max(inner.left, end - end % item);
    return inner;
}

// Returns how many groups march down a band.
std::int64_t strips_of(const CorrelatePass &pass, const Settings &settings) {
    const Inner inner = inner_of(pass, settings);
    // One more item for the values at the left and right edge.
    return ceil_div(inner.right - inner.left, std::int64_t{settings.group} * settings.item) + 1;
}

std::string refusal(const CorrelatePass &pass, const Settings &settings) {
    if (std::string reason = separable_refusal(pass, most_taps); !reason.empty())
        return reason;
    if (!facts_of(pass.src_type).is_integer)
        return "the source's values are not integers";
    const int sums = pass.geometry.taps_y * settings.item;
    return sums > most_sums ? text(sums, " sums an item are too many") : "";
}

Work work(const CorrelatePass &given, const Settings &settings, const DeviceFacts &facts) {
    const CorrelatePass pass = with_denormals(given, facts);
    const Geometry &g = pass.geometry;
    const Inner inner = inner_of(pass, settings);
    const int band = settings.band;

    Launch result;
    result.program = {"correlate/separable_columns.cl", "separable_columns",
                      pixel_defines(pass, facts)};
    Defines &defines = result.program.defines;
    defines["TAPS_X"] = g.taps_x;
    defines["TAPS_Y"] = g.taps_y;
    defines["ANCHOR_X"] = g.anchor_x;
    defines["ALIGNED"] = is_aligned(pass, settings) ? 1 : 0;
    defines["GROUP"] = settings.group;
    defines["ITEM"] = settings.item;
    result.range =
        batched_range(pass, strips_of(pass, settings), ceil_div(g.height, band), settings.group, 1);
    const std::vector<float> &taps = pass.set().taps;
    result.arguments = {
        SourceBuffer(),
        TargetBuffer(),
        by_value(g),
        taps_argument(defines, bytes_of(taps.data(), taps.size()), facts),
        by_value(static_cast<std::int32_t>(band)),
        by_value(static_cast<std::int32_t>(inner.left)),
        by_value(static_cast<std::int32_t>(inner.right)),
        LocalMemory{static_cast<std::size_t>(band + g.taps_y - 1) * sizeof(std::int32_t)}};
    return result;
}

// Returns the bands with which all groups finish first.
int fastest_band(const CorrelatePass &pass, const Settings &settings, const DeviceFacts &facts) {
    constexpr int start = 2; // rows for which a group could march in the time that its start takes
    const auto strips = static_cast<double>(strips_of(pass, settings) * pass.batch());
    const int registers =
        24 + pass.geometry.taps_y * settings.item; // that NVIDIA's compiler gives items
    const auto at_once =
        static_cast<double>(facts.cores() * groups_of_registers(registers, settings.group));
    return soonest_of(tunables.back().values, strips, pass.geometry.height, at_once,
                      pass.geometry.taps_y - 1 + start, [](int band) { return band; });
}

// Measured on NVIDIA (H200, 16384x16384). Wide items read their aprons less often, but leave fewer
// registers for more items at a time.
std::vector<Settings> preferred(const CorrelatePass &pass, const DeviceFacts &facts) {
    const int taps = std::max(pass.geometry.taps_x, pass.geometry.taps_y);
    const int widest = taps <= 3 ? 16 : 8;
    std::vector<Settings> result{
        {.group = 64, .item = std::clamp(pass.alignment, 4, widest), .band = 64},
        {.group = 64, .item = 4, .band = 64}};
    for (Settings &settings : result)
        settings.band = fastest_band(pass, settings, facts);
    return result;
}

std::string details(const CorrelatePass &pass, const Settings &settings) {
    const Inner inner = inner_of(pass, settings);
    return text(settings.item, " values an item, ",
                is_aligned(pass, settings) ? "aligned vectors" : "unaligned", "; values ",
                inner.left, " to ", inner.right, " of ", pass.geometry.width, " in bands of ",
                settings.band, " rows, the others one by one");
}

} // namespace

Kernel separable_columns() {
    KernelSpec<CorrelatePass, Settings> spec;
    spec.name = "separable_columns";
    spec.folder = "correlate";
    spec.tunables = tunables;
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = details;
    spec.rank = [](const CorrelatePass &pass, const auto &, const DeviceFacts &facts) {
        return CorrelateRank{.strips = 1,
                             .plain_gpu = 5,
                             .few_taps = 6,
                             .separable = 1,
                             .nothing_shared = 1,
                             .tiles = 1}(pass, facts);
    };
    return spec;
}

} // namespace gz
