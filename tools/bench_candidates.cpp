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

constexpr double clearly_faster =
    0.97; // its time over the choice's: a smaller gain differs from run to run

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
        : engine_(engine), row_(row), choice_seconds_(seconds_of("")) {}

    Plan plan(const std::string &variant) const {
        return plan(variant, row_.source_desc, row_.target_desc);
    }

    // Returns the time of a variant's plan over the choice's. Throws TooSlow, and Error where it cannot be measured.
    double ratio_of(const std::string &variant, const Plan &tried) const {
        check_speed(seconds_of(variant), choice_seconds_);
        return compare_as_often(
                   [&](unsigned repeats) {
                       return tried.compare(row_.plan, row_.source, row_.target, repeats);
                   },
                   1.0)
            .ratio;
    }

    // Returns where a plan's result is wrong, "" where it is not.
    std::string fault_of(const Plan &tried) const {
        const CheckResult check = check_windows(
            engine_, tried.filter(), row_.row, row_.source_desc, row_.pixels, row_.target_desc.type,
            {result_of(tried, row_.source, row_.target, row_.target_desc.bytes())});
        return check.within_bound ? "" : check.text;
    }

private:
    Plan plan(const std::string &variant, const ImageDesc &from, const ImageDesc &to) const {
        return engine_.plan(row_.plan.filter(), from, to,
                            options_of(row_.row, from).with_variant(variant));
    }

    double seconds_of(const std::string &variant) const {
        const ImageDesc from = part_of(row_.source_desc), to = part_of(row_.target_desc);
        return estimated_seconds(engine_, plan(variant, from, to), from, to, row_.pixels.front());
    }

    const Engine &engine_;
    const ComparedRow &row_;
    const double choice_seconds_;
};

} // namespace

CandidatesOutcome compare_candidates(const Engine &engine, const ComparedRow &compared,
                                     unsigned most) {
    CandidatesOutcome outcome;
    const std::string whole = compared.plan.variant();
    const std::vector<std::string> parts = parts_of_variant(whole);
    const std::vector<Problem> found = problems(compared.plan);
    const Candidates candidates(engine, compared);
    for (std::size_t i = 0; i < found.size(); ++i) {
        // A problem may be that of several passes.
        const std::string &choice = found.size() == parts.size() ? parts[i] : whole;
        unsigned tried = 0;
        for (const std::string &candidate : found[i].candidates()) {
            if (was_interrupted() || tried == most)
                break;
            if (candidate == choice)
                continue;
            ++tried;
            try {
                const std::string variant = variant_of_part(candidate, i, found.size());
                const Plan plan = candidates.plan(variant);
                if (plan.variant() == whole)
                    continue;
                const double ratio = candidates.ratio_of(variant, plan);
                if (ratio < clearly_faster)
                    outcome.faster.push_back({candidate, choice, ratio, candidates.fault_of(plan)});
                ++outcome.compared;
            } catch (const TooSlow &) {
                ++outcome.left_out;
            } catch (const Error &error) {
                if (is_refusal(error))
                    ++outcome.left_out;
                else
                    outcome.errors.push_back(candidate + ": " + error.what());
            }
        }
    }
    return outcome;
}

} // namespace gauze::tool
