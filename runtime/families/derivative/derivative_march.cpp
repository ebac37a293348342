// Derivatives by three pixels from one reading, four columns and some rows per item. See
// cl/derivative/derivative_march.cl.
#include "families/derivative/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group_x, group_y, rows;
};

constexpr int columns = 4; // values of a row that an item makes

Work work(const StencilPass &pass, const Settings &settings, const DeviceFacts &) {
    Launch result;
    result.program = {"derivative/derivative_march.cl", "derivative_march", stencil_defines(pass)};
    Defines &defines = result.program.defines;
    defines["GROUP_X"] = settings.group_x;
    defines["GROUP_Y"] = settings.group_y;
    defines["ROWS"] = settings.rows;
    defines["ALIGNED"] = pass.alignment >= columns ? 1 : 0;
    result.range = batched_range(
        pass, ceil_div(pass.geometry.width, std::int64_t{settings.group_x} * columns),
        ceil_div(pass.geometry.height, std::int64_t{settings.group_y} * settings.rows),
        settings.group_x, settings.group_y);
    result.arguments = stencil_arguments(pass);
    return result;
}

} // namespace

Kernel derivative_march() {
    KernelSpec<StencilPass, Settings> spec;
    spec.name = "derivative_march";
    spec.folder = "derivative";
    spec.tunables = {{"GROUP_X", &Settings::group_x, {1, 32, 64}},
                     {"GROUP_Y", &Settings::group_y, {1, 4}},
                     {"ROWS", &Settings::rows, {1, 4, 8}}};
    spec.preferred = [](const StencilPass &, const DeviceFacts &) {
        // Measured on NVIDIA (H200): twice as many rows make 1.05 and 1.18 copies of a pair of derivatives and
        // their magnitude, of 1.18 and 1.44.
        return std::vector<Settings>{{.group_x = 32, .group_y = 4, .rows = 8},
                                     {.group_x = 32, .group_y = 4, .rows = 4},
                                     {.group_x = 32, .group_y = 1, .rows = 4},
                                     {.group_x = 1, .group_y = 1, .rows = 4}};
    };
    spec.work = work;
    spec.rank = [](const StencilPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 1, .nothing_shared = 2, .tiles = 2}(facts)};
    };
    return spec;
}

} // namespace gz
