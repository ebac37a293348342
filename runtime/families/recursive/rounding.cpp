#include "families/recursive/rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gz {

namespace {

using Line = std::vector<double>;
using State = std::array<double, 2>;

constexpr double unit = 0x1p-24;       // the unit roundoff of f32
constexpr double unit_twice = 0x1p-20; // that of pairs of f32, over f32's
constexpr double smallest = 0x1p-126;  // devices may take smaller numbers for 0
constexpr double crest = 4.0; // largest sum of many roundings over the root of their squares' sum
constexpr std::size_t chunk = 16; // samples between anchors, see recursive_chunks.hpp

// Returns the samples after which a response has faded, but no more than are worth a simulation.
std::size_t samples_to_simulate(double radius) {
    constexpr std::size_t least = 64;
    constexpr std::size_t most = std::size_t{1} << 15;
    if (!(radius >= 0.1))
        return least;
    if (radius >= 1.0)
        return most;
    const double samples = 1.3 * std::log(1e-9) / std::log(radius);
    return samples < static_cast<double>(most - least) ? static_cast<std::size_t>(samples) + least
                                                       : most;
}

// The sum of a response's magnitudes, from two halves of it: the rest fades as the second half does after the
// first.
class Sum {
public:
    void add(double x, bool late) { halves_[late ? 1 : 0] += std::abs(x); }
    double value() const {
        if (halves_[1] <= 1e-7 * halves_[0])
            return halves_[0] + halves_[1];
        return halves_[0] / (1.0 - std::min(halves_[1] / halves_[0], 0.999));
    }

private:
    std::array<double, 2> halves_{};
};

double sum_of(const Line &x) {
    Sum sum;
    for (std::size_t i = 0; i < x.size(); ++i)
        sum.add(x[i], 2 * i >= x.size());
    return sum.value();
}

// The sum of disturbances of results, of magnitude 1, at ages 0, d, 2 d, ...
struct Lasting {
    double most = 0.0;
    double expected = 0.0; // where they are independent
};

Lasting lasting(const Line &envelope, std::size_t d, std::size_t count) {
    Lasting result;
    double squares = 0.0;
    for (std::size_t j = 0; j < count && j * d < envelope.size(); ++j) {
        result.most += envelope[j * d];
        squares += envelope[j * d] * envelope[j * d];
    }
    result.expected = std::min(result.most, crest * std::sqrt(squares));
    return result;
}

// The error by rounding in one section, in units of `unit` of the largest input.
struct Share {
    double most = 0.0, squares = 0.0; // the bound, and the square of the expected error

