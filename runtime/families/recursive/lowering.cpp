#include "families/recursive/lowering.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/error.hpp"
#include "families/recursive/line_filter.hpp"
#include "families/recursive/recursive.hpp"
#include "plan/lowering.hpp"

namespace gz {

namespace {

// Returns how far a pass reads where its lines are cut: samples further away do not matter to a result in
// f32. Returns nothing unless the reach is far shorter than the line, as a cut would not pay.
std::optional<Reach> cut_reach_of(const RecursivePass &pass) {
    constexpr std::int64_t longest = 1 << 24; // samples
    const std::int64_t most = std::min<std::int64_t>(pass.lines.length / 8, longest);
    // Stages come one after the other, filters side by side.
    std::int64_t samples = 0;
    std::int64_t of_second = 0;
    for (const LineStage *stage : pass.all_stages()) {
        std::int64_t &sum = pass.second && stage == &*pass.second ? of_second : samples;
        sum += static_cast<std::int64_t>(stage->taps.size()) + std::abs(stage->first_tap);
        for (const std::vector<Section> *sections : {&stage->causal, &stage->anticausal}) {
            const std::optional<int> needed = samples_to_forget(*sections, most, digits_of(*stage));
            if (!needed)
                return std::nullopt;
            sum += *needed;
        }
    }
    samples = std::max(samples, of_second);
    // The reach counts on both sides: start states at the image's ends depend on both directions.
    return samples <= most ? std::optional(Reach{samples, samples}) : std::nullopt;
}

LineStage negated(LineStage stage) {
    stage.direct = -stage.direct;
    for (std::vector<Section> *sections : {&stage.causal, &stage.anticausal})
        for (Section &section : *sections) {
            section.w_weight = -section.w_weight;
            section.v_weight = -section.v_weight;
        }
    return stage;
}

bool go_together(const RecursivePass &first, const RecursivePass &second) {
    const auto is_plain = [](const RecursivePass &pass) {
        return pass.stages.size() == 1 && !pass.stages[0].has_taps() && pass.tile == 0;
    };
    if (!is_plain(first) || !is_plain(second) || first.along_rows != second.along_rows)
        return false;
    const LineStage &one = first.stages[0];
    const LineStage &other = second.stages[0];
    return one.causal.size() == other.causal.size() &&
           one.anticausal.size() == other.anticausal.size() &&
           one.start_states.empty() == other.start_states.empty();
}

RecursivePass together(RecursivePass first, const RecursivePass &second, Shared shared) {
    first.second =
        shared == Shared::target ? negated(second.stages.front()) : second.stages.front();
    first.shared = shared;
    return first;
}

// The axes that the recursion filters.
std::vector<std::vector<std::size_t>> axes_of(const Recursion &recursion) {
    std::vector<std::vector<std::size_t>> axes;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (recursion.filters(static_cast<int>(axis)))
            axes.push_back({axis});
    return axes;
}

Step line_step(const PlanDesc &desc, std::size_t axis,
               const std::function<RecursivePass(const PlanDesc &)> &make, Pass made) {
    Step step(
        desc, [make](const PlanDesc &part) -> Pass { return make(part); }, std::move(made));
    step.reach[axis].is_whole = true;
    step.cut_reach = [make, desc] { return cut_reach_of(make(staged(desc))); };
    return step;
}

// Lowers axis by axis through f32 images; the last pass makes the region.
Graph lower_axes(const std::shared_ptr<const Recursion> &recursion, const PlanDesc &desc) {
    const auto axes = axes_of(*recursion);
    double outside = desc.border.value;
    return lower_along(axes, desc, [&](std::size_t i, PlanDesc images) -> Link {
        const std::size_t axis = axes[i].front();
        // The pixels outside the image are filtered too.
        images.border.value = outside;
        outside *= recursion->gain(static_cast<int>(axis));
        return line_step(
            images, axis,
            [recursion, axis](const PlanDesc &part) { return lower_axis(*recursion, axis, part); },
            lower_axis(*recursion, axis, images));
    });
}

// Whether states start from nothing at the near end of a line, and from sums over its last samples at the far end.
bool starts_at_far_end(const LineStage &stage) {
    return std::all_of(
        stage.start_states.begin(), stage.start_states.end(),
        [](const StartWeights &start) { return start.near.empty() && start.constant == 0.0; });
}

// Returns the stages of passes for x and y that can be one pass for both; nothing where the options ask for something
// else, or where scans start from more than the extended image and what lies before its far ends.
std::optional<std::array<LineStage, 2>> stages_at_once(const Recursion &recursion,
                                                       const std::vector<Link> &axes) {
    if (axes.size() != 2 || recursion.filters(2) || recursion.grouping.tile > 0 ||
        !recursion.grouping.trips.empty())
        return std::nullopt;
    std::array<LineStage, 2> stages;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const auto &own = axes[axis].step->pass.get<RecursivePass>().stages;
        if (own.size() != 1 || own[0].has_taps() ||
            (!recursion.extended && !starts_at_far_end(own[0])))
            return std::nullopt;
        stages[axis] = own[0];
    }
    return stages;
}

Step plane_step(const PlanDesc &desc, bool extended, const std::array<LineStage, 2> &stages,
                const std::optional<std::array<LineStage, 2>> &second) {
    RecursivePlanePass both;
    both.axes = stages;
    both.is_cut = !extended && (!stages[0].start_states.empty() || !stages[1].start_states.empty());
    both.second = second;
    both.reach = plane_reach(both);
    Step step(desc, [both, extended](PlanDesc part) -> Pass {
        if (!extended)
            part.border = {BorderMode::constant, 0.0};
        RecursivePlanePass pass = both;
        static_cast<ImagePass &>(pass) = lower_images(part, {1, 1, 0, 0});
        return pass;
    });
    step.reach[0].is_whole = step.reach[1].is_whole = true;
    return step;
}

} // namespace

