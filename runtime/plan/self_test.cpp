#include "plan/self_test.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <vector>

#include "core/error.hpp"
#include "device/engine.hpp"
#include "filter/reference.hpp"
#include "plan/pipeline.hpp"
#include "plan/problems.hpp"
#include "plan/verify.hpp"

namespace gz {

namespace {

// An image of more than a few tiles, on which the reference takes milliseconds.
Axes tiny_extent(const Axes &extent) {
    Axes tiny{300, 140, 1, 1};
    if (extent[2] > 1 || extent[3] > 1)
        tiny = {70, 40, 6, 2};
    else if (extent[1] == 1)
        tiny = {5000, 1, 1, 1};
    else if (extent[0] == 1)
        tiny = {1, 5000, 1, 1};
    for (std::size_t axis = 0; axis < tiny.size(); ++axis)
        if (extent[axis] == 1)
            tiny[axis] = 1;
    return tiny;
}

ImageDesc tiny_image(const ImageDesc &like, const Axes &extent) {
    ImageDesc desc;
    desc.type = like.type;
    desc.channels = like.channels;
    desc.extent = extent;
    desc.planes = like.planes;
    return complete(desc, "the image of a self-test");
}

PlanDesc tiny_plan(const PlanDesc &desc, Results results) {
    const Axes extent = tiny_extent(desc.region.extent);
    PlanDesc tiny;
    tiny.source = tiny_image(desc.source, extent);
    tiny.target = tiny_image(desc.target, extent);
    tiny.border = desc.border;
    for (const ImageDesc &target : desc.more_targets)
        tiny.more_targets.push_back(tiny_image(target, extent));
    return complete(tiny, results);
}

// Over the range of integers, and from -1 to 1.
std::vector<std::byte> tiny_pixels(const ImageDesc &desc) {
    const PixelTypeFacts &facts = facts_of(desc.type);
    const double low = facts.is_integer ? facts.lowest : -1.0;
    const double high = facts.is_integer ? facts.highest : 1.0;
    std::minstd_rand random(1);
    std::vector<std::byte> pixels(static_cast<std::size_t>(desc.bytes()));
    for (std::size_t at = 0; at < pixels.size(); at += size_of(desc.type)) {
        const double share = static_cast<double>(random() % 65536) / 65535.0;
        store_pixel(desc.type, static_cast<float>(low + share * (high - low)), pixels.data() + at);
    }
    return pixels;
}

// What a tiny run came to. Only what will be the same at any time is kept.
struct Outcome {
    std::string failure; // "" where it passed, or was not possible
    VerdictLife life = VerdictLife::kept;
    std::optional<Error> build_failure; // with the compiler's log
};

constexpr const char *passed = "passed";

Outcome run_tiny(const std::shared_ptr<Engine> &engine, const Filter &filter, const PlanDesc &desc,
                 const std::string &variant) {
    const auto begin = std::chrono::steady_clock::now();
    Outcome outcome;
    try {
        const Plan plan(engine, filter, tiny_plan(desc, results_of(filter)), variant);
        const PlanDesc &tiny = plan.desc();
        const std::vector<std::byte> pixels = tiny_pixels(tiny.source);
        std::vector<std::vector<std::byte>> results;
        std::vector<HostTarget> targets;
        std::vector<HostSource> found;
        for (std::size_t i = 0; i < tiny.target_count(); ++i)
            results.emplace_back(static_cast<std::size_t>(tiny.target_at(i).bytes()),
                                 std::byte{0x5a});
        for (std::vector<std::byte> &result : results) {
            targets.push_back({result.data(), result.size()});
            found.push_back({result.data(), result.size()});
        }
        const HostSource source{pixels.data(), pixels.size()};
        plan.run(source, targets);
        const Verification verified = verify(plan, source, found);
        if (!(verified.worst_error <= verified.bound))
            outcome.failure = text(verified.worst_error, " off, bound ", verified.bound,
                                   ", at x=", verified.worst_at[0], " y=", verified.worst_at[1],
                                   " of ", to_text(tiny.source.extent), " pixels");
    } catch (const Error &error) {
        // A kernel that does not compile, or that the device does not run, is as bad as a wrong one. All
        // else says nothing of it.
        const std::string what = error.what();
        if (error.status() == Status::build_failed || error.status() == Status::device)
            outcome.failure = what.substr(0, what.find('\n'));
        if (error.status() == Status::build_failed)
            outcome.build_failure = error;
        else
            outcome.life = VerdictLife::of_engine;
        engine->log()(GAUZE_LOG_DEBUG, text("no self-test of ", variant, ": ", what));
    }
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    engine->log()(GAUZE_LOG_DEBUG, text("self-test of ", variant, " in ", ms, " ms: ",
                                        outcome.failure.empty() ? passed : outcome.failure));
    return outcome;
}

// A pass of the plan that is not known to be right.
struct Untested {
    std::size_t pass;
    std::string programs; // as the engine names them
    const Choice *choice;
};

class SelfTest {
public:
    SelfTest(const std::shared_ptr<Engine> &engine, const Filter &filter, const PlanDesc &desc)
        : engine_(engine), filter_(filter), desc_(desc), lowered_(lower(filter, desc)) {}

