// Guided filters for GPUs, whose groups march down strips. See cl/guided/guided_march.cl.
#include <algorithm>

#include "families/guided/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group, band;
};

constexpr int rows = 4; // matches the kernel's constant

// The radius along x in whole blocks of 4 values.
std::int64_t apron_of(const GuidedPass &pass) {
    return 4 * ceil_div(pass.geometry.anchor_x, 4);
}

// Values that a group of so many items makes in a row.
std::int64_t strip_of(const GuidedPass &pass, int group) {
    return 4 * std::int64_t{group} - 2 * apron_of(pass);
}

Work work(const GuidedPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const int group = settings.group;
    const bool makes_slopes = pass.stage == GuidedStage::slopes;
    const int fields = makes_slopes && pass.guides > 0 ? 4 : 2;
    const double size = g.taps_x;
    Launch result;
    result.program = {"guided/guided_march.cl", "guided_march", guided_defines(pass)};
    Defines &defines = result.program.defines;
    defines["STAGE"] = static_cast<int>(pass.stage);
    defines["GROUP"] = group;
    defines["ALIGNED"] = pass.alignment >= 4 ? 1 : 0;
    defines["GUIDE_ALIGNED"] = std::min(pass.alignment, pass.guide_alignment) >= 4 ? 1 : 0;
    result.range = batched_range(pass, ceil_div(g.width, strip_of(pass, group)),
                                 ceil_div(g.height, settings.band), group, 1);
    result.arguments = images_of_stage(pass);
    // A few vectors more than the rows have: those read beyond them have no effect.
    const auto vectors = [](int count) {
        return LocalMemory{static_cast<std::size_t>(count) * 4 * sizeof(float)};
    };
    for (const Argument &argument : std::initializer_list<Argument>{
             by_value(static_cast<std::int32_t>(settings.band)),
             by_value(static_cast<std::int32_t>(apron_of(pass))),
             by_value(static_cast<float>(1.0 / (size * size))), vectors(fields * rows * group + 2),
             vectors(fields * rows * group / 4 + 2), vectors(fields * rows * group / 4)})
        result.arguments.push_back(argument);
    return result;
}

std::string refusal(const GuidedPass &pass, const Settings &settings) {
    if (pass.channels != 1)
        return text("pixels have ", pass.channels, " channels");
    // No more than half of what is summed may belong to other strips.
    const int group = settings.group;
    return strip_of(pass, group) < 2 * group ? text("squares are too wide for groups of ", group)
                                             : "";
}

// Small groups are best, in bands so low that there are many: measured on NVIDIA (H200, 8192x8192), bands of 64, 128,
// 512 and 2048 rows take 7.8, 8.4, 12.8 and 38 copies with a radius of 8. Higher squares sum more rows twice.
std::vector<Settings> preferred(const GuidedPass &pass, const DeviceFacts &facts) {
    std::vector<Settings> result;
    for (const int group : {64, 128, 256}) {
        const std::int64_t strip = strip_of(pass, group);
        if (strip < (group == 64 ? 3 : 2) * group && group < 256)
            continue;
        const std::int64_t groups =
            ceil_div(pass.geometry.width, std::max<std::int64_t>(strip, 1)) * pass.batch() *
            ceil_div(pass.geometry.height, 128);
        const bool is_low = pass.geometry.taps_y <= 32 && groups < 24 * facts.compute_units;
        result.push_back({.group = group, .band = is_low ? 64 : 128});
    }
    return result;
}

} // namespace

Kernel guided_march() {
    KernelSpec<GuidedPass, Settings> spec;
    spec.name = "guided_march";
    spec.folder = "guided";
    spec.tunables = {{"GROUP", &Settings::group, {64, 128, 256}},
                     {"BAND", &Settings::band, {64, 128, 256}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const GuidedPass &pass, const Settings &settings) {
        return text("strips of ", strip_of(pass, settings.group), "x", settings.band);
    };
    spec.rank = [](const GuidedPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = 2}(facts)};
    };
    return spec;
}

} // namespace gz
