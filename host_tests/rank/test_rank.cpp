// Every kernel of rank filters against the reference: results are exact, so that all kernels agree.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <sstream>

#include "core/error.hpp"
#include "families/family.hpp"
#include "families/rank/kernels.hpp"
#include "families/rank/lowering.hpp"
#include "families/reference.hpp"
#include "plan/verify.hpp"
#include "support/correlate_case.hpp"
#include "support/pairwise.hpp"
#include "support/several_tiles.hpp"
#include "support/under_test.hpp"

namespace {

using namespace gz;
using namespace support;

// A window of a case: a box, or a footprint in it. Some: about a part of the places. Lines: long runs and single
// pixels in turn, and every third row empty. Corner: all lies far from the first place, without the last one.
enum class Shape { box, some, disk, cross, lines, corner };
struct WindowCase {
    std::int64_t x, y, z;
    enum class Anchor { centre, first, last } anchor = Anchor::centre;
    Shape shape = Shape::box;
};

enum class Which { minimum, maximum, median, low, high };

struct RankCase : ImageCase {
    std::string kernel;
    Config config;
    WindowCase window{1, 1, 1};
    Which which = Which::median;
    bool has_nan = false;
    bool is_narrow = false; // pixels of two bytes differ in their low bits alone
};

Window window_of(const WindowCase &test) {
    Window window;
    window.size = {test.x, test.y, test.z, 1};
    for (std::size_t i = 0; i < 3; ++i)
        window.anchor[i] = test.anchor == WindowCase::Anchor::first  ? 0
                           : test.anchor == WindowCase::Anchor::last ? window.size[i] - 1
                                                                     : window.size[i] / 2;
    if (test.shape == Shape::box)
        return window;
    std::minstd_rand random(static_cast<unsigned>(test.x * 31 + test.y));
    const std::int64_t centre_x = test.x / 2, centre_y = test.y / 2;
    for (std::int64_t i = 0; i < window.volume(); ++i) {
        const std::int64_t x = i % test.x, y = i / test.x % test.y;
        const std::int64_t from_x = x - centre_x, from_y = y - centre_y;
        const bool is_in = test.shape == Shape::some ? random() % 5 < 3
                           : test.shape == Shape::disk
                               ? from_x * from_x + from_y * from_y <= centre_x * centre_x
                           : test.shape == Shape::cross ? from_x == 0 || from_y == 0
                           : test.shape == Shape::lines
                               ? y % 3 == 0 || (y % 3 == 1 && x % 4 == 1)
                               : x > centre_x && y > centre_y && x - test.x + y - test.y < -2;
        window.footprint.push_back(is_in ? 1 : 0);
    }
    if (test.shape == Shape::some)
        window.footprint.front() = window.footprint.back() = 1;
    return window;
}

RankFilter filter_of(const RankCase &test) {
    const Window window = window_of(test.window);
    switch (test.which) {
    case Which::minimum:
        return gz::minimum(window);
    case Which::maximum:
        return gz::maximum(window);
    case Which::median:
        return gz::median(window);
    case Which::low:
        return gz::percentile(window, 20.0);
    default:
        return gz::ranked(window, window.count() > 1 ? -2 : -1);
    }
}

// Makes about a third of floats NaN of any sign and payload, and some zeros of either sign.
void add_specials(const PlanDesc &desc, std::vector<std::byte> &pixels, std::minstd_rand &random) {
    const std::size_t step = size_of(desc.source.type);
    for (std::size_t at = 0; at + step <= pixels.size(); at += step) {
        const auto bits = static_cast<std::uint32_t>(random());
        std::uint32_t value = 0;
        if (bits % 3 == 0)
            value = 0x7f800001U + bits / 3 % 0x7ffffeU;
        else if (bits % 3 == 1)
            value =
                bits % 2 ? 0 : std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());
        else
            continue;
        value |= bits << 31;
        if (desc.source.type == PixelType::f32) {
            std::memcpy(&pixels[at], &value, sizeof value);
        } else {
            const auto half = static_cast<std::uint16_t>(value >> 16 & 0x8000U) |
                              static_cast<std::uint16_t>(value >> 13 & 0x7fffU);
            std::memcpy(&pixels[at], &half, sizeof(std::uint16_t));
        }
    }
}

