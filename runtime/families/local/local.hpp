// A pixel and the mean of those around it: unsharp masking, high pass, local variance, deviation and
// normalization.
#pragma once

#include <vector>

#include "families/description.hpp"

namespace gz {

enum class LocalResult : gauze_local_result {
    unsharp = GAUZE_LOCAL_UNSHARP,
    high_pass = GAUZE_LOCAL_HIGH_PASS,
    variance = GAUZE_LOCAL_VARIANCE,
    deviation = GAUZE_LOCAL_DEVIATION,
    normalized = GAUZE_LOCAL_NORMALIZED
};

struct Local {
    LocalResult result = LocalResult::unsharp; // see gauze_local in gauze.h
    std::vector<Filter> means;                 // one, a Gaussian or a box
    double amount = 0.0, threshold = 0.0, epsilon = 0.0;

    const Filter &mean() const;
    bool has_squares() const; // whether the mean of the squares counts
};

// Refuses numbers out of range.
Local checked(Local local);

std::string to_text(const Local &filter);
void check_border(const Local &filter, const Border &border);
double error_bound(const Local &filter, double largest);
double rounding_bound(const Local &filter, double largest);
AxesReach reach_of(const Local &filter);
bool rounds_once(const Local &filter, const Rounded &images);
Results results_of(const Local &filter);
// A difference between a pixel and the mean is over the threshold where it is in f32.
void compute(const Local &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink);

} // namespace gz
