#include "plan/kernel_test.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/error.hpp"

namespace gz {

namespace {

// The outcome of a tiny run. Only an outcome that will always be the same is kept.
struct Outcome {
    std::string failure; // "" where it passed, or was not possible
    VerdictLife life = VerdictLife::kept;
    std::optional<Error> build_failure; // the failure with the compiler's log
};

constexpr const char *passed = "passed";

Outcome run_tiny(const Engine &engine, const TestSubject &subject, const std::string &variant) {
    const auto begin = std::chrono::steady_clock::now();
    Outcome outcome;
    try {
        outcome.failure = subject.fault_of(variant);
    } catch (const Error &error) {
        // A kernel that does not compile, or that the device does not run, is as bad as a wrong one. Other
        // failures say nothing about it.
        const std::string what = error.what();
        if (error.status() == Status::build_failed || error.status() == Status::device)
            outcome.failure = what.substr(0, what.find('\n'));
        if (error.status() == Status::build_failed)
            outcome.build_failure = error;
        else
            outcome.life = VerdictLife::of_engine;
        engine.log()(GAUZE_LOG_DEBUG, text("no self-test of ", variant, ": ", what));
    }
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    engine.log()(GAUZE_LOG_DEBUG, text("self-test of ", variant, " in ", ms, " ms: ",
                                       outcome.failure.empty() ? passed : outcome.failure));
    return outcome;
}

std::string variant_of(const std::vector<Choice> &choices) {
    std::string variant;
    for (const Choice &choice : choices)
        variant += (variant.empty() ? "" : "; ") + choice.variant();
    return variant;
}

// A pass that is not known to be right.
struct Untested {
    std::size_t pass;
    std::string programs; // as the engine names them
    const Choice *choice;
};

class SelfTest {
public:
    SelfTest(Engine &engine, const TestSubject &subject) : engine_(engine), subject_(subject) {}

    void run() {
        try {
            // Each round demotes one of few kernels; more rounds would be a defect of ours.
            constexpr int most_rounds = 200;
            for (int round = 0; !has_passed(); ++round)
                if (round == most_rounds)
                    fail(Status::internal, "self-tests of ", engine_.facts().name, " do not end");
        } catch (const Error &) {
            // Where no kernel is left, the compiler's log says more than the list of refusals.
            if (build_failure_)
                throw *build_failure_;
            throw;
        }
    }

private:
    // Returns whether all passes were right; if not, a kernel was demoted, and the choice changes.
    bool has_passed() {
        const std::vector<Choice> choices = subject_.choices();
        const std::optional<std::vector<Untested>> untested = untested_of(choices);
        if (!untested)
            return false;
        if (untested->empty())
            return true;
        const Outcome outcome = run_tiny(engine_, subject_, variant_of(choices));
        if (outcome.failure.empty()) {
            for (const Untested &each : *untested)
                engine_.remember_verdict(each.programs, passed, outcome.life);
            return true;
        }
        if (!build_failure_)
            build_failure_ = outcome.build_failure;
        engine_.cleared().forget_idle(); // the failed kernel may have left words that are not 0
        for (const Untested &culprit : culprits(choices, *untested)) {
            engine_.remember_verdict(culprit.programs, outcome.failure, outcome.life);
            demote(*culprit.choice, outcome.failure);
        }
        return false;
    }

    // Returns nothing where a kernel is known to be wrong, and was demoted.
    std::optional<std::vector<Untested>> untested_of(const std::vector<Choice> &choices) {
        std::vector<Untested> result;
        bool all_right = true;
        for (std::size_t i = 0; i < choices.size(); ++i) {
            const Choice &choice = choices[i];
            if (choice.is_proven)
                continue;
            const std::string programs = engine_.name_of_programs(choice.work.launches);
            const std::optional<std::string> verdict = engine_.verdict(programs);
            if (!verdict) {
                result.push_back({i, programs, &choice});
            } else if (*verdict != passed) {
                demote(choice, *verdict);
                all_right = false;
            }
        }
        return all_right ? std::optional(result) : std::nullopt;
    }

    void demote(const Choice &choice, const std::string &failure) {
        if (engine_.tuning().demote(choice.kernel, to_text(choice.config),
                                    "failed its self-test: " + failure))
            engine_.log()(GAUZE_LOG_WARNING,
                          text(choice.variant(), " failed its self-test on ", engine_.facts().name,
                               " and is not used: ", failure));
    }

    // Finds the pass without which the result is right: the others are right then. If there is none, all of
    // them are suspect.
    std::vector<Untested> culprits(const std::vector<Choice> &choices,
                                   const std::vector<Untested> &untested) {
        for (const Untested &suspect : untested) {
            if (untested.size() == 1 || !is_right_with_another(choices, suspect.pass))
                continue;
            for (const Untested &other : untested)
                if (other.pass != suspect.pass && other.programs != suspect.programs)
                    engine_.remember_verdict(other.programs, passed, VerdictLife::kept);
            return {suspect};
        }
        return untested;
    }

    bool is_right_with_another(const std::vector<Choice> &choices, std::size_t pass) const {
        for (const std::string &other : others(choices[pass], pass)) {
            std::string variant;
            for (std::size_t i = 0; i < choices.size(); ++i)
                variant += (i == 0 ? "" : "; ") + (i == pass ? other : choices[i].variant());
            const Outcome outcome = run_tiny(engine_, subject_, variant);
            if (outcome.life == VerdictLife::kept && outcome.failure.empty())
                return true;
        }
        return false;
    }

    // A few candidates for a pass besides the one chosen, those of other kernels first.
    std::vector<std::string> others(const Choice &choice, std::size_t pass) const {
        constexpr std::ptrdiff_t most = 3;
        std::vector<std::string> same, result;
        for (const std::string &candidate : subject_.candidates(pass))
            if (candidate != choice.variant())
                (candidate.substr(0, candidate.find(':')) == choice.kernel ? same : result)
                    .push_back(candidate);
        result.insert(result.end(), same.begin(), same.end());
        if (std::ssize(result) > most)
            result.erase(result.begin() + most, result.end());
        return result;
    }

    Engine &engine_;
    const TestSubject &subject_;
    std::optional<Error> build_failure_; // the first log
};

} // namespace

bool wants_self_test(const Engine &engine, const std::string &variant) {
    return engine.wants_self_tests() && variant.empty() && environment("GAUZE_VARIANT").empty();
}

void test_kernels(Engine &engine, const TestSubject &subject) {
    SelfTest(engine, subject).run();
}

} // namespace gz
