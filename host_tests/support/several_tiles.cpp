#include "support/several_tiles.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "families/family.hpp"

namespace support {

namespace {

using namespace gz;

// Cases of equal Programs share one, except for how the compiler sees the taps: types, configuration and the
// taps' bucket.
struct Program {
    PixelType src, dst;
    int channels;
    std::vector<int> config; // values of the kernel's tunables, in their order
    std::vector<TapsCase> taps;
    Layout layout = Layout::padded_aligned;
};

// Images in pixels: one with a rest of a tile along each axis, one that ends where tiles do, and one that a
// region is cut from.
struct Sizes {
    int width, height, full_width, full_height, around_width, around_height;
};

// Returns four tiles and a bit along x, three and a bit along y. Where a region is cut from an image,
// make_region takes 11 of 20 pixels along each axis; in multiples of 640 values all rows begin at multiples
// of 16.
Sizes around_tiles(int tile_values, int tile_rows, int channels) {
    const int pixels = 4 * tile_values / channels;
    const int step = channels == 3 ? 320 : 640 / channels;
    return {pixels + 5,
            3 * tile_rows + 5,
            channels == 3 ? tile_values : 3 * tile_values / channels,
            3 * tile_rows,
            (pixels + step - 1) / step * step,
            25 * tile_rows / 4};
}

constexpr TapsCase dense(int width, int height, int anchor_x, int anchor_y) {
    return {width, height, anchor_x, anchor_y, false, false};
}
constexpr TapsCase separable(int width, int height, int anchor_x, int anchor_y) {
    return {width, height, anchor_x, anchor_y, true, false};
}

constexpr PixelType u8 = PixelType::u8, u16 = PixelType::u16, s16 = PixelType::s16,
                    f16 = PixelType::f16, f32 = PixelType::f32;

// GROUP_X, GROUP_Y, ITEM_X, ITEM_Y, and then APART. Anchors go round all alignments of an item's first value, in the
// unrolled body and in the other.
std::vector<Program> tiled_programs() {
    const std::vector<Program> programs = {
        {f32,
         f32,
         1,
         {8, 4, 4, 4},
         {dense(3, 3, 1, 1), dense(3, 2, 0, 1), dense(3, 3, 2, 0), dense(2, 3, 1, 2)}},
        {u8,
         u8,
         1,
         {8, 4, 8, 4},
         {separable(5, 5, 2, 2), separable(5, 4, 4, 0), separable(4, 5, 3, 1),
          separable(5, 5, 1, 4)}},
        {f32, f32, 1, {8, 4, 8, 4}, {dense(7, 7, 3, 3), dense(7, 6, 6, 2), dense(6, 7, 0, 0)}},
        {u16, f32, 3, {8, 8, 4, 8}, {separable(7, 7, 3, 3), separable(6, 5, 1, 4)}},
        {f16, f16, 2, {16, 4, 8, 8}, {separable(9, 9, 4, 4), separable(8, 9, 3, 8)}},
        {s16, s16, 4, {8, 4, 4, 8}, {dense(5, 5, 2, 2), dense(4, 5, 0, 3)}},
        {u8, f32, 1, {16, 4, 4, 4}, {separable(31, 17, 15, 8), separable(20, 31, 2, 30)}},
        {u8,
         u8,
         3,
         {8, 4, 4, 4},
         {dense(5, 5, 2, 2), dense(4, 5, 3, 1)},
         Layout::odd_offset_and_pitch},
        {f32,
         f32,
         1,
         {8, 8, 8, 4},
         {separable(7, 7, 3, 3), separable(6, 7, 1, 0)},
         Layout::odd_offset_and_pitch},
    };
    std::vector<Program> result;
    for (const Program &program : programs)
        for (const int apart : {0, 1}) {
            result.push_back(program);
            result.back().config.push_back(apart);
        }
    return result;
}

// TILE_X, TILE_Y, ROW_ITEM, COLUMN_X, COLUMN_Y.
std::vector<Program> fused_programs() {
    return {
        {f32,
         f32,
         1,
         {64, 32, 4, 4, 8},
         {separable(5, 4, 0, 3), separable(4, 5, 1, 0), separable(5, 4, 2, 1),
          separable(5, 5, 3, 2)}},
        {u8, u8, 1, {64, 32, 16, 2, 8}, {separable(5, 5, 2, 2)}},
        {u16, f32, 3, {64, 32, 8, 1, 16}, {separable(7, 7, 3, 3)}},
        {f16, f32, 1, {64, 32, 8, 4, 8}, {separable(5, 5, 2, 2)}},
        {f16, f16, 2, {128, 32, 8, 4, 8}, {separable(6, 7, 1, 6), separable(7, 6, 2, 0)}},
        {f32, u8, 1, {128, 32, 4, 2, 16}, {separable(3, 3, 1, 1)}},
        {s16, s16, 4, {64, 64, 16, 4, 16}, {separable(11, 8, 10, 0)}},
        {u8, f32, 3, {64, 32, 8, 2, 8}, {separable(5, 4, 1, 1), separable(4, 4, 0, 3)}},
        {f32, f32, 1, {64, 64, 4, 4, 16}, {separable(21, 17, 10, 8)}},
        {u8, u8, 1, {64, 64, 8, 2, 8}, {separable(3, 3, 1, 1)}, Layout::odd_offset_and_pitch},
        {f32, f32, 3, {64, 32, 8, 4, 8}, {separable(9, 7, 3, 4)}, Layout::odd_offset_and_pitch},
    };
}

// GROUP, ITEM, BAND.
std::vector<Program> columns_programs() {
    return {
        {u8, u8, 1, {64, 4, 32}, {separable(5, 5, 2, 2)}},
        {u8, u8, 1, {64, 4, 128}, {separable(5, 5, 2, 2)}},
        {u16, f32, 3, {64, 8, 32}, {separable(4, 3, 3, 0)}},
        {s16, s16, 1, {64, 8, 32}, {separable(7, 8, 0, 7)}},
        {u8, u8, 4, {64, 16, 64}, {separable(3, 3, 1, 1)}},
        {u8, f16, 2, {64, 8, 128}, {separable(5, 5, 1, 3)}, Layout::odd_offset_and_pitch},
    };
}

// GROUP, ROW_ITEM, COLUMN_X, GROUPS: strips of 64 to 256 values, 8 or 16 rows at a time.
std::vector<Program> stream_programs() {
    return {
        {f32,
         f32,
         1,
         {64, 8, 1, 8},
         {separable(5, 4, 0, 3), separable(4, 5, 1, 0), separable(5, 4, 2, 1),
          separable(5, 5, 3, 2)}},
        {u8, u8, 1, {64, 16, 2, 8}, {separable(5, 5, 2, 2), separable(9, 17, 3, 4)}},
        {u16, f32, 3, {64, 16, 1, 4}, {separable(7, 7, 3, 3), separable(6, 2, 5, 0)}},
        {f16, f16, 2, {64, 16, 2, 16}, {separable(6, 7, 1, 6), separable(7, 6, 2, 0)}},
        {s16, s16, 4, {64, 32, 4, 8}, {separable(11, 8, 10, 0)}},
        {f32, u8, 3, {64, 16, 1, 8}, {separable(21, 21, 10, 10)}},
        {u8, u8, 1, {64, 32, 4, 8}, {separable(3, 3, 1, 1)}, Layout::odd_offset_and_pitch},
        {f32, f32, 3, {64, 8, 1, 8}, {separable(9, 7, 3, 4)}, Layout::odd_offset_and_pitch},
    };
}

// VECTOR, GROUP_X. Taps of more than two blocks, and the rest of one.
std::vector<Program> passes_programs() {
    return {
        {f32, f32, 1, {4, 64}, {separable(67, 41, 30, 12), separable(33, 16, 0, 15)}},
        {u8, u16, 3, {16, 1}, {separable(41, 35, 17, 20)}},
        {u16, u8, 2, {4, 1}, {separable(29, 19, 28, 3)}},
        {f16, f32, 1, {16, 64}, {separable(18, 24, 9, 12)}, Layout::odd_offset_and_pitch},
    };
}

// STRIP, BAND.
std::vector<Program> strips_programs() {
    return {
        {f32, f32, 1, {128, 16}, {separable(5, 5, 2, 2), separable(4, 3, 0, 2)}},
        {u8, u8, 3, {128, 16}, {dense(3, 3, 1, 1), dense(2, 3, 0, 2)}},
        {u16, f32, 1, {4096, 16}, {separable(7, 7, 3, 3), separable(3, 6, 2, 0)}},
        // An apron of more than two vectors.
        {u8, u8, 4, {128, 16}, {dense(15, 3, 7, 1)}},
    };
}

// QUADS, GROUP_Y, ITEM_Y. Anchors go round all alignments of a row's first value.
std::vector<Program> planar_programs() {
    return {
        {f32, f32, 3, {8, 2, 2}, {dense(9, 9, 4, 4), dense(8, 9, 3, 4), dense(9, 8, 1, 0)}},
        {u8, u8, 3, {8, 4, 2}, {dense(7, 7, 3, 3), dense(6, 7, 2, 5), dense(7, 5, 0, 4)}},
        {f16, f32, 3, {8, 2, 4}, {dense(5, 5, 2, 2)}},
        {u16, f32, 3, {16, 2, 2}, {dense(3, 3, 1, 1)}},
        {f16,
         u8,
         2,
         {8, 4, 4},
         {dense(11, 11, 5, 5), dense(10, 11, 2, 7)},
         Layout::odd_offset_and_pitch},
        {f32, u16, 4, {16, 2, 8}, {dense(17, 19, 3, 9)}},
    };
}

// GROUP, GROUPS: strips of 128 to 512 values. Anchors go round all alignments of a row's first value.
std::vector<Program> dense_stream_programs() {
    return {
        {f32, f32, 1, {32, 8}, {dense(5, 5, 2, 2), dense(4, 3, 0, 2)}},
        {f32, f32, 3, {32, 8}, {dense(3, 3, 1, 1), dense(4, 3, 2, 0)}},
        {u8, u8, 1, {64, 8}, {dense(7, 6, 3, 5), dense(6, 7, 1, 4)}},
        {u8, u8, 3, {128, 8}, {dense(3, 4, 1, 1)}},
        {u16, f32, 4, {32, 6}, {dense(2, 2, 1, 1)}},
        {f16, s16, 2, {32, 8}, {dense(5, 2, 1, 0)}},
        {f32, f16, 1, {32, 12}, {dense(15, 15, 7, 7)}},
        {s16, u8, 1, {64, 8}, {dense(3, 3, 1, 1)}, Layout::odd_offset_and_pitch},
        {f32, f32, 3, {32, 8}, {dense(4, 5, 3, 4)}, Layout::odd_offset_and_pitch},
    };
}

std::vector<Program> programs_of(const std::string &kernel) {
    if (kernel == "correlate_tiled")
        return tiled_programs();
    if (kernel == "correlate_planar")
        return planar_programs();
    if (kernel == "correlate_stream")
        return dense_stream_programs();
    if (kernel == "separable_fused")
        return fused_programs();
    if (kernel == "separable_columns")
        return columns_programs();
    if (kernel == "separable_stream")
        return stream_programs();
    if (kernel == "separable_passes")
        return passes_programs();
    if (kernel == "correlate_strips")
        return strips_programs();
    return {};
}

Sizes sizes_of(const std::string &kernel, const Program &program) {
    const auto tunable = [&](std::size_t i) { return program.config[i]; };
    if (kernel == "correlate_tiled")
        return around_tiles(tunable(0) * tunable(2), tunable(1) * tunable(3), program.channels);
    if (kernel == "correlate_planar")
        return around_tiles(4 * tunable(0) * program.channels, tunable(1) * tunable(2),
                            program.channels);
    if (kernel == "correlate_stream") // bands of some rows on a device of few cores
        return around_tiles(4 * tunable(0), 24, program.channels);
    if (kernel == "separable_fused")
        return around_tiles(tunable(0), tunable(1), program.channels);
    if (kernel == "separable_columns")
        return around_tiles(tunable(0) * tunable(1), std::min(tunable(2), 40), program.channels);
    if (kernel == "separable_stream") // bands of a few steps on a device of few cores
        return around_tiles(tunable(0) * tunable(2), 3 * tunable(1) / tunable(2), program.channels);
    if (kernel == "separable_passes") // 1024 values at a time
        return {2100 / program.channels, 61, 640, 64, 640, 110};
    return tunable(0) < 4096 ? around_tiles(tunable(0), tunable(1), program.channels)
                             : Sizes{1300, 37, 1024, 48, 2560, 60}; // 512 values at a time
}

CorrelatePass pass_of(const CorrelateCase &test) {
    return lower_taps(make_filter(test.taps, 3), make_plan_desc(test));
}

// Kinds tell the groups of a kernel apart besides their classes.
std::vector<std::string> kinds_of(const CorrelateCase &test, const CorrelatePass &pass,
                                  const Defines &defines) {
    const Geometry &g = pass.geometry;
    if (test.kernel == "separable_fused") {
        const int vector = defines.at("VECTOR");
        if (defines.at("SHIFT") >= 0)
            return {text("exact taps, vectors of ", vector)};
        return {
            text("vectors of ", vector, ", shift ", -(g.anchor_x * pass.channels) & (vector - 1))};
    }
    const int bucket = defines.at("BUCKET");
    const bool is_exact =
        defines.at("EXACT") && g.taps_x == bucket && g.taps_y == bucket && g.anchor_x == bucket / 2;
    const std::string body = is_exact ? "unrolled" : "looped";
    const std::string from = defines.at("ALIGNED")
                                 ? text(body, ", shift ", -(g.anchor_x * pass.channels) & 3)
                                 : body + ", unaligned";
    if (test.kernel == "correlate_planar")
        return {from};
    const std::string launches = defines.at("PART") == 0 ? "groups together" : "free groups apart";
    if (!defines.at("ALIGNED"))
        return {launches, from};
    return {launches, from, text(defines.at("ITEM_X"), " aligned values an item")};
}

std::vector<std::string> wanted_kinds(const std::string &kernel) {
    if (kernel == "separable_fused")
        return {"exact taps, vectors of 1",  "exact taps, vectors of 4", "exact taps, vectors of 8",
                "exact taps, vectors of 16", "vectors of 4, shift 0",    "vectors of 4, shift 1",
                "vectors of 4, shift 2",     "vectors of 4, shift 3"};
    std::vector<std::string> kinds{"unrolled, unaligned", "looped, unaligned"};
    if (kernel == "correlate_tiled")
        kinds.insert(kinds.end(), {"groups together", "free groups apart",
                                   "4 aligned values an item", "8 aligned values an item"});
    for (const char *body : {"unrolled", "looped"})
        for (const int shift : {0, 1, 2, 3})
            kinds.push_back(text(body, ", shift ", shift));
    return kinds;
}

bool has_classes(const std::string &kernel) {
    return kernel == "correlate_tiled" || kernel == "correlate_planar" ||
           kernel == "separable_fused";
}

} // namespace

ImageCase image_of_tiles(PixelType src, PixelType dst, int channels, int width, int height,
                         RegionKind region, Layout layout) {
    ImageCase test;
    test.src_type = src;
    test.dst_type = dst;
    test.channels = channels;
    test.width = width;
    test.height = height;
    test.region = region;
    test.layout = layout;
    return test;
}

std::vector<CorrelateCase> cases_of_several_tiles(const std::string &kernel) {
    const gz::Kernel spec = correlate_spec(kernel);
    std::vector<CorrelateCase> cases;
    std::size_t turn = 0;
    for (const Program &program : programs_of(kernel)) {
        const Sizes sizes = sizes_of(kernel, program);
        Config config;
        for (std::size_t i = 0; i < spec.tunables.size(); ++i)
            config[spec.tunables[i].name] = program.config.at(i);
        const auto add = [&](const TapsCase &taps, int width, int height, RegionKind region) {
            CorrelateCase test;
            static_cast<ImageCase &>(test) = image_of_tiles(
                program.src, program.dst, program.channels, width, height, region, program.layout);
            test.border = all_border_modes[turn++ % std::size(all_border_modes)];
            test.kernel = kernel;
            test.config = config;
            test.taps = taps;
            cases.push_back(test);
        };
        for (const TapsCase &taps : program.taps) {
            add(taps, sizes.width, sizes.height, RegionKind::whole);
            add(taps, sizes.around_width, sizes.around_height, RegionKind::neighbours);
        }
        add(program.taps.front(), sizes.full_width, sizes.full_height, RegionKind::whole);
    }
    return cases;
}

std::vector<CorrelateCase> few_of_several_tiles(const std::string &kernel) {
    std::vector<CorrelateCase> cases;
    if (!has_classes(kernel))
        return cases;
    const std::vector<CorrelateCase> all = cases_of_several_tiles(kernel);
    constexpr std::size_t programs = 2;
    for (std::size_t i = 0; i < all.size() && cases.size() < programs; ++i)
        if (i + 1 == all.size() || all[i + 1].config != all[i].config ||
            all[i + 1].src_type != all[i].src_type)
            cases.push_back(all[i]);
    return cases;
}

void count_groups(const CorrelateCase &test, TileCoverage &coverage) {
    const gz::Kernel spec = correlate_spec(test.kernel);
    const CorrelatePass pass = pass_of(test);
    const Work work = spec.work(pass, test.config, engine()->facts());
    coverage.count_groups(work);
    if (has_classes(test.kernel))
        coverage.count_classes(spec.details(pass, test.config),
                               kinds_of(test, pass, work.launches.front().program.defines));
}

std::string missing(const std::string &kernel, const TileCoverage &coverage) {
    return has_classes(kernel) ? coverage.missing_classes(wanted_kinds(kernel))
                               : coverage.missing_groups(
                                     kernel == "separable_passes" ? "separable_columns" : kernel);
}

} // namespace support
