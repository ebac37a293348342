#include "families/recursive/stage_plan.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <string>

#include "core/error.hpp"

namespace gz {

namespace {

using Real = DoubleDouble;
using Complex = ComplexDoubleDouble;

Cascade chain_of(const std::vector<Scan> &scans) {
    Cascade chain;
    for (const Scan &scan : scans)
        chain.push_back(transfer_function(scan));
    return chain;
}

// Factored scans of both directions, and what they are to be compared with.
struct Problem {
    Factored causal, anticausal;
    std::vector<Complex> points;
    std::vector<Complex> wanted; // the response there
    double largest = 0.0;        // of it
    double radius = 0.0;

    bool fades() const { return radius < 1.0; }
};

Problem problem_of(const Cascade &causal, const Cascade &anticausal, Trim trim) {
    Problem problem;
    problem.causal = factored(causal, trim);
    problem.anticausal = factored(anticausal, trim);
    problem.radius = std::max(problem.causal.radius, problem.anticausal.radius);
    std::vector<Factor> all = problem.causal.factors;
    all.insert(all.end(), problem.anticausal.factors.begin(), problem.anticausal.factors.end());
    problem.points = test_points(all, std::max(problem.causal.circle, problem.anticausal.circle));
    for (const Complex &u : problem.points) {
        Complex value = response(causal, u);
        if (!anticausal.empty())
            value = value * response(anticausal, Complex(1.0) / u);
        problem.wanted.push_back(value);
        problem.largest = std::max(problem.largest, magnitude(value));
    }
    return problem;
}

double disagreement(const std::vector<LineStage> &stages, const Problem &problem) {
    double most = 0.0;
    for (std::size_t i = 0; i < problem.points.size(); ++i) {
        Complex got(1.0);
        for (const LineStage &stage : stages)
            got = got * response(stage, problem.points[i]);
        const double off = magnitude(got - problem.wanted[i]);
        if (!std::isfinite(off))
            return INFINITY;
        most = std::max(most, off);
    }
    return problem.largest == 0.0 ? most : most / problem.largest;
}

// Ways to deal factors out to stages.
enum class Order { by_radius, by_angle };
struct Deal {
    Order order;
    bool in_turn;  // one after the other to each stage; else in blocks
    bool reversed; // the stages
};
constexpr Deal deals[] = {
    {Order::by_radius, false, false}, {Order::by_radius, false, true},
    {Order::by_radius, true, false},  {Order::by_radius, true, true},
    {Order::by_angle, false, false},  {Order::by_angle, false, true},
};

std::vector<std::vector<Factor>> dealt(std::vector<Factor> factors, std::size_t count,
                                       const Deal &deal) {
    std::stable_sort(factors.begin(), factors.end(), [&](const Factor &a, const Factor &b) {
        return deal.order == Order::by_radius ? a.radius < b.radius : a.angle < b.angle;
    });
    std::vector<std::vector<Factor>> groups(count);
    for (std::size_t i = 0; i < factors.size(); ++i)
        groups[deal.in_turn ? i % count : i * count / factors.size()].push_back(factors[i]);
    if (deal.reversed)
        std::reverse(groups.begin(), groups.end());
    return groups;
}

std::vector<LineStage> stages_of(const Problem &problem, std::size_t count, const Deal &deal) {
    std::vector<LineStage> stages;
    const Real gain = problem.causal.gain * problem.anticausal.gain;
    const bool has_factors = count > 0;
    if (!problem.causal.fir.empty() || !problem.anticausal.fir.empty())
        stages.push_back(
            taps_of(problem.causal.fir, problem.anticausal.fir, has_factors ? Real(1.0) : gain));
    else if (!has_factors)
        stages.push_back(stage_of({}, {}, gain));
    if (!has_factors)
        return stages;
    const auto causal = dealt(problem.causal.factors, count, deal);
    const auto anticausal = dealt(problem.anticausal.factors, count, deal);
    for (std::size_t i = 0; i < count; ++i)
        stages.push_back(stage_of(causal[i], anticausal[i], i + 1 == count ? gain : Real(1.0)));
    return stages;
}

bool fit_kernels(const std::vector<LineStage> &stages) {
    return std::all_of(stages.begin(), stages.end(), [](const LineStage &stage) {
        return stage.causal.size() + stage.anticausal.size() <= most_sections_of_stage;
    });
}

struct Candidate {
    std::vector<LineStage> stages;
    double disagreement = INFINITY;
    Roundings roundings;
};

void set_precision(Candidate &candidate, Precision precision) {
    for (LineStage &stage : candidate.stages)
        stage.precision = precision;
}

StagePlan plan_of(const Candidate &candidate, const Rounding &rounding) {
    StagePlan plan;
    plan.stages = candidate.stages;
    plan.rounding = rounding;
    plan.disagreement = candidate.disagreement;
    return plan;
}

// Returns the best of all ways to make `count` stages that agree with the scans; if none does, an empty
// candidate with the least disagreement.
Candidate best_of(const Problem &problem, std::size_t count, StateForm form) {
    std::vector<Candidate> ways;
    for (const Deal &deal : deals) {
        Candidate one;
        one.stages = stages_of(problem, count, deal);
        if (fit_kernels(one.stages)) {
            one.roundings = roundings_of(one.stages, problem.radius);
            ways.push_back(std::move(one));
        }
        if (count <= 1)
            break;
    }
    const auto error = [form](const Candidate &one) {
        const double expected = one.roundings[form].expected;
        return std::isnan(expected) ? INFINITY : expected;
    };
    std::stable_sort(ways.begin(), ways.end(),
                     [&](const Candidate &a, const Candidate &b) { return error(a) < error(b); });
    Candidate none;
    none.disagreement = INFINITY;
    for (Candidate &one : ways) {
        one.disagreement = disagreement(one.stages, problem); // much slower than its rounding
        if (one.disagreement <= most_disagreement && error(one) < INFINITY)
            return std::move(one);
        none.disagreement = std::min(none.disagreement, one.disagreement);
    }
    return none;
}

// Scans that do not fade have no bound; where what is added up is much larger than the sum, it is split.
Candidate unfading(const Problem &problem, std::size_t most_stages) {
    constexpr double most_cancellation = 6.0;
    Candidate best;
    for (std::size_t count = 1; count <= most_stages; ++count)
        for (const Deal &deal : deals) {
            Candidate one;
            one.stages = stages_of(problem, count, deal);
            one.disagreement = disagreement(one.stages, problem);
            if (!fit_kernels(one.stages) || !(one.disagreement <= most_disagreement))
                continue;
            double cancellation = 0.0;
            for (const LineStage &stage : one.stages) {
                double whole = 0.0;
                double apart = 0.0;
                for (const Complex &u : problem.points) {
                    double sum = 0.0;
                    for (const auto *sections : {&stage.causal, &stage.anticausal})
                        for (const Section &section : *sections) {
                            LineStage alone;
                            alone.causal = {section};
                            sum += magnitude(response(alone, u));
                        }
                    apart = std::max(apart, sum);
                    whole = std::max(whole, magnitude(response(stage, u)));
                }
                cancellation = std::max(cancellation, apart / whole);
            }
            best = std::move(one);
            if (cancellation <= most_cancellation)
                return best;
        }
    return best;
}

enum class Found { yes, no };

// Tries f32 in one or two stages; then wider states in one stage, so that there are fewer; and then more
// stages of either.
Found find_plan(const Problem &problem, const Wanted &wanted, StagePlan &plan, double &closest) {
    const std::size_t factors =
        std::max(problem.causal.factors.size(), problem.anticausal.factors.size());
    const std::size_t most = wanted.one_stage ? 1 : factors;
    const auto take = [&](Candidate candidate, StateForm form, Precision precision) {
        set_precision(candidate, precision);
        plan = plan_of(candidate, candidate.roundings[form]);
        return Found::yes;
    };
    if (!problem.fades()) {
        Candidate candidate = unfading(problem, std::max<std::size_t>(most, 1));
        closest = candidate.disagreement;
        if (candidate.stages.empty())
            return Found::no;
        candidate.roundings.stepped = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
        return take(std::move(candidate), StateForm::stepped, Precision::single);
    }
    std::vector<Candidate> kept(most + 1); // candidates of f32, by the number of stages
    const auto try_f32 = [&](std::size_t count) {
        kept[count] = best_of(problem, count, StateForm::anchored);
        closest = std::min(closest, kept[count].disagreement);
        return !kept[count].stages.empty() && meets(kept[count].roundings.anchored, wanted);
    };
    const auto take_f32 = [&](std::size_t count) {
        Candidate &own = kept[count];
        // Where states are stepped along a line, roundings are alike: errors are as large as the expected
        // ones.
        Wanted of_stepped = wanted;
        of_stepped.expected *= 0.6;
        if (meets(own.roundings.stepped, of_stepped)) {
            // Kernels of either kind may be chosen.
            if (own.roundings.anchored.bound > own.roundings.stepped.bound)
                own.roundings.stepped.bound = own.roundings.anchored.bound;
            return take(std::move(own), StateForm::stepped, Precision::single);
        }
        return take(std::move(own), StateForm::anchored, Precision::anchored);
    };
    const auto try_twice = [&](std::size_t count) {
        return !kept[count].stages.empty() && meets(kept[count].roundings.twice, wanted);
    };
    const auto take_twice = [&](std::size_t count) {
        return take(std::move(kept[count]), StateForm::twice, Precision::twice);
    };
    if (most == 0)
        return try_f32(0) ? take_f32(0) : try_twice(0) ? take_twice(0) : Found::no;
    constexpr std::size_t few = 2;
    for (std::size_t count = 1; count <= std::min(few, most); ++count)
        if (try_f32(count))
            return take_f32(count);
    if (try_twice(1))
        return take_twice(1);
    for (std::size_t count = 2; count <= most; ++count) {
        if (count > few && try_f32(count))
            return take_f32(count);
        if (try_twice(count))
            return take_twice(count);
    }
    // Where taps are many, the values between them and the sections round too much for any accuracy: take the
    // best there is, and state its error.
    constexpr double most_expected = 1e-4;
    std::size_t best = 0;
    for (std::size_t count = 1; count <= most; ++count)
        if (!kept[count].stages.empty() && (best == 0 || kept[count].roundings.twice.expected <
                                                             kept[best].roundings.twice.expected))
            best = count;
    if (wanted.bound == 0.0 && !wanted.one_stage && best > 0 &&
        kept[best].roundings.twice.expected <= most_expected)
        return take_twice(best);
    return Found::no;
}

// How far each coefficient's rounding to double may move the response, over the largest of it.
double written_error(const Cascade &causal, const Cascade &anticausal, const Problem &problem) {
    const auto relative = [](const Polynomial &p, Complex u) {
        double sum = 0.0;
        double power = 1.0;
        for (const Real &c : p) {
            sum += std::abs(c.high) * power;
            power *= magnitude(u);
        }
        return 0x1p-53 * sum / magnitude(value_at(p, u));
    };
    double most = 0.0;
    for (std::size_t i = 0; i < problem.points.size(); ++i) {
        const double size = magnitude(problem.wanted[i]);
        if (size == 0.0)
            continue;
        double sum = 0.0;
        for (const Cascade *chain : {&causal, &anticausal}) {
            const Complex u =
                chain == &causal ? problem.points[i] : Complex(1.0) / problem.points[i];
            for (const TransferFunction &scan : *chain)
                sum += relative(scan.b, u) + relative(scan.a, u);
        }
        most = std::max(most, sum * size);
    }
    return problem.largest == 0.0 ? 0.0 : most / problem.largest;
}

std::shared_ptr<const StagePlan> made_plan(const Scans &scans, const Wanted &wanted) {
    const Cascade causal = chain_of(scans.causal);
    const Cascade anticausal = chain_of(scans.anticausal);
    double closest = INFINITY;
    for (const Trim trim : {Trim::invisible, Trim::zeros}) {
        const Problem problem = problem_of(causal, anticausal, trim);
        StagePlan plan;
        if (find_plan(problem, wanted, plan, closest) == Found::yes) {
            plan.written = written_error(causal, anticausal, problem);
            return std::make_shared<const StagePlan>(std::move(plan));
        }
        if (closest <= most_disagreement)
            break; // the accuracy does not suffice
    }
    if (wanted.one_stage)
        return nullptr;
    if (closest <= most_disagreement)
        fail(Status::unsupported, "the accuracy ",
             wanted.bound > 0.0 ? wanted.bound : wanted.expected,
             " is more than these scans can be run with");
    fail(Status::unsupported,
         "the scans cannot be factored: the response of what would run is off by ", closest,
         " of the largest, and ", most_disagreement,
         " is allowed; give them as second-order sections (SciPy: output='sos')");
}

// Re(c / (1 - p u)) is c's real part, and what a section adds: its sign is 1, as modes are slow.
Section section_of(std::complex<double> pole, std::complex<double> weight) {
    const Real re(pole.real()), im(pole.imag());
    const Real c(weight.real()), d(weight.imag());
    Section section;
    const Real near = Real(1.0) - re;
    if (pole.imag() == 0.0) {
        section.rest = to_double(near);
        section.w_weight = to_double(c * re);
        return section;
    }
    // (b0 + b1 u) / (1 - a1 u - a2 u^2) less b0.
    const Real a1 = Real(2.0) * re;
    const Real a2 = -(re * re + im * im);
    const Real b1 = -(c * re + d * im);
    section.rest = to_double(near * near + im * im);
    section.decay = to_double(-a2);
    section.w_weight = to_double(c * a1 + b1 + c * a2);
    section.v_weight = to_double(-(c * a2));
    return section;
}

LineStage stage_of(const Modes &modes) {
    LineStage stage;
    Real direct(modes.odd ? 0.0 : modes.direct);
    for (std::size_t i = 0; i < modes.poles.size(); ++i) {
        Section section = section_of(modes.poles[i], modes.weights[i]);
        stage.causal.push_back(section);
        if (modes.odd) {
            section.w_weight = -section.w_weight;
            section.v_weight = -section.v_weight;
        } else {
            direct = direct + Real(modes.weights[i].real());
        }
        stage.anticausal.push_back(section);
    }
    stage.direct = to_double(direct);
    return stage;
}

// Returns the sum of the modes' responses on either side.
Complex response(const Modes &modes, Complex u) {
    const Complex ahead = Complex(1.0) / u;
    Complex sum(modes.odd ? 0.0 : modes.direct);
    for (std::size_t i = 0; i < modes.poles.size(); ++i) {
        const Complex p(modes.poles[i].real(), modes.poles[i].imag());
        const Complex c(modes.weights[i].real(), modes.weights[i].imag());
        const auto side = [&](const Complex &to) {
            // Half of a mode and of its conjugate, from the next sample on.
            return Real(0.5) * (c * p * to / (Complex(1.0) - p * to) +
                                conj(c) * conj(p) * to / (Complex(1.0) - conj(p) * to));
        };
        sum = modes.odd ? sum + side(u) - side(ahead) : sum + side(u) + side(ahead) + Complex(c.re);
    }
    return sum;
}

std::shared_ptr<const StagePlan> made_plan(const Modes &modes, double expected) {
    Candidate one;
    one.stages = {stage_of(modes)};
    Problem problem;
    std::vector<Factor> places;
    for (const std::complex<double> &pole : modes.poles) {
        problem.radius = std::max(problem.radius, std::abs(pole));
        Poles poles;
        poles.radius = std::abs(pole);
        poles.angle = std::arg(pole);
        Factor place;
        place.poles = {poles};
        places.push_back(std::move(place));
    }
    problem.points = test_points(places, 1.0);
    for (const Complex &u : problem.points) {
        problem.wanted.push_back(response(modes, u));
        problem.largest = std::max(problem.largest, magnitude(problem.wanted.back()));
    }
    one.disagreement = disagreement(one.stages, problem);
    if (!(one.disagreement <= most_disagreement))
        fail(Status::internal, "exponentials are off by ", one.disagreement,
             " of the largest gain");
    one.roundings = roundings_of(one.stages, problem.radius);
    Wanted wanted;
    wanted.expected = expected;
    if (meets(one.roundings.stepped, wanted)) {
        one.roundings.stepped.bound =
            std::max(one.roundings.stepped.bound, one.roundings.anchored.bound);
        return std::make_shared<const StagePlan>(plan_of(one, one.roundings.stepped));
    }
    const bool is_anchored = meets(one.roundings.anchored, wanted);
    set_precision(one, is_anchored ? Precision::anchored : Precision::twice);
    return std::make_shared<const StagePlan>(
        plan_of(one, is_anchored ? one.roundings.anchored : one.roundings.twice));
}

// Keeps the last plans, by the bytes of all their inputs.
class Memory {
public:
    template <class Make>
    std::shared_ptr<const StagePlan> get(const std::string &key, Make &&make) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            const auto found = places_.find(key);
            if (found != places_.end()) {
                plans_.splice(plans_.begin(), plans_, found->second);
                return found->second->second;
            }
        }
        std::shared_ptr<const StagePlan> plan = make();
        const std::lock_guard<std::mutex> lock(mutex_);
        if (places_.count(key) == 0) {
            plans_.emplace_front(key, plan);
            places_[key] = plans_.begin();
            if (plans_.size() > most) {
                places_.erase(plans_.back().first);
                plans_.pop_back();
            }
        }
        return plan;
    }

private:
    static constexpr std::size_t most = 256;
    using Plans = std::list<std::pair<std::string, std::shared_ptr<const StagePlan>>>;
    std::mutex mutex_;
    Plans plans_; // the last used first
    std::map<std::string, Plans::iterator> places_;
};

