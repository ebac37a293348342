#include "families/box/box_pass.hpp"
#include "families/box/kernels.hpp"
#include "plan/problem.hpp"

#include <cmath>

namespace gz {

BoxSum sum_of(const BoxPass &pass) {
    const PixelTypeFacts &src = facts_of(pass.src_type);
    const Geometry &g = pass.geometry;
    const double constant = static_cast<double>(g.border_value);
    const bool has_constant = g.border_mode == BORDER_CONSTANT;
    const bool exact = !has_constant || (constant == std::nearbyint(constant) &&
                                         constant >= src.lowest && constant <= src.highest);
    if (!src.is_integer || !exact)
        return BoxSum::f32;
    return largest_of_columns(pass) * g.taps_x < 0x1p31 ? BoxSum::i32 : BoxSum::i64;
}

Defines box_defines(const BoxPass &pass) {
    Defines defines = type_defines(pass);
    defines["SUM_TYPE"] = static_cast<int>(sum_of(pass));
    defines["DIFFERENCE"] = static_cast<int>(pass.difference);
    return defines;
}

Defines box_defines_of_narrow_columns(const BoxPass &pass) {
    Defines defines = box_defines(pass);
    if (sum_of(pass) == BoxSum::i64) {
        defines["SUM_TYPE"] = static_cast<int>(BoxSum::i32);
        defines["WIDE"] = 1;
    }
    return defines;
}

double largest_of_columns(const BoxPass &pass) {
    const PixelTypeFacts &src = facts_of(pass.src_type);
    return std::max(-src.lowest, src.highest) * pass.geometry.taps_y;
}

std::int64_t area_of(const BoxPass &pass) {
    return static_cast<std::int64_t>(pass.geometry.taps_x) * pass.geometry.taps_y;
}

void append_other(const BoxPass &pass, Launch &launch) {
    if (pass.difference != Subtraction::none)
        launch.arguments.emplace_back(SourceBuffer{1});
}

const std::vector<Setting<BoxStripSettings>> &box_strip_tunables() {
    static const std::vector<Setting<BoxStripSettings>> tunables{
        {"STRIP", &BoxStripSettings::strip, {512, 4096}},
        {"BAND", &BoxStripSettings::band, {16, 64, 256, 1024}}};
    return tunables;
}

namespace {

std::int64_t strips_of(const BoxPass &pass, int strip) {
    return ceil_div(pass.geometry.width, std::int64_t{whole_values(strip, pass.channels)});
}

} // namespace

std::vector<BoxStripSettings> preferred_strips(const BoxPass &pass, const DeviceFacts &facts) {
    // One group filters an image of so many values sooner than a second core wakes: on two Zen 4 cores 64x64 take 20 us in one
    // band, and 44 by two launches of box_lines.
    constexpr std::int64_t most_tiny = 4096;
    const Geometry &g = pass.geometry;
    const bool is_tiny = pass.values() <= most_tiny;
    std::vector<BoxStripSettings> result;
    for (const int strip : {4096, 512}) {
        const std::int64_t strips = strips_of(pass, strip) * pass.batch();
        int band = 1024;
        while (band > 16 && !is_tiny &&
               strips * ceil_div(g.height, band) < (band / 4 < g.taps_y ? 1 : 2) * facts.cores())
            band /= 4;
        result.push_back({.strip = strip, .band = band});
    }
    return result;
}

NDRange range_of_strips(const BoxPass &pass, const BoxStripSettings &settings) {
    return batched_range(pass, strips_of(pass, settings.strip),
                         ceil_div(pass.geometry.height, settings.band), 1, 1);
}

bool outgrows_image(const BoxPass &pass) {
    constexpr int few = 64;
    const Geometry &g = pass.geometry;
    return g.anchor_x >= std::max(few, g.valid_right - g.valid_left) ||
           g.anchor_y >= std::max(few, g.valid_bottom - g.valid_top);
}

float share_of(const BoxPass &pass) {
    return static_cast<float>(1.0 / static_cast<double>(area_of(pass)));
}

std::string problem_of(const BoxPass &pass) {
    // A band of rows is low beside longer boxes, so measurements of other boxes say little of them.
    constexpr int most_moderate_taps = 2047;
    const std::int64_t taps = longer_side(pass.geometry);
    const std::string length = outgrows_image(pass) ? "taps>image"
                               : taps > most_moderate_taps
                                   ? text("taps>", most_moderate_taps)
                                   : up_to("taps", taps, {7, 11, 15, 63, 255});
    return (pass.difference == Subtraction::none ? "box " : "box difference ") + length + " " +
           image_text(pass);
}

std::string problem_of(const BoxFramesPass &pass) {
    return (pass.subtraction == Subtraction::none ? "box frames " : "box difference frames ") +
           image_text(pass);
}

const std::vector<Kernel> &kernels_of(const BoxPass &) {
    return box_kernels();
}

const std::vector<Kernel> &kernels_of(const BoxFramesPass &) {
    return box_kernels();
}

} // namespace gz
