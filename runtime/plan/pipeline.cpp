#include "plan/pipeline.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace gz {

namespace {

// What parts of one buffer start at: what the device asks for, and what vectors of values do.
std::uint64_t part_alignment(const Engine &engine) {
    return std::max<std::uint64_t>(engine.facts().base_alignment, 16 * sizeof(float));
}

// Workspace of one run: parts of the caller's, or of the pool's. The latter goes back to the pool when
// the run is enqueued; if that fails on the way it is released instead, for commands that are already
// enqueued may use it still.
class Lease {
public:
    Lease(Engine &engine, const cl::CommandQueue &queue, const std::vector<std::uint64_t> &sizes,
          const cl::Buffer &callers)
        : engine_(engine), queue_(queue), is_from_pool_(!callers()) {
        attempt("allocating workspace", [&] {
            if (!is_from_pool_)
                buffers_ = parts_of(callers, sizes, part_alignment(engine));
            else
                for (const std::uint64_t bytes : sizes)
                    buffers_.push_back(engine_.workspace().lend(bytes, queue_));
        });
    }
    void give_back(const cl::Event &done) {
        if (is_from_pool_)
            for (cl::Buffer &buffer : buffers_)
                engine_.workspace().give_back(std::move(buffer), queue_, done);
        buffers_.clear();
    }
    const cl::Buffer &operator[](std::size_t i) const { return buffers_.at(i); }

private:
    Engine &engine_;
    const cl::CommandQueue &queue_;
    bool is_from_pool_;
    std::vector<cl::Buffer> buffers_;
};

// A box that may be run as taps takes kernels of both kinds.
Choice choose_box(const BoxPass &box, const CorrelatePass &taps, const ChoiceOn &on,
                  const std::string &forced, const std::string &forced_by) {
    const DeviceClass device_class = on.facts.device_class;
    if (names_kernel(forced, box, device_class))
        return choose(box, on, forced, forced_by);
    std::vector<std::string> refused;
    if (forced.empty() && on.tuning)
        for (const Tuning::Result &result : on.tuning->results(problem_of(box))) {
            if (result.record.ratio > ratio_of_note &&
                (counts(box, on, result) || counts(taps, on, result)))
                break;
            if (auto choice = names_kernel(result.record.kernel, box, device_class)
                                  ? choose_measured(box, on, result, refused)
                                  : choose_measured(taps, on, result, refused))
                return std::move(*choice);
        }
    std::string box_kernels;
    for (const BoxSpec &spec : kernels_for(box, device_class))
        box_kernels += (box_kernels.empty() ? "" : ", ") + spec.name;
    return choose(taps, on, forced, forced_by, box_kernels);
}

Choice choose_kernel(const Step &step, const ChoiceOn &on, const std::string &forced,
                     const std::string &forced_by) {
    if (step.as_taps)
        return choose_box(std::get<BoxPass>(step.pass), *step.as_taps, on, forced, forced_by);
    return std::visit([&](const auto &pass) { return choose(pass, on, forced, forced_by); },
                      step.pass);
}

// The same; where workspace is all that kernels lack, one that would run otherwise, and what it lacks
// in `too_large`.
Choice choose_kernel_of_any_size(const Step &step, const ChoiceOn &on, const std::string &forced,
                                 const std::string &forced_by, std::string &too_large) {
    try {
        return choose_kernel(step, on, forced, forced_by);
    } catch (const Error &error) {
        if (error.status() != Status::unsupported)
            throw;
        const DeviceFacts facts = without_allocation_limit(on.facts);
        ChoiceOn any_size(facts);
        any_size.tuning = on.tuning;
        Choice choice = choose_kernel(step, any_size, forced, forced_by);
        too_large = error.what();
        return choice;
    }
}

// The one step that may stand for all, where that was measured to be faster, or the device prefers it
// and a kernel of it fits, or where it is forced. `refused`: receives why not, where it was measured.
template <class Pass>
std::optional<Choice> choose_whole(const Pass &pass, const ChoiceOn &on, const std::string &forced,
                                   const std::string &forced_by,
                                   std::vector<std::string> &refused) {
    if (names_kernel(forced, pass, on.facts.device_class))
        return choose(pass, on, forced, forced_by);
    if (!forced.empty())
        return std::nullopt;
    if (on.tuning)
        for (const Tuning::Result &result : on.tuning->results(problem_of(pass))) {
            const bool is_axes = result.record.kernel == axis_by_axis;
            if (result.record.ratio > ratio_of_note && (is_axes || counts(pass, on, result)))
                break;
            if (is_axes) {
                refused.push_back(text("all axes at once: ", on.tuning->rule(result)));
                return std::nullopt;
            }
            if (auto choice = choose_measured(pass, on, result, refused))
                return choice;
        }
    if (prefers_whole(pass, on.facts.device_class))
        return choose_if_any(pass, on);
    return std::nullopt;
}

// What is forced for each of the steps: the same for all, or the parts between ';', of which an empty
// one leaves its step to the library.
std::vector<std::string> forced_of_steps(const std::string &forced,
                                         const std::vector<Step> &steps) {
    std::vector<std::string> parts = parts_of_variant(forced);
    if (parts.size() > 1) {
        require(parts.size() == steps.size(), "variant '", forced, "' has ", parts.size(),
                " parts; the filter has ", steps.size(), " passes");
        return parts;
    }
    const std::string one = parts.empty() || names_passes(parts[0]) ? "" : parts[0];
    std::vector<std::string> all(steps.size(), one);
    // What is forced for all is the filters' kernel.
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (std::holds_alternative<DifferencePass>(steps[i].pass))
            all[i].clear();
    return all;
}

} // namespace

