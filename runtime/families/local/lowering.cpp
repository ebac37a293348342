#include "families/local/lowering.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "families/box/lowering.hpp"
#include "families/correlate/correlate.hpp"
#include "families/correlate/lowering.hpp"
#include "families/family.hpp"
#include "families/local/local_pass.hpp"
#include "plan/lowering.hpp"

namespace gz {

namespace {

// The mean of the squares: these are stored as an f32 image of all pixels that the mean reads.
Graph lower_squares(const Filter &mean, const PlanDesc &desc) {
    return lower_in_turn(
        {{}, axes_of(mean.reach())}, desc,
        [&](std::size_t i, PlanDesc images) -> Graph {
            if (i == 0) {
                Step squares(images, [](const PlanDesc &part) -> Pass {
                    return SquarePass{lower_images(part, {1, 1, 0, 0})};
                });
                squares.combines = true; // what is forced is a kernel of means
                return {{}, {std::move(squares)}};
            }
            images.border.value *= images.border.value;
            return lower(mean, images);
        },
        PixelType::f32);
}

// The pixels themselves. What is forced is a kernel of means.
Graph lower_identity(const PlanDesc &desc) {
    AxisTaps taps;
    taps.values[0] = {1.0};
    Graph graph = lower(Filter::separable(taps), desc);
    for_each_step(graph.links, [](Step &step) { step.combines = true; });
    return graph;
}

// Everything but the images.
LocalPass pass_of(const Local &filter) {
    LocalPass pass;
    pass.result = filter.result;
    pass.has_squares = filter.has_squares();
    pass.numbers = {static_cast<float>(filter.amount), static_cast<float>(filter.threshold),
                    static_cast<float>(filter.epsilon)};
    return pass;
}

// Returns the mean as taps along x and y, of which one pass makes all, where it has the same result by few of
// them.
std::optional<Correlate> few_taps(const Filter &mean, const PlanDesc &desc) {
    constexpr std::int64_t most = 31;
    const Box *const box = mean.get_if<Box>();
    const Correlate *const given = mean.get_if<Correlate>();
    std::optional<Correlate> taps;
    if (given)
        taps = *given;
    else if (box && box->iterations == 1 && box->radius[2] == 0 && box->radius[3] == 0)
        taps = as_taps(*box, between_images(desc));
    if (!taps || !taps->factors() || taps->correlation.is_volume() || !taps->components.empty() ||
        std::max(taps->taps().size[0], taps->taps().size[1]) > most)
        return std::nullopt;
    return taps;
}

Step lower_fused(const Local &filter, const Correlate &mean, const PlanDesc &desc) {
    Step step(desc, [filter, mean](const PlanDesc &part) -> Pass {
        FusedLocalPass pass;
        static_cast<LocalPass &>(pass) = pass_of(filter);
        pass.mean = lower_correlation(mean, part);
        static_cast<ImagePass &>(pass) = pass.mean;
        return pass;
    });
    step.reach = filter.mean().reach();
    return step;
}

Graph lower_by_steps(const Local &filter, const PlanDesc &desc);

} // namespace

Settled settle(const Local &filter, const Settling &on) {
    Local settled = filter;
    Settled mean = settle(filter.mean(), on);
    settled.means = {std::move(mean.filter)};
    return {std::move(settled), mean.reasons};
}

Graph lower(const Local &filter, const PlanDesc &desc) {
    Graph steps = lower_by_steps(filter, desc);
    const std::optional<Correlate> taps = few_taps(filter.mean(), desc);
    return taps ? with_steps_at_once(std::move(steps), step_by_step,
                                     lower_fused(filter, *taps, desc))
                : steps;
}

namespace {

Graph lower_by_steps(const Local &filter, const PlanDesc &desc) {
    const bool reads_source = desc.source.type == PixelType::f32;
    const PlanDesc part = reads_source ? beside_source(desc) : between_images(desc);
    PlanDesc last = desc;
    last.region.edge = RegionEdge::isolated;
    if (!reads_source) {
        last.source = part.target;
        last.region.source_origin = {0, 0, 0, 0};
    }
    Graph graph;
    std::vector<ImageRef> inputs;
    const auto store = [&](Graph own) {
        inputs.push_back(image_between(graph.between.size()));
        graph.between.push_back(part.target);
        append(graph, by_steps(std::move(own)), inputs.back());
    };
    if (reads_source)
        inputs.push_back(source_image());
    else
        store(lower_identity(part));
    store(lower(filter.mean(), part));
    if (filter.has_squares())
        store(lower_squares(filter.mean(), part));
    Step step(last, [filter](const PlanDesc &images) -> Pass {
        LocalPass pass = pass_of(filter);
        static_cast<ImagePass &>(pass) = lower_images(images, {1, 1, 0, 0});
        return pass;
    });
    step.inputs = std::move(inputs);
    step.combines = true;
    graph.links.push_back(std::move(step));
    return graph;
}

} // namespace

} // namespace gz
