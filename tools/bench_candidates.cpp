#include "bench_candidates.hpp"

#include <algorithm>
#include <cstdint>

#include <gauze/gauze_tuning.hpp>

#include "arguments.hpp"
#include "bench_check.hpp"
#include "bench_input.hpp"
#include "system.hpp"
#include "tune_contest.hpp"

namespace gauze::tool {
namespace {

constexpr double clearly_faster = 0.97; // of the time: less differs from run to run

// Returns a part of an image that even a slow candidate filters soon.
ImageDesc part_of(const ImageDesc &image) {
    const bool is_signal = image.extent[1] == 1 && image.extent[2] == 1;
    const std::int64_t most[] = {is_signal ? std::int64_t{1} << 20 : 1024, 256, 16, 2};
    ImageDesc part = image;
    for (std::size_t axis = 0; axis < 4; ++axis)
        part.extent[axis] = std::min(part.extent[axis], most[axis]);
    return part;
}

class Candidates {
public:
    Candidates(const Engine &engine, const ComparedRow &row)
        : engine_(engine), row_(row), choice_seconds_(estimated_seconds("")) {}

    // Adds to the outcome what comes of a candidate for the problem of this number. Throws TooSlow, and Error where the
    // device cannot run it.
    void add(std::size_t problem, const std::string &candidate, const std::string &choice,
             CandidatesOutcome &outcome) const {
        const std::string variant = std::string(problem, ';') + candidate;
        check_speed(estimated_seconds(variant), choice_seconds_);
        const Plan tried = plan(variant, row_.source_desc, row_.target_desc);
        Comparison found = tried.compare(row_.plan, row_.source, row_.target, 1);
        if (found.ratio < slow_candidate)
            found = tried.compare(row_.plan, row_.source, row_.target,
                                  repeats_for(found.time_ms + found.baseline_ms));
        ++outcome.compared;
        if (found.ratio < clearly_faster)
            outcome.faster.push_back({candidate, choice, found.ratio, fault_of(tried)});
    }

private:
    Plan plan(const std::string &variant, const ImageDesc &from, const ImageDesc &to) const {
        return engine_.plan(filter_of(row_.row, from.type), from, to,
                            options_of(row_.row, from).with_variant(variant));
    }

    double estimated_seconds(const std::string &variant) const {
        const ImageDesc from = part_of(row_.source_desc), to = part_of(row_.target_desc);
        Image source = engine_.image(from), target = engine_.image(to);
        source.write(row_.pixels.front().data(), from.bytes());
        const Timing timing = plan(variant, from, to).measure(source, target, 1);
        return timing.wall_ms * 1e-3 * static_cast<double>(row_.source_desc.bytes()) /
               static_cast<double>(from.bytes());
    }

    // Returns where a plan's result is wrong, "" where it is not.
    std::string fault_of(const Plan &tried) const {
        std::vector<std::vector<std::byte>> result(
            1, std::vector<std::byte>(row_.target_desc.bytes(), std::byte{0x5a}));
        row_.target.write(result[0].data(), result[0].size());
        tried.enqueue(nullptr, row_.source.mem(), row_.target.mem());
        row_.target.read(result[0].data(), result[0].size());
        const CheckResult check = check_windows(engine_, tried.filter(), row_.row, row_.source_desc,
                                                row_.pixels, row_.target_desc.type, result);
        return check.within_bound ? "" : check.text;
    }

    const Engine &engine_;
    const ComparedRow &row_;
    const double choice_seconds_;
};

} // namespace

CandidatesOutcome compare_candidates(const Engine &engine, const ComparedRow &compared,
                                     unsigned most) {
    CandidatesOutcome outcome;
    const std::vector<std::string> choices = parts_of_variant(compared.plan.variant());
    const std::vector<Problem> found = problems(compared.plan);
    if (found.size() != choices.size())
        return outcome;
    const Candidates candidates(engine, compared);
    for (std::size_t i = 0; i < found.size(); ++i) {
        unsigned tried = 0;
        for (const std::string &candidate : found[i].candidates()) {
            if (was_interrupted() || tried == most)
                break;
            if (candidate == choices[i])
                continue;
            ++tried;
            try {
                candidates.add(i, candidate, choices[i], outcome);
            } catch (const TooSlow &) {
            } catch (const Error &) { // the device cannot build or run it
            }
        }
    }
    return outcome;
}

} // namespace gauze::tool
