// Filters along z and t: every kernel against the references, bit for bit where there is an order of
// operations.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "core/error.hpp"
#include "families/family.hpp"
#include "families/reference.hpp"
#include "plan/plan.hpp"
#include "plan/verify.hpp"
#include "support/difference.hpp"
#include "support/image_case.hpp"
#include "support/under_test.hpp"

namespace {

using namespace gz;
using namespace support;

struct VolumeCase {
    PixelType src_type, dst_type;
    int channels, planes;
    Axes extent;
    BorderMode border;
    RegionKind region;
    int padding; // bytes of a row
};

std::vector<double> random_taps(std::int64_t count, std::minstd_rand &random) {
    std::vector<double> taps(static_cast<std::size_t>(count));
    for (double &tap : taps)
        tap = (static_cast<double>(random() % 2000) - 900.0) / 1000.0 /
              std::sqrt(static_cast<double>(count));
    return taps;
}

Filter dense(const Axes &size, const Axes &anchor) {
    std::minstd_rand random(5);
    return Filter::correlate(
        {size, anchor, random_taps(size[0] * size[1] * size[2] * size[3], random)});
}

Filter separable(const Axes &size, std::optional<Axes> anchor) {
    std::minstd_rand random(6);
    AxisTaps taps;
    for (std::size_t axis = 0; axis < 4; ++axis)
        if (size[axis] > 0)
            taps.values[axis] = random_taps(size[axis], random);
    taps.anchor = anchor;
    return Filter::separable(taps);
}

// A region in the middle of a larger source; NaN or the largest value is around it where the region is
// isolated.
PlanDesc describe(const VolumeCase &test) {
    PlanDesc desc;
    const bool is_whole = test.region == RegionKind::whole;
    desc.source.type = test.src_type;
    desc.source.channels = test.channels;
    desc.source.planes = test.planes;
    desc.region.extent = test.extent;
    desc.source.extent = test.extent;
    for (std::size_t axis = 0; axis < 4 && !is_whole; ++axis) {
        const std::int64_t before = axis < 2 ? 3 : 1;
        desc.region.source_origin[axis] = before;
        desc.source.extent[axis] += before + 2;
    }
    const auto pixel = static_cast<std::int64_t>(size_of(test.src_type)) * test.channels;
    desc.source.pitch[1] = desc.source.extent[0] * pixel +
                           test.padding * static_cast<std::int64_t>(size_of(test.src_type));
    desc.target = desc.source;
    desc.target.type = test.dst_type;
    desc.target.pitch = {0, 0, 0, 0};
    desc.region.target_origin = desc.region.source_origin;
    desc.region.edge =
        test.region == RegionKind::neighbours ? RegionEdge::neighbours : RegionEdge::isolated;
    desc.border = {test.border, 0.625};
    if ((test.channels + static_cast<int>(test.border)) % 3 == 0)
        desc.store = Store::truncate;
    return complete(desc);
}

struct Counts {
    int ran = 0, misfits = 0;
};

void check_bits(const Filter &filter, const VolumeCase &test, const std::string &variant,
                Counts &counts) {
    const PlanDesc desc = describe(test);
    std::minstd_rand random(9);
    const std::vector<std::byte> source = make_source(desc, random);
    const std::vector<std::byte> before = make_target(desc, random);
    const std::vector<std::byte> got = run_forced(filter, desc, variant, source, before);
    if (got.empty()) {
        ++counts.misfits;
        return;
    }
    ++counts.ran;
    CHECK(written_outside(before, got, desc) == "");
    std::vector<std::byte> expected = before;
    const ReferenceJob job{filter, desc.source, desc.border, desc.region, source.data()};
    compute_in_f32(
        job, [&](const RowPlace &at, const float *row) { store_row(desc, at, row, expected); });
    CHECK(first_difference(expected, got, desc) == "");
}

using Extents = std::vector<Axes>;
const Extents all_extents{{1, 1, 1, 1}, {7, 5, 3, 1}, {37, 9, 11, 1}, {33, 6, 5, 4}, {5, 3, 17, 2}};

// Filters x images, the other parameters in turn.
void for_all(const std::vector<Filter> &filters, const Extents &extents,
             const std::function<void(const Filter &, const VolumeCase &)> &check) {
    std::size_t turn = 0;
    for (const Filter &filter : filters)
        for (const Axes &extent : extents)
            for (const RegionKind region : all_regions) {
                VolumeCase test;
                test.src_type = all_types[turn % 5];
                test.dst_type = turn % 3 == 2 ? all_types[turn / 3 % 5] : test.src_type;
                test.channels = turn % 4 == 3 ? 3 : 1;
                test.planes = turn % 7 == 6 ? 2 : 1;
                test.extent = extent;
                test.border = all_border_modes[turn % 5];
                test.region = region;
                test.padding = turn % 2 == 0 ? 0 : 5;
                INFO(to_text(filter), " of ", to_text(extent), " ", name_of(test.src_type), "->",
                     name_of(test.dst_type), " x", test.channels, " planes ", test.planes, " ",
                     name_of(test.border), " region ", static_cast<int>(region));
                check(filter, test);
                ++turn;
            }
}

gz::Kernel kernel_named(const std::string &name) {
    return *gz::find_kernel(gz::VolumePass(), name);
}

// A kernel, and what it can filter.
struct Family {
    gz::Kernel spec;
    std::vector<Filter> filters;
    Config small; // that fits small devices, in part
};

std::vector<Filter> dense_filters() {
    return {dense({3, 3, 3, 1}, {1, 1, 1, 0}), dense({5, 5, 5, 1}, {2, 4, 0, 0}),
            dense({3, 3, 3, 3}, {1, 0, 2, 1}), dense({7, 7, 1, 7}, {3, 3, 0, 3}),
            dense({1, 1, 5, 1}, {0, 0, 4, 0}), dense({4, 2, 3, 2}, {0, 1, 2, 0}),
            dense({2, 1, 1, 3}, {1, 0, 0, 1}), dense({15, 3, 7, 1}, {14, 0, 3, 0})};
}

std::vector<Filter> cubes() {
    return {dense({3, 3, 3, 1}, {1, 1, 1, 0}), dense({5, 5, 5, 1}, {2, 4, 0, 0}),
            dense({7, 7, 7, 1}, {0, 3, 6, 0})};
}

std::vector<Filter> cubes_along_t() {
    return {dense({3, 3, 3, 3}, {1, 1, 1, 1}), dense({3, 3, 3, 3}, {1, 0, 2, 0})};
}

std::vector<Filter> separable_filters() {
    return {separable({3, 3, 3, 0}, std::nullopt), separable({2, 5, 4, 0}, Axes{0, 4, 1, 0}),
            separable({0, 7, 6, 0}, std::nullopt), separable({7, 0, 2, 0}, std::nullopt),
            separable({9, 8, 9, 0}, std::nullopt)};
}

// Fewer sizes, as each size of taps is a program.
std::vector<Filter> several_dense() {
    return {dense({3, 3, 3, 1}, {1, 1, 1, 0}), dense({4, 2, 3, 2}, {0, 1, 2, 0})};
}
std::vector<Filter> several_cubes() {
    return {dense({3, 3, 3, 1}, {1, 1, 1, 0})};
}
std::vector<Filter> several_separable() {
    return {separable({3, 3, 3, 0}, std::nullopt), separable({2, 5, 4, 0}, Axes{0, 4, 1, 0})};
}

// The number of configurations that each case is run in.
enum class Take { all, in_turn, small, small_in_every_share };

void run_family(const Family &family, const Extents &extents, Take take) {
    Counts counts;
    const std::vector<Config> configs = all_configs(family.spec.tunables);
    std::size_t turn = 0;
    std::size_t number = 0;
    const auto run = [&](const Filter &filter, const VolumeCase &test, const Config &config) {
        if (take == Take::small_in_every_share || is_of_share(number++))
            check_bits(filter, test, family.spec.name + ":" + gz::to_text(config), counts);
    };
    for_all(family.filters, extents, [&](const Filter &filter, const VolumeCase &test) {
        // A step without a common divisor goes round all of them.
        turn += 7;
        if (take == Take::small || take == Take::small_in_every_share)
            run(filter, test, family.small);
        else if (take == Take::in_turn)
            run(filter, test, configs[turn % configs.size()]);
        else
            for (const Config &config : configs)
                run(filter, test, config);
    });
    CHECK((counts.ran > 0 || support::is_shared()));
    MESSAGE(counts.ran, " cases, ", counts.misfits, " that do not fit");
}

// The cases of a kernel: filters that it can run, and one configuration that fits small devices.
struct VolumeCases {
    std::vector<Filter> filters;
    Extents extents; // of the pairwise selection
    Config small;
    std::vector<Filter> several_filters;
    Extents several; // three groups and more along each axis, and along z or t of those that march
};

VolumeCases cases_of(const std::string &kernel) {
    const Extents few{{1, 1, 1, 1}, {37, 9, 11, 1}};
    const Extents long_along_z{{101, 13, 37, 1}, {64, 8, 16, 2}};
    if (kernel == "correlate_march")
        return {cubes(),
                few,
                {{"GROUP_X", 8},
                 {"GROUP_Y", 4},
                 {"ITEM_Y", 1},
                 {"FILTERS", 1},
                 {"RING", 2},
                 {"DEPTH", 16}},
                several_cubes(),
                long_along_z};
    if (kernel == "separable_march")
        return {separable_filters(),
                few,
                {{"GROUP_X", 8}, {"GROUP_Y", 4}, {"ITEM_Y", 1}, {"RING", 2}, {"DEPTH", 16}},
                several_separable(),
                long_along_z};
    if (kernel == "correlate_frames")
        return {cubes_along_t(),
                {{1, 1, 1, 1}, {37, 9, 5, 4}},
                {{"GROUP_X", 8}, {"GROUP_Y", 4}, {"ITEM_Y", 1}, {"STACK", 1}, {"DEPTH", 4}},
                cubes_along_t(),
                {{101, 13, 3, 9}, {64, 8, 4, 10}}};
    if (kernel == "volume_strips")
        return {dense_filters(),
                all_extents,
                {{"STRIP", 64}, {"BAND", 16}},
                several_dense(),
                {{101, 9, 7, 1}, {64, 4, 5, 3}}};
    VolumeCases others{dense_filters(),
                       {{7, 5, 3, 1}, {33, 6, 5, 4}},
                       {},
                       several_dense(),
                       {{101, 9, 7, 1}, {33, 4, 5, 3}}};
    if (kernel == "correlate_volume")
        others.small = {{"GROUP_X", 32}, {"GROUP_Y", 1}, {"STACK", 2}};
    else
        for (const gz::Tunable &tunable : kernel_named(kernel).tunables)
            others.small[tunable.name] = tunable.values.front();
    return others;
}

std::vector<std::string> kernels() {
    return support::kernels_under_test<gz::VolumePass>();
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("volume kernels: pairwise") {
        for (const std::string &kernel : kernels()) {
            // Each configuration and each pair of types is a program, whose compilation takes most of the time.
            const VolumeCases cases = cases_of(kernel);
            run_family({kernel_named(kernel), cases.filters, cases.small}, cases.extents,
                       Take::in_turn);
        }
    }

    TEST_CASE("volume kernels: several tiles") {
        for (const std::string &kernel : kernels()) {
            const VolumeCases cases = cases_of(kernel);
            run_family({kernel_named(kernel), cases.several_filters, cases.small}, cases.several,
                       Take::small_in_every_share);
        }
    }
}

TEST_SUITE("full product" * doctest::skip()) {
    TEST_CASE("volume kernels: all") {
        for (const std::string &kernel : kernels())
            run_family({kernel_named(kernel), cases_of(kernel).filters, {}}, all_extents,
                       Take::all);
    }
}

TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("volume kernels: small") {
        for (const std::string &kernel : kernels()) {
            const VolumeCases cases = cases_of(kernel);
            run_family(
                {kernel_named(kernel), {cases.filters.front(), cases.filters.at(1)}, cases.small},
                {{7, 5, 3, 1}}, Take::small);
        }
    }
}

