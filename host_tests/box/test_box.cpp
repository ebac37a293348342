// Every kernel of the box filter against the reference in double: exact for integers, within the
// stated bound, and 2e-6 of full scale, for floats.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>

#include "core/error.hpp"
#include "families/box/lowering_at_once.hpp"
#include "families/correlate/correlate_pass.hpp"
#include "families/family.hpp"
#include "families/reference.hpp"
#include "plan/verify.hpp"
#include "support/correlate_case.hpp"
#include "support/pairwise.hpp"
#include "support/passes.hpp"
#include "support/several_tiles.hpp"
#include "support/under_test.hpp"

namespace {

using namespace gz;
using namespace support;

struct BoxCase : ImageCase {
    std::string kernel;
    Config config;
    Box box;
};

constexpr std::pair<int, int> radii[] = {{1, 1},  {0, 3},   {2, 0},   {5, 4},   {15, 16},
                                         {0, 0},  {33, 50}, {40, 1},  {1, 200}, {150, 7},
                                         {7, 15}, {900, 2}, {3, 1100}};

std::string run(const BoxCase &test, Tally &tally) {
    std::minstd_rand random(7);
    const Filter filter = Filter::box(test.box);
    const PlanDesc desc = make_plan_desc(test);
    const std::vector<std::byte> source = make_source(desc, random);
    const auto bound_for = [&](const ReferenceJob &job) -> BoundOf {
        const double largest = largest_magnitude(job);
        const bool is_integer = facts_of(desc.target.type).is_integer;
        // Integers are exact after one iteration; later they have the bounds of floats.
        const bool is_exact = is_integer && facts_of(desc.source.type).is_integer &&
                              test.box.iterations == 1 &&
                              test.border_value == std::floor(test.border_value);
        const double bound =
            storing_error(desc, largest) +
            (is_exact ? 0.0 : std::min(filter.error_bound(largest), 2e-6 * largest));
        return [bound](double) { return bound; };
    };
    return run_and_compare(filter, desc, test.kernel + ":" + gz::to_text(test.config), source,
                           random, tally, bound_for);
}

void run_all(const std::vector<BoxCase> &cases) {
    Tally tally;
    for (const BoxCase &test : cases) {
        INFO(test.kernel, ":", gz::to_text(test.config), " ", test.name(), " box ",
             gz::to_text(test.box.size()), " times ", test.box.iterations);
        CHECK(run(test, tally) == "");
    }
    CHECK((tally.ran > 0 || support::is_shared()));
    MESSAGE(tally.ran, " cases on ", engine()->facts().name, ", ", tally.misfits,
            " that do not fit it; the worst error is ", tally.worst, " of its bound");
}

gz::Kernel spec_of(const std::string &kernel) {
    return *find_kernel(BoxPass(), kernel);
}

void make_possible(BoxCase &test) {
    if (test.kernel == "box_columns")
        test.channels = 1;
    // It sums integers alone.
    if (test.kernel == "box_words" && !facts_of(test.src_type).is_integer)
        test.src_type = test.src_type == PixelType::f32 ? PixelType::u8 : PixelType::s16;
    if (test.kernel == "box_bytes") {
        auto &radius = test.box.radius;
        test.src_type = test.dst_type = PixelType::u8;
        test.box.iterations = 1; // between iterations are floats
        test.border_value = std::floor(test.border_value);
        for (std::size_t axis = 0; axis < 2; ++axis)
            radius[axis] = std::min<std::int64_t>(radius[axis], 7);
        radius[0] = std::max<std::int64_t>(radius[0], radius[1] == 0 ? 1 : 0);
    }
}

// A case for each pair of parameter values; images and radii up to the limits.
std::vector<BoxCase> pairwise_boxes(const std::string &kernel, const Limits &limits) {
    const gz::Kernel spec = spec_of(kernel);
    const std::vector<std::pair<int, int>> sizes = pairwise_sizes(limits);
    std::vector<std::pair<int, int>> boxes;
    for (const auto &radius : radii)
        if (std::max(radius.first, radius.second) <= limits.taps)
            boxes.push_back(radius);
    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    counts.insert(counts.end(), {static_cast<int>(boxes.size()), 3, 2, 2});
    append_counts(counts, spec.tunables);
    std::vector<BoxCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[image + i]); };
        BoxCase test;
        static_cast<ImageCase &>(test) = image_of(row, sizes);
        test.kernel = kernel;
        test.box.radius = {boxes[at(0)].first, boxes[at(0)].second, 0, 0};
        test.box.iterations = at(1) == 2 ? 3 : 1;
        test.border_value = at(2) ? 7.0 : 0.625;
        make_possible(test);
        test.store = at(3) ? Store::truncate : Store::saturate;
        test.config = config_of(spec.tunables, row, image + 4);
        cases.push_back(test);
    }
    return cases;
}