void append(std::string &key, double value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    key.append(bytes, sizeof bytes);
}

void append(std::string &key, const std::vector<Scan> &scans) {
    append(key, static_cast<double>(scans.size()));
    for (const Scan &scan : scans)
        for (const auto *terms : {&scan.feedforward, &scan.feedback}) {
            append(key, static_cast<double>(terms->size()));
            for (const double term : *terms)
                append(key, term);
        }
}

} // namespace

bool meets(const Rounding &rounding, const Wanted &wanted) {
    return wanted.bound > 0.0 ? rounding.bound <= wanted.bound
                              : rounding.expected <= wanted.expected;
}

namespace {

Memory &memory() {
    static Memory own;
    return own;
}

} // namespace

std::shared_ptr<const StagePlan> stage_plan(const Modes &modes, double expected) {
    std::string key = "modes";
    for (std::size_t i = 0; i < modes.poles.size(); ++i)
        for (const double value : {modes.poles[i].real(), modes.poles[i].imag(),
                                   modes.weights[i].real(), modes.weights[i].imag()})
            append(key, value);
    append(key, modes.direct);
    append(key, modes.odd ? 1.0 : 0.0);
    append(key, expected);
    return memory().get(key, [&] { return made_plan(modes, expected); });
}

std::shared_ptr<const StagePlan> stage_plan(const Scans &scans, const Wanted &wanted) {
    std::string key = "scans";
    append(key, scans.causal);
    append(key, scans.anticausal);
    append(key, wanted.bound);
    append(key, wanted.expected);
    append(key, wanted.one_stage ? 1.0 : 0.0);
    return memory().get(key, [&] { return made_plan(scans, wanted); });
}

std::shared_ptr<const LineStage> exact_stage(const std::vector<Scan> &scans) {
    std::string key = "one stage";
    append(key, scans);
    const std::shared_ptr<const StagePlan> plan =
        memory().get(key, [&]() -> std::shared_ptr<const StagePlan> {
            const Problem problem = problem_of(chain_of(scans), {}, Trim::invisible);
            if (!problem.causal.fir.empty())
                return nullptr;
            StagePlan one;
            one.stages = stages_of(problem, problem.causal.factors.empty() ? 0 : 1, deals[0]);
            one.disagreement = disagreement(one.stages, problem);
            if (!(one.disagreement <= most_disagreement))
                return nullptr;
            return std::make_shared<const StagePlan>(std::move(one));
        });
    return plan ? std::shared_ptr<const LineStage>(plan, &plan->stages.front()) : nullptr;
}

} // namespace gz
