#include "plan/pipeline.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "core/error.hpp"

namespace gz {

namespace {

// Returns the alignment of parts of one buffer: enough for the device and for vectors of values.
std::uint64_t part_alignment(const Engine &engine) {
    return std::max<std::uint64_t>(engine.facts().base_alignment, 16 * sizeof(float));
}

// Returns the bytes of the words that the launch finds and leaves 0, so many at a time that plans of most sizes share them.
std::uint64_t cleared_bytes_of(const Launch &launch) {
    constexpr std::int64_t step = 16384;
    std::int64_t bytes = 0;
    for (const Argument &argument : launch.arguments)
        if (const auto *words = std::get_if<ClearedWords>(&argument)) {
            require(bytes == 0, "a launch has cleared words twice");
            bytes = static_cast<std::int64_t>(words->count * sizeof(std::uint32_t));
        }
    return static_cast<std::uint64_t>((bytes + step - 1) / step * step);
}

// Workspace of one run: parts of the caller's buffer, or of the pool's; and memory that is 0 before and after it. The
// pools' goes back when the run is enqueued; if enqueueing fails it is released instead, as commands that are already enqueued
// may still use it.
class Lease {
public:
    Lease(Engine &engine, const cl::CommandQueue &queue, const std::vector<std::uint64_t> &sizes,
          const cl::Buffer &callers, std::uint64_t cleared_bytes)
        : engine_(engine), queue_(queue), is_from_pool_(!callers()) {
        attempt("allocating workspace", [&] {
            if (cleared_bytes > 0)
                cleared_ = engine_.cleared().lend(cleared_bytes, queue_);
            if (!is_from_pool_)
                buffers_ = parts_of(callers, sizes, part_alignment(engine));
            else
                for (const std::uint64_t bytes : sizes)
                    loans_.push_back(engine_.workspace().lend(bytes, queue_));
        });
    }
    void give_back(const cl::Event &done) {
        for (WorkspaceLoan &loan : loans_)
            engine_.workspace().give_back(std::move(loan), queue_, done);
        loans_.clear();
        if (cleared_.bytes > 0)
            engine_.cleared().give_back(std::move(cleared_), queue_, done);
    }
    const cl::Buffer &cleared() const { return cleared_.buffer; }
    const cl::Buffer &operator[](std::size_t i) const {
        return is_from_pool_ ? loans_.at(i).buffer : buffers_.at(i);
    }

private:
    Engine &engine_;
    const cl::CommandQueue &queue_;
    bool is_from_pool_;
    std::vector<WorkspaceLoan> loans_;
    WorkspaceLoan cleared_;
    std::vector<cl::Buffer> buffers_; // of the caller's
};

using Counts = std::set<std::size_t>;

Counts sums_of(const Counts &some, const Counts &others) {
    Counts sums;
    for (const std::size_t one : some)
        for (const std::size_t other : others)
            sums.insert(one + other);
    return sums;
}

// Returns how many steps links can have, with any of the alternatives on their way.
Counts counts_of_steps(const std::vector<Link> &links);

Counts counts_of_steps(const Link &link) {
    if (link.step)
        return {1};
    Counts counts;
    for (const Chain &chain : link.alternatives)
        counts.merge(counts_of_steps(chain.links));
    return counts;
}

Counts counts_of_steps(const std::vector<Link> &links) {
    Counts counts{0};
    for (const Link &link : links)
        counts = sums_of(counts, counts_of_steps(link));
    return counts;
}

bool holds(const std::vector<Link> &links, const Link &link) {
    return std::any_of(links.begin(), links.end(), [&](const Link &one) {
        return &one == &link ||
               std::any_of(one.alternatives.begin(), one.alternatives.end(),
                           [&](const Chain &chain) { return holds(chain.links, link); });
    });
}

// Returns how many steps a graph can have where `link`, which may lie within an alternative of another, takes the chain.
Counts counts_of_steps_with(const Chain &chain, const Link &link, const std::vector<Link> &graph) {
    Counts counts{0};
    for (const Link &one : graph) {
        const auto way = std::find_if(one.alternatives.begin(), one.alternatives.end(),
                                      [&](const Chain &own) { return holds(own.links, link); });
        counts = sums_of(counts, &one == &link ? counts_of_steps(chain.links)
                                 : way == one.alternatives.end()
                                     ? counts_of_steps(one)
                                     : counts_of_steps_with(chain, link, way->links));
    }
    return counts;
}

// Whether some step can run on the kernel.
bool knows(const std::vector<Link> &links, const std::string &kernel, const DeviceFacts &facts) {
    bool result = false;
    for_each_step(links, [&](const Step &step) {
        result = result || names_kernel(kernel, step.pass, facts);
    });
    return result;
}

// Whether some step can run on each of the kernels that parts of a variant name.
bool knows_each(const std::vector<Link> &links, const std::vector<std::string> &parts,
                const DeviceFacts &facts) {
    return std::all_of(parts.begin(), parts.end(), [&](const std::string &part) {
        return part.empty() || knows(links, part, facts);
    });
}

// The same, and whether the device takes the chain where no part names a kernel.
bool knows_all(const Chain &chain, const std::vector<std::string> &parts,
               const DeviceFacts &facts) {
    const bool names_none = std::all_of(parts.begin(), parts.end(),
                                        [](const std::string &part) { return part.empty(); });
    return names_none ? suits(chain, facts) : knows_each(chain.links, parts, facts);
}

// Whether the device wants a kernel of the chain's only step; true for a chain of several.
bool is_wanted(const Chain &chain, const DeviceFacts &facts) {
    if (!suits(chain, facts))
        return false;
    const Step *const step = only_step(chain);
    if (!step)
        return true;
    const std::vector<RankedKernel> kernels = kernels_for(step->pass, facts);
    return !kernels.empty() && kernels.front().rank.wanted > 0;
}

// Returns the alternative that a device takes where nothing was measured, if it can run the kernels.
const Chain &usual_chain(const Link &link, const DeviceFacts &facts) {
    const auto last = std::prev(link.alternatives.end());
    return *std::find_if(link.alternatives.begin(), last,
                         [&](const Chain &chain) { return is_wanted(chain, facts); });
}

// Whether results can name the chain: by its name, or by its only step's kernel.
bool can_be_named(const Chain &chain) {
    return !chain.name.empty() || only_step(chain);
}

// Returns the names of the kernels of all alternatives but one.
std::string other_kernels(const Link &link, const Chain &besides, const DeviceFacts &facts) {
    std::string names;
    for (const Chain &chain : link.alternatives)
        if (const Step *const step = &chain == &besides ? nullptr : only_step(chain))
            for (const RankedKernel &ranked : kernels_for(step->pass, facts))
                names += (names.empty() ? "" : ", ") + ranked.kernel->name;
    return names;
}

// A chain, and the kernel of its only step where that is chosen already.
struct PickedChain {
    const Chain *chain = nullptr;
    std::optional<Choice> choice{};
};

// Returns the alternative that results of measurements name; nothing where there are none. refused: receives
// the other kernels that they name, and why those are not taken. Where the first result that counts finds
// nothing faster than the default, the default is taken.
PickedChain measured_chain(const Link &link, const ChoiceOn &on,
                           std::vector<std::string> &refused) {
    if (!on.tuning || link.problem.empty())
        return {};
    for (const Tuning::Result &result : on.tuning->results(link.problem))
        for (const Chain &chain : link.alternatives) {
            const bool is_named = !chain.name.empty() && chain.name == result.record.kernel;
            const Step *const step = only_step(chain);
            if (!is_named && !(step && find_kernel(step->pass, result.record.kernel)))
                continue;
            if (result.record.ratio > ratio_of_note && (is_named || counts(step->pass, on, result)))
                return {};
            if (is_named) {
                refused.push_back(text("all axes at once: ", on.tuning->rule(result)));
                return {&chain};
            }
            if (auto choice = choose_measured(step->pass, on, result, refused))
                return {&chain, std::move(choice)};
        }
    return {};
}

// Returns the first alternative that the device prefers and can run; the last where it prefers none.
PickedChain default_chain(const Link &link, const ChoiceOn &on) {
    for (const Chain &chain : link.alternatives) {
        const Step *const step = only_step(chain);
        if (&chain == &link.alternatives.back())
            return {&chain};
        if (!is_wanted(chain, on.facts))
            continue;
        if (!step)
            return {&chain};
        if (auto choice = choose_if_wanted(step->pass, on))
            return {&chain, std::move(choice)};
    }
    return {};
}

} // namespace

bool suits(const Chain &chain, const DeviceFacts &facts) {
    return !chain.suits || chain.suits(facts);
}

bool can_take(const std::vector<Link> &links, const std::vector<std::string> &parts,
              const DeviceFacts &facts) {
    return counts_of_steps(links).contains(parts.size()) && knows_each(links, parts, facts);
}

const Chain *forced_chain(const Link &link, const std::vector<Link> &graph, const Forced &forced,
                          const DeviceFacts &facts, std::optional<std::size_t> place) {
    if (forced.has_parts()) {
        const Chain *found = nullptr;
        const Chain *of_other_kernels = nullptr;
        for (const Chain &chain : link.alternatives) {
            const Step *const step = only_step(chain);
            if (!counts_of_steps_with(chain, link, graph).contains(forced.parts.size()))
                continue;
            if (!step) {
                // Chains of as many steps differ in their kernels.
                if (knows_all(chain, forced.parts, facts))
                    return &chain;
                of_other_kernels = of_other_kernels ? of_other_kernels : &chain;
                continue;
            }
            for (std::size_t i = 0; i < forced.parts.size() && !found; ++i)
                if (i == place.value_or(i) && names_kernel(forced.parts[i], step->pass, facts))
                    found = &chain;
        }
        return found ? found : of_other_kernels;
    }
    for (const Chain &chain : link.alternatives)
        if (!chain.name.empty() && chain.name == forced.variant)
            return &chain;
    for (const Chain &chain : link.alternatives)
        if (!forced.variant.empty() && knows(chain.links, forced.variant, facts))
            return &chain;
    return nullptr;
}

std::vector<std::string> candidates(const Link &link, const DeviceFacts &facts) {
    if (link.step)
        return candidates(link.step->pass, facts);
    std::vector<std::string> wanted, others;
    for (const Chain &chain : link.alternatives) {
        std::vector<std::string> &to = is_wanted(chain, facts) ? wanted : others;
        if (const Step *const step = only_step(chain)) {
            const std::vector<std::string> own = candidates(step->pass, facts);
            to.insert(to.end(), own.begin(), own.end());
        } else if (can_be_named(chain)) {
            to.push_back(chain.name);
        }
    }
    wanted.insert(wanted.end(), others.begin(), others.end());
    return wanted;
}

std::optional<std::string> spec_hash(const Link &link, const Tuning &tuning,
                                     const std::string &variant) {
    if (link.step)
        return spec_hash(link.step->pass, tuning, variant);
    for (const Chain &chain : link.alternatives) {
        if (!chain.name.empty() && chain.name == variant)
            return "";
        if (const Step *const step = only_step(chain))
            if (auto hash = spec_hash(step->pass, tuning, variant))
                return hash;
    }
    return std::nullopt;
}

std::vector<const Link *> problem_links(const std::vector<Link> &links, const DeviceFacts &facts) {
    const auto can_run = [&](const Chain &chain) {
        const Step *const step = only_step(chain);
        return !step || choose_if_any(step->pass, facts).has_value();
    };
    std::vector<const Link *> result;
    for (const Link &link : links) {
        const auto &chains = link.alternatives;
        const bool has_problem =
            !link.problem.empty() && std::all_of(chains.begin(), chains.end(), can_be_named);
        if (link.step || (has_problem && std::all_of(chains.begin(), chains.end(), can_run))) {
            result.push_back(&link);
            continue;
        }
        const Chain &chain = has_problem ? chains.back() : usual_chain(link, facts);
        for (const Link *own : problem_links(chain.links, facts))
            result.push_back(own);
    }
    return result;
}

std::string problem_of(const Link &link) {
    return link.step ? link.step->pass.problem() : link.problem;
}

// Chooses among a graph's alternatives, and kernels for all steps on the way.
class Pipeline::Making {
public:
    Making(Pipeline &to, const Engine &engine, const std::string &variant)
        : to_(to), on_(engine.facts(), engine.tuning()), forced_(variant) {}

