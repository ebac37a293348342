#include "plan/problems.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "plan/choice.hpp"

namespace gz {

namespace {

const Link &link_of(const Plan &plan, std::size_t index) {
    const auto links = problem_links(plan.graph().links, plan.engine().facts());
    require(index < links.size(), "problem is ", index, "; the plan has ", links.size());
    return *links[index];
}

} // namespace

std::size_t count_of_problems(const Plan &plan) {
    return problem_links(plan.graph().links, plan.engine().facts()).size();
}

std::string name_of_problem(const Plan &plan, std::size_t index) {
    return problem_of(link_of(plan, index));
}

std::vector<std::string> candidates_of_problem(const Plan &plan, std::size_t index) {
    return candidates(link_of(plan, index), plan.engine().facts());
}

void add_results(const Plan &plan, std::size_t index, const std::vector<ProblemResult> &results) {
    Tuning &tuning = plan.engine().tuning();
    const Link &link = link_of(plan, index);
    const std::string name = problem_of(link);
    require(results.empty() || !name.empty(), "no results are kept where the filter has a tile");
    add_results(tuning, name, results,
                [&](const std::string &kernel) { return spec_hash(link, tuning, kernel); });
}

MethodProblem method_problem(const Plan &plan) {
    const Settled &settled = plan.settled();
    if (settled.problem.empty())
        fail(Status::unsupported, "no results of methods are kept for a ", to_text(plan.filter()),
             ": only for a Gaussian of method auto along two or three axes, of 12 to 63 taps, "
             "with the usual truncate and accuracy, where no kernel is forced");
    return {settled.problem, settled.methods};
}

void add_method_results(const Plan &plan, const std::vector<ProblemResult> &results) {
    const MethodProblem problem = method_problem(plan);
    add_results(
        plan.engine().tuning(), problem.name, results,
        [&](const std::string &method) -> std::optional<std::string> {
            const auto &methods = problem.candidates;
            if (std::find(methods.begin(), methods.end(), method) == methods.end())
                return std::nullopt;
            return ""; // of no kernel's text: results hold for methods, whichever kernels run them
        });
}

void add_results(Tuning &tuning, const std::string &problem,
                 const std::vector<ProblemResult> &results,
                 const std::function<std::optional<std::string>(const std::string &)> &hash_of) {
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

} // namespace gz
