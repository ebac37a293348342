#include "plan/lowering.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"

namespace gz {

namespace {

// Largest power of two up to 16 that divides the value.
int alignment_of(std::int64_t value) {
    int alignment = 16;
    while (value % alignment != 0)
        alignment /= 2;
    return alignment;
}

} // namespace

Strides::Strides(const ImageDesc &desc, const Axes &origin) {
    const auto size = static_cast<std::int64_t>(size_of(desc.type));
    first = desc.byte_of(origin, 0) / size;
    row = desc.pitch[1] / size;
    slice = desc.pitch[2] / size;
    volume = desc.pitch[3] / size;
    plane = desc.plane_pitch / size;
}

int Strides::alignment(const Axes &extent, std::int64_t planes) const {
    int result = alignment_of(first);
    const std::int64_t strides[] = {row, slice, volume, plane};
    const std::int64_t counts[] = {extent[1], extent[2], extent[3], planes};
    for (std::size_t i = 0; i < 4; ++i)
        if (counts[i] > 1)
            result = std::min(result, alignment_of(strides[i]));
    return result;
}

ImagePass lower_images(const PlanDesc &desc, const TapsExtent &taps,
                       std::initializer_list<std::size_t> read_along) {
    const Region &region = desc.region;
    const Strides src(desc.source, region.source_origin);
    const Strides dst(desc.target, region.target_origin);
    const bool isolated = region.edge == RegionEdge::isolated;

    ImagePass pass;
    pass.src_type = desc.source.type;
    pass.dst_type = desc.target.type;
    pass.store = desc.store;
    pass.channels = static_cast<int>(desc.source.channels);
    pass.planes = desc.source.planes;
    // With neighbours the filter reads rows above and below the region too.
    Axes readable = region.extent;
    if (!isolated) {
        readable[1] = desc.source.extent[1];
        for (const std::size_t axis : read_along)
            readable[axis] = desc.source.extent[axis];
    }
    pass.alignment =
        std::min(src.alignment(readable, pass.planes), dst.alignment(region.extent, pass.planes));

    Geometry &g = pass.geometry;
    g.src_first = src.first;
    g.src_row = src.row;
    g.src_slice = src.slice;
    g.src_volume = src.volume;
    g.src_plane = src.plane;
    g.dst_first = dst.first;
    g.dst_row = dst.row;
    g.dst_slice = dst.slice;
    g.dst_volume = dst.volume;
    g.dst_plane = dst.plane;
    g.width = narrow(region.extent[0] * desc.source.channels);
    g.height = narrow(region.extent[1]);
    g.slices = narrow(region.extent[2]);
    g.volumes = narrow(region.extent[3]);
    g.valid_left = isolated ? 0 : narrow(-region.source_origin[0]);
    g.valid_top = isolated ? 0 : narrow(-region.source_origin[1]);
    g.valid_right =
        narrow(isolated ? region.extent[0] : desc.source.extent[0] - region.source_origin[0]);
    g.valid_bottom =
        narrow(isolated ? region.extent[1] : desc.source.extent[1] - region.source_origin[1]);
    g.taps_x = narrow(taps.size_x);
    g.taps_y = narrow(taps.size_y);
    g.anchor_x = narrow(taps.anchor_x);
    g.anchor_y = narrow(taps.anchor_y);
    g.border_mode = static_cast<gz_int>(desc.border.mode);
    g.border_value = static_cast<gz_float>(desc.border.value);

    const std::int64_t slices = region.extent[2] * region.extent[3];
    if (slices > max_row_values || slices * pass.planes > max_row_values)
        fail(Status::unsupported, "the image has ", slices, " slices in ", pass.planes, " planes; ",
             max_row_values, " slices in all are supported");
    return pass;
}

Valid valid_along(const PlanDesc &desc, std::size_t axis) {
    if (desc.region.edge == RegionEdge::isolated)
        return {0, narrow(desc.region.extent[axis])};
    const std::int64_t origin = desc.region.source_origin[axis];
    return {narrow(-origin), narrow(desc.source.extent[axis] - origin)};
}

ImagePass lower_images_along(std::size_t axis, const PlanDesc &desc, std::int64_t count,
                             std::int64_t anchor) {
    ImagePass pass = lower_images(desc, {1, count, 0, anchor}, {axis});
    Geometry &g = pass.geometry;
    if (axis == 2) {
        std::swap(g.height, g.slices);
        std::swap(g.src_row, g.src_slice);
        std::swap(g.dst_row, g.dst_slice);
    } else {
        std::swap(g.height, g.volumes);
        std::swap(g.src_row, g.src_volume);
        std::swap(g.dst_row, g.dst_volume);
    }
    const Valid valid = valid_along(desc, axis);
    g.valid_top = valid.first;
    g.valid_bottom = valid.end;
    if (pass.batch() > max_row_values)
        fail(Status::unsupported, "the image has ", pass.batch(), " lines of slices; ",
             max_row_values, " are supported");
    return pass;
}

Volume lower_volume(const PlanDesc &desc, const Axes &size, const Axes &anchor) {
    const Valid along_z = valid_along(desc, 2);
    const Valid along_t = valid_along(desc, 3);
    return {narrow(size[2]), narrow(size[3]), narrow(anchor[2]), narrow(anchor[3]),
            along_z.first,   along_z.end,     along_t.first,     along_t.end};
}

PlanDesc between_images(const PlanDesc &desc, PixelType type) {
    PlanDesc result = desc;
    ImageDesc like = desc.source;
    like.type = type;
    result.target = between_image(desc, like, desc.region.extent);
    result.region.target_origin = {0, 0, 0, 0};
    return result;
}

Graph lower_along(const std::vector<std::vector<std::size_t>> &axes, const PlanDesc &desc,
                  const std::function<Link(std::size_t, const PlanDesc &)> &make_link,
                  PixelType type) {
    return lower_in_turn(
        axes, desc,
        [&](std::size_t i, const PlanDesc &step) -> Graph {
            return {{}, {make_link(i, step)}};
        },
        type);
}

std::vector<std::size_t> axes_of(const AxesReach &reach) {
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < reach.size(); ++axis)
        if (axis < 2 || !reach[axis].is_own_pixel())
            axes.push_back(axis);
    return axes;
}

