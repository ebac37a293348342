// Many threads and many engines: the same bits, and no growth.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#ifdef _WIN32
#include <windows.h>
// After the types of windows.h.
#include <psapi.h>
#else
#include <unistd.h>
#endif

#include "support/embedder.hpp"

namespace {

using embedder::cross;
using embedder::engine;
using embedder::float_bytes;
using embedder::KeptPrograms;
using embedder::Queue;
using embedder::random_pixels;
using gauze::Image;
using gauze::ImageDesc;

constexpr int thread_count = 8;

// Calls body(number of the thread) on threads that start together, and waits for them.
void on_threads(const std::function<void(int)> &body) {
    std::atomic<int> waiting{thread_count};
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t)
        threads.emplace_back([&, t] {
            --waiting;
            while (waiting > 0)
                std::this_thread::yield();
            body(t);
        });
    for (std::thread &thread : threads)
        thread.join();
}

const ImageDesc desc = Image::f32(201, 120);

std::vector<float> pixels() {
    return random_pixels(201 * 120);
}

struct NamedFilter {
    gauze::Filter filter;
    const char *variant;
};

// One launch; several with images between them; and with sums that they hand on.
std::vector<NamedFilter> filters() {
    gauze::Gaussian recursive;
    recursive.sigma = {4.0, 4.0, 0, 0};
    recursive.method = gauze::GaussianMethod::recursive;
    return {{gauze::correlate(cross()), ""},
            {gauze::gaussian(10.0), "separable_passes"},
            {gauze::box(6, 3), "box_plain"},
            {gauze::gaussian(recursive), ""}};
}

// Runs each filter's one plan from all threads at once, `runs` times in each; the number of results
// that were wrong.
template <class PerThread> int wrong_results(int runs, PerThread &&make_run) {
    std::atomic<int> wrong{0};
    const std::vector<float> src = pixels();
    for (const auto &[filter, variant] : filters()) {
        const gauze::Plan plan =
            engine().plan(filter, desc, gauze::PlanOptions().with_variant(variant));
        std::vector<float> expected(src.size());
        plan.run(src, expected);
        on_threads([&](int) {
            const auto run = make_run(plan, src);
            std::vector<float> dst(src.size());
            for (int i = 0; i < runs; ++i) {
                run(dst);
                wrong += dst == expected ? 0 : 1;
            }
        });
    }
    return wrong;
}

void check_host_memory(int runs) {
    const int wrong =
        wrong_results(runs, [](const gauze::Plan &plan, const std::vector<float> &src) {
            return [&](std::vector<float> &dst) { plan.run(src, dst); };
        });
    std::printf("host memory: %d plans from %d threads, %d runs each: %d wrong results\n",
                static_cast<int>(filters().size()), thread_count, runs, wrong);
    CHECK(wrong == 0);
}

// Objects that each thread has for itself where it filters device memory.
struct DeviceRun {
    const gauze::Plan &plan;
    std::shared_ptr<Queue> queue; // nullptr: the engine's
    Image from = engine().image(desc), to = engine().image(desc);

    DeviceRun(const gauze::Plan &of, std::shared_ptr<Queue> on, const std::vector<float> &src)
        : plan(of), queue(std::move(on)) {
        from.write(src.data(), src.size() * float_bytes);
    }
    void operator()(std::vector<float> &dst) {
        cl_event done = nullptr;
        plan.enqueue(queue ? queue->handle() : nullptr, from.mem(), to.mem(), {}, &done);
        clWaitForEvents(1, &done);
        clReleaseEvent(done);
        to.read(dst.data(), dst.size() * float_bytes);
    }
};

void check_device_memory(int runs) {
    struct Kind {
        const char *name;
        std::function<std::shared_ptr<Queue>()> make;
    };
    const Kind kinds[] = {
        {"the engine's queue", [] { return std::shared_ptr<Queue>(); }},
        {"queues in order", [] { return std::make_shared<Queue>(0); }},
        {"queues out of order",
         [] { return std::make_shared<Queue>(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); }}};
    for (const Kind &kind : kinds) {
        const int wrong =
            wrong_results(runs, [&](const gauze::Plan &plan, const std::vector<float> &src) {
                // Kept together, as it must not be copied.
                const auto own = std::make_shared<DeviceRun>(plan, kind.make(), src);
                return [own](std::vector<float> &dst) { (*own)(dst); };
            });
        std::printf("%s: %d plans from %d threads, %d runs each: %d wrong results\n", kind.name,
                    static_cast<int>(filters().size()), thread_count, runs, wrong);
        CHECK(wrong == 0);
    }
}

// Memory of the process, in bytes; 0 where the system does not say.
std::size_t resident_bytes() {
#ifdef _WIN32
    PROCESS_MEMORY_COUNTERS counters{};
    GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters);
    return counters.WorkingSetSize;
#else
    std::ifstream statm("/proc/self/statm");
    std::size_t all = 0, resident = 0;
    statm >> all >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#endif
}

