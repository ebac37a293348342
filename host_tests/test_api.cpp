// The library as an embedder uses it: the public headers and the shared library, nothing else.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <locale>
#include <random>
#include <string>
#include <utility>
#include <vector>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <gauze/gauze.hpp>

#include "support/embedder.hpp"

// From test_header.c.
extern "C" {
int32_t version_seen_from_c(void);
int filters_made_from_c(gauze_filter *filters[11]);
}

namespace {

using embedder::check_c_refused;
using embedder::check_refused;
using embedder::cross;
using embedder::engine;
using embedder::float_bytes;
using embedder::ones;
using embedder::Outcome;
using embedder::outcome_of;
using embedder::Queue;
using embedder::random_pixels;
using gauze::Border;
using gauze::Image;
using gauze::ImageDesc;
using gauze::PlanOptions;
using gauze::Region;
using gauze::Taps;
using gauze::Type;

// Returns the plan's result for random pixels, checked against the reference.
std::vector<float> verified(const gauze::Filter &filter, const ImageDesc &desc,
                            const PlanOptions &options = {}) {
    const gauze::Plan plan = engine().plan(filter, desc, options);
    const std::vector<float> src =
        random_pixels(static_cast<std::size_t>(desc.bytes() / float_bytes));
    std::vector<float> dst(src.size(), -1.0F);
    plan.run(src, dst);
    const gauze::Verification result =
        plan.verify(src.data(), src.size() * float_bytes, dst.data(), dst.size() * float_bytes);
    INFO(plan.explain());
    INFO("error ", result.worst_error, ", bound ", result.bound);
    CHECK(result.within_bound);
    return dst;
}

} // namespace

TEST_SUITE("api") {
    TEST_CASE("SSIMULACRA 2 of pairs, of images on the device, and a map") {
        const ImageDesc desc = Image::u8(40, 33, 3);
        std::vector<unsigned char> first(desc.bytes()), second(first.size());
        for (std::size_t i = 0; i < first.size(); ++i) {
            first[i] = static_cast<unsigned char>(i / 3 % 40 * 4 + i / 120 * 2);
            second[i] = static_cast<unsigned char>(first[i] + i % 7);
        }
        gauze::Ssimulacra2 metric = engine().ssimulacra2(desc, desc);
        CHECK(metric.explain().find("launches: 3 for each distorted image") != std::string::npos);
        const double score = metric.score(first, second);
        CHECK(score < 100.0);
        CHECK(metric.score(first) == 100.0); // the reference is kept
        CHECK(metric.scores({first, second, first}) == std::vector<double>{100.0, score, 100.0});
        CHECK(metric.scores({second, first}, {second, second}) ==
              std::vector<double>{100.0, score});

        Image reference = engine().image(desc);
        Image distorted = engine().image(desc);
        reference.write(first.data(), first.size());
        distorted.write(second.data(), second.size());
        metric.set_reference(reference);
        CHECK(metric.score(distorted) == score);
        CHECK(metric.image_scores({&distorted, &reference}) == std::vector<double>{score, 100.0});
        CHECK(metric.image_scores({&distorted}, {&distorted}) == std::vector<double>{100.0});

        metric.set_reference(first);
        const gauze::Ssimulacra2::ErrorMap map = metric.error_map(second);
        CHECK(map.score == score);
        CHECK(map.values.size() == 40 * 33);
        CHECK(*std::min_element(map.values.begin(), map.values.end()) >= 0.0F);
        CHECK(*std::max_element(map.values.begin(), map.values.end()) > 0.0F);
        CHECK(gauze::ssimulacra2_score(0.0) == 100.0);
        CHECK(gauze::ssimulacra2_score(1.0) < gauze::ssimulacra2_score(0.5));
        CHECK(gauze::ssimulacra2_score(-1.0) == 100.0);
        CHECK(std::isnan(gauze::ssimulacra2_score(std::nan(""))));
    }

    TEST_CASE("version and names") {
        CHECK(gauze::version() == "0.1.0");
        CHECK(std::string(gauze_status_name(GAUZE_ERROR_OVERLAP)) == "GAUZE_ERROR_OVERLAP");
        CHECK(std::string(gauze_status_name(GAUZE_ERROR_CANCELLED)) == "GAUZE_ERROR_CANCELLED");
        CHECK(std::string(gauze_status_name(12345)) == "unknown status");
        CHECK(gauze::size_of(Type::f16) == 2);
        CHECK(gauze::name_of(Type::s16) == "s16");
        CHECK(gauze_type_size(99) == 0);
    }

    TEST_CASE("the header serves C: filters whose other fields are 0") {
        CHECK(version_seen_from_c() == gauze_version());
        gauze_filter *filters[11] = {};
        CHECK(filters_made_from_c(filters) == 1);
        for (gauze_filter *filter : filters) {
            CHECK(filter != nullptr);
            gauze_filter_destroy(filter);
        }
    }

    TEST_CASE("devices") {
        const gauze::DeviceList list = gauze::devices();
        REQUIRE(!list.devices.empty());
        int defaults = 0;
        for (const gauze::DeviceInfo &info : list.devices) {
            CHECK(!info.name.empty());
            CHECK(info.max_allocation > 0);
            defaults += info.is_default ? 1 : 0;
        }
        CHECK(defaults == 1);
    }

    TEST_CASE("an engine says what it chose, to the log and when asked") {
        std::string log;
        gauze::EngineOptions options;
        options.log = [](gauze_log_level, const char *text, void *user) {
            *static_cast<std::string *>(user) += text;
        };
        options.log_user = &log;
        const gauze::Engine logged(options);
        CHECK(log.find(logged.device().name) != std::string::npos);

        gauze::EngineOptions nothing;
        nothing.device = "no such device";
        check_refused(outcome_of([&] { gauze::Engine refused(nothing); }), GAUZE_ERROR_NO_DEVICE,
                      "no such device");
    }

    TEST_CASE("host memory: the example of the README") {
        const int width = 64, height = 48;
        std::vector<std::uint8_t> src(width * height * 3, 100), dst(src.size(), 0);
        const gauze::Plan plan =
            engine().plan(gauze::correlate(ones(3, 3, 1.0 / 9)), Image::u8(width, height, 3));
        plan.run(src, dst);
        CHECK(dst == src); // a mean of equal pixels
    }

    TEST_CASE("results verify, and wrong ones do not") {
        const ImageDesc desc = Image::f32(61, 47);
        const std::vector<float> src = random_pixels(61 * 47);
        std::vector<float> dst(src.size());
        const gauze::Plan plan = engine().plan(gauze::convolve(cross()), desc);
        plan.run(src, dst);
        const auto verify = [&] {
            return plan.verify(src.data(), src.size() * float_bytes, dst.data(),
                               dst.size() * float_bytes);
        };
        CHECK(verify().within_bound);
        CHECK(verify().pixels == 61 * 47);
        dst[30 * 61 + 17] += 0.01F;
        CHECK(!verify().within_bound);
        CHECK(verify().worst_at[0] == 17);
        CHECK(verify().worst_at[1] == 30);
    }

    TEST_CASE("infinite pixels do not make every result right") {
        const ImageDesc desc = Image::f32(64, 64);
        std::vector<float> src = random_pixels(64 * 64);
        src[0] = std::numeric_limits<float>::infinity();
        std::vector<float> dst(src.size());
        const gauze::Plan plan = engine().plan(gauze::correlate(cross()), desc);
        plan.run(src, dst);
        const auto within = [&] {
            return plan
                .verify(src.data(), src.size() * float_bytes, dst.data(), dst.size() * float_bytes)
                .within_bound;
        };
        CHECK(within());
        dst[2000] = 12345.0F;
        CHECK(!within());
    }

    TEST_CASE("one row with neighbours whose rows are not aligned") {
        // The region's own row starts aligned, those above and below do not.
        const ImageDesc whole = Image::f32(401, 80);
        Region region;
        region.source_origin = {128, 20, 0, 0};
        region.extent = {64, 1, 0, 0};
        region.target_origin = {0, 0, 0, 0};
        region.edge = gauze::RegionEdge::neighbours;
        const ImageDesc row = Image::f32(64, 1);
        const std::vector<float> src = random_pixels(401 * 80);
        std::vector<float> got(64), expected(64);
        Image from = engine().image(whole), to = engine().image(row);
        from.write(src.data(), src.size() * float_bytes);
        for (const char *kernel : {"correlate_tiled", "correlate_plain"}) {
            const gauze::Plan plan =
                engine().plan(gauze::correlate(cross()), whole, row,
                              PlanOptions().with_region(region).with_variant(kernel));
            plan.enqueue(nullptr, from.mem(), to.mem());
            to.read(got.data(), got.size() * float_bytes);
            plan.run(src, expected);
            CHECK(got == expected);
        }
    }

#ifndef _WIN32 // which has no fork
    TEST_CASE("a forked process is refused, not left waiting") {
        const ImageDesc desc = Image::f32(16, 16);
        const std::vector<float> src = random_pixels(256);
        std::vector<float> dst(256);
        const gauze::Plan plan = engine().plan(gauze::correlate(cross()), desc);
        plan.run(src, dst);
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            alarm(10);
            const gauze_host_source from{src.data(), src.size() * float_bytes};
            const gauze_host_target to{dst.data(), dst.size() * float_bytes};
            const gauze_status status = gauze_plan_run(plan.c_handle(), &from, 1, &to, 1, nullptr);
            _exit(status == GAUZE_ERROR_UNSUPPORTED ? 0 : 1);
        }
        int state = -1;
        REQUIRE(waitpid(child, &state, 0) == child);
        CHECK(state == 0);
    }

    TEST_CASE(
        "a process that is forked after devices were listed, or an engine was made, is refused") {
        { const gauze::Engine destroyed; }
        gauze_device_list *list = nullptr;
        REQUIRE(gauze_device_list_create(&list) == GAUZE_OK);
        gauze_device_list_destroy(list);
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            alarm(10);
            const auto is_refused = [](gauze_status status) {
                const std::string said = gauze_last_error();
                return status == GAUZE_ERROR_UNSUPPORTED &&
                       said.find("spawn") != std::string::npos &&
                       said.find("fork before the first use") != std::string::npos;
            };
            gauze_engine *own = nullptr;
            const bool refused = is_refused(gauze_engine_create(nullptr, &own)) &&
                                 is_refused(gauze_device_list_create(&list));
            _exit(refused ? 0 : 1);
        }
        int state = -1;
        REQUIRE(waitpid(child, &state, 0) == child);
        CHECK(state == 0);
    }
