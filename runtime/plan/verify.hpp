// A plan's result against the reference in double.
#pragma once

#include <array>

#include "plan/plan.hpp"

namespace gz {

struct Verification {
    double worst_error = 0.0;
    double bound = 0.0; // for a summed-area table, that of the entry whose share is largest
    std::array<std::int64_t, 6> worst_at{}; // x, y, z, t, plane, channel, in the target
    std::uint64_t pixels = 0;
    std::size_t target = 0; // the target of the worst value
};

// Distance of a stored value from the exact one: 0 where both are NaN or beyond the type's range on
// the same side.
double distance(double exact, double stored, PixelType type);

// Distance of the exact value from those that are cut off to the stored one, which is of an integer type.
double distance_from_truncated(double exact, double stored, PixelType type);

// Moves an exact mean away from zero by less than the fractions of means: one that is an integer may be a
// little less in double, and would be cut off to the integer below.
double away_from_zero(double mean);

// The same as distance() for sums: sums of integers are modulo the type's range.
double distance_of_sums(double exact, double stored, PixelType type);

// Returns what storing in the type adds to a filter's error, for results up to `largest` in magnitude.
double storing_error(PixelType type, double largest);
// The same for a plan's results. What is cut off is no error: distance_from_truncated() leaves it out.
double storing_error(const PlanDesc &desc, double largest);

// sources: all that the plan reads; targets: all that it wrote. The result is that of the target with the largest share of its bound.
Verification verify(const Plan &plan, const std::vector<HostSource> &sources,
                    const std::vector<HostSource> &targets);

} // namespace gz
