// Means over boxes of one-channel images in one pass. See cl/box/box_columns.cl.
#include <algorithm>

#include "families/box/kernels.hpp"

namespace gz {

namespace {

struct Settings {
    int group, band;
};

// These match the kernel's constants.
constexpr int rows = 4;
constexpr std::int64_t split = 4;
constexpr std::int64_t read_besides = 16; // values right of a strip and its apron

// The radius along x in whole blocks of 4 values.
std::int64_t apron_of(const BoxPass &pass) {
    return 4 * ceil_div(pass.geometry.anchor_x, 4);
}

// Values that a group of so many items makes in a row.
std::int64_t strip_of(const BoxPass &pass, int group) {
    return 4 * std::int64_t{group} - 2 * apron_of(pass);
}

bool is_aligned(const BoxPass &pass) {
    return pass.alignment >= 4;
}

// Strips [first, end) of a row read nothing outside the image.
struct Inner {
    std::int64_t first = 0, end = 0;
};

Inner inner_of(const BoxPass &pass, int group) {
    const Geometry &g = pass.geometry;
    const std::int64_t strip = strip_of(pass, group);
    const std::int64_t apron = apron_of(pass);
    const std::int64_t strips = ceil_div(g.width, strip);
    Inner inner;
    inner.first = std::clamp<std::int64_t>(ceil_div(g.valid_left + apron, strip), 0, strips);
    const std::int64_t room = std::int64_t{g.valid_right} - apron - read_besides;
    inner.end = std::clamp(room < 0 ? 0 : room / strip, inner.first, strips);
    return inner;
}

Work work(const BoxPass &pass, const Settings &settings, const DeviceFacts &) {
    const Geometry &g = pass.geometry;
    const int group = settings.group;
    const Inner inner = inner_of(pass, group);
    const std::int64_t strips = ceil_div(g.width, strip_of(pass, group));

    Launch result;
    result.program = {"box/box_columns.cl", "box_columns", box_defines(pass)};
    result.program.defines["GROUP"] = group;
    result.program.defines["ALIGNED"] = is_aligned(pass) ? 1 : 0;
    const std::int64_t inner_strips = inner.end - inner.first;
    result.range = batched_range(pass, inner_strips + split * (strips - inner_strips),
                                 ceil_div(g.height, settings.band), group, 1);
    // A few vectors more than the rows have: those read beyond them have no effect.
    const auto vectors = [](int count) {
        return LocalMemory{static_cast<std::size_t>(count) * 4 * sizeof(float)};
    };
    result.arguments = {SourceBuffer(),
                        TargetBuffer(),
                        by_value(g),
                        by_value(static_cast<std::int32_t>(settings.band)),
                        by_value(static_cast<std::int32_t>(apron_of(pass))),
                        by_value(static_cast<std::int32_t>(inner.first)),
                        by_value(static_cast<std::int32_t>(inner.end)),
                        by_value(area_of(pass)),
                        by_value(share_of(pass)),
                        vectors(rows * group + 1),
                        vectors(rows * group / 4 + 2),
                        vectors(rows * group / 4)};
    append_other(pass, result);
    return result;
}

std::string refusal(const BoxPass &pass, const Settings &settings) {
    if (pass.channels != 1)
        return text("pixels have ", pass.channels, " channels");
    // Up to four columns more than a box has are summed on the way.
    const double most = largest_of_columns(pass) * (static_cast<double>(pass.geometry.taps_x) + 4);
    if (sum_of(pass) != BoxSum::f32 && most >= 0x1p31)
        return "sums of boxes need more than 32 bits";
    // No more than half of what is summed may belong to other strips.
    const int group = settings.group;
    return strip_of(pass, group) < 2 * group ? text("boxes are too wide for groups of ", group)
                                             : "";
}

Settings shaped(int group, int band) {
    return {.group = group, .band = band};
}

// Measured on NVIDIA (H200, 16384x16384 f32): small groups are best, in bands so high that few rows are
// summed twice and that the rows which leave boxes are still in the cache. All groups must run at once: with
// a few left over, high bands take twice as long. Groups of 64 of which a quarter belongs to other strips
// (radius 40) take a tenth longer than groups of 128.
std::vector<Settings> preferred(const BoxPass &pass, const DeviceFacts &facts) {
    std::vector<Settings> result;
    for (const int group : {64, 128, 256}) {
        const std::int64_t strip = strip_of(pass, group);
        if (strip < (group == 64 ? 3 : 2) * group && group < 256)
            continue;
        const std::int64_t strips = ceil_div(pass.geometry.width, std::max<std::int64_t>(strip, 1));
        const auto groups = [&](int band) {
            return strips * pass.batch() * ceil_div(pass.geometry.height, band);
        };
        const std::int64_t cores = facts.cores();
        int band = groups(2048) <= 5 * cores ? 2048 : 512;
        while (band > 128 && groups(band) < 4 * cores)
            band /= 4;
        result.push_back(shaped(group, band));
    }
    return result;
}

} // namespace

Kernel box_columns() {
    KernelSpec<BoxPass, Settings> spec;
    spec.name = "box_columns";
    spec.folder = "box";
    spec.tunables = {{"GROUP", &Settings::group, {64, 128, 256}},
                     {"BAND", &Settings::band, {128, 512, 2048}}};
    spec.refusal = refusal;
    spec.preferred = preferred;
    spec.work = work;
    spec.details = [](const BoxPass &pass, const Settings &settings) {
        return text("strips of ", strip_of(pass, settings.group), "x", settings.band,
                    is_aligned(pass) ? ", aligned vectors" : ", unaligned");
    };
    // Measured on NVIDIA (H200) with u8: 0.32 to 0.87 of box_tiled's time, and 1.03 of it for radii from 32 to 127 in
    // 16384x16384.
    spec.rank = [](const BoxPass &, const Settings &, const DeviceFacts &facts) {
        return Rank{RankByHabit{.strips = 1, .nothing_shared = 3, .tiles = 5}(facts)};
    };
    return spec;
}

} // namespace gz
