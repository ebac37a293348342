#include "families/difference/lowering.hpp"

#include <optional>
#include <utility>

#include "families/box/lowering.hpp"
#include "families/difference/difference_pass.hpp"
#include "families/family.hpp"
#include "families/recursive/lowering.hpp"
#include "plan/lowering.hpp"

namespace gz {

namespace {

// Lowers both filters to passes that compute both, where their family has such passes.
std::optional<Graph> lower_together(const Difference &filter, const PlanDesc &desc) {
    const Filter &first = filter.first();
    const Filter &second = filter.second();
    if (first.is<Recursion>() && second.is<Recursion>())
        return lower_difference(first.get<Recursion>(), second.get<Recursion>(), desc);
    if (first.is<Box>() && second.is<Box>())
        return lower_difference(first.get<Box>(), second.get<Box>(), desc);
    return std::nullopt;
}

// Both filters' results are stored, and the second is subtracted from the first.
Graph lower_apart(const Difference &filter, const PlanDesc &desc) {
    return lower_apart(
        filter.filters.size(), desc,
        [&](std::size_t i, const PlanDesc &part) { return lower(filter.filters[i], part); },
        [](const PlanDesc &images) -> Pass {
            return DifferencePass{lower_images(images, {1, 1, 0, 0})};
        });
}

} // namespace

Graph lower(const Difference &filter, const PlanDesc &desc) {
    Graph apart = lower_apart(filter, desc);
    std::optional<Graph> together = lower_together(filter, desc);
    if (!together)
        return apart;
    return either("", std::move(*together), filter_by_filter, std::move(apart));
}

} // namespace gz
