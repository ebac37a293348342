#include "families/recursive/line_filter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <random>

#include "core/error.hpp"
#include "families/recursive/stage_plan.hpp"

namespace gz {

namespace {

// ---- start states ----

// Returns the share of the largest state that does not matter to results: where sections cancel, the smallest
// share that wider states resolve.
double negligible_for(Precision precision) {
    return precision == Precision::twice ? 1e-18 : 1e-10;
}

// The modulus of a section's slower pole.
double modulus_of(const Section &section) {
    if (section.decay == 0.0)
        return std::abs(1.0 - section.rest);
    const double half_trace = (1.0 + section.decay - section.rest) / 2.0;
    const double squared = half_trace * half_trace - section.decay;
    return squared < 0.0 ? std::sqrt(std::abs(section.decay))
                         : std::abs(half_trace) + std::sqrt(squared);
}

// Returns the samples after which a state has faded.
std::int64_t samples_to_fade(const Section &section, Precision precision) {
    const double modulus = modulus_of(section);
    constexpr std::int64_t longest = std::int64_t{1} << 23;
    if (modulus < 1e-3)
        return 8;
    const double samples = std::log(negligible_for(precision) * 0.01) / std::log(modulus);
    if (!(samples >= 0.0 && samples < static_cast<double>(longest)))
        fail(Status::unsupported, "a pole has the modulus ", modulus,
             ": too close to 1 for a border other than zero");
    // A double pole decays later by a logarithm.
    return static_cast<std::int64_t>(samples * 1.5) + 16;
}

std::int64_t samples_to_fade(const LineStage &stage, Precision precision) {
    if (stage.has_taps()) {
        const auto count = static_cast<std::int64_t>(stage.taps.size());
        return std::max<std::int64_t>({0, -stage.first_tap, stage.first_tap + count - 1});
    }
    std::int64_t most = 0;
    for (const Section &section : stage.causal)
        most = std::max(most, samples_to_fade(section, precision));
    for (const Section &section : stage.anticausal)
        most = std::max(most, samples_to_fade(section, precision));
    return most;
}

// Weights over the infinite line, first to first + size - 1.
struct Functional {
    std::int64_t first = 0;
    std::vector<double> weights;
};

StartWeights on_line(const Functional &functional, const Border &border, std::int64_t length,
                     double negligible) {
    StartWeights result;
    std::vector<double> &near = result.near;
    std::vector<double> &far = result.far;
    // The far half of a line counts from its end, unless it is short.
    const auto size = static_cast<std::int64_t>(functional.weights.size());
    const std::int64_t middle = length <= 2 * size ? length : length / 2;
    double largest = 0.0;
    const auto add = [](std::vector<double> &to, std::int64_t i, double weight) {
        if (static_cast<std::int64_t>(to.size()) <= i)
            to.resize(static_cast<std::size_t>(i) + 1, 0.0);
        to[static_cast<std::size_t>(i)] += weight;
    };
    for (std::int64_t i = 0; i < size; ++i) {
        const double weight = functional.weights[static_cast<std::size_t>(i)];
        largest = std::max(largest, std::abs(weight));
        const std::int64_t at = fold(functional.first + i, length, border.mode);
        if (at < 0)
            result.constant += weight * border.value;
        else if (at < middle)
            add(near, at, weight);
        else
            add(far, length - 1 - at, weight);
    }
    for (std::vector<double> *weights : {&near, &far})
        while (!weights->empty() && std::abs(weights->back()) < negligible * largest)
            weights->pop_back();
    return result;
}

// Returns the weights over a line that the border extends of what samples before the first leave in a section:
// responses[age] of the sample at -1 - age.
StartPowers powers_on_line(const std::vector<std::array<double, 2>> &responses,
                           const Border &border, std::int64_t length) {
    StartPowers result;
    const auto add = [](std::array<double, 2> &to, const std::array<double, 2> &weights) {
        for (std::size_t k = 0; k < 2; ++k)
            to[k] += weights[k];
    };
    std::int64_t before = fold(0, length, border.mode);
    for (std::size_t age = 0; age < responses.size(); ++age) {
        const std::int64_t at = fold(-1 - static_cast<std::int64_t>(age), length, border.mode);
        if (at == 0)
            add(result.of_first, responses[age]);
        else if (at == length - 1)
            add(result.of_last, responses[age]);
        else if (at == 1 && at > before)
            add(result.near, responses[age]);
        else if (at == length - 2 && at < before)
            add(result.far, responses[age]);
        before = at;
    }
    return result;
}

StartPowers mirrored(StartPowers powers) {
    std::swap(powers.of_first, powers.of_last);
    std::swap(powers.near, powers.far);
    return powers;
}

// Sets the start states of every stage at both ends of a line that its border extends.
void set_extended_start_states(std::vector<LineStage> &stages, const Border &border,
                               std::int64_t length) {
    std::int64_t before = 0; // samples that the stages before reach
    Precision precision = Precision::single;
    for (const LineStage &stage : stages)
        precision = std::max(precision, stage.precision);
    for (std::size_t s = 0; s < stages.size(); ++s) {
        LineStage &stage = stages[s];
        stage.start_line = LineStage::StartLine::first;
        const auto add = [&](const Section &section, Way side) {
            const std::int64_t fading = samples_to_fade(section, precision);
            const std::int64_t margin = before;
            const auto ages = responses(section, fading);
            // Stages before spread each sample, whose weights are no powers then.
            if (s == 0) {
                const StartPowers powers = powers_on_line(ages, border, length);
                stage.start_powers.push_back(side == Way::mirrored ? mirrored(powers) : powers);
            }
            for (std::size_t component = 0; component < 2; ++component) {
                // The functional covers samples -fading to -1 of what the stage reads, and as many more on
                // both sides as the stages before reach; it is mirrored for the far end.
                Functional functional;
                functional.first = -(fading + margin);
                functional.weights.assign(static_cast<std::size_t>(fading + 2 * margin), 0.0);
                for (std::int64_t age = 0; age < fading; ++age)
                    functional.weights[static_cast<std::size_t>(margin + fading - 1 - age)] =
                        ages[static_cast<std::size_t>(age)][component];
                // The adjoint of a stage runs it the other way.
                for (std::size_t earlier = s; earlier-- > 0;)
                    functional.weights = filtered(stages[earlier], functional.weights,
                                                  side == Way::as_is ? Way::mirrored : Way::as_is);
                StartWeights weights =
                    on_line(functional, border, length, negligible_for(precision));
                if (side == Way::mirrored)
                    std::swap(weights.near, weights.far);
                stage.start_states.push_back(std::move(weights));
            }
        };
        for (const Section &section : stage.causal)
            add(section, Way::as_is);
        for (const Section &section : stage.anticausal)
            add(section, Way::mirrored);
        before += samples_to_fade(stage, precision);
    }
}

// Whether two stages are the same but for their start states.
bool are_same_filter(const LineStage &a, const LineStage &b) {
    return a.direct == b.direct && a.causal == b.causal && a.anticausal == b.anticausal &&
           a.precision == b.precision && a.negligible == b.negligible && a.taps == b.taps &&
           a.first_tap == b.first_tap;
}

// Keeps the last stages with their start states: a plan asks for those of a filter once for each axis and each way to run
// it, and the next plan of such an image for the same.
class LastStages {
public:
    void set_start_states(std::vector<LineStage> &stages, const Border &border,
                          std::int64_t length) {
        for (const Known &known : known_)
            if (known.length == length && known.border == border &&
                std::equal(known.stages.begin(), known.stages.end(), stages.begin(), stages.end(),
                           are_same_filter)) {
                stages = known.stages;
                return;
            }
        set_extended_start_states(stages, border, length);
        constexpr std::size_t most_weights = 1 << 14;
        std::size_t weights = 0;
        for (const LineStage &stage : stages)
            for (const StartWeights &own : stage.start_states)
                weights += own.near.size() + own.far.size();
        if (weights <= most_weights)
            known_[next_++ % known_.size()] = {length, border, stages};
    }

private:
    struct Known {
        std::int64_t length = -1;
        Border border;
        std::vector<LineStage> stages;
    };
    std::array<Known, 8> known_;
    std::size_t next_ = 0;
};

// ---- zero border ----

// Sets the far start states of `second`, the scans that run backwards, where the line is cut between them and
// `first`, the scans that run forwards. `first` rings on beyond the end, and the pair, run over all of that,
// would bring the ringing back: the start states take it off again. The sections of the pair's own stage
// stand in for those of `second` alone: they have the same poles. Returns false where a section has no weight
// to do so.
bool set_cut_start_states(LineStage &pair, const LineStage &first, const LineStage &second,
                          std::int64_t length) {
    constexpr Precision precision = Precision::twice;
    const std::int64_t ringing =
        samples_to_fade(first, precision) + samples_to_fade(second, precision);
    const std::size_t count = pair.anticausal.size();
    if (second.anticausal.size() != count)
        return false;
    pair.start_states.assign(2 * pair.causal.size(), {});
    // Functionals of each w and v, over the last samples.
    std::vector<std::vector<double>> weights(2 * count);
    // Samples whose effect lasts to the end of the line.
    const std::int64_t fading = std::min(samples_to_fade(first, precision), length);
    for (std::vector<double> &far : weights)
        far.resize(static_cast<std::size_t>(fading), 0.0);
    for (const Section &section : first.causal) {
        const auto ages = responses(section, fading);
        for (std::size_t component = 0; component < 2; ++component) {
            if (component == 1 && section.is_first_order())
                continue;
            // The ringing of this component of the state, and the states that `second` reaches from it.
            std::array<double, 2> state{0.0, 0.0};
            state[component] = 1.0;
            std::vector<double> tail(static_cast<std::size_t>(ringing));
            for (double &value : tail) {
                value = added(section, state);
                step(section, state, 0.0);
            }
            for (std::size_t j = 0; j < count; ++j) {
                const Section &own = second.anticausal[j];
                std::array<double, 2> s{0.0, 0.0};
                for (std::size_t n = tail.size(); n-- > 0;)
                    step(own, s, tail[n]);
                // Find the states from which the two next results come out as wanted.
                const Section &stand_in = pair.anticausal[j];
                std::array<double, 2> wanted{};
                for (double &value : wanted) {
                    value = added(own, s);
                    step(own, s, 0.0);
                }
                std::array<std::array<double, 2>, 2> basis{};
                for (std::size_t k = 0; k < 2; ++k) {
                    std::array<double, 2> unit{0.0, 0.0};
                    unit[k] = 1.0;
                    for (std::size_t row = 0; row < 2; ++row) {
                        basis[row][k] = added(stand_in, unit);
                        step(stand_in, unit, 0.0);
                    }
                }
                std::array<double, 2> start{0.0, 0.0};
                if (own.is_first_order() && stand_in.is_first_order()) {
                    if (stand_in.w_weight == 0.0)
                        return false;
                    start[0] = wanted[0] / stand_in.w_weight;
                } else {
                    const double determinant =
                        basis[0][0] * basis[1][1] - basis[0][1] * basis[1][0];
                    const double size =
                        std::abs(basis[0][0] * basis[1][1]) + std::abs(basis[0][1] * basis[1][0]);
                    if (!(std::abs(determinant) > 1e-9 * size))
                        return false;
                    start[0] = (wanted[0] * basis[1][1] - wanted[1] * basis[0][1]) / determinant;
                    start[1] = (wanted[1] * basis[0][0] - wanted[0] * basis[1][0]) / determinant;
                }
                for (std::size_t k = 0; k < 2; ++k) {
                    std::vector<double> &to = weights[2 * j + k];
                    for (std::size_t age = 0; age < to.size(); ++age)
                        to[age] -= start[k] * ages[age][component];
                }
            }
        }
    }
    for (std::vector<double> &far : weights) {
        double largest = 0.0;
        for (const double weight : far)
            largest = std::max(largest, std::abs(weight));
        while (!far.empty() && std::abs(far.back()) <= negligible_for(precision) * largest)
            far.pop_back();
        pair.start_states.push_back({0.0, {}, std::move(far)});
    }
    pair.start_line = LineStage::StartLine::own;
    return true;
}

// Returns the stage for a line that is walked the other way.
LineStage mirrored(LineStage stage) {
    std::swap(stage.causal, stage.anticausal);
    if (stage.has_taps()) {
        stage.first_tap = 1 - stage.first_tap - static_cast<std::int64_t>(stage.taps.size());
        std::reverse(stage.taps.begin(), stage.taps.end());
    }
    if (!stage.start_states.empty()) {
        const auto middle =
            stage.start_states.begin() + static_cast<std::ptrdiff_t>(2 * stage.anticausal.size());
        std::rotate(stage.start_states.begin(), middle, stage.start_states.end());
        for (StartWeights &weights : stage.start_states)
            std::swap(weights.near, weights.far);
    }
    return stage;
}

// Returns whether the pair filters a short line as the scans do, first the forward ones and then the backward
// ones.
bool is_right(const LineStage &pair, const std::vector<Scan> &first,
              const std::vector<Scan> &second, double gain, std::size_t length) {
    std::minstd_rand random(1);
    std::vector<double> x(length);
    for (double &value : x)
        value = std::uniform_real_distribution<double>(-1.0, 1.0)(random);
    std::vector<DoubleDouble> exact(x.begin(), x.end());
    const auto scan_over = [&](const Scan &scan) {
        std::vector<DoubleDouble> y(length);
        for (std::size_t n = 0; n < length; ++n) {
            for (std::size_t i = 0; i < scan.feedforward.size() && i <= n; ++i)
                y[n] = y[n] + DoubleDouble(scan.feedforward[i]) * exact[n - i];
            for (std::size_t i = 0; i < scan.feedback.size() && i < n; ++i)
                y[n] = y[n] + DoubleDouble(scan.feedback[i]) * y[n - 1 - i];
        }
        exact = std::move(y);
    };
    for (const Scan &scan : first)
        scan_over(scan);
    std::reverse(exact.begin(), exact.end());
    for (const Scan &scan : second)
        scan_over(scan);
    std::reverse(exact.begin(), exact.end());

    std::vector<double> y = filtered(pair, x, Way::as_is);
    // The far start states add their own response.
    for (std::size_t j = 0; j < pair.anticausal.size(); ++j) {
        std::array<double, 2> state{};
        for (std::size_t component = 0; component < 2; ++component) {
            const std::vector<double> &far =
                pair.start_states[2 * (pair.causal.size() + j) + component].far;
            for (std::size_t i = 0; i < far.size() && i < length; ++i)
                state[component] += far[i] * x[length - 1 - i];
        }
        for (std::size_t n = length; n-- > 0;) {
            y[n] += added(pair.anticausal[j], state);
            step(pair.anticausal[j], state, 0.0);
        }
    }
    double off = 0.0;
    for (std::size_t n = 0; n < length; ++n)
        off = std::max(off, std::abs(y[n] - exact[n].high));
    constexpr double enough = 1e-8;
    return off <= enough * gain;
}

// Scans of one direction, one after the other.
struct Run {
    bool forward = true;
    std::vector<Scan> scans;
};

// Returns whether the ringing of a stage is short enough to be followed to its end.
bool fades_soon(const LineStage &stage) {
    constexpr double slowest = 1.0 - 4e-5;
    return std::all_of(stage.causal.begin(), stage.causal.end(),
                       [](const Section &section) { return modulus_of(section) < slowest; });
}

double radius_of(const LineStage &stage) {
    double radius = 0.0;
    for (const auto *sections : {&stage.causal, &stage.anticausal})
        for (const Section &section : *sections)
            radius = std::max(radius, modulus_of(section));
    return radius;
}

// Returns what rounding the start states of the anticausal sections adds to results, over the largest result.
double rounding_of_start_states(const LineStage &stage, double gain) {
    double sum = 0.0;
    for (std::size_t j = 0; j < stage.anticausal.size(); ++j) {
        const Section &section = stage.anticausal[j];
        const double weights[] = {section.w_weight, section.v_weight};
        // States made anew from time to time are rounded a few times before they fade; others are rounded at
        // each sample.
        const double times =
            stage.precision == Precision::single ? 8.0 + 0.4 / (1.0 - modulus_of(section)) : 8.0;
        for (std::size_t component = 0; component < 2; ++component)
            for (const double weight :
                 stage.start_states[2 * (stage.causal.size() + j) + component].far)
                sum += times * std::abs(weights[component] * weight);
    }
    return (stage.precision == Precision::twice ? 0x1p-44 : 0x1p-24) * sum / gain;
}

// Plans two runs, the first of which is taken to run forwards, as one stage; returns nothing where that is
// impossible.
std::optional<StagePlan> cut_pair(const Run &first, const Run &second, Wanted wanted,
                                  std::int64_t length) {
    wanted.one_stage = true;
    const std::shared_ptr<const StagePlan> plan = stage_plan({first.scans, second.scans}, wanted);
    if (!plan || plan->stages.front().has_taps() || !std::isfinite(plan->rounding.bound))
        return std::nullopt;
    StagePlan result = *plan;
    if (result.stages.front().anticausal.empty() || result.stages.front().causal.empty())
        return result;
    const std::shared_ptr<const LineStage> one = exact_stage(first.scans);
    const std::shared_ptr<const LineStage> other = exact_stage(second.scans);
    if (!one || !other || !fades_soon(*one) || !fades_soon(*other))
        return std::nullopt;
    constexpr std::int64_t enough_to_compare = 64;
    LineStage &stage = result.stages.front();
    if (!set_cut_start_states(stage, *one, mirrored(*other), length) ||
        !is_right(stage, first.scans, second.scans, plan->rounding.gain,
                  static_cast<std::size_t>(std::min(length, enough_to_compare))))
        return std::nullopt;
    const Roundings roundings = roundings_of({stage}, radius_of(stage));
    for (const Precision precision : {Precision::single, Precision::anchored, Precision::twice}) {
        if (precision < plan->stages.front().precision)
            continue;
        stage.precision = precision;
        result.rounding = precision == Precision::single     ? plan->rounding
                          : precision == Precision::anchored ? roundings.anchored
                                                             : roundings.twice;
        const double from_starts = rounding_of_start_states(stage, result.rounding.gain);
        result.rounding.bound += from_starts;
        result.rounding.expected = std::hypot(result.rounding.expected, from_starts);
        if (meets(result.rounding, wanted))
            return result;
    }
    return std::nullopt;
}

std::vector<Run> runs_of(const std::vector<const Scan *> &scans) {
    std::vector<Run> runs;
    for (const Scan *scan : scans) {
        if (runs.empty() || runs.back().forward != scan->forward)
            runs.push_back({scan->forward, {}});
        runs.back().scans.push_back(*scan);
    }
    return runs;
}

// Plans scans that start from nothing at the edge, in the order in which they are written. Two runs become
// one stage where possible.
std::vector<StagePlan> cut_plans(const std::vector<const Scan *> &scans, const Wanted &wanted,
                                 std::int64_t length) {
    const std::vector<Run> runs = runs_of(scans);
    std::vector<StagePlan> plans;
    const auto append = [&](StagePlan plan, bool forward) {
        if (!forward)
            for (LineStage &stage : plan.stages)
                stage = mirrored(std::move(stage));
        plans.push_back(std::move(plan));
    };
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (i + 1 < runs.size())
            if (std::optional<StagePlan> pair = cut_pair(runs[i], runs[i + 1], wanted, length)) {
                append(std::move(*pair), runs[i].forward);
                ++i;
                continue;
            }
        append(*stage_plan({runs[i].scans, {}}, wanted), runs[i].forward);
    }
    return plans;
}

Scans by_direction(const std::vector<const Scan *> &scans) {
    Scans result;
    for (const Scan *scan : scans)
        (scan->forward ? result.causal : result.anticausal).push_back(*scan);
    return result;
}

// Returns the scans along an axis, trip by trip as they are grouped.
std::vector<std::vector<const Scan *>> trips_along(const Recursion &recursion, int axis) {
    std::vector<std::vector<const Scan *>> trips;
    const auto begin_trip = [&] {
        if (trips.empty() || !trips.back().empty())
            trips.emplace_back();
    };
    const auto add = [&](const Scan &scan) {
        if (scan.axis == axis)
            trips.back().push_back(&scan);
    };
    begin_trip();
    if (recursion.grouping.trips.empty())
        for (const Scan &scan : recursion.scans)
            add(scan);
    for (const std::vector<std::size_t> &trip : recursion.grouping.trips) {
        begin_trip();
        for (const std::size_t number : trip)
            add(recursion.scans[number]);
    }
    if (trips.back().empty())
        trips.pop_back();
    return trips;
}

// Joins taps that follow one another into one list.
LineStage joined(const LineStage &a, const LineStage &b) {
    LineStage result = a;
    result.first_tap += b.first_tap;
    result.taps.assign(a.taps.size() + b.taps.size() - 1, 0.0);
    for (std::size_t i = 0; i < a.taps.size(); ++i)
        for (std::size_t j = 0; j < b.taps.size(); ++j)
            result.taps[i + j] += a.taps[i] * b.taps[j];
    result.precision = std::max(a.precision, b.precision);
    return result;
}

Wanted wanted_of(const Recursion &recursion) {
    // Errors of trips and axes add up.
    std::size_t plans = 0;
    for (int axis = 0; axis < 3; ++axis)
        plans += trips_along(recursion, axis).size();
    Wanted wanted;
    if (recursion.accuracy > 0.0)
        wanted.bound = recursion.accuracy / static_cast<double>(std::max<std::size_t>(plans, 1));
    return wanted;
}

} // namespace

