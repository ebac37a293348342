// Separable correlation of integers by few taps, in registers. See cl/separable_columns.cl.
#include <algorithm>

#include "kernel/kernels.hpp"

namespace gz {

namespace {

constexpr int most_taps = 11;
constexpr int most_sums = 128; // that an item keeps: more would not fit its registers

bool is_aligned(const CorrelatePass &pass, const Config &config) {
    return pass.alignment >= config.at("ITEM");
}

// Values [left, right) of a row: items of them read nothing outside the source.
struct Inner {
    std::int64_t left = 0, right = 0;
};

Inner inner_of(const CorrelatePass &pass, const Config &config) {
    const Geometry &g = pass.geometry;
    const std::int64_t item = config.at("ITEM");
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

std::string refusal(const CorrelatePass &pass, const Config &config) {
    if (std::string reason = separable_refusal(pass, most_taps); !reason.empty())
        return reason;
    if (!facts_of(pass.src_type).is_integer)
        return "the source's values are not integers";
    const int sums = pass.geometry.taps_y * config.at("ITEM");
    return sums > most_sums ? text(sums, " sums an item are too many") : "";
}

Work work(const CorrelatePass &pass, const Config &config, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const Inner inner = inner_of(pass, config);
    const int band = config.at("BAND");

    Launch result;
    result.program = {"separable_columns.cl", "separable_columns", separable_defines(pass, facts)};
    Defines &defines = result.program.defines;
    defines["TAPS_X"] = g.taps_x;
    defines["TAPS_Y"] = g.taps_y;
    defines["ANCHOR_X"] = g.anchor_x;
    defines["ALIGNED"] = is_aligned(pass, config) ? 1 : 0;
    for (const char *name : {"GROUP", "ITEM"})
        defines[name] = config.at(name);
    // One more for the values at the left and right edge.
    const std::int64_t groups =
        ceil_div(inner.right - inner.left, std::int64_t{config.at("GROUP")} * config.at("ITEM")) +
        1;
    result.range = batched_range(pass, groups, ceil_div(g.height, band), config.at("GROUP"), 1);
    const std::vector<float> &taps = pass.set().taps;
    result.arguments = {
        SourceBuffer(),
        TargetBuffer(),
        by_value(g),
        taps_argument(bytes_of(taps.data(), taps.size()), facts),
        by_value(static_cast<std::int32_t>(band)),
        by_value(static_cast<std::int32_t>(inner.left)),
        by_value(static_cast<std::int32_t>(inner.right)),
        LocalMemory{static_cast<std::size_t>(band + g.taps_y - 1) * sizeof(std::int32_t)}};
    return result;
}

Config shaped(int item, int band) {
    return {{"GROUP", 128}, {"ITEM", item}, {"BAND", band}};
}

// Measured on NVIDIA (H200, 16384x16384). Wide items read their aprons less often, but leave fewer
// registers for more items at a time.
std::vector<Config> preferred(const CorrelatePass &pass, const DeviceFacts &) {
    const int taps = std::max(pass.geometry.taps_x, pass.geometry.taps_y);
    const int widest = taps <= 3 ? 16 : 8;
    return {shaped(std::clamp(pass.alignment, 4, widest), taps <= 7 ? 64 : 128), shaped(4, 64)};
}

std::string details(const CorrelatePass &pass, const Config &config) {
    const Inner inner = inner_of(pass, config);
    return text(config.at("ITEM"), " values an item, ",
                is_aligned(pass, config) ? "aligned vectors" : "unaligned", "; values ", inner.left,
                " to ", inner.right, " of ", pass.geometry.width, " in bands of ",
                config.at("BAND"), " rows, the others one by one");
}

} // namespace

CorrelateSpec separable_columns() {
    CorrelateSpec spec;
    spec.name = "separable_columns";
    spec.tunables = {{"GROUP", {64, 128}}, {"ITEM", {4, 8, 16}}, {"BAND", {32, 64, 128}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = details;
    return spec;
}

} // namespace gz
