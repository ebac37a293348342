// What of a plan can be tuned: which problems its passes are, what they could run on, and results of
// measurements for them.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "plan/ssimulacra2.hpp"

namespace gz {

struct PlanProblem {
    std::string name; // as results are kept for it
    std::vector<std::string>
        candidates; // variants that can run; first what the device's class prefers
};

// What could run a step, as a problem has it.
std::vector<std::string> candidates_of(const Step &step, const DeviceFacts &facts);

// One for each pass; or one in all of a filter that a kernel can run along all of its axes at once.
std::size_t count_of_problems(const Plan &plan);
// All but the candidates.
std::string name_of_problem(const Plan &plan, std::size_t index);
PlanProblem problem_of(const Plan &plan, std::size_t index);

struct ProblemResult {
    std::string variant; // a candidate
    double time_ms = 0.0;
    double ratio = 1.0; // to the time of the first candidate
    std::string bad;    // why it is never to be taken; "" where it is not
};

// SSIMULACRA 2 has two problems: from pixels of the distorted image to planes, and from planes to sums of
// errors.
std::size_t count_of_problems(const Ssimulacra2 &metric);
PlanProblem problem_of(const Ssimulacra2 &metric, std::size_t index);

// Writes results to the user's tuning file. Throws Error where a variant is no kernel for the problem,
// or where the file cannot be written.
void add_results(const Plan &plan, std::size_t index, const std::vector<ProblemResult> &results);
void add_results(const Ssimulacra2 &metric, std::size_t index,
                 const std::vector<ProblemResult> &results);

} // namespace gz
