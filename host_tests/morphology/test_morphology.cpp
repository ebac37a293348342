// Every kernel of morphology, and whole filters, against the reference, which rounds what steps store as kernels
// do: the same bits, but for the Laplacian of floats, which has a bound.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "families/family.hpp"
#include "families/morphology/kernels.hpp"
#include "families/reference.hpp"
#include "plan/plan.hpp"
#include "plan/verify.hpp"
#include "support/correlate_case.hpp"
#include "support/pairwise.hpp"
#include "support/passes.hpp"
#include "support/several_tiles.hpp"
#include "support/under_test.hpp"
#include "support/unit.hpp"

namespace {

using namespace gz;
using namespace support;

constexpr MorphologyOperation all_operations[] = {
    MorphologyOperation::erode,    MorphologyOperation::dilate,  MorphologyOperation::open,
    MorphologyOperation::close,    MorphologyOperation::top_hat, MorphologyOperation::black_hat,
    MorphologyOperation::gradient, MorphologyOperation::laplace};

struct StructureCase {
    Window window;
    std::vector<float> weights{};
};

Window box_of(std::int64_t x, std::int64_t y, std::int64_t z = 1) {
    return {{x, y, z, 1}, {x / 2, y / 2, z / 2, 0}, {}};
}

// Weights that differ, and of which some leave the range of the smaller types.
std::vector<float> weights_of(const Window &window) {
    std::vector<float> weights;
    for (std::int64_t i = 0; i < window.volume(); ++i)
        weights.push_back(static_cast<float>((7 * i) % 11 - 3) * 0.375F);
    return weights;
}

StructureCase weighted(Window window) {
    std::vector<float> weights = weights_of(window);
    return {std::move(window), std::move(weights)};
}

// No symmetric one among them: a window that is mirrored where it should not be shows.
Window hook() {
    return {{4, 3, 1, 1}, {3, 0, 0, 0}, {1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1}};
}

std::vector<StructureCase> flat_ones() {
    return {{box_of(3, 3)},
            {hook()},
            {{{4, 3, 1, 1}, {0, 2, 0, 0}, {}}},
            {box_of(1, 1)},
            {box_of(7, 1)},
            // All that counts lies on one side of the anchor.
            {{{3, 3, 1, 1}, {1, 1, 0, 0}, {0, 0, 0, 0, 0, 0, 1, 0, 0}}}};
}

std::vector<StructureCase> weighted_ones() {
    std::vector<StructureCase> result;
    for (const StructureCase &flat : flat_ones())
        result.push_back(weighted(flat.window));
    return result;
}

std::vector<StructureCase> volumes() {
    Window corners = box_of(3, 2, 3);
    for (std::int64_t i = 0; i < corners.volume(); ++i)
        corners.footprint.push_back(i % 5 == 1 ? 1 : 0);
    Window slice = box_of(3, 3, 3); // of the slice before
    slice.footprint.assign(27, 0);
    slice.footprint[2] = slice.footprint[4] = 1;
    Window pixel = box_of(3, 3, 3); // of the slice behind
    pixel.footprint.assign(27, 0);
    pixel.footprint[22] = 1;
    return {{box_of(3, 2, 3)}, {box_of(1, 1, 4)}, {corners},      {slice},
            {pixel},           weighted(corners), weighted(slice)};
}

struct MorphologyCase : ImageCase {
    Morphology filter;
    std::string variant;
};

// Returns the results of the reference, stored as kernels store them.
std::vector<std::byte> expected_of(const ReferenceJob &job, const PlanDesc &desc,
                                   std::vector<std::byte> target) {
    std::vector<float> values(
        static_cast<std::size_t>(desc.region.extent[0] * desc.source.channels));
    compute_in_double(job, [&](const RowPlace &at, const double *row) {
        std::transform(row, row + values.size(), values.begin(),
                       [](double value) { return static_cast<float>(value); });
        store_row(desc, at, values.data(), target);
    });
    return target;
}

std::string run(const MorphologyCase &test, Tally &tally) {
    std::minstd_rand random(11);
    const Filter filter = test.filter;
    const PlanDesc desc = make_plan_desc(test);
    const std::vector<std::byte> source = make_source(desc, random);
    const std::vector<std::byte> before = make_target(desc, random);
    const std::vector<std::byte> got = run_forced(filter, desc, test.variant, source, before);
    if (got.empty()) {
        ++tally.misfits;
        return "";
    }
    ++tally.ran;
    const ReferenceJob job{filter, desc.source, desc.border, desc.region, source.data()};
    const bool is_rounded_often = test.filter.operation == MorphologyOperation::laplace &&
                                  !facts_of(desc.source.type).is_integer;
    if (!is_rounded_often)
        return first_difference(expected_of(job, desc, before), got, desc);
    if (const std::string where = written_outside(before, got, desc); !where.empty())
        return where;
    const double bound = filter.error_bound(largest_magnitude(job));
    return compare_with_double(job, desc, got, tally, [&](double exact) {
        return bound + storing_error(desc.target.type, std::abs(exact) + bound);
    });
}

void run_all(const std::vector<MorphologyCase> &cases) {
    Tally tally;
    for (const MorphologyCase &test : cases) {
        INFO(test.variant, " ", test.name(), " ", gz::to_text(test.filter), " anchored at ",
             gz::to_text(test.filter.window.anchor));
        CHECK(run(test, tally) == "");
    }
    CHECK((tally.ran > 0 || support::is_shared()));
    MESSAGE(tally.ran, " cases on ", engine()->facts().name, ", ", tally.misfits,
            " that do not fit it");
}

std::vector<std::string> kernels() {
    std::vector<std::string> names = support::kernels_under_test<WeightedPass>();
    for (const std::vector<std::string> &more :
         {support::kernels_under_test<OpeningPass>(), support::kernels_under_test<CombinePass>()})
        names.insert(names.end(), more.begin(), more.end());
    return names;
}

const gz::Kernel &spec_of(const std::string &kernel) {
    const std::vector<gz::Kernel> &all = morphology_kernels();
    return *std::find_if(all.begin(), all.end(),
                         [&](const gz::Kernel &own) { return own.name == kernel; });
}

// The choices from which a kernel's cases are made. `before` is the variant's part for the steps before the kernel's.
struct CasesOf {
    std::vector<StructureCase> structures;
    std::vector<MorphologyOperation> operations;
    std::string before;
};

CasesOf cases_of(const gz::Kernel &spec) {
    using Operation = MorphologyOperation;
    if (spec.takes(WeightedPass()))
        return {weighted_ones(), {Operation::erode, Operation::dilate}, ""};
    if (spec.takes(OpeningPass()))
        return {{{box_of(3, 3)}, {box_of(5, 3)}, {box_of(3, 7)}, {box_of(7, 5)}},
                {Operation::open, Operation::close},
                ""};
    CasesOf result{
        weighted_ones(), {std::begin(all_operations) + 4, std::end(all_operations)}, "; ; "};
    const std::vector<StructureCase> flat = flat_ones();
    result.structures.insert(result.structures.end(), flat.begin(), flat.end());
    return result;
}

// A case for each pair of parameter values.
std::vector<MorphologyCase> pairwise_cases_of(const std::string &kernel, const Limits &limits) {
    const gz::Kernel &spec = spec_of(kernel);
    const CasesOf own = cases_of(spec);
    const std::vector<std::pair<int, int>> sizes = pairwise_sizes(limits);
    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    counts.insert(counts.end(), {static_cast<int>(own.structures.size()),
                                 static_cast<int>(own.operations.size()), 2});
    append_counts(counts, spec.tunables);
    std::vector<MorphologyCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[image + i]); };
        MorphologyCase test;
        static_cast<ImageCase &>(test) = image_of(row, sizes);
        const StructureCase &structure = own.structures[at(0)];
        test.filter = morphology(own.operations[at(1)], structure.window, structure.weights);
        test.border_value = at(2) ? 7.0 : 0.625;
        const Config config = config_of(spec.tunables, row, image + 3);
        test.variant = own.before + kernel + ":" + gz::to_text(config);
        cases.push_back(test);
    }
    return cases;
}