RecursivePass lower_axis(const Recursion &recursion, std::size_t axis, const PlanDesc &desc) {
    const Region &region = desc.region;
    const bool isolated = region.edge == RegionEdge::isolated;
    const std::int64_t channels = desc.source.channels;
    Axes start = region.source_origin;
    std::int64_t length = region.extent[axis];
    std::int64_t begin = 0;
    if (!isolated) {
        begin = region.source_origin[axis];
        start[axis] = 0;
        length = desc.source.extent[axis];
    }
    const Strides src(desc.source, start);
    const Strides dst(desc.target, region.target_origin);

    RecursivePass pass;
    pass.src_type = desc.source.type;
    pass.dst_type = desc.target.type;
    pass.along_rows = axis == 0;
    pass.components = axis == 0 ? static_cast<int>(channels) : 1;
    pass.alignment = std::min(src.alignment(region.extent, desc.source.planes),
                              dst.alignment(region.extent, desc.source.planes));
    const auto places = [&](const Strides &strides) -> LinePlaces {
        switch (axis) {
        case 0:
            return {strides.first,
                    channels,
                    strides.row,
                    {strides.slice, strides.volume, strides.plane}};
        case 1:
            return {strides.first, strides.row, 1, {strides.slice, strides.volume, strides.plane}};
        default:
            return {strides.first, strides.slice, 1, {strides.row, strides.volume, strides.plane}};
        }
    };
    Lines &lines = pass.lines;
    lines.src = places(src);
    lines.dst = places(dst);
    const std::int64_t count = (axis == 0 ? region.extent[1] : region.extent[0]) * channels;
    if (count > max_row_values)
        fail(Status::unsupported, "the image has ", count, " lines along ", axis_name[axis], "; ",
             max_row_values, " are supported");
    lines.length = narrow(length);
    lines.lines = narrow(count);
    lines.outer[0] = narrow(region.extent[axis == 2 ? 1 : 2]);
    lines.outer[1] = narrow(region.extent[3]);
    lines.outer[2] = narrow(desc.source.planes);
    lines.begin = narrow(begin);
    lines.end = narrow(begin + region.extent[axis]);
    pass.tile = recursion.grouping.tile;
    pass.stages = line_stages(recursion, static_cast<int>(axis), desc.border, length);
    pass.taps_border = static_cast<gz_int>(desc.border.mode);
    pass.taps_outside = static_cast<float>(desc.border.value);
    return pass;
}

Graph lower(const Recursion &given, const PlanDesc &desc) {
    Bordered own = bordered(given, desc.border);
    const auto recursion = std::make_shared<const Recursion>(std::move(own.recursion));
    PlanDesc extended = desc;
    extended.border = own.border;
    Graph graph = lower_axes(recursion, extended);
    const auto stages = stages_at_once(*recursion, graph.links);
    if (!stages)
        return graph;
    return with_steps_at_once(std::move(graph), axis_by_axis,
                              plane_step(extended, recursion->extended, *stages, std::nullopt));
}

std::optional<Graph> lower_difference(const Recursion &given, const Recursion &other,
                                      const PlanDesc &desc) {
    Bordered first_own = bordered(given, desc.border);
    Bordered second_own = bordered(other, desc.border);
    PlanDesc first_desc = desc;
    PlanDesc second_desc = desc;
    first_desc.border = first_own.border;
    second_desc.border = second_own.border;
    const auto first = std::make_shared<const Recursion>(std::move(first_own.recursion));
    const auto second = std::make_shared<const Recursion>(std::move(second_own.recursion));
    Graph graph = lower_axes(first, first_desc);
    const Graph seconds = lower_axes(second, second_desc);
    if (graph.links.size() != 2 || seconds.links.size() != 2)
        return std::nullopt;
    const auto stages = stages_at_once(*first, graph.links);
    auto other_stages = stages_at_once(*second, seconds.links);
    graph.between.push_back(graph.between.front());
    constexpr Shared shared[] = {Shared::source, Shared::target};
    const auto pass_of = [](const Link &link) -> const RecursivePass & {
        return link.step->pass.get<RecursivePass>();
    };
    const std::vector<std::vector<std::size_t>> axes = axes_of(*first);
    if (axes != axes_of(*second))
        return std::nullopt;
    for (std::size_t i = 0; i < 2; ++i) {
        const RecursivePass &one_pass = pass_of(graph.links[i]);
        const RecursivePass &other_pass = pass_of(seconds.links[i]);
        if (!go_together(one_pass, other_pass))
            return std::nullopt;
        const Step &one = *graph.links[i].step;
        const double outside = seconds.links[i].step->images.border.value;
        Step both = line_step(
            one.images, axes[i].front(),
            [first, second, outside, axis = axes[i].front(), share = shared[i]](PlanDesc part) {
                RecursivePass pass = lower_axis(*first, axis, part);
                part.border.value = outside;
                return together(std::move(pass), lower_axis(*second, axis, part), share);
            },
            together(one_pass, other_pass, shared[i]));
        both.inputs = one.inputs;
        both.outputs = one.outputs;
        (i == 0 ? both.outputs : both.inputs).push_back(image_between(1));
        graph.links[i] = std::move(both);
    }
    if (!stages || !other_stages || !first->extended || !second->extended)
        return graph;
    LineStage &last = (*other_stages)[1];
    last = negated(std::move(last));
    return with_steps_at_once(std::move(graph), axis_by_axis,
                              plane_step(first_desc, true, *stages, other_stages));
}

} // namespace gz
