// Plans how scans are run: in as few stages as the accuracy of results takes. The stages are compared with
// the scans as they are written.
#pragma once

#include <memory>
#include <vector>

#include "families/recursive/factoring.hpp"
#include "families/recursive/rounding.hpp"

namespace gz {

// Scans of one axis, in both directions, on a line that is long on either side, where all of them
// commute.
struct Scans {
    std::vector<Scan> causal, anticausal;
};

// The accuracy wanted of stages.
struct Wanted {
    double bound = 0.0; // the largest error there may be, over the largest result; 0: none is given
    double expected = 3e-6; // the error to be expected, where no bound is given
    bool one_stage = false; // no more than one stage
};

struct StagePlan {
    std::vector<LineStage> stages; // without start states
    Rounding rounding;             // for the stages' form of states
    // How far the response of the stages' constants is from that of the scans, over the largest of it.
    double disagreement = 0.0;
    // How far the rounding of the scans' own coefficients to double moves their response, likewise.
    double written = 0.0;
};

// Returns a plan. Plans are kept, so that the same scans are not factored again soon. Fails where no stages
// agree with the scans, or meet the bound; null where one stage is wanted and none suffices. Thread-safe.
std::shared_ptr<const StagePlan> stage_plan(const Scans &scans, const Wanted &wanted);

// The same for modes, which are one stage as they are; expected: the error to be expected at most.
std::shared_ptr<const StagePlan> stage_plan(const Modes &modes, double expected);

// The largest disagreement that is allowed.
constexpr double most_disagreement = 1e-9;

// Returns scans of one direction as a sum of sections, whatever their rounding; null where the sum does not
// agree with them.
std::shared_ptr<const LineStage> exact_stage(const std::vector<Scan> &scans);

bool meets(const Rounding &rounding, const Wanted &wanted);

} // namespace gz