std::string run(const RankCase &test, Tally &tally) {
    std::minstd_rand random(7);
    const Filter filter(filter_of(test));
    const PlanDesc desc = make_plan_desc(test);
    std::vector<std::byte> source = make_source(desc, random);
    if (test.has_nan && !facts_of(desc.source.type).is_integer)
        add_specials(desc, source, random);
    if (test.is_narrow)
        for (std::size_t at = 1; at < source.size(); at += 2)
            source[at] &= std::byte{3};
    const auto bound_for = [&](const ReferenceJob &) -> BoundOf {
        return [type = desc.target.type](double exact) {
            const bool has_step = facts_of(type).is_integer || std::isfinite(exact);
            return has_step ? storing_error(type, std::abs(exact)) : 0.0;
        };
    };
    const std::string config = gz::to_text(test.config);
    return run_and_compare(filter, desc, test.kernel + (config.empty() ? "" : ":") + config, source,
                           random, tally, bound_for);
}

void run_all(const std::vector<RankCase> &cases) {
    Tally tally;
    for (const RankCase &test : cases) {
        INFO(test.kernel, ":", gz::to_text(test.config), " ", test.name(), " ",
             to_text(filter_of(test)), " anchor ", static_cast<int>(test.window.anchor),
             std::string(test.has_nan ? " with NaN" : ""));
        CHECK(run(test, tally) == "");
    }
    CHECK((tally.ran > 0 || support::is_shared()));
    MESSAGE(tally.ran, " cases on ", engine()->facts().name, ", ", tally.misfits,
            " that do not fit it");
}

template <class P> gz::Kernel spec_of(const std::string &kernel) {
    return *find_kernel(P(), kernel);
}

using Anchor = WindowCase::Anchor;
constexpr WindowCase windows_of_ranks[] = {
    {3, 3, 1},
    {5, 5, 1},
    {2, 4, 1, Anchor::first},
    {7, 1, 1},
    {1, 6, 1, Anchor::last},
    {4, 3, 1, Anchor::last},
    {3, 3, 1, Anchor::centre, Shape::some},
    {7, 5, 1, Anchor::centre, Shape::some},
    {5, 8, 1, Anchor::first, Shape::some},
    {7, 7, 1},
    {9, 9, 1},
    {11, 11, 1},
    {3, 3, 3},
    {4, 3, 2, Anchor::first, Shape::some},
    {5, 4, 3, Anchor::last},
    {15, 13, 1},
    {31, 3, 1},
    {25, 21, 1},
    {14, 33, 1, Anchor::first},
    {63, 9, 1, Anchor::last},
    {19, 24, 1, Anchor::last, Shape::some},
};
constexpr WindowCase windows_of_extremes[] = {
    {3, 3, 1},
    {1, 1, 1},
    {2, 5, 1, Anchor::first},
    {8, 4, 1, Anchor::last},
    {7, 7, 1},
    {15, 16, 1},
    {31, 1, 1},
    {1, 33, 1},
    {40, 41, 1},
    {3, 5, 3},
    {101, 63, 1},
    {1, 1, 4},
};
// Rows of footprints that footprint_march takes are runs around one column.
constexpr WindowCase windows_of_marches[] = {
    {3, 3, 1, Anchor::centre, Shape::cross},   {5, 5, 1, Anchor::centre, Shape::disk},
    {9, 9, 1, Anchor::first, Shape::disk},     {15, 15, 1, Anchor::centre, Shape::disk},
    {13, 11, 1, Anchor::last, Shape::disk},    {31, 31, 1, Anchor::centre, Shape::disk},
    {33, 33, 1, Anchor::centre, Shape::cross}, {31, 7, 1, Anchor::first, Shape::cross},
    {3, 21, 1, Anchor::last, Shape::cross},    {9, 7, 1, Anchor::centre, Shape::disk},
};
constexpr WindowCase windows_of_footprints[] = {
    {3, 3, 1, Anchor::centre, Shape::cross},   {5, 5, 1, Anchor::centre, Shape::disk},
    {7, 5, 1, Anchor::first, Shape::some},     {4, 7, 1, Anchor::last, Shape::lines},
    {8, 6, 1, Anchor::first, Shape::corner},   {9, 9, 1, Anchor::centre, Shape::disk},
    {5, 4, 3, Anchor::last, Shape::some},      {6, 5, 3, Anchor::first, Shape::corner},
    {7, 6, 4, Anchor::centre, Shape::lines},   {15, 15, 1, Anchor::centre, Shape::disk},
    {63, 1, 1, Anchor::last, Shape::some},     {63, 5, 1, Anchor::first, Shape::lines},
    {31, 31, 1, Anchor::centre, Shape::disk},  {1, 63, 1, Anchor::centre, Shape::some},
    {63, 63, 1, Anchor::centre, Shape::cross},
};

