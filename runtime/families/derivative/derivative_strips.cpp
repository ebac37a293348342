// Derivatives by three pixels from one reading for CPUs, a strip of a band of rows per item. See
// cl/derivative/derivative_strips.cl.
#include "families/derivative/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int strip, band;
};

constexpr int vector_width = 16; // values of a vector

Work work(const StencilPass &pass, const Settings &settings, const DeviceFacts &) {
    Launch result;
    result.program = {"derivative/derivative_strips.cl", "derivative_strips",
                      stencil_defines(pass)};
    result.program.defines["STRIP"] = settings.strip;
    result.program.defines["ALIGNED"] = pass.alignment >= vector_width ? 1 : 0;
    const std::int32_t band = settings.band; // an argument: it depends on the image's size
    result.range = batched_range(pass, ceil_div(pass.geometry.width, settings.strip),
                                 ceil_div(pass.geometry.height, band), 1, 1);
    result.arguments = stencil_arguments(pass);
    result.arguments.push_back(by_value(band));
    result.private_bytes =
        3 * pass.stencils.size() * static_cast<std::size_t>(settings.strip) * sizeof(float);
    return result;
}

// Three rows of a strip, filtered by each stencil, fit the fastest cache. Bands are high, so that few rows are
// read twice, but not so high that cores stay idle.
std::vector<Settings> preferred(const StencilPass &pass, const DeviceFacts &facts) {
    const int strip = pass.stencils.size() > 2 ? 512 : 1024;
    const std::int64_t strips = ceil_div(pass.geometry.width, strip) * pass.batch();
    int band = 256;
    while (band > 16 && strips * ceil_div(pass.geometry.height, band) < 4 * facts.cores())
        band /= 4;
    return {{.strip = strip, .band = band}};
}

} // namespace

Kernel derivative_strips() {
    KernelSpec<StencilPass, Settings> spec;
    spec.name = "derivative_strips";
    spec.folder = "derivative";
    spec.tunables = {{"STRIP", &Settings::strip, {64, 512, 1024}},
                     {"BAND", &Settings::band, {16, 64, 256}}};
    spec.preferred = preferred;
    spec.work = work;
    spec.rank = [](const StencilPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 2, .nothing_shared = 1, .tiles = 1}(facts)};
    };
    return spec;
}

} // namespace gz