// Images about as wide as a vector of bytes, beside which lies every border.
std::vector<BoxCase> narrow_boxes_of_bytes(std::initializer_list<int> widths) {
    std::vector<BoxCase> cases;
    std::size_t turn = 0;
    for (const int width : widths)
        for (const BorderMode border : gz::all_border_modes) {
            BoxCase test;
            test.kernel = "box_bytes";
            test.config = all_configs(spec_of(test.kernel).tunables).front();
            test.src_type = test.dst_type = PixelType::u8;
            test.width = width;
            test.height = 9;
            test.channels = turn % 4 == 3 ? 3 : 1;
            test.border = border;
            test.border_value = 7.0;
            test.box.radius = {static_cast<int>(turn % 5), static_cast<int>(turn % 3) + 1, 0, 0};
            test.region = all_regions[turn / 5 % 3];
            cases.push_back(test);
            ++turn;
        }
    return cases;
}

// Every configuration x radius x size x type, the other parameters in turn.
std::vector<BoxCase> all_boxes(const std::string &kernel) {
    std::vector<BoxCase> cases;
    std::size_t turn = 0;
    for (const Config &config : all_configs(spec_of(kernel).tunables))
        for (const auto &radius : radii)
            for (const auto &size : all_sizes())
                for (const PixelType type : all_types) {
                    BoxCase test;
                    test.kernel = kernel;
                    test.config = config;
                    test.src_type = type;
                    test.dst_type = turn % 4 == 3 ? all_types[turn / 4 % 5] : type;
                    test.channels = static_cast<int>(turn % 4) + 1;
                    test.planes = turn % 5 == 4 ? 3 : 1;
                    test.slices = turn % 7 == 6 ? 2 : 1;
                    std::tie(test.width, test.height) = size;
                    test.box.radius = {radius.first, radius.second, 0, 0};
                    test.box.iterations = turn % 6 == 5 ? 3 : 1;
                    test.border = gz::all_border_modes[turn % 5];
                    test.border_value = turn % 2 ? 7.0 : 0.625;
                    test.region = all_regions[turn % 3];
                    test.layout = all_layouts[turn / 3 % 3];
                    make_possible(test);
                    cases.push_back(test);
                    ++turn;
                }
    return cases;
}

// Images of several strips and bands of a kernel, for few programs, with all paths of its loops: tails of 0
// to 3 values beside whole blocks of 4, boxes of more than a part of a row.
struct BoxProgram {
    PixelType src, dst;
    int channels;
    Config config;
    int width, height;
    std::vector<std::pair<int, int>> radii;
    Layout layout = Layout::padded_aligned;
};

