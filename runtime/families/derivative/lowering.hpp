// Lowers what is made of several derivatives to passes.
#pragma once

#include <optional>
#include <vector>

#include "families/derivative/derivative.hpp"
#include "plan/graph.hpp"

namespace gz {

struct Settling;
struct Settled;
Settled settle(const Derivative &filter, const Settling &on);

// Derivatives by three pixels along x and y take one reading of the image; others are stored as f32 images,
// and combined.
Graph lower(const Derivative &filter, const PlanDesc &desc);

// Filters of a bank that one reading computes: `count` of them, from `first` on, each with its own target.
struct SharedReading {
    std::size_t count;
    Step step;
};
// Returns the most of them that there can be; nothing where that is less than two.
std::optional<SharedReading> lower_shared(const std::vector<Filter> &filters, std::size_t first,
                                          const PlanDesc &desc);

} // namespace gz