    void run() {
        try {
            // Each round demotes something, of kernels that are few; more would be a defect of ours.
            constexpr int most_rounds = 200;
            for (int round = 0; !has_passed(); ++round)
                if (round == most_rounds)
                    fail(Status::internal, "self-tests of ", engine_->facts().name, " do not end");
        } catch (const Error &) {
            // Where nothing is left, the compiler's log says more than the list of what is not.
            if (build_failure_)
                throw *build_failure_;
            throw;
        }
    }

private:
    // Whether all has passed; else something was demoted, and there is another choice.
    bool has_passed() {
        const Pipeline pipeline(*engine_, lowered_, "");
        const std::optional<std::vector<Untested>> untested = untested_of(pipeline);
        if (!untested)
            return false;
        if (untested->empty())
            return true;
        const Outcome outcome = run_tiny(engine_, filter_, desc_, pipeline.variant());
        if (outcome.failure.empty()) {
            for (const Untested &each : *untested)
                engine_->remember_verdict(each.programs, passed, outcome.life);
            return true;
        }
        if (!build_failure_)
            build_failure_ = outcome.build_failure;
        for (const Untested &culprit : culprits(pipeline, *untested)) {
            engine_->remember_verdict(culprit.programs, outcome.failure, outcome.life);
            demote(*culprit.choice, outcome.failure);
        }
        return false;
    }

    // Nothing where one is known to be wrong, and was demoted.
    std::optional<std::vector<Untested>> untested_of(const Pipeline &pipeline) {
        std::vector<Untested> result;
        bool all_right = true;
        for (std::size_t i = 0; i < pipeline.passes(); ++i) {
            const Choice &choice = pipeline.choice(i);
            if (choice.is_proven)
                continue;
            const std::string programs = engine_->name_of_programs(choice.work.launches);
            const std::optional<std::string> verdict = engine_->verdict(programs);
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
        if (engine_->tuning().demote(choice.kernel, to_text(choice.config),
                                     "failed its self-test: " + failure))
            engine_->log()(GAUZE_LOG_WARNING,
                           text(choice.variant(), " failed its self-test on ",
                                engine_->facts().name, " and is not used: ", failure));
    }

    // The pass without which the result is right: then the others are. Else all of them.
    std::vector<Untested> culprits(const Pipeline &pipeline,
                                   const std::vector<Untested> &untested) {
        for (const Untested &suspect : untested) {
            if (untested.size() == 1 || !is_right_with_another(pipeline, suspect.pass))
                continue;
            for (const Untested &other : untested)
                if (other.pass != suspect.pass && other.programs != suspect.programs)
                    engine_->remember_verdict(other.programs, passed, VerdictLife::kept);
            return {suspect};
        }
        return untested;
    }

    bool is_right_with_another(const Pipeline &pipeline, std::size_t pass) const {
        for (const std::string &other : others(pipeline.choice(pass), pass)) {
            std::string variant;
            for (std::size_t i = 0; i < pipeline.passes(); ++i)
                variant +=
                    (i == 0 ? "" : "; ") + (i == pass ? other : pipeline.choice(i).variant());
            const Outcome outcome = run_tiny(engine_, filter_, desc_, variant);
            if (outcome.life == VerdictLife::kept && outcome.failure.empty())
                return true;
        }
        return false;
    }

    // A few candidates for a pass besides the one chosen, those of other kernels first.
    std::vector<std::string> others(const Choice &choice, std::size_t pass) const {
        constexpr std::size_t most = 3;
        std::vector<std::string> same, result;
        for (const std::string &candidate : candidates_of(lowered_.steps[pass], engine_->facts()))
            if (candidate != choice.variant())
                (candidate.substr(0, candidate.find(':')) == choice.kernel ? same : result)
                    .push_back(candidate);
        result.insert(result.end(), same.begin(), same.end());
        result.resize(std::min(result.size(), most));
        return result;
    }

    const std::shared_ptr<Engine> &engine_;
    const Filter &filter_;
    const PlanDesc &desc_;
    Lowered lowered_;
    std::optional<Error> build_failure_; // the first
};

} // namespace

void self_test(const std::shared_ptr<Engine> &engine, const Filter &filter, const PlanDesc &desc,
               const std::string &variant) {
    if (!engine->wants_self_tests() || !variant.empty() || !environment("GAUZE_VARIANT").empty())
        return;
    SelfTest(engine, filter, desc).run();
}

} // namespace gz
