#include "families/box/lowering.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/error.hpp"
#include "families/box/lowering_at_once.hpp"
#include "plan/lowering.hpp"

namespace gz {

std::optional<Correlate> as_taps(const Box &box, const PlanDesc &desc) {
    constexpr std::int64_t largest_radius = 7;
    const Axes size = box.size();
    if (std::max(box.radius[0], box.radius[1]) > largest_radius)
        return std::nullopt;
    Correlate mean = taps_of(box, 1);
    const PixelTypeFacts &src = facts_of(desc.source.type);
    const double largest = std::max({-src.lowest, src.highest, std::abs(desc.border.value)});
    const bool is_integer = src.is_integer && facts_of(desc.target.type).is_integer;
    // A mean that is an integer must not become the one below it.
    if (is_integer && desc.store == Store::truncate)
        return std::nullopt;
    if (is_integer && error_bound(mean, largest) >= 0.5 / static_cast<double>(size[0] * size[1]))
        return std::nullopt;
    return mean;
}

namespace {

// Kernels use 32-bit positions, up to a box or two beyond the image.
void check_box_length(const Box &box, const PlanDesc &desc, std::size_t axis) {
    const std::int64_t size = box.size()[axis];
    if (desc.source.extent[axis] + 2 * size > std::numeric_limits<std::int32_t>::max())
        fail(Status::unsupported, "the image has ", desc.source.extent[axis], " pixels along ",
             axis_name[axis], ", too many for boxes of ", size);
}

Step mean_step(const Box &box, const PlanDesc &desc, Subtraction difference) {
    Step step(desc, [box, difference](const PlanDesc &part) -> Pass {
        BoxPass pass = lower_box(box, part);
        pass.difference = difference;
        return pass;
    });
    for (std::size_t axis = 0; axis < 2; ++axis)
        step.reach[axis] = {box.radius[axis], box.radius[axis]};
    return step;
}

std::int64_t least_radius(const Box &box) {
    return std::min(box.radius[0], box.radius[1]);
}

constexpr std::int64_t many_taps = 4; // least radius

// Whether sums may be faster: other boxes need not ask.
bool may_be_sums_of_bytes(const Box &box, const PlanDesc &desc) {
    return desc.source.type == PixelType::u8 &&
           least_radius(box) >= (desc.target.type == PixelType::u8 ? 1 : many_taps);
}

// Whether sums of bytes are faster than as many taps. Measured with AVX2 and AVX-512: running sums take 0.5 to 0.95 of the time
// from radius 4 on, and those of 16 bits (box_bytes) 0.36 to 0.86 of radius 1 and 2. On an H200 they take 0.5 to 0.97 of it in
// images of 2048x2048 to 16384x16384 with one and three channels, whose rows start at whole words, but taps of radius 5 take
// 0.96 of the time of sums in 2048x2048.
bool sums_are_faster(const Box &box, const PlanDesc &desc, const DeviceFacts &facts) {
    const bool has_many = least_radius(box) >= many_taps;
    if (facts.device_class == DeviceClass::nvidia_gpu) {
        constexpr int bytes_of_word = 4;
        const std::int64_t least_values = std::int64_t{1} << (box.radius[0] == 5 ? 23 : 22);
        return has_many && desc.target.type == PixelType::u8 &&
               desc.pixels() * desc.source.channels >= least_values &&
               lower_box(box, desc).alignment >= bytes_of_word;
    }
    return habit_of(facts) == GroupHabit::strips &&
           (has_many || sum_of(lower_box(box, desc)) == BoxSum::i32);
}

// Returns means along x and y: as a box, or as taps with the same result where taps are faster.
Link mean_link(const Box &box, const PlanDesc &desc) {
    Step mean = mean_step(box, desc, Subtraction::none);
    const std::optional<Correlate> taps = as_taps(box, desc);
    if (!taps)
        return mean;
    Step as_taps(desc,
                 [taps](const PlanDesc &part) -> Pass { return lower_correlation(*taps, part); });
    as_taps.reach = mean.reach;
    std::string problem = mean.pass.problem();
    Chain taps_chain{"", {std::move(as_taps)}};
    if (may_be_sums_of_bytes(box, desc))
        taps_chain.suits = [box, desc](const DeviceFacts &facts) {
            return !sums_are_faster(box, desc, facts);
        };
    return Link({std::move(taps_chain), {"", {std::move(mean)}}}, std::move(problem));
}

Step mean_step_along(const Box &box, std::size_t axis, const PlanDesc &desc) {
    check_box_length(box, desc, axis);
    Step step(desc, [box, axis](const PlanDesc &part) -> Pass {
        return BoxPass{lower_images_along(axis, part, box.size()[axis], box.radius[axis])};
    });
    step.reach[axis] = {box.radius[axis], box.radius[axis]};
    return step;
}

// The border is applied to the results of each iteration anew.
Graph lower_in_turn(const Box &box, const PlanDesc &desc) {
    std::vector<std::vector<std::size_t>> axes;
    for (int i = 0; i < box.iterations; ++i) {
        if (box.radius[0] > 0 || box.radius[1] > 0 || !box.is_volume())
            axes.push_back({0, 1});
        for (const std::size_t axis : {std::size_t{2}, std::size_t{3}})
            if (box.radius[axis] > 0)
                axes.push_back({axis});
    }
    return lower_along(axes, desc, [&](std::size_t i, const PlanDesc &step) -> Link {
        return axes[i].size() == 2 ? mean_link(box, step)
                                   : Link(mean_step_along(box, axes[i].front(), step));
    });
}

} // namespace

BoxPass lower_box(const Box &box, const PlanDesc &desc) {
    const Axes size = box.size();
    for (std::size_t i = 0; i < 2; ++i)
        check_box_length(box, desc, i);
    return {lower_images(desc, {size[0], size[1], box.radius[0], box.radius[1]})};
}

Graph lower(const Box &box, const PlanDesc &desc) {
    Graph in_turn = lower_in_turn(box, desc);
    std::optional<Graph> at_once = lower_at_once(box, desc);
    if (!at_once)
        return in_turn;
    return either(
        all_at_once, std::move(*at_once), step_by_step, std::move(in_turn),
        [box, desc](const DeviceFacts &facts) { return is_faster_at_once(box, desc, facts); });
}

namespace {

struct Boxes {
    const Box &smaller, &larger;
    Subtraction subtraction; // of the larger one's results
};

Graph lower_difference_in_turn(const Boxes &boxes, const PlanDesc &desc) {
    // `step` lowers the smaller box to the image that the last iteration of the larger one reads: laid out as
    // the results of the iterations before it.
    PlanDesc step = desc;
    ImageDesc like = desc.source;
    like.type = PixelType::f32;
    Region &region = step.region;
    Axes extent = region.extent;
    region.target_origin = {0, 0, 0, 0};
    if (region.edge == RegionEdge::neighbours)
        for (std::size_t axis = 0; axis < 2; ++axis) {
            extent[axis] = desc.source.extent[axis];
            region.target_origin[axis] = region.source_origin[axis];
        }
    step.target = between_image(desc, like, extent);

    Graph graph;
    graph.between.push_back(step.target);
    const ImageRef other = image_between(0);
    append(graph, lower(boxes.smaller, step), other);
    Graph last = lower_in_turn(boxes.larger, desc);
    const Link &end = last.links.back();
    const Step &mean = end.step ? *end.step : *only_step(end.alternatives.back());
    Step difference = mean_step(boxes.larger, mean.images, boxes.subtraction);
    difference.inputs = mean.inputs;
    last.links.back() = std::move(difference);
    append(graph, std::move(last), target_image());
    graph.links.back().step->inputs.push_back(other);
    return graph;
}

// An f32 image with the target's places, in values.
ImageDesc like_target(const ImageDesc &target) {
    const auto scaled = [&](std::int64_t bytes) {
        return bytes / static_cast<std::int64_t>(size_of(target.type)) *
               static_cast<std::int64_t>(size_of(PixelType::f32));
    };
    ImageDesc result = target;
    result.type = PixelType::f32;
    for (std::int64_t &pitch : result.pitch)
        pitch = scaled(pitch);
    result.offset = scaled(target.offset);
    result.plane_pitch = scaled(target.plane_pitch);
    return result;
}

// Both boxes at once, where they can be, and where the region is a good part of the target: the image between has the
// target's places.
std::optional<Graph> lower_difference_at_once(const Boxes &boxes, const PlanDesc &desc) {
    PlanDesc to_other = desc;
    to_other.target = like_target(desc.target);
    const std::int64_t bytes =
        desc.pixels() * desc.source.channels * static_cast<std::int64_t>(sizeof(float));
    constexpr std::int64_t most_share = 8;
    if (to_other.target.bytes() > most_share * bytes)
        return std::nullopt;
    std::optional<Graph> smaller = lower_at_once(boxes.smaller, to_other);
    std::optional<Graph> larger = lower_at_once(boxes.larger, desc, boxes.subtraction);
    if (!smaller || !larger)
        return std::nullopt;
    Graph graph;
    graph.between.push_back(to_other.target);
    const ImageRef other = image_between(0);
    append(graph, std::move(*smaller), other);
    append(graph, std::move(*larger), target_image());
    for_each_step(graph.links, [&](Step &step) {
        if (subtracts(step.pass))
            step.inputs.push_back(other);
    });
    return graph;
}

} // namespace

std::optional<Graph> lower_difference(const Box &first, const Box &second, const PlanDesc &desc) {
    if (first.is_volume() || second.is_volume())
        return std::nullopt;
    const bool first_is_larger = first.radius[0] > second.radius[0];
    const Boxes boxes{first_is_larger ? second : first, first_is_larger ? first : second,
                      first_is_larger ? Subtraction::result_less_other
                                      : Subtraction::other_less_result};
    if (boxes.larger.iterations < 2)
        return std::nullopt;
    Graph in_turn = lower_difference_in_turn(boxes, desc);
    std::optional<Graph> at_once = lower_difference_at_once(boxes, desc);
    if (!at_once)
        return in_turn;
    return either(all_at_once, std::move(*at_once), step_by_step, std::move(in_turn),
                  [larger = boxes.larger, desc](const DeviceFacts &facts) {
                      return is_faster_at_once(larger, desc, facts) &&
                             streams_at_once(larger, desc, facts);
                  });
}

} // namespace gz
