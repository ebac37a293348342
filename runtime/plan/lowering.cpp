#include "plan/lowering.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "core/error.hpp"
#include "filter/line_filter.hpp"
#include "filter/recursive.hpp"

namespace gz {

namespace {

constexpr std::int64_t staged_row_alignment =
    128; // bytes: a memory transaction of the largest kind

constexpr const char *axis_name[] = {"x", "y", "z", "t"};

void check_type(PixelType type, const char *what) {
    switch (type) {
    case PixelType::u8:
    case PixelType::u16:
    case PixelType::s16:
    case PixelType::f16:
    case PixelType::f32:
        return;
    default:
        fail(Status::unsupported, "the ", what, " has pixel type ", name_of(type),
             "; u8, u16, s16, f16 and f32 are supported");
    }
}

// Sums of integers are exact, modulo 2^32 where they are not asked for in 64 bits.
void check_sum_type(PixelType source, PixelType target) {
    const auto check = [&](std::initializer_list<PixelType> types, const char *names) {
        if (std::find(types.begin(), types.end(), target) == types.end())
            fail(Status::unsupported, "the target has pixel type ", name_of(target), "; sums of ",
                 name_of(source), " can be ", names);
    };
    if (source == PixelType::s16)
        check({PixelType::s32, PixelType::f32}, "s32 and f32");
    else if (facts_of(source).is_integer)
        check({PixelType::u32, PixelType::u64, PixelType::f32}, "u32, u64 and f32");
    else
        check({PixelType::f32}, "f32");
}

// Largest power of two up to 16 that divides the value.
int alignment_of(std::int64_t value) {
    int alignment = 16;
    while (value % alignment != 0)
        alignment /= 2;
    return alignment;
}

// Steps through one image in values, from the first pixel of its region.
struct Steps {
    std::int64_t first, row, slice, volume, plane;

    Steps(const ImageDesc &desc, const Axes &origin) {
        const auto size = static_cast<std::int64_t>(size_of(desc.type));
        first = desc.byte_of(origin, 0) / size;
        row = desc.pitch[1] / size;
        slice = desc.pitch[2] / size;
        volume = desc.pitch[3] / size;
        plane = desc.plane_pitch / size;
    }

