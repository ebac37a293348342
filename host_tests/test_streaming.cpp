// Host images that the device may not hold: cut into slabs, they are filtered as whole ones are.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "plan/plan.hpp"
#include "support/difference.hpp"
#include "support/image_case.hpp"
#include "support/pairwise.hpp"
#include "support/unit.hpp"

namespace {

using gz::Axes;
using gz::Filter;
using gz::PixelType;
using gz::Plan;
using gz::PlanDesc;
using support::engine;
using support::ImageCase;

gz::Taps box_of_taps(const Axes &size, const Axes &anchor) {
    gz::Taps taps{size, anchor, {}};
    for (std::int64_t i = 0; i < size[0] * size[1] * size[2] * size[3]; ++i)
        taps.values.push_back(static_cast<double>((i * i + 3 * i) % 7 - 2) / 16.0);
    return taps;
}

Filter recursive_gaussian(const std::array<double, 4> &sigma) {
    gz::Gaussian gaussian{sigma};
    gaussian.method = gz::GaussianMethod::recursive;
    return Filter::gaussian(gaussian);
}

Filter taps_gaussian(const std::array<double, 4> &sigma) {
    gz::Gaussian gaussian{sigma};
    gaussian.method = gz::GaussianMethod::fir;
    return Filter::gaussian(gaussian);
}

Filter derivative(gz::DerivativeMethod method, gz::DerivativeResult result, int axis = 0) {
    gz::DerivativeRequest request;
    request.method = method;
    request.result = result;
    request.axes = {axis, 0};
    return Filter::derivative(request);
}

Filter structure(const std::array<double, 4> &smoothing, int dimensions, int axis) {
    gz::DerivativeRequest request;
    request.method = gz::DerivativeMethod::scharr;
    request.result = gz::DerivativeResult::structure;
    request.dimensions = dimensions;
    request.axes = {0, axis};
    request.smoothing = gz::Gaussian{};
    request.smoothing->sigma = smoothing;
    request.smoothing->method = gz::GaussianMethod::fir;
    return Filter::derivative(request);
}

Filter laplacian_of_gaussian(const std::array<double, 4> &sigma, gz::GaussianMethod method) {
    gz::DerivativeRequest request;
    request.method = gz::DerivativeMethod::gaussian;
    request.result = gz::DerivativeResult::laplacian;
    request.gaussian.sigma = sigma;
    request.gaussian.method = method;
    return Filter::derivative(request);
}

Filter local(gz::LocalResult result, const Filter &mean) {
    gz::Local filter{result, {mean}};
    filter.amount = 1.5;
    filter.threshold = 0.125;
    filter.epsilon = 0.25;
    return Filter::local(filter);
}

// All pixels that count lie on one side of the anchor.
gz::Window one_sided_window() {
    return {{3, 4, 1, 1}, {1, 1, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1}};
}

// Whether results are the same in every bit, or sums start elsewhere in slabs than in whole images.
enum class Same { bits, within_bound };

struct FilterCase {
    std::string name;
    Filter filter;
    Same floats = Same::bits;
    bool is_volume = false;
};

std::vector<FilterCase> filters() {
    gz::AxisTaps shifted;
    shifted.values[0] = {0.25, 0.5, -0.125, 0.0625, 0.25};
    shifted.values[1] = {0.5, 0.125, 0.25, -0.25};
    shifted.anchor = Axes{4, 0, 0, 0};
    const Filter dense = Filter::correlate(box_of_taps({4, 5, 1, 1}, {0, 3, 0, 0}));
    return {
        {"dense", dense},
        {"separable", Filter::separable(shifted)},
        {"components", dense.with_component(0, Filter::separable(shifted))},
        {"small boxes", Filter::box({{2, 1, 0, 0}, 3})},
        {"box", Filter::box({{9, 8, 0, 0}, 1}), Same::within_bound},
        {"boxes", Filter::box({{8, 9, 0, 0}, 2}), Same::within_bound},
        {"difference", Filter::dog(1.0, 2.0, gz::GaussianMethod::fir)},
        {"recursive difference", Filter::dog(2.0, 3.0, gz::GaussianMethod::recursive)},
        {"opening", gz::morphology(gz::MorphologyOperation::open, one_sided_window(), {}, 2)},
        {"top-hat",
         gz::morphology(gz::MorphologyOperation::top_hat, {{5, 4, 1, 1}, {0, 2, 0, 0}, {}})},
        {"weighted Laplacian",
         gz::morphology(gz::MorphologyOperation::laplace, {{3, 1, 1, 1}, {1, 0, 0, 0}, {}},
                        {0.5F, 1.0F, 0.25F})},
        {"gradient of a volume",
         gz::morphology(gz::MorphologyOperation::gradient, {{3, 2, 3, 1}, {1, 1, 2, 0}, {}}),
         Same::bits, true},
        {"gradient magnitude",
         derivative(gz::DerivativeMethod::scharr, gz::DerivativeResult::magnitude)},
        {"Laplacian", derivative(gz::DerivativeMethod::central, gz::DerivativeResult::laplacian)},
        {"eigenvalue",
         derivative(gz::DerivativeMethod::central, gz::DerivativeResult::eigenvalue, 1)},
        {"structure tensor", structure({1.0, 1.5, 0, 0}, 2, 1)},
        {"structure tensor of a volume", structure({0.8, 1.0, 0.9, 0}, 3, 2), Same::bits, true},
        {"recursive Laplacian",
         laplacian_of_gaussian({2.0, 3.0, 0, 0}, gz::GaussianMethod::recursive)},
        {"Laplacian of a volume",
         laplacian_of_gaussian({1.0, 0.8, 0.7, 0}, gz::GaussianMethod::fir), Same::bits, true},
        {"unsharp", local(gz::LocalResult::unsharp, taps_gaussian({1.0, 1.5, 0, 0}))},
        {"local deviation",
         local(gz::LocalResult::deviation, recursive_gaussian({2.0, 3.0, 0, 0}))},
        {"local normalization of a volume",
         local(gz::LocalResult::normalized, taps_gaussian({1.0, 0.8, 1.2, 0})), Same::bits, true},
        {"recursive gaussian", recursive_gaussian({2.0, 3.0, 0, 0})},
        {"bspline", Filter::bspline(3)},
        {"scans", Filter::recursive({{0, true, {0.5}, {0.5}},
                                     {1, false, {0.25}, {0.5, 0.25}},
                                     {0, false, {0.5}, {0.5}},
                                     {1, true, {0.5}, {0.5}}})},
        {"volume", Filter::correlate(box_of_taps({3, 2, 3, 2}, {1, 0, 2, 1})), Same::bits, true},
        {"gaussian volume", taps_gaussian({1.0, 0.8, 1.2, 0.7}), Same::bits, true},
        {"box volume", Filter::box({{1, 2, 3, 1}, 2}), Same::within_bound, true},
        {"recursive volume", recursive_gaussian({1.0, 2.0, 1.5, 0}), Same::bits, true},
    };
}

std::vector<std::byte> run(const Plan &plan, const std::vector<std::byte> &source,
                           std::vector<std::byte> target, const gz::HostRun &how = {}) {
    plan.run({{source.data(), source.size()}}, {{target.data(), target.size()}}, how);
    return target;
}

// Device memory of a run on whole images.
std::uint64_t whole_bytes(const PlanDesc &desc) {
    const PlanDesc packed = gz::staged(desc);
    return gz::bytes_of_rows(packed.source) + gz::bytes_of_rows(packed.target);
}

// Runs in slabs of a part of the memory of whole images, or the smallest larger part that is enough. slabs:
// how many more runs of slabs there have been.
std::vector<std::byte> run_in_slabs(const Plan &plan, const std::vector<std::byte> &source,
                                    const std::vector<std::byte> &target, std::uint64_t part,
                                    int &slabs) {
    const auto count = [&](std::uint64_t done, std::uint64_t) {
        slabs += done > 0;
        return true;
    };
    for (std::uint64_t bytes = std::max<std::uint64_t>(whole_bytes(plan.desc()) / part, 512);;
         bytes = bytes * 3 / 2)
        try {
            return run(plan, source, target, {count, bytes});
        } catch (const gz::Error &error) {
            if (error.status() != gz::Status::unsupported)
                throw;
            REQUIRE(bytes < 64 * whole_bytes(plan.desc()) + (1 << 20));
        }
}

double worst_difference(const PlanDesc &desc, const std::vector<std::byte> &a,
                        const std::vector<std::byte> &b) {
    double worst = 0.0;
    const gz::Region &region = desc.region;
    const Axes &extent = region.extent;
    const Axes &origin = region.target_origin;
    for (std::int64_t plane = 0; plane < desc.target.planes; ++plane)
        for (std::int64_t i = 0; i < extent[1] * extent[2] * extent[3]; ++i) {
            const Axes at{origin[0], origin[1] + i % extent[1],
                          origin[2] + i / extent[1] % extent[2],
                          origin[3] + i / extent[1] / extent[2]};
            for (std::int64_t k = 0; k < extent[0] * desc.target.channels; ++k) {
                const std::int64_t byte =
                    desc.target.byte_of(at, plane) +
                    k * static_cast<std::int64_t>(gz::size_of(desc.target.type));
                const double one = gz::load_pixel(desc.target.type, a.data() + byte);
                const double other = gz::load_pixel(desc.target.type, b.data() + byte);
                worst = std::max(worst, support::difference(one, other));
            }
        }
    return worst;
}

// Half a step of the target's type at a value, for rounding.
double step_at(PixelType type, double value) {
    if (gz::facts_of(type).is_integer)
        return 1.0;
    return type == PixelType::f16 ? std::ldexp(value, -10) : std::ldexp(value, -23);
}

void check_same(const FilterCase &test, const PlanDesc &desc, std::uint64_t part,
                std::minstd_rand &random, int &slabs) {
    const auto source = support::make_source(desc, random);
    const auto before = support::make_target(desc, random);
    // Slabs of a recursive filter go axis by axis; so must the whole image.
    const Plan plan(engine(), test.filter, desc, gz::axis_by_axis);
    const auto expected = run(plan, source, before);
    const auto got = run_in_slabs(plan, source, before, part, slabs);
    if (test.floats == Same::bits) {
        CHECK(support::first_difference(expected, got, desc) == "");
        return;
    }
    CHECK(support::written_outside(before, got, desc) == "");
    const gz::PixelTypeFacts &facts = gz::facts_of(desc.source.type);
    const double largest = facts.is_integer ? std::max(-facts.lowest, facts.highest) : 1.0;
    CHECK(worst_difference(desc, expected, got) <=
          2 * test.filter.error_bound(largest) + step_at(desc.target.type, largest));
}

} // namespace