    void make(const Graph &graph) {
        graph_ = &graph;
        add(graph.links);
        require(!forced_.has_parts() || forced_.parts.size() == to_.steps_.size(), "variant '",
                forced_.variant, "' has ", forced_.parts.size(), " parts; the filter has ",
                to_.steps_.size(), " passes");
        std::vector<std::string> &first = to_.steps_.front().choice.refused;
        first.insert(first.begin(), refused_.begin(), refused_.end());
    }

private:
    void add(const std::vector<Link> &links) {
        for (const Link &link : links)
            if (link.step)
                add(*link.step, "");
            else
                add_picked(link);
    }

    void add_picked(const Link &link) {
        PickedChain picked = pick(link);
        if (picked.choice)
            push(*only_step(*picked.chain), std::move(*picked.choice));
        else if (const Step *const step = only_step(*picked.chain))
            add(*step, other_kernels(link, *picked.chain, on_.facts));
        else
            add(picked.chain->links);
    }

    PickedChain pick(const Link &link) {
        if (const Chain *const forced =
                forced_chain(link, graph_->links, forced_, on_.facts, to_.steps_.size()))
            return {forced};
        // No chain has the forced kernel: the last one reports that.
        if (!forced_.variant.empty() && !forced_.has_parts() && !names_chain(forced_.variant))
            return {&link.alternatives.back()};
        if (!forced_.has_parts())
            if (PickedChain measured = measured_chain(link, on_, refused_); measured.chain)
                return measured;
        PickedChain by_default = default_chain(link, on_);
        if (forced_.has_parts()) // one of which is the step's kernel
            by_default.choice.reset();
        return by_default;
    }

