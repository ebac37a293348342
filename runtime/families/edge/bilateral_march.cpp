// The bilateral filter for GPUs, each pair of pixels weighed once. See cl/edge/bilateral_march.cl.
#include <algorithm>

#include "core/error.hpp"
#include "families/edge/kernels.hpp"
#include "plan/bands.hpp"

namespace gz {

namespace {

struct Settings {
    int warps, columns, band;
};

const std::vector<Setting<Settings>> tunables = {{"WARPS", &Settings::warps, {1, 2, 4, 8}},
                                                 {"COLUMNS", &Settings::columns, {2, 4, 8}},
                                                 {"BAND", &Settings::band, {32, 64, 128}}};

constexpr int lanes = 32;         // of a warp
constexpr int largest_radius = 7; // registers hold no more of a row, and its weights

// How a group divides a row.
struct Layout {
    std::int64_t results, pitch; // pixels of a row that a warp writes, and that a group reads
};

Layout layout_of(const BilateralPass &pass, const Settings &settings) {
    const std::int64_t columns = settings.columns, radius = pass.geometry.anchor_x;
    const std::int64_t hops = ceil_div(radius, columns);
    const std::int64_t part = std::min<std::int64_t>(columns, 4);
    Layout layout{};
    layout.results = (lanes - 2 * hops) * columns;
    layout.pitch = settings.warps * layout.results + (2 * hops - 1) * columns +
                   ceil_div(columns + 2 * radius, part) * part;
    return layout;
}

// Weights of a lane's pixels that other lanes need at a time.
int weights_to_send(const BilateralPass &pass, int columns) {
    const int radius = pass.geometry.anchor_x;
    int count = 0;
    for (int i = 0; i < columns; ++i)
        for (int dx = pass.geometry.anchor_y > 0 ? -radius : 1; dx <= radius; ++dx)
            count += i + dx < 0 || i + dx >= columns ? 1 : 0;
    return count;
}

// Terms of space by the distances along x and y, from (0, 0) on.
std::vector<std::byte> space_by_distance(const BilateralPass &pass) {
    const Geometry &g = pass.geometry;
    std::vector<float> result;
    for (std::int32_t y = g.anchor_y; y < g.taps_y; ++y) {
        const auto row = pass.space.begin() + std::ptrdiff_t{y} * g.taps_x;
        result.insert(result.end(), row + g.anchor_x, row + g.taps_x);
    }
    return bytes_of(result.data(), result.size());
}

Work work(const BilateralPass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const Layout layout = layout_of(pass, settings);
    const bool shuffles = facts.device_class == DeviceClass::nvidia_gpu;
    const std::int64_t strips = ceil_div(g.width / pass.channels, settings.warps * layout.results);
    const std::int32_t band = std::min(settings.band, rows_of_band(pass, strips, g.taps_y, facts));
    const int group = lanes * settings.warps;
    Launch result;
    result.program = {"edge/bilateral_march.cl", "bilateral_march", weight_defines(pass)};
    Defines &defines = result.program.defines;
    defines["WARPS"] = settings.warps;
    defines["COLUMNS"] = settings.columns;
    defines["RADIUS_X"] = g.anchor_x;
    defines["RADIUS_Y"] = g.anchor_y;
    defines["SHUFFLES"] = shuffles ? 1 : 0;
    defines["ALIGNED"] =
        pass.channels == 1 && settings.columns % 4 == 0 && pass.alignment >= 4 ? 1 : 0;
    result.range = batched_range(pass, strips, ceil_div(g.height, band), group, 1);
    const std::vector<std::byte> space = space_by_distance(pass);
    const bool has_values = facts.takes_by_value(space.size());
    defines["BY_VALUE"] = has_values ? 1 : 0;
    // Those of few rows are in registers.
    const int sums = g.anchor_y <= 2 ? 1 : g.anchor_y * settings.columns * (pass.channels + 1);
    const int sent = shuffles ? 0 : weights_to_send(pass, settings.columns);
    result.arguments = {
        SourceBuffer(),
        TargetBuffer(),
        by_value(g),
        by_value(pass.terms),
        array_argument(space, has_values),
        by_value(band),
        LocalMemory{static_cast<std::size_t>((g.anchor_y + 2) * layout.pitch * pass.channels) *
                    sizeof(float)},
        LocalMemory{static_cast<std::size_t>(sums * group) * sizeof(float)},
        LocalMemory{static_cast<std::size_t>(std::max(sent * group, 1)) * sizeof(float)}};
    return result;
}

std::string refusal(const BilateralPass &pass, const Settings &) {
    if (!pass.is_flat())
        return "it filters slices, and the window has pixels of others";
    const Geometry &g = pass.geometry;
    if (std::max(g.anchor_x, g.anchor_y) > largest_radius)
        return text("windows have a radius of up to ", largest_radius, " along x and y");
    // PoCL's optimizer gives wrong results there, with the device's exponential.
    if (g.anchor_y == 0)
        return "the window has one row";
    return "";
}

} // namespace

Kernel bilateral_march() {
    KernelSpec<BilateralPass, Settings> spec;
    spec.name = "bilateral_march";
    spec.folder = "edge";
    spec.tunables = tunables;
    spec.work = work;
    spec.refusal = refusal;
    // Measured on NVIDIA (H100): small groups wait less for each other, and what fewer columns keep in registers
    // matters to pixels of several channels.
    spec.preferred = [](const BilateralPass &pass, const DeviceFacts &) {
        std::vector<Settings> result;
        const int radius = std::max(pass.geometry.anchor_x, pass.geometry.anchor_y);
        if (pass.channels == 1)
            result.push_back({.warps = radius <= 4 ? 2 : 1, .columns = 4, .band = 64});
        result.push_back({.warps = 1, .columns = 2, .band = 64});
        return result;
    };
    // On NVIDIA (H200) 1.3 to 2.2 times as fast as bilateral_tiled with one channel, and with three and a radius
    // of 4. Elsewhere lanes hand on weights through local memory, which is not measured.
    spec.rank = [](const BilateralPass &pass, const Settings &, const DeviceFacts &facts) {
        const int radius = std::max(pass.geometry.anchor_x, pass.geometry.anchor_y);
        const bool is_measured =
            facts.device_class == DeviceClass::nvidia_gpu && (pass.channels == 1 || radius <= 4);
        const int tiles = is_measured ? 5 : 3;
        return Rank{RankByHabit{.strips = 0, .nothing_shared = 0, .tiles = tiles}(facts)};
    };
    return spec;
}

} // namespace gz
