// A tuner asks plans and metrics for their problems, and tells these its results: see gauze_tuning.h.
#include <gauze/gauze_tuning.h>

#include <memory>
#include <string>
#include <utility>
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

// owner: a plan or a metric; name: the argument's.
template <class Owner>
gauze_problem *make_problem(const std::shared_ptr<Owner> &owner, const char *name,
                            std::uint32_t index) {
    const std::size_t count = gz::count_of_problems(*owner);
    require(index < count, "index is ", index, "; the ", name, " has ", count,
            count == 1 ? " problem" : " problems");
    return new gauze_problem{{},
                             gz::name_of_problem(*owner, index),
                             [owner, index] { return gz::candidates_of_problem(*owner, index); },
                             [owner, index](const std::vector<gz::ProblemResult> &results) {
                                 gz::add_results(*owner, index, results);
                             }};
}

} // namespace

extern "C" {

gauze_status gauze_plan_problem_count(const gauze_plan *plan, uint32_t *count) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(count, "count");
        *count = static_cast<std::uint32_t>(gz::count_of_problems(*plan->plan));
    });
}

gauze_status gauze_plan_problem(const gauze_plan *plan, uint32_t index, gauze_problem **problem) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(problem, "problem");
        *problem = make_problem(plan->plan, "plan", index);
    });
}

gauze_status gauze_plan_method_problem(const gauze_plan *plan, gauze_problem **problem) {
    return guarded([&] {
        check_handle(plan, "plan");
        check_pointer(problem, "problem");
        gz::MethodProblem methods = gz::method_problem(*plan->plan);
        *problem =
            new gauze_problem{{},
                              std::move(methods.name),
                              [found = std::move(methods.candidates)] { return found; },
                              [own = plan->plan](const std::vector<gz::ProblemResult> &results) {
                                  gz::add_method_results(*own, results);
                              }};
    });
}

gauze_status gauze_ssimulacra2_problem_count(const gauze_ssimulacra2 *metric, uint32_t *count) {
    return guarded([&] {
        check_handle(metric, "metric");
        check_pointer(count, "count");
        *count = static_cast<std::uint32_t>(gz::count_of_problems(*metric->metric));
    });
}

gauze_status gauze_ssimulacra2_problem(const gauze_ssimulacra2 *metric, uint32_t index,
                                       gauze_problem **problem) {
    return guarded([&] {
        check_handle(metric, "metric");
        check_pointer(problem, "problem");
        *problem = make_problem(metric->metric, "metric", index);
    });
}

void gauze_problem_destroy(gauze_problem *problem) {
    gz::destroy(problem);
}

gauze_status gauze_problem_name(const gauze_problem *problem, const char **name) {
    return guarded([&] {
        check_handle(problem, "problem");
        check_pointer(name, "name");
        *name = problem->name.c_str();
    });
}

gauze_status gauze_problem_candidate_count(const gauze_problem *problem, uint32_t *count) {
    return guarded([&] {
        check_handle(problem, "problem");
        check_pointer(count, "count");
        *count = static_cast<std::uint32_t>(problem->candidates().size());
    });
}

gauze_status gauze_problem_candidate(const gauze_problem *problem, uint32_t index,
                                     const char **variant) {
    return guarded([&] {
        check_handle(problem, "problem");
        check_pointer(variant, "variant");
        const std::vector<std::string> &candidates = problem->candidates();
        require(index < candidates.size(), "index is ", index, "; the problem has ",
                candidates.size(), candidates.size() == 1 ? " candidate" : " candidates");
        *variant = candidates[index].c_str();
    });
}

gauze_status gauze_problem_add_results(gauze_problem *problem, const gauze_tuning_result *results,
                                       uint32_t count) {
    return guarded([&] {
        check_handle(problem, "problem");
        problem->add_results(problem_results(results, count));
    });
}

gauze_status gauze_engine_tuning_file(const gauze_engine *engine, const char **path) {
    return guarded([&] {
        check_handle(engine, "engine");
        check_pointer(path, "path");
        *path = engine->engine->tuning().path().c_str();
    });
}

} // extern "C"