    // others: names of kernels that the caller would have taken as well.
    void add(const Step &step, const std::string &others) {
        push(step,
             choose_of_any_size(step, forced_.of_pass(to_.steps_.size(), step.combines), others));
    }

    // Chooses a kernel. Where kernels lack nothing but workspace, it takes one that would run with enough of
    // it, and puts what it lacks in `too_large`.
    Choice choose_of_any_size(const Step &step, const std::string &forced,
                              const std::string &others) {
        try {
            return choose(step.pass, on_, forced, forced_.by, others);
        } catch (const Error &error) {
            if (error.status() != Status::unsupported)
                throw;
            const DeviceFacts facts = without_allocation_limit(on_.facts);
            ChoiceOn any_size(facts);
            any_size.tuning = on_.tuning;
            Choice choice = choose(step.pass, any_size, forced, forced_.by, others);
            to_.too_large_ = error.what();
            return choice;
        }
    }

    void push(const Step &step, Choice choice) {
        // Programs that are told whether rows are aligned store whole vectors past the caches, unless they are told this.
        if (graph_->in_caches)
            for (Launch &launch : choice.work.launches)
                if (launch.program.defines.count("ALIGNED") > 0)
                    launch.program.defines["IN_CACHES"] = 1;
        join_with_last(step, choice.work);
        to_.steps_.push_back({std::move(choice), step.pass, step.inputs, step.outputs, {}});
    }