// Kernels of RankPass that take the least and the largest of a footprint alone.
bool is_of_footprints(const std::string &kernel) {
    return kernel == "footprint_strips" || kernel == "footprint_tiles" ||
           kernel == "footprint_march";
}

template <class P> constexpr bool is_of_extremes = std::is_same_v<P, ExtremePass>;

// Kernels that take boxes of bytes alone.
bool is_of_bytes(const std::string &kernel) {
    return kernel == "rank_histograms";
}

template <class P> std::vector<WindowCase> windows(const std::string &kernel) {
    if (is_of_bytes(kernel)) {
        std::vector<WindowCase> boxes{{33, 2, 1}, {65, 17, 1, Anchor::last}};
        for (const WindowCase &window : windows_of_ranks)
            if (window.shape == Shape::box && window.z == 1)
                boxes.push_back(window);
        return boxes;
    }
    if (is_of_extremes<P>)
        return {std::begin(windows_of_extremes), std::end(windows_of_extremes)};
    if (kernel == "footprint_march")
        return {std::begin(windows_of_marches), std::end(windows_of_marches)};
    if (is_of_footprints(kernel))
        return {std::begin(windows_of_footprints), std::end(windows_of_footprints)};
    return {std::begin(windows_of_ranks), std::end(windows_of_ranks)};
}

template <class P> Which which_of(const std::string &kernel, std::size_t i) {
    constexpr Which ranks[] = {Which::median, Which::low, Which::high};
    if (is_of_extremes<P> || is_of_footprints(kernel))
        return i % 2 ? Which::minimum : Which::maximum;
    return ranks[i % 3];
}

// A case for each pair of parameter values.
template <class P>
std::vector<RankCase> pairwise_ranks(const std::string &kernel, const Limits &limits) {
    const gz::Kernel spec = spec_of<P>(kernel);
    const std::vector<std::pair<int, int>> sizes = pairwise_sizes(limits);
    std::vector<WindowCase> own;
    for (const WindowCase &window : windows<P>(kernel))
        if (std::max(window.x, window.y) <= limits.taps)
            own.push_back(window);
    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    counts.insert(counts.end(), {static_cast<int>(own.size()), 3, 2, 2});
    append_counts(counts, spec.tunables);
    std::vector<RankCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[image + i]); };
        RankCase test;
        static_cast<ImageCase &>(test) = image_of(row, sizes);
        test.kernel = kernel;
        if (is_of_bytes(kernel))
            test.src_type = PixelType::u8;
        test.window = own[at(0)];
        test.which = which_of<P>(kernel, at(1));
        test.border_value = at(2) ? 7.0 : 0.625;
        test.has_nan = at(3) == 1;
        test.config = config_of(spec.tunables, row, image + 4);
        cases.push_back(test);
    }
    return cases;
}

