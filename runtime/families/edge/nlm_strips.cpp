// Non-local means for CPUs, a strip of a band of rows per item. See cl/edge/nlm_strips.cl.
#include "families/edge/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int strip, band;
};

const std::vector<Setting<Settings>> tunables = {{"STRIP", &Settings::strip, {32, 64, 128}},
                                                 {"BAND", &Settings::band, {16, 32, 64}}};

Work work(const NonLocalPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const int most = most_radius(pass);
    Launch result;
    result.program = {"edge/nlm_strips.cl", "nlm_strips", weight_defines(pass)};
    Defines &defines = result.program.defines;
    add_defines(defines, tunables, settings);
    defines["PATCH"] = pass.patch;
    defines["MOST_RADIUS"] = most;
    result.range = batched_range(pass, ceil_div(g.width / pass.channels, settings.strip),
                                 ceil_div(g.height, settings.band), 1, 1);
    result.arguments = {SourceBuffer(), TargetBuffer(), by_value(g), by_value(pass.terms),
                        by_value(pass.patches)};
    constexpr int lanes = 16;
    const auto whole = [](int count) { return (count + lanes - 1) / lanes * lanes; };
    const int rings = (pass.patch <= 8 ? 8 : 16) + (most < 8 ? 8 : most < 16 ? 16 : 32) + 2;
    const int halo = most + pass.patch / 2;
    const int pitch = whole(halo) + settings.strip + whole(halo + lanes);
    const int tile = pass.channels * (settings.band + 2 * halo) * pitch;
    const int means = settings.band * (pass.channels + 1) * settings.strip;
    result.private_bytes = static_cast<std::size_t>(tile + means + rings * pitch) * sizeof(float);
    return result;
}

} // namespace

Kernel nlm_strips() {
    KernelSpec<NonLocalPass, Settings> spec;
    spec.name = "nlm_strips";
    spec.folder = "edge";
    spec.tunables = tunables;
    spec.work = work;
    spec.preferred = [](const NonLocalPass &, const DeviceFacts &) {
        std::vector<Settings> result;
        for (const int band : {64, 32, 16})
            for (const int strip : {128, 64, 32})
                result.push_back({.strip = strip, .band = band});
        return result;
    };
    spec.rank = [](const NonLocalPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 3, .nothing_shared = 0, .tiles = 0}(facts)};
    };
    return spec;
}

} // namespace gz
