#include "plan/lowering.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>

#include "core/error.hpp"
#include "filter/line_filter.hpp"
#include "filter/recursive.hpp"

namespace gz {

namespace {

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
    for (std::size_t i = 1; i < desc.target_count(); ++i)
        desc.more_targets[i - 1] = complete(desc.for_target(i), results).target;
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

ImageDesc own_image(const ImageDesc &like, const Axes &extent) {
    constexpr std::int64_t transaction = 128;
    constexpr std::int64_t much = std::int64_t{4} << 20;
    constexpr std::int64_t vector_width = 4; // values that kernels read at once, if aligned
    const ImageDesc aligned = packed(like, extent, transaction);
    const std::int64_t row = extent[0] * aligned.pixel_bytes();
    const bool is_mostly_padding = aligned.pitch[1] >= 2 * row;
    if (!is_mostly_padding || aligned.bytes() < much)
        return aligned;
    return packed(like, extent, vector_width * static_cast<std::int64_t>(size_of(like.type)));
}

namespace {

gz_int narrow(std::int64_t value) {
    return static_cast<gz_int>(value);
}

// Taps along x and y, and which of them lies on the pixel.
struct Extent2d {
    std::int64_t size_x, size_y, anchor_x, anchor_y;
};

// read_along: axes, besides x and y, along which other slices are read than those that are made.
ImagePass lower_images(const PlanDesc &desc, const Extent2d &taps,
                       std::initializer_list<std::size_t> read_along = {}) {
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
    return own_image(like, isolated ? desc.region.extent : desc.source.extent);
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

// Kernels count pixels a box or two beyond the image in 32 bits.
void check_box_length(const Box &box, const PlanDesc &desc, std::size_t axis) {
    const std::int64_t size = box.size()[axis];
    if (desc.source.extent[axis] + 2 * size > std::numeric_limits<std::int32_t>::max())
        fail(Status::unsupported, "the image has ", desc.source.extent[axis], " pixels along ",
             axis_name[axis], ", too many for boxes of ", size);
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

// Pixels along an axis that may be read, from the region's first on; the end exclusive.
struct Valid {
    gz_int first, end;
};
Valid valid_along(const PlanDesc &desc, std::size_t axis) {
    if (desc.region.edge == RegionEdge::isolated)
        return {0, narrow(desc.region.extent[axis])};
    const std::int64_t origin = desc.region.source_origin[axis];
    return {narrow(-origin), narrow(desc.source.extent[axis] - origin)};
}

// Filters with `count` taps along z or t, as kernels do along y: the slices are the rows then, and the
// rows slices.
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

// Axes that one step of a filter goes along: x and y together, z or t.
enum class Along { plane, z, t };
std::size_t axis_of(Along along) {
    return along == Along::z ? 2 : 3;
}

// Steps one after the other from the plan's source by way of f32 images to its target, each of all
// that later ones read: make_step(along, description) gives them.
template <class MakeStep>
Lowered lower_steps(const std::vector<Along> &alongs, const PlanDesc &desc, MakeStep &&make_step) {
    const bool isolated = desc.region.edge == RegionEdge::isolated;
    const auto is_read_after = [&](std::size_t axis, std::size_t i) {
        return std::any_of(
            alongs.begin() + static_cast<std::ptrdiff_t>(i) + 1, alongs.end(),
            [&](Along along) { return along == Along::plane ? axis < 2 : axis_of(along) == axis; });
    };
    Lowered lowered;
    PlanDesc step = desc;
    for (std::size_t i = 0; i < alongs.size(); ++i) {
        const bool first = i == 0;
        const bool last = i + 1 == alongs.size();
        PlanDesc next = step;
        if (!last) {
            for (std::size_t axis = 0; axis < 4; ++axis) {
                if (!isolated && is_read_after(axis, i)) {
                    step.region.source_origin[axis] = 0;
                    step.region.extent[axis] = step.source.extent[axis];
                }
            }
            ImageDesc like = desc.source;
            like.type = PixelType::f32;
            step.target = own_image(like, step.region.extent);
            step.region.target_origin = {0, 0, 0, 0};
            const std::size_t number = i % 2;
            if (lowered.intermediates.size() <= number)
                lowered.intermediates.push_back(0);
            lowered.intermediates[number] = std::max(
                lowered.intermediates[number], static_cast<std::uint64_t>(step.target.bytes()));
        }
        Step made = make_step(alongs[i], step);
        made.from = first ? ends : static_cast<int>((i + 1) % 2);
        made.to = last ? ends : static_cast<int>(i % 2);
        lowered.steps.push_back(std::move(made));
        // What comes next starts where this one's region does.
        for (std::size_t axis = 0; axis < 4; ++axis)
            next.region.source_origin[axis] -= step.region.source_origin[axis];
        next.source = step.target;
        step = next;
    }
    return lowered;
}

// Iterations of a box: the border is applied to the results of each anew.
Lowered lower_iterations(const Box &box, const PlanDesc &desc) {
    std::vector<Along> alongs;
    for (int i = 0; i < box.iterations; ++i) {
        if (box.radius[0] > 0 || box.radius[1] > 0 || !box.is_volume())
            alongs.push_back(Along::plane);
        if (box.radius[2] > 0)
            alongs.push_back(Along::z);
        if (box.radius[3] > 0)
            alongs.push_back(Along::t);
    }
    return lower_steps(alongs, desc, [&](Along along, const PlanDesc &step) -> Step {
        if (along == Along::plane)
            return {lower_box(box, step), ends, ends, as_taps(box, step)};
        const std::size_t axis = axis_of(along);
        check_box_length(box, step, axis);
        return {BoxPass{lower_images_along(axis, step, box.size()[axis], box.radius[axis])}};
    });
}

// All but the taps.
VolumePass lower_volume(const Correlation &correlation, const PlanDesc &desc) {
    const Taps &taps = correlation.taps;
    VolumePass pass;
    static_cast<ImagePass &>(pass) =
        lower_images(desc, {taps.size[0], taps.size[1], taps.anchor[0], taps.anchor[1]}, {2, 3});
    const Valid along_z = valid_along(desc, 2);
    const Valid along_t = valid_along(desc, 3);
    pass.volume = {narrow(taps.size[2]),   narrow(taps.size[3]), narrow(taps.anchor[2]),
                   narrow(taps.anchor[3]), along_z.first,        along_z.end,
                   along_t.first,          along_t.end};
    return pass;
}

// Taps along z or t after those along x and y, by the same kernels.
Lowered lower_separable_volume(const Filter &filter, const PlanDesc &desc) {
    const Correlation &correlation = filter.correlation();
    const SeparableTaps &factors = *correlation.factors;
    const std::vector<double> one{1.0};
    std::vector<Along> alongs;
    if (factors.x != one || factors.y != one)
        alongs.push_back(Along::plane);
    if (!factors.z.empty())
        alongs.push_back(Along::z);
    if (!factors.t.empty())
        alongs.push_back(Along::t);
    // What stands outside is filtered too, in the same order of operations.
    auto outside = static_cast<float>(desc.border.value);
    const auto filtered = [](const std::vector<double> &taps, float value) {
        float sum = 0.0F;
        for (const double tap : taps)
            sum = std::fma(static_cast<float>(tap), value, sum);
        return sum;
    };
    Lowered lowered = lower_steps(alongs, desc, [&](Along along, PlanDesc step) -> Step {
        step.border.value = static_cast<double>(outside);
        if (along == Along::plane) {
            CorrelatePass pass = lower_correlation(filter, step);
            outside = filtered(factors.y, filtered(factors.x, outside));
            return {std::move(pass)};
        }
        const std::size_t axis = axis_of(along);
        const std::vector<double> &taps = axis == 2 ? factors.z : factors.t;
        const std::int64_t anchor = correlation.taps.anchor[axis];
        CorrelatePass pass;
        static_cast<ImagePass &>(pass) =
            lower_images_along(axis, step, correlation.taps.size[axis], anchor);
        TapSet set{1, narrow(correlation.taps.size[axis]), 0, narrow(anchor), true, {1.0F}};
        set.taps.insert(set.taps.end(), taps.begin(), taps.end());
        pass.sets.push_back(std::move(set));
        outside = filtered(taps, outside);
        return {std::move(pass)};
    });
    if (!factors.z.empty() && factors.t.empty() && alongs.front() == Along::plane) {
        VolumePass all = lower_volume(correlation, desc);
        all.separable = true;
        for (const std::vector<double> *taps : {&factors.x, &factors.y, &factors.z})
            all.taps.insert(all.taps.end(), taps->begin(), taps->end());
        lowered.whole = std::move(all);
    }
    return lowered;
}

VolumePass lower_dense_volume(const Correlation &correlation, const PlanDesc &desc) {
    VolumePass pass = lower_volume(correlation, desc);
    pass.taps.assign(correlation.taps.values.begin(), correlation.taps.values.end());
    return pass;
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
    pass.taps_border = static_cast<gz_int>(desc.border.mode);
    pass.taps_outside = static_cast<float>(desc.border.value);
    return pass;
}

namespace {

LineStage negated(LineStage stage) {
    stage.direct = -stage.direct;
    for (std::vector<Section> *sections : {&stage.causal, &stage.anticausal})
        for (Section &section : *sections) {
            section.w_weight = -section.w_weight;
            section.v_weight = -section.v_weight;
        }
    return stage;
}

} // namespace

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
           one.ends.empty() == other.ends.empty();
}

RecursivePass together(RecursivePass first, const RecursivePass &second, Shared shared) {
    first.second =
        shared == Shared::target ? negated(second.stages.front()) : second.stages.front();
    first.shared = shared;
    return first;
}

namespace {

// Both axes in one pass, from a pass for each; nothing where that is not what was asked for, or where
// scans start from more than what the border makes of the image.
std::optional<RecursivePlanePass>
lower_plane(const Recursion &recursion, const std::vector<Step> &steps, const PlanDesc &desc) {
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
        if (stages.size() != 1 || stages[0].has_taps() ||
            (!recursion.extended && !stages[0].ends.empty()))
            return std::nullopt;
        pass.axes[axis] = stages[0];
    }
    return pass;
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

DifferencePass lower_subtraction(const PlanDesc &desc) {
    return {lower_images(desc, {1, 1, 0, 0})};
}

namespace {

// A pass along x that reads the image once, for both filters, and one along y that writes their
// difference; nothing where they cannot go together.
std::optional<Lowered> lower_together(const Dog &dog, const PlanDesc &desc) {
    if (dog.passes == Dog::Passes::of_each || !dog.first.recursion() || !dog.second.recursion())
        return std::nullopt;
    Lowered result = lower(dog.first, desc);
    const Lowered second = lower(dog.second, desc);
    if (result.steps.size() != 2 || second.steps.size() != 2)
        return std::nullopt;
    constexpr Shared shared[] = {Shared::source, Shared::target};
    for (std::size_t i = 0; i < 2; ++i) {
        auto &pass = std::get<RecursivePass>(result.steps[i].pass);
        const auto &other = std::get<RecursivePass>(second.steps[i].pass);
        if (!go_together(pass, other))
            return std::nullopt;
        pass = together(std::move(pass), other, shared[i]);
    }
    result.steps[0].targets = 2;
    result.steps[1].other = 1;
    result.intermediates.push_back(result.intermediates.front());
    result.whole.reset();
    return result;
}

// Boxes: the last pass of the larger ones makes the difference to what the smaller ones came to, so that
// it is not one of those that run as taps where any is not.
std::optional<Lowered> lower_boxes_together(const Dog &dog, const PlanDesc &desc) {
    const std::optional<Box> &first = dog.first.box();
    const std::optional<Box> &second = dog.second.box();
    if (dog.passes == Dog::Passes::of_each || !first || !second || first->is_volume() ||
        second->is_volume())
        return std::nullopt;
    const bool first_is_larger = first->radius[0] > second->radius[0];
    const Filter &larger = first_is_larger ? dog.first : dog.second;
    const Filter &smaller = first_is_larger ? dog.second : dog.first;
    if (larger.box()->iterations < 2)
        return std::nullopt;

    // As the last iteration finds what those before it have made.
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
    step.target = own_image(like, extent);
    Lowered result = lower(smaller, step);
    Lowered last = lower(larger, desc);
    for (std::size_t i = 0; i < last.intermediates.size(); ++i) {
        if (i == result.intermediates.size())
            result.intermediates.push_back(0);
        result.intermediates[i] = std::max(result.intermediates[i], last.intermediates[i]);
    }
    const auto other = static_cast<int>(result.intermediates.size());
    result.intermediates.push_back(static_cast<std::uint64_t>(step.target.bytes()));
    result.steps.back().to = other;
    Step &end = last.steps.back();
    end.other = other;
    end.as_taps.reset();
    std::get<BoxPass>(end.pass).difference =
        first_is_larger ? BoxDifference::mean_less_other : BoxDifference::other_less_mean;
    for (Step &one : last.steps)
        result.steps.push_back(std::move(one));
    return result;
}

// Both filters go to f32 images of the region, and the second is taken from the first.
Lowered lower_difference(const Filter &first, const Filter &second, const PlanDesc &desc) {
    PlanDesc step = desc;
    ImageDesc like = desc.source;
    like.type = PixelType::f32;
    step.target = own_image(like, desc.region.extent);
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
    Step difference{lower_subtraction(last), results[0], ends};
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
    for (std::size_t i = 0; i < 2; ++i)
        check_box_length(box, desc, i);
    return {lower_images(desc, {size[0], size[1], box.radius[0], box.radius[1]})};
}

SatPass lower_sat(const PlanDesc &desc) {
    return {lower_images(desc, {1, 1, 0, 0})};
}

namespace {

// Whether two passes can be one, with the loads shared.
bool share_loads(const VolumePass &a, const VolumePass &b) {
    return a.dst_type == b.dst_type && a.alignment == b.alignment &&
           std::memcmp(&a.geometry, &b.geometry, sizeof a.geometry) == 0 &&
           std::memcmp(&a.volume, &b.volume, sizeof a.volume) == 0;
}

// The filters one after the other; those of volumes with dense taps of one shape, into targets of one
// layout, in one pass.
Lowered lower_bank(const Bank &bank, const PlanDesc &desc) {
    Lowered result;
    for (std::size_t i = 0; i < bank.filters.size(); ++i) {
        Lowered own = lower(bank.filters[i], desc.for_target(i));
        // What one filter has done with the next can use again.
        result.intermediates.resize(
            std::max(result.intermediates.size(), own.intermediates.size()));
        for (std::size_t k = 0; k < own.intermediates.size(); ++k)
            result.intermediates[k] = std::max(result.intermediates[k], own.intermediates[k]);
        const auto *volume = std::get_if<VolumePass>(&own.steps.front().pass);
        if (volume && !result.steps.empty()) {
            Step &before = result.steps.back();
            auto *shared = std::get_if<VolumePass>(&before.pass);
            if (shared && share_loads(*shared, *volume)) {
                shared->taps.insert(shared->taps.end(), volume->taps.begin(), volume->taps.end());
                ++shared->filters;
                ++before.targets;
                continue;
            }
        }
        for (Step &step : own.steps) {
            if (step.to == ends)
                step.to = number_of_target(i);
            result.steps.push_back(std::move(step));
        }
    }
    return result;
}

} // namespace

Lowered lower(const Filter &filter, const PlanDesc &desc) {
    check_border(filter, desc.border);
    if (const Bank *bank = filter.bank())
        return lower_bank(*bank, desc);
    if (const Dog *dog = filter.dog()) {
        if (std::optional<Lowered> both = lower_together(*dog, desc))
            return std::move(*both);
        if (std::optional<Lowered> boxes = lower_boxes_together(*dog, desc))
            return std::move(*boxes);
        return lower_difference(dog->first, dog->second, desc);
    }
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
    if (!filter.correlation().is_volume())
        return {{{lower_correlation(filter, desc)}}, {}};
    if (filter.factors())
        return lower_separable_volume(filter, desc);
    return {{{lower_dense_volume(filter.correlation(), desc)}}, {}};
}

PlanDesc staged(const PlanDesc &desc) {
    PlanDesc result = desc;
    const bool isolated = desc.region.edge == RegionEdge::isolated;
    result.source = own_image(desc.source, isolated ? desc.region.extent : desc.source.extent);
    result.target = own_image(desc.target, desc.region.extent);
    for (ImageDesc &target : result.more_targets)
        target = own_image(target, desc.region.extent);
    result.region.target_origin = {0, 0, 0, 0};
    if (isolated)
        result.region.source_origin = {0, 0, 0, 0};
    return result;
}

} // namespace gz
