// Recursive filters of a line as kernels run them: sums of second-order sections, stage by stage.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gz {

// Two poles, or one, of one direction. With the state (w, v), both 0 at first, a sample x takes
//     v <- decay v + (x - rest w);   w <- w + v
// which is w[n] = a1 w[n-1] + a2 w[n-2] + x for rest = 1 - a1 - a2 and decay = -a2, and v the
// difference of two w: small numbers stay exact where poles are close to 1. It adds
// w_weight w + v_weight v to the result: causal sections after the sample, anticausal ones before.
struct Section {
    double rest = 1.0, decay = 0.0;
    double w_weight = 0.0, v_weight = 0.0;

    bool is_first_order() const { return decay == 0.0 && v_weight == 0.0; }
};

// Takes a sample: state is (w, v).
inline void step(const Section &section, std::array<double, 2> &state, double x) {
    state[1] = section.decay * state[1] + (x - section.rest * state[0]);
    state[0] += state[1];
}

// (w, v) after `count` samples that are 0, for (w, v) = (1, 0) and (0, 1), less the same: m[i][j]
// is what j adds to i.
struct Transition {
    std::array<std::array<double, 2>, 2> less_identity;
};
Transition transition(const Section &section, std::int64_t count);

// The state that a sample of 1 leaves `age` samples later, for ages 0 to count - 1.
std::vector<std::array<double, 2>> responses(const Section &section, std::int64_t count);

// Initial states that are linear in the line: constant + sum over i of near[i] x[i] + sum over i of
// far[i] x[n - 1 - i].
struct EndWeights {
    double constant = 0.0;
    std::vector<double> near, far;
};

// y = direct x + the causal sections, from the line's first sample on, + the anticausal ones, from
// its last.
struct LineStage {
    double direct = 0.0;
    std::vector<Section> causal, anticausal;
    // How causal states start, w and v of each section, and then the anticausal ones; none where
    // they start from 0.
    std::vector<EndWeights> ends;
    // Of which line: the one that this stage reads, or the one that the first stage does.
    enum class Of { own, first } ends_of = Of::first;

    std::size_t states() const { return 2 * (causal.size() + anticausal.size()); }
};

} // namespace gz