#endif

    TEST_CASE("the embedder's locale is in no key of the cache and no text") {
        struct Punctuation : std::numpunct<char> {
            char do_thousands_sep() const override { return ','; }
            char do_decimal_point() const override { return ';'; }
            std::string do_grouping() const override { return "\3"; }
        };
        embedder::KeptPrograms programs;
        struct Said {
            std::string explained, refused;
            std::uint64_t hits;
        };
        const auto ask = [&] {
            const gauze::Engine own(programs.options());
            const gauze::Plan plan = own.plan(gauze::gaussian(1.25), Image::f32(31417, 3));
            plan.prepare();
            const Outcome refused = outcome_of([&] { gauze::gaussian(-1234.5); });
            return Said{plan.explain(), refused.text, own.cache_counts().hits};
        };
        const Said before = ask();
        const std::size_t stored = programs.count();
        CHECK(stored > 0);
        const std::locale classic =
            std::locale::global(std::locale(std::locale(), new Punctuation));
        const Said after = ask();
        std::locale::global(classic);
        CHECK(after.explained == before.explained);
        CHECK(after.explained.find("31417") != std::string::npos);
        CHECK(after.refused == before.refused);
        CHECK(after.refused.find("-1234.5") != std::string::npos);
        CHECK(after.hits > 0);
        CHECK(programs.count() == stored);
    }

    TEST_CASE("in place on host memory is as if the source had been copied") {
        const ImageDesc desc = Image::f32(70, 33);
        std::vector<float> pixels = random_pixels(70 * 33);
        std::vector<float> expected(pixels.size());
        const gauze::Plan plan = engine().plan(gauze::correlate(cross()), desc);
        plan.run(pixels, expected);
        plan.run(pixels, pixels);
        CHECK(pixels == expected);
    }

    TEST_CASE("device memory: pitch, offset, region, wait list and event") {
        // Two images in one buffer: the source's rows are 80 pixels apart from byte 256 on, the
        // target follows.
        ImageDesc from = Image::f32(61, 40), to = from;
        from.offset = 256;
        from.pitch[1] = 80 * 4;
        to.offset = 256 + 40 * 80 * 4;
        to.pitch[1] = 64 * 4;
        Region region;
        region.source_origin = {5, 3, 0, 0};
        region.extent = {50, 30, 0, 0};
        region.target_origin = {11, 10, 0, 0};
        const gauze::Plan plan =
            engine().plan(gauze::correlate(cross()), from, to, PlanOptions().with_region(region));

        ImageDesc memory = Image::f32(80 * 40 + 64 * 40 + 64, 1);
        Image both = engine().image(memory);
        std::vector<float> pixels = random_pixels(static_cast<std::size_t>(memory.extent[0]));
        both.write(pixels.data(), pixels.size() * float_bytes);
        cl_context context = nullptr;
        REQUIRE(clGetMemObjectInfo(both.mem(), CL_MEM_CONTEXT, sizeof context, &context, nullptr) ==
                CL_SUCCESS);
        cl_int error = CL_SUCCESS;
        cl_event start = clCreateUserEvent(context, &error);
        REQUIRE(error == CL_SUCCESS);
        cl_event done = nullptr;
        plan.enqueue(nullptr, both.mem(), both.mem(), {start}, &done);
        REQUIRE(done != nullptr);
        cl_int state = CL_COMPLETE;
        clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
        CHECK(state != CL_COMPLETE); // it waits for `start`, and enqueue did not
        clSetUserEventStatus(start, CL_COMPLETE);
        clWaitForEvents(1, &done);
        clReleaseEvent(done);
        clReleaseEvent(start);

        std::vector<float> got(pixels.size());
        both.read(got.data(), got.size() * float_bytes);
        std::vector<float> expected = pixels;
        plan.run(pixels.data(), pixels.size() * float_bytes, expected.data(),
                 expected.size() * float_bytes);
        CHECK(got == expected);
    }

    TEST_CASE("events of another context are refused by name") {
        const ImageDesc desc = Image::f32(16, 16);
        const gauze::Plan plan = engine().plan(gauze::correlate(cross()), desc);
        const Image from = engine().image(desc);
        Image to = engine().image(desc);
        const Queue queue(0);
        cl_device_id device = nullptr;
        REQUIRE(clGetContextInfo(queue.context(), CL_CONTEXT_DEVICES, sizeof device, &device,
                                 nullptr) == CL_SUCCESS);
        cl_int error = CL_SUCCESS;
        cl_context other = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
        REQUIRE(error == CL_SUCCESS);
        cl_event foreign = clCreateUserEvent(other, &error);
        REQUIRE(error == CL_SUCCESS);
        cl_event own = clCreateUserEvent(queue.context(), &error);
        REQUIRE(error == CL_SUCCESS);
        clSetUserEventStatus(own, CL_COMPLETE);
        clSetUserEventStatus(foreign, CL_COMPLETE);
        const auto run = [&](std::vector<cl_event> waits) {
            return outcome_of([&] { plan.enqueue(nullptr, from.mem(), to.mem(), waits); });
        };
        check_refused(run({own, foreign}), GAUZE_ERROR_INVALID_ARGUMENT,
                      "wait_list[1] is an event of another context");
        check_refused(run({nullptr}), GAUZE_ERROR_INVALID_ARGUMENT, "wait_list[0] is null");
        CHECK(run({own, own}).status == GAUZE_OK);
        clReleaseEvent(own);
        clReleaseEvent(foreign);
        clReleaseContext(other);
    }

    TEST_CASE("an engine in the embedder's context, on its queue and its buffers") {
        const Image probe = engine().image(Image::f32(1, 1));
        cl_context other = nullptr;
        REQUIRE(clGetMemObjectInfo(probe.mem(), CL_MEM_CONTEXT, sizeof other, &other, nullptr) ==
                CL_SUCCESS);
        cl_device_id device = nullptr;
        REQUIRE(clGetContextInfo(other, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr) ==
                CL_SUCCESS);
        cl_int error = CL_SUCCESS;
        cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
        REQUIRE(error == CL_SUCCESS);

        std::vector<float> pixels = random_pixels(40 * 30), got(pixels.size());
        const std::size_t bytes = pixels.size() * float_bytes;
        const gauze::Filter filter = gauze::gaussian(2.0);
        const ImageDesc image = Image::f32(40, 30);
        {
            gauze::EngineOptions options;
            options.context = context;
            const gauze::Engine own(options); // takes the context's only device
            CHECK(own.device().name == engine().device().name);
            CHECK(own.device().index == engine().device().index);
            options.device_id = device;
            const gauze::Engine named(options);
            options.device = "cpu";
            check_refused(outcome_of([&] { const gauze::Engine both(options); }),
                          GAUZE_ERROR_INVALID_ARGUMENT, "selector");

            cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
            cl_mem src = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                                        pixels.data(), &error);
            cl_mem dst = clCreateBuffer(context, CL_MEM_WRITE_ONLY, bytes, nullptr, &error);
            for (const gauze::Engine &each : {own, named}) {
                const gauze::Plan plan = each.plan(filter, image);
                cl_event done = nullptr;
                plan.enqueue(queue, src, dst, {}, &done);
                clEnqueueReadBuffer(queue, dst, CL_TRUE, 0, bytes, got.data(), 1, &done, nullptr);
                clReleaseEvent(done);
                std::vector<float> expected(pixels.size());
                engine().plan(filter, image).run(pixels, expected);
                CHECK(got == expected);
            }
            // Runs on the engine's own queue are in order with reads and writes of its images.
            CHECK(own.context() == context);
            CHECK(own.device_id() == device);
            Image first = own.wrap(image, src);
            const Image second = own.wrap(image, dst);
            CHECK(first.mem() == src);
            std::vector<float> expected(pixels.size());
            std::reverse(pixels.begin(), pixels.end());
            first.write(pixels.data(), bytes);
            engine().plan(filter, image).run(pixels, expected);
            own.plan(filter, image).enqueue(own.queue(), first.mem(), second.mem());
            second.read(got.data(), bytes);
            CHECK(got == expected);
            std::fill(got.begin(), got.end(), 0.0f);
            own.plan(filter, image).enqueue(nullptr, first.mem(), second.mem());
            own.finish();
            clEnqueueReadBuffer(queue, dst, CL_TRUE, 0, bytes, got.data(), 0, nullptr, nullptr);
            CHECK(got == expected);
            check_refused(outcome_of([&] { engine().wrap(image, src); }),
                          GAUZE_ERROR_INVALID_ARGUMENT, "another context");
            // Another context's objects are not the engine's.
            check_refused(
                outcome_of([&] { engine().plan(filter, image).enqueue(queue, src, dst); }),
                GAUZE_ERROR_INVALID_ARGUMENT, "another context");
            clReleaseMemObject(src);
            clReleaseMemObject(dst);
            clReleaseCommandQueue(queue);
        }
        cl_uint references = 0;
        clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references,
                         nullptr);
        CHECK(references == 1); // the engines gave back what they held

        gauze::EngineOptions lone;
        lone.device_id = device;
        check_refused(outcome_of([&] { const gauze::Engine none(lone); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "context");
        clReleaseContext(context);
    }

    TEST_CASE("overlap on device memory is refused, neighbours in one buffer are not") {
        const ImageDesc whole = Image::f32(100, 50);
        Image image = engine().image(whole);
        const std::vector<float> pixels = random_pixels(5000);
        image.write(pixels.data(), pixels.size() * float_bytes);
        const auto enqueue = [&](std::int64_t from_x, std::int64_t to_x) {
            Region region;
            region.source_origin = {from_x, 0, 0, 0};
            region.extent = {40, 50, 0, 0};
            region.target_origin = {to_x, 0, 0, 0};
            engine()
                .plan(gauze::correlate(cross()), whole, PlanOptions().with_region(region))
                .enqueue(nullptr, image.mem(), image.mem());
        };
        check_refused(outcome_of([&] { enqueue(0, 0); }), GAUZE_ERROR_OVERLAP, "in place");
        check_refused(outcome_of([&] { enqueue(0, 39); }), GAUZE_ERROR_OVERLAP, "in place");
        CHECK(outcome_of([&] { enqueue(0, 40); }).status == GAUZE_OK);
        CHECK(outcome_of([&] { enqueue(60, 20); }).status == GAUZE_OK);
        std::vector<float> got(5000);
        image.read(got.data(), got.size() * float_bytes);
        CHECK(got != pixels);
    }

    TEST_CASE("new taps, sizes, anchors and borders compile nothing within a class of sizes") {
        const gauze::Engine own;
        const auto run = [&](const gauze::Filter &filter, std::int64_t width, std::int64_t height,
                             Border border) {
            const ImageDesc desc = Image::f32(width, height);
            const std::vector<float> src = random_pixels(static_cast<std::size_t>(width * height));
            std::vector<float> dst(src.size());
            own.plan(filter, desc, PlanOptions().with_border(border)).run(src, dst);
        };
        // Taps that fill their bucket may have a program of their own.
        const Taps fewer({1, 2, 3, 5}, 2, 2);
        run(gauze::correlate(cross()), 200, 100, Border::clamp());
        CHECK(own.compile_count() == 1);
        run(gauze::correlate(fewer), 200, 100, Border::clamp());
        std::uint64_t compiled = own.compile_count();
        CHECK(compiled <= 2);
        run(gauze::correlate(cross(7.5)), 200, 100, Border::clamp());
        run(gauze::convolve(Taps({1, 2, 0, 4, 5, 6, 7, 8, 1}, 3, 3, 0, 2)), 200, 100,
            Border::clamp());
        run(gauze::correlate(Taps({1, 2, 3, 5, 8, 1}, 3, 2)), 200, 100, Border::clamp());
        run(gauze::correlate(cross()), 333, 57, Border::clamp());
        run(gauze::correlate(cross()), 5000, 17, Border::clamp());
        run(gauze::correlate(cross()), 200, 100, Border::constant(0.25));
        run(gauze::correlate(cross()), 200, 100, Border::constant(-3));
        run(gauze::correlate(cross()), 200, 100, Border::reflect101());
        CHECK(own.compile_count() == compiled);
        // The configuration of a result may leave most of the device idle on an image of a few pixels.
        run(gauze::correlate(cross()), 1, 1, Border::wrap());
        CHECK(own.compile_count() <= compiled + 1);
        compiled = own.compile_count();
        run(gauze::correlate(cross(7.5)), 2, 1, Border::clamp());
        run(gauze::correlate(cross()), 200, 100, Border::wrap());
        CHECK(own.compile_count() == compiled);
        // Results choose by class of size: medium and large images may have a program each.
        const auto prepare = [&](const gauze::Filter &filter, std::int64_t width,
                                 std::int64_t height, Border border) {
            own.plan(filter, Image::f32(width, height), PlanOptions().with_border(border))
                .prepare();
        };
        for (const std::int64_t rows : {1300, 6800}) {
            const std::uint64_t before = own.compile_count();
            prepare(gauze::correlate(cross()), 2560, rows, Border::clamp());
            CHECK(own.compile_count() <= before + 1);
            prepare(gauze::correlate(fewer), 2560, rows, Border::clamp());
            compiled = own.compile_count();
            CHECK(compiled <= before + 2);
            prepare(gauze::correlate(cross(7.5)), 2624, rows + 33, Border::clamp());
            prepare(gauze::convolve(fewer), 2560, rows, Border::wrap());
            CHECK(own.compile_count() == compiled);
        }
    }

    TEST_CASE("separable taps, gaussians and boxes are what they say") {
        const ImageDesc desc = Image::f32(150, 90);
        // A separable filter and the box of its products.
        const std::vector<float> from_axes =
            verified(gauze::separable({1, -2, 0.5}, {0.25, 1, 2}), desc);
        const std::vector<float> from_box =
            verified(gauze::correlate(Taps({0.25, -0.5, 0.125, 1, -2, 0.5, 2, -4, 1}, 3, 3)), desc);
        double worst = 0.0;
        for (std::size_t i = 0; i < from_axes.size(); ++i)
            worst = std::max(worst, static_cast<double>(std::abs(from_axes[i] - from_box[i])));
        CHECK(worst < 1e-5);

        gauze::SeparableTaps along_x;
        along_x.values[0] = {0, 0, 1};
        along_x.has_anchor = true;
        along_x.anchor = {0, 0, 0, 0};
        const std::vector<float> src = random_pixels(150 * 90);
        const std::vector<float> shifted = verified(gauze::separable(along_x), desc);
        CHECK(shifted[40 * 150 + 10] == src[40 * 150 + 12]);

        verified(gauze::separable(std::vector<double>(501, 1.0 / 501), {1, 2, 1}), desc,
                 PlanOptions().with_border(Border::wrap()));
        verified(gauze::gaussian(1.5), desc);
        verified(gauze::gaussian(30.0), desc);
        gauze::Gaussian edges;
        edges.sigma = {2.0, 1.0, 0, 0};
        edges.derivative = {1, 0, 0, 0};
        edges.truncate = 5.0;
        edges.method = gauze::GaussianMethod::fir;
        verified(gauze::gaussian(edges), desc, PlanOptions().with_border(Border::reflect()));
        verified(gauze::box(3), desc);
        verified(gauze::box(100, 3), desc);
        verified(gauze::box({70, 0, 0, 0}, 2), desc,
                 PlanOptions().with_border(Border::constant(0.5)));

        // A mean of equal pixels, of any filter of sum 1.
        std::vector<std::uint8_t> equal(60 * 40 * 3, 100), got(equal.size());
        for (const gauze::Filter &filter :
             {gauze::gaussian(3.0), gauze::box(7), gauze::box(50, 4)}) {
            engine().plan(filter, Image::u8(60, 40, 3)).run(equal, got);
            CHECK(got == equal);
        }
    }

    TEST_CASE("sections are the scans of their rows, and zero phase has them both ways") {
        using gauze::Direction;
        // SciPy's butter(3, .3, output='sos'), whose first row is of first order.
        const std::vector<gauze::Section> rows{
            {0.04953299635725319, 0.09906599271450638, 0.04953299635725319, 1.0,
             -0.32491969623290634, 0.0},
            {1.0, 1.0, 0.0, 1.0, -0.8369977874388261, 0.4239856889474126}};
        const auto scans = [](int axis, Direction direction) {
            return std::vector<gauze::Scan>{
                {axis,
                 direction,
                 {0.04953299635725319, 0.09906599271450638, 0.04953299635725319},
                 {0.32491969623290634}},
                {axis, direction, {1.0, 1.0}, {0.8369977874388261, -0.4239856889474126}}};
        };
        const auto joined = [](std::vector<gauze::Scan> all, const std::vector<gauze::Scan> &more) {
            all.insert(all.end(), more.begin(), more.end());
            return all;
        };
        const std::vector<gauze::Scan> across = scans(0, Direction::forward);
        const std::vector<gauze::Scan> up = scans(1, Direction::backward);
        gauze::SectionsOptions both_axes;
        both_axes.direction = {1, -1, 0, 0};
        gauze::SectionsOptions zero_phase = both_axes;
        zero_phase.zero_phase = true;
        gauze::RecursiveOptions with_zero_phase;
        with_zero_phase.zero_phase = true;
        const ImageDesc desc = Image::f32(90, 70);
        for (const Border &border : {Border::zero(), Border::clamp()}) {
            const auto options = PlanOptions().with_border(border);
            CHECK(verified(gauze::sections(rows), desc, options) ==
                  verified(gauze::recursive(across), desc, options));
            CHECK(verified(gauze::sections(rows, both_axes), desc, options) ==
                  verified(gauze::recursive(joined(across, up)), desc, options));
            const std::vector<float> both_ways = verified(
                gauze::recursive(joined(joined(across, up), joined(scans(0, Direction::backward),
                                                                   scans(1, Direction::forward)))),
                desc, options);
            CHECK(verified(gauze::recursive(joined(across, up), with_zero_phase), desc, options) ==
                  both_ways);
            CHECK(verified(gauze::sections(rows, zero_phase), desc, options) == both_ways);
        }
    }

    TEST_CASE("Gaussians of large sigmas are what they say, on lines that change and that do not") {
        struct Lines {
            double sigma;
            std::int64_t width, height;
        };
        for (const Lines &lines : {Lines{600, 4000, 1}, Lines{600, 2, 3000}, Lines{3000, 3000, 1},
                                   Lines{10000, 1500, 1}, Lines{10000, 1, 1500}})
            for (const Border border : {Border::clamp(), Border::constant(0.0)}) {
                const ImageDesc desc = Image::f32(lines.width, lines.height);
                const bool along_x = lines.width > lines.height;
                gauze::Gaussian options;
                options.sigma = {along_x ? lines.sigma : 0, along_x ? 0 : lines.sigma, 0, 0};
                const gauze::Plan plan = engine().plan(gauze::gaussian(options), desc,
                                                       PlanOptions().with_border(border));
                CHECK(plan.explain().find("method: recursive") != std::string::npos);
                const auto count = static_cast<std::size_t>(lines.width * lines.height);
                std::vector<float> steps(count);
                for (std::size_t i = 0; i < count; ++i)
                    steps[i] = i / 400 % 2 == 0 ? 1.0F : 0.0F;
                for (const std::vector<float> &src :
                     {random_pixels(count), steps, std::vector<float>(count, 1.0F)}) {
                    std::vector<float> dst(count);
                    plan.run(src, dst);
                    const gauze::Verification result = plan.verify(src.data(), count * float_bytes,
                                                                   dst.data(), count * float_bytes);
                    CAPTURE(lines.sigma);
                    CAPTURE(along_x);
                    CAPTURE(result.worst_error);
                    CAPTURE(result.bound);
                    CHECK(result.within_bound);
                    CHECK(result.bound < 1.1e-3);
                }
            }
        // The accuracy is finer than any sum of exponentials has.
        gauze::Gaussian options;
        options.sigma = {1001, 0, 0, 0};
        options.accuracy = 1e-9;
        check_refused(outcome_of([&] { gauze::gaussian(options); }), GAUZE_ERROR_INVALID_ARGUMENT,
                      "the accuracy is 1e-09; the best of recursive Gaussians like this is");
        options.accuracy = 1e-5;
        CHECK(outcome_of([&] { gauze::gaussian(options); }).status == GAUZE_OK);
    }

    TEST_CASE("a derivative of a Gaussian gives a ramp's slope") {
        std::vector<float> ramp(100 * 60), slope(ramp.size());
        for (std::size_t i = 0; i < ramp.size(); ++i)
            ramp[i] = 0.25F * static_cast<float>(i % 100) - 0.5F * static_cast<float>(i / 100);
        gauze::Gaussian along_x;
        along_x.sigma = {2.0, 2.0, 0, 0};
        along_x.derivative = {1, 0, 0, 0};
        along_x.truncate = 6.0;
        gauze::Gaussian along_y = along_x;
        along_y.derivative = {0, 1, 0, 0};
        engine().plan(gauze::gaussian(along_x), Image::f32(100, 60)).run(ramp, slope);
        CHECK(slope[30 * 100 + 50] == doctest::Approx(0.25).epsilon(1e-4));
        engine().plan(gauze::gaussian(along_y), Image::f32(100, 60)).run(ramp, slope);
        CHECK(slope[30 * 100 + 50] == doctest::Approx(-0.5).epsilon(1e-4));
    }

    TEST_CASE("gradients and Hessians are several targets of one plan") {
        const std::vector<float> src = random_pixels(70 * 41);
        const auto alone = [&](const gauze::Filter &filter) {
            std::vector<float> result(src.size());
            engine().plan(filter, Image::f32(70, 41)).run(src, result);
            return result;
        };
        const auto check = [&](const gauze::Filter &bank, const std::vector<gauze::Filter> &each) {
            const ImageDesc image = Image::f32(70, 41);
            const gauze::Plan plan =
                engine().plan(bank, image, std::vector<ImageDesc>(each.size(), image));
            std::vector<std::vector<float>> results(each.size(), std::vector<float>(src.size()));
            std::vector<gauze::HostTarget> targets;
            for (std::vector<float> &result : results)
                targets.emplace_back(result.data(), result.size() * sizeof(float));
            plan.run({src.data(), src.size() * sizeof(float)}, targets);
            for (std::size_t i = 0; i < each.size(); ++i) {
                CAPTURE(i);
                CHECK(results[i] == alone(each[i]));
            }
        };
        for (const auto method : {gauze::DerivativeMethod::central, gauze::DerivativeMethod::sobel,
                                  gauze::DerivativeMethod::scharr})
            check(gauze::gradient(method),
                  {gauze::derivative(method, 0), gauze::derivative(method, 1)});
        check(gauze::hessian(),
              {gauze::second_derivative({}, 0, 0), gauze::second_derivative({}, 0, 1),
               gauze::second_derivative({}, 1, 1)});
        gauze::Gaussian smooth;
        smooth.sigma = {1.5, 2.0, 0, 0};
        check(gauze::gradient(smooth),
              {gauze::derivative(smooth, 0), gauze::derivative(smooth, 1)});
        check(gauze::hessian(smooth),
              {gauze::second_derivative(smooth, 0, 0), gauze::second_derivative(smooth, 0, 1),
               gauze::second_derivative(smooth, 1, 1)});
        check(gauze::hessian_eigenvalues(),
              {gauze::hessian_eigenvalue({}, 0), gauze::hessian_eigenvalue({}, 1)});
        gauze::Gaussian mean;
        mean.sigma = {1.0, 1.5, 0, 0};
        check(gauze::structure_tensor(gauze::DerivativeMethod::sobel, mean),
              {gauze::structure(gauze::DerivativeMethod::sobel, 0, 0, mean),
               gauze::structure(gauze::DerivativeMethod::sobel, 0, 1, mean),
               gauze::structure(gauze::DerivativeMethod::sobel, 1, 1, mean)});
        verified(gauze::hessian_eigenvalue(smooth, 1), Image::f32(60, 40, 3));
        verified(gauze::structure(smooth, 0, 1, mean), Image::f32(60, 40));
        verified(gauze::gradient_magnitude(smooth), Image::f32(60, 40, 3));
        verified(gauze::gradient_orientation(gauze::DerivativeMethod::sobel), Image::f32(60, 40));
        verified(gauze::unsharp(2.0, 1.5, 0.1), Image::f32(60, 40, 3));
        verified(gauze::local_deviation(gauze::LocalMean::of_box(3)), Image::f32(60, 40));
        verified(gauze::guided(3, 0.01), Image::f32(60, 40, 3));
        verified(gauze::guided(3, 0.01, gauze::Guide::color), Image::f32(60, 40, 3));
        check_refused(outcome_of([] { gauze::sobel(0, 0); }), GAUZE_ERROR_INVALID_ARGUMENT,
                      "dimensions is -1");
        check_refused(outcome_of([] { gauze::sobel(2); }), GAUZE_ERROR_INVALID_ARGUMENT,
                      "the axis is z");
        check_refused(outcome_of([] { gauze::unsharp(0.0, 1.0); }), GAUZE_ERROR_INVALID_ARGUMENT,
                      "no axis has a sigma");
    }

    TEST_CASE("a guide is the second source of a plan") {
        const ImageDesc image = Image::f32(70, 50), guide = Image::u8(70, 50);
        std::vector<float> pixels(image.bytes() / sizeof(float)), result(pixels.size());
        std::vector<std::uint8_t> guide_pixels(pixels.size());
        for (std::size_t i = 0; i < pixels.size(); ++i) {
            guide_pixels[i] = static_cast<std::uint8_t>(i * i % 251);
            pixels[i] = static_cast<float>(guide_pixels[i]) + (i % 70 > 30 ? 20.0F : 0.0F);
        }
        const gauze::Engine &engine = embedder::engine();
        const gauze::Filter filter = gauze::guided(4, 400.0, gauze::Guide::image);
        const gauze::Plan plan =
            engine.plan(filter, image, image, gauze::PlanOptions().with_guide(guide));
        CHECK(plan.explain().find("guided by u8 70x50") != std::string::npos);
        plan.run_sources({pixels, guide_pixels}, {gauze::HostTarget(result)});
        const gauze::Verification found = plan.verify_sources({pixels, guide_pixels}, {result});
        CHECK(found.within_bound);
        CHECK(found.pixels == pixels.size());
        CHECK(found.worst_error < 1e-3);

        gauze::Image source = engine.image(image), second = engine.image(guide),
                     target = engine.image(image);
        source.write(pixels.data(), image.bytes());
        second.write(guide_pixels.data(), guide.bytes());
        plan.enqueue_sources(nullptr, {source.mem(), second.mem()}, {target.mem()});
        engine.finish();
        std::vector<float> enqueued(pixels.size());
        target.read(enqueued.data(), image.bytes());
        CHECK(enqueued == result);
        CHECK(plan.measure_sources({&source, &second}, {&target}, 1).launches ==
              (plan.variant().find("; ") == std::string::npos ? 1 : 2));

        // An image that guides itself as a second source is one that guides itself.
        std::vector<float> own(pixels.size()), twice(pixels.size());
        engine.plan(gauze::guided(4, 400.0), image).run(pixels, own);
        engine.plan(filter, image, image, gauze::PlanOptions().with_guide(image))
            .run_sources({pixels, pixels}, {gauze::HostTarget(twice)});
        for (std::size_t i = 0; i < own.size(); ++i)
            CHECK(std::abs(own[i] - twice[i]) < 1e-3F);

        check_refused(outcome_of([&] { engine.plan(filter, image); }), GAUZE_ERROR_INVALID_ARGUMENT,
                      "source_count is 1");
        check_refused(outcome_of([&] {
                          engine.plan(gauze::guided(4, 1.0), image, image,
                                      gauze::PlanOptions().with_guide(guide));
                      }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "source_count is 2");
        check_refused(outcome_of([&] {
                          engine.plan(filter, image, image,
                                      gauze::PlanOptions().with_guide(Image::u8(50, 70)));
                      }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "the guide is 50x70");
        check_refused(outcome_of([&] { plan.run(pixels, result); }), GAUZE_ERROR_INVALID_ARGUMENT,
                      "source_count is 1");
        check_refused(
            outcome_of([&] {
                plan.run_sources({pixels, {guide_pixels.data(), 9}}, {gauze::HostTarget(result)});
            }),
            GAUZE_ERROR_INVALID_ARGUMENT, "guide");
        check_refused(
            outcome_of([&] {
                plan.enqueue_sources(nullptr, {source.mem(), target.mem()}, {target.mem()});
            }),
            GAUZE_ERROR_OVERLAP, "guide and target share memory");
    }

    TEST_CASE("edge-aware filters, with the same bits and with weights of the device") {
        const ImageDesc image = Image::f32(60, 40, 3);
        const std::vector<float> own = verified(gauze::non_local_means(0.5, {3, 9, 0.0}), image);
        const std::vector<float> fast = verified(gauze::non_local_means(0.5, {3, 9, 1e-6}), image);
        const std::vector<float> near = verified(gauze::bilateral(1.5, 0.5), image);
        const std::vector<float> same =
            verified(gauze::bilateral(1.5, 0.5, {-1, -1, 0}, 1e-6), image);
        double worst = 0.0;
        for (std::size_t i = 0; i < own.size(); ++i)
            worst = std::max({worst, static_cast<double>(std::abs(own[i] - fast[i])),
                              static_cast<double>(std::abs(near[i] - same[i]))});
        CHECK(worst <= 1e-5);
        CHECK(own != near);
        CHECK_NOTHROW(gauze::non_local_means(1.0));
        check_refused(outcome_of([] {
                          gauze::non_local_means(1.0, {8, 21, 0.0});
                      }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "patch is 8 pixels a side");
        check_refused(outcome_of([] {
                          gauze::non_local_means(1.0, {7, 21, 1e-9});
                      }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "accuracy is 1e-09");
        check_refused(outcome_of([] {
                          gauze::bilateral(1.0, 1.0, {1, 1, 0}, -1.0);
                      }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "accuracy is -1");
    }

    TEST_CASE("components with taps of their own: channels of one image, planes of another") {
        const gauze::Filter base = gauze::correlate(cross());
        gauze::Gaussian options;
        options.sigma = {2.0, 2.0, 0.0, 0.0};
        options.method = gauze::GaussianMethod::fir; // a component's are taps on every device
        const gauze::Filter gaussian = gauze::gaussian(options);
        const gauze::Filter varied =
            base.with_component(1, gaussian).with_component(2, gauze::correlate(ones(1, 1)));
        const std::vector<float> mixed = verified(varied, Image::f32(60, 40, 3));
        const std::vector<float> alone = verified(gaussian, Image::f32(60, 40, 3));
        const std::vector<float> src = random_pixels(mixed.size());
        int wrong = 0;
        for (std::size_t i = 0; i < mixed.size(); i += 3) {
            wrong += mixed[i + 1] == alone[i + 1] ? 0 : 1;
            wrong += mixed[i + 2] == src[i + 2] ? 0 : 1;
        }
        CHECK(wrong == 0);

        ImageDesc planar = Image::f32(60, 40);
        planar.planes = 3;
        const std::vector<float> planes = verified(varied, planar);
        const std::vector<float> planar_src = random_pixels(planes.size());
        CHECK(std::equal(planes.begin() + 2 * 60 * 40, planes.end(),
                         planar_src.begin() + 2 * 60 * 40));
        check_refused(outcome_of([&] { engine().plan(varied, Image::f32(60, 40, 2)); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "component 2");
    }

    TEST_CASE("a plan names the kernels that it runs") {
        const auto variant = [](const gauze::Filter &filter, const std::string &forced) {
            return engine()
                .plan(filter, Image::f32(200, 100), PlanOptions().with_variant(forced))
                .variant();
        };
        CHECK(variant(gauze::correlate(cross()), "correlate_plain:GROUP_X=16,GROUP_Y=4") ==
              "correlate_plain:GROUP_X=16,GROUP_Y=4");
        CHECK(variant(gauze::box(2, 3), "box_plain:GROUP_X=1") ==
              "box_plain:GROUP_X=1; box_plain:GROUP_X=1; box_plain:GROUP_X=1");
        // The variant that it reports can be forced.
        gauze::Gaussian long_taps;
        long_taps.sigma = {50.0, 50.0, 0, 0};
        long_taps.method = gauze::GaussianMethod::fir;
        for (const gauze::Filter &filter : {gauze::correlate(cross()), gauze::gaussian(2.0),
                                            gauze::gaussian(long_taps), gauze::box(9)}) {
            const std::string chosen = variant(filter, "");
            CHECK(chosen.find(':') != std::string::npos);
            CHECK(variant(filter, chosen) == chosen);
        }
    }

    TEST_CASE("new sigmas, radii and long taps compile nothing within a bucket") {
        const gauze::Engine own;
        const auto compiled_by = [&](const gauze::Filter &filter, std::int64_t width,
                                     std::int64_t height, const std::string &variant) {
            const std::uint64_t before = own.compile_count();
            const std::vector<float> src = random_pixels(static_cast<std::size_t>(width * height));
            std::vector<float> dst(src.size());
            own.plan(filter, Image::f32(width, height), PlanOptions().with_variant(variant))
                .run(src, dst);
            return own.compile_count() - before;
        };
        const auto anisotropic = [](double x, double y) {
            gauze::Gaussian options;
            options.sigma = {x, y, 0, 0};
            options.method = gauze::GaussianMethod::fir;
            return gauze::gaussian(options);
        };
        // The library's choice of kernel: 17 and 19 taps are in one bucket on every device, and do not fill it.
        CHECK(compiled_by(anisotropic(2.0, 2.0), 200, 100, "") >= 1);
        CHECK(compiled_by(anisotropic(2.2, 2.2), 200, 100, "") == 0);
        CHECK(compiled_by(anisotropic(2.0, 2.2), 333, 57, "") == 0);
        // Along each axis by itself: 13 taps along x, 5 to 7 along y.
        CHECK(compiled_by(anisotropic(1.5, 0.7), 200, 100, "separable_fused") == 1);
        CHECK(compiled_by(anisotropic(1.55, 0.75), 200, 100, "separable_fused") == 0);
        CHECK(compiled_by(anisotropic(1.6, 0.7), 1000, 17, "separable_fused") == 0);
        CHECK(compiled_by(anisotropic(2.0, 0.7), 200, 100, "separable_fused") == 1);
        // 15 and 7 taps fill their buckets, which has a program of its own.
        CHECK(compiled_by(anisotropic(1.7, 0.8), 200, 100, "separable_fused") == 1);
        // Any number of taps.
        CHECK(compiled_by(gauze::gaussian(10.0), 200, 100, "separable_passes") == 3);
        CHECK(compiled_by(gauze::gaussian(40.0), 333, 57, "separable_passes") == 0);
        CHECK(compiled_by(gauze::separable(std::vector<double>(400, 0.01), {1, 2}), 200, 100,
                          "separable_passes") == 0);
        // Boxes that reach 65 to 512, and 513 to 4096 values to both sides together.
        CHECK(compiled_by(gauze::box(33), 200, 100, "box_strips") == 1);
        CHECK(compiled_by(gauze::box(256), 333, 57, "box_strips") == 0);
        CHECK(compiled_by(gauze::box({100, 5000, 0, 0}), 1, 1, "box_strips") == 0);
        CHECK(compiled_by(gauze::box(257), 200, 100, "box_strips") == 1);
        CHECK(compiled_by(gauze::box(2048), 200, 100, "box_strips") == 0);
        CHECK(compiled_by(gauze::box(1), 200, 100, "box_plain") == 2);
        CHECK(compiled_by(gauze::box(100000), 333, 57, "box_plain") == 0);
        CHECK(compiled_by(gauze::box(7, 16), 200, 100, "box_plain") == 0);
    }

    TEST_CASE("a queue that runs out of order: launches in turn, runs side by side") {
        const Queue queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        if (!queue.handle()) {
            MESSAGE("the device has no queues that run out of order");
            return;
        }
        const ImageDesc desc = Image::f32(333, 222);
        const std::vector<float> src = random_pixels(333 * 222);
        std::vector<float> expected(src.size()), got(src.size());
        for (const gauze::Filter &filter : {gauze::gaussian(20.0), gauze::box(12, 4)}) {
            const gauze::Plan plan = engine().plan(filter, desc);
            INFO(plan.variant());
            plan.run(src, expected);
            Image from = engine().image(desc);
            Image to[] = {engine().image(desc), engine().image(desc), engine().image(desc)};
            const std::vector<float> other(src.size(), -3.0F);
            from.write(other.data(), other.size() * float_bytes);
            cl_event start = clCreateUserEvent(queue.context(), nullptr);
            cl_event done[3] = {};
            for (std::size_t i = 0; i < 3; ++i)
                plan.enqueue(queue.handle(), from.mem(), to[i].mem(), {start}, &done[i]);
            // The pixels are there only now.
            from.write(src.data(), src.size() * float_bytes);
            clSetUserEventStatus(start, CL_COMPLETE);
            CHECK(clWaitForEvents(3, done) == CL_SUCCESS);
            for (std::size_t i = 0; i < 3; ++i) {
                to[i].read(got.data(), got.size() * float_bytes);
                CHECK(got == expected);
                clReleaseEvent(done[i]);
            }
            clReleaseEvent(start);
            // Without an event, the queue's end is the run's.
            plan.enqueue(queue.handle(), from.mem(), to[0].mem());
            CHECK(clFinish(queue.handle()) == CL_SUCCESS);
            to[0].read(got.data(), got.size() * float_bytes);
            CHECK(got == expected);
        }
    }

    TEST_CASE("workspace of the caller's") {
        const ImageDesc desc = Image::f32(150, 90);
        const std::vector<float> src = random_pixels(150 * 90);
        std::vector<float> expected(src.size()), got(src.size());
        const gauze::Plan plan =
            engine().plan(gauze::box(6, 3), desc, PlanOptions().with_variant("box_plain"));
        plan.run(src, expected);
        const std::uint64_t bytes = plan.workspace_bytes();
        REQUIRE(bytes > 0);
        CHECK(engine().plan(gauze::correlate(cross()), desc).workspace_bytes() == 0);
        Image from = engine().image(desc), to = engine().image(desc);
        from.write(src.data(), src.size() * float_bytes);
        const Queue queue(0);
        const auto buffer = [&](cl_mem_flags flags, std::uint64_t size) {
            return clCreateBuffer(queue.context(), flags, static_cast<std::size_t>(size), nullptr,
                                  nullptr);
        };
        const auto enqueue = [&](cl_mem target, cl_mem workspace) {
            return outcome_of(
                [&] { plan.enqueue(queue.handle(), from.mem(), target, {}, nullptr, workspace); });
        };
        const auto check_right = [&](cl_mem workspace) {
            CHECK(enqueue(to.mem(), workspace).text.empty());
            clFinish(queue.handle());
            to.read(got.data(), got.size() * float_bytes);
            CHECK(got == expected);
        };
        cl_mem whole = buffer(CL_MEM_READ_WRITE, bytes);
        check_right(whole);
        clReleaseMemObject(whole);

        // A part of a buffer, and nothing beside it is written.
        constexpr std::size_t before = 4096;
        cl_mem large = buffer(CL_MEM_READ_WRITE, before + bytes + 64);
        const cl_uchar guard = 0xa5;
        clEnqueueFillBuffer(queue.handle(), large, &guard, 1, 0,
                            before + static_cast<std::size_t>(bytes) + 64, 0, nullptr, nullptr);
        const cl_buffer_region region{before, static_cast<std::size_t>(bytes)};
        cl_mem part = clCreateSubBuffer(large, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                        &region, nullptr);
        REQUIRE(part != nullptr);
        check_right(part);
        std::vector<cl_uchar> bytes_there(before + static_cast<std::size_t>(bytes) + 64);
        clEnqueueReadBuffer(queue.handle(), large, CL_TRUE, 0, bytes_there.size(),
                            bytes_there.data(), 0, nullptr, nullptr);
        CHECK(std::count(bytes_there.begin(), bytes_there.begin() + before, guard) == before);
        CHECK(std::count(bytes_there.end() - 64, bytes_there.end(), guard) == 64);

        // The target beside the workspace in one buffer, and in it.
        const auto target_at = [&](std::size_t origin) {
            const cl_buffer_region where{origin, src.size() * float_bytes};
            return clCreateSubBuffer(large, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &where,
                                     nullptr);
        };
        cl_mem inside = target_at(8192);
        REQUIRE(inside != nullptr);
        check_refused(enqueue(inside, part), GAUZE_ERROR_OVERLAP, "workspace and target share");
        clReleaseMemObject(inside);
        clReleaseMemObject(part);
        clReleaseMemObject(large);

        cl_mem small = buffer(CL_MEM_READ_WRITE, bytes - 1);
        check_refused(enqueue(to.mem(), small), GAUZE_ERROR_INVALID_ARGUMENT,
                      "the plan needs " + std::to_string(bytes));
        clReleaseMemObject(small);
        cl_mem read_only = buffer(CL_MEM_READ_ONLY, bytes);
        check_refused(enqueue(to.mem(), read_only), GAUZE_ERROR_INVALID_ARGUMENT,
                      "workspace's buffer is read-only");
        clReleaseMemObject(read_only);
        const gauze::Engine other;
        const Image foreign = other.image(Image::u8(static_cast<std::int64_t>(bytes), 1));
        check_refused(enqueue(to.mem(), foreign.mem()), GAUZE_ERROR_INVALID_ARGUMENT,
                      "another context");
    }

    TEST_CASE("a plan outlives its engine handle and its filter") {
        const ImageDesc desc = Image::f32(16, 16);
        std::vector<float> src = random_pixels(256), dst(256, -1.0F);
        gauze_plan *plan = nullptr;
        {
            gauze::Engine own;
            const gauze::Filter filter = gauze::correlate(ones(1, 1));
            const gauze_image_desc image = desc.c_desc();
            gauze_plan_desc plan_desc{};
            plan_desc.struct_size = sizeof plan_desc;
            plan_desc.source_count = plan_desc.target_count = 1;
            plan_desc.sources = plan_desc.targets = &image;
            REQUIRE(gauze_plan_create(own.c_handle(), filter.c_handle(), &plan_desc, &plan) ==
                    GAUZE_OK);
        }
        const gauze_host_source from{src.data(), src.size() * float_bytes};
        const gauze_host_target to{dst.data(), dst.size() * float_bytes};
        CHECK(gauze_plan_run(plan, &from, 1, &to, 1, nullptr) == GAUZE_OK);
        CHECK(dst == src);
        gauze_plan_destroy(plan);
    }

    TEST_CASE("results are rounded, or cut off where the plan says so") {
        const ImageDesc from = Image::f32(4, 1);
        const ImageDesc to = Image::u8(4, 1);
        const std::vector<float> src{1.75F, 2.5F, -3.0F, 300.0F};
        std::vector<std::uint8_t> dst(4);
        const gauze::Filter filter = gauze::correlate(ones(1, 1));
        const auto made = [&](gauze::Store store) {
            return engine().plan(filter, from, to, PlanOptions().with_store(store));
        };
        made(gauze::Store::saturate).run(src, dst);
        CHECK(dst == std::vector<std::uint8_t>{2, 2, 0, 255});
        const gauze::Plan plan = made(gauze::Store::truncate);
        plan.run(src, dst);
        CHECK(dst == std::vector<std::uint8_t>{1, 2, 0, 255});
        CHECK(plan.explain().find("integers truncated") != std::string::npos);
        CHECK(PlanOptions().store == gauze::Store::saturate);
        CHECK_THROWS_WITH_AS(made(static_cast<gauze::Store>(7)),
                             doctest::Contains("desc->store is 7"), gauze::Error);
        CHECK_THROWS_WITH_AS(engine().plan(gauze::median(gauze::Window(3)), from, to,
                                           PlanOptions().with_store(gauze::Store::truncate)),
                             doctest::Contains("truncated of correlations"), gauze::Error);
    }

    TEST_CASE("explain names the kernel, the rule and the groups") {
        const gauze::Plan tiled = engine().plan(
            gauze::correlate(ones(5, 5)), Image::f32(512, 512),
            PlanOptions().with_variant("correlate_tiled:GROUP_X=8,GROUP_Y=8,ITEM_Y=4"));
        const std::string text = tiled.explain();
        INFO(text);
        CHECK(text.find("separable") != std::string::npos);
        CHECK(text.find("forced by the caller") != std::string::npos);
        // 16x16 tiles: all of them whole, the outermost ring reads across the border.
        CHECK(text.find(
                  "groups 16x16: free on read and write 196, free on read only 0, free on write "
                  "only 60, checked on both 0") != std::string::npos);
        CHECK(engine()
                  .plan(gauze::correlate(cross()), Image::u8(9, 9))
                  .explain()
                  .find("chosen because") != std::string::npos);
    }

    TEST_CASE("measuring gives times") {
        const ImageDesc desc = Image::f32(256, 256);
        Image src = engine().image(desc), dst = engine().image(desc);
        const std::vector<float> pixels = random_pixels(256 * 256);
        src.write(pixels.data(), pixels.size() * float_bytes);
        const gauze::Timing timing =
            engine().plan(gauze::correlate(cross()), desc).measure(src, dst, 3);
        CHECK(timing.device_ms > 0.0);
        CHECK(timing.wall_ms > 0.0);
        CHECK(timing.copy_ms > 0.0);
        CHECK(timing.launches == 1);
    }
}

TEST_SUITE("bad input") {
    TEST_CASE("filters") {
        const auto refused = [](const Taps &taps) {
            return outcome_of([&] { gauze::correlate(taps); });
        };
        check_refused(refused(Taps({}, 0, 0)), GAUZE_ERROR_INVALID_ARGUMENT, "taps");
        check_refused(refused(Taps({1, 2}, 3, 1)), GAUZE_ERROR_INVALID_ARGUMENT, "2 values");
        check_refused(refused(Taps({1, 2, 3}, 3, 1, 3, 0)), GAUZE_ERROR_INVALID_ARGUMENT,
                      "anchor is 3");
        check_refused(refused(Taps({1, 2, 3}, 3, 1, 0, -1)), GAUZE_ERROR_INVALID_ARGUMENT,
                      "anchor is -1");
        check_refused(refused(Taps({1, std::nan(""), 3}, 3, 1)), GAUZE_ERROR_INVALID_ARGUMENT,
                      "tap 1 is");
        check_refused(refused(Taps({1, 1e300, 3}, 3, 1)), GAUZE_ERROR_INVALID_ARGUMENT, "tap 1 is");
        check_refused(refused(ones(64, 1)), GAUZE_ERROR_UNSUPPORTED, "size 64");
        gauze_filter *filter = nullptr;
        CHECK(gauze_filter_correlate(nullptr, &filter) == GAUZE_ERROR_INVALID_ARGUMENT);
        CHECK(std::string(gauze_last_error()) == "taps is null");
        gauze_taps taps{};
        taps.struct_size = 3;
        CHECK(gauze_filter_correlate(&taps, &filter) == GAUZE_ERROR_INVALID_ARGUMENT);
        CHECK(std::string(gauze_last_error()).find("struct_size is 3") != std::string::npos);
        taps.struct_size = sizeof taps;
        taps.size[0] = taps.size[1] = 1;
        CHECK(gauze_filter_correlate(&taps, &filter) == GAUZE_ERROR_INVALID_ARGUMENT);
        CHECK(std::string(gauze_last_error()) == "taps->values is null");
        CHECK(filter == nullptr);
    }

    TEST_CASE("separable taps") {
        gauze_filter *filter = nullptr;
        const double values[] = {1, 2, 3};
        gauze_separable_taps good{};
        good.struct_size = sizeof good;
        good.values[0] = values;
        good.count[0] = 3;
        check_c_refused(gauze_filter_separable(nullptr, &filter), GAUZE_ERROR_INVALID_ARGUMENT,
                        "taps is null");
        check_c_refused(gauze_filter_separable(&good, nullptr), GAUZE_ERROR_INVALID_ARGUMENT,
                        "filter is null");
        const auto refused = [&](gauze_status status, const std::string &part, auto &&spoil) {
            gauze_separable_taps taps = good;
            spoil(taps);
            check_c_refused(gauze_filter_separable(&taps, &filter), status, part);
            CHECK(filter == nullptr);
        };
        constexpr gauze_status invalid = GAUZE_ERROR_INVALID_ARGUMENT;
        refused(invalid, "taps->struct_size is 7", [](auto &taps) { taps.struct_size = 7; });
        refused(invalid, "taps->values[0] is null", [](auto &taps) { taps.values[0] = nullptr; });
        refused(invalid, "taps->values[1] is null", [](auto &taps) { taps.count[1] = 1; });
        refused(invalid, "taps->count[0] is -1", [](auto &taps) { taps.count[0] = -1; });
        refused(invalid, "taps->count[0] is 4096", [](auto &taps) { taps.count[0] = 4096; });
        refused(invalid, "taps->count[3] is 9223372036854775807",
                [](auto &taps) { taps.count[3] = std::numeric_limits<std::int64_t>::max(); });
        refused(invalid, "no taps", [](auto &taps) { taps.count[0] = 0; });
        refused(invalid, "anchor is 3 along x", [](auto &taps) {
            taps.has_anchor = 1;
            taps.anchor[0] = 3;
        });
        refused(invalid, "anchor is -1 along y", [](auto &taps) {
            taps.has_anchor = 1;
            taps.anchor[1] = -1;
        });
        const double bad[] = {1, std::numeric_limits<double>::infinity()};
        refused(invalid, "tap 1 is inf", [&](auto &taps) {
            taps.values[1] = bad;
            taps.count[1] = 2;
        });
        check_refused(outcome_of([] { gauze::separable({}, {}); }), invalid, "no taps");
        REQUIRE(gauze_filter_separable(&good, &filter) == GAUZE_OK);
        gauze_filter_destroy(filter);
    }

    TEST_CASE("gaussians") {
        gauze_filter *filter = nullptr;
        gauze_gaussian good{};
        good.struct_size = sizeof good;
        good.sigma[0] = good.sigma[1] = 1.0;
        check_c_refused(gauze_filter_gaussian(nullptr, &filter), GAUZE_ERROR_INVALID_ARGUMENT,
                        "gaussian is null");
        check_c_refused(gauze_filter_gaussian(&good, nullptr), GAUZE_ERROR_INVALID_ARGUMENT,
                        "filter is null");
        const auto refused = [&](gauze_status status, const std::string &part, auto &&spoil) {
            gauze_gaussian gaussian = good;
            spoil(gaussian);
            check_c_refused(gauze_filter_gaussian(&gaussian, &filter), status, part);
            CHECK(filter == nullptr);
        };
        constexpr gauze_status invalid = GAUZE_ERROR_INVALID_ARGUMENT;
        constexpr double infinity = std::numeric_limits<double>::infinity();
        refused(invalid, "gaussian->struct_size is 0", [](auto &g) { g.struct_size = 0; });
        refused(invalid, "gaussian->method is 4", [](auto &g) { g.method = 4; });
        refused(invalid, "gaussian->method is -1", [](auto &g) { g.method = -1; });
        refused(invalid, "no axis", [](auto &g) { g.sigma[0] = g.sigma[1] = 0.0; });
        refused(invalid, "sigma is -1 along x", [](auto &g) { g.sigma[0] = -1.0; });
        refused(invalid, "sigma is nan along y", [](auto &g) { g.sigma[1] = std::nan(""); });
        refused(invalid, "sigma is inf along y", [](auto &g) { g.sigma[1] = infinity; });
        refused(invalid, "sigma is 20000 along x", [](auto &g) { g.sigma[0] = 20000.0; });
        refused(invalid, "order 3 along x", [](auto &g) { g.derivative[0] = 3; });
        refused(invalid, "order -1 along y", [](auto &g) { g.derivative[1] = -1; });
        refused(invalid, "order 1 along z", [](auto &g) { g.derivative[2] = 1; });
        refused(invalid, "truncate is -4", [](auto &g) { g.truncate = -4.0; });
        refused(invalid, "truncate is nan", [](auto &g) { g.truncate = std::nan(""); });
        refused(invalid, "truncate is inf", [](auto &g) { g.truncate = infinity; });
        check_refused(outcome_of([] { gauze::gaussian(0.0); }), invalid, "no axis");
        check_refused(outcome_of([] { gauze::gaussian(-2.0); }), invalid, "sigma is -2");
        good.method = GAUZE_GAUSSIAN_FIR;
        refused(invalid, "sigma is 600 along x", [](auto &g) { g.sigma[0] = 600.0; });
        REQUIRE(gauze_filter_gaussian(&good, &filter) == GAUZE_OK);
        gauze_filter_destroy(filter);
        filter = nullptr;
        good.method = GAUZE_GAUSSIAN_RECURSIVE;
        refused(invalid, "accuracy is -0.5", [](auto &g) { g.accuracy = -0.5; });
        refused(invalid, "accuracy is nan", [](auto &g) { g.accuracy = std::nan(""); });
        refused(invalid, "accuracy is 1e-12; the best", [](auto &g) { g.accuracy = 1e-12; });
        refused(invalid, "sigma is 0.25 along y", [](auto &g) { g.sigma[1] = 0.25; });
        refused(invalid, "sigma is 20000 along x", [](auto &g) { g.sigma[0] = 20000.0; });
        refused(GAUZE_ERROR_UNSUPPORTED, "along t", [](auto &g) { g.sigma[3] = 1.0; });
        REQUIRE(gauze_filter_gaussian(&good, &filter) == GAUZE_OK);
        gauze_filter_destroy(filter);
        filter = nullptr;
        good.method = GAUZE_GAUSSIAN_BOX;
        refused(invalid, "boxes have none", [](auto &g) { g.derivative[0] = 1; });
        refused(invalid, "sigma is 0.5 along x", [](auto &g) { g.sigma[0] = 0.5; });
        REQUIRE(gauze_filter_gaussian(&good, &filter) == GAUZE_OK);
        gauze_filter_destroy(filter);
    }

    TEST_CASE("scans") {
        gauze_filter *filter = nullptr;
        const double one[] = {1.0};
        const double half[] = {0.5, 0.0};
        gauze_scan scan{};
        scan.struct_size = sizeof scan;
        scan.direction = 1;
        scan.feedforward_count = 1;
        scan.feedback_count = 2;
        scan.feedforward = one;
        scan.feedback = half;
        gauze_recursive good{};
        good.struct_size = sizeof good;
        check_c_refused(gauze_filter_recursive(nullptr, &filter), GAUZE_ERROR_INVALID_ARGUMENT,
                        "recursive is null");
        check_c_refused(gauze_filter_recursive(&good, nullptr), GAUZE_ERROR_INVALID_ARGUMENT,
                        "filter is null");
        const auto refused = [&](gauze_status status, const std::string &part, auto &&spoil) {
            gauze_scan scans[2] = {scan, scan};
            gauze_recursive recursive = good;
            recursive.scan_count = 2;
            recursive.scans = scans;
            spoil(recursive, scans[1]);
            check_c_refused(gauze_filter_recursive(&recursive, &filter), status, part);
            CHECK(filter == nullptr);
        };
        constexpr gauze_status invalid = GAUZE_ERROR_INVALID_ARGUMENT;
        const double wild[] = {std::nan(""), 1.0};
        refused(invalid, "recursive->struct_size is 3", [](auto &r, auto &) { r.struct_size = 3; });
        refused(invalid, "there are 0 scans", [](auto &r, auto &) { r.scan_count = 0; });
        refused(invalid, "scan_count is 1025", [](auto &r, auto &) { r.scan_count = 1025; });
        refused(invalid, "scans is null", [](auto &r, auto &) { r.scans = nullptr; });
        refused(invalid, "allow_unstable is 2", [](auto &r, auto &) { r.allow_unstable = 2; });
        refused(invalid, "zero_phase is -1", [](auto &r, auto &) { r.zero_phase = -1; });
        refused(invalid, "along -x and scan 0 along +x; for zero phase", [](auto &r, auto &s) {
            r.zero_phase = 1;
            s.direction = -1;
        });
        refused(invalid, "accuracy is -1e-06", [](auto &r, auto &) { r.accuracy = -1e-6; });
        refused(invalid, "accuracy is nan", [](auto &r, auto &) { r.accuracy = std::nan(""); });
        refused(invalid, "accuracy is inf",
                [](auto &r, auto &) { r.accuracy = std::numeric_limits<double>::infinity(); });
        refused(invalid, "unstable scans have no error bound", [&](auto &r, auto &s) {
            r.accuracy = 1e-3;
            r.allow_unstable = 1;
            s.feedback = one;
            s.feedback_count = 1;
        });
        refused(invalid, "tile is -1", [](auto &r, auto &) { r.tile = -1; });
        refused(invalid, "grouping \"0\"", [](auto &r, auto &) { r.grouping = "0"; });
        refused(invalid, "scans[1]->struct_size is 0", [](auto &, auto &s) { s.struct_size = 0; });
        refused(invalid, "scans[1]->direction is 0", [](auto &, auto &s) { s.direction = 0; });
        refused(invalid, "scans[1]->feedback_count is 4097",
                [](auto &, auto &s) { s.feedback_count = 4097; });
        refused(invalid, "scans[1]->feedforward_count is 4097",
                [](auto &, auto &s) { s.feedforward_count = 4097; });
        refused(invalid, "scans[1]->feedback is null",
                [](auto &, auto &s) { s.feedback = nullptr; });
        refused(invalid, "0 feedforward terms", [](auto &, auto &s) { s.feedforward_count = 0; });
        refused(invalid, "axis -1", [](auto &, auto &s) { s.axis = -1; });
        refused(GAUZE_ERROR_UNSUPPORTED, "along t", [](auto &, auto &s) { s.axis = 3; });
        refused(invalid, "feedback term nan", [&](auto &, auto &s) { s.feedback = wild; });
        refused(invalid, "modulus 1;", [&](auto &, auto &s) {
            s.feedback = one;
            s.feedback_count = 1;
        });
        check_refused(outcome_of([] { gauze::recursive({}); }), invalid, "0 scans");
        const gauze::Filter sums = gauze::recursive({{0, gauze::Direction::backward, {1.0}, {1.0}}},
                                                    {"cascade", 64, true});
        CHECK(sums.c_handle() != nullptr);
    }

    TEST_CASE("sections") {
        gauze_filter *filter = nullptr;
        gauze_sections good{};
        good.struct_size = sizeof good;
        good.section_count = 2;
        good.direction[0] = good.direction[1] = 1;
        constexpr gauze_status invalid = GAUZE_ERROR_INVALID_ARGUMENT;
        check_c_refused(gauze_filter_sections(nullptr, &filter), invalid, "sections is null");
        check_c_refused(gauze_filter_sections(&good, nullptr), invalid, "filter is null");
        const auto refused = [&](gauze_status status, const std::string &part, auto &&spoil) {
            double rows[12] = {1, 2, 1, 1, -0.5, 0.25, 1, 0, 0, 1, 0.5, 0};
            gauze_sections sections = good;
            sections.rows = rows;
            REQUIRE(gauze_filter_sections(&sections, &filter) == GAUZE_OK);
            gauze_filter_destroy(filter);
            filter = nullptr;
            spoil(sections, rows);
            check_c_refused(gauze_filter_sections(&sections, &filter), status, part);
            CHECK(filter == nullptr);
        };
        constexpr double infinity = std::numeric_limits<double>::infinity();
        refused(invalid, "sections->struct_size is 3", [](auto &s, auto *) { s.struct_size = 3; });
        refused(invalid, "sections->rows is null", [](auto &s, auto *) { s.rows = nullptr; });
        refused(invalid, "there are 0 sections", [](auto &s, auto *) { s.section_count = 0; });
        refused(invalid, "section_count is 1025", [](auto &s, auto *) { s.section_count = 1025; });
        refused(invalid, "section 1 has a0 = 2; it must be 1", [](auto &, auto *r) { r[9] = 2; });
        refused(invalid, "section 1 has a0 = 0", [](auto &, auto *r) { r[9] = 0; });
        refused(invalid, "section 0 has b2 = inf", [=](auto &, auto *r) { r[2] = infinity; });
        refused(invalid, "section 1 has a1 = nan", [](auto &, auto *r) { r[10] = std::nan(""); });
        refused(invalid, "section 0 has b0 = 1e+39", [](auto &, auto *r) { r[0] = 1e39; });
        refused(invalid, "scan 1 is unstable", [](auto &, auto *r) { r[10] = -1; });
        refused(invalid, "direction[1] is 2", [](auto &s, auto *) { s.direction[1] = 2; });
        refused(invalid, "direction is 0 along every axis",
                [](auto &s, auto *) { s.direction[0] = s.direction[1] = 0; });
        refused(GAUZE_ERROR_UNSUPPORTED, "direction[3] is -1",
                [](auto &s, auto *) { s.direction[3] = -1; });
        refused(invalid, "zero_phase is 2", [](auto &s, auto *) { s.zero_phase = 2; });
        refused(invalid, "tile is -1", [](auto &s, auto *) { s.tile = -1; });
        refused(invalid, "accuracy is -1", [](auto &s, auto *) { s.accuracy = -1; });
        refused(invalid, "accuracy is nan", [](auto &s, auto *) { s.accuracy = std::nan(""); });
        const std::vector<gauze::Section> many(513, {1, 0, 0, 1, 0, 0});
        gauze::SectionsOptions options;
        options.direction = {1, 1, 0, 0};
        check_refused(outcome_of([&] { gauze::sections(many, options); }), invalid,
                      "513 sections, 1026 along all axes");
        CHECK(gauze::sections(many).c_handle() != nullptr);
    }

    TEST_CASE("sums, B-splines and differences of Gaussians") {
        gauze_filter *filter = nullptr;
        constexpr gauze_status invalid = GAUZE_ERROR_INVALID_ARGUMENT;
        check_c_refused(gauze_filter_sat(nullptr), invalid, "filter is null");
        check_c_refused(gauze_filter_bspline(3, nullptr), invalid, "filter is null");
        check_c_refused(gauze_filter_bspline(1, &filter), invalid, "order is 1");
        check_c_refused(gauze_filter_bspline(6, &filter), invalid, "order is 6");
        gauze_dog dog{};
        dog.struct_size = sizeof dog;
        check_c_refused(gauze_filter_dog(nullptr, &filter), invalid, "dog is null");
        check_c_refused(gauze_filter_dog(&dog, nullptr), invalid, "filter is null");
        check_c_refused(gauze_filter_dog(&dog, &filter), invalid, "sigma");
        dog.method = 9;
        check_c_refused(gauze_filter_dog(&dog, &filter), invalid, "dog->method is 9");
        CHECK(filter == nullptr);
        // Borders are the plan's to refuse.
        const auto planned = [](const gauze::Filter &with, const Border &border) {
            return outcome_of([&] {
                engine().plan(with, Image::f32(16, 16), PlanOptions().with_border(border));
            });
        };
        check_refused(planned(gauze::sat(), Border::clamp()), invalid, "border is clamp");
        check_refused(planned(gauze::box(9), Border::zero()), invalid, "constant 0");
        check_refused(planned(gauze::correlate(cross()), Border::zero()), invalid, "constant 0");
        check_refused(planned(gauze::dog(1, 2), Border::zero()), invalid, "constant 0");
        const gauze::Filter spline = gauze::bspline(3);
        check_refused(outcome_of([&] { spline.with_component(0, spline); }), invalid, "no taps");
    }

    TEST_CASE("boxes") {
        gauze_filter *filter = nullptr;
        gauze_box good{};
        good.struct_size = sizeof good;
        good.radius[0] = good.radius[1] = 1;
        check_c_refused(gauze_filter_box(nullptr, &filter), GAUZE_ERROR_INVALID_ARGUMENT,
                        "box is null");
        check_c_refused(gauze_filter_box(&good, nullptr), GAUZE_ERROR_INVALID_ARGUMENT,
                        "filter is null");
        const auto refused = [&](gauze_status status, const std::string &part, auto &&spoil) {
            gauze_box box = good;
            spoil(box);
            check_c_refused(gauze_filter_box(&box, &filter), status, part);
            CHECK(filter == nullptr);
        };
        constexpr gauze_status invalid = GAUZE_ERROR_INVALID_ARGUMENT;
        refused(invalid, "box->struct_size is 1", [](auto &box) { box.struct_size = 1; });
        refused(invalid, "box->iterations is 17", [](auto &box) { box.iterations = 17; });
        refused(invalid, "box->iterations is 4294967295", [](auto &box) { box.iterations = ~0U; });
        refused(invalid, "radius is -1 along x", [](auto &box) { box.radius[0] = -1; });
        refused(invalid, "radius is 1048576 along y", [](auto &box) { box.radius[1] = 1048576; });
        refused(invalid, "radius is 9223372036854775807 along x",
                [](auto &box) { box.radius[0] = std::numeric_limits<std::int64_t>::max(); });
        check_refused(outcome_of([] { gauze::box(-3); }), invalid, "radius is -3");
        check_refused(outcome_of([] { gauze::box(3, 17); }), invalid, "17");
        good.iterations = 16;
        REQUIRE(gauze_filter_box(&good, &filter) == GAUZE_OK);
        gauze_filter_destroy(filter);
    }

    TEST_CASE("taps per component") {
        const gauze::Filter taps = gauze::correlate(cross());
        const gauze::Filter box = gauze::box(1);
        gauze_filter *filter = nullptr;
        const auto refused = [&](const gauze_filter *base, std::uint32_t component,
                                 const gauze_filter *other, const std::string &part) {
            check_c_refused(gauze_filter_with_component(base, component, other, &filter),
                            GAUZE_ERROR_INVALID_ARGUMENT, part);
            CHECK(filter == nullptr);
        };
        refused(nullptr, 0, taps.c_handle(), "base is null");
        refused(taps.c_handle(), 0, nullptr, "other is null");
        check_c_refused(gauze_filter_with_component(taps.c_handle(), 0, taps.c_handle(), nullptr),
                        GAUZE_ERROR_INVALID_ARGUMENT, "filter is null");
        refused(taps.c_handle(), 1024, taps.c_handle(), "component is 1024");
        refused(taps.c_handle(), ~0U, taps.c_handle(), "component is 4294967295");
        refused(taps.c_handle(), 0, box.c_handle(), "box");
        refused(box.c_handle(), 0, taps.c_handle(), "box");
        refused(taps.c_handle(), 0, taps.with_component(1, taps).c_handle(), "themselves");
        check_refused(
            outcome_of([&] { engine().plan(taps.with_component(1, taps), Image::f32(16, 16)); }),
            GAUZE_ERROR_INVALID_ARGUMENT, "component 1");
    }

    TEST_CASE("names of kernels") {
        const gauze::Plan plan = engine().plan(gauze::correlate(cross()), Image::f32(16, 16));
        const char *text = nullptr;
        check_c_refused(gauze_plan_variant(nullptr, &text), GAUZE_ERROR_INVALID_ARGUMENT,
                        "plan is null");
        check_c_refused(gauze_plan_variant(plan.c_handle(), nullptr), GAUZE_ERROR_INVALID_ARGUMENT,
                        "text is null");
        CHECK(text == nullptr);
        check_refused(outcome_of([] {
                          engine().plan(gauze::box(8), Image::f32(16, 16),
                                        PlanOptions().with_variant("correlate_plain"));
                      }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "'correlate_plain'");
        check_refused(outcome_of([] {
                          engine().plan(gauze::correlate(cross()), Image::f32(16, 16),
                                        PlanOptions().with_variant("separable_fused"));
                      }),
                      GAUZE_ERROR_UNSUPPORTED, "not separable");
    }

    TEST_CASE("images") {
        const auto refused = [](const ImageDesc &desc) {
            return outcome_of([&] { engine().plan(gauze::correlate(cross()), desc); });
        };
        const ImageDesc good = Image::f32(16, 16);
        ImageDesc bad = Image::f32(0, 16);
        check_refused(refused(bad), GAUZE_ERROR_INVALID_ARGUMENT, "extent of 0 pixels along x");
        bad = Image::f32(16, -4);
        check_refused(refused(bad), GAUZE_ERROR_INVALID_ARGUMENT, "extent of -4 pixels along y");
        bad = Image::f32(16, 16, 5);
        check_refused(refused(bad), GAUZE_ERROR_INVALID_ARGUMENT, "5 channels");
        bad = good;
        bad.pitch[1] = 60;
        check_refused(refused(bad), GAUZE_ERROR_INVALID_ARGUMENT, "row pitch of 60");
        bad = good;
        bad.offset = 2;
        check_refused(refused(bad), GAUZE_ERROR_INVALID_ARGUMENT, "starts at byte 2");
        bad = good;
        bad.planes = -1;
        check_refused(refused(bad), GAUZE_ERROR_INVALID_ARGUMENT, "-1 planes");
        bad = good;
        bad.extent = {1 << 20, 1 << 20, 1 << 20, 1 << 20};
        check_refused(refused(bad), GAUZE_ERROR_INVALID_ARGUMENT, "too large");
        bad = good;
        bad.type = Type::f64;
        check_refused(refused(bad), GAUZE_ERROR_UNSUPPORTED, "pixel type f64");
        bad.type = static_cast<Type>(77);
        check_refused(refused(bad), GAUZE_ERROR_INVALID_ARGUMENT, "type is 77");
        gauze_image_desc c_desc = good.c_desc();
        c_desc.memory = GAUZE_MEMORY_SVM;
        uint64_t bytes = 0;
        CHECK(gauze_image_desc_bytes(&c_desc, &bytes) == GAUZE_ERROR_UNSUPPORTED);
        check_refused(outcome_of([&] { engine().image(Image::u8(2000000000, 2000000000)); }),
                      GAUZE_ERROR_UNSUPPORTED, "the largest buffer");
    }

    TEST_CASE("plans") {
        const ImageDesc good = Image::f32(16, 16);
        const gauze::Filter filter = gauze::correlate(cross());
        const auto refused = [&](const ImageDesc &from, const ImageDesc &to,
                                 const PlanOptions &options) {
            return outcome_of([&] { engine().plan(filter, from, to, options); });
        };
        check_refused(refused(good, Image::f32(16, 17), {}), GAUZE_ERROR_INVALID_ARGUMENT, "16x17");
        check_refused(refused(good, Image::f32(16, 16, 2), {}), GAUZE_ERROR_INVALID_ARGUMENT,
                      "1 channels and the target 2");
        const auto with_region = [](std::int64_t x, std::int64_t width, std::int64_t to_x) {
            Region region;
            region.source_origin[0] = x;
            region.extent[0] = width;
            region.target_origin[0] = to_x;
            return PlanOptions().with_region(region);
        };
        check_refused(refused(good, good, with_region(-1, 4, 0)), GAUZE_ERROR_INVALID_ARGUMENT,
                      "x = -1");
        check_refused(refused(good, good, with_region(10, 7, 0)), GAUZE_ERROR_INVALID_ARGUMENT,
                      "7 pixels");
        check_refused(refused(good, good, with_region(0, 10, 7)), GAUZE_ERROR_INVALID_ARGUMENT,
                      "x = 7");
        check_refused(refused(good, good,
                              PlanOptions().with_border(
                                  Border::constant(std::numeric_limits<double>::infinity()))),
                      GAUZE_ERROR_INVALID_ARGUMENT, "constant is inf");
        check_refused(refused(good, good, PlanOptions().with_border({42, 0.0})),
                      GAUZE_ERROR_INVALID_ARGUMENT, "border is 42");
        check_refused(refused(good, good, PlanOptions().with_variant("fast")),
                      GAUZE_ERROR_INVALID_ARGUMENT, "'fast'");
        check_refused(refused(good, good, PlanOptions().with_variant("correlate_tiled:GROUP_X=5")),
                      GAUZE_ERROR_INVALID_ARGUMENT, "GROUP_X=5");
        gauze_plan *plan = nullptr;
        CHECK(gauze_plan_create(nullptr, filter.c_handle(), nullptr, &plan) ==
              GAUZE_ERROR_INVALID_ARGUMENT);
        CHECK(std::string(gauze_last_error()) == "engine is null");
    }

    TEST_CASE("runs leave the target alone") {
        const ImageDesc desc = Image::f32(16, 16);
        const gauze::Plan plan = engine().plan(gauze::correlate(cross()), desc);
        const std::vector<float> src = random_pixels(256), before = random_pixels(256);
        std::vector<float> dst = before;
        const std::size_t bytes = src.size() * float_bytes;
        check_refused(outcome_of([&] { plan.run(nullptr, bytes, dst.data(), bytes); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "source pointer is null");
        check_refused(outcome_of([&] { plan.run(src.data(), bytes, nullptr, bytes); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "target pointer is null");
        check_refused(outcome_of([&] { plan.run(src.data(), bytes - 1, dst.data(), bytes); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "1023 bytes");
        check_refused(outcome_of([&] { plan.run(src.data(), bytes, dst.data(), bytes - 4); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "1020 bytes");
        CHECK(dst == before);

        Image small = engine().image(Image::f32(16, 15)), image = engine().image(desc);
        check_refused(outcome_of([&] { plan.enqueue(nullptr, small.mem(), image.mem()); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "source's buffer has 960 bytes");
        check_refused(outcome_of([&] { plan.enqueue(nullptr, nullptr, image.mem()); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "source buffer is null");
        const gauze::Engine other;
        Image foreign = other.image(desc);
        check_refused(outcome_of([&] { plan.enqueue(nullptr, foreign.mem(), image.mem()); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "another context");
        check_refused(outcome_of([&] { image.write(src.data(), 100); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "100 bytes");
        check_refused(outcome_of([&] { plan.measure(image, image, 1); }), GAUZE_ERROR_OVERLAP,
                      "in place");
        cl_context context = nullptr;
        clGetMemObjectInfo(image.mem(), CL_MEM_CONTEXT, sizeof context, &context, nullptr);
        cl_mem read_only = clCreateBuffer(context, CL_MEM_READ_ONLY, bytes, nullptr, nullptr);
        check_refused(outcome_of([&] { plan.enqueue(nullptr, image.mem(), read_only); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "target's buffer is read-only");
        clReleaseMemObject(read_only);
        check_refused(outcome_of([&] { plan.measure(image, small, 1); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "960 bytes");
    }

    TEST_CASE("SSIMULACRA 2") {
        const ImageDesc desc = Image::u8(20, 10, 3);
        const auto refuse = [&](const ImageDesc &other, const char *part) {
            check_refused(outcome_of([&] { engine().ssimulacra2(desc, other); }),
                          GAUZE_ERROR_INVALID_ARGUMENT, part);
        };
        refuse(Image::u8(20, 11, 3), "20x11");
        refuse(Image::f32(20, 10, 3), "f32");
        check_refused(outcome_of([&] { engine().ssimulacra2(Image::u8(20, 7), Image::u8(20, 7)); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "8x8");
        gauze::Ssimulacra2 metric = engine().ssimulacra2(desc, desc);
        const std::vector<unsigned char> pixels(desc.bytes()), few(desc.bytes() - 1);
        check_refused(outcome_of([&] { metric.score(pixels); }), GAUZE_ERROR_INVALID_ARGUMENT,
                      "no reference");
        check_refused(outcome_of([&] { metric.score(pixels, few); }), GAUZE_ERROR_INVALID_ARGUMENT,
                      "599 bytes");
        check_refused(outcome_of([&] {
                          metric.scores({pixels, pixels}, {pixels});
                      }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "2 references");
        const Image other = engine().image(Image::u8(20, 10, 4));
        check_refused(outcome_of([&] { metric.set_reference(other); }),
                      GAUZE_ERROR_INVALID_ARGUMENT, "laid out otherwise");

        gauze_ssimulacra2_desc c_desc{};
        gauze_ssimulacra2 *handle = nullptr;
        check_c_refused(gauze_ssimulacra2_create(engine().c_handle(), &c_desc, &handle),
                        GAUZE_ERROR_INVALID_ARGUMENT, "struct_size");
        c_desc.struct_size = sizeof c_desc;
        check_c_refused(gauze_ssimulacra2_create(engine().c_handle(), &c_desc, &handle),
                        GAUZE_ERROR_INVALID_ARGUMENT, "reference is null");
        check_c_refused(gauze_ssimulacra2_score(metric.c_handle(), nullptr, nullptr, 1, nullptr),
                        GAUZE_ERROR_INVALID_ARGUMENT, "distorted is null");
    }

    TEST_CASE("a kernel that does not compile shows the compiler's log") {
        const std::filesystem::path directory =
            std::filesystem::temp_directory_path() /
            ("gauze-broken-" + std::to_string(std::random_device()()));
        std::filesystem::create_directories(directory / "correlate");
        for (const char *name : {"correlate_tiled", "correlate_strips", "correlate_plain"})
            std::ofstream(directory / "correlate" / (std::string(name) + ".cl"))
                << "__kernel void " << name << "() {\n    undeclared_thing = 1;\n}\n";
        gauze::EngineOptions options;
        options.cl_dir = directory.string();
        const gauze::Engine broken(options);
        const gauze::Plan plan = broken.plan(gauze::correlate(cross()), Image::f32(8, 8));
        const std::vector<float> src(64, 1.0F);
        std::vector<float> dst(64, 7.0F);
        const Outcome outcome = outcome_of([&] { plan.run(src, dst); });
        INFO(outcome.text);
        CHECK(outcome.status == GAUZE_ERROR_BUILD_FAILED);
        CHECK(outcome.text.find("undeclared_thing") != std::string::npos);
        CHECK(outcome.text.find("-cl-std=CL1.2") != std::string::npos);
        CHECK(outcome.text.find(".cl") != std::string::npos);
        CHECK(dst == std::vector<float>(64, 7.0F));
        std::filesystem::remove_all(directory);
    }

    TEST_CASE("nothing to destroy is fine") {
        gauze_ssimulacra2_destroy(nullptr);
        gauze_engine_destroy(nullptr);
        gauze_plan_destroy(nullptr);
        gauze_filter_destroy(nullptr);
        gauze_image_destroy(nullptr);
        gauze_device_list_destroy(nullptr);
    }
}
