// Every kernel of the correlation, in every configuration, against the references: see
// support/correlate_case.hpp.
#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

#include "kernel/correlate_kernels.hpp"
#include "support/correlate_case.hpp"

using support::CorrelateCase;

namespace {

void run_all(const std::vector<CorrelateCase> &cases) {
    support::Tally tally;
    for (const CorrelateCase &test : cases) {
        INFO(test.name());
        CHECK(support::run(test, tally) == "");
    }
    CHECK(tally.ran > 0);
    MESSAGE(tally.ran, " cases on ", support::engine()->facts().name, ", ", tally.misfits,
            " that do not fit it, ", support::engine()->compile_count(),
            " programs so far; the worst error is ", tally.worst, " of its bound");
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("correlate_tiled: pairwise") {
        run_all(support::pairwise_cases("correlate_tiled", {}));
    }
    TEST_CASE("correlate_strips: pairwise") {
        run_all(support::pairwise_cases("correlate_strips", {}));
    }
    TEST_CASE("correlate_plain: pairwise") {
        run_all(support::pairwise_cases("correlate_plain", {}));
    }
}

// A test case for each type, so that the product can be spread over cores.
TEST_SUITE("full product" * doctest::skip()) {
    TEST_CASE("correlate_tiled: all u8") {
        run_all(support::all_cases("correlate_tiled", gz::PixelType::u8));
    }
    TEST_CASE("correlate_tiled: all u16") {
        run_all(support::all_cases("correlate_tiled", gz::PixelType::u16));
    }
    TEST_CASE("correlate_tiled: all s16") {
        run_all(support::all_cases("correlate_tiled", gz::PixelType::s16));
    }
    TEST_CASE("correlate_tiled: all f16") {
        run_all(support::all_cases("correlate_tiled", gz::PixelType::f16));
    }
    TEST_CASE("correlate_tiled: all f32") {
        run_all(support::all_cases("correlate_tiled", gz::PixelType::f32));
    }
    TEST_CASE("correlate_strips: all u8") {
        run_all(support::all_cases("correlate_strips", gz::PixelType::u8));
    }
    TEST_CASE("correlate_strips: all u16") {
        run_all(support::all_cases("correlate_strips", gz::PixelType::u16));
    }
    TEST_CASE("correlate_strips: all s16") {
        run_all(support::all_cases("correlate_strips", gz::PixelType::s16));
    }
    TEST_CASE("correlate_strips: all f16") {
        run_all(support::all_cases("correlate_strips", gz::PixelType::f16));
    }
    TEST_CASE("correlate_strips: all f32") {
        run_all(support::all_cases("correlate_strips", gz::PixelType::f32));
    }
    TEST_CASE("correlate_plain: all u8") {
        run_all(support::all_cases("correlate_plain", gz::PixelType::u8));
    }
    TEST_CASE("correlate_plain: all u16") {
        run_all(support::all_cases("correlate_plain", gz::PixelType::u16));
    }
    TEST_CASE("correlate_plain: all s16") {
        run_all(support::all_cases("correlate_plain", gz::PixelType::s16));
    }
    TEST_CASE("correlate_plain: all f16") {
        run_all(support::all_cases("correlate_plain", gz::PixelType::f16));
    }
    TEST_CASE("correlate_plain: all f32") {
        run_all(support::all_cases("correlate_plain", gz::PixelType::f32));
    }
}

// Small enough for a simulator that is a thousand times slower.
TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("correlate_tiled: small") {
        run_all(support::pairwise_cases("correlate_tiled", {130, 7}));
    }
    TEST_CASE("correlate_strips: small") {
        run_all(support::pairwise_cases("correlate_strips", {130, 9}));
    }
    TEST_CASE("correlate_plain: small") {
        run_all(support::pairwise_cases("correlate_plain", {40, 7}));
    }
}
