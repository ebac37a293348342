// OpenCL calls that fail: each of those that a use of the library makes, in turn, by a layer below
// the loader. Each gives an error that names the call, or is made up for; nothing leaks, and the same
// engine works afterwards.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "layer/fault_layer.hpp"
#include "support/embedder.hpp"

namespace {

using embedder::float_bytes;
using embedder::KeptPrograms;
using embedder::Outcome;
using embedder::outcome_of;
using embedder::Queue;
using embedder::random_pixels;
using faults::Call;
using gauze::Image;
using gauze::ImageDesc;

using Live = std::array<int, faults::object_count>;

// The layer's state; nullptr where the loader has not put the layer in.
faults::State *layer() {
    static faults::State *const state = []() -> faults::State * {
        gauze::devices(); // loaders look for layers at the first call
        const char *const path = std::getenv("OPENCL_LAYERS");
        void *const library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
        if (!library)
            return nullptr;
        const auto find =
            reinterpret_cast<faults::State *(*)()>(dlsym(library, "fault_layer_state"));
        return find ? find() : nullptr;
    }();
    return state;
}

Live live_objects() {
    Live counts{};
    for (std::size_t i = 0; i < counts.size(); ++i)
        counts[i] = layer()->live[i];
    return counts;
}

std::string to_text(const Live &counts) {
    std::string text;
    for (std::size_t i = 0; i < counts.size(); ++i)
        text +=
            std::string(i ? ", " : "") + std::to_string(counts[i]) + " " + faults::object_names[i];
    return text;
}

void check_live(const Live &before) {
    INFO("before: ", to_text(before), "; now: ", to_text(live_objects()));
    CHECK(live_objects() == before);
}

// While it lives, calls are counted, or not.
class Watching {
public:
    explicit Watching(bool watching) : before_(layer()->is_watching.exchange(watching)) {}
    ~Watching() { layer()->is_watching = before_; }
    Watching(const Watching &) = delete;
    Watching &operator=(const Watching &) = delete;

private:
    bool before_;
};

// Runs the embedder's own use of OpenCL without faults.
template <class Own> auto unwatched(Own &&own) {
    const Watching off(false);
    return own();
}

// An event for enqueued commands to wait for, and the event that they give. It lets go of both,
// and waits for the queue, also where the library failed in between.
class Run {
public:
    explicit Run(const gauze::Engine &engine)
        : queue_(unwatched([&] {
              return std::make_unique<Queue>(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, engine);
          })) {
        const Watching off(false);
        cl_int error = CL_SUCCESS;
        start_ = clCreateUserEvent(queue_->context(), &error);
        REQUIRE(error == CL_SUCCESS);
    }
    ~Run() {
        finish();
        const Watching off(false);
        if (done)
            clReleaseEvent(done);
        clReleaseEvent(start_);
        queue_.reset();
    }
    Run(const Run &) = delete;
    Run &operator=(const Run &) = delete;

    cl_command_queue queue() const { return queue_->handle(); }
    cl_event start() const { return start_; }
    // status: CL_COMPLETE, or a negative one with which the commands are given up.
    void finish(cl_int status = CL_COMPLETE) {
        const Watching off(false);
        if (!is_started_)
            clSetUserEventStatus(start_, status);
        is_started_ = true;
        if (done)
            clWaitForEvents(1, &done);
        if (queue())
            clFinish(queue());
    }

