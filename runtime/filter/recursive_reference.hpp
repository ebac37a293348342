// Recursive filters and summed-area tables on the host, in double, plainly.
#pragma once

#include "filter/reference.hpp"

namespace gz {

// What modes are taken for where they stand for a response: that, or themselves.
enum class ModesAs { approximated, written };

// The job's filter has a recursion.
void compute_recursion(const ReferenceJob &job, ModesAs modes, const RowSink<double> &sink);

// The job's filter is a summed-area table. Sums of integers are exact up to 2^53, and not reduced
// to a target's range.
void compute_sat(const ReferenceJob &job, const RowSink<double> &sink);

} // namespace gz