std::vector<BoxProgram> programs_of(const std::string &kernel) {
    constexpr PixelType u8 = PixelType::u8, u16 = PixelType::u16, s16 = PixelType::s16,
                        f32 = PixelType::f32;
    if (kernel == "box_columns") {
        const Config config{{"GROUP", 64}, {"BAND", 128}};
        return {{u8, u8, 1, config, 800, 270, {{4, 1}, {3, 9}, {2, 20}, {1, 3}, {30, 5}}},
                {f32, f32, 1, config, 800, 270, {{4, 20}, {33, 2}}},
                {u16, f32, 1, config, 799, 270, {{1, 12}, {22, 3}}, Layout::odd_offset_and_pitch}};
    }
    if (kernel == "box_march") {
        // Bands of some steps each, by how many groups run at a time.
        const Config narrow{{"LANES", 32}, {"STACKS", 4}, {"SEGMENT", 16}, {"GROUPS", 8}};
        const Config wide{{"LANES", 64}, {"STACKS", 4}, {"SEGMENT", 32}, {"GROUPS", 8}};
        // Strips of more columns than the group has items.
        const Config wider{{"LANES", 64}, {"STACKS", 2}, {"SEGMENT", 16}, {"GROUPS", 8}};
        return {{u8, u8, 1, narrow, 400, 270, {{4, 1}, {15, 9}, {30, 5}}},
                {f32, f32, 1, narrow, 400, 270, {{4, 20}, {15, 2}, {29, 40}, {15, 25}}},
                {f32, f32, 3, wide, 170, 270, {{12, 9}, {15, 30}}},
                {f32, f32, 3, wider, 170, 270, {{12, 9}, {17, 30}}},
                {u8, u8, 1, wider, 800, 270, {{4, 1}, {15, 9}, {50, 5}}},
                {s16, f32, 4, wide, 120, 270, {{7, 9}, {12, 3}}},
                {u8, u8, 2, narrow, 200, 270, {{8, 3}, {3, 17}}},
                {u16, f32, 1, narrow, 399, 270, {{12, 7}, {22, 3}}, Layout::odd_offset_and_pitch}};
    }
    if (kernel == "box_axes") {
        // Bands of several steps, rows of several chunks of segments, and few rows, which several groups share; boxes that
        // lie within a chunk and beyond it.
        const auto shaped = [](int lanes, int stacks, int items) {
            return Config{{"LANES", lanes}, {"STACKS", stacks}, {"GROUPS", 8}, {"ITEMS", items}};
        };
        return {
            {u8, u8, 1, shaped(32, 4, 32), 600, 270, {{4, 1}, {150, 9}, {250, 60}}},
            {f32, f32, 1, shaped(16, 8, 32), 1700, 270, {{4, 20}, {260, 40}, {15, 130}}},
            // The second chunk's boxes begin at the image's first column, and end at its last one.
            {f32, f32, 1, shaped(16, 32, 32), 1536, 270, {{512, 2}}},
            {f32, f32, 1, shaped(32, 4, 32), 530, 270, {{100, 20}, {4, 40}}},
            {f32, f32, 3, shaped(8, 16, 32), 450, 270, {{12, 9}, {100, 90}}},
            {u16, u16, 2, shaped(32, 4, 32), 800, 270, {{40, 9}, {70, 30}}},
            {u16, u16, 1, shaped(16, 4, 32), 1700, 270, {{200, 120}, {90, 130}}},
            {s16, f32, 3, shaped(16, 4, 32), 600, 270, {{130, 125}}},
            {s16, f32, 4, shaped(8, 8, 32), 420, 270, {{7, 9}, {60, 3}}},
            {u8, f32, 3, shaped(16, 4, 64), 800, 270, {{8, 3}, {130, 17}}},
            {f32, f32, 1, shaped(16, 4, 32), 3000, 7, {{3, 2}, {290, 1}}},
            {u8, u8, 3, shaped(16, 4, 32), 1100, 6, {{3, 2}, {90, 1}}},
            {u16,
             f32,
             1,
             shaped(8, 4, 32),
             1701,
             270,
             {{12, 7}, {140, 3}},
             Layout::odd_offset_and_pitch}};
    }
    if (kernel == "box_words") {
        // Words of whole pixels and of others, and boxes that start and end at each place of a word.
        const auto shaped = [](int lanes, int rows) {
            return Config{{"LANES", lanes}, {"ROWS", rows}, {"GROUPS", 8}};
        };
        return {
            {u8, u8, 1, shaped(96, 8), 800, 270, {{4, 1}, {15, 9}, {30, 5}, {61, 61}, {2, 7}}},
            {u8, u8, 2, shaped(96, 8), 400, 270, {{8, 3}, {3, 17}}},
            {u8, f32, 3, shaped(96, 4), 270, 270, {{8, 3}, {3, 17}}},
            {u8, u8, 4, shaped(96, 4), 210, 270, {{5, 3}, {2, 80}}},
            {s16, s16, 1, shaped(96, 8), 400, 270, {{7, 9}, {12, 3}}},
            {s16, f32, 4, shaped(192, 4), 200, 270, {{7, 9}, {12, 3}}},
            {u8, s16, 1, shaped(96, 4), 801, 270, {{12, 7}, {21, 3}}, Layout::odd_offset_and_pitch},
            {u16,
             u8,
             2,
             shaped(96, 4),
             201,
             270,
             {{12, 7}, {21, 3}},
             Layout::odd_offset_and_pitch}};
    }
    if (kernel == "box_tiled") {
        const Config config{{"ROWS", 4}, {"PARTS", 8}, {"BAND", 64}};
        return {{u8, u8, 1, config, 800, 150, {{1, 1}, {40, 9}, {150, 3}}},
                {f32, f32, 1, config, 800, 150, {{2, 9}, {49, 30}}},
                {s16, f32, 3, config, 270, 150, {{3, 2}, {16, 7}}}};
    }
    if (kernel == "box_bytes") {
        const Config narrow{{"STRIP", 512}, {"BAND", 16}};
        // Rows of several parts, of which boxes need columns before and behind.
        const Config wide{{"STRIP", 4096}, {"BAND", 64}};
        return {{u8, u8, 1, narrow, 1600, 60, {{1, 1}, {7, 7}, {0, 5}, {6, 0}}},
                {u8, u8, 2, narrow, 800, 60, {{3, 2}, {7, 1}}},
                {u8, u8, 3, wide, 700, 150, {{1, 2}, {7, 7}}},
                {u8, u8, 4, wide, 400, 70, {{2, 1}, {5, 3}}},
                {u8, u8, 1, wide, 2001, 70, {{4, 7}, {7, 0}}, Layout::odd_offset_and_pitch},
                {u8, u8, 3, narrow, 333, 60, {{3, 4}, {7, 6}}, Layout::odd_offset_and_pitch}};
    }
    if (kernel == "box_strips")
        return {{u8, u8, 1, {{"STRIP", 512}, {"BAND", 16}}, 1600, 60, {{1, 1}, {20, 9}}},
                {f32, f32, 2, {{"STRIP", 4096}, {"BAND", 16}}, 800, 60, {{3, 2}, {30, 9}}}};
    return {{u8, u8, 1, {{"GROUP_X", 64}}, 201, 530, {{1, 1}, {20, 9}}},
            {f32, f32, 3, {{"GROUP_X", 1}}, 201, 530, {{9, 20}}}};
}

