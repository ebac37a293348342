// Every kernel of the correlation, in every configuration, against the references: see support/correlate_case.hpp.
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
    TEST_CASE("correlate_tiled: pairwise") { run_all(support::pairwise_cases("correlate_tiled", {})); }
    TEST_CASE("correlate_strips: pairwise") { run_all(support::pairwise_cases("correlate_strips", {})); }
    TEST_CASE("correlate_plain: pairwise") { run_all(support::pairwise_cases("correlate_plain", {})); }
}

TEST_SUITE("full product" * doctest::skip()) {
    TEST_CASE("correlate_tiled: all") { run_all(support::all_cases("correlate_tiled")); }
    TEST_CASE("correlate_strips: all") { run_all(support::all_cases("correlate_strips")); }
    TEST_CASE("correlate_plain: all") { run_all(support::all_cases("correlate_plain")); }
}

// Small enough for a simulator that is a thousand times slower.
TEST_SUITE("simulated" * doctest::skip()) {
    TEST_CASE("correlate_tiled: small") { run_all(support::pairwise_cases("correlate_tiled", {130, 7})); }
    TEST_CASE("correlate_strips: small") { run_all(support::pairwise_cases("correlate_strips", {130, 9})); }
    TEST_CASE("correlate_plain: small") { run_all(support::pairwise_cases("correlate_plain", {40, 7})); }
}