std::vector<StagePlan> line_plans(const Recursion &recursion, int axis, std::int64_t length) {
    const Wanted wanted = wanted_of(recursion);
    std::vector<StagePlan> plans;
    for (const std::vector<const Scan *> &scans : trips_along(recursion, axis)) {
        if (recursion.extended) {
            plans.push_back(*stage_plan(by_direction(scans), wanted));
            continue;
        }
        std::vector<StagePlan> own = cut_plans(scans, wanted, length);
        std::move(own.begin(), own.end(), std::back_inserter(plans));
    }
    const Modes &modes = recursion.modes[static_cast<std::size_t>(axis)];
    if (!modes.empty()) {
        plans.push_back(*stage_plan(modes, recursion.rounding));
        for (LineStage &stage : plans.back().stages)
            stage.negligible = recursion.negligible;
    }
    return plans;
}

std::vector<LineStage> line_stages(const Recursion &recursion, int axis, const Border &border,
                                   std::int64_t length) {
    std::vector<LineStage> stages;
    for (StagePlan &plan : line_plans(recursion, axis, length))
        std::move(plan.stages.begin(), plan.stages.end(), std::back_inserter(stages));
    if (recursion.extended) {
        // Stages commute, and taps read the line as its border extends it.
        std::optional<LineStage> taps;
        std::vector<LineStage> others;
        for (LineStage &stage : stages)
            if (!stage.has_taps())
                others.push_back(std::move(stage));
            else
                taps = taps ? joined(*taps, stage) : std::move(stage);
        stages = std::move(others);
        if (taps)
            stages.insert(stages.begin(), std::move(*taps));
    }
    // Kernels need at least one section: this one adds nothing.
    for (LineStage &stage : stages)
        if (!stage.has_taps() && stage.states() == 0)
            stage.causal.emplace_back();
    if (recursion.extended) {
        thread_local LastStages last;
        last.set_start_states(stages, border, length);
    }
    return stages;
}

} // namespace gz
