// Guided filters for CPUs, a strip of a band of rows an item. See cl/guided/guided_strips.cl.
#include <algorithm>

#include "families/guided/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int strip, band;
};

// The largest reach, to both sides together, of each class of squares that share a program, in values.
constexpr int reaches[] = {64, 512, 4096};

// The strips of a row: each has whole pixels, as many as STRIP values hold.
std::int64_t strips_of(const GuidedPass &pass, int strip) {
    return ceil_div(pass.geometry.width, strip / pass.channels * pass.channels);
}

std::int64_t reach_of(const GuidedPass &pass) {
    return 2 * std::int64_t{pass.geometry.anchor_x} * pass.channels;
}

Work work(const GuidedPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const int reach = *std::lower_bound(std::begin(reaches), std::end(reaches), reach_of(pass));
    const bool has_guide = pass.guides > 0;
    const bool makes_slopes = pass.stage == GuidedStage::slopes;
    const std::int32_t band = settings.band;
    const double size = g.taps_x;
    Launch result;
    result.program = {"guided/guided_strips.cl", "guided_strips", guided_defines(pass)};
    result.program.defines["STAGE"] = static_cast<int>(pass.stage);
    result.program.defines["STRIP"] = settings.strip;
    result.program.defines["REACH"] = reach;
    result.range =
        batched_range(pass, strips_of(pass, settings.strip), ceil_div(g.height, band), 1, 1);
    result.arguments = images_of_stage(pass);
    result.arguments.push_back(by_value(band));
    result.arguments.push_back(by_value(static_cast<float>(1.0 / (size * size))));
    const auto columns = static_cast<std::size_t>(settings.strip + reach + 48);
    const std::size_t fields = makes_slopes && has_guide ? 4 : 2;
    result.private_bytes =
        (2 * fields * columns + 2 * static_cast<std::size_t>(reach + 32)) * sizeof(float);
    return result;
}

std::string refusal(const GuidedPass &pass, const Settings &) {
    if (pass.guides > 0 && pass.channels > 1)
        return text("the image has ", pass.channels,
                    " channels; with a guide of another image it takes 1");
    if (reach_of(pass) > std::end(reaches)[-1])
        return text("squares reach ", reach_of(pass), " values to both sides; it takes up to ",
                    std::end(reaches)[-1]);
    return "";
}

// Bands are high, so that few squares are filled anew, but not so high that cores stay idle.
std::vector<Settings> preferred(const GuidedPass &pass, const DeviceFacts &facts) {
    constexpr int strip = 512;
    const std::int64_t strips = strips_of(pass, strip) * pass.batch();
    int band = 1024;
    while (band > 16 && strips * ceil_div(pass.geometry.height, band) < 2 * facts.cores())
        band /= 4;
    return {{.strip = strip, .band = band}};
}

// A band of such squares starts by reading as many rows as these have: means by themselves take less than that.
bool is_filling_most(const GuidedPass &pass) {
    const Geometry &g = pass.geometry;
    return g.anchor_y >= std::max(64, g.valid_bottom - g.valid_top);
}

} // namespace

Kernel guided_strips() {
    KernelSpec<GuidedPass, Settings> spec;
    spec.name = "guided_strips";
    spec.folder = "guided";
    spec.tunables = {{"STRIP", &Settings::strip, {512, 2048}},
                     {"BAND", &Settings::band, {16, 64, 256, 1024}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.rank = [](const GuidedPass &pass, const Settings &, const DeviceFacts &facts) {
        return Rank{is_filling_most(pass)
                        ? 0
                        : RankByHabit{.strips = 3, .nothing_shared = 0, .tiles = 0}(facts)};
    };
    return spec;
}

} // namespace gz