    cl_event done = nullptr;

private:
    std::unique_ptr<Queue> queue_;
    cl_event start_ = nullptr;
    bool is_started_ = false;
};

// Uses everything that calls OpenCL: passes over images between them, filter data on the device, workspace,
// host memory, device memory, queues in order and out of order, events. Returns the pixels.
std::vector<float> use(const gauze::Engine &engine, const std::vector<gauze::Filter> &filters) {
    const ImageDesc desc = Image::f32(37, 23);
    const std::vector<float> src = random_pixels(37 * 23);
    const std::size_t bytes = src.size() * float_bytes;
    std::vector<float> got;
    const auto next = [&] {
        got.resize(got.size() + src.size());
        return got.data() + got.size() - src.size();
    };
    for (const gauze::Filter &filter : filters) {
        const gauze::Plan plan = engine.plan(filter, desc);
        plan.run(src.data(), bytes, next(), bytes);
        Image from = engine.image(desc);
        Image to = engine.image(desc);
        from.write(src.data(), bytes);
        plan.enqueue(nullptr, from.mem(), to.mem());
        to.read(next(), bytes);
        Run run(engine);
        plan.enqueue(run.queue(), from.mem(), to.mem(), {run.start()}, &run.done);
        run.finish();
        to.read(next(), bytes);
    }
    return got;
}

gauze::Filter taps() {
    return gauze::separable(std::vector<double>(301, 0.01), {1, 2, 1});
}

std::vector<float> first_use(const gauze::Engine &engine) {
    return use(engine, {taps()});
}

// Runs in several slabs, axis by axis.
std::vector<float> streamed_use(const gauze::Engine &engine, const gauze::Filter &filter) {
    const ImageDesc desc = Image::f32(160, 40);
    const std::vector<float> src = random_pixels(160 * 40);
    std::vector<float> got(src.size());
    gauze::RunOptions options;
    options.max_device_bytes = 40 * 1024;
    engine.plan(filter, desc).run(src, got, options);
    return got;
}

std::vector<float> any_use(const gauze::Engine &engine) {
    gauze::Gaussian options;
    options.sigma = {3.0, 3.0, 0, 0};
    options.method = gauze::GaussianMethod::recursive;
    std::vector<float> got = use(engine, {taps(), gauze::gaussian(options)});
    const std::vector<float> streamed = streamed_use(engine, gauze::gaussian(options));
    got.insert(got.end(), streamed.begin(), streamed.end());
    const ImageDesc small = Image::f32(8, 8);
    const Image from = engine.image(small);
    Image to = engine.image(small);
    engine.plan(taps(), small).measure(from, to, 1);
    return got;
}

// Codes that the call can be expected to fail with on some device some day.
std::vector<cl_int> codes_of(Call call) {
    switch (call) {
    case faults::call_clBuildProgram:
        return {CL_BUILD_PROGRAM_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY};
    case faults::call_clCreateBuffer:
        return {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY};
    case faults::call_clEnqueueNDRangeKernel:
    case faults::call_clEnqueueReadBuffer:
    case faults::call_clEnqueueReadBufferRect:
    case faults::call_clEnqueueWriteBuffer:
    case faults::call_clEnqueueWriteBufferRect:
    case faults::call_clEnqueueCopyBuffer:
    case faults::call_clEnqueueMapBuffer:
        return {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY,
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_INVALID_COMMAND_QUEUE};
    case faults::call_clWaitForEvents:
        return {CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY,
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST};
    case faults::call_clFlush:
    case faults::call_clFinish:
        return {CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY, CL_INVALID_COMMAND_QUEUE};
    case faults::call_clCreateKernel:
        return {CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY};
    default:
        return {CL_OUT_OF_HOST_MEMORY};
    }
}

// The outcomes of the faults in one kind of call.
struct Tally {
    int refused = 0, survived = 0, unreached = 0;
    std::map<gauze_status, int> statuses;
};
using Counts = std::array<int, faults::call_count>;
using Survivable = std::set<Call>; // whose failure the library may make up for

class Injection {
public:
    // expected: the pixels that a use without faults gives.
    Injection(std::vector<float> expected, Survivable survivable)
        : expected_(std::move(expected)), survivable_(std::move(survivable)) {}

