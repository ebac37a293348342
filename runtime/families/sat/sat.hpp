// Summed-area tables: inclusive sums of all pixels above and to the left.
#pragma once

#include "families/description.hpp"

namespace gz {

struct Sat {};

std::string to_text(const Sat &filter);
void check_border(const Sat &filter, const Border &border);
double error_bound(const Sat &filter, double largest);
double rounding_bound(const Sat &filter, double largest);
AxesReach reach_of(const Sat &filter);
bool rounds_once(const Sat &filter, const Rounded &images);
Results results_of(const Sat &filter);
void compute(const Sat &filter, const ReferenceJob &job, ModesAs modes,
             const RowSink<double> &sink);

// Returns the bound of Filter::error_bound for the entry of a summed-area table that sums x + 1 columns of y
// + 1 pixels whose magnitudes add up to `magnitudes`. Kernels add one box of pixels to the next, beside it or
// below it, and subtract none again: no pixel is in more than x + y sums that round.
double sat_error_bound(std::int64_t x, std::int64_t y, double magnitudes);

// Computes every row of a summed-area table as compute() does, and of the table of the pixels' magnitudes.
using SumSink = std::function<void(const RowPlace &, const double *sums, const double *magnitudes)>;
void compute_sums(const ReferenceJob &job, const SumSink &sink);

} // namespace gz