bool names_passes(const std::string &variant) {
    return variant == axis_by_axis || variant == filter_by_filter;
}

Pipeline::Pipeline(const Engine &engine, const Lowered &lowered, const std::string &variant)
    : buffers_(lowered.intermediates) {
    const std::string forced = variant.empty() ? environment("GAUZE_VARIANT") : variant;
    const char *forced_by = variant.empty() ? "GAUZE_VARIANT" : "the caller";
    const ChoiceOn on(engine.facts(), engine.tuning());
    std::vector<std::string> refused;
    std::optional<Choice> whole;
    if (lowered.whole && forced != axis_by_axis)
        whole = std::visit(
            [&](const auto &pass) { return choose_whole(pass, on, forced, forced_by, refused); },
            *lowered.whole);
    if (whole) {
        buffers_.clear();
        steps_.push_back({std::move(*whole), ends, ends, ends, 1, {}});
        return;
    }
    for (const std::uint64_t bytes : buffers_)
        if (bytes > engine.facts().max_allocation)
            too_large_ =
                text("the image between iterations needs ", bytes, " bytes; the largest buffer of ",
                     engine.facts().name, " is ", engine.facts().max_allocation, " bytes");
    const std::vector<std::string> forced_steps = forced_of_steps(forced, lowered.steps);
    for (std::size_t i = 0; i < lowered.steps.size(); ++i) {
        const Step &step = lowered.steps[i];
        ChosenStep chosen{
            choose_kernel_of_any_size(step, on, forced_steps[i], forced_by, too_large_),
            step.from,
            step.to,
            step.other,
            step.targets,
            {}};
        // Steps run one after the other: what one needs for itself the next can use again.
        for (const std::uint64_t bytes : chosen.choice.work.workspace) {
            const std::size_t number = lowered.intermediates.size() + chosen.workspace.size();
            chosen.workspace.push_back(number);
            if (number == buffers_.size())
                buffers_.push_back(bytes);
            buffers_[number] = std::max(buffers_[number], bytes);
        }
        steps_.push_back(std::move(chosen));
    }
    std::vector<std::string> &first = steps_.front().choice.refused;
    first.insert(first.begin(), refused.begin(), refused.end());
}

const std::vector<std::vector<ReadyLaunch>> &Pipeline::ready(Engine &engine) const {
    if (!too_large_.empty())
        fail(Status::unsupported, too_large_);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ready_.empty()) {
        std::vector<std::vector<ReadyLaunch>> made;
        for (const ChosenStep &step : steps_) {
            made.emplace_back();
            for (const Launch &launch : step.choice.work.launches)
                made.back().push_back(engine.make_ready(launch));
        }
        ready_ = std::move(made);
    }
    return ready_;
}

void Pipeline::prepare(Engine &engine) const {
    ready(engine);
}

void Pipeline::enqueue(Engine &engine, cl::CommandQueue &queue, const cl::Buffer &source,
                       const std::vector<cl::Buffer> &targets,
                       const std::vector<cl::Event> &wait_list, std::vector<cl::Event> *events,
                       const cl::Buffer &workspace) const {
    const std::vector<std::vector<ReadyLaunch>> &ready_steps = ready(engine);
    Lease lease(engine, queue, buffers_, workspace);
    const bool single = launches() == 1;
    const bool chained =
        !single && !attempt("asking the queue", [&] { return is_in_order(queue); });
    std::vector<cl::Event> waits = wait_list;
    cl::Event last;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const ChosenStep &step = steps_[i];
        const auto image = [&](int number) {
            return number == ends ? source : lease[static_cast<std::size_t>(number)];
        };
        Buffers buffers{{image(step.from), image(step.other)}, {}, {}};
        for (std::size_t k = 0; k < step.targets; ++k)
            buffers.targets.push_back(step.to <= ends
                                          ? targets.at(target_of_number(step.to) + k)
                                          : lease[static_cast<std::size_t>(step.to) + k]);
        for (const std::size_t number : step.workspace)
            buffers.workspace.push_back(lease[number]);
        for (const ReadyLaunch &launch : ready_steps[i]) {
            launch.enqueue(queue, buffers, waits, single && !events ? nullptr : &last);
            if (events)
                events->push_back(last);
            waits.clear();
            if (chained)
                waits.push_back(last);
        }
    }
    if (!buffers_.empty())
        lease.give_back(last);
}

std::size_t Pipeline::launches() const {
    std::size_t count = 0;
    for (const ChosenStep &step : steps_)
        count += step.choice.work.launches.size();
    return count;
}

std::uint64_t Pipeline::workspace_bytes() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : buffers_)
        sum += bytes;
    return sum;
}

std::uint64_t Pipeline::callers_workspace_bytes(const Engine &engine) const {
    return bytes_of_parts(buffers_, part_alignment(engine));
}

int Pipeline::trips() const {
    int sum = 0;
    for (const ChosenStep &step : steps_)
        sum += step.choice.work.trips;
    return sum;
}

double Pipeline::bytes_per_value() const {
    double sum = 0.0;
    for (const ChosenStep &step : steps_)
        sum += step.choice.work.bytes_per_value;
    return sum;
}

std::string Pipeline::variant() const {
    std::string result;
    for (const ChosenStep &step : steps_)
        result += (result.empty() ? "" : "; ") + step.choice.variant();
    return result;
}

std::string Pipeline::explain() const {
    std::string lines;
    for (std::size_t i = 0; i < steps_.size(); ++i)
        lines += gz::explain(text("pass ", i + 1, " of ", steps_.size()), steps_[i].choice);
    return lines;
}

} // namespace gz