    // Makes the call of that number fail and checks how body() ends, which returns pixels.
    template <class Body> void inject(Call call, int number, cl_int code, Body &&body) {
        layer()->code = code;
        layer()->number = number;
        layer()->has_failed = false;
        layer()->failing = call;
        std::vector<float> got;
        const Outcome outcome = outcome_of([&] { calls_of([&] { got = body(); }); });
        layer()->failing = faults::call_count;

        const std::string name = faults::call_names[call];
        INFO(name, " number ", number, " failed with ", code, ": ", outcome.text);
        Tally &tally = tallies_[call];
        if (outcome.status == GAUZE_OK) {
            CHECK(got == expected_);
            // How often events are asked for, and memory is made, depends on which workspace is idle.
            CHECK((layer()->has_failed || call == faults::call_clGetEventInfo ||
                   call == faults::call_clFlush || call == faults::call_clCreateBuffer));
            CHECK((!layer()->has_failed || survivable_.count(call) == 1));
            ++(layer()->has_failed ? tally.survived : tally.unreached);
        } else {
            CHECK(layer()->has_failed);
            CHECK(outcome.text.find(name) != std::string::npos);
            CHECK(outcome.status != GAUZE_ERROR_INTERNAL);
            CHECK(outcome.status != GAUZE_ERROR_INVALID_ARGUMENT);
            ++tally.refused;
            ++tally.statuses[outcome.status];
        }
    }

    void print(const char *what, const Counts &counts) const {
        Tally sum;
        std::printf("%s:\n", what);
        for (const auto &[call, tally] : tallies_) {
            std::printf("  %-26s %3d calls: %4d errors, %3d made up for", faults::call_names[call],
                        counts[call], tally.refused, tally.survived);
            for (const auto &[status, count] : tally.statuses)
                std::printf("; %d %s", count, gauze_status_name(status));
            std::printf("\n");
            sum.refused += tally.refused;
            sum.survived += tally.survived;
        }
        std::printf("  %d faults: %d errors, %d made up for\n", sum.refused + sum.survived,
                    sum.refused, sum.survived);
    }

    // Returns how many calls of each kind `body` makes.
    template <class Body> static Counts calls_of(Body &&body) {
        for (auto &count : layer()->calls)
            count = 0;
        const Watching on(true);
        body();
        Counts counts{};
        for (std::size_t i = 0; i < counts.size(); ++i)
            counts[i] = layer()->calls[i];
        return counts;
    }

private:
    std::vector<float> expected_;
    Survivable survivable_;
    std::map<Call, Tally> tallies_;
};

template <class Body> void for_each_call(const Counts &counts, Body &&body) {
    for (int call = 0; call < faults::call_count; ++call)
        if (counts[static_cast<std::size_t>(call)] > 0)
            body(static_cast<Call>(call));
}

bool is_layer_missing() {
    if (!layer())
        MESSAGE("the loader takes no layers: no call fails");
    return !layer();
}

// Faults in all that an engine does from its making to the end of its first use.
void fail_a_first_use(const char *what, const gauze::EngineOptions &options, const Counts &warm,
                      const Survivable &survivable) {
    const Live before = live_objects();
    std::vector<float> expected;
    const Counts counts =
        Injection::calls_of([&] { expected = first_use(gauze::Engine(options)); });
    check_live(before);
    Injection injection(expected, survivable);
    for_each_call(counts, [&](Call call) {
        if (counts[call] <= warm[call])
            return; // no other calls than those of any use
        for (int number = 0; number < counts[call]; ++number) {
            std::unique_ptr<gauze::Engine> engine;
            injection.inject(call, number, codes_of(call).front(), [&] {
                engine = std::make_unique<gauze::Engine>(options);
                return first_use(*engine);
            });
            INFO(std::string(faults::call_names[call]), " number ", number);
            if (engine)
                CHECK(first_use(*engine) == expected);
            else
                CHECK(outcome_of([&] { const gauze::Engine again(options); }).text.empty());
            engine.reset();
            check_live(before);
        }
    });
    injection.print(what, counts);
}

// Calls of a use whose failure is made up for, whatever the engine has done before.
const Survivable in_any_use{
    faults::call_clCreateBuffer, // idle workspace is released, and it is tried again
    faults::call_clGetEventInfo, // workspace counts as in use where nothing is known
    faults::call_clFlush,        // the same
};

Counts calls_of_later_uses() {
    const gauze::Engine engine;
    any_use(engine);
    return Injection::calls_of([&] { any_use(engine); });
}

} // namespace

