// Pixels to XYB planes on CPUs, strip by strip. See cl/xyb_strips.cl.
#include "kernel/image_pass.hpp"
#include "kernel/kernels.hpp"

namespace gz {

namespace {

constexpr int rows = 32;

} // namespace

XybSpec xyb_strips() {
    XybSpec spec;
    spec.name = "xyb_strips";
    spec.tunables = {{"STRIP", {512, 1024}}};
    spec.refusal = [](const XybPass &, const Config &) { return std::string(); };
    spec.preferred = [](const XybPass &, const DeviceFacts &) {
        return std::vector<Config>{{{"STRIP", 512}}};
    };
    spec.work = [](const XybPass &pass, const Config &config, const DeviceFacts &) -> Work {
        const int strip = config.at("STRIP");
        Launch launch = xyb_launch(pass, "xyb_strips", {strip, rows});
        launch.program.defines["STRIP"] = strip;
        // Pixels of a row, a pair of rows, and the rows of the next scale, in linear RGB.
        launch.private_bytes = static_cast<std::size_t>(strip * (4 + 6 + 3 * rows / 4)) * 4;
        return launch;
    };
    spec.details = [](const XybPass &, const Config &) { return std::string(); };
    return spec;
}

} // namespace gz