// Images of several strips and bands, and regions within them.
std::vector<MorphologyCase> openings_of_several_strips(const std::string &kernel) {
    std::vector<MorphologyCase> cases;
    std::size_t turn = 0;
    for (const PixelType type : {PixelType::u8, PixelType::f32, PixelType::s16, PixelType::f16})
        for (const int channels : {1, 3})
            for (const RegionKind region : {RegionKind::whole, RegionKind::neighbours}) {
                MorphologyCase test;
                static_cast<ImageCase &>(test) = image_of_tiles(
                    type, type, channels, 1500 / channels, 170, region,
                    turn % 2 ? Layout::odd_offset_and_pitch : Layout::padded_aligned);
                test.border = all_border_modes[turn % 4]; // all but wrap
                test.border_value = 7.0;
                const bool is_large = turn % 3 == 0;
                test.filter =
                    morphology(turn % 2 ? MorphologyOperation::open : MorphologyOperation::close,
                               is_large ? box_of(7, 7) : box_of(3, 5));
                test.variant = kernel + ":GROUP=64,RESIDENT=2,STREAMS=0";
                cases.push_back(test);
                ++turn;
            }
    return cases;
}

// Whole filters: images, and volumes, of which those of several slices.
std::vector<MorphologyCase> filter_cases() {
    const std::vector<std::pair<int, int>> sizes{{1, 1}, {37, 1}, {2, 9}, {23, 17}};
    std::vector<StructureCase> structures = flat_ones();
    for (const std::vector<StructureCase> &more : {weighted_ones(), volumes()})
        structures.insert(structures.end(), more.begin(), more.end());
    std::vector<int> counts = image_counts(sizes.size());
    const std::size_t image = counts.size();
    counts.insert(counts.end(), {static_cast<int>(structures.size()), 8, 2, 3});
    std::vector<MorphologyCase> cases;
    for (const std::vector<int> &row : pairwise(counts)) {
        const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[image + i]); };
        MorphologyCase test;
        static_cast<ImageCase &>(test) = image_of(row, sizes);
        const StructureCase &structure = structures[at(0)];
        constexpr int iterations[] = {1, 2, 3};
        test.filter = morphology(all_operations[at(1)], structure.window, structure.weights,
                                 iterations[at(3)]);
        test.border_value = at(2) ? 7.0 : 0.625;
        if (test.slices > 1)
            test.slices = 5;
        cases.push_back(test);
    }
    return cases;
}

