// The bilateral filter for CPUs, a strip of a band of rows per item. See cl/edge/bilateral_strips.cl.
#include "families/edge/kernels.hpp"
#include "plan/bands.hpp"

namespace gz {

namespace {

struct Settings {
    int strip;
};

const std::vector<Setting<Settings>> tunables = {{"STRIP", &Settings::strip, {128, 512, 2048}}};

// The pixels of a side of windows that the ring has room for: few, so that few programs serve all.
int most_of(int side) {
    for (const int most : {5, 9, 15})
        if (side <= most)
            return most;
    return 31;
}

Work work(const BilateralPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const std::int64_t strips = ceil_div(g.width / pass.channels, settings.strip);
    const std::int32_t band = rows_of_band(pass, strips, g.taps_y, facts);
    const int most_x = most_of(g.taps_x), most_y = most_of(g.taps_y);
    Launch result;
    result.program = {"edge/bilateral_strips.cl", "bilateral_strips", weight_defines(pass)};
    Defines &defines = result.program.defines;
    add_defines(defines, tunables, settings);
    defines["MOST_X"] = most_x;
    defines["MOST_Y"] = most_y;
    result.range = batched_range(pass, strips, ceil_div(g.height, band), 1, 1);
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(pass.terms),
                        ConstantData{bytes_of(pass.space.data(), pass.space.size()), true},
                        by_value(band)};
    constexpr int lanes = 16;
    result.private_bytes =
        static_cast<std::size_t>(most_y * pass.channels * (settings.strip + most_x - 1 + lanes)) *
        sizeof(float);
    return result;
}

} // namespace

Kernel bilateral_strips() {
    KernelSpec<BilateralPass, Settings> spec;
    spec.name = "bilateral_strips";
    spec.folder = "edge";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = [](const BilateralPass &pass, const Settings &) -> std::string {
        return pass.is_flat() ? "" : "it filters slices, and the window has pixels of others";
    };
    spec.preferred = [](const BilateralPass &, const DeviceFacts &) {
        return std::vector<Settings>{{.strip = 512}, {.strip = 128}};
    };
    spec.rank = [](const BilateralPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 3, .nothing_shared = 0, .tiles = 0}(facts)};
    };
    return spec;
}

} // namespace gz