std::vector<BoxCase> boxes_of_several_tiles(const std::string &kernel) {
    std::vector<BoxCase> cases;
    std::size_t turn = 0;
    for (const BoxProgram &program : programs_of(kernel))
        for (const auto &[radius_x, radius_y] : program.radii)
            for (const RegionKind region : {RegionKind::whole, RegionKind::neighbours}) {
                // make_region takes about half of an image along each axis.
                const int times = region == RegionKind::whole ? 1 : 2;
                BoxCase test;
                static_cast<ImageCase &>(test) = image_of_tiles(
                    program.src, program.dst, program.channels, times * program.width,
                    times * program.height, region, program.layout);
                test.border = all_border_modes[turn++ % std::size(all_border_modes)];
                test.border_value = 7.0;
                test.kernel = kernel;
                test.config = program.config;
                test.box = {{radius_x, radius_y, 0, 0}, 1};
                cases.push_back(test);
            }
    return cases;
}

void run_several_tiles(const std::string &kernel) {
    const gz::Kernel spec = spec_of(kernel);
    TileCoverage coverage;
    const std::vector<BoxCase> cases = boxes_of_several_tiles(kernel);
    run_all(cases);
    for (const BoxCase &test : cases) {
        const BoxPass pass = lower_box(test.box, make_plan_desc(test));
        CHECK(spec.refusal(pass, test.config) == "");
        coverage.count_groups(spec.work(pass, test.config, engine()->facts()));
    }
    std::vector<std::string> entries = {kernel == "box_plain" ? "box_columns" : kernel};
    if (kernel == "box_axes")
        entries = {"box_axes_down", "box_axes_along"};
    for (const std::string &entry : entries)
        CHECK(coverage.missing_groups(entry) == "");
    MESSAGE(coverage.text());
}