TEST_SUITE("kernels") {
    TEST_CASE("separable volumes") {
        Counts counts;
        const std::vector<Filter> filters{
            separable({3, 3, 3, 0}, std::nullopt), separable({0, 0, 5, 0}, Axes{0, 0, 4, 0}),
            separable({0, 2, 4, 3}, std::nullopt), separable({5, 0, 0, 9}, Axes{0, 0, 0, 8}),
            Filter::gaussian({{1.0, 0.7, 1.3, 0.0}})};
        const std::string variants[] = {"", "correlate_plain", "separable_passes",
                                        "correlate_strips", "separable_fused"};
        std::size_t turn = 0;
        for_all(filters, all_extents, [&](const Filter &filter, const VolumeCase &test) {
            check_bits(filter, test, variants[turn++ % std::size(variants)], counts);
        });
        CHECK(counts.ran > 0);
        MESSAGE(counts.ran, " cases, ", counts.misfits, " that do not fit");
    }

    TEST_CASE("boxes of volumes") {
        const std::vector<Filter> filters{
            Filter::box({{1, 1, 1, 0}, 1}), Filter::box({{0, 0, 9, 0}, 2}),
            Filter::box({{9, 2, 3, 1}, 3}), Filter::box({{0, 0, 0, 2}, 1})};
        int ran = 0;
        for_all(filters, all_extents, [&](const Filter &filter, const VolumeCase &test) {
            const PlanDesc desc = describe(test);
            std::minstd_rand random(9);
            const std::vector<std::byte> source = make_source(desc, random);
            const std::vector<std::byte> before = make_target(desc, random);
            const std::vector<std::byte> got = run_forced(filter, desc, "", source, before);
            REQUIRE_FALSE(got.empty());
            CHECK(written_outside(before, got, desc) == "");
            const ReferenceJob job{filter, desc.source, desc.border, desc.region, source.data()};
            const double bound = filter.error_bound(largest_magnitude(job));
            double worst = 0.0;
            compute_in_double(job, [&](const RowPlace &at, const double *row) {
                const PixelTypeFacts &facts = facts_of(desc.target.type);
                for (std::int64_t x = 0; x < desc.region.extent[0]; ++x)
                    for (std::int64_t c = 0; c < desc.source.channels; ++c) {
                        const double exact = std::clamp(row[x * desc.source.channels + c],
                                                        facts.lowest, facts.highest);
                        const Axes &origin = desc.region.target_origin;
                        const double stored = load_pixel(
                            desc.target.type,
                            got.data() +
                                desc.target.byte_of({x + origin[0], at.y + origin[1],
                                                     at.z + origin[2], at.t + origin[3]},
                                                    at.plane) +
                                c * static_cast<std::int64_t>(size_of(desc.target.type)));
                        const double allowed =
                            bound + storing_error(desc.target.type, std::abs(exact) + bound);
                        worst = std::max(
                            worst,
                            desc.truncates()
                                ? distance_from_truncated(exact, stored, desc.target.type) / bound
                                : difference(stored, exact) / allowed);
                    }
            });
            CHECK(worst <= 1.0);
            ++ran;
        });
        MESSAGE(ran, " cases");
    }
}
