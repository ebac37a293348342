// Every kernel of the recursive filters against the reference in double, within what rounding in f32
// may add.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "core/error.hpp"
#include "families/family.hpp"
#include "families/recursive/line_filter.hpp"
#include "families/recursive/recursive.hpp"
#include "families/reference.hpp"
#include "plan/verify.hpp"
#include "support/correlate_case.hpp"
#include "support/difference.hpp"
#include "support/iir_designs.hpp"
#include "support/pairwise.hpp"
#include "support/under_test.hpp"
#include "support/unit.hpp"

namespace {

using namespace gz;
using namespace support;

struct RecursiveCase : ImageCase {
    std::string kernel;
    Config config;
    std::size_t filter = 0; // of filters()
};

// Scans that leave constants as they are.
Scan scan(int axis, bool forward, std::vector<double> feedback) {
    Scan result{axis, forward, {1.0}, std::move(feedback)};
    for (const double a : result.feedback)
        result.feedforward[0] -= a;
    return result;
}

Filter recursive_gaussian_of(double sigma_x, double sigma_y, int derivative) {
    Gaussian gaussian;
    gaussian.method = GaussianMethod::recursive;
    gaussian.sigma = {sigma_x, sigma_y, 0, 0};
    gaussian.derivative = {sigma_x > 0 ? derivative : 0, sigma_x > 0 ? 0 : derivative, 0, 0};
    return Filter::gaussian(gaussian);
}

// Ranges of filters() that some kernels are tested with.
struct Range {
    std::size_t begin, end;
};
constexpr Range of_columns_alone{0, 5};
constexpr Range of_one_direction{4, 8};
constexpr Range of_planes{14, 22};

using support::Band;
using support::Prototype;

Filter of_design(Prototype prototype, Band band, int order, const std::vector<double> &edges,
                 int axis, bool forward) {
    return Filter::recursive(
        {to_scan(to_coefficients(design(prototype, band, order, edges)), axis, forward)});
}

Filter both_ways(Prototype prototype, Band band, int order, const std::vector<double> &edges,
                 int axis) {
    std::vector<Scan> scans;
    for (const bool forward : {true, false})
        for (const Coefficients &section : to_sections(design(prototype, band, order, edges)))
            scans.push_back(to_scan(section, axis, forward));
    return Filter::recursive(scans);
}

const std::vector<Filter> &filters() {
    constexpr bool there = true;
    constexpr bool back = false;
    static const std::vector<double> third{2.45, -2.01, 0.5525};
    static const std::vector<double> pair{1.4, -0.53};
    static const std::vector<double> short_third{1.7, -1.0525, 0.2355};
    static const std::vector<double> twenty{0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                            0, 0, 0, 0, 0, 0, 0, 0, 0, 0.3};
    static const std::vector<Filter> list{
        Filter::recursive({scan(1, there, {0.8}), scan(1, back, {0.8})}),
        Filter::recursive({scan(1, there, third), scan(1, back, pair)}),
        recursive_gaussian_of(0.0, 4.0, 0),
        recursive_gaussian_of(0.0, 2.5, 1),
        Filter::recursive({scan(1, there, {-0.6})}),
        Filter::recursive({scan(0, back, {0.9})}),
        Filter::recursive(
            {{0, there, {0.3, 0.2}, {0.5}}, {1, back, {0.25, -0.1, 0.05}, {1.2, -0.4}}}),
        Filter::recursive({scan(0, there, {0.6}), scan(0, there, twenty)}),
        Filter::recursive({scan(0, there, {0.8}), scan(0, back, {0.8}), scan(1, there, {0.8}),
                           scan(1, back, {0.8})}),
        recursive_gaussian_of(2.0, 2.5, 0),
        Filter::recursive({scan(0, there, third), scan(0, back, third), scan(1, back, pair)}),
        // Scans run in the order in which they are written, where they start from nothing.
        Filter::recursive({scan(0, there, {0.9}), scan(1, there, pair), scan(0, back, {0.4}),
                           scan(1, back, {0.8}), scan(0, there, {0.5})}),
        // Poles that occur twice and three times, which takes stages.
        Filter::recursive({scan(0, there, {0.7}), scan(0, there, {0.7}), scan(0, there, {0.7}),
                           scan(0, back, {0.7}), scan(1, there, {0.7}), scan(1, there, {0.7})}),
        recursive_gaussian_of(1.5, 2.0, 1),
        Filter::bspline(3),
        Filter::bspline(5),
        recursive_gaussian_of(0.8, 0.7, 0),
        recursive_gaussian_of(0.9, 1.1, 1),
        Filter::recursive({scan(0, there, {0.2}), scan(0, back, {0.4}), scan(1, there, {-0.3}),
                           scan(1, back, {0.5})}),
        Filter::recursive({scan(0, there, {0.6, -0.2}), scan(1, back, {0.3})}),
        // Scans that come back from a cut: sections of one and of two poles, all with the same poles, and with poles of
        // their own, left of the imaginary axis too.
        Filter::recursive({scan(0, there, short_third), scan(0, back, short_third),
                           scan(1, there, short_third), scan(1, back, short_third)}),
        Filter::recursive({scan(0, there, {0.6, -0.2}), scan(0, back, {-0.6}),
                           scan(1, there, {-0.4, -0.3}), scan(1, back, {0.7})}),
        // Long memories.
        Filter::recursive({scan(0, there, {0.99}), scan(0, back, {0.99}), scan(1, there, {0.995})}),
        // Along x alone.
        Filter::recursive({scan(0, there, {0.7}), scan(0, back, {0.7})}),
        recursive_gaussian_of(3.0, 0.0, 1),
        Filter::recursive({scan(0, there, third), scan(0, back, {0.5})}),
        // Poles left of the imaginary axis.
        of_design(Prototype::chebyshev2, Band::high, 4, {0.9}, 0, there),
        Filter::recursive({scan(1, there, {-0.9}), scan(1, back, {-1.2, -0.5})}),
        // Poles close to the circle: their states are f32 made anew from sums.
        Filter::recursive({scan(0, there, {0.9999}), scan(1, back, {0.9995})}),
        of_design(Prototype::elliptic, Band::low, 4, {0.02}, 1, there),
        // Twice the digits of f32, in one stage and in two.
        of_design(Prototype::butterworth, Band::low, 7, {0.05}, 0, there),
        of_design(Prototype::bessel, Band::low, 8, {0.3}, 1, back),
        both_ways(Prototype::butterworth, Band::pass, 3, {0.02, 0.05}, 0),
        // More zeros than poles: a stage of taps.
        Filter::recursive({{0, there, {0.3, -0.2, 0.1, 0.25, -0.4, 0.3}, {0.6}},
                           {1, back, {0.0, 0.0, 0.5, 0.5, 0.1}, {0.3, -0.2}}}),
        Filter::recursive({{0, there, {0.1, 0.2, 0.4, 0.2, 0.1}, {}},
                           {0, back, {0.3, 0.0, 0.0, 0.0, 0.7}, {0.5}}}),
        // A delay, and a factor alone.
        Filter::recursive({{1, there, {0.0, 0.5}, {}}, {0, back, {2.0}, {}}}),
    };
    return list;
}

// The first of these, of which kernels run fewer configurations.
constexpr std::size_t of_precisions = 26;

std::string run(const Filter &filter, const ImageCase &test, const std::string &variant,
                Tally &tally) {
    std::minstd_rand random(7);
    const PlanDesc desc = make_plan_desc(test);
    const std::vector<std::byte> source = make_source(desc, random);
    return run_and_compare(
        filter, desc, variant, source, random, tally, [&](const ReferenceJob &job) -> BoundOf {
            const double of_filter = filter.error_bound(largest_magnitude(job));
            return [of_filter, type = desc.target.type](double exact) {
                return of_filter + storing_error(type, std::abs(exact) + of_filter);
            };
        });
}

std::string run(const Filter &filter, const RecursiveCase &test, Tally &tally) {
    return run(filter, test, test.kernel + ":" + gz::to_text(test.config), tally);
}

void run_all(const std::vector<RecursiveCase> &cases) {
    Tally tally;
    for (const RecursiveCase &test : cases) {
        INFO(test.kernel, ":", gz::to_text(test.config), " ", test.name(), " ",
             gz::to_text(filters()[test.filter]));
        CHECK(run(filters()[test.filter], test, tally) == "");
    }
    CHECK((tally.ran > 0 || support::is_shared()));
    MESSAGE(tally.ran, " cases on ", engine()->facts().name, ", ", tally.misfits,
            " that do not fit it; the worst error is ", tally.worst, " of its bound");
}

std::vector<Tunable> tunables_of(const std::string &kernel) {
    for (const gz::Kernel &one : gz::recursive_kernels())
        if (one.name == kernel)
            return one.tunables;
    return {};
}

// Other devices lack room for the arrays of an item that goes down a strip.
bool runs_strips() {
    return gz::habit_of(engine()->facts()) == gz::GroupHabit::strips;
}

// Whether the kernel filters along x and y at once.
bool is_of_planes(const std::string &kernel) {
    return kernel.rfind("recursive_fused", 0) == 0;
}

Range filters_of(const std::string &kernel) {
    if (kernel == "recursive_march")
        return of_columns_alone;
    if (kernel == "recursive_lookback")
        return of_one_direction;
    if (is_of_planes(kernel))
        return of_planes;
    return {0, of_precisions};
}

// One of the borders that extend an image, or nothing beyond its edge.
BorderMode border_of(std::size_t i) {
    return i < std::size(all_border_modes) ? all_border_modes[i] : BorderMode::zero;
}

// Where nothing lies beyond the edge, scans that come back start from more than an extended image, which only strips
// take.
BorderMode border_for(const RecursiveCase &test, std::size_t i) {
    const bool comes_back = test.filter == 18 || test.filter == 20 || test.filter == 21;
    const BorderMode border = border_of(i);
    return test.kernel == "recursive_fused" && comes_back && border == BorderMode::zero
               ? BorderMode::clamp
               : border;
}

// A case for each pair of parameter values; images and filters up to the limits.
std::vector<RecursiveCase> pairwise_filters(const std::string &kernel, const Limits &limits) {
    const std::vector<Tunable> tunables = tunables_of(kernel);
    const std::vector<std::pair<int, int>> sizes = pairwise_sizes(limits);
    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    const Range range = filters_of(kernel);
    const auto kinds = std::min(range.end - range.begin, static_cast<std::size_t>(limits.kinds));
    counts.insert(counts.end(), {static_cast<int>(kinds), 6});
    append_counts(counts, tunables);
    std::vector<RecursiveCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[image + i]); };
        RecursiveCase test;
        static_cast<ImageCase &>(test) = image_of(row, sizes);
        test.kernel = kernel;
        // Filters are taken evenly from the range.
        test.filter =
            range.begin + (kinds > 1 ? at(0) * (range.end - range.begin - 1) / (kinds - 1) : 0);
        test.border = border_for(test, at(1));
        test.config = config_of(tunables, row, image + 2);
        cases.push_back(test);
    }
    return cases;
}

