#include "families/morphology/lowering.hpp"

#include <memory>
#include <utility>

#include "families/rank/lowering.hpp"
#include "plan/lowering.hpp"

namespace gz {

namespace {

using SharedFilter = std::shared_ptr<const Morphology>;

Graph lower_step(const SharedFilter &filter, MorphologyStep step, const PlanDesc &desc) {
    const RankFilter flat = flat_step(*filter, step);
    if (filter->is_flat())
        return lower(flat, desc);
    check_length(flat.window, desc);
    Step weighted(desc, [filter, step](const PlanDesc &part) -> Pass {
        return lower_weighted(*filter, step, part);
    });
    weighted.reach = flat.window.reach();
    return {{}, {std::move(weighted)}};
}

// The axes along which a window reads other pixels than the result's own.
std::vector<std::size_t> axes_of(const Window &window) {
    const AxesReach reach = window.reach();
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < 4; ++axis)
        if (!reach[axis].is_own_pixel())
            axes.push_back(axis);
    return axes;
}

// Whether the steps are an opening or a closing by a box with its anchor in the middle, along x and y.
bool is_opening_of_box(const Morphology &filter, const std::vector<MorphologyStep> &steps) {
    const Window &window = filter.window;
    const auto has_middle = [&](std::size_t axis) {
        return window.size[axis] == 2 * window.anchor[axis] + 1;
    };
    return steps.size() == 2 && steps[0] != steps[1] && filter.is_flat() && window.is_box() &&
           axes_of(window) == std::vector<std::size_t>{0, 1} && has_middle(0) && has_middle(1);
}

Step lower_opening(const Window &window, bool is_closing, const PlanDesc &desc) {
    const TapsExtent taps{window.size[0], window.size[1], window.anchor[0], window.anchor[1]};
    Step step(desc, [taps, is_closing](const PlanDesc &part) -> Pass {
        return OpeningPass{lower_images(part, taps), is_closing};
    });
    for (std::size_t axis = 0; axis < 2; ++axis) {
        step.reach[axis].before = 2 * window.anchor[axis];
        step.reach[axis].after = 2 * window.anchor[axis];
    }
    return step;
}

Graph lower_sequence(const SharedFilter &filter, const std::vector<MorphologyStep> &steps,
                     const PlanDesc &desc) {
    const std::vector<std::vector<std::size_t>> axes(steps.size(), axes_of(filter->window));
    Graph graph = lower_in_turn(
        axes, desc,
        [&](std::size_t i, const PlanDesc &images) { return lower_step(filter, steps[i], images); },
        desc.source.type);
    if (!is_opening_of_box(*filter, steps))
        return graph;
    const bool is_closing = steps[0] == MorphologyStep::dilation;
    return with_steps_at_once(std::move(graph), step_by_step,
                              lower_opening(filter->window, is_closing, desc));
}

} // namespace

WeightedPass lower_weighted(const Morphology &filter, MorphologyStep step, const PlanDesc &desc) {
    Extreme extreme = extreme_of(filter, step);
    return {lower_window(extreme.window, desc), std::move(extreme.weights),
            step == MorphologyStep::dilation};
}

Graph lower(const Morphology &given, const PlanDesc &desc) {
    const auto filter = std::make_shared<const Morphology>(given);
    const MorphologyParts parts = parts_of(*filter);
    if (parts.combination == Combination::none)
        return lower_sequence(filter, parts.sequences.front(), desc);

    const bool reads_source = parts.combination != Combination::first_less_second;
    const PlanDesc part =
        reads_source ? beside_source(desc) : between_images(desc, desc.source.type);
    PlanDesc last = desc;
    last.region.edge = RegionEdge::isolated;
    std::vector<ImageRef> inputs;
    if (reads_source) {
        inputs.push_back(source_image());
    } else {
        last.source = part.target;
        last.region.source_origin = {0, 0, 0, 0};
    }
    Graph graph;
    for (const std::vector<MorphologyStep> &steps : parts.sequences) {
        inputs.push_back(image_between(graph.between.size()));
        graph.between.push_back(part.target);
        append(graph, lower_sequence(filter, steps, part), inputs.back());
    }
    Step combine(last, [combination = parts.combination](const PlanDesc &images) -> Pass {
        return CombinePass{lower_images(images, {1, 1, 0, 0}), combination};
    });
    combine.inputs = std::move(inputs);
    combine.combines = true;
    graph.links.push_back(std::move(combine));
    return graph;
}

} // namespace gz
