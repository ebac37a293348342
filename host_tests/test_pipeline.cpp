// Plans of several passes and launches: their needs, their texts, and that they run in turn.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.hpp"
#include "families/reference.hpp"
#include "plan/plan.hpp"
#include "support/image_case.hpp"
#include "support/unit.hpp"

namespace {

using gz::Filter;
using gz::Pipeline;
using gz::PixelType;
using gz::PlanDesc;
using support::engine;

PlanDesc whole(const gz::Axes &extent, PixelType type = PixelType::f32) {
    PlanDesc desc;
    desc.source = desc.target = support::make_image(type, extent);
    return gz::complete(desc);
}

Pipeline make_pipeline(const Filter &filter, const PlanDesc &desc, const std::string &variant) {
    return {*engine(), gz::lower(filter, desc), variant};
}

Filter long_taps() {
    return Filter::gaussian({{12.0, 9.0, 0, 0}});
}

Filter long_memory() {
    return Filter::recursive({{0, true, {0.01}, {0.99}}});
}

} // namespace

TEST_SUITE("pipeline") {
    TEST_CASE("launches, names and explanations of several passes, in order") {
        const Pipeline box = make_pipeline(Filter::box({{5, 4, 0, 0}, 3}), whole({100, 80, 1, 1}),
                                           "box_plain:GROUP_X=1");
        CHECK(box.launches() == 6);
        CHECK(box.variant() == "box_plain:GROUP_X=1; box_plain:GROUP_X=1; box_plain:GROUP_X=1");
        const std::string said = box.explain();
        for (const char *part : {"pass 1 of 3: box_plain:GROUP_X=1", "pass 2 of 3", "pass 3 of 3",
                                 "2 launches", "chosen because: forced by the caller"})
            CHECK(said.find(part) != std::string::npos);

        const Pipeline passes =
            make_pipeline(long_taps(), whole({100, 80, 1, 1}), "separable_passes");
        CHECK(passes.launches() == 3);
        CHECK(passes.variant().find("separable_passes:") == 0);
        CHECK(passes.variant().find(';') == std::string::npos);
        CHECK(passes.explain().find("3 launches") != std::string::npos);

        const Pipeline one = make_pipeline(Filter::box({{1, 1, 0, 0}, 1}), whole({100, 80, 1, 1}),
                                           "box_strips:BAND=16,STRIP=512");
        CHECK(one.launches() == 1);
        CHECK(one.workspace_bytes() == 0);
        CHECK(one.explain().find("1 launch\n") != std::string::npos);
    }

    TEST_CASE("a kernel is forced for every pass or refused") {
        const auto variant = [](std::int64_t radius, const std::string &forced) {
            return make_pipeline(Filter::box({{radius, radius, 0, 0}, 2}), whole({100, 80, 1, 1}),
                                 forced)
                .variant();
        };
        support::check_refused(gz::Status::invalid_argument, {"'correlate_plain'", "box_plain"},
                               [&] { variant(16, "correlate_plain"); });
        support::check_refused(gz::Status::invalid_argument,
                               {"'box_tilled'", "correlate_plain", "box_plain"},
                               [&] { variant(7, "box_tilled"); });
        // Small boxes are taps too: of both iterations, and of each in four frames beside the border.
        const std::string taps = "correlate_plain:GROUP_X=64,GROUP_Y=1";
        std::string all = taps;
        for (int i = 0; i < 4 * 2; ++i)
            all += "; " + taps;
        CHECK(variant(7, taps) == all);
        CHECK(variant(7, "box_plain:GROUP_X=1") == "box_plain:GROUP_X=1; box_plain:GROUP_X=1");
        CHECK(variant(7, "").find("box") == std::string::npos);
        CHECK(variant(8, "").find("box") == 0);
    }

    TEST_CASE("frames of small boxes are made in the launch of the stream before, and of no other "
              "kernel") {
        const auto make = [](const PlanDesc &desc, const std::string &forced) {
            return make_pipeline(Filter::box({{5, 5, 0, 0}, 3}), desc, forced);
        };
        const PlanDesc desc = whole({100, 80, 1, 1});
        const Pipeline joined = make(desc, "separable_stream; box_frames");
        CHECK(joined.launches() == 1);
        CHECK(joined.explain().find("in the launch of the pass before") != std::string::npos);
        CHECK(make(desc, "separable_passes; box_frames").launches() > 1);
        // Nothing but frames.
        CHECK(make(whole({20, 20, 1, 1}), "separable_stream; box_frames").launches() == 1);
    }

    TEST_CASE("means of integers are exact, those of small boxes as taps too") {
        std::minstd_rand random(6);
        for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::s16})
            for (const gz::Axes &radius : {gz::Axes{1, 1, 0, 0}, gz::Axes{2, 3, 0, 0},
                                           gz::Axes{7, 7, 0, 0}, gz::Axes{0, 5, 0, 0}}) {
                support::ImageCase test;
                test.src_type = test.dst_type = type;
                test.width = 61;
                test.height = 50;
                test.border = gz::BorderMode::reflect;
                CAPTURE(test.name());
                CAPTURE(gz::to_text(radius));
                const PlanDesc desc = support::make_plan_desc(test);
                const Filter filter = Filter::box({radius, 1});
                const auto source = support::make_source(desc, random);
                const auto before = support::make_target(desc, random);
                auto expected = before;
                gz::compute_in_double(
                    {filter, desc.source, desc.border, desc.region, source.data()},
                    [&](const gz::RowPlace &at, const double *row) {
                        // Nearest in double: f32 may round a mean to a tie. None is one.
                        std::vector<float> rounded(61);
                        for (std::size_t x = 0; x < rounded.size(); ++x)
                            rounded[x] = static_cast<float>(std::nearbyint(row[x]));
                        support::store_row(desc, at, rounded.data(), expected);
                    });
                CHECK(support::run_forced(filter, desc, "", source, before) == expected);
            }
    }

    TEST_CASE("passes share the workspace that each needs for itself") {
        const PlanDesc desc = whole({100, 80, 1, 1});
        const auto bytes = [&](int iterations, const char *kernel) {
            return make_pipeline(Filter::box({{5, 4, 0, 0}, iterations}), desc, kernel)
                .workspace_bytes();
        };
        const std::uint64_t own = bytes(1, "box_plain");
        const std::uint64_t between = bytes(2, "box_strips"); // an f32 image
        CHECK(own > 0);
        CHECK(between >= 100 * 80 * 4);
        CHECK(bytes(2, "box_plain") == own + between);
        CHECK(bytes(3, "box_plain") == own + 2 * between);
        CHECK(bytes(16, "box_plain") == own + 2 * between);
        CHECK(bytes(16, "box_strips") == 2 * between);
    }

    TEST_CASE("images between iterations that the device cannot hold are not run") {
        // u8 pixels, for which f32 needs four times the bytes.
        const auto pixels = static_cast<std::int64_t>(engine()->facts().max_allocation / 4) + 1;
        const std::int64_t width = 1 << 20;
        const PlanDesc desc = whole({width, pixels / width + 1, 1, 1}, PixelType::u8);
        const auto make = [&](int iterations) {
            return make_pipeline(Filter::box({{16, 1, 0, 0}, iterations}), desc, "");
        };
        CHECK(make(1).too_large() == "");
        const Pipeline two = make(2);
        support::check_refused(gz::Status::unsupported,
                               {"iterations", std::to_string(engine()->facts().max_allocation)},
                               [&] { two.prepare(*engine()); });
    }

    TEST_CASE("the first and the last launch have events, the last is complete after all") {
        const PlanDesc desc = whole({300, 200, 1, 1});
        const Pipeline pipeline =
            make_pipeline(Filter::box({{5, 4, 0, 0}, 2}), desc, "box_plain:GROUP_X=64");
        const auto bytes = static_cast<std::uint64_t>(desc.source.bytes());
        const cl::Buffer from = engine()->allocate(bytes, "the source");
        const cl::Buffer to = engine()->allocate(bytes, "the target");
        cl::CommandQueue queue = engine()->queue();
        queue.enqueueFillBuffer(from, 1.0F, 0, bytes);
        REQUIRE(pipeline.launches() == 4);
        cl::Event first, last, alone;
        pipeline.enqueue(*engine(), queue, {from}, {to}, {}, {&first, &last});
        pipeline.enqueue(*engine(), queue, {from}, {to}, {}, {nullptr, &alone});
        alone.wait();
        CHECK(first() != last());
        for (const cl::Event &event : {first, last, alone}) {
            CHECK(event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE);
            CHECK(event.getInfo<CL_EVENT_COMMAND_TYPE>() == CL_COMMAND_NDRANGE_KERNEL);
        }
        CHECK(first.getProfilingInfo<CL_PROFILING_COMMAND_END>() <=
              last.getProfilingInfo<CL_PROFILING_COMMAND_START>());
        std::vector<float> got(bytes / sizeof(float));
        queue.enqueueReadBuffer(to, CL_TRUE, 0, bytes, got.data());
        CHECK(got == std::vector<float>(got.size(), 1.0F));
    }

    TEST_CASE("a queue that runs out of order: every launch waits for the one before") {
        cl::CommandQueue queue;
        try {
            queue = {engine()->context(), engine()->device(),
                     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
        } catch (const cl::Error &) {
            MESSAGE("the device has no queues that run out of order");
            return;
        }
        PlanDesc desc = whole({400, 300, 1, 1});
        std::vector<float> pixels(400 * 300);
        std::minstd_rand random(3);
        for (float &pixel : pixels)
            pixel = static_cast<float>(random() % 1000) / 1000.0F;
        const std::size_t bytes = pixels.size() * sizeof(float);
        struct Case {
            Filter filter;
            std::string variant;
            gz::BorderMode border = gz::BorderMode::clamp;
        };
        for (const Case &test :
             {Case{long_taps(), "separable_passes"},
              Case{Filter::box({{9, 20, 0, 0}, 4}), "box_plain"},
              Case{Filter::sat(), "sat_once", gz::BorderMode::zero},
              Case{long_memory(), "recursive_lookback:CHUNKS=32", gz::BorderMode::zero}}) {
            CAPTURE(test.variant);
            desc.border.mode = test.border;
            const gz::Plan plan(engine(), test.filter, desc, test.variant);
            plan.prepare();
            std::vector<float> expected(pixels.size());
            plan.run({{reinterpret_cast<const std::byte *>(pixels.data()), bytes}},
                     {{reinterpret_cast<std::byte *>(expected.data()), bytes}});
            // Several at once, none of which can start before all are enqueued.
            std::vector<cl::Buffer> targets;
            const cl::Buffer from = engine()->allocate(bytes, "the source");
            cl::UserEvent start(engine()->context());
            std::vector<cl::Event> ends;
            for (int i = 0; i < 4; ++i) {
                targets.push_back(engine()->allocate(bytes, "a target"));
                cl_event done = nullptr;
                plan.enqueue(queue(), {from()}, {targets.back()()}, nullptr, {start()}, &done);
                ends.emplace_back(done);
            }
            // No launch may have missed the wait list: the pixels come only now.
            engine()->queue().enqueueWriteBuffer(from, CL_TRUE, 0, bytes, pixels.data());
            start.setStatus(CL_COMPLETE);
            cl::Event::waitForEvents(ends);
            for (const cl::Buffer &target : targets) {
                std::vector<float> got(pixels.size());
                engine()->queue().enqueueReadBuffer(target, CL_TRUE, 0, bytes, got.data());
                CHECK(std::memcmp(got.data(), expected.data(), bytes) == 0);
            }
        }
    }

    TEST_CASE("words that groups share are 0 again after each run") {
        std::minstd_rand random(5);
        constexpr std::size_t words = 4096;
        cl::CommandQueue queue = engine()->queue();
        for (int i = 0; i < 3; ++i)
            for (const gz::Axes &extent : {gz::Axes{200, 130, 1, 1}, gz::Axes{70, 50, 1, 1}}) {
                PlanDesc desc = whole(extent);
                desc.border.mode = gz::BorderMode::zero;
                const auto source = support::make_source(desc, random);
                const auto before = support::make_target(desc, random);
                const auto run = [&](const Filter &filter, const char *kernel) {
                    return support::run_forced(filter, desc, kernel, source, before);
                };
                const auto is_zero = [&] {
                    gz::WorkspaceLoan loan = engine()->cleared().lend(4 * words, queue);
                    std::vector<std::uint32_t> held(words, 1);
                    queue.enqueueReadBuffer(loan.buffer, CL_TRUE, 0, 4 * words, held.data());
                    engine()->cleared().give_back(std::move(loan), queue, {});
                    return held == std::vector<std::uint32_t>(words, 0);
                };
                CHECK(run(Filter::sat(), "sat_once:LANES=16,ROWS=4,STACKED=4") ==
                      run(Filter::sat(), "sat_gather:LANES=16,ROWS=4,STACKED=4"));
                CHECK(is_zero());
                const auto filtered = run(long_memory(), "recursive_lookback:CHUNKS=32");
                CHECK_FALSE(filtered.empty());
                CHECK(is_zero());
                CHECK(filtered == run(long_memory(), "recursive_lookback:CHUNKS=32"));
            }
    }

    TEST_CASE("iterations of a box on regions: as the reference in double") {
        std::minstd_rand random(4);
        for (const support::RegionKind region : support::all_regions)
            for (const gz::BorderMode border : gz::all_border_modes) {
                support::ImageCase test;
                test.src_type = PixelType::u8;
                test.dst_type = PixelType::f32;
                test.channels = 2;
                test.planes = 2;
                test.slices = 3;
                test.width = 41;
                test.height = 30;
                test.border = border;
                test.border_value = 7.0;
                test.region = region;
                CAPTURE(test.name());
                PlanDesc desc = support::make_plan_desc(test);
                if (region != support::RegionKind::whole) {
                    desc.region.source_origin[2] = 1;
                    desc.region.extent[2] = 2;
                }
                desc = gz::complete(desc);
                const Filter filter = Filter::box({{3, 2, 0, 0}, 3});
                const auto source = support::make_source(desc, random);
                const auto before = support::make_target(desc, random);
                const auto got = support::run_forced(filter, desc, "", source, before);
                REQUIRE_FALSE(got.empty());
                CHECK(support::written_outside(before, got, desc) == "");
                double worst = 0.0;
                gz::compute_in_double(
                    {filter, desc.source, desc.border, desc.region, source.data()},
                    [&](const gz::RowPlace &at, const double *row) {
                        const gz::Axes &origin = desc.region.target_origin;
                        const std::byte *out =
                            got.data() + desc.target.byte_of({origin[0], origin[1] + at.y,
                                                              origin[2] + at.z, origin[3] + at.t},
                                                             at.plane);
                        for (std::int64_t i = 0; i < desc.region.extent[0] * 2; ++i)
                            worst = std::max(
                                worst,
                                std::abs(gz::load_pixel(PixelType::f32, out + 4 * i) - row[i]));
                    });
                CHECK(worst <= 255.0 * 2e-6);
            }
    }
}