// Every configuration x window x size x type, the other parameters in turn.
template <class P> std::vector<RankCase> all_ranks(const std::string &kernel) {
    std::vector<RankCase> cases;
    std::size_t turn = 0;
    for (const Config &config : all_configs(spec_of<P>(kernel).tunables))
        for (const WindowCase &window : windows<P>(kernel))
            for (const auto &size : all_sizes())
                for (const PixelType type : all_types) {
                    RankCase test;
                    test.kernel = kernel;
                    test.config = config;
                    test.src_type = is_of_bytes(kernel) ? PixelType::u8 : type;
                    test.dst_type = turn % 4 == 3 ? all_types[turn / 4 % 5] : type;
                    test.channels = static_cast<int>(turn % 4) + 1;
                    test.planes = turn % 5 == 4 ? 3 : 1;
                    test.slices = turn % 7 == 6 || window.z > 1 ? 3 : 1;
                    std::tie(test.width, test.height) = size;
                    test.window = window;
                    test.which = which_of<P>(kernel, turn);
                    test.has_nan = turn % 3 == 0;
                    test.border = gz::all_border_modes[turn % 5];
                    test.border_value = turn % 2 ? 7.0 : 0.625;
                    test.region = all_regions[turn % 3];
                    test.layout = all_layouts[turn / 3 % 3];
                    cases.push_back(test);
                    ++turn;
                }
    return cases;
}

bool takes_large_windows(const std::string &kernel) {
    return kernel == "rank_slide" || kernel == "rank_sets" || kernel == "rank_histograms";
}

// Images of several groups along each axis, for few programs: each type, with and without vectors.
template <class P> std::vector<RankCase> ranks_of_several_tiles(const std::string &kernel) {
    // Kernels of large windows have small tiles, and take long over each.
    const bool is_slow = takes_large_windows(kernel);
    const int width = is_slow || kernel == "footprint_tiles" ? 150
                      : kernel == "footprint_strips"         ? 370
                                                             : 1043;
    const gz::Kernel spec = spec_of<P>(kernel);
    std::vector<RankCase> cases;
    std::size_t turn = 0;
    for (const PixelType type : {PixelType::u8, PixelType::f32, PixelType::s16})
        for (const int channels : {1, 3}) {
            // One of each type, and of either number of channels one or two.
            const bool is_region = (turn + turn / 2) % 2 == 1;
            const RegionKind region = is_region ? RegionKind::neighbours : RegionKind::whole;
            // make_region takes about half of an image along each axis.
            const int times = is_region ? 2 : 1;
            RankCase test;
            static_cast<ImageCase &>(test) =
                image_of_tiles(is_of_bytes(kernel) ? PixelType::u8 : type, type, channels,
                               times * width / channels, times * (is_slow ? 110 : 170), region,
                               is_region ? Layout::odd_offset_and_pitch : Layout::padded_aligned);
            test.border = all_border_modes[turn % std::size(all_border_modes)];
            test.border_value = 7.0;
            test.kernel = kernel;
            test.window = is_of_extremes<P> ? WindowCase{9, 12, 1}
                          : is_slow         ? WindowCase{13, 10, 1}
                          : is_of_footprints(kernel)
                              ? WindowCase{9, 7, 1, Anchor::centre, Shape::disk}
                              : WindowCase{5, 3, 1};
            test.which = which_of<P>(kernel, turn++);
            for (const Tunable &tunable : spec.tunables)
                test.config[tunable.name] = tunable.values.front();
            if (kernel == "rank_network")
                test.config = {{"TILE_X", 4}, {"TILE_Y", 2}, {"GROUP_Y", 4}, {"SUMS", 11}};
            else if (kernel == "rank_tiled")
                test.config = {{"TILE_X", 4},
                               {"TILE_Y", 2},
                               {"GROUP_X", channels == 3 && turn / 4 % 2 ? 48 : 32},
                               {"GROUP_Y", 4},
                               {"SUMS", 11},
                               {"MIRRORS", static_cast<int>(turn / 2 % 2)}};
            cases.push_back(test);
            if (!is_of_extremes<P> || type == PixelType::s16)
                continue;
            // Windows of which each scan sees a part alone, and the least reach.
            test.window = {43, 31, 1, Anchor::first};
            cases.push_back(test);
            test.window = {2, 4, 1};
            cases.push_back(test);
        }
    return cases;
}

