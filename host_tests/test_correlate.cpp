// Every kernel of the correlation, in every configuration, against the references: see
// support/correlate_case.hpp.
#include <doctest/doctest.h>

#include "kernel/kernels.hpp"
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

// The cases of one family: a pairwise selection; the full product, a test case for each type, so
// that it can be spread over cores; and some that are small enough for a simulator that is a
// thousand times slower.
#define ALL_OF(family, type)                                                                       \
    TEST_SUITE("full product" * doctest::skip()) {                                                 \
        TEST_CASE(family ": all " #type) {                                                         \
            run_all(support::all_cases(family, gz::PixelType::type));                              \
        }                                                                                          \
    }
#define FAMILY(family, small_image, small_taps)                                                    \
    TEST_SUITE("kernels") {                                                                        \
        TEST_CASE(family ": pairwise") {                                                           \
            run_all(support::pairwise_cases(family, {}));                                          \
        }                                                                                          \
    }                                                                                              \
    ALL_OF(family, u8)                                                                             \
    ALL_OF(family, u16)                                                                            \
    ALL_OF(family, s16)                                                                            \
    ALL_OF(family, f16)                                                                            \
    ALL_OF(family, f32)                                                                            \
    TEST_SUITE("simulated" * doctest::skip()) {                                                    \
        TEST_CASE(family ": small") {                                                              \
            run_all(support::pairwise_cases(family, {small_image, small_taps}));                   \
        }                                                                                          \
    }

FAMILY("correlate_tiled", 130, 7)
FAMILY("correlate_strips", 130, 9)
FAMILY("correlate_plain", 40, 7)
FAMILY("separable_tiled", 70, 7)
FAMILY("separable_passes", 40, 9)
