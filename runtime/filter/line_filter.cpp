#include "filter/line_filter.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <optional>

#include "core/error.hpp"
#include "filter/polynomial.hpp"

namespace gz {

namespace {

using Complex = std::complex<long double>;
using Poles = std::vector<std::complex<double>>;

// gain prod (1 - zero u) / prod (1 - pole u): u is a delay for the causal half of a filter, and its
// opposite for the anticausal one. Conjugates follow one another.
struct Half {
    long double gain = 1.0L;
    Poles poles, zeros;

    Complex operator()(Complex u) const {
        Complex result = gain;
        for (const auto &zero : zeros)
            result *= 1.0L - Complex(zero) * u;
        for (const auto &pole : poles)
            result /= 1.0L - Complex(pole) * u;
        return result;
    }
};

struct TwoSided {
    Half causal, anticausal;
};

// One section's share of a half's poles.
struct Group {
    Poles poles;                  // one or two
    Complex b0 = 0.0L, b1 = 0.0L; // (b0 + b1 u) / prod (1 - pole u)

    Complex operator()(Complex u) const {
        Complex result = b0 + b1 * u;
        for (const auto &pole : poles)
            result /= 1.0L - Complex(pole) * u;
        return result;
    }
};

// Conjugates together; real poles with their neighbours on the axis, so that what is left is well
// apart.
std::vector<Group> grouped(const Poles &poles) {
    std::vector<Group> groups;
    std::vector<double> real;
    for (const auto &pole : poles) {
        if (pole.imag() > 0.0)
            groups.push_back({{pole, std::conj(pole)}});
        else if (pole.imag() == 0.0)
            real.push_back(pole.real());
    }
    std::sort(real.begin(), real.end());
    // Of an odd number the most distant one is left alone.
    std::size_t alone = real.size();
    if (real.size() % 2 == 1) {
        alone = 0;
        double widest = -1.0;
        for (std::size_t i = 0; i < real.size(); i += 2) {
            const double left = i > 0 ? real[i] - real[i - 1] : 4.0;
            const double right = i + 1 < real.size() ? real[i + 1] - real[i] : 4.0;
            if (std::min(left, right) > widest) {
                widest = std::min(left, right);
                alone = i;
            }
        }
        groups.push_back({{real[alone]}});
        real.erase(real.begin() + static_cast<std::ptrdiff_t>(alone));
    }
    for (std::size_t i = 0; i + 1 < real.size(); i += 2)
        groups.push_back({{real[i], real[i + 1]}});
    return groups;
}

// Partial fractions: the numerator of each group interpolates, at its poles, what is left of the
// filter without it (Hermite where the two are one).
void set_numerators(std::vector<Group> &groups, const Half &own, const Half &other) {
    for (Group &group : groups) {
        const auto rest = [&](Complex u) {
            Complex result = own.gain * other(1.0L / u);
            for (const auto &zero : own.zeros)
                result *= 1.0L - Complex(zero) * u;
            for (const Group &g : groups)
                if (&g != &group)
                    for (const auto &pole : g.poles)
                        result /= 1.0L - Complex(pole) * u;
            return result;
        };
        const Complex first = 1.0L / Complex(group.poles[0]);
        if (group.poles.size() == 1) {
            group.b0 = rest(first).real();
            continue;
        }
        const Complex second = 1.0L / Complex(group.poles[1]);
        constexpr long double close = 1e-5L;
        if (std::abs(first - second) > close * std::abs(first)) {
            const Complex at_first = rest(first);
            group.b1 = ((at_first - rest(second)) / (first - second)).real();
            group.b0 = (at_first - group.b1 * first).real();
        } else {
            // The derivative, by a step along the imaginary axis.
            constexpr long double step = 1e-12L;
            const long double mean = ((first + second) / 2.0L).real();
            group.b1 = rest({mean, step * mean}).imag() / (step * mean);
            group.b0 = rest(mean).real() - group.b1 * mean;
        }
    }
}

// The kernels' form of a group. What an anticausal one adds for the current sample goes to direct.
Section section_of(const Group &group) {
    Section section;
    if (group.poles.size() == 1) {
        section.rest = 1.0 - group.poles[0].real();
        section.w_weight = static_cast<double>(group.b0.real());
        return section;
    }
    const Complex p = group.poles[0];
    const Complex q = group.poles[1];
    section.rest = static_cast<double>(((1.0L - p) * (1.0L - q)).real());
    section.decay = static_cast<double>((p * q).real());
    section.w_weight = static_cast<double>((group.b0 + group.b1).real());
    section.v_weight = static_cast<double>(-group.b1.real());
    return section;
}

Section anticausal_section_of(const Group &group, double &direct) {
    // b0 + b1 u = b0 Q + ((b0 a1 + b1) u + b0 a2 u^2), and Q is divided out.
    Section section = section_of(group);
    const Complex p = group.poles[0];
    const Complex q = group.poles.size() == 2 ? Complex(group.poles[1]) : Complex(0.0L);
    const long double a1 = (p + q).real();
    const long double a2 = -(p * q).real();
    const long double b0 = group.b0.real();
    direct += static_cast<double>(b0);
    section.w_weight = static_cast<double>(b0 * a1 + group.b1.real() + b0 * a2);
    section.v_weight = static_cast<double>(-b0 * a2);
    return section;
}

// Frequencies at which filters are compared: dense near 0, where slow poles peak.
std::vector<Complex> test_points() {
    std::vector<Complex> points;
    constexpr int count = 400;
    for (int i = 0; i <= count; ++i) {
        const long double t = static_cast<long double>(i) / count;
        points.push_back(std::polar(1.0L, std::numbers::pi_v<long double> * t * t * t * t));
        points.push_back(std::polar(1.0L, std::numbers::pi_v<long double> * t));
    }
    return points;
}

struct Decomposition {
    LineStage stage;
    // How much larger what is added up is than its sum: what rounding is multiplied by.
    long double cancellation = 0.0L;
};

Decomposition decompose(const TwoSided &filter) {
    std::vector<Group> causal = grouped(filter.causal.poles);
    std::vector<Group> anticausal = grouped(filter.anticausal.poles);
    set_numerators(causal, filter.causal, filter.anticausal);
    set_numerators(anticausal, filter.anticausal, filter.causal);

    static const std::vector<Complex> points = test_points();
    const auto response = [&](Complex u) { return filter.causal(u) * filter.anticausal(1.0L / u); };
    // The polynomial that is left over is a constant. -1 is as far from slow poles as can be.
    Complex left = response(-1.0L);
    for (const Group &group : causal)
        left -= group(-1.0L);
    for (const Group &group : anticausal)
        left -= group(-1.0L);

    Decomposition result;
    result.stage.direct = static_cast<double>(left.real());
    long double largest = 0.0L;
    for (const Complex &u : points)
        largest = std::max(largest, std::abs(response(u)));
    const auto count = [&](const Group &group) {
        long double most = 0.0L;
        for (const Complex &u : points)
            most = std::max(most, std::abs(group(u)));
        result.cancellation += most / largest;
    };
    for (const Group &group : causal) {
        count(group);
        result.stage.causal.push_back(section_of(group));
    }
    for (const Group &group : anticausal) {
        count(group);
        result.stage.anticausal.push_back(anticausal_section_of(group, result.stage.direct));
    }
    if (!(result.cancellation < INFINITY))
        result.cancellation = INFINITY;
    return result;
}

// Every second group of poles, and of zeros, to each of two filters; each has a largest gain of 1
// but for the first, which has the rest.
std::pair<TwoSided, TwoSided> split(const TwoSided &filter) {
    std::pair<TwoSided, TwoSided> result;
    const auto deal = [](const Poles &roots, Poles &first, Poles &second) {
        const std::vector<Group> groups = grouped(roots);
        std::vector<std::size_t> order(groups.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::arg(groups[a].poles[0]) < std::arg(groups[b].poles[0]);
        });
        for (std::size_t i = 0; i < order.size(); ++i) {
            // What has most goes to the one with fewer.
            Poles &to = first.size() <= second.size() ? first : second;
            const Poles &poles = groups[order[i]].poles;
            to.insert(to.end(), poles.begin(), poles.end());
        }
    };
    deal(filter.causal.poles, result.first.causal.poles, result.second.causal.poles);
    deal(filter.causal.zeros, result.first.causal.zeros, result.second.causal.zeros);
    deal(filter.anticausal.poles, result.first.anticausal.poles, result.second.anticausal.poles);
    deal(filter.anticausal.zeros, result.first.anticausal.zeros, result.second.anticausal.zeros);
    static const std::vector<Complex> points = test_points();
    long double largest = 0.0L;
    for (const Complex &u : points)
        largest = std::max(largest,
                           std::abs(result.second.causal(u) * result.second.anticausal(1.0L / u)));
    result.second.causal.gain = 1.0L / largest;
    result.first.causal.gain = filter.causal.gain * filter.anticausal.gain * largest;
    return result;
}

// What rounding may be multiplied by before a filter is run in several stages instead.
constexpr long double most_cancellation = 6.0L;

bool is_indivisible(const TwoSided &filter) {
    return grouped(filter.causal.poles).size() <= 1 && grouped(filter.anticausal.poles).size() <= 1;
}

void append_stages(const TwoSided &filter, std::vector<LineStage> &stages) {
    Decomposition whole = decompose(filter);
    if (whole.cancellation <= most_cancellation || is_indivisible(filter)) {
        stages.push_back(std::move(whole.stage));
        return;
    }
    const auto [first, second] = split(filter);
    append_stages(first, stages);
    append_stages(second, stages);
}

Half half_of(const std::vector<const Scan *> &scans) {
    Half half;
    for (const Scan *scan : scans) {
        const Poles poles = poles_of(scan->feedback);
        half.poles.insert(half.poles.end(), poles.begin(), poles.end());
        // Feedforward terms that are only a delay cannot be factored so.
        std::vector<double> terms = scan->feedforward;
        while (terms.size() > 1 && terms.back() == 0.0)
            terms.pop_back();
        require(terms[0] != 0.0 || terms.size() == 1,
                "a scan's first feedforward coefficient is 0");
        half.gain *= terms[0];
        if (terms.size() > 1) {
            std::vector<double> monic;
            for (std::size_t i = 1; i < terms.size(); ++i)
                monic.push_back(-terms[i] / terms[0]);
            const Poles zeros = poles_of(monic);
            half.zeros.insert(half.zeros.end(), zeros.begin(), zeros.end());
        }
    }
    // A pole at 0 is none.
    std::erase(half.poles, std::complex<double>(0.0));
    if (half.zeros.size() > half.poles.size())
        fail(Status::unsupported, "scans of one direction have ", half.zeros.size(),
             " feedforward terms besides the first and ", half.poles.size(),
             " poles; there may not be more terms than poles");
    return half;
}

// ---- modes ----

LineStage stage_of(const Modes &modes) {
    LineStage stage;
    stage.direct = modes.direct;
    for (std::size_t i = 0; i < modes.poles.size(); ++i) {
        const Complex p = modes.poles[i];
        const Complex c = modes.weights[i];
        // Re(c / (1 - p u))
        Group group{{modes.poles[i]}, c.real(), 0.0L};
        if (modes.poles[i].imag() != 0.0) {
            group.poles.push_back(std::conj(modes.poles[i]));
            group.b1 = -(c * std::conj(p)).real();
        }
        stage.causal.push_back(section_of(group));
        double at_zero = 0.0; // is there already
        Section section = anticausal_section_of(group, at_zero);
        if (modes.odd) {
            stage.direct -= at_zero;
            section.w_weight = -section.w_weight;
            section.v_weight = -section.v_weight;
        }
        stage.anticausal.push_back(section);
    }
    return stage;
}

// ---- ends ----

constexpr double negligible = 1e-10;

// Samples after which nothing is left of a state, worth speaking of.
std::int64_t memory_of(const Section &section) {
    double modulus = 0.0;
    if (section.decay == 0.0) {
        modulus = std::abs(1.0 - section.rest);
    } else {
        const double half_trace = (1.0 + section.decay - section.rest) / 2.0;
        const double squared = half_trace * half_trace - section.decay;
        modulus = squared < 0.0 ? std::sqrt(std::abs(section.decay))
                                : std::abs(half_trace) + std::sqrt(squared);
    }
    constexpr std::int64_t longest = std::int64_t{1} << 22;
    if (modulus < 1e-3)
        return 8;
    const double samples = std::log(negligible * 0.01) / std::log(modulus);
    if (!(samples >= 0.0 && samples < static_cast<double>(longest)))
        fail(Status::unsupported, "a pole has the modulus ", modulus,
             ": too close to 1 for a border other than zero");
    // Twice a pole decays later by its logarithm.
    return static_cast<std::int64_t>(samples * 1.5) + 16;
}

std::int64_t memory_of(const LineStage &stage) {
    std::int64_t most = 0;
    for (const Section &section : stage.causal)
        most = std::max(most, memory_of(section));
    for (const Section &section : stage.anticausal)
        most = std::max(most, memory_of(section));
    return most;
}

double output(const Section &section, const std::array<double, 2> &state) {
    return section.w_weight * state[0] + section.v_weight * state[1];
}

enum class Way { as_is, mirrored };

// Runs a stage over a line that is 0 outside.
std::vector<double> filtered(const LineStage &stage, const std::vector<double> &x, Way way) {
    const auto n = static_cast<std::int64_t>(x.size());
    std::vector<double> y(x.size());
    const auto at = [&](std::int64_t i) {
        return static_cast<std::size_t>(way == Way::as_is ? i : n - 1 - i);
    };
    for (std::size_t i = 0; i < x.size(); ++i)
        y[i] = stage.direct * x[i];
    for (const Section &section : stage.causal) {
        std::array<double, 2> state{0.0, 0.0};
        for (std::int64_t i = 0; i < n; ++i) {
            step(section, state, x[at(i)]);
            y[at(i)] += output(section, state);
        }
    }
    for (const Section &section : stage.anticausal) {
        std::array<double, 2> state{0.0, 0.0};
        for (std::int64_t i = n - 1; i >= 0; --i) {
            y[at(i)] += output(section, state);
            step(section, state, x[at(i)]);
        }
    }
    return y;
}

// Weights over the infinite line, first to first + size - 1.
struct Functional {
    std::int64_t first = 0;
    std::vector<double> weights;
};

EndWeights on_line(const Functional &functional, const Border &border, std::int64_t length) {
    EndWeights result;
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

// The states of every stage where the line begins and ends, for a line that its border extends.
void set_extended_ends(std::vector<LineStage> &stages, const Border &border, std::int64_t length) {
    std::int64_t before = 0; // memory of the stages before
    for (std::size_t s = 0; s < stages.size(); ++s) {
        LineStage &stage = stages[s];
        const auto add = [&](const Section &section, Way side) {
            const std::int64_t memory = memory_of(section);
            const std::int64_t margin = before;
            for (std::size_t component = 0; component < 2; ++component) {
                // Samples -memory to -1 of what the stage reads, and as many more on both sides as
                // the stages before reach; mirrored for the far end.
                Functional functional;
                functional.first = -(memory + margin);
                functional.weights.assign(static_cast<std::size_t>(memory + 2 * margin), 0.0);
                const auto ages = responses(section, memory);
                for (std::int64_t age = 0; age < memory; ++age)
                    functional.weights[static_cast<std::size_t>(margin + memory - 1 - age)] =
                        ages[static_cast<std::size_t>(age)][component];
                // The adjoint of a stage runs it the other way.
                for (std::size_t earlier = s; earlier-- > 0;)
                    functional.weights = filtered(stages[earlier], functional.weights,
                                                  side == Way::as_is ? Way::mirrored : Way::as_is);
                EndWeights ends = on_line(functional, border, length);
                if (side == Way::mirrored)
                    std::swap(ends.near, ends.far);
                stage.ends.push_back(std::move(ends));
            }
        };
        for (const Section &section : stage.causal)
            add(section, Way::as_is);
        for (const Section &section : stage.anticausal)
            add(section, Way::mirrored);
        before += memory_of(stage);
    }
}

// ---- zero border ----

// What the far states of `second` must start from where the line is cut between its two halves: as
// `first` rings on beyond the end, and `second`, run over all of that, would bring it back, that
// much must be taken off again. The sections of the pair's own decomposition stand in for the
// sections of `second` alone: they have the same poles.
bool set_cut_ends(LineStage &pair, const LineStage &first, const LineStage &second,
                  std::int64_t length) {
    const std::int64_t ringing = memory_of(first) + memory_of(second);
    const std::size_t count = pair.anticausal.size();
    for (const Section &section : pair.causal) {
        (void)section;
        pair.ends.push_back({});
        pair.ends.push_back({});
    }
    // Functionals of each w and v, on the last samples.
    std::vector<std::vector<double>> weights(2 * count);
    // Samples that leave something at the end.
    const std::int64_t memory = std::min(memory_of(first), length);
    std::vector<std::array<double, 2>> at_end(count);
    for (std::size_t i = 0; i < first.causal.size(); ++i) {
        const Section &section = first.causal[i];
        const auto ages = responses(section, memory);
        for (std::size_t component = 0; component < 2; ++component) {
            if (component == 1 && section.is_first_order())
                continue;
            // The ringing of this component of the state, and what `second` makes of it.
            std::array<double, 2> state{0.0, 0.0};
            state[component] = 1.0;
            std::vector<double> tail(static_cast<std::size_t>(ringing));
            for (double &value : tail) {
                step(section, state, 0.0);
                value = output(section, state);
            }
            for (std::size_t j = 0; j < count; ++j) {
                const Section &own = second.anticausal[j];
                std::array<double, 2> s{0.0, 0.0};
                for (std::size_t n = tail.size(); n-- > 0;)
                    step(own, s, tail[n]);
                // The two results that follow, from the states that make them.
                const Section &stand_in = pair.anticausal[j];
                std::array<double, 2> wanted{};
                for (double &value : wanted) {
                    value = output(own, s);
                    step(own, s, 0.0);
                }
                std::array<std::array<double, 2>, 2> basis{};
                for (std::size_t k = 0; k < 2; ++k) {
                    std::array<double, 2> unit{0.0, 0.0};
                    unit[k] = 1.0;
                    for (std::size_t row = 0; row < 2; ++row) {
                        basis[row][k] = output(stand_in, unit);
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
                    to.resize(static_cast<std::size_t>(memory), 0.0);
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
        while (!far.empty() && std::abs(far.back()) <= negligible * largest)
            far.pop_back();
        pair.ends.push_back({0.0, {}, std::move(far)});
    }
    pair.ends_of = LineStage::Of::own;
    return true;
}

LineStage mirrored(const LineStage &stage);

// A stage of one half alone, run forwards.
std::optional<LineStage> one_sided(const Half &half) {
    Decomposition result = decompose({half, {}});
    if (result.cancellation > most_cancellation)
        return std::nullopt;
    return std::move(result.stage);
}

// Scans of one direction and then of the other in one stage; nothing where f32 could not bear it.
// Written for the first of them running forwards.
std::optional<LineStage> cut_pair(const Half &first, const Half &second, std::int64_t length) {
    Decomposition pair = decompose({first, second});
    if (pair.cancellation > most_cancellation)
        return std::nullopt;
    const std::optional<LineStage> alone = one_sided(first);
    if (!alone)
        return std::nullopt;
    // The second, alone, as an anticausal stage.
    const Decomposition other = decompose({{}, second});
    if (!set_cut_ends(pair.stage, *alone, other.stage, length))
        return std::nullopt;
    return std::move(pair.stage);
}

struct Run {
    bool forward;
    Half half;
};

// Forward sections become anticausal ones, whose results come before their samples.
LineStage mirrored(const LineStage &stage) {
    LineStage result;
    result.direct = stage.direct;
    result.ends_of = stage.ends_of;
    // w and v after a sample, from w, v before it and the sample x: w' = w + v', v' = d v + x - e w.
    for (const Section &s : stage.causal) {
        Section section = s;
        const double sum = s.w_weight + s.v_weight;
        section.w_weight = s.w_weight - sum * s.rest;
        section.v_weight = sum * s.decay;
        result.direct += sum;
        result.anticausal.push_back(section);
    }
    for (const Section &s : stage.anticausal) {
        // The other way round: v = (v' - x + e w) / d where there is a v, w = w' - v'.
        Section section = s;
        if (s.is_first_order()) {
            // w' = x + (1 - e) w
            const double pole = 1.0 - s.rest;
            section.w_weight = s.w_weight / pole;
            result.direct -= section.w_weight;
        } else {
            const double back = s.v_weight / s.decay;
            // w_weight (w' - v') + back (v' - x + e (w' - v'))
            section.w_weight = s.w_weight + back * s.rest;
            section.v_weight = back - s.w_weight - back * s.rest;
            result.direct -= back;
        }
        result.causal.push_back(section);
    }
    if (!stage.ends.empty()) {
        const auto middle =
            stage.ends.begin() + static_cast<std::ptrdiff_t>(2 * stage.causal.size());
        result.ends.assign(middle, stage.ends.end());
        result.ends.insert(result.ends.end(), stage.ends.begin(), middle);
        for (EndWeights &ends : result.ends)
            std::swap(ends.near, ends.far);
    }
    return result;
}

std::vector<LineStage> cut_stages(const std::vector<const Scan *> &scans, std::int64_t length) {
    std::vector<Run> runs;
    for (std::size_t i = 0; i < scans.size();) {
        std::vector<const Scan *> same;
        const bool forward = scans[i]->forward;
        for (; i < scans.size() && scans[i]->forward == forward; ++i)
            same.push_back(scans[i]);
        runs.push_back({forward, half_of(same)});
    }
    std::vector<LineStage> stages;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const bool forward = runs[i].forward;
        if (i + 1 < runs.size()) {
            std::optional<LineStage> pair = cut_pair(runs[i].half, runs[i + 1].half, length);
            if (pair) {
                stages.push_back(forward ? std::move(*pair) : mirrored(*pair));
                ++i;
                continue;
            }
        }
        std::vector<LineStage> own;
        append_stages({runs[i].half, {}}, own);
        for (LineStage &stage : own)
            stages.push_back(forward ? std::move(stage) : mirrored(stage));
    }
    return stages;
}

// The scans along an axis, trip by trip as they are grouped.
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

} // namespace

std::vector<LineStage> line_stages(const Recursion &recursion, int axis, const Border &border,
                                   std::int64_t length) {
    std::vector<LineStage> stages;
    for (const std::vector<const Scan *> &scans : trips_along(recursion, axis)) {
        if (!recursion.extended) {
            std::vector<LineStage> own = cut_stages(scans, length);
            std::move(own.begin(), own.end(), std::back_inserter(stages));
            continue;
        }
        std::vector<const Scan *> forwards, backwards;
        for (const Scan *scan : scans)
            (scan->forward ? forwards : backwards).push_back(scan);
        append_stages({half_of(forwards), half_of(backwards)}, stages);
    }
    const Modes &modes = recursion.modes[static_cast<std::size_t>(axis)];
    if (!modes.empty())
        stages.push_back(stage_of(modes));
    // Kernels have a section at least: here one that adds nothing.
    for (LineStage &stage : stages)
        if (stage.states() == 0)
            stage.causal.emplace_back();
    if (recursion.extended)
        set_extended_ends(stages, border, length);
    return stages;
}

} // namespace gz
