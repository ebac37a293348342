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

// Both filters are stored as f32 images of the region, and the second is subtracted from the first.
Graph lower_apart(const Difference &filter, const PlanDesc &desc) {
    const PlanDesc part = between_images(desc);
    Graph graph;
    std::vector<ImageRef> results;
    for (const Filter &one : filter.filters) {
        results.push_back(image_between(graph.between.size()));
        graph.between.push_back(part.target);
        append(graph, by_steps(lower(one, part)), results.back());
    }
    PlanDesc last = desc;
    last.source = part.target;
    last.region.source_origin = {0, 0, 0, 0};
    last.region.edge = RegionEdge::isolated;
    Step difference(last, [](const PlanDesc &images) -> Pass {
        return DifferencePass{lower_images(images, {1, 1, 0, 0})};
    });
    difference.inputs = results;
    difference.combines = true;
    graph.links.push_back(std::move(difference));
    return graph;
}

} // namespace

Graph lower(const Difference &filter, const PlanDesc &desc) {
    Graph apart = lower_apart(filter, desc);
    std::optional<Graph> together = lower_together(filter, desc);
    if (!together)
        return apart;
    Graph graph;
    append(graph, std::move(*together), target_image());
    Chain at_once{"", std::move(graph.links)};
    graph.links.clear();
    append(graph, std::move(apart), target_image());
    Chain each{filter_by_filter, std::move(graph.links)};
    graph.links = {Link({std::move(at_once), std::move(each)}, "")};
    return graph;
}

} // namespace gz
