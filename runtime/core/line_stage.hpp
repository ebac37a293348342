// Recursive filters of a line as kernels run them: sums of second-order sections, stage by stage.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gz {

// Two poles, or one, of one direction. With the state (w, v), both 0 at first, a sample x takes
//     v <- sign decay v + (x - sign rest w);   w <- sign w + v
// which is w[n] = a1 w[n-1] + a2 w[n-2] + x for decay = -a2 and rest = 1 - sign a1 - a2, and v the
// difference w[n] - sign w[n-1]: small numbers stay exact where poles are close to 1, or to -1 with
// the sign -1. A section of either direction adds w_weight w + v_weight v to the result of a sample
// before it takes it.
struct Section {
    double rest = 1.0, decay = 0.0;
    double w_weight = 0.0, v_weight = 0.0;
    double sign = 1.0;

    bool is_first_order() const { return decay == 0.0 && v_weight == 0.0; }
    bool operator==(const Section &) const = default;
};

// Takes a sample: state is (w, v).
inline void step(const Section &section, std::array<double, 2> &state, double x) {
    const double sign = section.sign;
    state[1] = sign * section.decay * state[1] + (x - sign * section.rest * state[0]);
    state[0] = sign * state[0] + state[1];
}

// Returns what a section adds to the result of the next sample.
inline double added(const Section &section, const std::array<double, 2> &state) {
    return section.w_weight * state[0] + section.v_weight * state[1];
}

// Returns (w, v) after `count` samples of 0, from (1, 0) and from (0, 1), less the identity: m[i][j] is
// the share of j in i.
struct Transition {
    std::array<std::array<double, 2>, 2> less_identity;
};
Transition transition(const Section &section, std::int64_t count);

// Returns the state that a sample of 1 leaves `age` samples later, for ages 0 to count - 1.
std::vector<std::array<double, 2>> responses(const Section &section, std::int64_t count);

// A start state, which is linear in the line: constant + sum over i of near[i] x[i] + sum over i of
// far[i] x[n - 1 - i].
struct StartWeights {
    double constant = 0.0;
    std::vector<double> near, far;
};

// The weights in a section's two start states where they are powers: those of samples 1, 2, ... n - 2 are `near`, what the
// section makes of it in a sample, in two, and so on, and `far` likewise for the samples counted from the line's end.
// x[0] and x[n - 1] have weights of their own.
struct StartPowers {
    std::array<double, 2> of_first{}, of_last{}, near{}, far{};
};

// The precision of a stage's states. Where rounding a state at every sample adds up to too much, f32
// suffices for kernels that compute it anew from sums every few samples; kernels that step along the
// line keep it in double, or in pairs of f32.
enum class Precision {
    single,   // f32 in every kernel
    anchored, // f32 where states are made anew from sums
    twice     // double, or pairs of f32, in every kernel
};

// Half of the rounding of a result in f32.
constexpr double half_of_rounding = 0x1p-25;

// y = direct x + the causal sections, from the line's first sample on, + the anticausal ones, from
// its last. A stage of taps has no sections: y[n] = sum over i of taps[i] x[n + first_tap + i], where
// the border extends x.
struct LineStage {
    double direct = 0.0;
    std::vector<Section> causal, anticausal;
    // How states start: w and v of each causal section, then of each anticausal one; empty where
    // they start from 0.
    std::vector<StartWeights> start_states;
    // The same of each section, where it has this form: else empty.
    std::vector<StartPowers> start_powers;
    // The line that start states are sums over: the one that this stage reads, or the first stage's.
    enum class StartLine { own, first } start_line = StartLine::first;
    Precision precision = Precision::single;
    // Kernels need not read samples so far away that they add no more than this share of the sum of the response's
    // magnitudes, for the sections of either direction. Where it is more than half of a rounding, kernels take such
    // samples for the last one that they read, and the share is of the difference from it.
    double negligible = half_of_rounding;

    std::vector<double> taps;
    std::int64_t first_tap = 0;

    std::size_t states() const { return 2 * (causal.size() + anticausal.size()); }
    bool has_taps() const { return !taps.empty(); }
};

// The most sections of one stage that kernels keep in registers.
constexpr std::size_t most_sections_of_stage = 32;

// Returns the result of a stage for a line that is 0 outside, in double and from states of 0; mirrored: as if
// the line were walked the other way.
enum class Way { as_is, mirrored };
std::vector<double> filtered(const LineStage &stage, const std::vector<double> &x, Way way);

} // namespace gz
