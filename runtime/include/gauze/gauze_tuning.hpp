/// @file
/// Tuning in C++17: RAII and exceptions over gauze_tuning.h, which says what each thing means. Header only.
#ifndef GAUZE_GAUZE_TUNING_HPP
#define GAUZE_GAUZE_TUNING_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gauze/gauze.hpp>
#include <gauze/gauze_tuning.h>

namespace gauze {

/// @addtogroup tuning
/// @{

/// gauze_tuning_result with strings of its own.
struct TuningResult {
    std::string variant; ///< a candidate of the problem
    double time_ms = 0;  ///< median time of a run
    double ratio = 1;    ///< to the time of the first candidate
    std::string bad;     ///< why it is never to be taken; "": it is not bad
};

/// A problem of a plan or of a metric, which it keeps alive. Copies share one immutable problem.
class Problem {
public:
    /// Takes a handle, and destroys it.
    explicit Problem(gauze_problem *owned)
        : handle_(detail::share<gauze_problem, gauze_problem_destroy>(owned)) {}

    /// The class of problems that results are kept for.
    std::string name() const {
        const char *text = nullptr;
        check(gauze_problem_name(handle_.get(), &text));
        return text;
    }

    /// The variants that could run it, the default first.
    std::vector<std::string> candidates() const {
        std::uint32_t count = 0;
        check(gauze_problem_candidate_count(handle_.get(), &count));
        std::vector<std::string> result;
        for (std::uint32_t i = 0; i < count; ++i) {
            const char *variant = nullptr;
            check(gauze_problem_candidate(handle_.get(), i, &variant));
            result.emplace_back(variant);
        }
        return result;
    }

    /// Adds them to the engine's tuning file: see gauze_problem_add_results().
    void add_results(const std::vector<TuningResult> &results) const {
        std::vector<gauze_tuning_result> c_results;
        for (const TuningResult &result : results) {
            gauze_tuning_result c_result{};
            c_result.struct_size = sizeof c_result;
            c_result.variant = result.variant.c_str();
            c_result.time_ms = result.time_ms;
            c_result.ratio = result.ratio;
            c_result.bad = result.bad.empty() ? nullptr : result.bad.c_str();
            c_results.push_back(c_result);
        }
        check(gauze_problem_add_results(handle_.get(), c_results.data(),
                                        static_cast<std::uint32_t>(c_results.size())));
    }

    /// The problem for the C ABI; this goes on owning it.
    gauze_problem *c_handle() const { return handle_.get(); }

private:
    std::shared_ptr<gauze_problem> handle_;
};

namespace detail {

template <class Of>
std::vector<Problem>
problems_of(const Of *of, gauze_status (*count_problems)(const Of *, std::uint32_t *),
            gauze_status (*make_problem)(const Of *, std::uint32_t, gauze_problem **)) {
    std::uint32_t count = 0;
    check(count_problems(of, &count));
    std::vector<Problem> result;
    for (std::uint32_t i = 0; i < count; ++i) {
        gauze_problem *problem = nullptr;
        check(make_problem(of, i, &problem));
        result.emplace_back(problem);
    }
    return result;
}

} // namespace detail

/// All problems of a plan, in the order of its passes.
inline std::vector<Problem> problems(const Plan &plan) {
    return detail::problems_of<gauze_plan>(plan.c_handle(), gauze_plan_problem_count,
                                           gauze_plan_problem);
}
/// The problem of the method of an automatic Gaussian: see gauze_plan_method_problem().
inline Problem method_problem(const Plan &plan) {
    gauze_problem *problem = nullptr;
    check(gauze_plan_method_problem(plan.c_handle(), &problem));
    return Problem(problem);
}
/// All problems of a metric.
inline std::vector<Problem> problems(const Ssimulacra2 &metric) {
    return detail::problems_of<gauze_ssimulacra2>(
        metric.c_handle(), gauze_ssimulacra2_problem_count, gauze_ssimulacra2_problem);
}

/// The file of the user's results; "": none.
inline std::string tuning_file(const Engine &engine) {
    const char *path = nullptr;
    check(gauze_engine_tuning_file(engine.c_handle(), &path));
    return path;
}

/// @}

} // namespace gauze

#endif
