// Every kernel of summed-area tables against the reference in double: integers exact modulo their
// range, floats within the bound of each entry.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "core/error.hpp"
#include "families/family.hpp"
#include "families/reference.hpp"
#include "plan/plan.hpp"
#include "plan/verify.hpp"
#include "support/correlate_case.hpp"
#include "support/pairwise.hpp"
#include "support/passes.hpp"
#include "support/several_tiles.hpp"
#include "support/under_test.hpp"

namespace {

using namespace gz;
using namespace support;

struct SatCase : ImageCase {
    std::string kernel;
    Config config;

    std::string variant() const { return kernel + ":" + gz::to_text(config); }
};

enum class Sums { usual, other };

// The type in which sums of the type are kept, unless others are asked for; or one of the others.
PixelType sum_type(PixelType type, Sums sums) {
    const bool is_usual = sums == Sums::usual;
    switch (type) {
    case PixelType::u8:
        return is_usual ? PixelType::u32 : PixelType::u64;
    case PixelType::u16:
        return is_usual ? PixelType::u32 : PixelType::f32;
    case PixelType::s16:
        return is_usual ? PixelType::s32 : PixelType::f32;
    default:
        return PixelType::f32;
    }
}

// "" if what a kernel made of the source is right.
std::string check(const PlanDesc &desc, const std::vector<std::byte> &source,
                  const std::vector<std::byte> &before, const std::vector<std::byte> &got,
                  Tally &tally) {
    if (const std::string where = written_outside(before, got, desc); !where.empty())
        return where;
    const Plan plan(engine(), Filter::sat(), desc, "sat_plain");
    const Verification result =
        verify(plan, {{source.data(), source.size()}}, {{got.data(), got.size()}});
    if (result.worst_error > 0.0)
        tally.worst = std::max(tally.worst, result.worst_error / result.bound);
    if (!(result.worst_error <= result.bound))
        return text("error ", result.worst_error, " over the bound ", result.bound, " at x ",
                    result.worst_at[0], " y ", result.worst_at[1], " z ", result.worst_at[2],
                    " plane ", result.worst_at[4], " channel ", result.worst_at[5]);
    return "";
}

std::string run(const SatCase &test, Tally &tally) {
    std::minstd_rand random(7);
    const PlanDesc desc = make_plan_desc(test, Results::sums);
    const std::vector<std::byte> source = make_source(desc, random);
    const std::vector<std::byte> before = make_target(desc, random);
    const std::vector<std::byte> got =
        run_forced(Filter::sat(), desc, test.variant(), source, before);
    if (got.empty()) {
        ++tally.misfits;
        return "";
    }
    ++tally.ran;
    return check(desc, source, before, got, tally);
}

void run_all(const std::vector<SatCase> &cases) {
    Tally tally;
    for (const SatCase &test : cases) {
        INFO(test.variant(), " ", test.name());
        CHECK(run(test, tally) == "");
    }
    CHECK((tally.ran > 0 || support::is_shared()));
    MESSAGE(tally.ran, " cases on ", engine()->facts().name, ", ", tally.misfits,
            " that do not fit it; the worst error is ", tally.worst, " of its bound");
}

gz::Kernel spec_of(const std::string &kernel) {
    const auto kernels = support::kernels_of(SatPass(), DeviceClass::other_gpu);
    return *std::find_if(kernels.begin(), kernels.end(),
                         [&](const auto &k) { return k.name == kernel; });
}

// A case for a kernel that makes tables of floats alone, sat_march of one channel and sat_ahead of up to two.
void make_float_table(SatCase &test) {
    if (test.src_type == PixelType::u8)
        test.src_type = PixelType::u16;
    test.dst_type = PixelType::f32;
    test.channels = std::min(test.channels, test.kernel == "sat_march" ? 1 : 2);
}
// Kernels whose tiles add up what they need of all others.
bool gathers(const std::string &kernel) {
    return kernel == "sat_once" || kernel == "sat_gather";
}
bool makes_floats_alone(const std::string &kernel) {
    return kernel == "sat_march" || kernel == "sat_ahead";
}

// A case for each pair of parameter values; images up to the limits.
std::vector<SatCase> pairwise_tables(const std::string &kernel, const Limits &limits) {
    const gz::Kernel spec = spec_of(kernel);
    const std::vector<std::pair<int, int>> sizes = pairwise_sizes(limits);
    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    for (const Tunable &tunable : spec.tunables)
        counts.push_back(static_cast<int>(tunable.values.size()));
    std::vector<SatCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        SatCase test;
        static_cast<ImageCase &>(test) = image_of(row, sizes);
        test.dst_type = sum_type(test.src_type, row[1] ? Sums::other : Sums::usual);
        test.border = BorderMode::zero;
        test.kernel = kernel;
        if (makes_floats_alone(kernel))
            make_float_table(test);
        for (std::size_t i = 0; i < spec.tunables.size(); ++i)
            test.config[spec.tunables[i].name] =
                spec.tunables[i].values[static_cast<std::size_t>(row[image + i])];
        cases.push_back(test);
    }
    return cases;
}