TEST_SUITE("streaming") {
    TEST_CASE("slabs of every filter: the bits of whole images") {
        // Few programs: how pixels are read and stored does not depend on slabs. Each filter meets three borders, of
        // which the type follows.
        const std::pair<PixelType, int> types[] = {{PixelType::u8, 3}, {PixelType::f32, 1}};
        const std::pair<int, int> sizes[] = {{97, 1}, {1, 83}, {61, 45}, {7, 90}, {130, 11}};
        const std::uint64_t parts[] = {3, 10, 30};
        const std::vector<FilterCase> all = filters();
        std::minstd_rand random(1);
        int slabs = 0;
        for (const std::vector<int> &row :
             support::pairwise({static_cast<int>(all.size()), 3, 5, 3, 3, 2, 2, 2})) {
            const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[i]); };
            FilterCase test = all[at(0)];
            ImageCase image;
            image.border = gz::all_border_modes[(at(0) + at(1)) % std::size(gz::all_border_modes)];
            std::tie(image.width, image.height) = sizes[at(2)];
            std::tie(image.src_type, image.channels) = types[(at(0) + at(1)) % 2];
            image.dst_type = image.src_type;
            image.region = support::all_regions[at(3)];
            // Sums of boxes cost as much for a small slab as for a large one.
            const std::uint64_t part = test.filter.is<gz::Box>() ? parts[0] : parts[at(4)];
            image.planes = row[5] ? 3 : 1;
            image.slices = test.is_volume ? 9 - 4 * row[6] : 1 + row[6];
            image.layout = row[7] ? support::Layout::odd_offset_and_pitch : support::Layout::tight;
            CAPTURE(test.name);
            CAPTURE(image.name());
            CAPTURE(part);
            const PlanDesc desc = support::make_plan_desc(image);
            if (image.src_type == PixelType::u8 && test.name == "box")
                test.floats = Same::bits;
            check_same(test, desc, part, random, slabs);
        }
        CHECK(slabs > 1000);
    }

    TEST_CASE("a bank goes step by step where one of its filters reads whole lines") {
        const Filter bank = Filter::bank(
            {recursive_gaussian({2.0, 0, 0, 0}),
             gz::morphology(gz::MorphologyOperation::black_hat, one_sided_window()),
             gz::morphology(gz::MorphologyOperation::gradient, {{3, 3, 1, 1}, {1, 1, 0, 0}, {}}),
             gz::morphology(gz::MorphologyOperation::laplace, one_sided_window()),
             derivative(gz::DerivativeMethod::sobel, gz::DerivativeResult::first, 0),
             derivative(gz::DerivativeMethod::sobel, gz::DerivativeResult::first, 1),
             derivative(gz::DerivativeMethod::sobel, gz::DerivativeResult::orientation),
             local(gz::LocalResult::variance, recursive_gaussian({2.0, 0, 0, 0}))});
        std::minstd_rand random(6);
        int slabs = 0;
        for (const support::RegionKind region : support::all_regions)
            for (const support::Layout layout : support::all_layouts) {
                ImageCase image;
                image.src_type = PixelType::u16;
                image.dst_type = PixelType::f32;
                std::tie(image.width, image.height) = std::pair(61, 45);
                image.channels = image.planes = 2;
                image.region = region;
                image.layout = layout;
                image.border = gz::BorderMode::reflect;
                CAPTURE(image.name());
                PlanDesc desc = support::make_plan_desc(image);
                desc.more_targets.assign(bank.target_count() - 1, desc.target);
                const auto source = support::make_source(desc, random);
                const auto before = support::make_target(desc, random);
                const Plan plan(engine(), bank, desc, gz::axis_by_axis);
                const auto run_bank = [&](const gz::HostRun &how) {
                    std::vector<std::vector<std::byte>> results(bank.target_count(), before);
                    std::vector<gz::HostTarget> targets;
                    for (std::vector<std::byte> &result : results)
                        targets.push_back({result.data(), result.size()});
                    plan.run({{source.data(), source.size()}}, targets, how);
                    return results;
                };
                const auto expected = run_bank({});
                const auto count = [&](std::uint64_t done, std::uint64_t) {
                    slabs += done > 0;
                    return true;
                };
                const auto got = run_bank({count, 40000});
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    CAPTURE(i);
                    CHECK(support::first_difference(expected[i], got[i], desc) == "");
                }
            }
        CHECK(slabs > 9 * 8);
    }

    TEST_CASE("tables of sums go on from slab to slab") {
        struct Types {
            PixelType src, dst;
        };
        const Types types[] = {{PixelType::u8, PixelType::u32},
                               {PixelType::u16, PixelType::u64},
                               {PixelType::s16, PixelType::s32},
                               {PixelType::f32, PixelType::f32}};
        const std::pair<int, int> sizes[] = {{1, 90}, {200, 1}, {61, 45}};
        std::minstd_rand random(2);
        int slabs = 0;
        for (const std::vector<int> &row : support::pairwise({4, 3, 3, 2, 2})) {
            const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[i]); };
            ImageCase image;
            image.src_type = types[at(0)].src;
            image.dst_type = types[at(0)].dst;
            std::tie(image.width, image.height) = sizes[at(1)];
            image.region = support::all_regions[at(2)];
            image.channels = 1 + 2 * row[3];
            image.planes = image.slices = row[4] + 1;
            image.border = gz::BorderMode::zero;
            CAPTURE(image.name());
            const PlanDesc desc = support::make_plan_desc(image, gz::Results::sums);
            const auto source = support::make_source(desc, random);
            const auto before = support::make_target(desc, random);
            const Plan plan(engine(), Filter::sat(), desc, "");
            const auto expected = run(plan, source, before);
            const auto got = run_in_slabs(plan, source, before, 20, slabs);
            if (image.src_type != PixelType::f32) {
                CHECK(support::first_difference(expected, got, desc) == "");
                continue;
            }
            CHECK(support::written_outside(before, got, desc) == "");
            const double sum = image.width * image.height; // of magnitudes, at most
            CHECK(worst_difference(desc, expected, got) <=
                  2 * gz::sat_error_bound(image.width, image.height, sum));
        }
        CHECK(slabs > 200);
    }

    TEST_CASE("slabs take the iterations of small boxes as the whole image does: the same bits") {
        // Large enough for iterations at once on a CPU, which no slab is by itself; and too small for them.
        std::minstd_rand random(5);
        for (const auto &[width, height] :
             {std::pair<std::int64_t, std::int64_t>{1024, 600}, {300, 200}}) {
            PlanDesc desc;
            desc.source = desc.target = support::make_image(PixelType::f32, {width, height, 1, 1});
            desc = gz::complete(desc);
            const Plan plan(engine(), Filter::box({{3, 2, 0, 0}, 3}), desc, "");
            const auto source = support::make_source(desc, random);
            const auto before = support::make_target(desc, random);
            const auto expected = run(plan, source, before);
            int slabs = 0;
            const auto got = run_in_slabs(plan, source, before, 6, slabs);
            CHECK(slabs > 3);
            CHECK(support::first_difference(expected, got, desc) == "");
            const bool is_at_once = plan.explain().find("pass 2 of 3") == std::string::npos;
            CHECK((is_at_once || width == 300 || !engine()->facts().is_cpu()));
        }
    }

    TEST_CASE(
        "what does not fit on the device is streamed from the host and refused on the device") {
        // u8 pixels, for which f32 needs four times the bytes, between iterations.
        const auto pixels = static_cast<std::int64_t>(engine()->facts().max_allocation / 4) + 1;
        const std::int64_t width = 1 << 20;
        PlanDesc desc;
        desc.source = desc.target =
            support::make_image(PixelType::u8, {width, pixels / width + 1, 1, 1});
        const Plan plan(engine(), Filter::box({{16, 1, 0, 0}, 2}), gz::complete(desc), "");
        const std::string said = plan.explain();
        INFO(said);
        CHECK(said.find("device memory: refused: the image between iterations") !=
              std::string::npos);
        CHECK(said.find("host memory: streamed, ") != std::string::npos);
        plan.prepare();
        const cl::Buffer buffer = engine()->allocate(64, "a buffer");
        const auto enqueue = [&](const Plan &on) {
            on.enqueue(nullptr, {buffer()}, {buffer()}, nullptr, {}, nullptr);
        };
        support::check_refused(gz::Status::unsupported, {"iterations", "host memory"},
                               [&] { enqueue(plan); });

        desc.source = desc.target =
            support::make_image(PixelType::u8, {width, 4 * pixels / width + 4, 1, 1});
        const Plan larger(engine(), Filter::box({{1, 1, 0, 0}, 1}), gz::complete(desc), "");
        CHECK(larger.explain().find("host memory: streamed, ") != std::string::npos);
        support::check_refused(gz::Status::unsupported,
                               {"the source needs", "largest buffer", "host memory"},
                               [&] { enqueue(larger); });
    }

    TEST_CASE("lines that there is no room for are cut where filters forget") {
        const gz::Scan there{0, true, {0.5}, {0.5}};
        const gz::Scan back{0, false, {0.25}, {1.0, -0.25}};
        const FilterCase cases[] = {
            {"there", Filter::recursive({there}), Same::within_bound},
            {"back", Filter::recursive({back}), Same::within_bound},
            {"stages", Filter::recursive({there, there, back}), Same::within_bound},
            {"bspline", Filter::bspline(3), Same::within_bound},
            {"gaussian", recursive_gaussian({2.0, 0, 0, 0}), Same::within_bound},
            {"difference", Filter::dog(1.5, 2.0, gz::GaussianMethod::recursive),
             Same::within_bound},
        };
        std::minstd_rand random(3);
        for (const std::vector<int> &row : support::pairwise({6, 6, 3, 2, 2})) {
            const auto at = [&](std::size_t i) { return static_cast<std::size_t>(row[i]); };
            const FilterCase &test = cases[at(0)];
            ImageCase image;
            image.border = at(1) < 5 ? gz::all_border_modes[at(1)] : gz::BorderMode::zero;
            std::tie(image.width, image.height) = std::pair(4001 + row[3] * 1000, 1);
            image.region = support::all_regions[at(2)];
            image.channels = 1 + 2 * row[4];
            CAPTURE(test.name);
            CAPTURE(image.name());
            const PlanDesc desc = support::make_plan_desc(image);
            // Slabs of two lines and a part of one.
            const std::uint64_t part = 6;
            int slabs = 0;
            check_same(test, desc, part, random, slabs);
            CHECK(slabs > 2);
        }
        PlanDesc desc;
        desc.source = desc.target = support::make_image(PixelType::f32, {4000, 1, 1, 1});
        const Plan plan(engine(), Filter::recursive({{0, true, {0.01}, {0.99}}}),
                        gz::complete(desc), "");
        std::vector<std::byte> line(16000);
        support::check_refused(gz::Status::unsupported, {"4000x1", "cannot be made smaller"}, [&] {
            run(plan, line, line, {{}, 10000});
        });
    }

    TEST_CASE("slabs keep to the memory that they are given") {
        PlanDesc desc;
        desc.source = desc.target = support::make_image(PixelType::u8, {1000, 900, 1, 1});
        desc = gz::complete(desc);
        for (const std::uint64_t buffer :
             std::initializer_list<std::uint64_t>{60000, 200000, 800000})
            for (const Filter &filter :
                 {Filter::box({{30, 30, 0, 0}, 3}), taps_gaussian({12.0, 12.0, 0, 0})}) {
                gz::StageDesc stage{desc};
                for (std::size_t axis = 0; axis < 2; ++axis)
                    stage.reach[axis] = {90, 90};
                stage.lower = [&](const PlanDesc &slab) { return gz::lower(filter, slab); };
                const gz::DeviceRoom room{10 * buffer, 20 * buffer};
                const gz::StreamStage cut(*engine(), stage, room);
                CHECK(cut.device_bytes() <= room.total);
                CHECK(cut.device_bytes() > room.total / 8);
            }
    }
}