    // Lets the launch of the step before make the step's results too, where one launch can: then `work` has none left.
    void join_with_last(const Step &step, Work &work) {
        if (!step.join || to_.steps_.empty() || work.launches.size() != 1)
            return;
        ChosenStep &last = to_.steps_.back();
        std::vector<Launch> &launches = last.choice.work.launches;
        if (launches.size() != 1 || last.inputs != step.inputs || last.outputs != step.outputs)
            return;
        if (std::optional<Launch> joined = step.join(launches.front(), work.launches.front())) {
            launches.front() = std::move(*joined);
            work.launches.clear();
        }
    }

    Pipeline &to_;
    ChoiceOn on_;
    Forced forced_;
    const Graph *graph_ = nullptr;
    std::vector<std::string> refused_;
};

namespace {

// Buffers of a run, reused by one step after the other.
class BufferPlan {
public:
    explicit BufferPlan(std::vector<std::uint64_t> &bytes) : bytes_(bytes) {}

    // Returns the smallest free buffer that is large enough, or else enlarges the largest.
    std::size_t take(std::uint64_t bytes) {
        const auto is_better = [&](std::uint64_t one, std::uint64_t other) {
            const bool fits = one >= bytes;
            return fits != (other >= bytes) ? fits : fits == (one < other);
        };
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < bytes_.size(); ++i)
            if (is_free_[i] && (!best || is_better(bytes_[i], bytes_[*best])))
                best = i;
        if (!best) {
            best = bytes_.size();
            bytes_.push_back(0);
            is_free_.push_back(false);
        }
        bytes_[*best] = std::max(bytes_[*best], bytes);
        is_free_[*best] = false;
        return *best;
    }
    void give_back(std::size_t number) { is_free_[number] = true; }

private:
    std::vector<std::uint64_t> &bytes_;
    std::vector<bool> is_free_;
};

} // namespace

