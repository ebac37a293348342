// Every kernel of the correlation, in every configuration, against the references: see
// support/correlate_case.hpp.
#include <doctest/doctest.h>

#include "families/reference.hpp"
#include "support/correlate_case.hpp"
#include "support/passes.hpp"
#include "support/several_tiles.hpp"

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

} // namespace

// The cases of one family: a pairwise selection from so many kinds of taps; the full product, a test
// case for each type, so that it can be spread over cores; and some that are small enough for a
// simulator that is a thousand times slower.
#define ALL_OF(family, type)                                                                       \
    TEST_SUITE("full product" * doctest::skip()) {                                                 \
        TEST_CASE(family ": all " #type) {                                                         \
            run_all(support::share_of(support::all_cases(family, gz::PixelType::type)));           \
        }                                                                                          \
    }
#define FAMILY(family, kinds, small_image, small_taps)                                             \
    TEST_SUITE("kernels") {                                                                        \
        TEST_CASE(family ": pairwise") {                                                           \
            run_all(support::sample_of(support::pairwise_cases(family, {100000, 100000, kinds}))); \
        }                                                                                          \
    }                                                                                              \
    ALL_OF(family, u8)                                                                             \
    ALL_OF(family, u16)                                                                            \
    ALL_OF(family, s16)                                                                            \
    ALL_OF(family, f16)                                                                            \
    ALL_OF(family, f32)                                                                            \
    TEST_SUITE("simulated" * doctest::skip()) {                                                    \
        TEST_CASE(family ": small") {                                                              \
            std::vector<CorrelateCase> cases =                                                     \
                support::sample_of(support::pairwise_cases(family, {small_image, small_taps, 3})); \
            for (const CorrelateCase &test : support::few_of_several_tiles(family))                \
                cases.push_back(test);                                                             \
            run_all(cases);                                                                        \
        }                                                                                          \
    }

// The kernels whose items share tiles, or go along strips and bands.
#define SEVERAL_TILES(family)                                                                      \
    TEST_SUITE("kernels") {                                                                        \
        TEST_CASE(family ": several tiles") {                                                      \
            run_several_tiles(family);                                                             \
        }                                                                                          \
    }

FAMILY("correlate_tiled", 12, 40, 5)
FAMILY("correlate_strips", 5, 130, 9)
FAMILY("correlate_plain", 12, 40, 5)
FAMILY("separable_fused", 10, 70, 7)
FAMILY("separable_passes", 12, 40, 5)
FAMILY("separable_columns", 14, 70, 7)

SEVERAL_TILES("correlate_tiled")
SEVERAL_TILES("correlate_strips")
SEVERAL_TILES("separable_fused")
SEVERAL_TILES("separable_passes")
SEVERAL_TILES("separable_columns")

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
