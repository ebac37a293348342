// Openings and closings by small boxes for GPUs, in one pass. See cl/morphology/opening_march.cl.
#include "core/error.hpp"
#include "families/morphology/kernels.hpp"
#include "families/rank/march_pass.hpp"
#include "plan/problem.hpp"

namespace gz {

namespace {

struct Settings {
    int group, resident, streams;
};

constexpr int step = 8; // rows

const std::vector<Setting<Settings>> tunables = {
    {"GROUP", &Settings::group, {64, 128}},
    {"RESIDENT",
     &Settings::resident,
     {1, 2, 3, 4, 5, 6, 8}}, // groups that a compute unit runs at a time
    {"STREAMS", &Settings::streams, {0, 1}}};

// Both filters read a row's neighbours within whole blocks of an item.
MarchLayout layout_of(const OpeningPass &pass, const Settings &settings) {
    MarchLayout layout = march_layout(pass, pass.channels, settings.group, pass.geometry.anchor_x,
                                      pass.geometry.anchor_x);
    layout.left *= 2;
    layout.right *= 2;
    return layout;
}

Work work(const OpeningPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const MarchLayout layout = layout_of(pass, settings);
    Launch result =
        launch_march(pass, layout, {settings.group, step, settings.resident, settings.streams},
                     "morphology/opening_march.cl", "opening_march", facts);
    result.program.defines["IS_CLOSING"] = pass.is_closing ? 1 : 0;
    // Borders that mirror pixels repeat those that the first filter's boxes cover anyway.
    result.program.defines["FOLDS"] = 0;
    result.program.defines["GATHERS"] = has_edges_between(pass, layout) ? 1 : 0;
    result.arguments.push_back(LocalMemory{bytes_of_rows(layout, step)});
    return result;
}

std::string refusal(const OpeningPass &pass, const Settings &settings) {
    const Geometry &g = pass.geometry;
    constexpr int longest = 7;
    if (longer_side(g) > longest || g.taps_x < 2 || g.taps_y < 2)
        return text("boxes have from 2 to ", longest, " pixels along x and y");
    if (g.border_mode == BORDER_WRAP)
        return "the border wraps around";
    // The first filter's results would have to be rounded.
    if (g.border_mode == BORDER_CONSTANT && pass.src_type != PixelType::f32 &&
        key_kind(pass) == KeyKind::floats)
        return "the border's constant is no pixel of the source's type";
    const MarchLayout layout = layout_of(pass, settings);
    if (layout.pixels() < layout.columns)
        return text("a group of ", settings.group, " items leaves no results of ", pass.channels,
                    " channels");
    return "";
}

} // namespace

Kernel opening_march() {
    KernelSpec<OpeningPass, Settings> spec;
    spec.name = "opening_march";
    spec.folder = "morphology";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = refusal;
    // Measured on an H200.
    spec.preferred = [](const OpeningPass &pass, const DeviceFacts &facts) {
        const bool is_long = longer_side(pass.geometry) > 3;
        std::vector<Settings> result;
        if (facts.device_class == DeviceClass::nvidia_gpu && key_bytes(pass) == 1 &&
            pass.channels == 1)
            result.push_back(is_long ? Settings{.group = 64, .resident = 6, .streams = 0}
                                     : Settings{.group = 128, .resident = 4, .streams = 0});
        const int resident = keys_of_word(pass) == 2 && is_long ? 2 : 3;
        for (const int group : {128, 64})
            result.push_back({.group = group, .resident = resident, .streams = 0});
        return result;
    };
    spec.rank = [](const OpeningPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = 3}(facts)};
    };
    return spec;
}

} // namespace gz