// Every configuration x type x size, the other parameters in turn.
std::vector<SatCase> all_tables(const std::string &kernel) {
    std::vector<SatCase> cases;
    std::size_t turn = 0;
    std::vector<std::pair<int, int>> sizes = all_sizes();
    sizes.insert(sizes.end(), {{1030, 259}, {259, 1030}});
    for (const Config &config : all_configs(spec_of(kernel).tunables))
        for (const PixelType type : all_types)
            for (const auto &size : sizes) {
                SatCase test;
                test.kernel = kernel;
                test.config = config;
                test.src_type = type;
                test.dst_type = sum_type(type, turn % 4 == 3 ? Sums::other : Sums::usual);
                test.channels = turn % 2 == 0 ? 1 : static_cast<int>(turn / 2 % 4) + 1;
                test.planes = turn % 5 == 4 ? 3 : 1;
                test.slices = turn % 7 == 6 ? 2 : 1;
                std::tie(test.width, test.height) = size;
                test.border = BorderMode::zero;
                test.region = all_regions[turn % 3];
                test.layout = all_layouts[turn / 3 % 3];
                if (makes_floats_alone(kernel))
                    make_float_table(test);
                cases.push_back(test);
                ++turn;
            }
    return cases;
}

SatCase table(const std::string &kernel, PixelType type, int width, int height) {
    SatCase test;
    test.kernel = kernel;
    test.src_type = type;
    test.dst_type = sum_type(type, Sums::usual);
    test.border = BorderMode::zero;
    std::tie(test.width, test.height) = std::pair(width, height);
    return test;
}

// Returns the kernel's table of a source that holds `pixel` everywhere, but `other` at a place.
template <class Pixel>
std::string run_constant(const SatCase &test, Pixel pixel, std::size_t place, Pixel other) {
    const PlanDesc desc = make_plan_desc(test, Results::sums);
    std::vector<Pixel> pixels(static_cast<std::size_t>(test.width * test.height), pixel);
    pixels[place] = other;
    std::vector<std::byte> source(static_cast<std::size_t>(desc.source.bytes()));
    std::memcpy(source.data() + desc.source.offset, pixels.data(), pixels.size() * sizeof(Pixel));
    std::minstd_rand random(7);
    const std::vector<std::byte> before = make_target(desc, random);
    Tally tally;
    return check(desc, source, before, run_forced(Filter::sat(), desc, test.kernel, source, before),
                 tally);
}

