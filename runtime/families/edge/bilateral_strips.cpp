// The bilateral filter for CPUs, a strip of a band of rows per item. See cl/edge/bilateral_strips.cl.
#include "families/edge/kernels.hpp"
#include "plan/bands.hpp"

namespace gz {

namespace {

struct Settings {
    int strip;
};

const std::vector<Setting<Settings>> tunables = {{"STRIP", &Settings::strip, {64, 128, 256, 512}}};

constexpr int lanes = 16;

// The pixels of a side of windows that the ring has room for: few, so that few programs serve all.
int most_of(int side) {
    for (const int most : {5, 9, 15})
        if (side <= most)
            return most;
    return 31;
}

// Floats of weights that an item keeps for pixels up to so many rows below.
std::int64_t kept_floats(int most_x, int shared, const Settings &settings) {
    return std::int64_t{most_x} * (shared + 1) * (shared + 2) / 2 * (settings.strip + 2 * lanes);
}

// Rows that weights are kept for: all of the window's, unless their weights are more than caches hold.
int shared_rows(int most_x, int most_y, const Settings &settings) {
    constexpr std::int64_t most = 100 * 1024; // floats
    int shared = most_y / 2;
    while (shared > 0 && kept_floats(most_x, shared, settings) > most)
        --shared;
    return shared;
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
    const int shared = shared_rows(most_x, most_y, settings);
    defines["SHARED"] = shared;
    result.range = batched_range(pass, strips, ceil_div(g.height, band), 1, 1);
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(pass.terms),
                        ConstantData{bytes_of(pass.space.data(), pass.space.size()), true},
                        by_value(band)};
    const std::int64_t ring = std::int64_t{most_y} * pass.channels * (settings.strip + 3 * lanes);
    result.private_bytes =
        static_cast<std::size_t>(ring + kept_floats(most_x, shared, settings)) * sizeof(float);
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
    // Measured with AVX2 and AVX-512. Wide strips weigh less beside themselves, but keep more.
    spec.preferred = [](const BilateralPass &pass, const DeviceFacts &) {
        std::vector<Settings> result{{.strip = 128}, {.strip = 64}};
        const Settings wide{.strip = 256};
        const int most_y = most_of(pass.geometry.taps_y);
        if (shared_rows(most_of(pass.geometry.taps_x), most_y, wide) == most_y / 2)
            result.insert(result.begin(), wide);
        return result;
    };
    spec.rank = [](const BilateralPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 3, .nothing_shared = 0, .tiles = 0}(facts)};
    };
    return spec;
}

} // namespace gz
