/// @file
/// Several devices in one process: an image in host memory is cut into slabs, and each device takes as many
/// as its speed is worth. Header only, over gauze.hpp; programs that include it link threads.
#ifndef GAUZE_GAUZE_FLEET_HPP
#define GAUZE_GAUZE_FLEET_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include <gauze/gauze.hpp>

namespace gauze {

/// @addtogroup plans
/// @{

/// How a fleet computes it.
struct FleetOptions {
    Border border;                 ///< clamp unless said otherwise
    std::string variant;           ///< "": the library's choice
    Store store = Store::saturate; ///< how results become integers
    /// How far results of recursive filters may be from those of the whole image, as Filter::reach() has it. 0:
    /// images are not cut along axes that such a filter runs along.
    double accuracy = 0.0;
    std::int64_t slab =
        0; ///< pixels of a slab along the axis that is cut; 0: about eight slabs a device
};

/// The share of an engine in the last run of a fleet's plan.
struct FleetShare {
    std::uint64_t pixels = 0; ///< of the target, planes included
    double seconds = 0.0;     ///< from its first slab to its last, copies included
};

/// How to filter images of one description on several engines. May run from many threads at once; moves, does
/// not copy.
class FleetPlan {
public:
    /// Filters host memory and returns when the targets are written. Source and target may overlap; several targets
    /// must not overlap each other.
    ///
    /// The results of filters with taps and windows have the bits that each engine alone would give; others are
    /// within the filter's bound. options: progress is called by the thread that calls this, whenever a slab is
    /// complete; max_device_bytes is of each engine. Where an engine fails the others finish their slabs, and its
    /// error is thrown: the pixels of the target are undefined then.
    void run(const HostPixels &source, const std::vector<HostTarget> &targets,
             const RunOptions &options = {}) const {
        check_sizes(source, targets);
        std::vector<unsigned char> copy;
        HostPixels from = source;
        for (const HostTarget &target : targets)
            if (copy.empty() && overlap(source, target)) {
                const auto *const bytes = static_cast<const unsigned char *>(source.data);
                copy.assign(bytes, bytes + source.bytes);
                from = HostPixels(copy.data(), copy.size());
            }
        Run run{&from, &targets, &options, state_->rates(), {}, {}, {}, {}, {}, 0, 0, 0, false};
        run.shares.resize(state_->engines.size());
        run.works.assign(state_->engines.size(), true);
        run.workers = state_->engines.size();
        std::vector<std::thread> threads;
        try {
            for (std::size_t i = 0; i < state_->engines.size(); ++i)
                threads.emplace_back([this, &run, i] { work(run, i); });
            report(run);
        } catch (...) {
            stop(run, std::current_exception());
        }
        for (std::thread &thread : threads)
            thread.join();
        if (run.failed)
            std::rethrow_exception(run.failed);
        state_->keep(run.rates, run.shares);
    }
    /// The same for one target, and for contiguous containers of pixels.
    void run(const HostPixels &source, HostTarget target, const RunOptions &options = {}) const {
        run(source, std::vector<HostTarget>{target}, options);
    }

    /// The share of each engine in the last run that is complete, in the order of the engines.
    std::vector<FleetShare> shares() const {
        const std::lock_guard lock(state_->mutex);
        return state_->shares;
    }

    /// The axis that images are cut along, 0 to 3 for x to t; -1 where one engine takes all: no axis can be cut, or
    /// it is too short.
    int axis() const { return state_->axis; }

private:
    friend class Fleet;

    // Pixels along the axis: a slab, and what it reads.
    struct Slab {
        std::int64_t begin, end, read_begin, read_end;

        // Slabs that are alike have one plan.
        std::array<std::int64_t, 3> shape() const {
            return {begin - read_begin, end - begin, read_end - read_begin};
        }
    };

    struct State {
        std::vector<Engine> engines;
        Filter filter;
        ImageDesc source;
        std::vector<ImageDesc> targets;
        FleetOptions options;
        int axis = -1;
        std::int64_t length = 1, reach = 0, slab = 1;

        mutable std::mutex mutex;
        // For each engine. The rates are pixels along the axis a second, 0 before anything is known.
        std::vector<std::map<std::array<std::int64_t, 3>, std::shared_ptr<Plan>>> plans;
        std::vector<double> own_rates;
        std::vector<FleetShare> shares;

