// Pixels to XYB planes on CPUs, strip by strip. See cl/ssimulacra2/xyb_strips.cl.
#include "families/ssimulacra2/kernels.hpp"
#include "plan/image_pass.hpp"

namespace gz {

namespace {

struct Settings {
    int strip;
};

const std::vector<Setting<Settings>> tunables = {{"STRIP", &Settings::strip, {512, 1024}}};

constexpr int rows = 32;

} // namespace

Kernel xyb_strips() {
    KernelSpec<XybPass, Settings> spec;
    spec.name = "xyb_strips";
    spec.folder = "ssimulacra2";
    spec.tunables = tunables;
    spec.preferred = [](const XybPass &, const DeviceFacts &) {
        return std::vector<Settings>{{.strip = 512}};
    };
    spec.work = [](const XybPass &pass, const Settings &settings, const DeviceFacts &) -> Work {
        const int strip = settings.strip;
        Launch launch = xyb_launch(pass, "xyb_strips", {strip, rows});
        launch.program.defines["STRIP"] = strip;
        launch.program.defines["ROWS"] = rows;
        // Pixels of a row, a pair of rows, and the rows of the next scale, in linear RGB.
        launch.private_bytes = static_cast<std::size_t>(strip * (4 + 6 + 3 * rows / 4)) * 4;
        return launch;
    };
    spec.rank = [](const XybPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 2, .nothing_shared = 1, .tiles = 1}(facts)};
    };
    return spec;
}

} // namespace gz
