// Guided filters for GPUs, whose groups march down strips. See cl/guided/guided_march.cl.
#include <algorithm>
#include <utility>

#include "families/guided/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int lanes, split, rows, band;
};

const std::vector<Setting<Settings>> tunables = {
    {"LANES", &Settings::lanes, {64, 128, 256}},
    {"SPLIT", &Settings::split, {1, 2, 4}},
    {"ROWS", &Settings::rows, {2, 4}},
    {"BAND",
     &Settings::band,
     {32, 64, 96, 128, 192, 256, 512, 1024, 1280, 2048, 2560, 4096, 6144}}};

// Items of groups: no more fit on a unit twice.
constexpr int most_items = 256;

// The radius along x in whole blocks of 4 values.
std::int64_t apron_of(const GuidedPass &pass) {
    return 4 * ceil_div(pass.geometry.anchor_x, 4);
}

// The sums of a stage.
int fields_of(const GuidedPass &pass) {
    return pass.stage == GuidedStage::slopes && pass.guides > 0 ? 4 : 2;
}

// Values that a group of so many lanes makes in a row.
std::int64_t strip_of(const GuidedPass &pass, int lanes) {
    return 4 * std::int64_t{lanes} - 2 * apron_of(pass);
}

Work work(const GuidedPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const int lanes = settings.lanes, items = lanes * settings.split;
    const int fields = fields_of(pass), step = settings.rows * settings.split;
    const double size = g.taps_x;
    Launch result;
    result.program = {"guided/guided_march.cl", "guided_march", guided_defines(pass)};
    Defines &defines = result.program.defines;
    add_defines(defines, tunables, settings);
    defines.erase("BAND"); // an argument
    defines["STAGE"] = static_cast<int>(pass.stage);
    defines["ALIGNED"] = pass.alignment >= 4 ? 1 : 0;
    defines["GUIDE_ALIGNED"] = std::min(pass.alignment, pass.guide_alignment) >= 4 ? 1 : 0;
    result.range = batched_range(pass, ceil_div(g.width, strip_of(pass, lanes)),
                                 ceil_div(g.height, settings.band), items, 1);
    result.arguments = images_of_stage(pass);
    // A few vectors more than the rows have: those read beyond them have no effect.
    const auto vectors = [](int count) {
        return LocalMemory{static_cast<std::size_t>(count) * 4 * sizeof(float)};
    };
    const auto add = [&](Argument argument) { result.arguments.push_back(std::move(argument)); };
    add(by_value(static_cast<std::int32_t>(settings.band)));
    add(by_value(static_cast<std::int32_t>(apron_of(pass))));
    add(by_value(static_cast<float>(1.0 / (size * size))));
    add(vectors(fields * step * lanes + 2));
    add(vectors(fields * step * lanes / 4 + 2));
    add(vectors(fields * step * lanes / 4));
    add(vectors(fields * items));
    return result;
}

std::string refusal(const GuidedPass &pass, const Settings &settings) {
    if (pass.channels != 1)
        return text("pixels have ", pass.channels, " channels");
    if (settings.lanes * settings.split > most_items)
        return text("groups have more than ", most_items, " items");
    // No more than half of what is summed may belong to other strips.
    const int lanes = settings.lanes;
    return strip_of(pass, lanes) < 2 * lanes ? text("squares are too wide for ", lanes, " lanes")
                                             : "";
}

// Measured on NVIDIA (H200, 8192x8192): 2 items a lane are best where there are groups for all units, by up
// to a quarter; 4 where there are not, by up to a half. Units run about 8 groups of 128 items at once. They
// read half as much where they sum the rows of a band's first squares.
std::vector<Settings> preferred(const GuidedPass &pass, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    std::vector<Settings> result;
    for (const int lanes : {64, 128, 256}) {
        const std::int64_t strip = strip_of(pass, lanes);
        if (strip < (lanes == 64 ? 3 : 2) * lanes && lanes < 256)
            continue;
        const std::int64_t at_once = ceil_div(std::int64_t{512} * facts.cores(), lanes);
        const std::int64_t strips =
            ceil_div(g.width, std::max<std::int64_t>(strip, 1)) * pass.batch();
        const auto groups = [&](int band) { return strips * ceil_div(g.height, band); };
        const auto cost = [&](int band) {
            return ceil_div(groups(band), at_once) * (2 * band + g.taps_y);
        };
        const std::vector<int> &bands = tunables.back().values;
        const int band = *std::min_element(bands.begin(), bands.end(),
                                           [&](int a, int b) { return cost(a) < cost(b); });
        const bool is_idle = 2 * groups(band) < at_once && fields_of(pass) == 2;
        result.push_back({.lanes = lanes,
                          .split = std::min(is_idle ? 4 : 2, most_items / lanes),
                          .rows = 2,
                          .band = band});
    }
    // Groups of half as many items, where groups share local memory.
    if (facts.local_memory_is_of_core && result.front().split > 1) {
        Settings half = result.front();
        half.split /= 2;
        result.push_back(half);
    }
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
        return text("strips of ", strip_of(pass, settings.lanes), "x", settings.band);
    };
    spec.rank = [](const GuidedPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = 2}(facts)};
    };
    return spec;
}

} // namespace gz
