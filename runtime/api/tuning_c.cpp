// A tuner asks plans and metrics for their problems, and tells them its results: see gauze.h.
#include <gauze/gauze.h>

#include <string>
#include <vector>

#include "api/boundary.hpp"
#include "api/handles.hpp"
#include "api/versioned_struct.hpp"
#include "plan/problems.hpp"

namespace {

using gz::check_handle;
using gz::check_pointer;
using gz::guarded;
using gz::known_part;
using gz::or_empty;
using gz::require;

void tell(const gz::PlanProblem &problem, gauze_text_receive receive, void *user) {
    receive(problem.name.c_str(), user);
    for (const std::string &candidate : problem.candidates)
        receive(candidate.c_str(), user);
}

std::vector<gz::ProblemResult> problem_results(const gauze_tuning_result *results,
                                               std::uint32_t count) {
    require(count == 0 || results != nullptr, "results is null and count is ", count);
    std::vector<gz::ProblemResult> own;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string name = "results[" + std::to_string(i) + "]";
        const gauze_tuning_result *const given = gz::element(results, i);
        require(given->struct_size == results->struct_size, name, "->struct_size is ",
                given->struct_size, "; that of the first is ", results->struct_size);
        const gauze_tuning_result result = known_part(given, name);
        check_pointer(result.variant, name + "->variant");
        own.push_back({result.variant, result.time_ms, result.ratio, or_empty(result.bad)});
    }
    return own;
}

// Plans and metrics are tuned by the same functions. name: the argument's, below.
const gz::Plan &subject_of(const gauze_plan &plan) {
    return plan.plan;
}

const gz::Ssimulacra2 &subject_of(const gauze_ssimulacra2 &metric) {
    return metric.metric;
}

template <class Handle>
gauze_status count_problems(const Handle *handle, const char *name, std::uint32_t *count) {
    return guarded([&] {
        check_handle(handle, name);
        check_pointer(count, "count");
        *count = static_cast<std::uint32_t>(gz::count_of_problems(subject_of(*handle)));
    });
}

template <class Handle>
gauze_status tell_candidates(const Handle *handle, const char *name, std::uint32_t problem,
                             gauze_text_receive receive, void *user) {
    return guarded([&] {
        check_handle(handle, name);
        require(receive != nullptr, "receive is null");
        tell(gz::problem_of(subject_of(*handle), problem), receive, user);
    });
}

template <class Handle>
gauze_status add_results(const Handle *handle, const char *name, std::uint32_t problem,
                         const gauze_tuning_result *results, std::uint32_t count) {
    return guarded([&] {
        check_handle(handle, name);
        gz::add_results(subject_of(*handle), problem, problem_results(results, count));
    });
}

} // namespace

extern "C" {

gauze_status gauze_plan_problem_count(const gauze_plan *plan, uint32_t *count) {
    return count_problems(plan, "plan", count);
}

gauze_status gauze_plan_candidates(const gauze_plan *plan, uint32_t problem,
                                   gauze_text_receive receive, void *user) {
    return tell_candidates(plan, "plan", problem, receive, user);
}

gauze_status gauze_plan_add_results(gauze_plan *plan, uint32_t problem,
                                    const gauze_tuning_result *results, uint32_t count) {
    return add_results(plan, "plan", problem, results, count);
}

gauze_status gauze_engine_tuning_file(const gauze_engine *engine, const char **path) {
    return guarded([&] {
        check_handle(engine, "engine");
        check_pointer(path, "path");
        *path = engine->engine->tuning().path().c_str();
    });
}

gauze_status gauze_ssimulacra2_problem_count(const gauze_ssimulacra2 *metric, uint32_t *count) {
    return count_problems(metric, "metric", count);
}

gauze_status gauze_ssimulacra2_candidates(const gauze_ssimulacra2 *metric, uint32_t problem,
                                          gauze_text_receive receive, void *user) {
    return tell_candidates(metric, "metric", problem, receive, user);
}

gauze_status gauze_ssimulacra2_add_results(gauze_ssimulacra2 *metric, uint32_t problem,
                                           const gauze_tuning_result *results, uint32_t count) {
    return add_results(metric, "metric", problem, results, count);
}

} // extern "C"