Pipeline::Pipeline(const Engine &engine, const Graph &graph, const std::string &variant) {
    Making(*this, engine, variant).make(graph);
    place_images(graph.between, engine.facts());
}

// Gives each image between steps a buffer, from the step that writes it to the last that reads it, and each
// step its own workspace.
void Pipeline::place_images(const std::vector<ImageDesc> &between, const DeviceFacts &facts) {
    std::vector<std::size_t> last_use(between.size());
    for (std::size_t i = 0; i < steps_.size(); ++i)
        for (const auto *images : {&steps_[i].inputs, &steps_[i].outputs})
            for (const ImageRef &image : *images)
                if (image.is_between())
                    last_use[image.number] = i;
    BufferPlan buffers(buffers_);
    std::vector<std::optional<std::size_t>> place(between.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        ChosenStep &step = steps_[i];
        std::vector<std::size_t> done;
        for (auto *images : {&step.inputs, &step.outputs})
            for (ImageRef &image : *images) {
                if (!image.is_between())
                    continue;
                const std::size_t number = image.number;
                if (!place[number]) {
                    const auto bytes = static_cast<std::uint64_t>(between[number].bytes());
                    if (bytes > facts.max_allocation)
                        too_large_ = text("the image between iterations needs ", bytes,
                                          " bytes; the largest buffer of ", facts.name, " is ",
                                          facts.max_allocation, " bytes");
                    place[number] = buffers.take(bytes);
                }
                image.number = *place[number];
                if (last_use[number] == i)
                    done.push_back(*place[number]);
            }
        for (const std::uint64_t bytes : step.choice.work.workspace)
            step.workspace.push_back(buffers.take(bytes));
        for (const Launch &launch : step.choice.work.launches)
            cleared_bytes_ = std::max(cleared_bytes_, cleared_bytes_of(launch));
        done.insert(done.end(), step.workspace.begin(), step.workspace.end());
        for (const std::size_t number : done)
            buffers.give_back(number);
    }
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

void Pipeline::enqueue(Engine &engine, const cl::CommandQueue &queue,
                       const std::vector<cl::Buffer> &sources,
                       const std::vector<cl::Buffer> &targets,
                       const std::vector<cl::Event> &wait_list, const Watched &watched,
                       const cl::Buffer &workspace) const {
    const std::vector<std::vector<ReadyLaunch>> &ready_steps = ready(engine);
    Lease lease(engine, queue, buffers_, workspace, cleared_bytes_);
    const std::size_t count = launches();
    const bool lends = !buffers_.empty() || cleared_bytes_ > 0;
    const bool is_ordered =
        (count == 1 && !lends) || attempt("asking the queue", [&] { return is_in_order(queue); });
    std::vector<cl::Event> waits = wait_list;
    cl::Event done; // of the launch before; empty where nobody asks for it
    std::size_t number_of_launch = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const ChosenStep &step = steps_[i];
        const auto image = [&](const ImageRef &ref) -> const cl::Buffer & {
            if (ref.is_between())
                return lease[ref.number];
            return (ref.kind == ImageRef::Kind::source ? sources : targets).at(ref.number);
        };
        Buffers buffers;
        for (const ImageRef &input : step.inputs)
            buffers.sources.push_back(image(input));
        for (const ImageRef &output : step.outputs)
            buffers.targets.push_back(image(output));
        for (const std::size_t number : step.workspace)
            buffers.workspace.push_back(lease[number]);
        buffers.cleared = lease.cleared();
        for (const ReadyLaunch &launch : ready_steps[i]) {
            cl::Event *const first = number_of_launch == 0 ? watched.first : nullptr;
            cl::Event *const last = ++number_of_launch == count ? watched.last : nullptr;
            done = {};
            launch.enqueue(queue, buffers, waits, !is_ordered || first || last ? &done : nullptr);
            for (cl::Event *const receiver : {first, last})
                if (receiver)
                    *receiver = done;
            waits.clear();
            if (!is_ordered)
                waits.push_back(done);
        }
    }
    if (lends)
        lease.give_back(done);
}

std::vector<std::string> Pipeline::candidates(std::size_t pass, const DeviceFacts &facts) const {
    return gz::candidates(steps_.at(pass).pass, facts);
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