        State(std::vector<Engine> all, Filter what)
            : engines(std::move(all)), filter(std::move(what)), plans(engines.size()),
              own_rates(engines.size(), 0.0), shares(engines.size()) {}

        std::vector<double> rates() const {
            const std::lock_guard lock(mutex);
            return own_rates;
        }
        void keep(const std::vector<double> &rates, const std::vector<FleetShare> &done) {
            const std::lock_guard lock(mutex);
            own_rates = rates;
            shares = done;
        }
    };

    struct Run {
        const HostPixels *source;
        const std::vector<HostTarget> *targets;
        const RunOptions *options;
        std::vector<double> rates;
        std::vector<FleetShare> shares;
        std::vector<bool> works; // whether an engine still takes slabs
        std::exception_ptr failed;
        std::mutex mutex; // of all members
        std::condition_variable changed;
        std::int64_t next = 0, done = 0; // along the axis
        std::size_t workers = 0;
        bool stops;
    };

    explicit FleetPlan(std::shared_ptr<State> state) : state_(std::move(state)) {}

    static bool overlap(const HostPixels &source, const HostTarget &target) {
        const auto *const from = static_cast<const unsigned char *>(source.data);
        const auto *const to = static_cast<const unsigned char *>(target.data);
        const std::less<const unsigned char *> before;
        return before(from, to + target.bytes) && before(to, from + source.bytes);
    }

    void check_sizes(const HostPixels &source, const std::vector<HostTarget> &targets) const {
        const auto check_one = [](const std::string &name, const void *data, std::size_t bytes,
                                  const ImageDesc &desc) {
            if (data == nullptr)
                throw Error(GAUZE_ERROR_INVALID_ARGUMENT, "the " + name + " is null");
            if (bytes < desc.bytes())
                throw Error(GAUZE_ERROR_INVALID_ARGUMENT,
                            "the " + name + " has " + std::to_string(bytes) +
                                " bytes; its description needs " + std::to_string(desc.bytes()));
        };
        if (targets.size() != state_->targets.size())
            throw Error(GAUZE_ERROR_INVALID_ARGUMENT, std::to_string(targets.size()) +
                                                          " targets are given; the plan has " +
                                                          std::to_string(state_->targets.size()));
        check_one("source", source.data, source.bytes, state_->source);
        for (std::size_t i = 0; i < targets.size(); ++i)
            check_one("target", targets[i].data, targets[i].bytes, state_->targets[i]);
    }

    static void stop(Run &run, std::exception_ptr why) {
        const std::lock_guard lock(run.mutex);
        if (!run.failed)
            run.failed = std::move(why);
        run.stops = true;
        run.changed.notify_all();
    }

    // Calls progress until all slabs are done, or no engine works any more.
    void report(Run &run) const {
        const auto all = static_cast<std::uint64_t>(state_->length);
        const std::uint64_t pixels = pixels_of(state_->source);
        std::int64_t reported = -1;
        std::unique_lock lock(run.mutex);
        for (;;) {
            if (run.done != reported && run.options->progress) {
                reported = run.done;
                const std::uint64_t done =
                    pixels / all * static_cast<std::uint64_t>(reported) +
                    pixels % all * static_cast<std::uint64_t>(reported) / all;
                lock.unlock();
                const bool goes_on = run.options->progress(done, pixels);
                if (!goes_on && done != pixels)
                    throw Error(GAUZE_ERROR_CANCELLED, "the run was cancelled");
                lock.lock();
                continue;
            }
            if (run.done == state_->length || run.workers == 0)
                return;
            run.changed.wait(lock);
        }
    }

    static std::uint64_t pixels_of(const ImageDesc &desc) {
        std::int64_t count = desc.planes;
        for (const std::int64_t extent : desc.extent)
            count *= extent;
        return static_cast<std::uint64_t>(count);
    }

    // Takes the next slab, unless the other engines are faster done without this one.
    bool take(Run &run, std::size_t engine, Slab &slab) const {
        const std::lock_guard lock(run.mutex);
        const std::int64_t left = state_->length - run.next;
        if (run.stops || left == 0)
            return false;
        const std::int64_t count = std::min(left, state_->slab);
        const double own = run.rates[engine];
        double others = 0.0;
        double fastest = 0.0;
        for (std::size_t i = 0; i < run.rates.size(); ++i)
            if (i != engine && run.works[i]) {
                others += run.rates[i];
                fastest = std::max(fastest, run.rates[i]);
            }
        // They finish their own slabs first. The last engine to work never leaves.
        const auto height = static_cast<double>(count);
        if (own > 0.0 && fastest > 2.0 * own &&
            height / own > (static_cast<double>(left) + height) / others) {
            run.works[engine] = false;
            return false;
        }
        slab.begin = run.next;
        slab.end = run.next += count;
        slab.read_begin = std::max<std::int64_t>(slab.begin - state_->reach, 0);
        slab.read_end = std::min(slab.end + state_->reach, state_->length);
        return true;
    }