// An engine's life, with everything that an engine can own.
void live_once(const gauze::EngineOptions &options) {
    const std::vector<float> src = random_pixels(32 * 32);
    std::vector<float> dst(src.size());
    const gauze::Engine own(options);
    const ImageDesc small = Image::f32(32, 32);
    const gauze::Plan plan =
        own.plan(gauze::box(2, 2), small, gauze::PlanOptions().with_variant("box_plain"));
    plan.run(src, dst);
    Image from = own.image(small), to = own.image(small);
    from.write(src.data(), src.size() * float_bytes);
    cl_event done = nullptr;
    plan.enqueue(nullptr, from.mem(), to.mem(), {}, &done);
    clReleaseEvent(done);
    std::vector<float> got(src.size());
    to.read(got.data(), got.size() * float_bytes);
    CHECK(got == dst);
}

// Measures growth over so many lives, after half as many, which fill what drivers keep. The system may give a
// large page at any time; a leak grows every time.
void check_growth(int lives) {
    KeptPrograms kept;
    for (int i = 0; i < lives / 2; ++i)
        live_once(kept.options());
    constexpr int times = 3;
    double least = 1e18;
    for (int time = 0; time < times; ++time) {
        const std::size_t before = resident_bytes();
        for (int i = 0; i < lives / 2; ++i)
            live_once(kept.options());
        const std::size_t after = resident_bytes();
        const double grown = static_cast<double>(after) - static_cast<double>(before);
        std::printf("%d engines, one after the other: %.0f KiB resident, %.0f KiB more\n",
                    lives / 2, static_cast<double>(after) / 1024, grown / 1024);
        least = std::min(least, grown);
    }
    CHECK(least / (lives / 2) < 16 * 1024);
}

} // namespace

TEST_SUITE("threads") {
    TEST_CASE("one plan from many threads") {
        check_host_memory(5);
        check_device_memory(5);
    }

    TEST_CASE("one plan from many threads, many times" * doctest::skip()) {
        check_host_memory(500);
        check_device_memory(500);
    }

    TEST_CASE("one plan that nobody has prepared") {
        const gauze::Engine own;
        const std::vector<float> src = pixels();
        std::vector<float> expected(src.size());
        engine().plan(gauze::box(20), desc).run(src, expected);
        const gauze::Plan plan = own.plan(gauze::box(20), desc);
        std::atomic<int> wrong{0};
        on_threads([&](int) {
            std::vector<float> dst(src.size());
            plan.run(src, dst);
            wrong += dst == expected ? 0 : 1;
        });
        CHECK(wrong == 0);
        // As many programs as one run compiles. prepare() also compiles what runs on device memory, which may be
        // another kernel: results shipped for a device can differ by how rows are aligned.
        const gauze::Engine alone;
        alone.plan(gauze::box(20), desc).run(src, expected);
        CHECK(own.compile_count() == alone.compile_count());
    }

    TEST_CASE("plans of one engine, made at once") {
        const gauze::Engine own;
        const std::vector<float> src = pixels();
        std::vector<float> expected(src.size());
        engine().plan(gauze::correlate(cross()), desc).run(src, expected);
        std::atomic<int> wrong{0};
        on_threads([&](int) {
            std::vector<float> dst(src.size());
            own.plan(gauze::correlate(cross()), desc).run(src, dst);
            wrong += dst == expected ? 0 : 1;
        });
        CHECK(wrong == 0);
        CHECK(own.compile_count() == 1);
    }

    TEST_CASE("many engines at once, made and destroyed") {
        const std::vector<float> src = pixels();
        std::vector<float> expected(src.size());
        engine().plan(gauze::correlate(cross()), desc).run(src, expected);
        KeptPrograms kept;
        std::atomic<int> wrong{0};
        on_threads([&](int) {
            for (int i = 0; i < 4; ++i) {
                const gauze::Engine own(kept.options());
                std::vector<float> dst(src.size());
                own.plan(gauze::correlate(cross()), desc).run(src, dst);
                wrong += dst == expected ? 0 : 1;
            }
        });
        CHECK(wrong == 0);
    }

    TEST_CASE("the text of an error is its thread's own") {
        std::atomic<int> wrong{0};
        on_threads([&](int t) {
            for (int i = 0; i < 100; ++i) {
                gauze_filter *filter = nullptr;
                gauze_filter_bspline(100 + t, &filter);
                wrong += std::string(gauze_last_error()).find(std::to_string(100 + t)) ==
                                 std::string::npos
                             ? 1
                             : 0;
            }
        });
        CHECK(wrong == 0);
    }
}

TEST_SUITE("lifetimes") {
    TEST_CASE("engines that come and go leave nothing behind") {
        check_growth(100);
    }

    TEST_CASE("a thousand engines that come and go leave nothing behind" * doctest::skip()) {
        check_growth(2000);
    }
}