// Adds cases that few small ones may lack: boxes of more than a part of a row, whose sums items share.
std::vector<BoxCase> with_shared_parts(const std::string &kernel, std::vector<BoxCase> cases) {
    if (kernel == "box_tiled") {
        BoxCase test;
        static_cast<ImageCase &>(test) =
            image_of_tiles(PixelType::f32, PixelType::f32, 1, 70, 6, RegionKind::whole);
        test.border = BorderMode::reflect;
        test.kernel = kernel;
        test.config = {{"ROWS", 4}, {"PARTS", 8}, {"BAND", 64}};
        test.box = {{40, 1, 0, 0}, 1};
        cases.push_back(test);
    }
    return cases;
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("rows of several strips") {
        // Strips of 512 values hold no whole number of pixels of 3 channels.
        std::vector<BoxCase> cases;
        for (const PixelType type : {PixelType::u8, PixelType::f32})
            for (const int channels : {1, 2, 3, 4})
                for (const int width : {200, 341, 342, 683})
                    for (const RegionKind region : {RegionKind::whole, RegionKind::neighbours})
                        for (const int iterations : {1, 2}) {
                            BoxCase test;
                            test.src_type = test.dst_type = type;
                            test.channels = channels;
                            test.width = width;
                            test.height = 9;
                            test.border = BorderMode::reflect;
                            test.region = region;
                            test.kernel = "box_strips";
                            test.config = {{"STRIP", 512}, {"BAND", 16}};
                            test.box = {{8, 3, 0, 0}, iterations};
                            cases.push_back(test);
                        }
        run_all(cases);
    }

    TEST_CASE("boxes far longer than the image") {
        // A case for each pair of parameter values. The kernels that rank first for such boxes take all of
        // these; the others read each pixel of a box, and take shorter ones.
        constexpr std::pair<int, int> sizes[] = {{7, 5}, {1, 1}, {2, 3}, {5, 1}, {1, 6}, {40, 21}};
        // Sums of u8 need 64 bits in the third; those of u16 even in columns where rows are the most.
        constexpr std::pair<int, int> long_radii[] = {{50, 37},    {36, 1000}, {3000, 900},
                                                      {20, 17000}, {39, 20},   {1000, 0},
                                                      {17000, 3},  {40, 21}};
        constexpr PixelType types[] = {PixelType::u8, PixelType::u16, PixelType::s16,
                                       PixelType::f32};
        constexpr int channels[] = {1, 3, 4, 2};
        constexpr double constants[] = {7.0, 0.625};
        std::vector<BoxCase> cases;
        for (const std::string kernel : {"box_lines", "box_plain", "box_strips", "box_tiled"}) {
            const bool takes_all = kernel == "box_lines" || kernel == "box_plain";
            const std::vector<Config> configs = all_configs(spec_of(kernel).tunables);
            for (const std::vector<int> &row :
                 pairwise({8, 5, 4, 4, 6, 2, 3, 3, 2, static_cast<int>(configs.size())})) {
                BoxCase test;
                const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[i]); };
                std::tie(test.box.radius[0], test.box.radius[1]) = long_radii[at(0)];
                test.border = gz::all_border_modes[at(1)];
                test.src_type = test.dst_type = types[at(2)];
                test.channels = channels[at(3)];
                std::tie(test.width, test.height) = sizes[at(4)];
                test.box.iterations = at(5) == 0 ? 1 : 3;
                test.region = all_regions[at(6)];
                test.layout = all_layouts[at(7)];
                test.border_value = constants[at(8)];
                test.kernel = kernel;
                test.config = configs[at(9)];
                if (takes_all || std::max(test.box.radius[0], test.box.radius[1]) <= 1000)
                    cases.push_back(test);
            }
        }
        run_all(sample_of(cases));
    }

    TEST_CASE("boxes about as long as the image") {
        // Windows start and end at each place of a line and of the lines that the border makes of it.
        std::vector<BoxCase> cases;
        for (const char *kernel : {"box_lines", "box_plain"})
            for (const BorderMode border : gz::all_border_modes)
                for (const int length : {1, 2, 5})
                    for (std::int64_t radius = 0; radius <= 3 * length; ++radius) {
                        BoxCase test;
                        test.src_type = test.dst_type = PixelType::u8;
                        test.width = length;
                        test.height = 6 - length;
                        test.border = border;
                        test.border_value = 7.0;
                        test.region = radius % 2 == 0 ? RegionKind::whole : RegionKind::neighbours;
                        test.kernel = kernel;
                        test.config = all_configs(spec_of(kernel).tunables).front();
                        test.box = {{radius, radius, 0, 0}, 1};
                        cases.push_back(test);
                    }
        run_all(cases);
    }

    TEST_CASE("rows of several parts and columns of several bands") {
        std::vector<BoxCase> cases;
        for (const char *kernel : {"box_lines", "box_plain"})
            for (const BorderMode border : gz::all_border_modes)
                for (const auto &[width, height] : {std::pair(1500, 2), std::pair(2, 1500)})
                    for (const std::int64_t radius : {3, 700}) {
                        BoxCase test;
                        test.src_type = test.dst_type = PixelType::f32;
                        test.channels = 3;
                        test.width = width;
                        test.height = height;
                        test.border = border;
                        test.kernel = kernel;
                        test.config = all_configs(spec_of(kernel).tunables).front();
                        test.box = {{radius, radius, 0, 0}, 1};
                        cases.push_back(test);
                    }
        run_all(cases);
    }

    TEST_CASE("iterations at once") {
        // A kernel of taps takes the steps of all iterations at once, where a box has those. Images with few inner
        // pixels and with many; regions that reach the image's edges, and that do not.
        constexpr std::pair<int, int> boxes[] = {{1, 1}, {5, 4}, {2, 0}, {0, 3}, {7, 1}, {10, 10}};
        constexpr std::pair<int, int> sizes[] = {{61, 40}, {150, 47}, {7, 90}, {33, 2}, {200, 130}};
        constexpr PixelType types[] = {PixelType::f32, PixelType::u8, PixelType::u16};
        constexpr double constants[] = {7.0, 0.625};
        std::vector<BoxCase> cases;
        std::size_t with_frames = 0;
        for (const std::vector<int> &row : pairwise({6, 5, 3, 3, 5, 3, 3, 4, 2, 2})) {
            const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[i]); };
            BoxCase test;
            test.box.radius = {boxes[at(0)].first, boxes[at(0)].second, 0, 0};
            std::tie(test.width, test.height) = sizes[at(1)];
            test.src_type = types[at(2)];
            test.dst_type = at(3) == 0 ? PixelType::f32 : test.src_type;
            test.border = gz::all_border_modes[at(4)];
            test.region = all_regions[at(5)];
            test.layout = all_layouts[at(6)];
            test.channels = row[7] + 1;
            test.planes = test.channels == 2 ? 2 : 1;
            test.border_value = constants[at(8)];
            test.box.iterations = row[9] + 2;
            test.kernel = "correlate_plain";
            test.config = all_configs(find_kernel(CorrelatePass(), test.kernel)->tunables).front();
            if (const auto graph = lower_at_once(test.box, make_plan_desc(test))) {
                cases.push_back(test);
                with_frames += graph->links.size() > 1 ? 1U : 0U;
            }
        }
        run_all(cases);
        CHECK(with_frames > cases.size() / 8);
    }

    TEST_CASE("differences of boxes at once") {
        // Kernels that take another image besides: several strips and bands, tails of rows, each number of columns an item,
        // results less the other image and that less the results.
        const Config stream{{"GROUP", 64}, {"ROW_ITEM", 16}, {"COLUMN_X", 1}, {"GROUPS", 2}};
        const Config plain{{"GROUP_X", 64}, {"GROUP_Y", 1}};
        constexpr std::pair<int, int> sizes[] = {{61, 40}, {200, 130}, {263, 67}};
        constexpr PixelType sources[] = {PixelType::f32, PixelType::u8};
        constexpr PixelType targets[] = {PixelType::f32, PixelType::u8};
        Tally tally;
        int with_frames = 0;
        for (const std::vector<int> &row : pairwise({2, 3, 3, 3, 3, 2, 2, 2, 3, 2})) {
            const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[i]); };
            const bool streams = at(0) == 0;
            Config config = streams ? stream : plain;
            if (streams)
                config["COLUMN_X"] = 1 << row[1];
            if (row[1] == 2)
                config[streams ? "ROW_ITEM" : "GROUP_Y"] = streams ? 32 : 4;
            ImageCase test;
            test.border = gz::all_border_modes[at(2)];
            test.region = all_regions[at(3)];
            test.layout = all_layouts[at(4)];
            test.src_type = sources[at(5)];
            test.dst_type = targets[at(6)];
            test.channels = row[7] == 1 ? 3 : 1;
            test.planes = row[7] + 1;
            std::tie(test.width, test.height) = sizes[at(8)];
            test.border_value = 7.0;
            const Filter smaller = Filter::box({{1, 2, 0, 0}, 2});
            const Filter larger = Filter::box({{3, 4, 0, 0}, 2});
            const Filter filter = row[9] == 0 ? Filter::difference(smaller, larger)
                                              : Filter::difference(larger, smaller);
            const std::string variant =
                (streams ? "separable_stream:" : "correlate_plain:") + gz::to_text(config);
            CAPTURE(variant);
            CAPTURE(test.name());
            std::minstd_rand random(7);
            const PlanDesc desc = make_plan_desc(test);
            const std::vector<std::byte> source = make_source(desc, random);
            const Graph graph = lower(filter, desc);
            if (graph.links[0].alternatives[0].links.size() > 1)
                continue; // no pixel is far enough from the border
            const auto run = [&](const std::string &forced) {
                return run_and_compare(
                    filter, desc, forced, source, random, tally,
                    [&](const ReferenceJob &job) -> BoundOf {
                        const double largest = largest_magnitude(job);
                        const double bound = storing_error(desc, 2 * largest) +
                                             std::min(filter.error_bound(largest), 2e-6 * largest);
                        return [bound](double) { return bound; };
                    });
            };
            CHECK(run(variant) == "");
            const bool has_frames =
                (test.border == BorderMode::clamp || test.border == BorderMode::constant) &&
                test.region != RegionKind::neighbours;
            if (has_frames) {
                CHECK(run(variant + "; box_frames:GROUP=64; " + variant +
                          "; box_frames:GROUP=256") == "");
                ++with_frames;
            }
        }
        MESSAGE(tally.ran, " cases; the worst error is ", tally.worst, " of its bound");
        CHECK(tally.ran > 8);
        CHECK(with_frames > 3);
    }

    TEST_CASE("strips that are full") {
        // The last boxes of a strip end where its columns do, for every place in a block of four, or in a segment.
        std::vector<BoxCase> cases;
        for (const PixelType type : {PixelType::u8, PixelType::f32})
            for (const int channels : {1, 3})
                for (const int stacks : {2, 4})
                    for (const std::int64_t radius : {2, 6, 7, 8, 11, 12, 15})
                        for (const int width : {64, 96, 128, 300}) {
                            BoxCase test;
                            test.src_type = test.dst_type = type;
                            test.channels = channels;
                            test.width = width;
                            test.height = 40;
                            test.border = BorderMode::reflect101;
                            test.kernel = "box_march";
                            test.config = {
                                {"LANES", 32}, {"STACKS", stacks}, {"SEGMENT", 16}, {"GROUPS", 1}};
                            test.box = {{radius, 3, 0, 0}, 1};
                            cases.push_back(test);
                        }
        // The kernel of words: boxes that start at each place of a word, and borders that repeat values of one word, of several, in
        // whole words and none. Strips of radius 30 have 288 values, in 384 sums.
        std::size_t turn = 0;
        for (const std::int64_t radius : {1, 2, 3, 4, 30})
            for (const BorderMode border : gz::all_border_modes)
                for (const int width : {8, 288, 289, 384}) {
                    BoxCase test;
                    test.src_type = test.dst_type = turn % 5 == 4 ? PixelType::s16 : PixelType::u8;
                    test.width = width;
                    test.height = 40;
                    test.border = border;
                    test.border_value = 7.0;
                    test.layout = turn++ % 3 == 2 ? Layout::odd_offset_and_pitch : Layout::tight;
                    test.kernel = "box_words";
                    test.config = {{"LANES", 96}, {"ROWS", 4}, {"GROUPS", 1}};
                    test.box = {{radius, 3, 0, 0}, 1};
                    cases.push_back(test);
                }
        for (const PixelType type : {PixelType::u8, PixelType::f32})
            for (const std::int64_t radius : {0, 1, 2, 3, 4, 8, 63, 64})
                for (const int width : {128, 240, 256, 300}) {
                    BoxCase test;
                    test.src_type = test.dst_type = type;
                    test.width = width;
                    test.height = 150;
                    test.border = BorderMode::reflect101;
                    test.kernel = "box_columns";
                    test.config = {{"GROUP", 64}, {"BAND", 128}};
                    test.box = {{radius, 3, 0, 0}, 1};
                    cases.push_back(test);
                }
        run_all(cases);
    }
}