    void add(double size, const Lasting &of) {
        most += size * of.most;
        squares += size * of.expected * size * of.expected;
    }
};

struct Shares {
    Share stepped, anchored;
    double result = 0.0;    // the section's largest share of a result, over the largest input
    int additions = 1;      // additions for that share
    double peak = 0.0;      // the largest state or part of a result, over the largest input
    double underflow = 0.0; // errors that results have where each rounding errs by 1
};

Shares shares_of(const Section &section, std::size_t simulated) {
    // Responses of w, v and the input of v to a sample; and of results to a sample, to w alone and to v
    // alone.
    Sum w_sum, v_sum, taken_sum;
    Line from_x(simulated), from_w(simulated), from_v(simulated);
    double chunk_w = 0.0, chunk_v = 0.0;
    State state{}, only_w{1.0, 0.0}, only_v{0.0, 1.0};
    const bool has_v = !section.is_first_order();
    for (std::size_t n = 0; n < simulated; ++n) {
        const bool late = 2 * n >= simulated;
        const double x = n == 0 ? 1.0 : 0.0;
        taken_sum.add(x - section.sign * section.rest * state[0], late);
        from_x[n] = std::abs(added(section, state));
        from_w[n] = std::abs(added(section, only_w));
        from_v[n] = has_v ? std::abs(added(section, only_v)) : 0.0;
        step(section, state, x);
        step(section, only_w, 0.0);
        step(section, only_v, 0.0);
        w_sum.add(state[0], late);
        v_sum.add(has_v ? state[1] : 0.0, late);
        if (n < chunk) {
            chunk_w += std::abs(state[0]);
            chunk_v += has_v ? std::abs(state[1]) : 0.0;
        }
    }
    const double w = w_sum.value();
    const double v = v_sum.value();
    const double sizes_of_step[] = {taken_sum.value(), std::abs(section.rest) * w, v,
                                    std::abs(section.decay) * v};
    Shares shares;
    // The errors of results: weights and products are rounded, and states that kernels take for faded still
    // have half of a rounding left. Sums are counted for all sections together.
    const double results = std::abs(section.w_weight) * w + std::abs(section.v_weight) * v;
    shares.result = results;
    shares.additions = has_v ? 2 : 1;
    shares.stepped.most = 1.5 * results;
    shares.stepped.squares = results * results;
    shares.anchored = shares.stepped;
    // A step rounds v's two sums and products, which last as long as a sample does, and w's sum.
    const auto add_steps = [&](Share &share, const Lasting &as_x, const Lasting &as_w) {
        for (const double size : sizes_of_step)
            share.add(size, as_x);
        share.add(w, as_w);
    };
    // Where states are stepped along the line, roundings are often alike.
    const double x_lasts = sum_of(from_x);
    const double w_lasts = sum_of(from_w);
    add_steps(shares.stepped, {x_lasts, x_lasts}, {w_lasts, w_lasts});
    shares.peak = std::max(
        {w, v, taken_sum.value(), std::abs(section.w_weight) * w, std::abs(section.v_weight) * v});
    shares.underflow = 4.0 * x_lasts + 2.0 * w_lasts + 2.0;

    for (Line *envelope : {&from_x, &from_w, &from_v})
        for (std::size_t n = simulated; n-- > 1;)
            (*envelope)[n - 1] = std::max((*envelope)[n - 1], (*envelope)[n]);
    Share &anchored = shares.anchored;
    add_steps(anchored, lasting(from_x, 1, chunk), lasting(from_w, 1, chunk));
    // Sums of 16 products; about half of the roundings are those of small partial sums.
    constexpr double of_sum = 9.0;
    anchored.add(of_sum * chunk_w, lasting(from_w, chunk, simulated));
    anchored.add(of_sum * chunk_v, lasting(from_v, chunk, simulated));
    // Carries are multiplied by a matrix of rounded weights at each level of the tree.
    std::size_t samples = chunk;
    constexpr int levels = 4;
    for (int level = 1; level <= levels; ++level, samples *= chunk) {
        const auto m = transition(section, static_cast<std::int64_t>(samples)).less_identity;
        const std::size_t count = level < levels ? chunk : simulated;
        anchored.add((1.0 + 2.0 * std::abs(m[0][0])) * w + 2.0 * std::abs(m[0][1]) * v,
                     lasting(from_w, samples, count));
        if (has_v)
            anchored.add((1.0 + 2.0 * std::abs(m[1][1])) * v + 2.0 * std::abs(m[1][0]) * w,
                         lasting(from_v, samples, count));
    }
    return shares;
}

// Sums over a response around the middle of a line.
struct Norms {
    double sum = 1.0, root_of_squares = 1.0;
};

Norms norms_of(const Line &x, std::size_t middle) {
    Line left(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(middle));
    std::reverse(left.begin(), left.end());
    const Line right(x.begin() + static_cast<std::ptrdiff_t>(middle), x.end());
    double squares = 0.0;
    for (const double value : x)
        squares += value * value;
    return {sum_of(left) + sum_of(right), std::sqrt(squares)};
}

} // namespace

