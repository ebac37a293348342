// The list of kernels, and the tests that are made of it.
#include <doctest/doctest.h>

#include <set>

#include "families/derivative/kernels.hpp"
#include "families/edge/kernels.hpp"
#include "families/guided/kernels.hpp"
#include "families/local/kernels.hpp"
#include "families/morphology/kernels.hpp"
#include "families/rank/kernels.hpp"
#include "families/ssimulacra2/kernels.hpp"
#include "support/under_test.hpp"

TEST_SUITE("kernel list") {
    TEST_CASE("every kernel has one name, a source and the passes of one kind") {
        std::set<std::string> names;
        for (const gz::Kernel &kernel : gz::all_kernels()) {
            CAPTURE(kernel.name);
            CHECK(names.insert(kernel.name).second);
            CHECK_NOTHROW(gz::SourceTree("").expand(kernel.file));
        }
        CHECK(names.size() >= 31);
    }

    // So that no test of a kernel passes since nothing ran.
    TEST_CASE("the kernel under test is one that the tests know") {
        std::size_t known = 0;
        const auto count = [&](const std::vector<std::string> &kernels) {
            known += kernels.size();
        };
        count(support::kernels_under_test<gz::CorrelatePass>());
        count(support::kernels_under_test<gz::VolumePass>());
        count(support::kernels_under_test<gz::BoxPass>());
        count(support::kernels_under_test<gz::BoxFramesPass>());
        count(support::kernels_under_test<gz::RecursivePass>());
        count(support::kernels_under_test<gz::RecursivePlanePass>());
        count(support::kernels_under_test<gz::SatPass>());
        count(support::kernels_under_test<gz::RankPass>());
        count(support::kernels_under_test<gz::ExtremePass>());
        count(support::kernels_under_test<gz::WeightedPass>());
        count(support::kernels_under_test<gz::OpeningPass>());
        count(support::kernels_under_test<gz::CombinePass>());
        count(support::kernels_under_test<gz::BilateralPass>());
        count(support::kernels_under_test<gz::GuidedPass>());
        count(support::kernels_under_test<gz::GuidedProductsPass>());
        count(support::kernels_under_test<gz::GuidedSolvePass>());
        count(support::kernels_under_test<gz::GuidedCombinePass>());
        count(support::kernels_under_test<gz::NonLocalPass>());
        count(support::kernels_under_test<gz::StencilPass>());
        count(support::kernels_under_test<gz::CombinationPass>());
        count(support::kernels_under_test<gz::LocalPass>());
        count(support::kernels_under_test<gz::FusedLocalPass>());
        count(support::kernels_under_test<gz::SquarePass>());
        count(support::kernels_under_test<gz::XybPass>());
        count(support::kernels_under_test<gz::Ssimulacra2Pass>());
        CHECK(known == (std::getenv("GAUZE_TEST_KERNEL")
                            ? 1
                            : gz::all_kernels().size() - gz::difference_kernels().size()));
    }
}