namespace {

// The longest sides of images and radii that a simulator can afford.
Limits small_limits(const std::string &kernel) {
    if (kernel == "box_strips" || kernel == "box_lines")
        return {70, 40};
    return {40, kernel == "box_plain" ? 40 : 10};
}

std::vector<std::string> kernels() {
    return support::kernels_under_test<BoxPass>();
}

// Boxes of several iterations, and images with frames of no tile, one and several along each axis and from one end of the
// image to the other, deeper than a tile is high.
struct Times {
    int radius_x, radius_y, iterations;
};
constexpr Times framed_boxes[] = {{1, 1, 2}, {0, 2, 3}, {3, 0, 2}, {5, 4, 3},
                                  {8, 7, 3}, {2, 5, 6}, {1, 1, 16}};
constexpr std::pair<int, int> framed_sizes[] = {{1, 1},    {5, 3},    {61, 40}, {200, 130},
                                                {263, 67}, {40, 300}, {30, 31}};

// Configurations of separable_stream, whose launch then makes the frames as well: with local memory for both, columns of an item
// that lie on both sides of where frames end, and groups of each size.
const Config streams[] = {{{"GROUP", 256}, {"ROW_ITEM", 8}, {"COLUMN_X", 1}, {"GROUPS", 2}},
                          {{"GROUP", 128}, {"ROW_ITEM", 16}, {"COLUMN_X", 2}, {"GROUPS", 2}},
                          {{"GROUP", 64}, {"ROW_ITEM", 32}, {"COLUMN_X", 4}, {"GROUPS", 2}}};

// Adds a case where its image has frames, which the kernel then makes. stream: 0, or the number of the configuration of
// separable_stream that makes the other pixels, where it can.
void add_framed(std::vector<BoxCase> &cases, BoxCase test, const Times &times,
                const std::string &kernel, std::size_t stream) {
    test.box.radius = {times.radius_x, times.radius_y, 0, 0};
    test.box.iterations = times.iterations;
    test.kernel = "; " + kernel;
    const auto graph = lower_at_once(test.box, make_plan_desc(test));
    if (!graph || graph->links.size() == 1)
        return;
    const Kernel &others = *find_kernel(CorrelatePass(), "separable_stream");
    if (stream > 0 && others.refusal(graph->links[0].step->pass, streams[stream - 1]).empty())
        test.kernel = others.name + ":" + gz::to_text(streams[stream - 1]) + test.kernel;
    cases.push_back(test);
}

// Several iterations at once, whose pixels beside the border a kernel of frames makes: a case for each pair of parameter
// values.
std::vector<BoxCase> boxes_with_frames(const std::string &kernel) {
    constexpr BorderMode borders[] = {BorderMode::clamp, BorderMode::constant};
    constexpr double constants[] = {0.0, 7.0, 0.625};
    std::vector<BoxCase> cases;
    const std::vector<Config> configs = all_configs(find_kernel(BoxFramesPass(), kernel)->tunables);
    for (const std::vector<int> &row :
         pairwise({7, 7, 2, 5, 5, 4, 3, 3, 3, 2, 2, static_cast<int>(configs.size()), 4})) {
        const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[i]); };
        BoxCase test;
        std::tie(test.width, test.height) = framed_sizes[at(1)];
        test.border = borders[at(2)];
        test.src_type = all_types[at(3)];
        test.dst_type = all_types[at(4)];
        test.channels = row[5] + 1;
        test.border_value = constants[at(6)];
        test.region = all_regions[at(7)];
        test.layout = all_layouts[at(8)];
        test.slices = row[9] + 1;
        test.planes = 2 * row[10] + 1;
        test.config = configs[at(11)];
        add_framed(cases, test, framed_boxes[at(0)], kernel, at(12));
    }
    return cases;
}

