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

// Rows of an item. Measured on NVIDIA (H200) with 4, 8 and 12 rows, in copies:
//   16384x16384 f32, magnitude 1.44, 1.19, 1.07; pair 1.18, 1.08, 1.10; orientation 1.73, 1.46, 1.52
//   16384x16384 u8, magnitude 5.2, 3.9, 3.4; pair 3.4, 2.1, 1.9; orientation 6.4, 5.8, 6.5
//   8192x8192 f32, three channels, magnitude 1.28, 1.24, 1.50
//   1920x1080 f32, magnitude 1.9, 2.1, 2.3
int rows_for(const StencilPass &pass, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    // An item has 128 registers there: Debian 12's compiler puts the pixels of 8 rows in memory.
    if (facts.device_class == DeviceClass::intel_gpu)
        return 4;
    constexpr int least_groups = 8; // for each unit, of 128 items with 8 rows
    const std::int64_t groups =
        ceil_div(g.width, 32 * columns) * ceil_div(g.height, 4 * 8) * pass.batch();
    if (groups < std::int64_t{least_groups} * facts.cores())
        return 4;
    const bool is_narrow = pass.channels == 1 && !pass.has_orientation;
    return is_narrow && (pass.has_magnitude || facts_of(pass.src_type).is_integer) ? 12 : 8;
}

} // namespace

Kernel derivative_march() {
    KernelSpec<StencilPass, Settings> spec;
    spec.name = "derivative_march";
    spec.folder = "derivative";
    spec.tunables = {{"GROUP_X", &Settings::group_x, {1, 32, 64}},
                     {"GROUP_Y", &Settings::group_y, {1, 4}},
                     {"ROWS", &Settings::rows, {1, 4, 8, 12}}};
    spec.preferred = [](const StencilPass &pass, const DeviceFacts &facts) {
        return std::vector<Settings>{{.group_x = 32, .group_y = 4, .rows = rows_for(pass, facts)},
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