    void work(Run &run, std::size_t engine) const {
        using Clock = std::chrono::steady_clock;
        try {
            Slab slab{};
            double seconds = 0.0;
            std::int64_t done = 0;
            while (take(run, engine, slab)) {
                bool is_new = false;
                const std::shared_ptr<Plan> plan = plan_for(engine, slab, is_new);
                if (is_new)
                    plan->prepare();
                const auto began = Clock::now();
                run_slab(*plan, run, slab);
                const double own = std::chrono::duration<double>(Clock::now() - began).count();
                seconds += own;
                done += slab.end - slab.begin;
                const std::lock_guard lock(run.mutex);
                run.rates[engine] = static_cast<double>(done) / std::max(seconds, 1e-9);
                run.shares[engine] = {pixels_of(state_->source) /
                                          static_cast<std::uint64_t>(state_->length) *
                                          static_cast<std::uint64_t>(done),
                                      seconds};
                run.done += slab.end - slab.begin;
                run.changed.notify_all();
            }
        } catch (...) {
            stop(run, std::current_exception());
        }
        const std::lock_guard lock(run.mutex);
        --run.workers;
        run.changed.notify_all();
    }

    ImageDesc part_of(ImageDesc desc, std::int64_t count) const {
        if (state_->axis >= 0)
            desc.extent[static_cast<std::size_t>(state_->axis)] = count;
        return desc;
    }

    std::shared_ptr<Plan> plan_for(std::size_t engine, const Slab &slab, bool &is_new) const {
        {
            const std::lock_guard lock(state_->mutex);
            const auto found = state_->plans[engine].find(slab.shape());
            if (found != state_->plans[engine].end())
                return found->second;
        }
        is_new = true;
        auto plan = std::make_shared<Plan>(make_plan(engine, slab));
        const std::lock_guard lock(state_->mutex);
        return state_->plans[engine].emplace(slab.shape(), std::move(plan)).first->second;
    }

    static PlanOptions plan_options(const FleetOptions &fleet) {
        PlanOptions options;
        options.border = fleet.border;
        options.variant = fleet.variant;
        options.store = fleet.store;
        return options;
    }

    Plan make_plan(std::size_t engine, const Slab &slab) const {
        PlanOptions options = plan_options(state_->options);
        std::vector<ImageDesc> targets;
        for (const ImageDesc &target : state_->targets)
            targets.push_back(part_of(target, slab.end - slab.begin));
        if (state_->axis >= 0) {
            Region region;
            region.edge = RegionEdge::neighbours;
            region.extent = targets.front().extent;
            region.source_origin[static_cast<std::size_t>(state_->axis)] =
                slab.begin - slab.read_begin;
            options.region = region;
        }
        return state_->engines[engine].plan(
            state_->filter, part_of(state_->source, slab.read_end - slab.read_begin), targets,
            options);
    }

    void run_slab(const Plan &plan, const Run &run, const Slab &slab) const {
        const auto shift = [&](const ImageDesc &desc, std::int64_t pixels) {
            return state_->axis < 0
                       ? std::size_t{0}
                       : static_cast<std::size_t>(
                             pixels * desc.pitch[static_cast<std::size_t>(state_->axis)]);
        };
        const std::size_t from = shift(state_->source, slab.read_begin);
        std::vector<HostTarget> parts;
        for (std::size_t i = 0; i < run.targets->size(); ++i) {
            const HostTarget &target = (*run.targets)[i];
            const std::size_t to = shift(state_->targets[i], slab.begin);
            parts.emplace_back(static_cast<unsigned char *>(target.data) + to, target.bytes - to);
        }
        const std::vector<HostTarget> &targets = parts;
        RunOptions options;
        options.max_device_bytes = run.options->max_device_bytes;
        plan.run(HostPixels(static_cast<const unsigned char *>(run.source->data) + from,
                            run.source->bytes - from),
                 targets, options);
    }