// Frames in the launch of each stream, whose items have columns on both sides of where frames end: these are 5 values wide, or 15.
std::vector<BoxCase> boxes_beside_streams(const std::string &kernel,
                                          std::initializer_list<std::size_t> of_streams) {
    std::vector<BoxCase> cases;
    for (const std::size_t stream : of_streams)
        for (const int channels : {1, 3}) {
            BoxCase test;
            test.width = 66 / channels + 32;
            test.height = 61;
            test.channels = channels;
            test.border = BorderMode::clamp;
            test.config = all_configs(find_kernel(BoxFramesPass(), kernel)->tunables).front();
            add_framed(cases, test, {5, 3, 2}, kernel, stream);
        }
    return cases;
}

// Every configuration x box x size x type x border, the other parameters in turn.
std::vector<BoxCase> all_boxes_with_frames(const std::string &kernel) {
    std::vector<BoxCase> cases;
    std::size_t turn = 0;
    for (const Config &config : all_configs(find_kernel(BoxFramesPass(), kernel)->tunables))
        for (const Times &times : framed_boxes)
            for (const auto &size : framed_sizes)
                for (const PixelType type : all_types)
                    for (const BorderMode border : {BorderMode::clamp, BorderMode::constant}) {
                        BoxCase test;
                        std::tie(test.width, test.height) = size;
                        test.config = config;
                        test.border = border;
                        test.border_value = turn % 2 ? 7.0 : 0.625;
                        test.src_type = type;
                        test.dst_type = turn % 4 == 3 ? all_types[turn / 4 % 5] : type;
                        test.channels = static_cast<int>(turn / 2 % 4) + 1;
                        test.planes = turn % 5 == 4 ? 3 : 1;
                        test.slices = turn % 7 == 6 ? 2 : 1;
                        test.region = all_regions[turn % 3];
                        test.layout = all_layouts[turn / 3 % 3];
                        add_framed(cases, test, times, kernel, turn % 4);
                        ++turn;
                    }
    return cases;
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("box kernels: pairwise") {
        for (const std::string &kernel : kernels())
            run_all(sample_of(pairwise_boxes(kernel, {})));
    }

    TEST_CASE("narrow box kernels: pairwise") {
        for (const std::string &kernel : kernels())
            if (kernel == "box_bytes")
                run_all(narrow_boxes_of_bytes(
                    {1, 2, 5, 15, 16, 17, 30, 31, 32, 33, 47, 48, 63, 64, 65, 95, 97, 129}));
    }

    TEST_CASE("frames of box kernels: pairwise") {
        for (const std::string &kernel : support::kernels_under_test<BoxFramesPass>())
            run_all(sample_of(boxes_with_frames(kernel)));
    }

    TEST_CASE("frames beside streams of box kernels: pairwise") {
        for (const std::string &kernel : support::kernels_under_test<BoxFramesPass>())
            run_all(boxes_beside_streams(kernel, {1, 2, 3}));
    }

    // Kernels whose items share tiles, or go along strips and bands, need images of several tiles.
    TEST_CASE("box kernels: several tiles") {
        for (const std::string &kernel : kernels())
            if (kernel != "box_lines")
                run_several_tiles(kernel);
    }
}