Graph lower_in_turn(const std::vector<std::vector<std::size_t>> &axes, const PlanDesc &desc,
                    const std::function<Graph(std::size_t, const PlanDesc &)> &make_graph,
                    PixelType type) {
    const bool isolated = desc.region.edge == RegionEdge::isolated;
    const auto is_read_after = [&](std::size_t axis, std::size_t i) {
        return std::any_of(axes.begin() + static_cast<std::ptrdiff_t>(i) + 1, axes.end(),
                           [&](const std::vector<std::size_t> &own) {
                               return std::count(own.begin(), own.end(), axis) > 0;
                           });
    };
    Graph graph;
    PlanDesc step = desc;
    ImageRef from = source_image();
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const bool last = i + 1 == axes.size();
        PlanDesc next = step;
        if (!last) {
            for (std::size_t axis = 0; axis < 4; ++axis)
                if (!isolated && is_read_after(axis, i)) {
                    step.region.source_origin[axis] = 0;
                    step.region.extent[axis] = step.source.extent[axis];
                }
            step = between_images(step, type);
            graph.between.push_back(step.target);
        }
        const ImageRef to = last ? target_image() : image_between(graph.between.size() - 1);
        append(graph, make_graph(i, step), to, from);
        from = to;
        // The next one's region starts where this one's does.
        for (std::size_t axis = 0; axis < 4; ++axis)
            next.region.source_origin[axis] -= step.region.source_origin[axis];
        next.source = step.target;
        step = next;
    }
    return graph;
}

Graph with_steps_at_once(Graph by_steps, const char *name, Step at_once) {
    std::string problem = at_once.pass.problem();
    std::vector<Chain> chains{{"", {std::move(at_once)}}, {name, std::move(by_steps.links)}};
    by_steps.links = {Link(std::move(chains), std::move(problem))};
    return by_steps;
}

Graph either(const char *first_name, Graph first, const char *second_name, Graph second,
             std::function<bool(const DeviceFacts &)> suits) {
    Graph graph;
    const auto chain_of = [&](Graph &own, const char *its_name) {
        append(graph, std::move(own), target_image());
        return Chain{its_name, std::exchange(graph.links, {})};
    };
    Chain one = chain_of(first, first_name);
    one.suits = std::move(suits);
    Chain other = chain_of(second, second_name);
    graph.links = {Link({std::move(one), std::move(other)}, "")};
    return graph;
}

PlanDesc beside_source(const PlanDesc &desc) {
    PlanDesc result = desc;
    result.target = desc.source;
    result.target.offset = 0;
    result.target.extent = desc.region.extent;
    result.region.target_origin = {0, 0, 0, 0};
    return result;
}

Graph lower_apart(std::size_t count, const PlanDesc &desc,
                  const std::function<Graph(std::size_t, const PlanDesc &)> &make_graph,
                  const std::function<Pass(const PlanDesc &)> &combine) {
    const PlanDesc part = between_images(desc);
    Graph graph;
    std::vector<ImageRef> results;
    for (std::size_t i = 0; i < count; ++i) {
        results.push_back(image_between(graph.between.size()));
        graph.between.push_back(part.target);
        append(graph, by_steps(make_graph(i, part)), results.back());
    }
    PlanDesc last = desc;
    last.source = part.target;
    last.region.source_origin = {0, 0, 0, 0};
    last.region.edge = RegionEdge::isolated;
    Step step(last, combine);
    step.inputs = std::move(results);
    step.combines = true;
    graph.links.push_back(std::move(step));
    return graph;
}

void append(Graph &to, Graph graph, const ImageRef &target, const ImageRef &source) {
    const std::size_t before = to.between.size();
    for_each_step(graph.links, [&](Step &step) {
        for (std::vector<ImageRef> *images : {&step.inputs, &step.outputs})
            for (ImageRef &image : *images)
                if (image.is_between())
                    image.number += before;
                else
                    image = image.kind == ImageRef::Kind::target ? target : source;
    });
    to.between.insert(to.between.end(), graph.between.begin(), graph.between.end());
    for (Link &link : graph.links)
        to.links.push_back(std::move(link));
}

} // namespace gz
