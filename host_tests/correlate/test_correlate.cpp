// Every kernel of the correlation, in every configuration, against the references: see
// support/correlate_case.hpp.
#include <doctest/doctest.h>

#include "families/reference.hpp"
#include "support/correlate_case.hpp"
#include "support/passes.hpp"
#include "support/several_tiles.hpp"
#include "support/under_test.hpp"

using support::CorrelateCase;

namespace {

void run_all(const std::vector<CorrelateCase> &cases) {
    support::Tally tally;
    for (const CorrelateCase &test : cases) {
        INFO(test.name());
        CHECK(support::run(test, tally) == "");
    }
    CHECK((tally.ran > 0 || support::is_shared()));
    MESSAGE(tally.ran, " cases on ", support::engine()->facts().name, ", ", tally.misfits,
            " that do not fit it, ", support::engine()->compile_count(),
            " programs so far; the worst error is ", tally.worst, " of its bound");
}

// These cases run in every share, as few others are like a real image.
void run_several_tiles(const std::string &kernel) {
    support::TileCoverage coverage;
    support::Tally tally;
    for (const CorrelateCase &test : support::cases_of_several_tiles(kernel)) {
        INFO(test.name());
        const int ran = tally.ran;
        CHECK(support::run(test, tally) == "");
        if (tally.ran > ran)
            support::count_groups(test, coverage);
    }
    // Not every GPU has memory for all cases.
    const bool all_fit = tally.misfits == 0;
    CHECK((all_fit || !support::engine()->facts().is_cpu()));
    if (all_fit)
        CHECK(support::missing(kernel, coverage) == "");
    MESSAGE(tally.ran, " cases of several tiles: ", coverage.text());
}

// Limits of the cases of a kernel: kinds of taps of the pairwise selection, and the longest sides of images
// and taps that a simulator, a thousand times slower, can afford.
struct CaseLimits {
    int kinds, small_image, small_taps;
};
CaseLimits limits_of(const std::string &kernel) {
    if (kernel == "correlate_strips")
        return {5, 130, 9};
    if (kernel == "separable_fused" || kernel == "separable_stream")
        return {10, 70, 7};
    if (kernel == "separable_columns")
        return {14, 70, 7};
    return {12, 40, 5};
}

std::vector<std::string> kernels() {
    return support::kernels_under_test<gz::CorrelatePass>();
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("correlate kernels: pairwise") {
        for (const std::string &kernel : kernels())
            run_all(support::sample_of(
                support::pairwise_cases(kernel, {100000, 100000, limits_of(kernel).kinds})));
    }

    // Kernels whose items share tiles, or go along strips and bands, need images of several tiles.
    TEST_CASE("correlate kernels: several tiles") {
        for (const std::string &kernel : kernels())
            if (kernel != "correlate_plain")
                run_several_tiles(kernel);
    }

    // correlate_strips reads rows of floats where they are, part by part, if the border makes none of a part's values.
    TEST_CASE("rows that are read where they are") {
        constexpr support::TapsCase all_taps[] = {{3, 3, 1, 1, false, false},
                                                  {5, 5, 0, 4, false, false},
                                                  {7, 4, 6, 0, false, false},
                                                  {2, 7, 1, 5, false, false}};
        std::vector<CorrelateCase> cases;
        for (const support::TapsCase &taps : all_taps)
            for (const gz::BorderMode border :
                 {gz::BorderMode::constant, gz::BorderMode::clamp, gz::BorderMode::wrap})
                for (const support::RegionKind region : support::all_regions)
                    for (const int channels : {1, 3})
                        for (const int strip : {512, 4096}) {
                            CorrelateCase test;
                            test.kernel = "correlate_strips";
                            test.config = {{"STRIP", strip}, {"BAND", strip == 512 ? 16 : 256}};
                            test.taps = taps;
                            test.src_type = test.dst_type = gz::PixelType::f32;
                            test.channels = channels;
                            // Where rows end with the last part, or in it.
                            test.width = channels == 1 && strip == 512 ? 640 : 745 / channels;
                            test.height = 37;
                            test.border = border;
                            test.region = region;
                            cases.push_back(test);
                        }
        run_all(cases);
    }

    // The groups of fewer are turned, so that those at the edges start first.
    TEST_CASE("separable taps of more than 1024 tiles") {
        CorrelateCase test;
        test.kernel = "separable_fused";
        test.config = {
            {"TILE_X", 64}, {"TILE_Y", 32}, {"ROW_ITEM", 8}, {"COLUMN_X", 2}, {"COLUMN_Y", 8}};
        test.taps = {3, 5, 1, 2, true, false};
        test.width = 40 * 64 + 5;
        test.height = 25 * 32 + 5;
        support::Tally tally;
        CHECK(support::run(test, tally) == "");
        CHECK(tally.ran == 1);
    }
}

// A test case for each type, so that the product can be spread over cores.
#define ALL_OF(type)                                                                               \
    TEST_SUITE("full product" * doctest::skip()) {                                                 \
        TEST_CASE("correlate kernels: all " #type) {                                               \
            for (const std::string &kernel : kernels())                                            \
                run_all(support::share_of(support::all_cases(kernel, gz::PixelType::type)));       \
        }                                                                                          \
    }
ALL_OF(u8)
ALL_OF(u16)
ALL_OF(s16)
ALL_OF(f16)
ALL_OF(f32)

TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("correlate kernels: small") {
        for (const std::string &kernel : kernels()) {
            const CaseLimits limits = limits_of(kernel);
            std::vector<CorrelateCase> cases = support::sample_of(
                support::pairwise_cases(kernel, {limits.small_image, limits.small_taps, 3}));
            for (const CorrelateCase &test : support::few_of_several_tiles(kernel))
                cases.push_back(test);
            run_all(cases);
        }
    }
}

TEST_SUITE("kernels") {
    TEST_CASE("taps that differ between components") {
        // Luma 5x5 and chroma 3x3, as planes and as channels; dense and separable, odd anchors.
        const gz::Filter luma = support::make_filter({5, 5, 2, 2, true, false}, 1);
        const gz::Filter chroma = support::make_filter({3, 3, 1, 1, false, false}, 2);
        const gz::Filter lopsided = support::make_filter({4, 7, 3, 0, true, true}, 3);
        const gz::Filter filter = luma.with_component(1, chroma).with_component(2, lopsided);
        for (const gz::PixelType type : support::all_types)
            for (const gz::BorderMode border : gz::all_border_modes)
                for (const int channels : {1, 3})
                    for (const support::RegionKind region : support::all_regions) {
                        support::ImageCase test;
                        test.src_type = test.dst_type = type;
                        test.channels = channels;
                        test.planes = 3 / channels;
                        test.slices = 2;
                        std::tie(test.width, test.height) = std::pair(37, 23);
                        test.border = border;
                        test.region = region;
                        INFO(test.name());
                        std::minstd_rand random(5);
                        const gz::PlanDesc desc = support::make_plan_desc(test);
                        const auto source = support::make_source(desc, random);
                        const auto before = support::make_target(desc, random);
                        const auto got = support::run_forced(filter, desc, "", source, before);
                        auto expected = before;
                        const gz::ReferenceJob job{filter, desc.source, desc.border, desc.region,
                                                   source.data()};
                        gz::compute_in_f32(job, [&](const gz::RowPlace &at, const float *row) {
                            support::store_row(desc, at, row, expected);
                        });
                        CHECK(support::first_difference(expected, got, desc) == "");
                    }
    }
}