// Sums that pass 2^32 and come back, and pixels whose sums are not numbers.
void run_extremes(const std::string &kernel) {
    if (!makes_floats_alone(kernel)) {
        const SatCase positive = table(kernel, PixelType::u16, 301, 517);
        CHECK(run_constant<std::uint16_t>(positive, 65535, 0, 65535) == "");
        const SatCase negative = table(kernel, PixelType::s16, 517, 301);
        CHECK(run_constant<std::int16_t>(negative, -32768, 5, 32767) == "");
    }
    const SatCase floats = table(kernel, PixelType::f32, 301, 217);
    for (const float other :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
        CHECK(run_constant(floats, 1.0F, 80 * 301 + 150, other) == "");
}

// Images of several tiles, strips or bands. sat_before goes round once for each 128 tiles, and sat_left for
// each 1024 rows: a tall image and a wide one go round both loops three times and more.
std::vector<SatCase> tables_of_several_tiles(const std::string &kernel) {
    struct Program {
        PixelType src, dst;
        int channels;
        Layout layout;
        std::vector<std::pair<int, int>> sizes;
    };
    constexpr PixelType u8 = PixelType::u8, u16 = PixelType::u16, u32 = PixelType::u32,
                        f32 = PixelType::f32;
    constexpr Layout padded = Layout::padded_aligned, odd = Layout::odd_offset_and_pitch;
    std::vector<Program> programs;
    Config config;
    if (kernel == "sat_tiled") {
        config = {{"LANES", 16}, {"STACKED", 4}, {"ROWS", 4}};
        programs = {{u8, u32, 1, padded, {{197, 53}, {256, 48}, {70, 4200}, {16500, 19}}},
                    {f32, f32, 1, odd, {{197, 53}, {37, 4200}}},
                    {u16, f32, 3, padded, {{80, 53}, {64, 48}, {160, 53}}},
                    {u8, u32, 3, odd, {{80, 53}}},
                    {u8, PixelType::u64, 3, padded, {{160, 53}}},
                    {u8, u32, 2, padded, {{101, 53}, {8230, 19}}}};
    } else if (gathers(kernel)) {
        config = {{"LANES", 16}, {"STACKED", 4}, {"ROWS", 4}};
        programs = {{u8, u32, 1, padded, {{197, 53}, {256, 48}, {70, 700}, {2600, 75}}},
                    {f32, f32, 1, odd, {{197, 53}, {1300, 90}}},
                    {u16, f32, 3, padded, {{80, 53}, {64, 48}, {160, 53}}},
                    {u8, u32, 3, odd, {{80, 53}}},
                    {u8, PixelType::u64, 3, padded, {{160, 53}}},
                    {u8, u32, 2, padded, {{101, 53}}}};
    } else if (makes_floats_alone(kernel)) {
        config = {{"LANES", 16}, {"STACKED", 4}, {"ROWS", 4}};
        programs = {{f32, f32, 1, padded, {{1300, 75}, {1024, 64}, {70, 200}}},
                    {u16, f32, 1, odd, {{1300, 75}}}};
        if (kernel == "sat_ahead")
            programs.insert(programs.end(), {{f32, f32, 2, padded, {{650, 75}, {33, 200}}},
                                             {u16, f32, 2, odd, {{650, 75}}}});
    } else if (kernel == "sat_strips") {
        config = {{"BAND", 16}};
        programs = {{u8, u32, 1, padded, {{197, 75}, {256, 64}}}, {f32, f32, 2, odd, {{99, 75}}}};
    } else {
        return {};
    }
    std::vector<SatCase> cases;
    for (const Program &program : programs)
        for (const auto &[width, height] : program.sizes)
            for (const RegionKind region : {RegionKind::whole, RegionKind::neighbours}) {
                // Where a region is cut from an image, the pixels left of it and above are summed too.
                SatCase test;
                static_cast<ImageCase &>(test) =
                    image_of_tiles(program.src, program.dst, program.channels, width, height,
                                   region, program.layout);
                test.border = BorderMode::zero;
                test.kernel = kernel;
                test.config = config;
                cases.push_back(test);
            }
    return cases;
}

void check_refuses_more_channels(const std::string &kernel) {
    SatCase test = table(kernel, PixelType::f32, 64, 64);
    test.channels = kernel == "sat_march" ? 2 : 3;
    const SatPass pass = lower_sat(make_plan_desc(test, Results::sums));
    CHECK(spec_of(kernel).refusal(pass, {{"LANES", 16}, {"STACKED", 4}, {"ROWS", 4}}) ==
          text(test.channels, " channels"));
}

void run_several_tiles(const std::string &kernel) {
    const gz::Kernel spec = spec_of(kernel);
    TileCoverage coverage;
    const std::vector<SatCase> cases = tables_of_several_tiles(kernel);
    run_all(cases);
    std::int64_t most_columns = 0, most_bands = 0;
    int vectors_of_three = 0, vectors_beside_others = 0;
    for (const SatCase &test : cases) {
        const SatPass pass = lower_sat(make_plan_desc(test, Results::sums));
        CHECK(spec.refusal(pass, test.config) == "");
        coverage.count_groups(spec.work(pass, test.config, engine()->facts()));
        most_columns = std::max(most_columns, pass.summed_values());
        most_bands = std::max(most_bands, pass.summed_rows());
        if (test.channels == 3 &&
            spec.details(pass, test.config).find(", aligned vectors") != std::string::npos) {
            ++vectors_of_three;
            vectors_beside_others += test.region != RegionKind::whole ? 1 : 0;
        }
    }
    const int tile_x = 16 * 4, tile_y = 4 * 4;
    if (gathers(kernel) || kernel == "sat_tiled") {
        CHECK(vectors_of_three > 0);
        CHECK(vectors_beside_others > 0); // where pixels left of a region are summed too
    }
    if (gathers(kernel)) {
        // It goes round once for each RUNS tiles of a band, and for each 4 bands.
        CHECK(most_columns > 2 * 16 * tile_x);
        CHECK(most_bands > 2 * 4 * tile_y);
    }
    if (kernel == "sat_tiled") {
        constexpr int round = 128; // tiles that sat_before takes at a time
        CHECK(most_columns > 2 * round * tile_x);
        CHECK(most_bands > 2 * round * tile_y);
        CHECK(most_bands > 2 * 64 * 16); // sat_left: 16 rows of each of 64 items
    }
    MESSAGE(coverage.text());
}

// A simulator takes seconds over groups of many items.
std::vector<SatCase> of_small_groups(std::vector<SatCase> cases) {
    cases.erase(std::remove_if(cases.begin(), cases.end(),
                               [](const SatCase &test) {
                                   const auto lanes = test.config.find("LANES");
                                   return lanes != test.config.end() &&
                                          lanes->second * test.config.at("STACKED") > 64;
                               }),
                cases.end());
    constexpr std::size_t most = 12;
    cases.resize(std::min(cases.size(), most));
    return cases;
}

// Adds cases that few small ones may lack: tiles whose rows are several runs, which items of a row add up
// together, pixels of several channels, one after the other in the same local memory, and so many tiles that
// sat_before and sat_left loop twice. Memory ends with the last pixel: a simulator sees what is read after it.
std::vector<SatCase> with_shared_rows(const std::string &kernel, std::vector<SatCase> cases) {
    struct Shape {
        int channels, width, height;
    };
    std::vector<Shape> shapes;
    if (kernel == "sat_tiled")
        shapes = {{2, 40, 20}, {3, 40, 20}, {1, 8, 2070}};
    if (gathers(kernel))
        shapes = {{2, 70, 40}, {3, 50, 36}, {1, 200, 36}};
    for (const Shape &shape : shapes) {
        SatCase test;
        static_cast<ImageCase &>(test) =
            image_of_tiles(PixelType::u8, PixelType::u32, shape.channels, shape.width, shape.height,
                           RegionKind::whole, Layout::tight);
        test.border = BorderMode::zero;
        test.kernel = kernel;
        test.config = {{"LANES", 16}, {"STACKED", 4}, {"ROWS", 4}};
        cases.push_back(test);
    }
    return cases;
}

std::vector<std::string> kernels() {
    return support::kernels_under_test<SatPass>();
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("sat kernels: pairwise") {
        for (const std::string &kernel : kernels()) {
            run_all(sample_of(pairwise_tables(kernel, {})));
            run_extremes(kernel);
        }
    }

    // Kernels whose items share tiles, or go along strips and bands, need images of several tiles.
    TEST_CASE("sat kernels: several tiles") {
        for (const std::string &kernel : kernels())
            if (kernel != "sat_plain") {
                run_several_tiles(kernel);
                if (makes_floats_alone(kernel))
                    check_refuses_more_channels(kernel);
            }
    }
}

TEST_SUITE("full product" * doctest::skip()) {
    TEST_CASE("sat kernels: all") {
        for (const std::string &kernel : kernels())
            run_all(share_of(all_tables(kernel)));
    }
}

TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("sat kernels: small") {
        for (const std::string &kernel : kernels()) {
            const int image = makes_floats_alone(kernel) || kernel == "sat_strips" ? 70 : 40;
            run_all(with_shared_rows(kernel, sample_of(of_small_groups(pairwise_tables(
                                                 kernel, {image, 100000, 100000})))));
        }
    }
}