// A simulator takes seconds over groups of many items.
std::vector<RecursiveCase> of_small_groups(const std::vector<RecursiveCase> &cases) {
    std::vector<RecursiveCase> result;
    for (const RecursiveCase &test : cases) {
        int items = 1;
        for (const char *name : {"LANES", "CHUNKS"})
            if (test.config.count(name) != 0)
                items *= test.config.at(name);
        if (items <= 64)
            result.push_back(test);
    }
    return result;
}

// Sets the parameters of an image that vary by turns.
void take_turn(RecursiveCase &test, std::size_t turn) {
    test.src_type = all_types[turn % 5];
    test.dst_type = turn % 3 == 2 ? all_types[turn / 4 % 5] : PixelType::f32;
    test.border = border_for(test, turn % 6);
    test.region = all_regions[turn % 3];
    test.layout = all_layouts[turn / 3 % 3];
}

// Every configuration x filter x size, the other parameters in turn.
std::vector<RecursiveCase> all_filters(const std::string &kernel) {
    std::vector<RecursiveCase> cases;
    std::size_t turn = 0;
    const Range range = filters_of(kernel);
    for (const Config &config : all_configs(tunables_of(kernel)))
        for (std::size_t filter = range.begin; filter < range.end; ++filter)
            for (const auto &size : all_sizes()) {
                RecursiveCase test;
                test.kernel = kernel;
                test.config = config;
                test.filter = filter;
                take_turn(test, turn);
                test.channels = turn % 2 == 0 ? 1 : static_cast<int>(turn / 2 % 4) + 1;
                test.planes = turn % 5 == 4 ? 3 : 1;
                test.slices = turn % 7 == 6 ? 2 : 1;
                std::tie(test.width, test.height) = size;
                cases.push_back(test);
                ++turn;
            }
    return cases;
}

} // namespace