    std::shared_ptr<State> state_;
};

/// Several engines that work on one image together. Copies share them.
class Fleet {
public:
    /// engines: one at least. They may be of one device.
    explicit Fleet(std::vector<Engine> engines) : engines_(std::move(engines)) {
        if (engines_.empty())
            throw Error(GAUZE_ERROR_INVALID_ARGUMENT, "a fleet has no engines");
    }
    /// An engine for each usable GPU; where there is none, for the device that an engine alone would take.
    Fleet() {
        for (const DeviceInfo &device : devices().devices)
            if (device.kind == GAUZE_DEVICE_GPU && device.unusable.empty()) {
                EngineOptions options;
                options.device = std::to_string(device.index);
                engines_.emplace_back(options);
            }
        if (engines_.empty())
            engines_.emplace_back();
    }

    /// The engines, in the order of FleetPlan::shares().
    const std::vector<Engine> &engines() const { return engines_; }

    /// Source and target of the same description.
    FleetPlan plan(const Filter &filter, const ImageDesc &image,
                   const FleetOptions &options = {}) const {
        return plan(filter, image, {image}, options);
    }

    /// With as many targets as the filter has. The image is cut along its outermost axis where slabs read few
    /// pixels twice, else along that where they are fewest. Refuses what the first engine's plan of the whole image would refuse.
    FleetPlan plan(const Filter &filter, const ImageDesc &source,
                   const std::vector<ImageDesc> &targets, const FleetOptions &options = {}) const {
        // Slabs are computed as the whole would be, whatever their size.
        const Plan whole =
            engines_.front().plan(filter, source, targets, FleetPlan::plan_options(options));
        auto state = std::make_shared<FleetPlan::State>(engines_, whole.filter());
        state->options = options;
        state->source = with_pitches(source);
        for (const ImageDesc &target : targets)
            state->targets.push_back(with_pitches(target));
        choose_axis(*state, filter.reach(options.accuracy));
        return FleetPlan(std::move(state));
    }

private:
    static ImageDesc with_pitches(ImageDesc desc) {
        std::int64_t next = static_cast<std::int64_t>(size_of(desc.type)) *
                            std::max<std::int64_t>(desc.channels, 1);
        for (std::size_t i = 0; i < 4; ++i) {
            desc.extent[i] = std::max<std::int64_t>(desc.extent[i], 1);
            if (desc.pitch[i] == 0)
                desc.pitch[i] = next;
            next = desc.pitch[i] * desc.extent[i];
        }
        desc.planes = std::max<std::int64_t>(desc.planes, 1);
        if (desc.plane_pitch == 0)
            desc.plane_pitch = next;
        return desc;
    }

    // Slabs lie along the outermost axis along which they read little twice, else along that where it is least. A
    // border that wraps around would have the first slab read the image's other end.
    void choose_axis(FleetPlan::State &state, const std::array<std::int64_t, 4> &reach) const {
        constexpr double little = 1.0 / 16;
        double least = 1.0;
        for (int axis = 3; axis >= 0 && engines_.size() > 1; --axis) {
            const auto i = static_cast<std::size_t>(axis);
            const std::int64_t length = state.source.extent[i];
            const bool wraps = state.options.border.mode == GAUZE_BORDER_WRAP && reach[i] > 0;
            if (length < 2 || reach[i] == GAUZE_REACH_WHOLE || wraps)
                continue;
            const double cost = static_cast<double>(reach[i]) / static_cast<double>(length);
            if (cost < least) {
                least = cost;
                state.axis = axis;
            }
            if (cost <= little)
                break;
        }
        if (state.axis < 0)
            return;
        const auto i = static_cast<std::size_t>(state.axis);
        state.length = state.source.extent[i];
        state.reach = reach[i];
        const auto parts = static_cast<std::int64_t>(8 * engines_.size());
        const std::int64_t even = (state.length + parts - 1) / parts;
        // Slabs much shorter than what they read around them do not pay.
        const std::int64_t each = (state.length + static_cast<std::int64_t>(engines_.size()) - 1) /
                                  static_cast<std::int64_t>(engines_.size());
        state.slab = state.options.slab > 0 ? state.options.slab
                                            : std::min(std::max(even, 4 * state.reach), each);
    }

    std::vector<Engine> engines_;
};

/// @}

} // namespace gauze

#endif