// A row of floats filtered by a plan of its own.
std::vector<float> filtered(const Filter &filter, const std::vector<float> &row,
                            const Border &border = {}) {
    return support::filtered(filter, row, {static_cast<std::int64_t>(row.size()), 1, 1, 1}, border);
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("morphology kernels: pairwise") {
        for (const std::string &kernel : kernels())
            run_all(sample_of(pairwise_cases_of(kernel, {})));
    }
    TEST_CASE("morphology kernels: several tiles") {
        for (const std::string &kernel : support::kernels_under_test<OpeningPass>())
            run_all(openings_of_several_strips(kernel));
    }
}

TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("morphology kernels: small") {
        for (const std::string &kernel : kernels())
            run_all(sample_of(pairwise_cases_of(kernel, {40, 40})));
    }
}

TEST_SUITE("morphology") {
    TEST_CASE("morphology: whole filters, of images and volumes") {
        run_all(sample_of(filter_cases()));
    }

    TEST_CASE("morphology: by hand") {
        using Row = std::vector<float>;
        const Row row{3, 1, 4, 1, 5, 9, 2, 6};
        const auto by = [&](MorphologyOperation operation, const Window &window,
                            const std::vector<float> &weights = {}, int iterations = 1) {
            return filtered(morphology(operation, window, weights, iterations), row);
        };
        const Window three = box_of(3, 1);
        CHECK(by(MorphologyOperation::erode, three) == Row{1, 1, 1, 1, 1, 2, 2, 2});
        CHECK(by(MorphologyOperation::dilate, three) == Row{3, 4, 4, 5, 9, 9, 9, 6});
        CHECK(by(MorphologyOperation::open, three) == Row{1, 1, 1, 1, 2, 2, 2, 2});
        CHECK(by(MorphologyOperation::close, three) == Row{3, 3, 4, 4, 5, 9, 6, 6});
        CHECK(by(MorphologyOperation::top_hat, three) == Row{2, 0, 3, 0, 3, 7, 0, 4});
        CHECK(by(MorphologyOperation::black_hat, three) == Row{0, 2, 0, 3, 0, 0, 4, 0});
        CHECK(by(MorphologyOperation::gradient, three) == Row{2, 3, 3, 4, 8, 7, 7, 4});
        CHECK(by(MorphologyOperation::laplace, three) == Row{-2, 3, -3, 4, 0, -7, 7, -4});
        // Erosions twice are those by a longer window, up to the border.
        CHECK(by(MorphologyOperation::erode, three, {}, 2) == Row{1, 1, 1, 1, 1, 1, 2, 2});
        // Erosions look to the right, dilations to the left: an opening stays in place.
        const Window two{{2, 1, 1, 1}, {0, 0, 0, 0}, {}};
        CHECK(by(MorphologyOperation::erode, two) == Row{1, 1, 1, 1, 5, 2, 2, 6});
        CHECK(by(MorphologyOperation::dilate, two) == Row{3, 3, 4, 4, 5, 9, 9, 6});
        CHECK(by(MorphologyOperation::open, two) == Row{1, 1, 1, 1, 5, 5, 2, 6});
        // Weights: erosions subtract them, dilations add them, mirrored.
        const std::vector<float> weights{0, 10, 20};
        CHECK(by(MorphologyOperation::erode, three, weights) ==
              Row{-19, -16, -19, -15, -11, -18, -14, -14});
        CHECK(by(MorphologyOperation::dilate, three, weights) ==
              Row{23, 23, 21, 24, 21, 25, 29, 22});
        // A footprint that leaves a place out takes no notice of its weight.
        CHECK(by(MorphologyOperation::erode, {{3, 1, 1, 1}, {1, 0, 0, 0}, {1, 1, 0}},
                 {0, 10, std::numeric_limits<float>::infinity()}) ==
              Row{-7, -9, -6, -9, -5, -1, -8, -4});
    }

    TEST_CASE("morphology: the border is applied to each step anew") {
        const Morphology opening = morphology(MorphologyOperation::open, box_of(3, 1));
        const Morphology closing = morphology(MorphologyOperation::close, box_of(3, 1));
        CHECK(filtered(closing, {5, 5, 5, 5}, {BorderMode::constant, 0.0}) ==
              std::vector<float>{0, 5, 5, 0});
        CHECK(filtered(opening, {5, 5, 5, 5}, {BorderMode::constant, 9.0}) ==
              std::vector<float>{9, 5, 5, 9});
    }

    TEST_CASE("morphology: NaN is larger than any number, and infinities are numbers") {
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        constexpr float infinity = std::numeric_limits<float>::infinity();
        const std::vector<float> row{1, nan, 2, 3, -infinity, 4, infinity, 5, 6};
        for (const std::vector<float> &weights : {std::vector<float>{}, {0.5F, 0.25F, 0.5F}}) {
            const bool is_flat = weights.empty();
            const auto eroded =
                filtered(morphology(MorphologyOperation::erode, box_of(3, 1), weights), row);
            CHECK(std::none_of(eroded.begin(), eroded.end(),
                               [](float value) { return std::isnan(value); }));
            CHECK(eroded[1] == (is_flat ? 1.0F : 0.5F));
            CHECK(eroded[4] == -infinity);
            const auto dilated =
                filtered(morphology(MorphologyOperation::dilate, box_of(3, 1), weights), row);
            for (std::size_t i = 0; i < 3; ++i)
                CHECK(std::isnan(dilated[i]));
            CHECK(dilated[3] == (is_flat ? 3.0F : 3.25F));
            CHECK(dilated[6] == infinity);
        }
        const auto alone =
            filtered(morphology(MorphologyOperation::erode, box_of(3, 1), {1, 2, 3}), {nan, nan});
        CHECK(std::isnan(alone[0]));
    }

    TEST_CASE("morphology: what is refused, and texts") {
        const auto refused = [](std::initializer_list<std::string> parts, auto &&make) {
            check_refused(Status::invalid_argument, parts, [&] { static_cast<void>(make()); });
        };
        const auto erosion = [](const Window &window, const std::vector<float> &weights,
                                int iterations = 1) {
            return morphology(MorphologyOperation::erode, window, weights, iterations);
        };
        refused({"0 iterations", "64"}, [&] { return erosion(box_of(3, 3), {}, 0); });
        refused({"65 iterations", "64"}, [&] { return erosion(box_of(3, 3), {}, 65); });
        refused({"2 weights", "3x3"}, [&] { return erosion(box_of(3, 3), {1, 2}); });
        refused({"weight 1 is nan"}, [&] { return erosion(box_of(2, 1), {1, NAN}); });
        refused({"weight 0 is -inf"}, [&] { return erosion(box_of(2, 1), {-INFINITY, 1}); });
        refused({"4096 weights", "3969"},
                [&] { return erosion(box_of(64, 64), std::vector<float>(4096, 1.0F)); });
        refused({"no pixel"}, [&] { return erosion({{1, 1, 1, 1}, {0, 0, 0, 0}, {0}}, {}); });
        refused({"zero", "constant 0"}, [&] {
            const Filter filter = erosion(box_of(3, 3), {});
            filter.check_border({BorderMode::zero, 0});
            return filter;
        });
        CHECK(to_text(erosion(box_of(3, 2), {})) == "erosion by a box of 3x2 pixels, 1 time");
        const Morphology hat =
            morphology(MorphologyOperation::top_hat, hook(), std::vector<float>(12, 1.0F), 2);
        CHECK(to_text(hat) ==
              "white top-hat by a footprint of 5 pixels in 4x3 with weights, 2 times");
        CHECK(hat.weights.size() == 5);
        // Weights of nothing but 0 are none.
        CHECK(erosion(box_of(3, 1), {0, 0, 0}).is_flat());
        const AxesReach reach = Filter(hat).reach();
        CHECK(reach[0].before == 6);
        CHECK(reach[0].after == 6);
        CHECK(reach[1].before == 4);
        CHECK(reach[2].is_own_pixel());
    }

    TEST_CASE("morphology: flat filters of u8 of 0 and 1 give 0 and 1") {
        std::minstd_rand random(5);
        PlanDesc desc;
        desc.source = desc.target = make_image(PixelType::u8, {40, 30, 1, 1});
        desc = complete(desc);
        std::vector<std::byte> source(1200), result(1200);
        for (std::byte &pixel : source)
            pixel = static_cast<std::byte>(random() % 4 == 0);
        for (const MorphologyOperation operation : all_operations) {
            const Plan plan(engine(), morphology(operation, hook(), {}, 2), desc, "");
            plan.run({{source.data(), source.size()}}, {{result.data(), result.size()}});
            const Verification found =
                verify(plan, {{source.data(), source.size()}}, {{result.data(), result.size()}});
            CHECK(found.worst_error <= found.bound);
            CHECK(std::all_of(result.begin(), result.end(),
                              [](std::byte value) { return value <= std::byte{1}; }));
        }
    }
}
