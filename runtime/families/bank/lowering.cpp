#include "families/bank/lowering.hpp"

#include <cstring>
#include <utility>

#include "families/correlate/volume_pass.hpp"
#include "families/derivative/lowering.hpp"
#include "families/family.hpp"
#include "plan/lowering.hpp"

namespace gz {

namespace {

// Whether two passes can be one, with the loads shared.
bool share_loads(const VolumePass &a, const VolumePass &b) {
    return a.dst_type == b.dst_type && a.alignment == b.alignment &&
           std::memcmp(&a.geometry, &b.geometry, sizeof a.geometry) == 0 &&
           std::memcmp(&a.volume, &b.volume, sizeof a.volume) == 0;
}

// Returns the dense taps of a volume where the graph is nothing else, or nullptr.
const VolumePass *only_volume(const Graph &graph) {
    return graph.links.size() == 1 && graph.links[0].step
               ? graph.links[0].step->pass.get_if<VolumePass>()
               : nullptr;
}

// The step of one more filter, with the loads of the step before.
Step with_more_taps(const Step &before, const VolumePass &more, const ImageRef &target) {
    const auto add_taps = [taps = more.taps](VolumePass pass) {
        pass.taps.insert(pass.taps.end(), taps.begin(), taps.end());
        ++pass.filters;
        return pass;
    };
    Step step(
        before.images,
        [make = before.make, add_taps](const PlanDesc &part) -> Pass {
            return add_taps(make(part).get<VolumePass>());
        },
        add_taps(before.pass.get<VolumePass>()));
    step.reach = before.reach;
    step.inputs = before.inputs;
    step.outputs = before.outputs;
    step.outputs.push_back(target);
    return step;
}

} // namespace

// Lowers the filters one after the other. Filters of volumes with dense taps of one shape, into targets of
// one layout, share a pass; so do derivatives by three pixels along x and y, and what is made of them.
Graph lower(const Bank &bank, const PlanDesc &desc) {
    Graph graph;
    for (std::size_t i = 0; i < bank.filters.size(); ++i) {
        if (std::optional<SharedReading> shared = lower_shared(bank.filters, i, desc)) {
            graph.links.emplace_back(std::move(shared->step));
            i += shared->count - 1;
            continue;
        }
        Graph own = by_steps(lower(bank.filters[i], desc.for_target(i)));
        const VolumePass *const volume = only_volume(own);
        Step *const before =
            graph.links.empty() || !graph.links.back().step ? nullptr : &*graph.links.back().step;
        const VolumePass *const shared = before ? before->pass.get_if<VolumePass>() : nullptr;
        if (volume && shared && share_loads(*shared, *volume))
            graph.links.back() = with_more_taps(*before, *volume, target_image(i));
        else
            append(graph, std::move(own), target_image(i));
    }
    return graph;
}

} // namespace gz
