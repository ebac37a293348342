#include "families/correlate/lowering.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "core/error.hpp"
#include "core/fma.hpp"
#include "families/correlate/volume_pass.hpp"
#include "plan/lowering.hpp"

namespace gz {

namespace {

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

// Lowers everything but the taps.
VolumePass lower_volume(const Correlation &correlation, const PlanDesc &desc) {
    const Taps &taps = correlation.taps;
    VolumePass pass;
    static_cast<ImagePass &>(pass) =
        lower_images(desc, {taps.size[0], taps.size[1], taps.anchor[0], taps.anchor[1]}, {2, 3});
    pass.volume = lower_volume(desc, taps.size, taps.anchor);
    return pass;
}

VolumePass lower_dense_volume(const Correlation &correlation, const PlanDesc &desc) {
    VolumePass pass = lower_volume(correlation, desc);
    pass.taps.assign(correlation.taps.values.begin(), correlation.taps.values.end());
    return pass;
}

// All axes in one pass.
VolumePass lower_axes_at_once(const Correlation &correlation, const PlanDesc &desc) {
    VolumePass pass = lower_volume(correlation, desc);
    const SeparableTaps &factors = *correlation.factors;
    pass.separable = true;
    for (const std::vector<double> *taps : {&factors.x, &factors.y, &factors.z})
        pass.taps.insert(pass.taps.end(), taps->begin(), taps->end());
    return pass;
}

// Taps along z or t alone, by the kernels that filter along y.
CorrelatePass lower_axis(const Correlation &correlation, std::size_t axis, const PlanDesc &desc) {
    const std::vector<double> &taps = axis == 2 ? correlation.factors->z : correlation.factors->t;
    const std::int64_t size = correlation.taps.size[axis];
    const std::int64_t anchor = correlation.taps.anchor[axis];
    CorrelatePass pass;
    static_cast<ImagePass &>(pass) = lower_images_along(axis, desc, size, anchor);
    TapSet set{1, narrow(size), 0, narrow(anchor), true, {1.0F}};
    set.taps.insert(set.taps.end(), taps.begin(), taps.end());
    pass.sets.push_back(std::move(set));
    return pass;
}

float filtered(const std::vector<double> &taps, float value) {
    float sum = 0.0F;
    for (const double tap : taps)
        sum = fma(static_cast<float>(tap), value, sum);
    return sum;
}

// How far the filter reads along some of the axes.
AxesReach reach_along(const Correlate &filter, const std::vector<std::size_t> &axes) {
    const AxesReach all = reach_of(filter);
    AxesReach result;
    for (const std::size_t axis : axes)
        result[axis] = all[axis];
    return result;
}

Step one_step(const std::shared_ptr<const Correlate> &filter, const PlanDesc &desc,
              const std::vector<std::size_t> &axes, std::function<Pass(const PlanDesc &)> make) {
    Step step(desc, std::move(make));
    step.reach = reach_along(*filter, axes);
    return step;
}

// Taps along z or t after those along x and y, by the same kernels; or all at once.
Graph lower_separable_volume(const std::shared_ptr<const Correlate> &filter, const PlanDesc &desc) {
    const Correlation &correlation = filter->correlation;
    const SeparableTaps &factors = *correlation.factors;
    const std::vector<double> one{1.0};
    std::vector<std::vector<std::size_t>> axes;
    const bool along_plane = factors.x != one || factors.y != one;
    if (along_plane)
        axes.push_back({0, 1});
    if (!factors.z.empty())
        axes.push_back({2});
    if (!factors.t.empty())
        axes.push_back({3});
    // The pixels outside the image are filtered too, in the same order of operations.
    auto outside = static_cast<float>(desc.border.value);
    Graph graph = lower_along(axes, desc, [&](std::size_t i, PlanDesc step) -> Link {
        step.border.value = static_cast<double>(outside);
        if (axes[i].size() == 2) {
            outside = filtered(factors.y, filtered(factors.x, outside));
            return one_step(filter, step, axes[i], [filter](const PlanDesc &part) -> Pass {
                return lower_correlation(*filter, part);
            });
        }
        const std::size_t axis = axes[i].front();
        outside = filtered(axis == 2 ? factors.z : factors.t, outside);
        return one_step(filter, step, axes[i], [filter, axis](const PlanDesc &part) -> Pass {
            return lower_axis(filter->correlation, axis, part);
        });
    });
    if (!along_plane || factors.z.empty() || !factors.t.empty())
        return graph;
    Step whole = one_step(filter, desc, {0, 1, 2}, [filter](const PlanDesc &part) -> Pass {
        return lower_axes_at_once(filter->correlation, part);
    });
    return with_steps_at_once(std::move(graph), axis_by_axis, std::move(whole));
}

} // namespace

CorrelatePass lower_correlation(const Correlate &filter, const PlanDesc &desc) {
    const std::int64_t components = desc.source.planes * desc.source.channels;
    if (!filter.components.empty()) {
        const std::int64_t last = filter.components.rbegin()->first;
        require(last < components, "component ", last, " has taps of its own; the image has ",
                components, components == 1 ? " component" : " components");
        require(components <= max_components, "the image has ", components,
                " components; taps can differ between ", max_components, " at most");
    }

    // The extent that covers the taps of all components, each laid on its anchor.
    TapsExtent cover;
    std::int64_t after_x = 0;
    std::int64_t after_y = 0;
    CorrelatePass pass;
    for (std::int64_t i = 0; i < (filter.components.empty() ? 1 : components); ++i) {
        const TapSet set = tap_set(filter.of(i));
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

Graph lower(const Correlate &given, const PlanDesc &desc) {
    const auto filter = std::make_shared<const Correlate>(given);
    if (!filter->correlation.is_volume()) {
        Step step = one_step(filter, desc, {0, 1, 2, 3}, [filter](const PlanDesc &part) -> Pass {
            return lower_correlation(*filter, part);
        });
        step.cuts_planes = filter->components.empty();
        return {{}, {std::move(step)}};
    }
    if (filter->factors())
        return lower_separable_volume(filter, desc);
    return {{}, {one_step(filter, desc, {0, 1, 2, 3}, [filter](const PlanDesc &part) -> Pass {
                return lower_dense_volume(filter->correlation, part);
            })}};
}

} // namespace gz
