#include "plan/problems.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.hpp"
#include "plan/choice.hpp"

namespace gz {

namespace {

void append(std::vector<std::string> &to, const std::vector<std::string> &more) {
    to.insert(to.end(), more.begin(), more.end());
}

template <class Pass>
std::vector<std::string> candidates_of_whole(const Pass &whole, const DeviceFacts &facts) {
    std::vector<std::string> result = candidates(whole, facts);
    // First what is taken without results.
    result.insert(prefers_whole(whole, facts.device_class) ? result.end() : result.begin(),
                  axis_by_axis);
    return result;
}

// A plan's passes; without the one that may stand for all where no kernel can run that.
Lowered lowered_of(const Plan &plan) {
    const ChoiceOn on(plan.engine().facts());
    Lowered lowered = plan.lowered();
    const auto can_run = [&](const auto &pass) { return choose_if_any(pass, on).has_value(); };
    if (lowered.whole && !std::visit(can_run, *lowered.whole))
        lowered.whole.reset();
    return lowered;
}

std::size_t count_of(const Lowered &lowered) {
    return lowered.whole ? 1 : lowered.steps.size();
}

const Step &step_of(const Lowered &lowered, std::size_t index) {
    const std::size_t count = count_of(lowered);
    require(index < count, "problem is ", index, "; the plan has ", count);
    return lowered.steps[index];
}

std::string name_of(const Lowered &lowered, std::size_t index) {
    const Step &step = step_of(lowered, index);
    const auto name = [](const auto &pass) { return problem_of(pass); };
    return lowered.whole ? std::visit(name, *lowered.whole) : std::visit(name, step.pass);
}

std::string spec_hash_of(const Lowered &lowered, std::size_t index, const Tuning &tuning,
                         const std::string &variant) {
    const Step &step = step_of(lowered, index);
    const auto hash = [&](const auto &pass) { return spec_hash(pass, tuning, variant); };
    if (lowered.whole)
        return std::visit(hash, *lowered.whole);
    const std::string as_taps = step.as_taps ? hash(*step.as_taps) : "";
    return as_taps.empty() ? std::visit(hash, step.pass) : as_taps;
}

std::optional<std::string> if_any(std::string spec_hash) {
    return spec_hash.empty() ? std::nullopt : std::optional(std::move(spec_hash));
}

// hash_of(name of a kernel): of its spec, nothing where it is no kernel for the problem.
template <class HashOf>
void add(Tuning &tuning, const std::string &problem, const std::vector<ProblemResult> &results,
         HashOf &&hash_of) {
    std::vector<TuningRecord> records;
    for (const ProblemResult &result : results) {
        require(std::isfinite(result.time_ms) && result.time_ms >= 0.0, "time_ms is ",
                result.time_ms, "; it must be at least 0");
        require(std::isfinite(result.ratio) && result.ratio >= 0.0, "ratio is ", result.ratio,
                "; it must be at least 0");
        const std::size_t colon = std::min(result.variant.find(':'), result.variant.size());
        TuningRecord record;
        record.kernel = result.variant.substr(0, colon);
        record.config = result.variant.substr(std::min(colon + 1, result.variant.size()));
        const std::optional<std::string> hash = hash_of(record.kernel);
        require(hash.has_value(), "no kernel for this problem is called '", record.kernel, "'");
        record.spec_hash = *hash;
        record.problem = problem;
        record.time_ms = result.time_ms;
        record.ratio = result.ratio;
        record.bad = result.bad;
        records.push_back(std::move(record));
    }
    if (!records.empty())
        tuning.add(std::move(records));
}

// What visit(pass) makes of the pass that a problem is.
template <class Visit> auto with_pass(const Ssimulacra2 &metric, std::size_t index, Visit &&visit) {
    require(index < count_of_problems(metric), "problem is ", index, "; the metric has ",
            count_of_problems(metric));
    return index == 0 ? visit(metric.planes_pass()) : visit(metric.errors_pass());
}

} // namespace

// Those of taps first, which are what boxes of a few pixels run as.
std::vector<std::string> candidates_of(const Step &step, const DeviceFacts &facts) {
    std::vector<std::string> result;
    if (step.as_taps)
        append(result, candidates(*step.as_taps, facts));
    std::visit([&](const auto &pass) { append(result, candidates(pass, facts)); }, step.pass);
    return result;
}

std::size_t count_of_problems(const Plan &plan) {
    return count_of(lowered_of(plan));
}

std::string name_of_problem(const Plan &plan, std::size_t index) {
    return name_of(lowered_of(plan), index);
}

PlanProblem problem_of(const Plan &plan, std::size_t index) {
    const DeviceFacts &facts = plan.engine().facts();
    const Lowered lowered = lowered_of(plan);
    const Step &step = step_of(lowered, index);
    const auto of_whole = [&](const auto &pass) { return candidates_of_whole(pass, facts); };
    return {name_of(lowered, index),
            lowered.whole ? std::visit(of_whole, *lowered.whole) : candidates_of(step, facts)};
}

std::size_t count_of_problems(const Ssimulacra2 &) {
    return 2;
}

PlanProblem problem_of(const Ssimulacra2 &metric, std::size_t index) {
    return with_pass(metric, index, [&](const auto &pass) -> PlanProblem {
        return {problem_of(pass), candidates(pass, metric.engine().facts())};
    });
}

void add_results(const Plan &plan, std::size_t index, const std::vector<ProblemResult> &results) {
    Tuning &tuning = plan.engine().tuning();
    const Lowered lowered = lowered_of(plan);
    const std::string problem = name_of(lowered, index);
    require(results.empty() || !problem.empty(), "no results are kept where the filter has a tile");
    add(tuning, problem, results, [&](const std::string &kernel) {
        return lowered.whole && kernel == axis_by_axis
                   ? std::optional(std::string())
                   : if_any(spec_hash_of(lowered, index, tuning, kernel));
    });
}

void add_results(const Ssimulacra2 &metric, std::size_t index,
                 const std::vector<ProblemResult> &results) {
    Tuning &tuning = metric.engine().tuning();
    with_pass(metric, index, [&](const auto &pass) {
        add(tuning, problem_of(pass), results,
            [&](const std::string &kernel) { return if_any(spec_hash(pass, tuning, kernel)); });
    });
}

} // namespace gz