// Many tiles expose a group that waits for one that never comes, or that reads data which is not complete
// yet.
TEST_CASE("signals of many tiles that wait for others") {
    const Filter chains[] = {
        Filter::recursive({scan(0, true, {0.99999})}),
        Filter::recursive({scan(0, false, {1.98, -0.9801})}),
        Filter::recursive({scan(0, true, {2.45, -2.01, 0.5525}), scan(0, true, {0.9})})};
    // A CPU's tiles do not wait: they publish first.
    const int times = engine()->facts().is_cpu() ? 1 : 5;
    Tally tally;
    for (const Filter &filter : chains)
        for (const int length : {1'000'003, 16'384})
            for (int again = 0; again < times; ++again) {
                RecursiveCase test;
                test.kernel = "recursive_lookback";
                test.config = {{"CHUNKS", 32}};
                test.width = length;
                test.height = 1;
                test.border = BorderMode::zero;
                CHECK(run(filter, test, tally) == "");
            }
    CHECK(tally.ran == 6 * times);
    MESSAGE("the worst error is ", tally.worst, " of its bound");
}

// Tiles of rows and of columns exchange carries with those before and behind them.
TEST_CASE("images of many tiles that wait for others") {
    const Filter filters[] = {recursive_gaussian_of(30.0, 0.0, 0),
                              Filter::recursive({scan(1, true, {0.97}), scan(1, false, {0.99})})};
    const int times = engine()->facts().is_cpu() ? 2 : 10;
    Tally tally;
    for (const Filter &filter : filters)
        for (const auto &[lanes, chunks] : {std::pair(1, 32), std::pair(8, 4), std::pair(16, 16)})
            for (int again = 0; again < times; ++again) {
                RecursiveCase test;
                test.kernel = "recursive_tiled";
                test.config = {{"LANES", lanes},
                               {"CHUNKS", chunks},
                               {"APRON", 0},
                               {"NEAR", 0},
                               {"EXCHANGE", 1}};
                test.width = 1037;
                test.height = 531;
                test.border = again % 2 == 1 ? BorderMode::reflect : BorderMode::zero;
                test.planes = 1 + again % 2;
                CHECK(run(filter, test, tally) == "");
            }
    CHECK(tally.ran == 6 * times);
    MESSAGE("the worst error is ", tally.worst, " of its bound");
}

// Slabs at the left and right edge and between, whose rows are read in vectors, of which some are the border's.
TEST_CASE("images of many tiles that are filtered along both axes at once") {
    Tally tally;
    int turn = 0;
    for (const int channels : {1, 3})
        for (const BorderMode border : gz::all_border_modes) {
            const Filter filter = Filter::bspline(turn++ % 2 == 0 ? 3 : 5);
            for (const auto &[width, height] : {std::pair(256, 290), std::pair(203, 18)}) {
                RecursiveCase test;
                test.kernel = "recursive_fused";
                test.config = {{"LANES", 64}, {"ROWS", 256}};
                test.layout = Layout::padded_aligned;
                test.channels = channels;
                test.width = width;
                test.height = height;
                test.border = border;
                test.border_value = 0.625;
                CHECK(run(filter, test, tally) == "");
            }
        }
    CHECK(tally.ran == 20);
    MESSAGE("the worst error is ", tally.worst, " of its bound");
}

// Each number of chunks that matter around one, with room for a tile more or without; slabs at the left and right edge and
// between, and bands above and below others.
TEST_CASE("images of many slabs that are filtered along both axes by sums of chunks") {
    Tally tally;
    std::size_t turn = 0;
    for (const double pole : {0.2, 0.5, 0.65, 0.75, 0.8})
        for (int kind = 0; kind < 5; ++kind) {
            const auto both = [&](const std::vector<double> &feedback) {
                return Filter::recursive({scan(0, true, feedback), scan(0, false, feedback),
                                          scan(1, true, feedback), scan(1, false, feedback)});
            };
            RecursiveCase test;
            test.kernel = "recursive_fused_sums";
            // Five kinds: each pole and each kind meets both.
            test.config = {{"LANES", pole < 0.6 ? 64 : 128},
                           {"ROWS", 64},
                           {"SPARE", static_cast<int>(turn % 2)}};
            test.border = kind < 2 ? BorderMode::zero : border_of((turn + turn / 5) % 5);
            test.border_value = 0.625;
            test.layout = all_layouts[turn % 3];
            test.channels = kind == 4 ? 3 : 1;
            test.region = all_regions[turn % 3];
            test.width = 300 - static_cast<int>(turn % 17);
            test.height = 130 + static_cast<int>(turn % 19);
            const Filter filter = kind == 1 ? both({2 * pole * 0.9, -pole * pole})
                                  : kind == 3
                                      ? recursive_gaussian_of(7 * pole - 0.6, 7 * pole - 0.6, 0)
                                      : both({pole});
            INFO(test.name(), " ", gz::to_text(test.config), " ", gz::to_text(filter));
            CHECK(run(filter, test, tally) == "");
            ++turn;
        }
    CHECK(tally.ran + tally.misfits == 25);
    CHECK(tally.ran >= 20);
    MESSAGE("the worst error is ", tally.worst, " of its bound");
}

// The same ends as below, of slabs of 64 and 128 columns.
TEST_CASE("images cut at their ends that are filtered along both axes by sums of chunks") {
    constexpr std::size_t there_and_back[] = {18, 20, 21};
    Tally tally;
    std::size_t turn = 0;
    for (const std::size_t filter : there_and_back)
        for (const RegionKind region : {RegionKind::whole, RegionKind::neighbours})
            for (int more = 0; more < 20; ++more) {
                const int lanes = filter == 18 ? 64 : 128; // the others' poles matter further away
                RecursiveCase test;
                test.kernel = "recursive_fused_sums";
                test.config = {
                    {"LANES", lanes}, {"ROWS", 64}, {"SPARE", static_cast<int>(turn % 5 % 2)}};
                test.filter = filter;
                test.border = BorderMode::zero;
                test.region = region;
                test.channels = turn % 4 == 3 ? 3 : 1;
                test.layout = all_layouts[turn % 3];
                test.width = turn % 2 == 0 ? lanes + 7 * more : 1 + 5 * more;
                test.height = 1 + 4 * more + static_cast<int>(turn % 5);
                INFO(test.name(), " ", gz::to_text(filters()[filter]));
                CHECK(run(filters()[filter], test, tally) == "");
                ++turn;
            }
    CHECK(tally.ran >=
          100); // spare tiles of wide slabs do not fit the local memory of every device
    MESSAGE("the worst error is ", tally.worst, " of its bound");
}

// The ends of an image that nothing lies beyond, at every place of a block of rows, of a strip and of a vector, and behind
// the end of a region; some of the last samples lie in blocks before.
TEST_CASE("images cut at their ends that are filtered along both axes at once") {
    if (!runs_strips())
        return;
    constexpr std::size_t there_and_back[] = {18, 20, 21};
    Tally tally;
    std::size_t turn = 0;
    for (const std::size_t filter : there_and_back)
        for (const RegionKind region : {RegionKind::whole, RegionKind::neighbours})
            for (int more = 0; more < 30; ++more) {
                RecursiveCase test;
                test.kernel = "recursive_fused_strips";
                test.config = {{"STRIP", 128}, {"BAND", 64}};
                test.filter = filter;
                test.border = BorderMode::zero;
                test.region = region;
                test.channels = turn % 4 == 3 ? 3 : 1;
                test.layout = all_layouts[turn % 3];
                test.width = turn % 2 == 0 ? 128 + 7 * more : 1 + 5 * more;
                test.height = 1 + 5 * more + static_cast<int>(turn % 5);
                INFO(test.name(), " ", gz::to_text(filters()[filter]));
                CHECK(run(filters()[filter], test, tally) == "");
                ++turn;
            }
    CHECK(tally.ran == 180);
    MESSAGE("the worst error is ", tally.worst, " of its bound");
}

// Rows that CPUs write in runs, of each type: those of f32 that lie whole pages apart, and all others.
TEST_CASE("rows that are written in runs") {
    if (!runs_strips())
        return;
    struct Form {
        const char *kernel;
        Config config;
        std::size_t filter;
    };
    const Form forms[] = {{"recursive_fused_strips", {{"STRIP", 128}, {"BAND", 64}}, 18},
                          {"recursive_fused_strips", {{"STRIP", 512}, {"BAND", 64}}, 21},
                          {"recursive_strips", {{"WIDE", 1}, {"BLOCK", 256}}, 5}};
    Tally tally;
    std::size_t turn = 0;
    for (const Form &form : forms)
        for (const PixelType type : all_types) {
            RecursiveCase test;
            test.kernel = form.kernel;
            test.config = form.config;
            test.filter = form.filter;
            test.src_type = turn % 2 == 0 ? type : PixelType::f32;
            test.dst_type = type;
            test.border = all_border_modes[turn % 4];
            test.channels = turn % 3 == 2 ? 4 : 1;
            test.width = 1024 / test.channels;
            test.height = 59 + 5 * static_cast<int>(turn);
            INFO(test.name(), " ", gz::to_text(filters()[form.filter]));
            CHECK(run(filters()[form.filter], test, tally) == "");
            ++turn;
        }
    CHECK(tally.ran == 15);
    MESSAGE("the worst error is ", tally.worst, " of its bound");
}

// Regions of lines that go on for several tiles behind their results: a body of the loop that compares nothing must not
// write these tiles.
TEST_CASE("results that end long before their lines") {
    struct Form {
        std::size_t filter;
        int lanes, channels, width, height;
    };
    const Form forms[] = {{0, 8, 1, 70, 1000},
                          {2, 8, 1, 70, 1000},
                          {23, 8, 1, 1000, 70},
                          {24, 8, 1, 1000, 70},
                          {8, 24, 3, 400, 1000}};
    Tally tally;
    std::size_t turn = 0;
    for (const Form &form : forms)
        for (const PixelType type : {PixelType::f32, PixelType::u8}) {
            RecursiveCase test;
            test.kernel = "recursive_look";
            test.config = {{"LANES", form.lanes}, {"CHUNKS", 4}, {"BODIES", 2}};
            test.filter = form.filter;
            test.src_type = type;
            test.border = all_border_modes[turn % 4];
            test.region = RegionKind::neighbours;
            test.channels = form.channels;
            test.layout = all_layouts[turn % 3];
            test.width = form.width;
            test.height = form.height;
            INFO(test.name(), " ", gz::to_text(filters()[form.filter]));
            CHECK(run(filters()[form.filter], test, tally) == "");
            ++turn;
        }
    CHECK(tally.ran == 10);
    MESSAGE("the worst error is ", tally.worst, " of its bound");
}

// Gaussians, whose accuracy lets kernels hold samples that they do not read. A constant stays one but for rounding, so
// that no tile shows; what is negligible is 5e-5 of it. Noise is within that of what the exponentials make of it.
TEST_CASE("pixels that are too far away to be read count as those that are") {
    struct Form {
        const char *kernel;
        Config config;
        std::vector<double> sigmas;
        int channels = 1;
    };
    const Form forms[] = {
        {"recursive_fused", {{"LANES", 64}, {"ROWS", 256}}, {2.5, 5.5}},
        {"recursive_fused_sums", {{"LANES", 128}, {"ROWS", 64}, {"SPARE", 1}}, {5.5, 8.3}},
        {"recursive_fused_sums", {{"LANES", 128}, {"ROWS", 64}, {"SPARE", 0}}, {12}},
        {"recursive_fused_sums", {{"LANES", 64}, {"ROWS", 64}, {"SPARE", 0}}, {2.5}},
        {"recursive_fused_strips", {{"STRIP", 128}, {"BAND", 64}}, {5.5, 11}},
        {"recursive_look", {{"LANES", 16}, {"CHUNKS", 4}}, {11, 33}},
        {"recursive_look", {{"LANES", 12}, {"CHUNKS", 4}}, {7, 33}, 3}, // lanes of whole pixels
        {"recursive_strips", {{"WIDE", 4}, {"BLOCK", 256}}, {5.5, 44}},
        {"recursive_strips", {{"WIDE", 1}, {"BLOCK", 32}}, {2.5}},
        {"recursive_look",
         {{"LANES", 16}, {"CHUNKS", 4}},
         {9, 9.5}}}; // start states at reflect, too
    constexpr float level = 0.7f;
    constexpr double most_of_constant = 2e-6;
    Tally constants, noise;
    std::size_t turn = 0;
    for (const Form &form : forms)
        for (const double sigma : form.sigmas)
            for (const bool is_constant : {true, false}) {
                RecursiveCase test;
                test.kernel = form.kernel;
                test.config = form.config;
                test.border = all_border_modes[turn % 5];
                test.border_value = level;
                test.layout = turn / 2 % 2 == 0 ? Layout::padded_aligned : all_layouts[turn % 3];
                test.region = all_regions[turn / 2 % 3];
                test.channels = turn % 8 == 7 ? 3 : form.channels;
                test.width = 300 - static_cast<int>(turn % 17);
                test.height = 330 + static_cast<int>(turn % 19);
                ++turn;
                const Filter filter = recursive_gaussian_of(sigma, 0.9 * sigma, 0);
                std::minstd_rand random(7);
                const PlanDesc desc = make_plan_desc(test);
                std::vector<std::byte> source = make_source(desc, random);
                double bound = most_of_constant;
                if (is_constant)
                    for (std::size_t i = 0; i + sizeof level <= source.size(); i += sizeof level) {
                        float value = 0.0f;
                        std::memcpy(&value, &source[i], sizeof value);
                        if (!std::isnan(value))
                            std::memcpy(&source[i], &level, sizeof level);
                    }
                INFO(test.name(), " ", gz::to_text(test.config), " ", gz::to_text(filter));
                CHECK(run_and_compare(
                          filter, desc, test.kernel + ":" + gz::to_text(test.config), source,
                          random, is_constant ? constants : noise,
                          [&](const ReferenceJob &job) -> BoundOf {
                              if (!is_constant)
                                  bound = filter.rounding_bound(largest_magnitude(job));
                              return [bound](double) { return bound; };
                          },
                          gz::compute_as_written) == "");
            }
    CHECK((constants.ran > 0 && noise.ran > 0));
    MESSAGE(constants.ran, " constants, the worst error is ", constants.worst, " of ",
            most_of_constant, "; ", noise.ran, " noisy images, the worst error is ", noise.worst,
            " of its bound");
}

// Where a volume is cut between slices, each part has the bits of the whole.
TEST_CASE("strips of both axes are chosen alike for a slice alone and among others") {
    const auto chosen = [](int size, std::int64_t slices) {
        PlanDesc desc;
        desc.source = desc.target = make_image(PixelType::f32, {size, size - 9, slices, 1});
        const std::string text =
            Plan(engine(), recursive_gaussian_of(2.0, 2.0, 0), complete(desc), "").explain();
        const std::size_t at = text.find("recursive_fused_strips:");
        return at == std::string::npos ? "axis by axis" : text.substr(at, text.find(", ", at) - at);
    };
    if (!runs_strips())
        return;
    int together = 0;
    for (const int size : {31, 90, 130, 300, 700, 4000}) {
        const std::string alone = chosen(size, 1);
        together += alone == "axis by axis" ? 0 : 1;
        INFO(size, ": ", alone);
        for (const std::int64_t slices : {2, 5, 40})
            CHECK(chosen(size, slices) == alone);
    }
    CHECK(together > 0);
}

// Designs that f32 states cannot all represent, taps, and poles left of the imaginary axis, with the device's
// double, or with pairs of floats where GAUZE_F64 is off.
TEST_CASE("states of each precision") {
    std::map<Precision, int> precisions;
    int taps = 0;
    int negative = 0;
    for (std::size_t i = of_precisions; i < filters().size(); ++i)
        for (int axis = 0; axis < 2; ++axis)
            for (const LineStage &stage : line_stages(filters()[i].get<gz::Recursion>(), axis,
                                                      {BorderMode::clamp, 0.0}, 100)) {
                ++precisions[stage.precision];
                taps += stage.has_taps() ? 1 : 0;
                for (const Section &section : stage.causal)
                    negative += section.sign < 0.0 ? 1 : 0;
            }
    CHECK(precisions[Precision::single] > 0);
    CHECK(precisions[Precision::anchored] > 0);
    CHECK(precisions[Precision::twice] > 0);
    CHECK(taps > 0);
    CHECK(negative > 0);

    const std::pair<std::string, Config> kernels[] = {
        {"recursive_plain", {{"GROUP", 16}}},
        {"recursive_look", {{"LANES", 8}, {"CHUNKS", 8}}},
        {"recursive_whole", {{"LANES", 2}, {"CHUNKS", 48}}},
        {"recursive_strips", {{"WIDE", 1}, {"BLOCK", 32}}},
        {"recursive_strips", {{"WIDE", 2}, {"BLOCK", 256}}},
        {"recursive_tiled",
         {{"LANES", 4}, {"CHUNKS", 16}, {"APRON", 0}, {"NEAR", 0}, {"EXCHANGE", 1}}},
        {"recursive_tiled",
         {{"LANES", 2}, {"CHUNKS", 32}, {"APRON", 50}, {"NEAR", 1}, {"EXCHANGE", 0}}},
    };
    // Each filter on every second of them, and the next one on the others.
    Tally tally;
    std::size_t turn = 0;
    for (std::size_t filter = of_precisions; filter < filters().size(); ++filter)
        for (std::size_t i = filter % 2; i < std::size(kernels); i += 2) {
            const auto &[kernel, config] = kernels[i];
            RecursiveCase test;
            test.kernel = kernel;
            test.config = config;
            test.filter = filter;
            take_turn(test, turn++);
            test.src_type = turn % 4 == 0 ? PixelType::u8 : PixelType::f32;
            test.dst_type = PixelType::f32;
            test.channels = turn % 5 == 0 ? 3 : 1;
            test.width = 700 + static_cast<int>(turn % 3);
            test.height = 131;
            INFO(kernel, ":", gz::to_text(config), " ", test.name(), " ",
                 gz::to_text(filters()[filter]));
            CHECK(run(filters()[filter], test, tally) == "");
        }
    CHECK(tally.ran > 15);
    MESSAGE(tally.ran, " cases, ", tally.misfits, " that do not fit; the worst error is ",
            tally.worst, " of its bound");
}

// Poles lie all around a circle, 18 sections in one stage. Groups of whole lines have an item for each section.
TEST_CASE("lines of fewer chunks than a stage has sections") {
    std::vector<double> feedback(16, 0.0);
    feedback.back() = 0.01;
    const Filter filter = Filter::recursive({scan(0, true, feedback), scan(0, false, feedback)});
    Tally tally;
    for (const auto &[lanes, chunks] : {std::pair(2, 16), std::pair(1, 32), std::pair(3, 32)})
        for (const BorderMode border : {BorderMode::zero, BorderMode::clamp, BorderMode::reflect}) {
            RecursiveCase test;
            test.kernel = "recursive_whole";
            test.config = {{"LANES", lanes}, {"CHUNKS", chunks}};
            test.width = 203;
            test.height = 7;
            test.border = border;
            INFO(gz::to_text(test.config), " ", test.name());
            CHECK(run(filter, test, tally) == "");
            // 16 chunks are refused.
            CHECK((chunks > 16 || tally.ran == 0));
        }
    CHECK(tally.ran == 6);
    CHECK(tally.misfits == 3);
}

// Groups make the states that lines start from of weights that are powers, or of what their chunks leave where both
// directions have the same poles. Lines are shorter and longer than the samples that matter, than a chunk and than a run.
TEST_CASE("start states of weights that are powers") {
    constexpr double modulus = 0.97;
    const double both = 2.0 * modulus * std::cos(0.03); // the sum of a pair of poles
    const std::vector<double> slow{modulus + both, -modulus * (modulus + both),
                                   modulus * modulus * modulus};
    const std::vector<double> alternating{-0.8};
    const std::vector<double> fast{0.5, -0.3};
    const std::vector<double> ringing{1.9 * std::cos(0.1), -0.95 * 0.95};
    const auto both_ways = [](int axis, const std::vector<std::vector<double>> &forwards,
                              const std::vector<std::vector<double>> &backwards) {
        std::vector<Scan> scans;
        for (const auto &feedback : forwards)
            scans.push_back(scan(axis, true, feedback));
        for (const auto &feedback : backwards)
            scans.push_back(scan(axis, false, feedback));
        return Filter::recursive(scans);
    };
    // A kernel, an axis of the image, and a filter along it: a program is compiled for each.
    struct Case {
        const char *kernel;
        int axis;
        Filter filter;
    };
    const Case cases[] = {
        {"recursive_whole", 1, both_ways(1, {slow, alternating}, {slow, alternating})},
        {"recursive_whole", 0, recursive_gaussian_of(200.0, 0.0, 0)},
        {"recursive_look", 0, both_ways(0, {slow, alternating}, {slow, alternating})},
        {"recursive_look", 1, both_ways(1, {fast}, {ringing})},
        {"recursive_strips", 0, recursive_gaussian_of(200.0, 0.0, 0)},
        {"recursive_strips", 1, both_ways(1, {slow, alternating}, {slow, alternating})}};
    Tally tally;
    int runs = 0;
    for (const Case &of : cases) {
        const bool holds_lines = of.kernel == std::string("recursive_whole");
        const bool in_strips = of.kernel == std::string("recursive_strips");
        if (in_strips && !runs_strips())
            continue;
        for (const int length : {2, 3, 16, 17, 203, 300})
            for (const BorderMode border :
                 {BorderMode::reflect, BorderMode::reflect101, BorderMode::wrap}) {
                RecursiveCase test;
                test.kernel = of.kernel;
                if (in_strips)
                    test.config = {{"WIDE", 1}, {"BLOCK", 32}};
                else if (holds_lines)
                    test.config = {{"LANES", 4}, {"CHUNKS", length > 256 ? 32 : 16}};
                else
                    test.config = {{"LANES", 16}, {"CHUNKS", 4}};
                test.width = of.axis == 0 ? length : 5;
                test.height = of.axis == 0 ? 5 : length;
                test.border = border;
                INFO(test.kernel, ":", gz::to_text(test.config), " ", test.name(), " ",
                     gz::to_text(of.filter));
                CHECK(run(of.filter, test, tally) == "");
                ++runs;
            }
    }
    CHECK(tally.ran == runs);
    MESSAGE("the worst error is ", tally.worst, " of its bound");
}

namespace {

// Lines as long as the segments need, each configuration, the other parameters in turn.
std::vector<RecursiveCase> long_lines(int configs) {
    // Filters along x whose anticausal sections forget soon.
    static const std::size_t along_x[] = {7, 23, 24, 25};
    std::vector<RecursiveCase> cases;
    std::size_t turn = 0;
    const std::vector<Config> all = all_configs(tunables_of("recursive_segments"));
    for (const Config &config : all) {
        const int least = 16 * config.at("BLOCK") * config.at("BLOCKS");
        if (least > 16 * configs)
            continue;
        for (const int length : {least, least + 1, 2 * least - 17, 3 * least + 5})
            for (const std::size_t filter : along_x) {
                RecursiveCase test;
                test.kernel = "recursive_segments";
                test.config = config;
                test.filter = filter;
                take_turn(test, turn);
                test.planes = turn % 5 == 4 ? 2 : 1;
                test.width = length;
                test.height = turn % 4 == 3 ? 2 : 1;
                cases.push_back(test);
                ++turn;
            }
    }
    return cases;
}

// There is more than one tile: only then does a group look at what others have published.
std::vector<RecursiveCase> small_lookback() {
    std::vector<RecursiveCase> cases;
    for (std::size_t i = 0; i < 3; ++i) {
        RecursiveCase test;
        test.kernel = "recursive_lookback";
        test.config = {{"CHUNKS", 32}};
        test.filter = of_one_direction.begin + 1 + i % 3;
        test.border = border_of(i);
        test.src_type = all_types[i % 5];
        test.channels = i % 2 == 0 ? 1 : 3;
        test.width = 1100;
        test.height = 1 + static_cast<int>(i % 2);
        cases.push_back(test);
    }
    return cases;
}

// There are more than three tiles along each axis, so that what lies ahead goes round its ring; some filters remember
// all of a line, others a tile.
std::vector<RecursiveCase> looks_ahead() {
    const std::pair<int, int> shapes[] = {{16, 4}, {8, 4}, {8, 8}};
    constexpr std::size_t long_memory = 22;
    constexpr std::size_t some[] = {long_memory, 9, 13, 10, 5, 11};
    std::vector<RecursiveCase> cases;
    for (std::size_t i = 0; i < 2 * std::size(some); ++i) {
        RecursiveCase test;
        test.kernel = "recursive_look";
        const auto [lanes, chunks] = shapes[i % std::size(shapes)];
        test.config = {{"LANES", lanes}, {"CHUNKS", chunks}};
        test.filter = some[i % std::size(some)];
        take_turn(test, i + i / std::size(some));
        test.channels = i % 4 == 3 ? 3 : 1;
        test.width = 3 * 16 * chunks + (i % 2 == 0 ? 64 : 21);
        test.height = 4 * 16 * chunks + static_cast<int>(i % 3);
        cases.push_back(test);
    }
    return cases;
}

// Groups hold whole lines: of one run of chunks and of several, whose last chunk is full, in part, or far behind the
// line's end; states at their ends come from nothing, a sample, or many.
std::vector<RecursiveCase> whole_lines() {
    struct Shape {
        int lanes, chunks, channels;
    };
    const Shape shapes[] = {{2, 16, 1}, {1, 32, 1},  {3, 16, 3}, {8, 32, 1},
                            {4, 48, 1}, {3, 112, 3}, {4, 32, 4}, {16, 16, 1}};
    constexpr std::size_t long_memory = 22;
    constexpr std::size_t of_taps_and_sections = 33;
    constexpr std::size_t some[] = {9, long_memory, 13, 11, 21, 10, of_taps_and_sections};
    std::vector<RecursiveCase> cases;
    for (std::size_t i = 0; i < 3 * std::size(shapes); ++i) {
        RecursiveCase test;
        test.kernel = "recursive_whole";
        const auto [lanes, chunks, channels] = shapes[i % std::size(shapes)];
        test.config = {{"LANES", lanes}, {"CHUNKS", chunks}};
        test.filter = some[i % std::size(some)];
        take_turn(test, i + i / std::size(shapes));
        test.channels = channels;
        const int full = 16 * chunks;
        const int lengths[] = {full, full - 5, full - 16, full - 35, full / 2 + 3};
        test.width = lengths[i % std::size(lengths)];
        test.height = lengths[(i + 2) % std::size(lengths)];
        cases.push_back(test);
    }
    return cases;
}

// Lines of several blocks whose memories are longer than a block, so that they are walked backwards first, and others.
std::vector<RecursiveCase> long_blocks() {
    const std::pair<int, int> shapes[] = {{1, 32}, {4, 256}, {2, 256}};
    constexpr std::size_t long_memory = 22;
    constexpr std::size_t some[] = {long_memory, 9, long_memory, 13};
    std::vector<RecursiveCase> cases;
    for (std::size_t i = 0; i < 3 * std::size(some); ++i) {
        RecursiveCase test;
        test.kernel = "recursive_strips";
        const auto [wide, block] = shapes[i % std::size(shapes)];
        test.config = {{"WIDE", wide}, {"BLOCK", block}};
        test.filter = some[i % std::size(some)];
        take_turn(test, i);
        test.channels = i % 4 == 3 ? 3 : 1;
        test.width = 2 * block + (i % 2 == 0 ? 64 : 21);
        test.height = 2 * block + 5 + static_cast<int>(i % 3);
        cases.push_back(test);
    }
    return cases;
}

std::vector<RecursiveCase> pairwise_of(const std::string &kernel) {
    if (kernel == "recursive_segments")
        return long_lines(64 * 15);
    std::vector<RecursiveCase> cases = pairwise_filters(kernel, {100000, 100000,
                                                                 kernel == "recursive_lookback" ? 2
                                                                 : is_of_planes(kernel)         ? 8
                                                                                        : 6});
    std::vector<RecursiveCase> more;
    if (kernel == "recursive_strips")
        more = long_blocks();
    else if (kernel == "recursive_look")
        more = looks_ahead();
    else if (kernel == "recursive_whole")
        more = whole_lines();
    cases.insert(cases.end(), more.begin(), more.end());
    return sample_of(cases);
}

// Cases that a simulator can afford.
std::vector<RecursiveCase> small_cases_of(const std::string &kernel) {
    if (kernel == "recursive_segments") {
        std::vector<RecursiveCase> cases = long_lines(64 * 7);
        cases.resize(3);
        return cases;
    }
    if (kernel == "recursive_lookback")
        return sample_of(small_lookback());
    if (kernel == "recursive_look") {
        std::vector<RecursiveCase> cases = looks_ahead();
        cases.resize(6);
        return sample_of(cases);
    }
    if (kernel == "recursive_whole") {
        std::vector<RecursiveCase> cases = whole_lines();
        cases.resize(3);
        return sample_of(cases);
    }
    const bool is_plain = kernel == "recursive_plain";
    const int kinds = is_plain                       ? 6
                      : kernel == "recursive_strips" ? 5
                      : is_of_planes(kernel)         ? 2
                                                     : 3;
    return sample_of(
        of_small_groups(pairwise_filters(kernel, {is_plain ? 40 : 70, 100000, kinds})));
}

// Those for lines, and those for planes.
std::vector<std::string> kernels() {
    std::vector<std::string> all = support::kernels_under_test<RecursivePass>();
    for (const std::string &kernel : support::kernels_under_test<RecursivePlanePass>())
        all.push_back(kernel);
    return all;
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("recursive kernels: pairwise") {
        for (const std::string &kernel : kernels())
            run_all(pairwise_of(kernel));
    }
}

TEST_SUITE("full product" * doctest::skip()) {
    TEST_CASE("recursive kernels: all") {
        for (const std::string &kernel : kernels())
            run_all(share_of(kernel == "recursive_segments" ? long_lines(256 * 255)
                                                            : all_filters(kernel)));
    }
}

TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("recursive kernels: small") {
        for (const std::string &kernel : kernels())
            run_all(small_cases_of(kernel));
    }
}

namespace {

// A difference by passes of both filters: two, each on a kernel of its own; or one; or six of boxes.
struct DifferenceCase : ImageCase {
    std::string variant;
    double sigma = 0.0, other_sigma = 0.0;

    Filter filter() const {
        const bool is_box = variant.find("box_") == 0;
        return Filter::dog(sigma, other_sigma,
                           is_box ? GaussianMethod::box : GaussianMethod::recursive);
    }
};

// The samples that matter to one lie within one chunk, several chunks, or more than a tile; and not as far
// for one filter as for the other.
constexpr std::pair<double, double> sigmas[] = {{1.6, 1.2}, {2.5, 5.0}, {30.0, 3.0}};

const char *const variants_of_both[] = {
    "recursive_plain:GROUP=16",
    "recursive_strips:WIDE=1,BLOCK=32",
    "recursive_strips:WIDE=4,BLOCK=256",
    "recursive_fused_strips:STRIP=128,BAND=64",
    "recursive_tiled:LANES=4,CHUNKS=16,APRON=50,NEAR=1",
    "recursive_tiled:LANES=1,CHUNKS=32,APRON=0,NEAR=0; "
    "recursive_tiled:LANES=16,CHUNKS=4,APRON=0,NEAR=0",
    "recursive_tiled:LANES=2,CHUNKS=32,APRON=50,NEAR=0; recursive_march:LANES=16,CHUNKS=8,ROWS=512",
    "recursive_tiled:LANES=16,CHUNKS=4,APRON=0,NEAR=1; recursive_march:LANES=32,CHUNKS=4,ROWS=512",
    "recursive_tiled:LANES=1,CHUNKS=32,APRON=0,NEAR=0,EXCHANGE=1; "
    "recursive_tiled:LANES=16,CHUNKS=4,APRON=0,NEAR=0,EXCHANGE=1",
};

// Variants whose groups a simulator can afford.
const char *const small_variants[] = {
    "recursive_plain:GROUP=16",
    "recursive_strips:WIDE=1,BLOCK=32",
    "recursive_tiled:LANES=4,CHUNKS=16,APRON=50,NEAR=1; "
    "recursive_march:LANES=16,CHUNKS=4,ROWS=512",
    "recursive_tiled:LANES=16,CHUNKS=4,APRON=0,NEAR=0",
};

const char *const variants_of_boxes[] = {"box_plain",   "box_strips", "box_tiled",
                                         "box_columns", "box_march",  "box_axes"};

// Sizes are at the edges of tiles and blocks of 64 and 256 samples, and of strips of 16 and 64 lines.
const std::pair<int, int> edges[] = {{1, 1}, {64, 16}, {65, 257}, {16, 64}, {255, 65}, {513, 17}};

template <class Variants, class Sizes>
std::vector<DifferenceCase> differences(const Variants &variants, const Sizes &sizes) {
    const std::vector<std::pair<int, int>> all(std::begin(sizes), std::end(sizes));
    std::vector<int> counts = image_counts(all.size());
    const std::size_t image = counts.size();
    counts.push_back(static_cast<int>(std::size(variants)));
    counts.push_back(static_cast<int>(std::size(sigmas)));
    std::vector<DifferenceCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        DifferenceCase test;
        static_cast<ImageCase &>(test) = image_of(row, all);
        test.variant = variants[static_cast<std::size_t>(row[image])];
        std::tie(test.sigma, test.other_sigma) = sigmas[static_cast<std::size_t>(row[image + 1])];
        cases.push_back(test);
    }
    return cases;
}

void run_all(const std::vector<DifferenceCase> &cases) {
    Tally tally;
    for (const DifferenceCase &test : cases) {
        INFO(test.variant, " ", test.name(), " ", gz::to_text(test.filter()));
        CHECK(run(test.filter(), test, test.variant, tally) == "");
    }
    // A march does not go far, columns are of one channel, and GPUs have little local memory.
    const int times = engine()->facts().is_cpu() ? 2 : 1;
    CHECK((tally.ran > times * tally.misfits || support::is_shared()));
    MESSAGE(tally.ran, " cases on ", engine()->facts().name, ", ", tally.misfits,
            " that do not fit it; the worst error is ", tally.worst, " of its bound");
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("differences of two filters at once: pairwise") {
        run_all(sample_of(differences(variants_of_both, edges)));
    }

    TEST_CASE("differences by boxes of two filters at once: pairwise") {
        run_all(sample_of(differences(
            variants_of_boxes, std::vector<std::pair<int, int>>{{1, 1}, {65, 257}, {513, 17}})));
    }

    // The second filter's results are added to those of the first in the target, which is of f32.
    TEST_CASE("differences of two filters at once: added in the target") {
        Tally tally;
        std::size_t turn = 0;
        for (std::size_t i = 0; i < std::size(edges); ++i)
            for (std::size_t j = i % 2; j < std::size(gz::all_border_modes); j += 2) {
                DifferenceCase test;
                std::tie(test.width, test.height) = edges[i];
                test.border = gz::all_border_modes[j];
                test.border_value = 0.625;
                test.src_type = all_types[turn % 5];
                test.dst_type = PixelType::f32;
                test.channels = turn % 4 == 3 ? 3 : 1;
                test.layout = all_layouts[turn % 3];
                test.region = all_regions[turn % 3];
                test.variant = turn % 2 == 0 ? "recursive_fused_sums:LANES=128,ROWS=64,SPARE=1"
                                             : "recursive_fused_sums:LANES=128,ROWS=64,SPARE=0";
                std::tie(test.sigma, test.other_sigma) =
                    turn % 2 == 0 ? std::pair(5.0, 8.0) : std::pair(6.0, 1.2);
                INFO(test.variant, " ", test.name());
                CHECK(run(test.filter(), test, test.variant, tally) == "");
                ++turn;
            }
        CHECK(tally.ran > 0);
        CHECK((tally.ran > tally.misfits || support::is_shared()));
        MESSAGE(tally.ran, " cases, the worst error is ", tally.worst, " of its bound");
    }

    // PoCL's optimiser broke the launch that publishes what tiles leave: it stored beyond its region.
    TEST_CASE("a launch that publishes stores nothing") {
        Tally tally;
        for (const auto &[width, height, region] :
             {std::tuple(255, 65, all_regions[0]), std::tuple(65, 257, all_regions[1])}) {
            DifferenceCase test;
            test.width = width;
            test.height = height;
            test.channels = 2;
            test.region = region;
            test.src_type = PixelType::u8;
            test.dst_type = PixelType::f32;
            test.variant = "recursive_tiled:LANES=1,CHUNKS=32,APRON=0,NEAR=0,EXCHANGE=1; "
                           "recursive_tiled:LANES=16,CHUNKS=4,APRON=0,NEAR=0,EXCHANGE=1";
            std::tie(test.sigma, test.other_sigma) = sigmas[2];
            INFO(test.variant, " ", test.name());
            CHECK(run(test.filter(), test, test.variant, tally) == "");
        }
        CHECK(tally.ran == 2);
    }

    TEST_CASE("a difference of two filters at once: as of each by itself") {
        PlanDesc desc;
        desc.source = desc.target = make_image(PixelType::f32, {130, 70, 1, 1});
        desc = complete(desc);
        std::minstd_rand random(3);
        const std::vector<std::byte> source = make_source(desc, random);
        const std::vector<std::byte> before = make_target(desc, random);
        const Filter dog = Filter::dog(2.0, 5.0, GaussianMethod::recursive);
        const auto values = [&](const std::string &variant, std::size_t passes,
                                const std::string &how, const std::string &bytes) {
            const Plan plan(engine(), dog, desc, variant);
            INFO(plan.explain());
            CHECK(plan.pipeline().passes() == passes);
            CHECK(plan.explain().find("filters: " + how) != std::string::npos);
            CHECK(plan.explain().find(bytes + " bytes per pixel") != std::string::npos);
            const std::vector<std::byte> got = run_forced(dog, desc, variant, source, before);
            std::vector<float> result(got.size() / sizeof(float));
            std::memcpy(result.data(), got.data(), got.size());
            return result;
        };
        const std::vector<float> both = values("recursive_plain", 2, "both at once; 2 trips", "24");
        const std::vector<float> each =
            values(gz::filter_by_filter, 5, "each by itself; 5 trips", "44");
        CHECK(support::largest_difference(both, each) <= 2 * dog.rounding_bound(1.0));
        const std::vector<float> sums = values("recursive_fused_sums:LANES=128,ROWS=64,SPARE=1", 1,
                                               "both at once; 2 trips", "20");
        CHECK(support::largest_difference(sums, each) <= 2 * dog.rounding_bound(1.0));
        if (runs_strips()) {
            const std::vector<float> at_once =
                values("recursive_fused_strips", 1, "both at once; 1 trip", "8");
            CHECK(support::largest_difference(at_once, each) <= 2 * dog.rounding_bound(1.0));
        }
    }
}
TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("differences of two filters at once: small") {
        const std::vector<std::pair<int, int>> sizes{{1, 1}, {70, 18}};
        std::vector<DifferenceCase> cases = differences(small_variants, sizes);
        cases.resize(std::min<std::size_t>(cases.size(), 16));
        run_all(sample_of(cases));
        cases = differences(variants_of_boxes, sizes);
        cases.resize(std::min<std::size_t>(cases.size(), 16));
        run_all(sample_of(cases));
    }
}
