#include "plan/measure.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "core/error.hpp"
#include "plan/copy.hpp"

namespace gz {

namespace {

constexpr unsigned warm_ups = 2;
constexpr unsigned most_repeats = 1'000'000;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

struct Sample {
    double device_ms, wall_ms;
};

// A device that reports more time than the call took, or none at all, does not know the time.
bool is_plausible(const Sample &sample) {
    constexpr double slack = 1.05;
    return sample.device_ms > 0.0 && sample.device_ms <= slack * sample.wall_ms;
}

void check_repeats(unsigned repeats) {
    require(repeats >= 1 && repeats <= most_repeats, "repeats is ", repeats,
            "; it must be from 1 to ", most_repeats);
}

void check_engine(const Engine &engine, const DeviceImage &source, const DeviceImage &target) {
    require(source.engine.get() == &engine && target.engine.get() == &engine,
            "the source or the target image belongs to another engine than the plan");
}

void refuse_guide(const Plan &plan) {
    if (plan.desc().source_count() != 1)
        fail(Status::unsupported, "the plan has a guide; plans of one source can be compared");
}

// Runs launches to their end on the engine's queue: enqueue(queue, watched) fills in both events.
Sample time_once(Engine &engine,
                 const std::function<void(const cl::CommandQueue &, const Watched &)> &enqueue) {
    using Clock = std::chrono::steady_clock;
    const cl::CommandQueue &queue = engine.queue();
    cl::Event first, last;
    const Clock::time_point begin = Clock::now();
    enqueue(queue, {&first, &last});
    attempt("waiting for a kernel", [&] { last.wait(); });
    const double wall = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    if (engine.facts().junk_event_times)
        return {wall, wall};
    const auto nanoseconds = attempt("reading profiling times", [&] {
        return last.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
               first.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    });
    return {static_cast<double>(nanoseconds) * 1e-6, wall};
}

Sample time_once(Engine &engine, const Plan &plan, const std::vector<cl::Buffer> &sources,
                 const std::vector<cl::Buffer> &targets) {
    return time_once(engine, [&](const cl::CommandQueue &on, const Watched &watched) {
        plan.pipeline().enqueue(engine, on, sources, targets, {}, watched);
    });
}

} // namespace

Timing measure(const Plan &plan, const std::vector<const DeviceImage *> &sources,
               const std::vector<const DeviceImage *> &targets, unsigned repeats) {
    check_repeats(repeats);
    Engine &engine = plan.engine();
    std::vector<cl::Buffer> from, to;
    for (const DeviceImage *source : sources)
        from.push_back(source->buffer);
    for (const DeviceImage *target : targets) {
        for (const DeviceImage *source : sources)
            check_engine(engine, *source, *target);
        to.push_back(target->buffer);
    }
    plan.check_buffers(from, to);

    // A copy reads as much as it writes, so it moves half of what the filter reads and writes
    // together.
    const std::int64_t moved = plan.desc().source_bytes() + plan.desc().target_bytes();
    const std::int64_t bytes = std::max<std::int64_t>(moved / 2 / copy_unit, 1) * copy_unit;
    const cl::Buffer copy_from =
        engine.allocate(static_cast<std::uint64_t>(bytes), "the source of the copy");
    const cl::Buffer copy_to =
        engine.allocate(static_cast<std::uint64_t>(bytes), "the target of the copy");
    const cl::CommandQueue &queue = engine.queue();
    attempt("filling the source of the copy", [&] {
        const cl::Buffer &source = from.front();
        const auto image_bytes = static_cast<std::int64_t>(source.getInfo<CL_MEM_SIZE>());
        for (std::int64_t at = 0; at < bytes; at += image_bytes)
            queue.enqueueCopyBuffer(source, copy_from, 0, static_cast<std::size_t>(at),
                                    static_cast<std::size_t>(std::min(image_bytes, bytes - at)));
        queue.finish();
    });
    const ReadyLaunch copy = engine.make_ready(copy_launch(bytes, engine.facts()));

    std::vector<double> device, wall, copied;
    for (unsigned i = 0; i < warm_ups + repeats; ++i) {
        const Sample run = time_once(engine, plan, from, to);
        const Sample plain =
            time_once(engine, [&](const cl::CommandQueue &on, const Watched &watched) {
                copy.enqueue(on, {{copy_from}, {copy_to}, {}}, {}, watched.last);
                *watched.first = *watched.last;
            });
        if (i < warm_ups)
            continue;
        device.push_back(run.device_ms);
        wall.push_back(run.wall_ms);
        copied.push_back(plain.device_ms);
    }
    return {median(device), median(wall), median(copied), engine.facts().junk_event_times,
            static_cast<int>(plan.pipeline().launches())};
}

Comparison compare(const Plan &plan, const Plan &baseline, const DeviceImage &source,
                   const DeviceImage &target, unsigned repeats) {
    check_repeats(repeats);
    Engine &engine = plan.engine();
    require(&baseline.engine() == &engine, "the baseline belongs to another engine than the plan");
    check_engine(engine, source, target);
    const std::vector<cl::Buffer> to{target.buffer};
    refuse_guide(plan);
    refuse_guide(baseline);
    plan.check_buffers({source.buffer}, to);
    baseline.check_buffers({source.buffer}, to);

    constexpr double hopeless = 10.0;
    std::vector<Sample> runs, others;
    bool plausible = !engine.facts().junk_event_times;
    for (unsigned i = 0; i <= repeats; ++i) {
        // The baseline runs first: the plan overwrites its result.
        const Sample other = time_once(engine, baseline, {source.buffer}, to);
        const Sample run = time_once(engine, plan, {source.buffer}, to);
        plausible = plausible && is_plausible(run) && is_plausible(other);
        const bool counts = i > 0 || run.device_ms > hopeless * other.device_ms;
        if (!counts)
            continue;
        runs.push_back(run);
        others.push_back(other);
        if (i == 0)
            break;
    }
    const auto of = [&](const Sample &sample) {
        return plausible ? sample.device_ms : sample.wall_ms;
    };
    std::vector<double> times, baselines, ratios;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        times.push_back(of(runs[i]));
        baselines.push_back(of(others[i]));
        ratios.push_back(times.back() / baselines.back());
    }
    return {median(times), median(baselines), median(ratios), !plausible};
}

} // namespace gz
