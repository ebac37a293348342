// The part of a plan that can be tuned: its problems, the candidates for each, and their measurements.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace gz {

// Returns one problem for each pass; or a single one where a kernel can run a filter along all of its axes at
// once.
std::size_t count_of_problems(const Plan &plan);
// Returns the name under which results are kept.
std::string name_of_problem(const Plan &plan, std::size_t index);
// Returns the variants that can run, the choice of the device's class first. Takes as long as to plan all of them.
std::vector<std::string> candidates_of_problem(const Plan &plan, std::size_t index);

// The problem of an automatic Gaussian's method: its candidates are names of methods.
struct MethodProblem {
    std::string name;
    std::vector<std::string> candidates;
};
// Throws Error where the plan has none.
MethodProblem method_problem(const Plan &plan);

struct ProblemResult {
    std::string variant; // a candidate
    double time_ms = 0.0;
    double ratio = 1.0; // ratio to the time of the first candidate
    std::string bad;    // why it must never be taken; "" where it may
};

// Writes results to the user's tuning file. Throws Error where a variant is no kernel for the problem,
// or where the file cannot be written.
void add_results(const Plan &plan, std::size_t index, const std::vector<ProblemResult> &results);
// The same for the problem of its method.
void add_method_results(const Plan &plan, const std::vector<ProblemResult> &results);
// The same for a problem of that name. hash_of(name of a kernel): the hash of its spec, nothing where it is no
// kernel for the problem.
void add_results(Tuning &tuning, const std::string &problem,
                 const std::vector<ProblemResult> &results,
                 const std::function<std::optional<std::string>(const std::string &)> &hash_of);

} // namespace gz
