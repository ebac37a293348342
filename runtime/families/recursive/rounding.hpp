// The effect of rounding on the results of stages: a bound, and the expected error.
#pragma once

#include <cstdint>
#include <vector>

#include "core/line_stage.hpp"

namespace gz {

// How kernels keep states: see Precision.
enum class StateForm {
    stepped,  // f32, from sample to sample along the whole line
    anchored, // f32, made anew every 16 samples from sums over 16, 256, 4096, ... samples
    twice     // pairs of f32, or double, which is better
};

// Errors over the largest input times the sum of the response's magnitudes, `gain`, which is the
// largest result that there can be.
struct Rounding {
    double bound = 0.0;    // never exceeded
    double expected = 0.0; // roundings are unlike one another, so that their squares add up
    double gain = 1.0;
    // The largest intermediate number, over the largest input.
    double peak = 1.0;
    // The largest error from numbers too small for f32: an absolute error.
    double underflow = 0.0;
};

// Rounding in every form of states.
struct Roundings {
    Rounding stepped, anchored, twice;

    const Rounding &operator[](StateForm form) const {
        return form == StateForm::stepped    ? stepped
               : form == StateForm::anchored ? anchored
                                             : twice;
    }
};
// radius: the largest modulus of a pole.
Roundings roundings_of(const std::vector<LineStage> &stages, double radius);

} // namespace gz
