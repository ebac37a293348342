#include "plan/graph.hpp"

#include <algorithm>

namespace gz {

const Step *only_step(const Chain &chain) {
    return chain.links.size() == 1 && chain.links[0].step ? &*chain.links[0].step : nullptr;
}

namespace {

template <class Links, class Visit> void visit_all(Links &links, Visit &&visit) {
    for (auto &link : links) {
        if (link.step)
            visit(*link.step);
        for (auto &chain : link.alternatives)
            visit_all(chain.links, visit);
    }
}

} // namespace

void for_each_step(const std::vector<Link> &links, const std::function<void(const Step &)> &visit) {
    visit_all(links, visit);
}

void for_each_step(std::vector<Link> &links, const std::function<void(Step &)> &visit) {
    visit_all(links, visit);
}

bool names_chain(const std::string &variant) {
    return variant == axis_by_axis || variant == step_by_step || variant == filter_by_filter ||
           variant == all_at_once;
}

Graph by_steps(Graph graph) {
    std::vector<Link> links;
    for (Link &link : graph.links) {
        // Alternatives of one step each stay.
        const bool has_chain = std::any_of(link.alternatives.begin(), link.alternatives.end(),
                                           [](const Chain &chain) { return !only_step(chain); });
        if (!has_chain) {
            links.push_back(std::move(link));
            continue;
        }
        for (Link &own : link.alternatives.back().links)
            links.push_back(std::move(own));
    }
    graph.links = std::move(links);
    return graph;
}

Graph unaligned(Graph graph) {
    for_each_step(graph.links, [](Step &step) {
        const auto is_outside = [](const ImageRef &image) { return !image.is_between(); };
        if (std::any_of(step.inputs.begin(), step.inputs.end(), is_outside) ||
            std::any_of(step.outputs.begin(), step.outputs.end(), is_outside))
            step.pass = step.pass.unaligned();
    });
    return graph;
}

} // namespace gz