TEST_SUITE("full product" * doctest::skip()) {
    TEST_CASE("frames of box kernels: all") {
        for (const std::string &kernel : support::kernels_under_test<BoxFramesPass>())
            run_all(share_of(all_boxes_with_frames(kernel)));
    }
    TEST_CASE("box kernels: all") {
        for (const std::string &kernel : kernels())
            run_all(share_of(all_boxes(kernel)));
    }
}

TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("frames of box kernels: small") {
        for (const std::string &kernel : support::kernels_under_test<BoxFramesPass>()) {
            std::vector<BoxCase> cases = boxes_with_frames(kernel);
            std::erase_if(cases, [](const BoxCase &test) {
                return std::int64_t{test.width} * test.height > 61 * 40;
            });
            run_all(sample_of(cases));
        }
    }
    TEST_CASE("frames beside streams of box kernels: small") {
        for (const std::string &kernel : support::kernels_under_test<BoxFramesPass>())
            run_all(boxes_beside_streams(kernel, {2}));
    }
    TEST_CASE("narrow box kernels: small") {
        for (const std::string &kernel : kernels())
            if (kernel == "box_bytes")
                run_all(narrow_boxes_of_bytes({3, 15, 16, 33, 65}));
    }
    TEST_CASE("box kernels: small") {
        for (const std::string &kernel : kernels())
            run_all(
                with_shared_parts(kernel, sample_of(pairwise_boxes(kernel, small_limits(kernel)))));
    }
}