    // Steps that are never taken do not count.
    int alignment(const Axes &extent, std::int64_t planes) const {
        int result = alignment_of(first);
        const std::int64_t steps[] = {row, slice, volume, plane};
        const std::int64_t counts[] = {extent[1], extent[2], extent[3], planes};
        for (std::size_t i = 0; i < 4; ++i)
            if (counts[i] > 1)
                result = std::min(result, alignment_of(steps[i]));
        return result;
    }
};

} // namespace

Results results_of(const Filter &filter) {
    return filter.is_sat() ? Results::sums : Results::pixels;
}

PlanDesc complete(PlanDesc desc, Results results) {
    check_type(desc.source.type, "source");
    if (results == Results::sums)
        check_sum_type(desc.source.type, desc.target.type);
    else
        check_type(desc.target.type, "target");
    desc.source = complete(desc.source, "source");
    desc.target = complete(desc.target, "target");
    require(desc.source.channels == desc.target.channels, "the source has ", desc.source.channels,
            " channels and the target ", desc.target.channels);
    require(desc.source.planes == desc.target.planes, "the source has ", desc.source.planes,
            " planes and the target ", desc.target.planes);
    require(std::abs(desc.border.value) <= facts_of(PixelType::f32).highest,
            "the border's constant is ", desc.border.value, "; it must be finite in f32");
    desc.region = complete(desc.region, desc.source, desc.target);
    return desc;
}

namespace {

gz_int narrow(std::int64_t value) {
    return static_cast<gz_int>(value);
}

// Taps along x and y, and which of them lies on the pixel.
struct Extent2d {
    std::int64_t size_x, size_y, anchor_x, anchor_y;
};

ImagePass lower_images(const PlanDesc &desc, const Extent2d &taps) {
    const Region &region = desc.region;
    const Steps src(desc.source, region.source_origin);
    const Steps dst(desc.target, region.target_origin);
    const bool isolated = region.edge == RegionEdge::isolated;

    ImagePass pass;
    pass.src_type = desc.source.type;
    pass.dst_type = desc.target.type;
    pass.channels = static_cast<int>(desc.source.channels);
    pass.planes = desc.source.planes;
    // With neighbours the filter reads rows above and below the region too.
    Axes readable = region.extent;
    if (!isolated)
        readable[1] = desc.source.extent[1];
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

TapSet tap_set(const Correlation &correlation) {
    const Taps &taps = correlation.taps;
    TapSet set{narrow(taps.size[0]),
               narrow(taps.size[1]),
               narrow(taps.anchor[0]),
               narrow(taps.anchor[1]),
               correlation.factors.has_value(),
               {}};
    const auto append = [&](const std::vector<double> &values) {
        set.taps.insert(set.taps.end(), values.begin(), values.end());
    };
    if (set.separable) {
        append(correlation.factors->x);
        append(correlation.factors->y);
    } else {
        append(taps.values);
    }
    return set;
}

// An f32 image to hold all of a region's source pixels, filtered.
ImageDesc intermediate(const PlanDesc &desc) {
    ImageDesc like = desc.source;
    like.type = PixelType::f32;
    const bool isolated = desc.region.edge == RegionEdge::isolated;
    return packed(like, isolated ? desc.region.extent : desc.source.extent, staged_row_alignment);
}

// One of several filters, one after the other, that go from the source by way of such images to the
// target: all but the last make all that the region may read.
PlanDesc part(const PlanDesc &desc, const ImageDesc &between, bool first, bool last) {
    const bool isolated = desc.region.edge == RegionEdge::isolated;
    PlanDesc step = desc;
    if (!first) {
        step.source = between;
        if (isolated)
            step.region.source_origin = {0, 0, 0, 0};
    }
    if (!last) {
        step.target = between;
        step.region.target_origin = {0, 0, 0, 0};
        step.region.extent = between.extent;
        if (!isolated)
            step.region.source_origin = {0, 0, 0, 0};
    }
    return step;
}

// A small box as taps. Integers stay exact where the error of the taps cannot reach half a pixel's
// share of a step: the box has an odd number of pixels, so that no mean is nearer to a tie.
std::optional<CorrelatePass> as_taps(const Box &box, const PlanDesc &desc) {
    constexpr std::int64_t largest_radius = 7;
    const Axes size = box.size();
    if (std::max(box.radius[0], box.radius[1]) > largest_radius)
        return std::nullopt;
    AxisTaps taps;
    for (std::size_t i = 0; i < 2; ++i)
        taps.values[i].assign(static_cast<std::size_t>(size[i]),
                              1.0 / static_cast<double>(size[i]));
    const Filter mean = Filter::separable(taps);
    const PixelTypeFacts &src = facts_of(desc.source.type);
    const double largest = std::max({-src.lowest, src.highest, std::abs(desc.border.value)});
    if (src.is_integer && facts_of(desc.target.type).is_integer &&
        mean.error_bound(largest) >= 0.5 / static_cast<double>(size[0] * size[1]))
        return std::nullopt;
    return lower_correlation(mean, desc);
}

// Iterations of a box from the plan's source by way of f32 images to its target: all but the last
// over everything that the region may read, as the border is applied to their results anew.
Lowered lower_iterations(const Box &box, const PlanDesc &desc) {
    Lowered lowered;
    const ImageDesc between = intermediate(desc);
    lowered.intermediates.assign(static_cast<std::size_t>(std::min(box.iterations - 1, 2)),
                                 static_cast<std::uint64_t>(between.bytes()));
    for (int i = 0; i < box.iterations; ++i) {
        const bool first = i == 0;
        const bool last = i + 1 == box.iterations;
        const PlanDesc step = part(desc, between, first, last);
        lowered.steps.push_back({lower_box(box, step), first ? ends : (i + 1) % 2,
                                 last ? ends : i % 2, as_taps(box, step)});
    }
    return lowered;
}

// One axis of a recursive filter: from the whole source to that part of it that the region is.
// With neighbours the lines go on beyond the region.
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
    const Steps src(desc.source, start);
    const Steps dst(desc.target, region.target_origin);

    RecursivePass pass;
    pass.src_type = desc.source.type;
    pass.dst_type = desc.target.type;
    pass.along_rows = axis == 0;
    pass.components = axis == 0 ? static_cast<int>(channels) : 1;
    pass.alignment = std::min(src.alignment(region.extent, desc.source.planes),
                              dst.alignment(region.extent, desc.source.planes));
    const auto places = [&](const Steps &steps) -> LinePlaces {
        switch (axis) {
        case 0:
            return {steps.first, channels, steps.row, {steps.slice, steps.volume, steps.plane}};
        case 1:
            return {steps.first, steps.row, 1, {steps.slice, steps.volume, steps.plane}};
        default:
            return {steps.first, steps.slice, 1, {steps.row, steps.volume, steps.plane}};
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
    return pass;
}

// Both axes in one pass, from a pass for each; nothing where that is not what was asked for, or where
// scans start from more than what the border makes of the image.
std::optional<Step> lower_plane(const Recursion &recursion, const std::vector<Step> &steps,
                                const PlanDesc &desc) {
    if (steps.size() != 2 || recursion.filters(2) || recursion.grouping.tile > 0 ||
        !recursion.grouping.trips.empty())
        return std::nullopt;
    PlanDesc extended = desc;
    if (!recursion.extended)
        extended.border = {BorderMode::constant, 0.0};
    RecursivePlanePass pass;
    static_cast<ImagePass &>(pass) = lower_images(extended, {1, 1, 0, 0});
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const auto &stages = std::get<RecursivePass>(steps[axis].pass).stages;
        if (stages.size() != 1 || (!recursion.extended && !stages[0].ends.empty()))
            return std::nullopt;
        pass.axes[axis] = stages[0];
    }
    return Step{std::move(pass)};
}

} // namespace

Lowered lower_recursion(const Recursion &recursion, const PlanDesc &desc) {
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (recursion.filters(static_cast<int>(axis)))
            axes.push_back(axis);
    Lowered lowered;
    // Axis by axis by way of f32 images of all that the region reads; the last pass makes the region.
    const ImageDesc between = intermediate(desc);
    lowered.intermediates.assign(std::min<std::size_t>(axes.size() - 1, 2),
                                 static_cast<std::uint64_t>(between.bytes()));
    double outside = desc.border.value;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const bool first = i == 0;
        const bool last = i + 1 == axes.size();
        PlanDesc step = part(desc, between, first, last);
        // What stands outside is filtered too.
        step.border.value = outside;
        outside *= recursion.gain(static_cast<int>(axes[i]));
        const int number = static_cast<int>(i);
        lowered.steps.push_back({lower_axis(recursion, axes[i], step),
                                 first ? ends : (number + 1) % 2, last ? ends : number % 2});
    }
    lowered.whole = lower_plane(recursion, lowered.steps, desc);
    return lowered;
}

namespace {

// Both filters go to f32 images of the region, and the second is taken from the first.
Lowered lower_difference(const Filter &first, const Filter &second, const PlanDesc &desc) {
    PlanDesc step = desc;
    ImageDesc like = desc.source;
    like.type = PixelType::f32;
    step.target = packed(like, desc.region.extent, staged_row_alignment);
    step.region.target_origin = {0, 0, 0, 0};
    Lowered result;
    std::array<int, 2> results{};
    for (std::size_t i = 0; i < 2; ++i) {
        Lowered own = lower(i == 0 ? first : second, step);
        const int before = static_cast<int>(result.intermediates.size());
        results[i] = before + static_cast<int>(own.intermediates.size());
        for (Step &one : own.steps) {
            one.from = one.from == ends ? ends : one.from + before;
            one.to = one.to == ends ? results[i] : one.to + before;
            result.steps.push_back(std::move(one));
        }
        result.intermediates.insert(result.intermediates.end(), own.intermediates.begin(),
                                    own.intermediates.end());
        result.intermediates.push_back(static_cast<std::uint64_t>(step.target.bytes()));
    }
    PlanDesc last = desc;
    last.source = step.target;
    last.region.source_origin = {0, 0, 0, 0};
    last.region.edge = RegionEdge::isolated;
    Step difference{DifferencePass{lower_images(last, {1, 1, 0, 0})}, results[0], ends};
    difference.other = results[1];
    result.steps.push_back(std::move(difference));
    return result;
}

} // namespace

CorrelatePass lower_correlation(const Filter &filter, const PlanDesc &desc) {
    const std::int64_t components = desc.source.planes * desc.source.channels;
    if (!filter.components().empty()) {
        const std::int64_t last = filter.components().rbegin()->first;
        require(last < components, "component ", last, " has taps of its own; the image has ",
                components, components == 1 ? " component" : " components");
        require(components <= max_components, "the image has ", components,
                " components; taps can differ between ", max_components, " at most");
    }

    // What covers the taps of all components, each laid on its anchor.
    Extent2d cover{1, 1, 0, 0};
    std::int64_t after_x = 0;
    std::int64_t after_y = 0;
    CorrelatePass pass;
    for (std::int64_t i = 0; i < (filter.components().empty() ? 1 : components); ++i) {
        const TapSet set = tap_set(filter.correlation(i));
        cover.anchor_x = std::max<std::int64_t>(cover.anchor_x, set.anchor_x);
        cover.anchor_y = std::max<std::int64_t>(cover.anchor_y, set.anchor_y);
        after_x = std::max<std::int64_t>(after_x, set.taps_x - set.anchor_x);
        after_y = std::max<std::int64_t>(after_y, set.taps_y - set.anchor_y);
        pass.sets.push_back(set);
    }
    cover.size_x = cover.anchor_x + after_x;
    cover.size_y = cover.anchor_y + after_y;
    static_cast<ImagePass &>(pass) = lower_images(desc, cover);
    return pass;
}

BoxPass lower_box(const Box &box, const PlanDesc &desc) {
    const Axes size = box.size();
    // Kernels count pixels a box or two beyond the image in 32 bits.
    for (std::size_t i = 0; i < 2; ++i)
        if (desc.source.extent[i] + 2 * size[i] > std::numeric_limits<std::int32_t>::max())
            fail(Status::unsupported, "the image has ", desc.source.extent[i], " pixels along ",
                 i == 0 ? "x" : "y", ", too many for boxes of ", size[i]);
    return {lower_images(desc, {size[0], size[1], box.radius[0], box.radius[1]})};
}

SatPass lower_sat(const PlanDesc &desc) {
    return {lower_images(desc, {1, 1, 0, 0})};
}

Lowered lower(const Filter &filter, const PlanDesc &desc) {
    check_border(filter, desc.border);
    if (const Dog *dog = filter.dog())
        return lower_difference(dog->first, dog->second, desc);
    if (filter.recursion()) {
        const Bordered own = bordered(*filter.recursion(), desc.border);
        PlanDesc step = desc;
        step.border = own.border;
        return lower_recursion(own.recursion, step);
    }
    if (filter.is_sat())
        return {{{lower_sat(desc)}}, {}};
    if (filter.box())
        return lower_iterations(*filter.box(), desc);
    return {{{lower_correlation(filter, desc)}}, {}};
}

PlanDesc staged(const PlanDesc &desc) {
    PlanDesc result = desc;
    const bool isolated = desc.region.edge == RegionEdge::isolated;
    result.source = packed(desc.source, isolated ? desc.region.extent : desc.source.extent,
                           staged_row_alignment);
    result.target = packed(desc.target, desc.region.extent, staged_row_alignment);
    result.region.target_origin = {0, 0, 0, 0};
    if (isolated)
        result.region.source_origin = {0, 0, 0, 0};
    return result;
}

} // namespace gz
