// Banks of filters: each target against the filter run by itself.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "families/family.hpp"
#include "plan/plan.hpp"
#include "plan/verify.hpp"
#include "support/image_case.hpp"
#include "support/passes.hpp"
#include "support/unit.hpp"

namespace {

using namespace gz;
using namespace support;

Filter cube(std::int64_t size, unsigned seed) {
    std::minstd_rand random(seed);
    std::vector<double> taps(static_cast<std::size_t>(size * size * size));
    for (double &tap : taps)
        tap = static_cast<double>(random() % 2000) / 1000.0 - 0.9;
    return Filter::correlate({{size, size, size, 1}, {size / 2, 0, size - 1, 0}, std::move(taps)});
}

std::vector<Filter> cubes(int count, std::int64_t size) {
    std::vector<Filter> filters;
    for (int i = 0; i < count; ++i)
        filters.push_back(cube(size, static_cast<unsigned>(7 * i + 1)));
    return filters;
}

// A part of a volume, with other pixels around it in the source and in the targets.
PlanDesc describe(const Axes &extent, std::size_t targets, PixelType type = PixelType::f32) {
    PlanDesc desc;
    desc.source = make_image(type, {extent[0] + 5, extent[1] + 3, extent[2] + 2, 1});
    desc.target = desc.source;
    desc.region = {{2, 1, 1, 0}, extent, {3, 2, 1, 0}, RegionEdge::isolated};
    desc.border = {BorderMode::reflect101, 0.0};
    desc.more_targets.assign(targets - 1, desc.target);
    return complete(desc);
}

// Checks that every target is what its filter gives by itself; returns whether it ran.
bool check_bank(const std::vector<Filter> &filters, const PlanDesc &desc,
                const std::string &variant) {
    std::minstd_rand random(4);
    const std::vector<std::byte> source = make_source(desc, random);
    const std::vector<std::byte> before = make_target(desc, random);
    const auto got = run_forced_bank(Filter::bank(filters), desc, variant, source, before);
    for (std::size_t i = 0; i < got.size(); ++i) {
        INFO(to_text(filters[i]), " of ", to_text(desc.region.extent), " by '", variant,
             "', target ", i);
        const PlanDesc alone = desc.for_target(i);
        const auto expected = run_forced(filters[i], alone, "", source, before);
        CHECK(written_outside(before, got[i], alone) == "");
        CHECK(first_difference(expected, got[i], alone) == "");
    }
    return !got.empty();
}

} // namespace

TEST_SUITE("kernels") {
    TEST_CASE("banks of cubes share the loads") {
        int ran = 0;
        const Axes extents[] = {{1, 1, 1, 1}, {37, 11, 9, 1}, {66, 5, 3, 1}};
        std::size_t turn = 0;
        for (const int count : {1, 2, 3, 5})
            for (const std::int64_t size : {3, 5}) {
                const char *variants[] = {"", "correlate_march:FILTERS=1",
                                          "correlate_march:FILTERS=2", "correlate_march:FILTERS=4",
                                          "correlate_volume"};
                const PlanDesc desc = describe(extents[turn % 3], static_cast<std::size_t>(count),
                                               turn % 2 ? PixelType::u8 : PixelType::f32);
                ran += check_bank(cubes(count, size), desc, variants[turn++ % 5]) ? 1 : 0;
            }
        CHECK(ran >= 4);
    }

    TEST_CASE("banks of filters that share nothing run them one after the other") {
        std::vector<Filter> filters = cubes(2, 3);
        filters.push_back(Filter::gaussian({{1.5, 1.5, 1.0, 0.0}}));
        filters.push_back(Filter::box({{3, 9, 1, 0}, 2}));
        filters.push_back(cube(5, 3));
        // Wider than what runs along both axes at once by itself: banks run axis by axis.
        Gaussian wide{{30.0, 30.0, 0.0, 0.0}};
        wide.method = GaussianMethod::recursive;
        filters.push_back(Filter::gaussian(wide));
        CHECK(check_bank(filters, describe({70, 33, 6, 1}, filters.size()), ""));
    }
}

TEST_SUITE("plan") {
    TEST_CASE("a bank of cubes is a few launches, and only of targets of one layout") {
        PlanDesc desc = describe({40, 9, 7, 1}, 5);
        const auto launches = [&](const std::string &variant) {
            return Plan(engine(), Filter::bank(cubes(5, 3)), desc, variant).pipeline().launches();
        };
        CHECK(launches("correlate_march:FILTERS=4,GROUP_X=8,GROUP_Y=4") == 2);
        CHECK(launches("correlate_march:FILTERS=1,GROUP_X=8,GROUP_Y=4") == 5);
        desc.more_targets[1].type = PixelType::u8;
        desc.more_targets[1].pitch = {0, 0, 0, 0};
        desc = complete(desc);
        CHECK(launches("correlate_march:FILTERS=4,GROUP_X=8,GROUP_Y=4") == 3);
    }

    TEST_CASE("a bank is verified target by target, and refuses what it cannot hold") {
        const std::vector<Filter> filters = cubes(3, 3);
        PlanDesc desc = describe({20, 9, 7, 1}, 3);
        std::minstd_rand random(4);
        const std::vector<std::byte> source = make_source(desc, random);
        std::vector<std::vector<std::byte>> targets(3, make_target(desc, random));
        const Plan plan(engine(), Filter::bank(filters), desc, "");
        std::vector<HostTarget> to;
        std::vector<HostSource> written;
        for (std::vector<std::byte> &target : targets) {
            to.push_back({target.data(), target.size()});
            written.push_back({target.data(), target.size()});
        }
        plan.run({{source.data(), source.size()}}, to);
        const Verification right = verify(plan, {{source.data(), source.size()}}, written);
        CHECK(right.worst_error <= right.bound);
        CHECK(right.pixels == 3 * 20 * 9 * 7);
        std::swap(written[1], written[2]);
        const Verification wrong = verify(plan, {{source.data(), source.size()}}, written);
        CHECK(wrong.worst_error > wrong.bound);
        CHECK(wrong.target > 0);

        check_refused(Status::invalid_argument, {"17 filters", "1 to 16"},
                      [] { Filter::bank(cubes(17, 3)); });
        check_refused(Status::invalid_argument, {"0 filters"}, [] { Filter::bank({}); });
        check_refused(Status::invalid_argument, {"summed-area"},
                      [] { Filter::bank({Filter::sat()}); });
        check_refused(Status::invalid_argument, {"bank"},
                      [&] { Filter::bank({Filter::bank(filters)}); });
        check_refused(Status::overlap, {"target 0 and target 2 share memory"}, [&] {
            const cl::Buffer from = engine()->allocate(source.size(), "the source");
            const cl::Buffer one = engine()->allocate(targets[0].size(), "a target");
            const cl::Buffer other = engine()->allocate(targets[0].size(), "a target");
            plan.enqueue(nullptr, {from()}, {one(), other(), one()}, nullptr, {}, nullptr);
        });
    }
}