Roundings roundings_of(const std::vector<LineStage> &stages, double radius) {
    const std::size_t simulated = samples_to_simulate(radius);
    const std::size_t count = stages.size();
    std::int64_t ahead = 0;
    std::int64_t behind = 0;
    bool looks_ahead = false;
    for (const LineStage &stage : stages) {
        looks_ahead = looks_ahead || !stage.anticausal.empty();
        if (stage.has_taps()) {
            behind = std::max<std::int64_t>(behind, -stage.first_tap);
            ahead =
                std::max(ahead, stage.first_tap + static_cast<std::int64_t>(stage.taps.size()) - 1);
        }
    }
    const std::size_t middle =
        static_cast<std::size_t>(std::max<std::int64_t>(ahead, 0)) + (looks_ahead ? simulated : 0);
    Line impulse(middle + simulated + static_cast<std::size_t>(behind), 0.0);
    impulse[middle] = 1.0;

    std::vector<Norms> before(count + 1), after(count + 1);
    Line x = impulse;
    for (std::size_t s = 0; s < count; ++s) {
        x = filtered(stages[s], x, Way::as_is);
        before[s + 1] = norms_of(x, middle);
    }
    if (count > 1) {
        x = impulse;
        for (std::size_t s = count; s-- > 0;) {
            x = filtered(stages[s], x, Way::as_is);
            after[s] = norms_of(x, middle);
        }
    }

    struct Total {
        double most = 0.0, squares = 0.0;
    };
    std::array<Total, 3> totals;
    double peak = 1.0;
    double underflow = 0.0;
    for (std::size_t s = 0; s < count; ++s) {
        const LineStage &stage = stages[s];
        // Indices are stepped, anchored, twice.
        std::array<Share, 3> own;
        double lost = 2.0 + static_cast<double>(stage.taps.size());
        // Each addition rounds the sum of all before it.
        double sum = std::abs(stage.direct);
        double sums = 0.0;
        peak = std::max(
            {peak, before[s].sum, before[s + 1].sum, std::abs(stage.direct) * before[s].sum});
        for (const auto *sections : {&stage.causal, &stage.anticausal})
            for (const Section &section : *sections) {
                const Shares shares = shares_of(section, simulated);
                peak = std::max(peak, shares.peak * before[s].sum);
                lost += shares.underflow;
                sum += shares.result;
                sums += shares.additions * sum;
                own[0].most += shares.stepped.most;
                own[0].squares += shares.stepped.squares;
                own[1].most += shares.anchored.most;
                own[1].squares += shares.anchored.squares;
            }
        own[0].most += sums;
        own[1].most += sums;
        underflow += smallest * lost * after[s + 1].sum;
        own[2] = {unit_twice * own[0].most, unit_twice * unit_twice * own[0].squares};
        double taps = 0.0;
        for (const double tap : stage.taps)
            taps += std::abs(tap);
        const double tap_roundings = static_cast<double>(stage.taps.size()) + 1.0;
        const double expected_after =
            std::min(after[s + 1].sum, crest * after[s + 1].root_of_squares);
        for (std::size_t form = 0; form < totals.size(); ++form) {
            const double scale = form == 2 ? unit_twice : 1.0;
            const double plain = scale * (2.0 * std::abs(stage.direct) + tap_roundings * taps);
            totals[form].most +=
                ((own[form].most + plain) * before[s].sum + before[s + 1].sum) * after[s + 1].sum;
            const double expected = ((std::sqrt(own[form].squares) + scale * taps) * before[s].sum +
                                     before[s + 1].sum) *
                                    expected_after;
            totals[form].squares += expected * expected;
        }
    }
    const double gain = before[count].sum;
    const auto rounding = [&](const Total &total) {
        const double over = std::max(gain, 1e-300);
        Rounding result{unit * total.most / over, unit * std::sqrt(total.squares) / over, gain,
                        peak, underflow};
        if (!std::isfinite(result.bound))
            result.bound = result.expected = INFINITY;
        return result;
    };
    return {rounding(totals[0]), rounding(totals[1]), rounding(totals[2])};
}

} // namespace gz