TEST_SUITE("faults") {
    TEST_CASE("of an engine in use") {
        if (is_layer_missing())
            return;
        const Live before = live_objects();
        const Counts counts = calls_of_later_uses();
        check_live(before);
        KeptPrograms kept; // so that engines are soon ready
        const std::vector<float> expected = any_use(gauze::Engine(kept.options()));
        Injection injection(expected, in_any_use);
        for_each_call(counts, [&](Call call) {
            INFO(std::string(faults::call_names[call]));
            {
                const gauze::Engine engine(kept.options());
                CHECK(any_use(engine) == expected);
                for (int number = 0; number < counts[call]; ++number) {
                    for (const cl_int code : codes_of(call))
                        injection.inject(call, number, code, [&] { return any_use(engine); });
                    INFO("number ", number);
                    CHECK(any_use(engine) == expected);
                }
            }
            check_live(before);
        });
        injection.print("an engine in use", counts);
    }

    TEST_CASE("of what a run waits for") {
        if (is_layer_missing())
            return;
        const Live before = live_objects();
        {
            const gauze::Engine engine;
            const std::vector<float> expected = first_use(engine);
            const gauze::Plan plan = engine.plan(taps(), Image::f32(37, 23));
            Image from = engine.image(Image::f32(37, 23)), to = engine.image(Image::f32(37, 23));
            for (int i = 0; i < 10; ++i) {
                Run run(engine);
                plan.enqueue(run.queue(), from.mem(), to.mem(), {run.start()}, &run.done);
                run.finish(CL_OUT_OF_RESOURCES);
                cl_int status = CL_COMPLETE;
                clGetEventInfo(run.done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                               nullptr);
                CHECK(status < 0);
            }
            CHECK(first_use(engine) == expected);
        }
        check_live(before);
    }

    TEST_CASE("of the wait of a run on host memory") {
        if (is_layer_missing())
            return;
        // Long enough that a run which is not waited for still goes on when run() has thrown.
        const ImageDesc desc = Image::f32(2000, 1000);
        const std::vector<float> src = random_pixels(2000 * 1000);
        std::vector<float> got(src.size(), -1.0F);
        const gauze::Engine engine;
        const gauze::Plan plan = engine.plan(taps(), desc);
        plan.run(src, got);
        const std::vector<float> expected = got;
        // A run that copies waits for the last of its results, one that uses the memory where it is for its kernels.
        gauze::RunOptions copies;
        copies.max_device_bytes = std::uint64_t{1} << 30;
        const auto check_waits = [&](const gauze::RunOptions &options, faults::Call call) {
            const int waits = Injection::calls_of([&] { plan.run(src, got, options); })[call];
            CHECK(waits > 0);
            Injection injection(expected, {});
            for (int number = 0; number < waits; ++number) {
                std::fill(got.begin(), got.end(), -1.0F);
                injection.inject(call, number, CL_OUT_OF_RESOURCES, [&] {
                    plan.run(src, got, options);
                    return got;
                });
                const std::vector<float> at_return = got;
                engine.finish();
                // Nothing writes to the caller's memory after run() has thrown.
                CHECK(got == at_return);
            }
        };
        check_waits(copies, faults::call_clEnqueueReadBufferRect);
        check_waits({}, faults::call_clWaitForEvents);
    }

    TEST_CASE("of a new engine") {
        if (is_layer_missing())
            return;
        Survivable survivable = in_any_use;
        survivable.insert(faults::call_clGetDeviceIDs); // a platform of other devices is left out
        fail_a_first_use("a new engine", {}, calls_of_later_uses(), survivable);
    }

    TEST_CASE("of a new engine that finds its programs") {
        if (is_layer_missing())
            return;
        KeptPrograms kept;
        first_use(gauze::Engine(kept.options()));
        CHECK(kept.count() > 0);
        Survivable survivable = in_any_use;
        // Programs that cannot be loaded are compiled.
        survivable.insert({faults::call_clGetDeviceIDs, faults::call_clCreateProgramWithBinary,
                           faults::call_clBuildProgram, faults::call_clCreateKernel});
        fail_a_first_use("a new engine that finds its programs", kept.options(),
                         calls_of_later_uses(), survivable);
    }
}
