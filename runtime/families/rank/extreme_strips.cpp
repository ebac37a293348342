// Minima and maxima over boxes for CPUs, a strip of a band of rows per item. See cl/rank/extreme_strips.cl.
#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "families/rank/kernels.hpp"
#include "plan/bands.hpp"
#include "plan/columns.hpp"

namespace gz {

namespace {

struct Settings {
    int strip, passes, vector_bytes;
};

const std::vector<Setting<Settings>> tunables = {
    {"STRIP", &Settings::strip, {64, 512, 1024, 4096}},
    {"PASSES", &Settings::passes, {1, 2}},
    {"VECTOR_BYTES", &Settings::vector_bytes, {32, 64}}};

// Strips along x are wide, where those along y are others: they hold one row.
constexpr int strip_along = 4096;

// Boxes of up to so many rows keep the rows themselves.
constexpr int most_kept = 5;

// Rows of a step. A step costs an operation for each block before it and two for each row of the rest.
int block_of(int window) {
    const int rows = std::max(window - 1, 1);
    constexpr int least = 7;
    if (rows <= least)
        return rows;
    const int root = static_cast<int>(std::sqrt(rows));
    int best = rows;
    double best_cost = rows;
    for (int block = std::max(root, least); block <= std::min(2 * root + least, rows); ++block) {
        const double cost =
            static_cast<double>(rows / block + 2 * (rows % block)) / block + block / 32.0;
        if (cost < best_cost) {
            best = block;
            best_cost = cost;
        }
    }
    return best;
}

// The largest power of 4 below the window's length.
int span_of(int window) {
    int span = 1;
    while (4 * span < window)
        span *= 4;
    return span;
}

// Keys of a row that a strip holds, with what vectors read beyond.
std::int64_t pitch_of(const ExtremePass &pass, const Settings &settings, int strip, int window_x) {
    const int lanes = settings.vector_bytes / static_cast<int>(key_bytes(pass));
    return strip + std::int64_t{window_x - 1} * pass.channels + std::max(lanes, 16);
}

// Rows that a strip holds.
int rows_of(int window_y) {
    constexpr int tile = 4;
    const int block = block_of(window_y);
    const int blocks = (window_y - 1) / block;
    return window_y <= most_kept ? 2 * tile + window_y - 1 : block + 2 * blocks + 3;
}

std::size_t private_bytes(const ExtremePass &pass, std::int64_t pitch, int rows) {
    return static_cast<std::size_t>(pitch) *
           (static_cast<std::size_t>(rows) * key_bytes(pass) + sizeof(std::int32_t));
}

Launch launch(const ExtremePass &pass, const Settings &settings, const char *entry,
              std::int64_t strips, std::int32_t band) {
    const Geometry &g = pass.geometry;
    Launch result;
    result.program = {"rank/extreme_strips.cl", entry, rank_defines(pass)};
    Defines &defines = result.program.defines;
    add_defines(defines, tunables, settings);
    defines["IS_MAXIMUM"] = pass.is_maximum ? 1 : 0;
    defines["WINDOW_X"] = g.taps_x;
    defines["WINDOW_Y"] = g.taps_y;
    defines["KEEPS_ROWS"] = g.taps_y <= most_kept ? 1 : 0;
    defines["BLOCK"] = block_of(g.taps_y);
    if (settings.passes == 2)
        defines["STRIP_ALONG"] = strip_along;
    defines["SPAN"] = span_of(g.taps_x);
    result.range = batched_range(pass, strips, ceil_div(g.height, band), 1, 1);
    return result;
}

Work work(const ExtremePass &pass, const Settings &settings, const DeviceFacts &facts) {
    const Geometry &g = pass.geometry;
    const int rows = rows_of(g.taps_y);
    if (settings.passes == 1) {
        const std::int64_t strips = ceil_div(g.width, settings.strip);
        const std::int32_t band = rows_of_band(pass, strips, g.taps_y, facts);
        Launch result = launch(pass, settings, "extreme_strips", strips, band);
        result.arguments = {SourceBuffer(), TargetBuffer(), by_value(g), by_value(band)};
        result.private_bytes =
            private_bytes(pass, pitch_of(pass, settings, settings.strip, g.taps_x), rows);
        return result;
    }
    const BoxColumns columns = columns_of(pass);
    const std::int64_t strips = ceil_div(columns.count, settings.strip);
    const std::int64_t strips_along = ceil_div(g.width, strip_along);
    const std::int32_t band = rows_of_band(pass, strips, g.taps_y, facts);
    const std::int32_t band_along = rows_of_band(pass, strips_along, 1, facts);
    Work result;
    result.workspace = {static_cast<std::uint64_t>(pass.batch() * g.height * columns.pitch) *
                        key_bytes(pass)};
    result.launches = {launch(pass, settings, "extreme_strips", strips, band),
                       launch(pass, settings, "extreme_along", strips_along, band_along)};
    result.launches[0].arguments = {SourceBuffer(), WorkspaceBuffer(), by_value(g), by_value(band),
                                    by_value(columns)};
    result.launches[1].arguments = {WorkspaceBuffer(), TargetBuffer(), by_value(g),
                                    by_value(band_along), by_value(columns)};
    result.launches[0].private_bytes =
        private_bytes(pass, pitch_of(pass, settings, settings.strip, 1), rows);
    result.launches[1].private_bytes =
        private_bytes(pass, pitch_of(pass, settings, strip_along, g.taps_x), 1);
    return result;
}

} // namespace

Kernel extreme_strips() {
    KernelSpec<ExtremePass, Settings> spec;
    spec.name = "extreme_strips";
    spec.folder = "rank";
    spec.tunables = tunables;
    spec.work = work;
    // Wide strips read whole pages in order and share what lies between them; one that does not fit the device is
    // passed over.
    spec.preferred = [](const ExtremePass &pass, const DeviceFacts &) {
        const int reach = (pass.geometry.taps_x - 1) * pass.channels;
        std::vector<Settings> result;
        for (const int passes : {1, 2})
            for (const int strip : {4096, 1024, 512, 64})
                if (passes == 2 || strip >= reach)
                    for (const int bytes : {64, 32})
                        result.push_back({.strip = strip, .passes = passes, .vector_bytes = bytes});
        return result;
    };
    spec.rank = [](const ExtremePass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 3, .nothing_shared = 0, .tiles = 0}(facts)};
    };
    return spec;
}

} // namespace gz
