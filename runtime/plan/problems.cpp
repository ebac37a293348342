#include "plan/problems.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "plan/choice.hpp"

namespace gz {

namespace {

void append(std::vector<std::string> &to, const std::vector<std::string> &more) {
    to.insert(to.end(), more.begin(), more.end());
}

std::vector<std::string> candidates_of(const RecursivePlanePass &whole, const DeviceFacts &facts) {
    std::vector<std::string> result = candidates(whole, facts);
    // First what is taken without results.
    result.insert(prefers_whole(whole, facts.device_class) ? result.end() : result.begin(),
                  axis_by_axis);
    return result;
}

const Step &step_of(const Lowered &lowered, std::size_t index) {
    const std::size_t count = lowered.whole ? 1 : lowered.steps.size();
    require(index < count, "problem is ", index, "; the plan has ", count);
    return lowered.steps[index];
}

std::string name_of(const Lowered &lowered, std::size_t index) {
    const Step &step = step_of(lowered, index);
    return lowered.whole ? problem_of(*lowered.whole)
                         : std::visit([](const auto &pass) { return problem_of(pass); }, step.pass);
}

std::string spec_hash_of(const Lowered &lowered, std::size_t index, const Tuning &tuning,
                         const std::string &variant) {
    const Step &step = step_of(lowered, index);
    const auto hash = [&](const auto &pass) { return spec_hash(pass, tuning, variant); };
    if (lowered.whole)
        return hash(*lowered.whole);
    const std::string as_taps = step.as_taps ? hash(*step.as_taps) : "";
    return as_taps.empty() ? std::visit(hash, step.pass) : as_taps;
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
    const Lowered lowered = plan.lowered();
    return lowered.whole ? 1 : lowered.steps.size();
}

std::string name_of_problem(const Plan &plan, std::size_t index) {
    return name_of(plan.lowered(), index);
}

PlanProblem problem_of(const Plan &plan, std::size_t index) {
    const DeviceFacts &facts = plan.engine().facts();
    const Lowered lowered = plan.lowered();
    const Step &step = step_of(lowered, index);
    return {name_of(lowered, index),
            lowered.whole ? candidates_of(*lowered.whole, facts) : candidates_of(step, facts)};
}

void add_results(const Plan &plan, std::size_t index, const std::vector<ProblemResult> &results) {
    Tuning &tuning = plan.engine().tuning();
    const Lowered lowered = plan.lowered();
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
        record.spec_hash = spec_hash_of(lowered, index, tuning, record.kernel);
        require(!record.spec_hash.empty() || (lowered.whole && record.kernel == axis_by_axis),
                "no kernel for this problem is called '", record.kernel, "'");
        record.problem = name_of(lowered, index);
        require(!record.problem.empty(), "no results are kept where the filter has a tile");
        record.time_ms = result.time_ms;
        record.ratio = result.ratio;
        record.bad = result.bad;
        records.push_back(std::move(record));
    }
    if (!records.empty())
        tuning.add(std::move(records));
}

} // namespace gz