// The longest sides of images and windows that a simulator can afford.
Limits small_limits() {
    return {40, 9};
}

template <class P> void run_pairwise(const Limits &limits) {
    for (const std::string &kernel : support::kernels_under_test<P>())
        run_all(sample_of(pairwise_ranks<P>(kernel, limits)));
}

} // namespace

TEST_SUITE("rank") {
    TEST_CASE("extremes of long boxes, cut to shorter ones") {
        const WindowCase windows[] = {{300, 3, 1},
                                      {131, 141, 1},
                                      {1, 260, 1},
                                      {257, 5, 1, Anchor::first},
                                      {4, 401, 1, Anchor::last},
                                      {130, 140, 1}};
        std::vector<RankCase> cases;
        std::size_t turn = 0;
        for (const WindowCase &window : windows)
            for (const BorderMode border : gz::all_border_modes)
                for (const auto &[width, height] : {std::pair(37, 290), std::pair(700, 21)}) {
                    RankCase test;
                    test.kernel = "steps";
                    test.src_type = test.dst_type = all_types[turn % std::size(all_types)];
                    test.channels = turn % 7 == 3 ? 3 : 1;
                    test.width = width;
                    test.height = height;
                    test.window = window;
                    test.border = border;
                    test.border_value = turn % 3 ? 7.0 : 0.625;
                    test.which = turn % 2 ? Which::minimum : Which::maximum;
                    test.region = all_regions[turn % 3];
                    test.has_nan = turn % 4 == 0;
                    cases.push_back(test);
                    ++turn;
                }
        run_all(sample_of(cases));
    }

    TEST_CASE("extremes of wide groups, which take the rows of a step in parts") {
        const WindowCase windows[] = {
            {31, 31, 1}, {51, 51, 1}, {101, 101, 1, Anchor::first}, {60, 93, 1, Anchor::last}};
        std::vector<RankCase> cases;
        std::size_t turn = 0;
        for (const WindowCase &window : windows)
            for (const PixelType type : {PixelType::f32, PixelType::u8, PixelType::f16})
                for (const int step : {8, 10}) {
                    RankCase test;
                    test.kernel = "extreme_march";
                    test.config = {{"GROUP", 192},
                                   {"STEP", step},
                                   {"RESIDENT", 1},
                                   {"PASSES", 1},
                                   {"STREAMS", 0}};
                    test.src_type = test.dst_type = type;
                    test.channels = turn % 4 == 1 ? 3 : 1;
                    test.width = 1500 / test.channels;
                    test.height = 47;
                    test.window = window;
                    test.border = gz::all_border_modes[turn % std::size(gz::all_border_modes)];
                    test.border_value = 7.0;
                    test.which = turn % 2 ? Which::minimum : Which::maximum;
                    test.region = all_regions[turn % 3];
                    test.has_nan = turn % 4 == 0;
                    cases.push_back(test);
                    ++turn;
                }
        run_all(cases);
    }

    // Pixels of two bytes are sorted by their low bits, and then by the others unless all have the same. Results of
    // several tiles, at their edges and between.
    TEST_CASE("ranks of large boxes, whose pixels are sorted by digits") {
        const WindowCase windows[] = {{15, 15, 1}, {25, 25, 1}, {13, 21, 1, Anchor::first}};
        const std::pair<int, int> tiles[] = {{32, 32}, {32, 16}, {16, 16}};
        constexpr Which ranks[] = {Which::median, Which::low, Which::high};
        std::vector<RankCase> cases;
        std::size_t turn = 0;
        for (const WindowCase &window : windows)
            for (const PixelType type :
                 {PixelType::u8, PixelType::u16, PixelType::s16, PixelType::f16})
                for (const bool is_narrow : {false, true}) {
                    if (is_narrow && type == PixelType::u8)
                        continue;
                    RankCase test;
                    test.kernel = "rank_sets";
                    const auto &[tile_x, tile_y] = tiles[turn % std::size(tiles)];
                    test.config = {{"TILE_X", tile_x},
                                   {"TILE_Y", tile_y},
                                   {"GROUP", turn % 2 == 0 ? 256 : 128},
                                   {"SAMPLES", 256},
                                   {"SCATTERS", 1}};
                    test.src_type = test.dst_type = type;
                    test.channels = turn % 5 == 4 ? 3 : 1;
                    test.width = 75 - static_cast<int>(turn % 4);
                    test.height = 50 - static_cast<int>(turn % 7);
                    test.window = window;
                    test.border = gz::all_border_modes[turn % std::size(gz::all_border_modes)];
                    test.border_value = 7.0;
                    test.which = ranks[turn / 3 % std::size(ranks)];
                    test.region = all_regions[turn % 3];
                    test.has_nan = !is_narrow;
                    test.is_narrow = is_narrow;
                    cases.push_back(test);
                    ++turn;
                }
        run_all(cases);
    }

    // An item has four or eight values of a row: edges lie between items, or between values of one. Both edges are in
    // one strip, or the image is shorter than what windows reach.
    TEST_CASE("extremes at every border of narrow and wide images") {
        const WindowCase windows[] = {{3, 3, 1},
                                      {15, 9, 1},
                                      {51, 51, 1},
                                      {4, 4, 1},
                                      {5, 7, 1, Anchor::first},
                                      {33, 18, 1, Anchor::last}};
        std::vector<RankCase> cases;
        std::size_t turn = 0;
        for (const int width : {1, 8, 19, 24, 64, 117, 560})
            for (const BorderMode border : gz::all_border_modes)
                for (std::size_t i = 0; i < 2; ++i) {
                    const WindowCase &window = windows[turn % std::size(windows)];
                    RankCase test;
                    test.kernel = "extreme_march";
                    test.config = {{"GROUP", 128},
                                   {"STEP", 8},
                                   {"RESIDENT", 1},
                                   {"PASSES", turn % 5 == 4 ? 2 : 1},
                                   {"STREAMS", 0}};
                    test.src_type = test.dst_type = turn % 4 == 3   ? PixelType::u16
                                                    : turn % 2 == 0 ? PixelType::f32
                                                                    : PixelType::u8;
                    test.channels = turn % 7 == 3 && window.x < 51 ? 3 : 1;
                    test.width = width;
                    test.height = turn % 3 == 0 ? 5 : 43;
                    test.window = window;
                    test.border = border;
                    test.border_value = 7.0;
                    test.which = turn % 2 ? Which::minimum : Which::maximum;
                    test.region = all_regions[turn % 3];
                    test.layout = turn % 5 == 1 ? Layout::tight : Layout::padded_aligned;
                    test.has_nan = turn % 4 == 0;
                    cases.push_back(test);
                    ++turn;
                }
        run_all(sample_of(cases));
    }
}

TEST_SUITE("kernels") {
    TEST_CASE("rank kernels: pairwise") {
        run_pairwise<RankPass>({});
        run_pairwise<ExtremePass>({});
    }
    TEST_CASE("rank kernels: several tiles") {
        for (const std::string &kernel : support::kernels_under_test<RankPass>())
            run_all(ranks_of_several_tiles<RankPass>(kernel));
        for (const std::string &kernel : support::kernels_under_test<ExtremePass>())
            run_all(ranks_of_several_tiles<ExtremePass>(kernel));
    }
}

TEST_SUITE("full product" * doctest::skip()) {
    TEST_CASE("rank kernels: all") {
        for (const std::string &kernel : support::kernels_under_test<RankPass>())
            run_all(share_of(all_ranks<RankPass>(kernel)));
        for (const std::string &kernel : support::kernels_under_test<ExtremePass>())
            run_all(share_of(all_ranks<ExtremePass>(kernel)));
    }
}

TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("rank kernels: small") {
        run_pairwise<RankPass>(small_limits());
        run_pairwise<ExtremePass>(small_limits());
    }
}
